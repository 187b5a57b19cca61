"""The options that commands share, said once, so that they read the same; and those of every command.

These keep what language models are asked, with the lines that say what they cost; how much is told, and to whom.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from toologue import limits
from toologue.cli.terminal import echo, progress_bar, say_first, telling
from toologue.errors import BadSetting, Unfinished
from toologue.models.spent import SPENT

if TYPE_CHECKING:
    from toologue.apis.choice import Choice
    from toologue.models.similarity import TextMatch
    from toologue.plan.procedures.unreached import Unreached as Missed
    from toologue.project.generate import Making
    from toologue.project.statistics import Source
    from toologue.review.judging import Judging
    from toologue.run.runner import Selection
    from toologue.run.store import Grading
    from toologue.schema import Setting

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

    similarity: Annotated[
        str | None,
        Parameter(
            help="exact, one, lexical, minilm, endpoint:MODEL or vectors:FILE; by default lexical, or that by which "
            "`bench` graded the run."
        ),
    ] = None
    text: Annotated[float | None, Parameter(help="The least similarity of short texts that say the same.")] = None
    prose: Annotated[float | None, Parameter(help="The same for long texts.")] = None
    reviews: Annotated[Path | None, Parameter(help="What people decided; by default `reviews` beside the run.")] = None

    def judge(
        self, reply: float | None = None, *, beside: Path | None = None, kept: Grading | None = None
    ) -> TextMatch:
        """Who compares by them, where no similarity is asked for as `kept`.

        `reply` is the least similarity of what an agent says, `beside` what was run.
        """
        from toologue.models.similarity import TextMatch
        from toologue.review.ledger import Ledger

        given = (("text", self.text), ("prose", self.prose), ("reply", reply))
        least, spec = {name: one for name, one in given if one is not None}, self.similarity or "lexical"
        if kept is not None and self.similarity is None:
            spec, least = kept.similarity, {**kept.thresholds, **least}
        match = TextMatch.of(spec, least)
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
        from toologue.run.runner import Selection

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
    judge_votes: Annotated[int | None, Parameter(help="How often it is asked of each, an odd number.")] = None

    def at_work(self, reviews: Path) -> Judging | None:
        """The judge over a folder of decisions; None where there is none."""
        if self.judge is None:
            return None
        from toologue.judge.ask_judge import Judge
        from toologue.review.judging import Judging

        judge = Judge.of(self.judge, self.judge_votes or 1)
        reviews.mkdir(parents=True, exist_ok=True)
        return Judging(judge, reviews, echo, progress_bar)


Sampler = Literal["cover", "weighted", "vanilla"]
Unreached = Literal["tell", "fail"]
_LINES, _WORDS = 20, 160


def say_unreached(found: Iterable[tuple[str, Sequence[Missed]]]) -> bool:
    """Say what no conversation reaches, by procedure, a line each, and whether a way is among it."""
    every = [(name, one) for name, several in found for one in several]
    ways, pairs = ([told for told in every if bool(told[1].after) == is_pair] for is_pair in (False, True))
    for left, what in ((ways, "way"), (pairs, "pair")):
        if left:
            echo(f"\n{len(left)} {what}{' is' if len(left) == 1 else 's are'} reached by no conversation:")
        say_first([f"  {name}: {one}" for name, one in left], _LINES)
    return bool(ways)


def say_far(found: Iterable[tuple[str, Sequence[object]]]) -> None:
    """Say which bounds no conversation comes next to, by procedure, a line each."""
    if lines := [f"  {name}: {one}" for name, several in found for one in several]:
        echo(f"\n{len(lines)} {'side of a bound is' if len(lines) == 1 else 'sides of bounds are'} tried far off only:")
        say_first(lines, _LINES // 4)


def say_instead(found: Iterable[tuple[str, str]]) -> None:
    """Say which conversations have the template's words, since those of a model were wrong, and what was."""
    if lines := [f"  {id}: {limits.cut(why, _WORDS)}" for id, why in found]:
        echo(f"\n{len(lines)} with the template's words, since the model's were not valid:")
        say_first(lines, _LINES)


@Parameter(name="*")
@dataclass(frozen=True)
class Talks:
    """How conversations are planned from procedures."""

    count: Annotated[int, Parameter(help="Conversations a procedure, at least; a cover may need more.")] = 36
    sampler: Annotated[
        Sampler,
        Parameter(
            help="cover (every pair of choices that execution reaches), weighted (the paper's Algorithm 1), vanilla."
        ),
    ] = "cover"
    until: Annotated[float, Parameter(help="The share of what execution reaches that a cover must see.")] = 1.0
    noise: Annotated[float, Parameter(help="The chance of noise at each reply of the customer (ALMITA: 0.2).")] = 0.02
    most_noise: Annotated[int, Parameter(help="The most noise in a conversation.")] = 1
    mode: Annotated[
        Literal["resume", "published", "straight"],
        Parameter(
            help="After noise the agent asks again (resume), or the conversation ends (published). straight, for "
            "`generate --model`: the paper's ablation, a model writes it all from the procedure, without graphs."
        ),
    ] = "resume"
    detours: Annotated[
        float,
        Parameter(help="The chance that a customer misspells, contradicts, volunteers, corrects or changes something."),
    ] = 0.1
    seed: Annotated[int, Parameter(help="The same seed, the same conversations.")] = 0
    service: Annotated[
        str | None,
        Parameter(
            help="What the calls of .md files are made to: an OpenAPI document, a service that ships, a world of yours "
            "(module:Class), or a file that only describes APIs (apis.jsonl, tools.json), whose results are made up."
        ),
    ] = None
    rows: Annotated[Path | None, Parameter(help="Seed data for --service, in YAML.")] = None
    overlay: Annotated[Path | None, Parameter(help="What the document of --service does not say of its world.")] = None
    operations: Operations = Operations()

    def making(self, writer: str = "template") -> Making:
        """How a suite is made of them."""
        from toologue.project.generate import Making

        if self.mode == "straight":
            raise BadSetting("--mode straight plans nothing: give it to `toologue generate`, with --model")
        beside = ("service", "rows", "overlay", "operations")
        said = {name: value for name, value in vars(self).items() if name not in beside}
        return Making(**said, writer=writer)

    def sources(self, what: Sequence[str], wordings: Path | None = None) -> list[Source]:
        """The procedures that are named, with the wordings of a file, else of the one beside them."""
        from toologue.project.generate import sources

        return sources(what, self.world, wordings)

    @property
    def world(self) -> Setting | None:
        """What calls are made to, where --service says so."""
        from toologue.worlds.named import given_setting

        return given_setting(self.service, self.rows, self.overlay, self.operations.choice)


_GROUP = "Language models"
_Record = Annotated[Path | None, Parameter(group=_GROUP, help="Keep every exchange in this JSONL file.")]
_Replay = Annotated[Path | None, Parameter(group=_GROUP, help="Answer from such a file, and ask nothing.")]
_Cache = Annotated[Path | None, Parameter(group=_GROUP, help="Look replies up in this SQLite file, and keep them.")]
_Budget = Annotated[float | None, Parameter(group=_GROUP, help="The most dollars that requests may come to.")]
_Quiet = Annotated[
    bool, Parameter(group="Telling", negative="", help="No progress and no notes: tables, verdicts and errors.")
]
_Log = Annotated[
    Path | None, Parameter(group="Telling", help="Append what happens to this file, a JSON line an event.")
]
_Tokens = Annotated[str, Parameter(show=False, allow_leading_hyphen=True)]


def with_exchanges_kept(application: App) -> None:
    """Give every command of an application the options."""

    def launch(
        *tokens: _Tokens,
        record: _Record = None,
        replay: _Replay = None,
        cache: _Cache = None,
        budget: _Budget = None,
        quiet: _Quiet = False,
        log_json: _Log = None,
    ) -> int:
        files = {name: file for name, file in (("record", record), ("replay", replay), ("cache", cache)) if file}
        SPENT.clear()
        with ExitStack() as around:
            around.enter_context(telling(quiet=quiet, log=log_json))
            around.enter_context(_within(budget, tokens, files))
            if files:  # a budget has one of its own
                from toologue.models.recording import keeping

                around.enter_context(keeping(**files))
            try:
                status = int(application(tokens, exit_on_error=False, print_error=True) or 0)
            except Unfinished:
                _tell_spent()
                raise
            _tell_spent()
        return max(status, 3 if any(spent.faults for spent in SPENT.values()) else 0)

    application.meta.suppress_keyboard_interrupt = False
    application.meta.default(launch)


@contextmanager
def _within(dollars: float | None, tokens: Sequence[str], files: dict[str, Path]) -> Generator[None]:
    """Hold a command to a budget. What it pays for is kept until the same command has come to its end."""
    if dollars is None:
        yield
        return
    from toologue import keys
    from toologue.models.budget import budget
    from toologue.models.embed import cache_folder

    paid = None
    if not files:
        files["cache"] = paid = cache_folder() / f"paid-{keys.content_key([str(Path.cwd()), *tokens])}.sqlite"
    with budget(dollars) as held:
        try:
            yield
            if paid and not held.refused:
                paid.unlink(missing_ok=True)
        finally:
            goes_on = "; the same command goes on, and asks nothing again that was paid for" if held.refused else ""
            if SPENT:
                echo(f"budget: {held.words}{goes_on}", error=True, note=not held.refused)


def _tell_spent() -> None:
    for stage, spent in SPENT.items():
        echo(f"{stage}: {spent}", error=True, note=not spent.faults)
