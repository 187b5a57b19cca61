"""What a model has words for in one conversation: those of its pair, or Api, and of the example that it goes by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import JsonValue

from toologue.plan.chains.uses import Uses, about_of
from toologue.schema import Ask, Example, Lines, Plan
from toologue.schema.use import ALL
from toologue.write.chains.names import value_text

_MOST = 2  # questions that are asked at once
_AND = re.compile("^And,? ")
_YES = ("Yes, please.", "That would be great, thanks.", "Oh yes, please.", "Yes, that would help.")  # to any offer
_SILENCE, _ASK, _NONE = Lines(person="", assistant=""), Ask(), Example(arguments={}, result=None)


class Told:
    """Words for a plan, each "" where there are none; those of which there are several follow its number."""

    def __init__(self, uses: Uses, plan: Plan, number: int):
        self._about = about_of(plan.dialogue.origin)
        turns = (turn for turn in plan.dialogue.turns if turn.role == "agent")
        calls = {act.api: act.arguments or {} for turn in turns for act in turn.acts if act.kind == "call"}
        self._example = uses.example(self._about, calls) or _NONE
        self._uses, self._alone, self._number = uses.told(self._about), uses.of, number
        answers, unknown = self._example.answers, [one for use in self._uses for one in use.unknown]
        self.answer = answers[number % len(answers)] if answers else ""
        self.unknown = unknown[number % len(unknown)] if unknown else ""
        self.thanks = self._example.thanks
        self.offer = next((use.hints[number % len(use.hints)].assistant for use in self._uses if use.hints), "")

    def accepting(self, offer: str) -> str:
        """What takes an offer of a use."""
        ours = any(hint.assistant == offer for use in self._uses for hint in use.hints)
        return _YES[self._number % len(_YES)] if ours else ""

    def declining(self, offer: str) -> Lines:
        """How this offer is turned down, and what is said to it."""
        told = [hint.declines for use in self._uses for hint in use.hints if hint.assistant == offer]
        return next(filter(None, (*told, *(use.declines for use in self._uses))), _SILENCE)

    def opening(self, names: Collection[str]) -> str:
        """The first message that gives this value, or all there are."""
        return self._example.openings.get(ALL if len(names) > 1 else next(iter(names), ""), "")

    def choosing(self, options: Sequence[JsonValue] = ()) -> Lines:
        """These were found, all of them named, and one is meant."""
        choice = self._example.choice or _SILENCE
        return choice if all(value_text(one) in choice.assistant for one in options) else _SILENCE

    def question(self, api: str, names: Sequence[str]) -> str:
        """What asks for these parameters."""
        for asks in self._said(api):
            if len(names) > 1 and ALL in asks and {*names} == {*asks} - {ALL}:
                return asks[ALL].question
        found = [_AND.sub("", (self._asks(api).get(name) or _ASK).question) for name in names]
        if not all(found) or not 0 < len(found) <= _MOST:
            return ""
        first, *others = found
        return " ".join([first[:1].upper() + first[1:], *(f"And {_inside(one)}" for one in others)])

    def says(self, api: str, values: Iterable[str]) -> str:
        """What gives these values."""
        said, names = self._example.says if api == self._about[2] else self._example.source_says, [*values]
        if len(names) > 1 and ALL in said and {*names} == {*said} - {ALL}:
            return said[ALL]
        lines = [said.get(name, "") for name in names]
        return " ".join(lines) if all(lines) else ""

    def _asks(self, api: str) -> Mapping[str, Ask]:
        alone = self._alone(api)
        found = {name: ask for name, ask in alone.asks.items() if ask.known} if alone else dict[str, Ask]()
        for asks in reversed(self._said(api)):
            found |= asks
        return found

    def _said(self, api: str) -> list[Mapping[str, Ask]]:
        return [use.asks if api == self._about[2] else use.source_asks for use in self._uses]


def _inside(text: str) -> str:
    """A sentence as it goes on after another word."""
    kept = text.split(maxsplit=1)[0] in ("I", "I'm", "I'd", "I'll", "I've")
    return text if kept else text[:1].lower() + text[1:]
