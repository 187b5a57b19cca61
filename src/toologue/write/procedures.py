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

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName
from toologue.procedure import grammar
from toologue.procedure.grammar import Asking
from toologue.schema import Cue, Dialogue, Plan, Turn, ValueKind
from toologue.text.bank import REGISTERS, Register, Role, Voice, mistype, place_of, stem_and_number
from toologue.text.verbalize import fill_values, opens_small, verbalize
from toologue.write.wordings import Said, Wording, Wordings

_TRIES = 12

# Names of slots and kinds of values, and patterns of words.
_WORDS = cast("Mapping[str, Any]", shipped(Path(__file__).with_suffix(".yaml")))
_RE = {name: re.compile(pattern.replace("\n", "")) for name, pattern in _WORDS["patterns"].items()}
# What has to be asked for with these words to be asked for in the phrases of its kind.
_KINDS = {kind: re.compile(rf"\b(?:{words})\b") for kind, words in _WORDS["asked_with"].items()}
# Where those phrases do not fit: several things, and days that are in nobody's calendar.
_OTHER = re.compile(r",|\b(?:birth|born|digits|letters|numbers|these|those|and|or)\b")
# Frames that cannot hold the first question of a conversation, and those that can hold no other.
_FIRST = re.compile(r"First\b|To get us started|.*\b(?:first|let's find that)\b")
_ANY = re.compile("")
_PRONOUN = re.compile(r"(?:It|That|This|These|Those|None|Nobody|After that|We .* it)\b")


_SLOT = re.compile(r"\{\s*([^{}]*?)\s*\}")


class _Words:
    def __init__(self, voice: Voice, seed: int, said: Said):
        self._voice, self._random, self._seed, self._said = voice, Random(seed), seed, said
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


class AgentWords(_Words):
    """The agent: `agent(cue)` gives words."""

    _has_asked = _named = False

    def __call__(self, cue: Cue, heard: Cue | None = None) -> str:
        """The words for a cue; `heard` is what the customer has said last.

        Raises BadSetting for a cue that is not the agent's, or lacks a value.
        """
        match cue.move:
            case "ask" | "say" | "end" if words := self._wording(cue.values, cue.text):
                pass
            case "ask":
                words = self._ask(cue, cue.text, before=self._thanks(cue, heard))
            case "say":
                words = self._say(cue)
            case "end":
                closing = self._random.random() < 0.8 or not cue.text.strip()
                words = f"{self._say(cue)} {self._voice('end') if closing else ''}".strip()
            case "refuse":
                again = cue.again and self._wording(cue.values, cue.again)
                words = (
                    f"{cue.text.strip()} {again}"
                    if again
                    else self._ask(cue, cue.again, before=cue.text.strip() or " ")
                )
                return fill_values(words, cue.values).strip()
            case "insist":
                fact = grammar.disputed_fact(cue.text)
                stays = self._draw(cue, "insist", fact=fact) if fact else ""
                words = self._ask(cue, cue.again, before=stays, but=fact)
            case _:
                raise BadSetting(f"an agent has no words for the move {cue.move!r}: it is the customer's, or silent")
        return fill_values(words, cue.values) or self._voice("acknowledge")

    def _thanks(self, cue: Cue, heard: Cue | None) -> str:
        given = heard is not None and heard.move in ("give", "volunteer", "correct")
        ask = grammar.asking(cue.text)
        if not given or ask.reason or ask.note or self._random.random() > 0.5:
            return ""
        return self._draw(cue, "acknowledge", lambda text: not _RE["on_the_matter"].search(text))

    def _ask(self, cue: Cue, text: str, *, before: str = "", but: str = "") -> str:
        """A question with its reason before or behind it, unless that is what has just been said (`but`)."""
        if not text.strip():
            return before
        ask = grammar.asking(text)
        told_first = after = called = ""
        for remark in filter(None, (ask.reason, ask.note)):
            if remark == but:
                continue
            if remark == ask.reason and self._unfit(cue, remark):
                ask = ask._replace(**{("noun" if ask.noun else "question"): f"{ask.asked}, {ask.link} {ask.reason}"})
            elif told_first or _RE["points_back"].search(remark) or self._random.random() < 0.35:
                after = f"{after} {self._sentence(remark)}".strip()
            else:
                told_first = self._reason(cue, remark)
        if cue.move == "ask" and (told_first or ask.who):
            before = ""
        if ask.who:  # by name; with a greeting only the first time, and not after a refusal
            again, self._named = self._named or cue.move != "ask", True
            form = _RE["goes_on"] if again else _ANY
            called = self._draw(cue, "addresses", lambda text: bool(form.match(text)), name=ask.who)
        before = " ".join(filter(None, [before, called, told_first]))
        question = self._question(cue, ask, after, alone=not before)
        self._has_asked = True
        return f"{before} {question} {after}".strip()

    def _question(self, cue: Cue, ask: Asking, after: str, *, alone: bool) -> str:
        out_of_place = _RE["later"] if not self._has_asked else _FIRST

        def fits(text: str) -> bool:
            return (alone or not _RE["answers"].match(text)) and not out_of_place.match(text)

        if ask.question.startswith("whether") and (asked := self._yes_or_no(cue, ask, fits)):
            return asked
        if ask.words:
            return self._draw(cue, "ask_as_written", fits, request=_sentence(ask.words))
        kind = _kind_asked(cue, ask)
        is_last = "," in ask.asked or _PRONOUN.match(after) or (ask.question and kind == "ask")
        ending = re.compile(re.escape(ask.asked) + r"[.?!]$") if is_last else _ANY
        return self._draw(cue, kind, lambda text: fits(text) and bool(ending.search(text)), asked=ask.asked)

    def _yes_or_no(self, cue: Cue, ask: Asking, fits: Callable[[str], bool]) -> str:
        """A question that is answered by yes or no, or by one of two things; empty where it is put indirectly."""
        offered, wanted, chance = grammar.options(ask.question), grammar.action(ask.question), self._random.random()
        if offered and chance < 0.5:
            return self._draw(cue, "ask_choice", fits, options=offered)
        if wanted and chance < 0.6:
            return self._draw(cue, "confirm", fits, action=wanted)
        asked = grammar.direct(ask.question)
        if asked is None or (chance > 0.85 and not wanted and not ask.back):
            return ""
        if asked.startswith("Do you want "):
            begins = ("Do you want", "Would you like", "Would you prefer")[: 3 if " or " in asked else 2]
            asked = f"{self._random.choice(begins)}{asked[11:]}"
        request = f"{asked}: {ask.back}?" if ask.back else f"{asked}?"
        return request if 0.5 < chance < 0.65 else self._draw(cue, "ask_as_written", fits, request=request)

    def _reason(self, cue: Cue, remark: str) -> str:
        if _RE["bad_news"].match(remark) and self._random.random() < 0.6:
            return self._draw(cue, "apologise", problem=self._contract(remark))
        return self._sentence(remark)

    def _say(self, cue: Cue) -> str:
        """What a step says: its first statement in a phrase that suits it, or all of them together."""
        if cue.text.startswith("Greet "):
            return self._voice("greet")
        said = grammar.saying(cue.text)
        first, *others = map(self._contract, said.statements or ("",))
        if not first:
            return ""
        rest = " ".join(map(_sentence, others))
        if said.facts and _RE["regret"].match(first) and self._random.random() < 0.5:
            return f"{self._draw(cue, 'apologise', problem=first)} {rest}".strip()
        reported = not _RE["remark"].search(first) and self._random.random() < 0.6
        if said.facts and (reported or self._unfit(cue, first)):
            return f"{self._draw(cue, 'inform', fact=first)} {rest}".strip()
        short = len(said.statements) == 2 and sum(map(len, said.statements)) < 140
        joined = short and not _RE["regret"].match(first)
        words = _sentence(f"{first}, and {others[0]}") if joined else f"{_sentence(first)} {rest}".strip()
        return words if self._random.random() < 0.2 else self._draw(cue, "tell", words=words)

    def _sentence(self, clause: str) -> str:
        return _sentence(self._contract(clause))

    def _unfit(self, cue: Cue, clause: str) -> bool:
        """Whether a sentence would begin with a value that has a small letter, which must not be changed."""
        return clause.startswith("{") and opens_small(fill_values(clause, cue.values))

    def _draw(self, cue: Cue, kind: str, fits: Callable[[str], bool] = bool, **slots: str) -> str:
        """The next phrase that fits, and opens no sentence with a small letter; the last one if none does."""
        text = ""
        for _ in range(_TRIES):
            text = self._voice(kind, **slots)
            if fits(text) and not opens_small(fill_values(text, cue.values)):
                break
        return text


def _kind_asked(cue: Cue, ask: Asking) -> str:
    if ask.question.startswith("why "):
        return "ask_reason"
    asked = [kind for slot, kind in cue.kinds.items() if slot not in cue.values] or list(cue.kinds.values())
    one = asked[0] if len(asked) == 1 else ""
    fits = one in _KINDS and _KINDS[one].search(ask.noun) and not _OTHER.search(ask.noun)
    return f"ask_{one}" if fits else "ask"


def _sentence(clause: str) -> str:
    clause = clause.strip()
    first = clause.split(maxsplit=1)[0] if clause else ""
    opened = clause[0].upper() + clause[1:] if first.islower() else clause
    return opened if re.search(r"[.!?…]$", opened) else f"{opened}."


_STREET = ("street", "city", "postal_code")
# Kinds that one sees at a glance, so that nobody has to say which is which.
_TELLING = frozenset({"order_number", "email", "phone", "name", "reference"})
_WISHES = ("I'd rather", "I'll", "I want to", "let's")


class CustomerWords(_Words):
    """The customer: `customer(cue, asked)` gives words; `asked` is what the agent asked last, `about` in what words."""

    def __call__(self, cue: Cue, asked: Asking | None = None, about: str = "") -> str:
        """The words for a cue. Raises BadSetting for a cue that is not a customer's."""
        if cue.move == "noise":
            return cue.text
        sentences = [word.strip() for word in self._worded(cue, about) or self._words(cue, asked) if word.strip()]
        if not sentences:
            return self._voice("acknowledge")
        *most, last = sentences
        return " ".join([*(text if text[-1] in ".!?…" else f"{text}." for text in most), last])

    def _worded(self, cue: Cue, about: str) -> list[str]:
        """What a wording says; nothing where there is none."""
        place = {"open": ("", cue.text)} | dict.fromkeys(("give", "choose", "acknowledge"), (about, cue.text))
        if cue.move not in place:
            return []
        if cue.values and (whole := self._wording(cue.values, *place[cue.move])):
            return [self._put(cue, self._mistyped(whole))]
        words = self._wording({}, *place[cue.move])
        return [self._mistyped(words), self._clauses(cue)] if words else []

    def _words(self, cue: Cue, asked: Asking | None) -> list[str]:
        match cue.move:
            case "open":
                return [self._open(cue), self._clauses(cue)]
            case "give":
                return [self._give(cue)]
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
                return [self._voice("malformed", value=self._row(cue))]
            case "contradict":
                return [self._contradict(cue)]
            case _:
                raise BadSetting(f"a customer has no words for the move {cue.move!r}: it is the agent's")

    def _open(self, cue: Cue) -> str:
        if not cue.text.strip():
            return ""
        return self._voice("open", issue=self._mistyped(self._contract(cue.text)))

    def _mistyped(self, words: str) -> str:
        typing = self.register == "typo_prone"
        return mistype(words, seed=self._random.getrandbits(32), rate=0.08) if typing else words

    def _give(self, cue: Cue) -> str:
        if len(cue.values) != 1:
            if self._plain_to_see(cue) or self._random.random() < 0.25:
                return self._voice("give_plain", value=self._row(cue)) if cue.values else ""
            clauses = self._clauses(cue, opens=True)
            return _capitalize(self._voice("give_plain", value=clauses), clauses)
        ((slot, value),) = cue.values.items()
        said, kind = self._slot_text(cue, slot), cue.kinds.get(slot, "other")
        if kind == "address" and not re.search(r"\d.* |\s.*\d", said):
            kind = "other"
        if kind in _KINDS and "birth" not in slot and "born" not in slot:
            return self._voice(f"give_{kind}", value=said)
        if isinstance(value, str) and len(said.split()) > 3 and not said[0].islower():
            return self._voice("states", words=said)
        return self._voice("give_other" if kind == "other" and "birth" not in slot else "give_plain", value=said)

    def _volunteer(self, cue: Cue) -> str:
        *most, last = cue.values or [""]
        if not most:
            return self._give(cue)
        first = _enumerate([self._clause(cue, slot) for slot in most])
        return self._put(cue, self._voice("two_at_once", first=first, second=self._clause(cue, last)))

    def _choose(self, cue: Cue, asked: Asking | None) -> str:
        answer = cue.text.strip().rstrip(".")
        if answer.lower() in ("yes", "no"):
            if asked is None or not asked.question:
                return self._voice(answer.lower())
            moves = ("accepts", "declines") if grammar.is_offer(asked.question) else ("affirms", "denies")
            return self._voice(moves[answer.lower() == "no"])
        if not answer:
            return ""
        said, question = self._contract(grammar.to_me(_lower_first(answer))), asked.question if asked else ""
        if _RE["noun"].match(answer) and not _RE["person"].match(answer):
            named = question and not grammar.is_offer(question)
            return self._voice("names_one", answer=said) if named else self._voice("give_choice", choice=said)
        if _RE["person"].match(answer) and question.startswith("why "):
            return self._voice("give_reason", reason=said)
        return self._voice("states", words=self._as_clause(answer))

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
        parts: list[str] = []
        if {"postal_code", "city"} <= said.keys():
            parts = [said.pop(slot) for slot in ("name", "street") if slot in said]
            parts.append(f"{said.pop('postal_code')} {said.pop('city')}")
        return ", ".join(filter(str.strip, [*parts, *said.values()]))

    def _clauses(self, cue: Cue, *, opens: bool = False) -> str:
        if cue.values and set(_STREET) <= cue.values.keys():
            clause = f"{'the name and address are' if 'name' in cue.values else 'the address is'} {self._row(cue)}"
        else:
            clause = self._put(cue, _enumerate([self._clause(cue, slot) for slot in cue.values], ", and "))
        if not clause or opens:
            return clause
        stop = "" if clause.endswith((".", "!", "?")) else "."
        return f"{clause[0].upper()}{clause[1:]}{stop}"

    def _clause(self, cue: Cue, slot: str) -> str:
        """What a slot is, with the slot in braces where `_put` puts its value."""
        name = _name_of(slot, cue.kinds.get(slot, "other"))
        return f"{name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'} {{{slot}}}"

    def _put(self, cue: Cue, text: str) -> str:
        return _SLOT.sub(lambda found: self._slot_text(cue, found[1]) if found[1] in cue.values else found[0], text)

    def _slot_text(self, cue: Cue, slot: str) -> str:
        return self._value_text(cue.values[slot], cue.kinds.get(slot))

    def _value_text(self, value: JsonValue, kind: ValueKind | None) -> str:
        """A value as it is; a day with its month more often than not."""
        as_written = kind != "date" or self._random.random() < 0.3
        return verbalize(value, money=kind == "amount", exact=as_written)


def _capitalize(text: str, clauses: str) -> str:
    """A text in which clauses of ours that begin a sentence have a capital."""
    at = text.find(clauses)
    opens = at == 0 or text[:at].rstrip().endswith((".", "!", "?"))
    return f"{text[:at]}{clauses[0].upper()}{text[at + 1 :]}" if at >= 0 and opens else text


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
    words = slot.replace("_", " ").strip().lower()
    words = re.sub(r"\bid$", "number", words)
    odd = re.search(r"\b(?:on|at|until|from|to|by|case|summary)$|^\W*$|[^a-z ]", words)
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
        agent = AgentWords(*self._speaker("agent", plan.dialogue.id), said)
        customer = CustomerWords(*self._speaker("customer", plan.dialogue.id), said)
        turns: list[Turn] = []
        asked: Asking | None = None
        heard: Cue | None = None
        about = ""
        for number, (turn, cue) in enumerate(zip(plan.dialogue.turns, plan.cues, strict=True)):
            try:
                if turn.role == "user":
                    turns.append(turn.replace(text=customer(cue, asked, about)))
                    heard = cue
                elif cue.move == "call":
                    turns.append(turn)
                else:
                    turns.append(turn.replace(text=agent(cue, heard)))
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
        place = keys.seed_of(stem) % 1000 + number + self._seed
        registers, given = REGISTERS[role], self._registers[role]
        register = given or registers[place % len(registers)]
        start = place if given else place // len(registers)
        voice = Voice(role, register, seed=keys.seed_of(stem, role), start=start)
        return voice, keys.seed_of(stem, role, place)
