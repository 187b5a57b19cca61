"""What a model has words for in one conversation: those of its pair, or Api, and of the example that it goes by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from toologue.plan.chains.uses import Uses, about_of
from toologue.schema import Ask, Example, Lines, Plan
from toologue.write.chains.names import Name, clause, phrased

_MOST = 2  # questions that are asked at once
_SHORT = 3  # letters of words that say little
_AND = re.compile("^And,? ")


class Told:
    """Words for a plan, each "" where there are none; those of which there are several follow its number."""

    def __init__(self, uses: Uses, plan: Plan, number: int):
        self._about, self._number = about_of(plan.dialogue.origin), number
        calls = (act for turn in plan.dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "call")
        self._example = uses.example(self._about, {act.api: act.arguments or {} for act in calls}) or _NONE
        self._uses, self._alone = uses.told(self._about), uses.of

    def one_of(self, kind: str) -> str:
        """Answers, or what is said by who does not know the parameter."""
        every = self._example.answers if kind == "answers" else [one for use in self._uses for one in use.unknown]
        return every[self._number % len(every)] if every else ""

    def thanks(self) -> str:
        """The last word."""
        return self._example.thanks

    def offer(self) -> str:
        """What the Api does, as a question."""
        return self._first([use.hints[self._number % len(use.hints)] for use in self._uses if use.hints]).assistant

    def declining(self) -> Lines:
        """An offer is turned down."""
        return self._first([use.declines for use in self._uses if use.declines])

    def choosing(self) -> Lines:
        """Several were found, and one is meant."""
        return self._example.choice or _SILENCE

    def question(self, api: str, names: Sequence[str]) -> str:
        """What asks for these parameters."""
        found = [(self._asks(api).get(name) or _ASK).question for name in names]
        if not all(found) or not 0 < len(found) <= _MOST:
            return ""
        first, *others = [_AND.sub("", one) for one in found]
        return " ".join([first[:1].upper() + first[1:], *(f"And {_inside(one)}" for one in others)])

    def says(self, api: str, values: Mapping[str, JsonValue], *, unasked: bool = False) -> str:
        """What gives these values; a bare one is named beside others, and where nobody has asked for it."""
        said = self._example.says if api == self._about[2] else self._example.source_says
        lines = [said.get(name, "") for name in values]
        if not lines or not all(lines):
            return ""
        for at, (name, value) in enumerate(values.items()):
            phrase = (self._asks(api).get(name) or _ASK).phrase
            alone = len(lines) < 2 or len(lines[at].replace(str(value), "").split()) > 1
            if phrase and not (_words(phrase) & _words(lines[at]) if unasked else alone):
                lines[at] = f"{clause([(phrased(phrase, Name(phrase)), value)])}."
        return " ".join(line[:1].upper() + line[1:] for line in lines)

    def _asks(self, api: str) -> Mapping[str, Ask]:
        source, _, target, _ = self._about
        alone = self._alone(api)
        found = dict(alone.asks) if alone and (alone.wishes or api == source) else {}
        for use in reversed(self._uses):
            found |= use.asks if api == target else use.source_asks
        return found

    def _first(self, every: Sequence[Lines]) -> Lines:
        return every[0] if every else _SILENCE


_SILENCE, _ASK = Lines(person="", assistant=""), Ask()
_NONE = Example(arguments={}, result=None)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > _SHORT}


def _inside(text: str) -> str:
    """A sentence as it goes on after another word."""
    kept = text.split(maxsplit=1)[0] in ("I", "I'm", "I'd", "I'll", "I've")
    return text if kept else text[:1].lower() + text[1:]
