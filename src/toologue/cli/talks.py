"""The options of commands that plan conversations from procedures; said once, as those of `options`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from toologue import limits
from toologue.cli.options import Operations
from toologue.cli.terminal import echo, say_first
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.plan.procedures.unreached import Unreached as Missed
    from toologue.project.generate import Making
    from toologue.project.statistics import Source
    from toologue.schema import Setting
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
    rows: Annotated[
        Path | None, Parameter(name=["--rows", "--seed-data"], help="Seed data for --service, in YAML.")
    ] = None
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
