"""A reply beside what it must get across: the gold's cue, the procedure's other steps, all that was known before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, lru_cache, partial

from pydantic import JsonValue

from toologue.errors import BadFile
from toologue.formats.procedure import read
from toologue.models.similarity import TextMatch
from toologue.procedure.grammar import Asking, asking, saying
from toologue.schema import AgentTurn, Cue
from toologue.score.knowledge import Knowledge
from toologue.score.metric import must_of
from toologue.score.wording import content, numbers_in, search, spans_in
from toologue.text.tokens import sentences
from toologue.text.verbalize import fill_values
from toologue.values.json_schema import list_of

_DAYS, _FAR = {"day": 1, "week": 7}, 10_000
BRACES = re.compile(r"\{[^{}]*\}")
_CODE = re.compile(r"[A-Z]{2,3}")
_TELLS = re.compile(r"(?:say|that)\b", re.IGNORECASE)
_PART = re.compile(r"[,;:]\s+|(?<!\s)\s+(?:and|but|so|because|since)\s+")


@dataclass(frozen=True)
class Reading:
    """A reply beside what it must get across, and all that was known when it was made."""

    wanted: AgentTurn
    did: AgentTurn
    at: int
    known: Knowledge
    match: TextMatch

    @property
    def text(self) -> str:
        """The reply's words."""
        return self.did.text or ""

    @cached_property
    def must(self) -> Cue:
        """What the words must get across."""
        given = must_of(self.wanted, f"dialogue {self.known.gold.id!r}, turn {self.at}")
        if given:
            return given
        asked = " ".join(one for one in sentences(self.gold) if search("requests", one))
        return Cue(move="ask", text=asked) if asked else Cue(move="say", text=self.gold)

    @property
    def gold(self) -> str:
        """The gold's words."""
        return self.wanted.text or ""

    @cached_property
    def ask(self) -> Asking | None:
        """What must be asked."""
        step = self.must.again or (self.must.text if self.must.move == "ask" else "")
        return asking(step) if step else None

    @property
    def asks(self) -> bool:
        """Whether the gold asks."""
        return self.must.move == "ask" or bool(self.must.again)

    @cached_property
    def own(self) -> str:
        """What the reply must say, with its values; of an answer to noise, the question that is put again."""
        must = self.must
        if must.move == "insist":
            return fill_values(f"{must.text.removeprefix('that ')}. {_gist_of(must.again)}".strip(". "), must.values)
        return fill_values(_gist_of(must.again if must.move == "refuse" else must.text), must.values)

    @cached_property
    def others(self) -> Mapping[str, str]:
        """The gists of the procedure's other steps that ask, or tell, as this one does, with the values of this one."""
        mine, values = (self.must.text, self.must.again), self.must.values
        alike = steps_of(self.known.gold.instructions, tells=_tells(self.must.again or self.must.text))
        known = {f"{{{name}}}" for name in values}
        blank = partial(BRACES.sub, lambda brace: brace[0] if brace[0] in known else " ")
        gists = {fill_values(blank(gist), values): step for step, gist in alike if step not in mine}
        return {gist: step for gist, step in gists.items() if gist and gist != self.own}

    @cached_property
    def sentences(self) -> list[str]:
        """The reply's sentences."""
        return sentences(self.text)

    @cached_property
    def questions(self) -> list[str]:
        """Those that ask for something."""
        return [one for one in self.sentences if search("requests", one)]

    @cached_property
    def told(self) -> str:
        """What tells, where something is to be told; else all."""
        if self.must.move not in ("say", "end"):
            return self.text
        return " ".join(one for one in self.sentences if not one.endswith("?") or search("announces", one))

    @cached_property
    def parts(self) -> list[str]:
        """Sentences and their clauses."""
        clauses = map(_PART.split, self.sentences)
        return list(dict.fromkeys([*self.sentences, *(part for found in clauses for part in found if part.strip())]))

    @cached_property
    def beside(self) -> list[str]:
        """What an answer to noise says beside the question that is put again: the sentences with mostly other words."""
        own = content(self.own)
        return [one for one in self.sentences if (said := content(one)) and 2 * len(said & own) < len(said)]

    @cached_property
    def expected(self) -> str:
        """The words that are known to be right here."""
        values = " ".join(map(str, self.must.values.values()))
        return f"{self.gold}\n{self.own}\n{values}\n{self.must.text if self.must.move == 'refuse' else ''}"

    @cached_property
    def said(self) -> str:
        """What customer and agent said before, what day it is, and which day a span ends that begins today."""
        turns = self.known.gold.turns[: self.at]
        return "\n".join([*(turn.text for turn in turns if turn.text), *self.known.days, *self.ends])

    @cached_property
    def ends(self) -> list[str]:
        """The days on which the spans that the step says end, if they begin today."""
        now, spans = self.known.now, (span.partition(" ") for span in spans_in(self.expected))
        ahead = {int(n) * _DAYS[unit] for n, _, unit in spans if n.isdecimal() and unit in _DAYS}
        return [f"{now + timedelta(days=number):%Y-%m-%d}" for number in sorted(ahead) if number < _FAR] if now else []

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers that support one."""
        return numbers_in(self.expected).union(self.known.numbers(self.at), *map(numbers_in, self.ends))

    @cached_property
    def values(self) -> Mapping[str, JsonValue]:
        """The values that must be shown."""
        if self.must.move in ("refuse", "insist"):
            return {}
        called = self.ask.who if self.ask else ""
        values = ((name, value) for name, value in self.must.values.items() if name not in self.made_up)
        return {name: value for name, value in values if value is not None and f"{{{name}}}" not in called}

    @cached_property
    def codes(self) -> re.Pattern[str] | None:
        """What stands in capitals among the values shown and said, where it is a part of a sentence: NO for Norway."""
        turns = self.known.gold.turns[: self.at]
        told = (value for turn in turns if turn.role == "user" for value in turn.informed.values())
        found = {one for one in (*told, *self.must.values.values()) if isinstance(one, str) and _CODE.fullmatch(one)}
        parts = "|".join(map(re.escape, sorted(found)))
        return re.compile(rf"(?<!^)(?<![.!?] )\b(?:{parts})\b(?! [a-z])") if parts else None

    def without_codes(self, text: str) -> str:
        """A text without the codes that are no words of its own."""
        return self.codes.sub(" ", text) if self.codes else text

    @property
    def made_up(self) -> Mapping[str, JsonValue]:
        """The values of the gold's words that the world made up: another one may be right."""
        names = list_of(self.must.before.get("made_up"))
        return {name: value for name, value in self.must.values.items() if name in names}


@lru_cache(maxsize=256)
def steps_of(instructions: str, *, tells: bool) -> tuple[tuple[str, str], ...]:
    """What the steps of a procedure say, or what they ask, with its gist; nothing where instructions are none."""
    try:
        steps = read(instructions).steps
    except BadFile:
        return ()
    texts = dict.fromkeys(step.text for step in steps if step.text and step.kind in ("ask", "say", "end"))
    return tuple((text, _gist_of(text)) for text in texts if _tells(text) == tells)


def _tells(step: str) -> bool:
    return _TELLS.match(step) is not None


@lru_cache(maxsize=4096)
def _gist_of(step: str) -> str:
    """What a step says, turned to the customer, without what makes it an instruction."""
    if _tells(step):
        return ". ".join(saying(step).statements)
    ask = asking(step)
    return ". ".join(filter(None, (ask.asked or ask.words, ask.back, ask.reason, ask.note)))
