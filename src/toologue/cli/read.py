"""`toologue read`: conversations of several sources, read blind by people, and what their ratings come to."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from toologue.cli.options import OptionalOut, at_least_one
from toologue.cli.terminal import Keys, at_terminal, clear, command_line, echo, say, table, write_json
from toologue.errors import BadFile, BadSetting

if TYPE_CHECKING:
    from toologue.review.reading import Asked, Readings, Text

_KEYS = "s skip   u undo   q quit"


def read(
    *sources: str,
    reader: Annotated[str | None, Parameter(name="--as")] = None,
    readings: Path = Path("readings"),
    sample: int | None = None,
    seed: int = 0,
    ask: tuple[str, ...] = (),
    keep_texts: tuple[str, ...] = (),
    out: OptionalOut = None,
    filled: Path | None = None,
    against: str | None = None,
    json: Path | None = None,
) -> None:
    """Read conversations of several sources blind, by keys or on a sheet; without sources: what readings come to.

    Ratings are kept a line each, in readings/NAME.jsonl, each at once. Killed or left with q, the same command goes on.

    Args:
        sources: LABEL=FILE: a dialogues.jsonl or its folder, lines with `messages`, conversations as ToolTalk publishes
            them. Nobody who reads sees the labels.
        reader: Who reads; by default the name you are logged in by.
        readings: The folder of ratings.
        sample: So many of each source, drawn by the seed.
        seed: Of the order; the same seed, the same order for everybody.
        ask: What is asked of each text, in place of naturalness=1-3, coherence=1-3, efficiency=1-3, person, wrong_step:
            a scale, NAME=1-5, or NAME, to be answered by yes or no.
        keep_texts: The labels of sources whose texts are ours: ratings keep what was read. Of others they hold no word.
        out: Write an empty sheet for readers elsewhere, .md or .jsonl, and ask nothing.
        filled: Take the ratings of such a sheet, all or nothing.
        against: Without sources: the label of the source to which the others are compared.
        json: Without sources: a file for the figures.
    """
    from toologue.review.reading import QUESTIONS, Asked, Readings, texts_of, write_sheet

    if not sources:
        _say_figures(readings, against, json)
        return
    at_least_one(sample=sample)
    asked = [Asked.of(one) for one in ask or QUESTIONS]
    named = dict(map(_source, sources))
    if len(named) < len(sources):
        raise BadSetting(f"{' '.join(sources)}: give each source a label of its own")
    if strange := {*keep_texts} - named.keys():
        raise BadSetting(f"--keep-texts {min(strange)}: no source has this label: {', '.join(named)}")
    texts = texts_of(named, sample=None if filled else sample, seed=seed)
    if out is not None:
        write_sheet(out, texts, asked)
        echo(
            f"{len(texts)} texts in {out}; filled in, it is taken by the same command with --filled and --as", note=True
        )
        return
    queue = Readings(texts, asked, reader or getpass.getuser(), readings, keep_texts)
    if filled is not None:
        echo(f"{queue.take(filled)} ratings taken", note=True)
    elif at_terminal():
        with Keys() as keys:
            Reading(queue, keys).run()
    else:
        raise BadSetting(
            f"keys are read from a terminal, and this is none: `{command_line('read', *sources)} -o sheet.md`"
        )
    echo(f"{len(queue.decided)} of {queue.of} rated by {queue.who}, in {queue.file}", note=True)


def _source(given: str) -> tuple[str, Path]:
    label, mark, path = given.partition("=")
    if not (label and mark and path):
        raise BadSetting(f"{given}: name each source, as in ours=dialogues.jsonl")
    if not Path(path).exists():
        raise BadFile(f"{given}: there is no {path}")
    return label, Path(path)


class Reading:
    """A reader's texts on the screen, and what the keys say of them."""

    def __init__(self, queue: Readings, keys: Keys):
        self.queue, self.keys = queue, keys

    def run(self) -> None:
        """Ask until nothing is left, or the reader goes."""
        while (text := self.queue.next) is not None and self._read(text):
            pass

    def _read(self, text: Text) -> bool:
        """Ask what is open of a text, and keep what is answered, whatever happens; whether the reader stays."""
        begun = self.queue.begun(text)
        answers, words = {**begun.answers}, {**begun.words}
        try:
            while True:
                asked = next((one for one in self.queue.asked if one.name not in answers), None)
                clear()
                echo(f"{self.queue.done + 1} of {self.queue.of}\n")
                for line in text.lines:
                    echo(f"  {line}\n")
                for name, answer in answers.items():
                    echo(f"{name}: {answer}")
                if asked:
                    echo(f"{asked}?\n{_KEYS}")
                key = self.keys.key() if asked else ""
                if key in ("q", "\x04"):
                    return False
                if key in ("s", " "):
                    self.queue.skip()
                    return True
                if asked is None:
                    remark = self.keys.line("a remark (Enter without, Escape back): ")
                    if remark is not None:
                        words["remark"] = remark
                        return True
                    key = "u"
                if key == "u" and not answers:
                    self.queue.undo()
                    return True
                if key == "u":
                    words.pop(answers.popitem()[0], None)
                elif asked:
                    self._answer(asked, key, answers, words)
        finally:
            self.queue.rate(text, answers, words)

    def _answer(self, asked: Asked, key: str, answers: dict[str, int], words: dict[str, str]) -> None:
        try:
            number, _ = asked.answer(key)
        except ValueError:
            return
        if asked.is_yes_no and number:
            words[asked.name] = self.keys.line("yes: in a word, what? (Enter without): ") or ""
        answers[asked.name] = number


def _say_figures(folder: Path, against: str | None, json: Path | None) -> None:
    from toologue.review.agreement import agreement_cells, ends
    from toologue.review.reading import agreements, means, ratings_in, record

    ratings = ratings_in(folder)
    heads = ["source", "question", "texts", "mean", "95 %", *([f"beside {against}", "95 %"] if against else [])]
    rows = list[tuple[object, ...]]()
    for one in means(ratings, against):
        beside = None if one.beside is None else f"{one.beside:+.2f}"
        row = (one.source, one.question, one.n, f"{one.mean:.2f}", ends(*one.ends), beside, ends(*one.beside_ends))
        rows.append(row[: len(heads)])
    say(table(heads, rows, title=", ".join(f"{who} read {len(mine)}" for who, mine in ratings.items())))
    pairs = [(f"{name}: {one}, {other}", *agreement_cells(found)) for name, one, other, found in agreements(ratings)]
    if pairs:
        say(table(("both rated", "n", "agree", "kappa", "95 %"), pairs))
    if json is not None:
        write_json(json, record(ratings, against))
