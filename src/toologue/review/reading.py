"""Conversations of several sources, read blind: what is shown and asked, sheets that are filled in, what comes of it.

Contract: a text is what user and agent say, a line a speaker, whatever the source: acts, instructions, ids and labels
are left out, and what one says in several turns is one line. Its key is a hash of source and lines, so a rating is
found again whenever the same text is read. The order is drawn over all sources, and nothing shows a source.

A sheet is Markdown (`.md`) or JSONL: an entry a text, with its key and an empty place for each answer. A filled one is
taken whole, or not at all.

Of what readers come to, a text counts once, with the mean of its readers. The 95 % interval is the percentile bootstrap
over texts, two more of which join each source, rated lowest and highest: so none is empty where all are rated alike.
Sources are resampled apart. Of a question that is answered by yes or no the mean is the share of yes.

Example:
    >>> Asked.of("naturalness=1-3").answer("2"), Asked.of("person").answer("no: nobody asks so twice")
    ((2, ''), (0, 'nobody asks so twice'))
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic_core import from_json

from toologue import keys
from toologue.data import bytes_of
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName, shown
from toologue.formats.openai import from_messages
from toologue.formats.tooltalk import read_conversation
from toologue.judge.quality import CRITERIA
from toologue.review.agreement import Agreement, agreement
from toologue.review.queue import Worklist, now, reviewer_file
from toologue.schema import Dialogue, Rating, Turn
from toologue.schema.jsonl import holds, read, read_lines, replacing
from toologue.score.metric import interval, resampled
from toologue.values.json_schema import object_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUESTIONS = ("naturalness=1-3", "coherence=1-3", "efficiency=1-3", "person", "wrong_step")
REMARK = "remark"
_MEANINGS = {
    **CRITERIA,
    "person": "was it written by a person?",
    "wrong_step": "does the agent do something wrong in substance: a needless, missing or mistaken step?",
}
_YES_NO = {"yes": 1, "y": 1, "true": 1, "no": 0, "n": 0, "false": 0}
_KEY = re.compile(r"## .*\b([0-9a-f]{16})")


class Asked(NamedTuple):
    """A question that is asked of each text: a number on a scale, or yes (1) and no (0), where `scale` is (0, 1)."""

    name: str
    scale: tuple[int, int]

    @classmethod
    def of(cls, text: str) -> Self:
        """The question that NAME=1-3 or NAME (yes or no) is. Raises BadSetting."""
        found = re.fullmatch(r"(\w+)(?:=(\d)-(\d))?", text)
        if found is None or (found[2] or "0") >= (found[3] or "1") or found[1] in (REMARK, "text", "said"):
            raise BadSetting(f"--ask {text}: give a name with the ends of its scale, NAME=1-3, or NAME for yes and no")
        return cls(found[1], (int(found[2] or 0), int(found[3] or 1)))

    @property
    def is_yes_no(self) -> bool:
        """Whether it is answered by yes or no."""
        return self.scale == (0, 1)

    @property
    def wanted(self) -> str:
        """What it is answered by."""
        return "yes or no" if self.is_yes_no else "{} to {}".format(*self.scale)

    def __str__(self) -> str:
        meaning = _MEANINGS.get(self.name)
        return f"{self.name}, {self.wanted}{f' ({meaning})' if meaning else ''}"

    def answer(self, given: object) -> tuple[int, str]:
        """An answer and the words behind its colon. Raises ValueError for what is none."""
        said, _, words = str(given).partition(":")
        told = said.strip().lower()
        number = _YES_NO.get(told) if self.is_yes_no else int(told) if told.isdecimal() else None
        if number is None or not self.scale[0] <= number <= self.scale[1]:
            raise ValueError(f"{shown(given)} is no answer, {self.wanted} is wanted")
        return number, words.strip()


class Text(NamedTuple):
    """What is read: the lines of a conversation, and which source it is from."""

    source: str
    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        """16 hex digits that name source and lines."""
        return keys.content_key([self.source, self.lines])


def texts_of(sources: Mapping[str, Path], *, sample: int | None = None, seed: int = 0) -> dict[str, Text]:
    """The texts of all sources by their keys, mixed; `sample`: so many of each. Raises BadFile where one has none."""
    found = list[Text]()
    for source, path in sources.items():
        texts = {text.key: text for one in dialogues_of(path) if (text := Text(source, spoken(one.turns))).lines}
        if not texts:
            raise BadFile(f"{path} holds no conversation in which somebody says something: leave {source} out")
        found += keys.drawn(texts.values(), seed, label=lambda text: text.key)[:sample]
    return {text.key: text for text in keys.drawn(found, seed, "mixed", label=lambda text: text.key)}


def dialogues_of(path: Path) -> Iterator[Dialogue]:
    """The conversations of a dialogues.jsonl (or its folder), of lines of `messages`, or as ToolTalk publishes them."""
    if path.is_dir() and (path / "dialogues.jsonl").is_file():
        path /= "dialogues.jsonl"
    if path.is_dir() or path.suffix == ".json":
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            raise BadFile(f"{path} holds no conversations: no dialogues.jsonl, and no *.json as ToolTalk has them")
        yield from (read_conversation(file, split="", databases="") for file in files)
    elif holds(path, Dialogue):
        yield from read(path, Dialogue)
    else:
        for number, line, _ in read_lines(path):
            found = _object(line, path, number)
            if "messages" not in found:
                what = f"no `messages` stand here, but {', '.join([*found][:3])}"
                raise BadRecord(path, number, "$.messages", what, "give dialogues, or lines with `messages`")
            yield from_messages(found["messages"], id=str(number), file=path, line=number, path="$.messages")


def spoken(turns: Iterable[Turn]) -> tuple[str, ...]:
    """What is said, a line a speaker, whatever was done in between."""
    said = groupby((turn for turn in turns if (turn.text or "").strip()), key=lambda turn: turn.role)
    return tuple(
        f"{role.title()}: {' '.join(' '.join((one.text or '').split()) for one in some)}" for role, some in said
    )


class Readings(Worklist[Text, Rating]):
    """What a reader has still to rate, a text at a time; one that was left in the middle comes again, as it was left.

    Of the sources in `keep_texts` a rating keeps what was read, of others no word.
    """

    def __init__(
        self, texts: Mapping[str, Text], asked: Sequence[Asked], who: str, folder: Path, keep_texts: Iterable[str] = ()
    ):
        self.asked, self.who, self._ours = asked, who, {*keep_texts}
        names = {one.name for one in asked}
        file = reviewer_file(folder, who)
        super().__init__(texts, file, Rating, lambda said: said.text, whole=lambda said: names <= said.answers.keys())
        for one in asked:
            if any(said.scales.get(one.name, one.scale) != one.scale for said in self.said.values()):
                raise BadSetting(f"--ask: {one.name} was asked on another scale in {file}: give this one another name")

    def begun(self, text: Text) -> Rating:
        """What the reader has said of a text so far."""
        ours = text.lines if text.source in self._ours else ()
        fresh = Rating(text=text.key, source=text.source, who=self.who, answers={}, scales={}, said=ours)
        return self.said.get(text.key, fresh)

    def rate(self, text: Text, answers: Mapping[str, int], words: Mapping[str, str]) -> bool:
        """Keep what a reader says of a text; whether it is anything new."""
        known, words = self.begun(text), {name: said for name, said in words.items() if said}
        if (answers, words) == (known.answers, known.words):
            return False
        scales = known.scales | {one.name: one.scale for one in self.asked}
        self.keep(known.replace(answers=dict(answers), words=words, scales=scales, at=now()))
        return True

    def take(self, sheet: Path) -> int:
        """Take what a filled sheet says of these texts, all or nothing; how much of it is new. Raises BadRecord."""
        new = 0
        for text, answers, words in [*_answered(sheet, self.things, self.asked)]:
            known = self.begun(text)
            new += self.rate(text, known.answers | answers, known.words | words)
        return new


def write_sheet(file: Path, texts: Mapping[str, Text], asked: Sequence[Asked]) -> None:
    """An empty sheet, Markdown where the file's name ends in .md, else JSONL."""
    with replacing(file) as stream:
        if file.suffix == ".md":
            stream.write(_markdown(texts, asked).encode())
            return
        empty = {**{one.name: None for one in asked}, REMARK: ""}
        for key, text in texts.items():
            line = {"text": key, "said": text.lines, **empty}
            stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _markdown(texts: Mapping[str, Text], asked: Sequence[Asked]) -> str:
    places = "\n".join(f"{name}: " for name in (*(one.name for one in asked), REMARK))
    head = "# Conversations to be read\n\nWrite your answers behind the colons; after a yes, a colon and a word.\n"
    parts = ["\n".join([head, *(f"- {one}" for one in asked)])]
    for number, (key, text) in enumerate(texts.items(), 1):
        said = "\n>\n".join(f"> {line}" for line in text.lines)
        parts.append(f"## {number}: {key}\n\n{said}\n\n{places}")
    return "\n\n".join(parts) + "\n"


def _answered(
    sheet: Path, texts: Mapping[str, Text], asked: Sequence[Asked]
) -> Iterator[tuple[Text, dict[str, int], dict[str, str]]]:
    """The texts that a sheet rates, with answers and words; those of which nothing is said are passed."""
    first, known = dict[str, int](), [*(one.name for one in asked), REMARK]
    for number, key, entry in _entries(sheet):
        if key not in texts:
            what = f"no text of these sources has the id {shown(key)}"
            raise BadRecord(sheet, number, "$.text", what, "name the same sources as for the sheet that was written")
        if key in first:
            raise BadRecord(sheet, number, "$.text", f"{key} is rated twice, first on line {first[key]}", "leave one")
        first[key] = number
        given = {name: told for name, told in entry.items() if told[1] not in (None, "")}
        if strange := given.keys() - known:
            name = min(strange)
            remedy = f"asked: {', '.join(known)}"
            raise BadRecord(sheet, given[name][0], f"$.{name}", "nothing of this name is asked", remedy)
        if given.keys() - {REMARK}:
            answers, words = dict[str, int](), {REMARK: str(given.get(REMARK, (0, ""))[1])}
            for one in asked:
                if one.name not in given:
                    raise BadRecord(sheet, number, f"$.{one.name}", f"{key} has no answer", f"write {one.wanted}")
                line, told = given[one.name]
                try:
                    answers[one.name], words[one.name] = one.answer(told)
                except ValueError as error:
                    raise BadRecord(sheet, line, f"$.{one.name}", str(error)) from None
            yield texts[key], answers, words


def _entries(sheet: Path) -> Iterator[tuple[int, str, dict[str, tuple[int, Any]]]]:
    """(line, key, what is written by name, each with its line) of the entries of a filled sheet."""
    if sheet.suffix != ".md":
        for number, line, _ in read_lines(sheet):
            entry = _object(line, sheet, number)
            entry.pop("said", None)
            yield number, str(entry.pop("text", "")), {name: (number, told) for name, told in entry.items()}
        return
    at, key, entry = 0, "", dict[str, tuple[int, Any]]()
    for number, line in enumerate(bytes_of(sheet).decode("utf-8", "replace").splitlines(), 1):
        if found := _KEY.match(line):
            if key:
                yield at, key, entry
            at, key, entry = number, found[1], {}
        elif key and line.strip() and not line.startswith(">"):
            name, colon, told = line.partition(":")
            entry[name.strip()] = number, told.strip() if colon else "no colon"
    if not key:
        raise BadFile(f"{sheet} is no sheet: no line in it is as `## 1: 0123456789abcdef`, with the id of a text")
    yield at, key, entry


def _object(line: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        found = object_of(from_json(line))
    except ValueError as error:
        raise BadRecord(file, number, "$", f"this is no JSON: {error}") from None
    if not found:
        raise BadRecord(file, number, "$", "an object is wanted", "one conversation, or one rating, a line")
    return found


Ends = tuple[float | None, float | None]


class Mean(NamedTuple):
    """A question over the `n` texts of a source; `beside` is the difference to the reference, where there is one."""

    source: str
    question: str
    n: int
    mean: float
    ends: Ends
    beside: float | None = None
    beside_ends: Ends = (None, None)


def ratings_in(folder: Path) -> dict[str, dict[str, Rating]]:
    """By reader, and by text, what counts of the ratings in a folder. Raises BadFile where there are none."""
    found = dict[str, dict[str, Rating]]()
    for file in sorted(folder.glob("*.jsonl")):
        for one in read(file, Rating, empty=True):
            mine = found.setdefault(one.who, {})
            mine.pop(one.text, None)
            if not one.undone:
                mine[one.text] = one
    if not any(found.values()):
        raise BadFile(f"{folder} holds no ratings: toologue read LABEL=dialogues.jsonl … --as NAME makes some")
    return found


def means(ratings: Mapping[str, Mapping[str, Rating]], against: str | None = None) -> list[Mean]:
    """Every question, source by source, `against` one of the sources. Raises UnknownName for no source."""
    every = [one for mine in ratings.values() for one in mine.values()]
    sources, found = [*dict.fromkeys(one.source for one in every)], list[Mean]()
    if against is not None and against not in sources:
        raise UnknownName("source that was read", against, sources)
    for question in dict.fromkeys(name for one in every for name in one.answers):
        scale, *others = {one.scales[question] for one in every if question in one.answers}
        if others:
            raise BadFile(f"{question} was asked on the scales {scale} and {others[0]}: keep their ratings apart")
        rated = {source: values for source in sources if (values := _values(every, source, question))}
        drawn = {source: (some, _drawn(some, scale, keys.seed_of(question, source))) for source, some in rated.items()}
        for source, (values, draws) in drawn.items():
            mean = sum(values) / len(values)
            told = Mean(source, question, len(values), mean, interval(draws))
            if against in drawn and source != against:
                theirs, draws_theirs = drawn[against]
                beside = mean - sum(theirs) / len(theirs)
                told = told._replace(beside=beside, beside_ends=interval(draws - draws_theirs))
            found.append(told)
    return found


def _values(every: Iterable[Rating], source: str, question: str) -> list[float]:
    told = dict[str, list[int]]()
    for one in every:
        if one.source == source and question in one.answers:
            told.setdefault(one.text, []).append(one.answers[question])
    return [sum(some) / len(some) for some in told.values()]


def _drawn(values: list[float], scale: tuple[int, int], seed: int) -> NDArray[np.float64]:
    import numpy as np

    sums = resampled(np.array([(value, 1.0) for value in (*values, *scale)]), seed)
    return sums[:, 0] / sums[:, 1]


def agreements(ratings: Mapping[str, Mapping[str, Rating]]) -> list[tuple[str, str, str, Agreement]]:
    """(question, reader, other reader, how far they agree on it) for every two who rated the same texts."""
    found = list[tuple[str, str, str, Agreement]]()
    for one, other in combinations(ratings, 2):
        pairs = dict[str, list[tuple[int, int]]]()
        for text, mine in ratings[one].items():
            theirs = ratings[other][text].answers if text in ratings[other] else {}
            for question in mine.answers.keys() & theirs.keys():
                pairs.setdefault(question, []).append((mine.answers[question], theirs[question]))
        found += [(question, one, other, agreement(pairs[question])) for question in sorted(pairs)]
    return found


def record(ratings: Mapping[str, Mapping[str, Rating]], against: str | None = None) -> dict[str, Any]:
    """All of it as JSON, with who read how many texts."""
    return {
        "against": against,
        "readers": {who: len(mine) for who, mine in ratings.items()},
        "means": [one._asdict() for one in means(ratings, against)],
        "agreement": [
            {"question": question, "readers": [one, other], **found._asdict()}
            for question, one, other, found in agreements(ratings)
        ],
    }
