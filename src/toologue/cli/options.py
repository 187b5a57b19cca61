"""The options that commands share: said once, so that they read the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from toologue.cli.terminal import echo, progress_bar
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.apis.choice import Choice
    from toologue.models.similarity import TextMatch
    from toologue.review.judging import Judging
    from toologue.run.selection import Selection

Out = Annotated[Path, Parameter(name=["--out", "-o"])]
OptionalOut = Annotated[Path | None, Parameter(name=["--out", "-o"])]
Flag = Annotated[bool, Parameter(negative="")]


def at_least_one(**given: int | None) -> None:
    """Refuse numbers below 1. Raises BadSetting."""
    for name, number in given.items():
        if number is not None and number < 1:
            raise BadSetting(f"--{name} {number}: give 1 or more")


@Parameter(name="*")
@dataclass(frozen=True)
class Alike:
    """When two texts say the same."""

    similarity: Annotated[str, Parameter(help="exact, one, lexical, minilm, endpoint:MODEL or vectors:FILE.")] = (
        "lexical"
    )
    text: Annotated[float | None, Parameter(help="The least similarity of short texts that say the same.")] = None
    prose: Annotated[float | None, Parameter(help="The same for long texts.")] = None
    reviews: Annotated[Path | None, Parameter(help="What people decided; by default `reviews` beside the run.")] = None

    def judge(self, reply: float | None = None, *, beside: Path | None = None) -> TextMatch:
        """Who compares by them; `reply` is the least similarity of what an agent says, `beside` what was run."""
        from toologue.models.similarity import TextMatch
        from toologue.review.ledger import Ledger

        given = (("text", self.text), ("prose", self.prose), ("reply", reply))
        match = TextMatch.of(self.similarity, {name: least for name, least in given if least is not None})
        if self.reviews is not None and not self.reviews.is_dir():
            raise BadSetting(f"--reviews {self.reviews}: there is no such folder; `toologue review` makes one")
        folder = self.folder(beside)
        return Ledger.of(folder).reads(match) if folder else match

    def folder(self, beside: Path | None) -> Path | None:
        """Where decisions on what was run are kept."""
        from toologue.review.ledger import reviews_of

        return self.reviews or (reviews_of(beside) if beside else None)


@Parameter(name="*")
@dataclass(frozen=True)
class Some:
    """Which conversations."""

    only: Annotated[tuple[str, ...], Parameter(help="Only conversations whose ids fit: `--only 'broken-*'`.")] = ()
    failed: Annotated[Path | None, Parameter(help="Only those that failed, or were not scored, in this run.")] = None
    limit: Annotated[int | None, Parameter(help="At most so many conversations, the first ones.")] = None

    @property
    def selection(self) -> Selection:
        """Of which dialogues that is."""
        from toologue.report.view import failed_in
        from toologue.run.selection import Selection

        at_least_one(limit=self.limit)
        return Selection(self.only, None if self.failed is None else failed_in(self.failed), self.limit)


@Parameter(name="*")
@dataclass(frozen=True)
class Operations:
    """Which operations of API documents."""

    only: Annotated[tuple[str, ...], Parameter(help="Only operations whose names fit: `--only '*_order'`.")] = ()
    tag: Annotated[tuple[str, ...], Parameter(help="Only those with a tag that fits.")] = ()
    exclude: Annotated[tuple[str, ...], Parameter(help="None of those whose names fit.")] = ()
    strict: Annotated[bool, Parameter(negative="", help="Refuse a document with an operation that cannot be read.")] = (
        False
    )

    @property
    def choice(self) -> Choice:
        """The choice of them."""
        from toologue.apis.choice import Choice

        return Choice(**vars(self))


@Parameter(name="*")
@dataclass(frozen=True)
class Judged:
    """Who is asked about what rules leave open."""

    judge: Annotated[
        str | None, Parameter(help="A model that is asked what rules leave open: openai:NAME or module:attribute.")
    ] = None
    judge_all: Annotated[bool, Parameter(negative="", help="Ask it what rules decide, too.")] = False
    judge_votes: Annotated[int | None, Parameter(help="How often it is asked of each, an odd number.")] = None

    def at_work(self, reviews: Path) -> Judging | None:
        """The judge over a folder of decisions; None where there is none."""
        if self.judge is None:
            return None
        from toologue.judge.ask_judge import Judge
        from toologue.review.judging import Judging

        judge = Judge.of(self.judge, self.judge_votes or 1)
        reviews.mkdir(parents=True, exist_ok=True)
        return Judging(judge, reviews, self.judge_all, echo, progress_bar)
