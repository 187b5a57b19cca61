"""A writer without a model: phrase banks, and the words of the procedure taken apart.

Words come first and values last: phrases are chosen and filled with words that still show `{order_id}`, and only then
are values put in, so that no value is ever bent into a sentence. Registers, unless given, and phrases are chosen by the
plan's id and the seed, so that ten conversations of one path open in ten ways.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any, cast

from pydantic import JsonValue
from rapidfuzz.distance import Levenshtein

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName
from toologue.procedure import grammar
from toologue.procedure.grammar import Asking
from toologue.schema import Cue, Dialogue, Plan, Turn, ValueKind
from toologue.text.bank import REGISTERS, Register, Role, Voice, mistype, place_of, speaker_of, stem_and_number
from toologue.text.times import MONTHS
from toologue.text.tokens import singular, split_name
from toologue.text.verbalize import fill_values, opens_small, verbalize
from toologue.values.compare import clock_of
from toologue.write.wordings import Said, Wording, Wordings

_TRIES = 12

# Names of slots and kinds of values, and patterns of words.
_WORDS = cast("Mapping[str, Any]", shipped(Path(__file__).with_suffix(".yaml")))
_RE = {name: re.compile(pattern.replace("\n", "")) for name, pattern in _WORDS["patterns"].items()}
_SLOT = re.compile(r"\{\s*([^{}]*?)\s*\}")


class _Words:
    def __init__(self, voice: Voice, seed: int, said: Said | None = None, today: str = ""):
        self._voice, self._random, self._seed, self._said, self._today = voice, Random(seed), seed, said or {}, today
        self._year = int(today[:4]) if today else None
        self.register: Register = voice.register
        self._turns = Counter[str]()

    @property
    def wordings(self) -> int:
        """How often a wording was used."""
        return self._turns.total()

    def _wording(self, values: Mapping[str, JsonValue], about: str, answer: str = "") -> str:
        """The next wording of a place that shows just these values; empty where none does."""
        known = self._said.get((self._voice.role, about, answer))
        shown = {*values}
        texts = [
            text
            for text in (known.of(self.register) if known else ())
            if {*_SLOT.findall(text)} == shown and opens_small(fill_values(text, values)) == opens_small(text)
        ]
        if known is None or not texts:
            return ""
        turn = self._turns[known.place]
        self._turns[known.place] += 1
        return texts[place_of(turn, len(texts), keys.seed_of(self._seed, known.place))]

    def _contract(self, words: str) -> str:
        return words if self.register == "formal" else grammar.contracted(words)

    def _draw(self, kind: str, fits: Callable[[str], bool] = bool, **slots: str) -> str:
        """The next phrase that fits; the last one if none does."""
        text = ""
        for _ in range(_TRIES):
            text = self._voice(kind, **slots)
            if fits(text):
                break
        return text


class AgentWords(_Words):
    """The agent: `agent(cue)` gives words."""

    def __init__(self, voice: Voice, seed: int, said: Said | None = None, today: str = ""):
        super().__init__(voice, seed, said, today)
        self._asked, self._heard = set[str](), dict[str, JsonValue]()

    def __call__(self, cue: Cue, heard: Cue | None = None, refused: Cue | None = None) -> str:
        """The words for a cue; `heard` is what the customer has said last, `refused` what was agreed to in vain.

        Raises BadSetting for a cue that is not the agent's, or lacks a value.
        """
        again = heard is not None and heard.values.items() <= self._heard.items()
        self._heard |= heard.values if heard else {}
        if cue.before.get("failed") and heard and heard.move == "give":
            words = self(cue.replace(before={}))  # nobody is thanked for what does not work
            return words if again else f"{self._voice('fails_again')} {words}"
        if refused:
            action = grammar.action(grammar.asking(refused.text).question) or ""
            plain = action if re.fullmatch(r"[^{\d]+", action) else "do that"
            return f"{self._voice('falls_through', action=plain)} {self(cue)}"
        match cue.move:
            case "ask" | "say" | "end" if words := self._wording(cue.values, cue.text):
                pass
            case "ask":
                words = self._ask(cue, heard)
                self._asked.add(cue.text)
            case "say" | "end":
                words = self._say(cue, heard)
            case "refuse":
                words = f"{cue.text.strip()} {self._again(cue)}".strip()
                return self._fill(words, cue) if cue.again else words
            case "insist":
                fact = grammar.disputed_fact(cue.text)
                stays = self._draw("insist", self._opens_well(cue), fact=fact) if fact else ""
                words = f"{stays} {self._again(cue)}".strip()
            case _:
                raise BadSetting(f"an agent has no words for the move {cue.move!r}: it is the customer's, or silent")
        return self._fill(words, cue) or self._voice("acknowledge")

    def _fill(self, words: str, cue: Cue) -> str:
        return fill_values(words, cue.values, year=self._year)

    def _opens_well(self, cue: Cue) -> Callable[[str], bool]:
        return lambda text: not opens_small(self._fill(text, cue))

    def _again(self, cue: Cue) -> str:
        """The question that was put before, without what was said with it."""
        again = cue.again.strip()
        return again and (self._wording(cue.values, cue.again) or self._question(cue, grammar.asking(again)))

    def _ask(self, cue: Cue, heard: Cue | None) -> str:
        """A question: first what is made of what the customer said, then why it is asked; notes stand behind it."""
        ask = self._once(cue)
        if form := cue.before.get("form"):
            return f"{self._voice('explain', form=self._contract(str(form)))} {self._question(cue, ask)}"
        reason, after = ask.reason, ask.note and self._sentence(ask.note)
        again = _RE["again"].search(ask.noun)
        finding = again or "{" in reason or _RE["bad_news"].match(reason)
        if reason and (not finding or _RE["points_back"].search(reason)):
            reason, after = "", f"{self._sentence(reason)} {after}".strip()
        bad = again or (reason and _RE["bad_news"].match(reason))
        if reason and not bad and self._unfit(cue, reason):
            asked = "noun" if ask.noun else "question" if ask.question else "deed"
            ask = ask._replace(**{asked: f"{ask.asked}, {ask.link} {reason}"})
            reason = ""
        lead = self._voice("address", name=ask.who) if ask.who else "" if bad else self._take_up(heard)
        if reason and bad:
            reason = self._draw("apologise", self._opens_well(cue), problem=self._contract(reason))
        elif reason:
            reason = self._sentence(reason)
        return " ".join(filter(None, [lead, reason, self._question(cue, ask), after]))

    def _once(self, cue: Cue) -> Asking:
        """What a step asks; who asks it again does not say again why, nor a note, unless it shows something."""
        ask = grammar.asking(cue.text)
        shown = cue.text not in self._asked or "{" in f"{ask.note}{ask.reason}"
        return ask if shown else ask._replace(note="", reason="")

    def _take_up(self, heard: Cue | None) -> str:
        """What the agent says to what was said last: thanks, the choice once more, or nothing."""
        if heard is None or heard.move in ("acknowledge", "malformed", "contradict"):
            return ""
        if heard.move in ("correct", "change"):
            return self._voice("forgive")
        if self._random.random() < 0.3:
            return ""
        if heard.move == "open":
            return self._voice("begin")
        answer = heard.text.strip().rstrip(".")
        named = _RE["noun"].match(answer) and not _RE["person"].match(answer)
        if heard.move == "choose" and named and len(answer.split()) < 5:
            return self._voice("take_up", choice=grammar.to_you(_lower_first(answer)))
        if heard.move == "choose":
            settled = _RE["settled"].match(answer)
            return self._draw("follow", lambda text: not (settled and _RE["hears_out"].match(text)))
        return self._voice("acknowledge") if heard.values else ""

    def _question(self, cue: Cue, ask: Asking) -> str:
        if ask.question.startswith("whether") and (asked := self._yes_or_no(cue, ask)):
            return asked
        if ask.words:
            return _sentence(ask.words)
        plain = ask.noun and not _RE["long_noun"].search(ask.noun)
        kind = "ask_noun" if plain else "ask_reason" if ask.question and "whether" not in ask.question else "ask"
        kind = "ask_deed" if ask.deed else kind
        one = plain and _RE["one_noun"].fullmatch(ask.noun)
        well = self._opens_well(cue)

        def fits(text: str) -> bool:
            return well(text) and bool(one or not text.startswith("What")) and text.count(",") < 2

        return self._draw(kind, fits, asked=ask.asked)

    def _yes_or_no(self, cue: Cue, ask: Asking) -> str:
        """A question that is answered by yes or no, or by one of two things; empty where it is put indirectly."""
        offered, wanted, chance = grammar.options(ask.question), grammar.action(ask.question), self._random.random()
        if offered and chance < 0.6:
            return self._draw("ask_choice", self._opens_well(cue), options=offered)
        if wanted and chance < 0.7:
            return self._voice("confirm", action=wanted)
        asked = grammar.direct(ask.question)
        if asked is None:
            return ""
        if asked.startswith("Do you want "):
            begins = ("Do you want", "Would you like", "Would you prefer")[: 3 if " or " in asked else 2]
            asked = f"{self._random.choice(begins)}{asked[11:]}"
        return f"{asked}: {ask.back}?" if ask.back else f"{asked}?"

    def _say(self, cue: Cue, heard: Cue | None) -> str:
        """What a step says; an end has a goodbye behind it, more often than not."""
        if cue.text.startswith("Greet "):
            return self._voice("greet")
        said = grammar.saying(cue.text)
        first, *others = map(self._contract, said.statements or ("",))
        bad = bool(_RE["regret"].search(first))
        words = lead = ""
        if first:
            rest = " ".join(map(_sentence, others))
            if said.facts and (_RE["regret"].match(first) or (bad and self._unfit(cue, first))):
                words = f"{self._draw('apologise', self._opens_well(cue), problem=first)} {rest}"
            elif said.facts and self._unfit(cue, first):
                words = f"I see here that {_sentence(f'{first}', opens=False)} {rest}"
            else:
                words = f"{_sentence(first)} {rest}"
                lead = self._take_up(heard) if heard and heard.move == "choose" and self._random.random() < 0.5 else ""
        closing = ""
        if cue.move == "end" and (not first or self._random.random() < 0.6):
            grim = bad or _RE["grim"].search(" ".join(said.statements))
            closing = self._draw("end", lambda text: not (grim and _RE["cheerful"].search(text)))
        return " ".join(filter(None, [lead, words.strip(), closing]))

    def _sentence(self, clause: str) -> str:
        return _sentence(self._contract(clause))

    def _unfit(self, cue: Cue, clause: str) -> bool:
        """Whether a sentence would begin with a value that has a small letter, which must not be changed."""
        return clause.startswith("{") and opens_small(self._fill(clause, cue))


def _sentence(clause: str, *, opens: bool = True) -> str:
    clause = clause.strip()
    first = clause.split(maxsplit=1)[0] if clause else ""
    opened = clause[0].upper() + clause[1:] if opens and first.islower() else clause
    return opened if re.search(r"[.!?…]$", opened) else f"{opened}."


_STREET = ("street", "city", "postal_code")
# So many signs are misread at once.
_MISREAD = 2
# Kinds that one sees at a glance, so that nobody has to say which is which; what is typed; who or what one is known by.
_TELLING = frozenset({"order_number", "email", "phone", "name", "reference"})
_TYPED = _TELLING - {"name"}
_PERSONAL = frozenset({"email", "phone", "name"})
_NO_DAY = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(3[01])")
_WISHES = ("I'd rather", "I'll", "I want to", "let's")


class CustomerWords(_Words):
    """The customer: `customer(cue, asked)` gives words; `asked` is what the agent asked last, `about` in what words.

    `wrong` says in which way the values are, as plans have it: what is given after that takes it back.
    """

    def __init__(self, voice: Voice, seed: int, said: Said | None = None, today: str = ""):
        super().__init__(voice, seed, said, today)
        self._given, self._erred, self._wondered = dict[str, tuple[JsonValue, str]](), False, False
        self._own = ""

    def __call__(self, cue: Cue, asked: Asking | None = None, about: str = "", wrong: str = "") -> str:
        """The words for a cue. Raises BadSetting for a cue that is not a customer's."""
        if cue.move == "noise":
            return cue.text
        wrong = "malformed" if cue.move == "malformed" else wrong
        own = _RE["own"].search(asked.listed) if asked else None
        self._own = own[0] if own else ""
        slip = self._slipped(cue, asked)
        worded = [] if slip else self._worded(cue, about)
        sentences = [word.strip() for word in worded or self._words(cue, asked, wrong, slip) if word.strip()]
        self._given |= {slot: (value, wrong) for slot, value in cue.values.items()}
        if not sentences:
            return self._voice("acknowledge")
        *most, last = sentences
        return " ".join([*(text if text[-1] in ".!?…" else f"{text}." for text in most), last])

    def _slipped(self, cue: Cue, asked: Asking | None) -> str:
        """In which way what was given before for these slots was wrong; empty where it was not."""
        before = [self._given[slot][1] for slot in cue.values if slot in self._given] if cue.move == "give" else []
        asked_again = before and asked is not None and _RE["same"].search(asked.noun)
        return next(filter(None, before), "again" if asked_again else "")

    def _worded(self, cue: Cue, about: str) -> list[str]:
        """What a wording says; nothing where there is none."""
        place = {"open": ("", cue.text)} | dict.fromkeys(("give", "choose", "acknowledge"), (about, cue.text))
        if cue.move not in place:
            return []
        if cue.values and (whole := self._wording(cue.values, *place[cue.move])):
            return [self._put(cue, self._mistyped(whole))]
        words = self._wording({}, *place[cue.move])
        return [self._mistyped(words), self._clauses(cue)] if words else []

    def _words(self, cue: Cue, asked: Asking | None, wrong: str, slip: str) -> list[str]:
        match cue.move:
            case "open":
                return [self._open(cue), self._clauses(cue)]
            case "give":
                return [self._give(cue, wrong, slip)]
            case "volunteer":
                return [self._volunteer(cue)]
            case "choose":
                return [self._choose(cue, asked), self._clauses(cue)]
            case "acknowledge":
                return [self._voice("acknowledge"), self._clauses(cue)]
            case "correct":
                return self._correct(cue)
            case "change":
                return [self._change(cue), self._clauses(cue)]
            case "malformed":
                return [self._voice("malformed", value=_NO_DAY.sub(_no_day, self._row(cue)))]
            case "contradict":
                return [self._contradict(cue)]
            case "close":
                return [self._voice("close")]
            case _:
                raise BadSetting(f"a customer has no words for the move {cue.move!r}: it is the agent's")

    def _open(self, cue: Cue) -> str:
        """The issue; one that greets, or asks, has no other greeting, or nothing behind it."""
        issue = self._mistyped(self._contract(cue.text.strip()))
        if not issue or _RE["greets"].match(cue.text):
            return issue
        last = issue.rstrip(".")
        asks = _RE["asks"].search(cue.text)
        return self._draw("open", lambda text: not asks or text.rstrip(".").endswith(last), issue=issue)

    def _mistyped(self, words: str) -> str:
        typing = self.register == "typo_prone"
        return mistype(words, seed=self._random.getrandbits(32), rate=0.02) if typing else words

    def _give(self, cue: Cue, wrong: str = "", slip: str = "") -> str:
        if not cue.values:
            return ""
        self._erred |= bool(slip)
        if slip:
            return self._voice(self._mending(cue, slip, wrong), value=self._row(cue))
        if len(cue.values) > 1:
            plain = self._plain_to_see(cue) or self._random.random() < 0.4
            return self._voice("give", value=self._row(cue)) if plain else self._clauses(cue)
        ((slot, value),) = cue.values.items()
        said = verbalize(value, exact=True) if wrong == "malformed" else self._slot_text(cue, slot)
        if isinstance(value, str) and len(said.split()) > 3 and not said[0].islower() and not re.search(r"\d", said):
            return said
        if cue.kinds.get(slot) in (*_TYPED, "amount") and self._random.random() < 0.3:
            return self._clauses(cue)
        return self._voice("give", value=said)

    def _mending(self, cue: Cue, slip: str, wrong: str) -> str:
        """How a value is given after one that was wrong: as a slip, as somebody else's, with a doubt, or the same."""
        old = {slot: str(self._given.get(slot, (None,))[0]) for slot in cue.values}
        changed = [slot for slot, value in cue.values.items() if old[slot] != str(value)]
        kinds = {cue.kinds.get(slot, "other") for slot in changed}
        alike = all(Levenshtein.distance(old[slot], str(cue.values[slot])) <= _MISREAD for slot in changed)
        if not changed:
            return "stays"
        if slip == "again":
            return "tries_other"
        if wrong and not self._wondered:
            self._wondered = True
            return "tries_anothers" if wrong == "another" and kinds & {"email", "phone"} else "wonders"
        if slip == "another" and kinds & _PERSONAL:
            return "mends_anothers"
        if slip == "another" and kinds & _TYPED:
            return "mends_old"
        if kinds == {"name"}:
            return "mistyped"
        return "retypes" if slip != "another" and alike and kinds <= _TYPED else "mends"

    def _volunteer(self, cue: Cue) -> str:
        *most, last = cue.values or [""]
        if not most:
            return self._give(cue)
        first = _enumerate([self._clause(cue, slot) for slot in most])
        return self._put(cue, self._voice("two_at_once", first=first, second=self._clause(cue, last)))

    def _choose(self, cue: Cue, asked: Asking | None) -> str:
        answer = cue.text.strip().rstrip(".")
        if answer.lower() in ("yes", "no"):
            offered = asked is not None and grammar.is_offer(asked.question)
            moves = ("accepts", "declines") if offered else ("affirms", "denies")
            return self._voice(moves[answer.lower() == "no"])
        if not answer:
            return ""
        said, question = self._contract(grammar.to_me(_lower_first(answer))), asked.question if asked else ""
        if _RE["noun"].match(answer) and not _RE["person"].match(answer):
            named = question and not grammar.is_offer(question)
            return self._voice("names_one", answer=said) if named else self._voice("give_choice", choice=said)
        if _RE["person"].match(answer) and question.startswith("why "):
            return self._voice("give_reason", reason=said)
        return _sentence(self._as_clause(answer))

    def _as_clause(self, answer: str) -> str:
        said = self._contract(grammar.to_me(_lower_first(answer)))
        if _RE["person"].match(answer) or not _RE["to_do"].match(answer):
            return said
        wish = "I would prefer to" if self._voice.register == "formal" else self._random.choice(_WISHES)
        return f"{wish} {said}"

    def _correct(self, cue: Cue) -> list[str]:
        wrong = {slot: old for slot, old in cue.before.items() if cue.values.get(slot, old) != old}
        old = {slot: self._value_text(value, cue.kinds.get(slot)) for slot, value in wrong.items()}
        said = [self._voice("corrects", old=old[slot], new=self._slot_text(cue, slot)) for slot in wrong]
        others = {slot: value for slot, value in cue.values.items() if slot not in wrong}
        return [*said, self._clauses(cue.replace(values=others))]

    def _change(self, cue: Cue) -> str:
        answer = cue.text.strip().rstrip(".")
        if _RE["noun"].match(answer) and not _RE["person"].match(answer):
            return self._voice("changes_mind", choice=grammar.to_me(_lower_first(answer)))
        said = f"the answer is {answer.lower()}" if answer.lower() in ("yes", "no") else self._as_clause(answer)
        return self._voice("changes_answer", answer=said)

    def _contradict(self, cue: Cue) -> str:
        said, fact = grammar.disputed_fact(cue.text) or cue.text.strip(), cue.values.get("fact")
        other = str(fact) if fact else self._random.choice(_WORDS["otherwise"])
        return fill_values(self._voice("contradicts", said=_customers(said), fact=other), cue.values)

    def _plain_to_see(self, cue: Cue) -> bool:
        """Whether several values need no names: an address, or few of kinds that nobody mixes up."""
        kinds = [cue.kinds.get(slot, "other") for slot in cue.values]
        if set(kinds) <= {"address", "name"}:
            return True
        telling = len(kinds) <= 3 and len(set(kinds)) == len(kinds) and set(kinds) <= _TELLING
        return telling and self._random.random() < 0.5

    def _row(self, cue: Cue) -> str:
        """All values in a row, those of an address as on an envelope."""
        said = {slot: self._slot_text(cue, slot) for slot in cue.values}
        said |= {slot: f"{number} {_things(slot, number)}" for slot, number in said.items() if self._counts(cue, slot)}
        parts: list[str] = []
        if {"postal_code", "city"} <= said.keys():
            parts = [said.pop(slot) for slot in ("name", "street") if slot in said]
            parts.append(f"{said.pop('postal_code')} {said.pop('city')}")
        return ", ".join(filter(str.strip, [*parts, *said.values()]))

    def _clauses(self, cue: Cue) -> str:
        if cue.values and set(_STREET) <= cue.values.keys():
            clause = f"{'the name and address are' if 'name' in cue.values else 'the address is'} {self._row(cue)}"
        else:
            clause = self._put(cue, _enumerate([self._clause(cue, slot) for slot in cue.values], ", and "))
        if not clause:
            return ""
        stop = "" if clause.endswith((".", "!", "?")) else "."
        return f"{clause[0].upper()}{clause[1:]}{stop}"

    def _clause(self, cue: Cue, slot: str) -> str:
        """What a slot is, with the slot in braces where `_put` puts its value: mine, if it was asked for as mine."""
        name = _name_of(slot, cue.kinds.get(slot, "other"))
        if name.startswith("the ") and re.search(rf"\b{name[4:]}\b(?! of\b)", self._own):
            name = f"my {name[4:]}"
        if self._counts(cue, slot):
            return f"the number of {_things(slot)} is {{{slot}}}"
        return f"{name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'} {{{slot}}}"

    def _counts(self, cue: Cue, slot: str) -> bool:
        """Whether a value says how many there are of what its slot is called after."""
        return type(cue.values.get(slot)) is int and bool(re.fullmatch(r"[a-z_ ]+[^\Wsui]s", slot))

    def _put(self, cue: Cue, text: str) -> str:
        return _SLOT.sub(lambda found: self._slot_text(cue, found[1]) if found[1] in cue.values else found[0], text)

    def _slot_text(self, cue: Cue, slot: str) -> str:
        return self._value_text(cue.values[slot], cue.kinds.get(slot))

    def _value_text(self, value: JsonValue, kind: ValueKind | None) -> str:
        """A value as it is; a day as people say it, one to come without its year, unless they have erred before."""
        year = self._year if str(value) >= self._today and not self._erred else None
        return verbalize(value, money=kind == "amount", exact=kind != "date", year=year)


def _things(slot: str, number: str = "") -> str:
    """What a slot that counts is called after."""
    return split_name(singular(slot) if number == "1" else slot)


def _no_day(found: re.Match[str]) -> str:
    """A day that no calendar has, as people say it."""
    return f"{int(found[3])} {MONTHS[int(found[2]) - 1]} {found[1]}"


def _lower_first(answer: str) -> str:
    """An answer without the capital of its first word, where that word is no name."""
    plain = _RE["noun"].match(answer) or _RE["person"].match(answer) or _RE["to_do"].match(answer)
    return answer[0].lower() + answer[1:] if plain else answer


def _customers(clause: str) -> str:
    swapped = {"you": "they", "your": "their", "yours": "theirs", "yourself": "themselves"}
    turned = re.sub(r"\{[^{}]*\}|\b\w+\b", lambda found: swapped.get(found[0], found[0]), clause)
    return grammar.to_me(turned)


def _name_of(slot: str, kind: ValueKind) -> str:
    if slot in _WORDS["slots"]:
        return str(_WORDS["slots"][slot])
    words = re.sub(r"\bid$", "number", split_name(slot))
    odd = re.search(r"^(?:until|from)\b|\b(?:on|at|until|from|to|by|case|summary)$|^\W*$|[^a-z ]", words)
    return str(_WORDS["kinds"].get(kind, "the answer")) if odd else f"the {words}"


def _enumerate(clauses: list[str], link: str = " and ") -> str:
    *most, last = clauses or [""]
    return f"{', '.join(most)}{link}{last}" if most else last


class TemplateWriter:
    """Finds words for plans, offline. `customer`, `agent`: registers, each chosen by the plan where it is None.

    `wordings` are said in place of templates, at their places.
    """

    name = "template"

    def __init__(
        self,
        *,
        customer: Register | None = None,
        agent: Register | None = None,
        seed: int = 0,
        wordings: Iterable[Wording] = (),
    ):
        self._wordings = Wordings(wordings)
        self._registers: dict[Role, Register | None] = {"customer": customer, "agent": agent}
        for role, register in self._registers.items():
            if register is not None and register not in REGISTERS[role]:
                raise UnknownName(f"register of the {role}", register, REGISTERS[role])
        self._seed = seed

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words."""
        return self.words(plan)

    def words(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises BadSetting."""
        said = self._wordings.of(plan.dialogue.instructions)
        now = clock_of(plan.dialogue.facts.get("now"))
        today = f"{now:%Y-%m-%d}" if now else ""
        agent = AgentWords(*self._speaker("agent", plan.dialogue.id), said, today)
        customer = CustomerWords(*self._speaker("customer", plan.dialogue.id), said, today)
        turns: list[Turn] = []
        asked: Asking | None = None
        heard: Cue | None = None
        about, agreed, refused = "", Cue(move="ask"), None
        for number, (turn, cue) in enumerate(zip(plan.dialogue.turns, plan.cues, strict=True)):
            try:
                if turn.role == "user":
                    wrong = str(turn.extra.get("wrong") or "")
                    turns.append(turn.replace(text=customer(cue, asked, about, wrong)))
                    heard, refused = cue, None
                elif cue.move == "call":
                    turns.append(turn)
                    failed = any(one and one.error and one.error.type != "not_found" for one in turn.results)
                    consented = heard is not None and heard.move in ("choose", "change") and heard.text == "Yes"
                    refused = refused or (agreed if failed and consented else None)
                else:
                    turns.append(turn.replace(text=agent(cue, heard, refused)))
                    agreed = cue.replace(text=cue.again or cue.text)
                    text = cue.text if cue.move == "ask" else cue.again
                    asked = grammar.asking(text) if text.strip() else asked
                    about = cue.again or (cue.text if cue.move in ("ask", "say") else about)
            except BadSetting as error:
                raise BadSetting(f"plan {plan.dialogue.id!r}, cue {number} ({cue.move}): {error}") from error
        registers: dict[str, JsonValue] = {"customer": customer.register, "agent": agent.register}
        origin = {**plan.dialogue.origin, "writer": self.name, "registers": registers}
        if worded := agent.wordings + customer.wordings:
            origin["wordings"] = worded
        return plan.dialogue.replace(turns=tuple(turns), origin=origin)

    def _speaker(self, role: Role, id: str) -> tuple[Voice, int]:
        stem, number = stem_and_number(id)
        place, given = keys.seed_of(stem) % 1000 + number + self._seed, self._registers[role]
        register, start = (given, place) if given else speaker_of(role, id, self._seed)
        voice = Voice(role, register, seed=keys.seed_of(stem, role), start=start)
        return voice, keys.seed_of(stem, role, place)
