"""What a model has words for in one conversation: those of its pair, or Api, and of the example that it goes by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from toologue.plan.chains.uses import Uses, about_of
from toologue.schema import Ask, Example, Lines, Plan
from toologue.schema.use import ALL
from toologue.write.chains.names import Name, clause, phrased, value_text

_MOST = 2  # questions that are asked at once
_STEM = 4  # letters by which words are alike
_REPLY = re.compile(r"(?i)(?:yes|no|sure|it(?:'| i)s|that(?:'| i)s|just|let me)\b")  # what follows a question alone
_IT = re.compile(r"(?i)^(?:yes, )?(?:it|that)(?:'s| is| was) ")
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

    def opening(self, names: Iterable[str]) -> str:
        """The first message that gives these values, and no others."""
        given, openings = [*names], self._example.openings
        whole = len(given) > 1 and {*given} == {*self._example.arguments}
        return openings.get(given[0], "") if len(given) == 1 else openings.get(ALL, "") if whole else ""

    def choosing(self, options: Sequence[JsonValue] = ()) -> Lines:
        """These were found, all of them named, and one is meant."""
        choice = self._example.choice or _SILENCE
        return choice if all(value_text(one) in choice.assistant for one in options) else _SILENCE

    def question(self, api: str, names: Sequence[str]) -> str:
        """What asks for these parameters."""
        asks = self._asks(api)
        if len(names) > 1 and ALL in asks and {*names} == {*asks} - {ALL}:
            return asks[ALL].question
        found = [_AND.sub("", (self._asks(api).get(name) or _ASK).question) for name in names]
        if not all(found) or not 0 < len(found) <= _MOST:
            return ""
        first, *others = found
        return " ".join([first[:1].upper() + first[1:], *(f"And {_inside(one)}" for one in others)])

    def says(self, api: str, values: Mapping[str, JsonValue], *, unasked: bool = False) -> str:
        """What gives these values; a bare one is named beside others, and where nobody has asked for it."""
        said = self._example.says if api == self._about[2] else self._example.source_says
        if len(values) > 1 and ALL in said and {*values} == {*said} - {ALL}:
            return said[ALL]
        lines = [said.get(name, "") for name in values]
        if not lines or not all(lines):
            return ""
        for at, (name, value) in enumerate(values.items()):
            phrase, line = (self._asks(api).get(name) or _ASK).phrase, lines[at]
            bare = unasked and (_REPLY.match(line) or line.startswith(value_text(value)))
            loose = len(lines) > 1 and not any(map(str.isalpha, str(value)))
            if phrase and (bare or loose) and not _stems(phrase) & _stems(line):
                label = phrased(phrase, Name(phrase))
                plain, it = _IT.subn("", line)
                told = f"{label.the} {label.are} {plain}" if it else f"{clause([(label, value)])}."
                lines[at] = told[:1].upper() + told[1:]
        return " ".join(lines)

    def _asks(self, api: str) -> Mapping[str, Ask]:
        alone = self._alone(api)
        found = {name: ask for name, ask in alone.asks.items() if ask.known} if alone else dict[str, Ask]()
        for use in reversed(self._uses):
            found |= use.asks if api == self._about[2] else use.source_asks
        return found


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[a-z]+", text.lower()) if len(word) >= _STEM}


def _inside(text: str) -> str:
    """A sentence as it goes on after another word."""
    kept = text.split(maxsplit=1)[0] in ("I", "I'm", "I'd", "I'll", "I've")
    return text if kept else text[:1].lower() + text[1:]
