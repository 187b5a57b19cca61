"""What an agent says for a cue: the words of the procedure, turned to the customer, in the agent's register.

Words come first and values last: phrases are chosen and filled with words that still show `{order_id}`, and only then
are values put in, so that no value is ever bent into a sentence.

A reason or a remark (`write.grammar`) becomes a sentence of its own: behind the question where it speaks of "it" or
"that", before it or behind it otherwise.

Example:
    >>> from toologue.schema import Cue
    >>> agent = AgentWords(Voice("agent", "formal", seed=2), seed=2)
    >>> agent(Cue(move="ask", text="for the number again, because there is no order {order_id}",
    ...     values={"order_id": "O-1"}))
    'There is no order O-1. Would you please state the number again?'
    >>> agent(Cue(move="end", text="that it is cancelled, and that {amount} euros come back", values={"amount": 9.5}))
    'Our records show that it is cancelled. 9.50 euros come back. Thank you for turning to us. Kind regards.'

Not covered: what an agent says while it works ("one moment, please"): a call is silent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from toologue.errors import BadSetting
from toologue.procedure.grammar import Asking, action, asking, contracted, direct, options, saying, told
from toologue.schema import Cue
from toologue.text.bank import Voice
from toologue.text.verbalize import fill_values, opens_small

_TRIES = 12
_KINDS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(rf"\b(?:{words})\b")
    for kind, words in {
        "order_number": "number|order", "reference": "number|reference|code", "email": "e-?mail|address",
        "phone": "phone|telephone|number", "name": "name|surname", "address": "address", "date": "date|day",
        "amount": "amount|sum|price|cost|limit|fee",
    }.items()
}  # fmt: skip
"""What has to be asked for with these words to be asked for in the phrases of its kind."""
_OTHER = re.compile(r",|\b(?:birth|born|digits|letters|numbers|these|those|and|or)\b")
"""Where those phrases do not fit: several things, and days that are in nobody's calendar."""
_POINTS_BACK = re.compile(r"\b(?:it|its|that|this|these|those|none|so|such|with these|after that)\b", re.IGNORECASE)
_ANSWERS = re.compile(
    r"(?:Thank|Great|Good|Nice|Sure|Of course|Hi\b|Hello|Welcome|And\b|Perfect|I'm happy|Let's|All right|Okay|I'd be"
    r" glad|I'd love|Certainly|Very well|I appreciate|Right\.|Fine|Noted|Got it|Understood|I understand|I have taken)"
)
"""How frames begin that answer what the customer has said: nothing may stand before them."""
_LATER = re.compile(
    r"Great|Good|Perfect|Nice|And\b|Next|One more|Thanks?\b|Got it|I appreciate|.*\b(?:also|as well|next)\b"
)
_FIRST = re.compile(r"First\b|To get us started|.*\b(?:first|let's find that)\b")
"""Frames that cannot hold the first question of a conversation, and those that can hold no other."""
_ON_THE_MATTER = re.compile(
    r"point|concern|mean|talking|mention|explain|clarif|question|message|[Oo]h\b|^I (?:see|understand)"
)
"""What answers an explanation, and would be odd after a number."""
_GOES_ON = re.compile(r"All right|So,|Okay|Right|Well then|Understood|Very well|Let us continue|Allow me|I understand")
"""How a customer is called by name who has been greeted."""
_PRONOUN = re.compile(r"(?:It|That|This|These|Those|None|Nobody|After that|We .* it)\b")
_BAD_NEWS = re.compile(
    r"(?:we (?:may not|cannot|can not|find no|know no|see no|have no)|without|there (?:is|are|was|were) no|no\b|nobody"
    r"|nothing (?:on|in)|it is too late|something does not|.*\b(?:do|does|will) not (?:match|fit|arrive))\b"
)
_REGRET = re.compile(r"(?:we (?:may not|cannot|can not)|without\b|it is too late|only an?\b|no (?:time|more)\b)")
_REMARK = re.compile(r"\b(?:we|you|your|sorry|glad|welcome|should|may|can|cannot|well|everything|nothing)\b|\?|^as\b")
"""Whoever says such a thing does not report it."""


class AgentWords:
    """The agent of one conversation: `agent(cue)` gives words. The same cues in the same order give the same words."""

    def __init__(self, voice: Voice, *, seed: int):
        self._voice, self._random = voice, Random(seed)
        self._has_asked = self._named = False

    def __call__(self, cue: Cue, heard: Cue | None = None) -> str:
        """The words for a cue; `heard` is what the customer has said last.

        Raises BadSetting for a cue that is not the agent's, or lacks a value.
        """
        match cue.move:
            case "ask":
                words = self._ask(cue, cue.text, before=self._thanks(cue, heard))
            case "say":
                words = self._say(cue)
            case "end":
                closing = self._random.random() < 0.8 or not cue.text.strip()
                words = f"{self._say(cue)} {self._voice('end') if closing else ''}".strip()
            case "refuse":
                return fill_values(self._ask(cue, cue.again, before=cue.text.strip() or " "), cue.values).strip()
            case "insist":
                fact = told(cue.text)
                stays = self._draw(cue, "insist", fact=fact) if fact else ""
                words = self._ask(cue, cue.again, before=stays, but=fact)
            case _:
                raise BadSetting(f"an agent has no words for the move {cue.move!r}: it is the customer's, or silent")
        return fill_values(words, cue.values) or self._voice("acknowledge")

    def _thanks(self, cue: Cue, heard: Cue | None) -> str:
        """A word for what was given, now and then; none where it will not do."""
        given = heard is not None and heard.move in ("give", "volunteer", "correct")
        ask = asking(cue.text)
        if not given or ask.reason or ask.note or self._random.random() > 0.5:
            return ""
        return self._draw(cue, "acknowledge", lambda text: not _ON_THE_MATTER.search(text))

    def _ask(self, cue: Cue, text: str, *, before: str = "", but: str = "") -> str:
        """A question with its reason before or behind it, unless that is what has just been said (`but`)."""
        if not text.strip():
            return before
        if text.startswith("Greet "):
            return f"{before} {self._voice('greet')}".strip()
        ask = asking(text)
        told_first, after = "", ""
        for remark in filter(None, (ask.reason, ask.note)):
            if remark == but:
                continue
            if remark == ask.reason and self._unfit(cue, remark):
                ask = ask._replace(**_joined(ask))
            elif told_first or _POINTS_BACK.search(remark) or self._random.random() < 0.35:
                after = f"{after} {self._sentence(remark)}".strip()
            else:
                told_first = self._reason(cue, remark)
        if cue.move == "ask" and (told_first or ask.who):
            before = ""
        called = self._called(cue, ask.who) if ask.who else ""
        before = " ".join(filter(None, [before, called, told_first]))
        question = self._question(cue, ask, after, alone=not before)
        self._has_asked = True
        return f"{before} {question}".strip()

    def _called(self, cue: Cue, who: str) -> str:
        """The customer's name; with a greeting only the first time, and not after a refusal."""
        again, self._named = self._named or cue.move != "ask", True
        return self._draw(cue, "addresses", lambda text: not again or bool(_GOES_ON.match(text)), name=who)

    def _question(self, cue: Cue, ask: Asking, after: str, *, alone: bool) -> str:
        """The question itself, and what stands behind it."""
        out_of_place = _LATER if not self._has_asked else _FIRST

        def fits(text: str) -> bool:
            return (alone or not _ANSWERS.match(text)) and not out_of_place.match(text)

        if ask.question.startswith("whether"):
            asked = self._yes_or_no(cue, ask, fits)
            if asked:
                return f"{asked} {after}".strip()
        if ask.words:
            return f"{self._draw(cue, 'ask_as_written', fits, request=_sentence(ask.words))} {after}".strip()
        kind = _kind_asked(cue, ask)
        if "," in ask.asked or _PRONOUN.match(after) or (ask.question and kind == "ask"):
            last = re.compile(re.escape(ask.asked) + r"[.?!]$")
            text = self._draw(cue, kind, lambda text: fits(text) and bool(last.search(text)), asked=ask.asked)
        else:
            text = self._draw(cue, kind, fits, asked=ask.asked)
        return f"{text} {after}".strip()

    def _yes_or_no(self, cue: Cue, ask: Asking, fits: Callable[[str], bool]) -> str:
        """A question that is answered by yes or no, or by one of two things; empty where it is put indirectly."""
        offered, wanted, chance = options(ask.question), action(ask.question), self._random.random()
        if offered and chance < 0.5:
            return self._draw(cue, "ask_choice", fits, options=offered)
        if wanted and chance < 0.6:
            return self._draw(cue, "confirm", fits, action=wanted)
        asked = direct(ask.question)
        if asked is None or (chance > 0.85 and not wanted and not ask.back):
            return ""
        if asked.startswith("Do you want "):
            begins = ("Do you want", "Would you like", "Would you prefer")[: 3 if " or " in asked else 2]
            asked = f"{self._random.choice(begins)}{asked[11:]}"
        request = f"{asked}: {ask.back}?" if ask.back else f"{asked}?"
        if 0.5 < chance < 0.65:
            return request
        return self._draw(cue, "ask_as_written", fits, request=request)

    def _reason(self, cue: Cue, remark: str) -> str:
        if _BAD_NEWS.match(remark) and self._random.random() < 0.6:
            return self._draw(cue, "apologise", problem=self._spoken(remark))
        return self._sentence(remark)

    def _say(self, cue: Cue) -> str:
        """What a step says: its first statement in a phrase that suits it, or all of them together."""
        if cue.text.startswith("Greet "):
            return self._voice("greet")
        said = saying(cue.text)
        first, *others = map(self._spoken, said.statements or ("",))
        if not first:
            return ""
        rest = " ".join(map(_sentence, others))
        if said.facts and _REGRET.match(first) and self._random.random() < 0.5:
            return f"{self._draw(cue, 'apologise', problem=first)} {rest}".strip()
        reported = not _REMARK.search(first) and self._random.random() < 0.6
        if said.facts and (reported or self._unfit(cue, first)):
            return f"{self._draw(cue, 'inform', fact=first)} {rest}".strip()
        joined = _short(said.statements) and not _REGRET.match(first)
        words = _sentence(f"{first}, and {others[0]}") if joined else f"{_sentence(first)} {rest}".strip()
        return words if self._random.random() < 0.2 else self._draw(cue, "tell", words=words)

    def _spoken(self, clause: str) -> str:
        return clause if self._voice.register == "formal" else contracted(clause)

    def _sentence(self, clause: str) -> str:
        return _sentence(self._spoken(clause))

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
    """The phrases for what is asked: those of a kind if it is one value of that kind, else those for anything."""
    if ask.question.startswith("why "):
        return "ask_reason"
    asked = [kind for slot, kind in cue.kinds.items() if slot not in cue.values] or list(cue.kinds.values())
    one = asked[0] if len(asked) == 1 else ""
    fits = one in _KINDS and _KINDS[one].search(ask.noun) and not _OTHER.search(ask.noun)
    return f"ask_{one}" if fits else "ask"


def _joined(ask: Asking) -> dict[str, str]:
    """The reason, where it stood: behind what is asked."""
    where = "noun" if ask.noun else "question"
    return {where: f"{ask.asked}, {ask.link} {ask.reason}"}


def _sentence(clause: str) -> str:
    clause = clause.strip()
    first = clause.split(maxsplit=1)[0] if clause else ""
    opened = clause[0].upper() + clause[1:] if first.islower() else clause
    return opened if re.search(r"[.!?…]$", opened) else f"{opened}."


def _short(statements: tuple[str, ...]) -> bool:
    return len(statements) == 2 and sum(map(len, statements)) < 140
