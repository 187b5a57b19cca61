"""How many whole conversations leave nothing unsure: of the gold, of agents that are right otherwise, of wrong ones.

    python -m bench.decided [--similarity SPEC]     about two minutes

| suite | conversations | who is right otherwise, who is wrong |
|---|---|---|
| procedures | those of `toologue init` | `mutate.steps`, wherever a step can be taken |
| replies | those whose procedures are not set aside (`bench.verdicts`) | one reply, by others, who labelled it |
| tooltalk | the starter set | `mutate.calls` |
| dialog2api | those that ship | `mutate.programs` |

An altered conversation counts where it is otherwise than the gold. `mutate` rewords no reply: what other words do to
replies, `replies` alone shows, one reply a conversation.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from bench.verdicts import HERE
from toologue.agents.agent import AgentSpec, ScriptedAgent, script_of
from toologue.bench.benchmark import Benchmark, Graded, Tested, benchmark, play
from toologue.bench.prove import OPEN_SET, graded_replies
from toologue.models.similarity import TextMatch
from toologue.mutate import calls, programs, steps
from toologue.project.evaluate import make_suites, read_chapters
from toologue.project.settings import open_project
from toologue.project.start import start
from toologue.report.view import Conversation
from toologue.schema import Dialogue
from toologue.schema.jsonl import read


class Suite(NamedTuple):
    """Conversations, and the agents that play their gold altered: those that are right, those that are wrong."""

    name: str
    benchmark: Benchmark
    golds: Sequence[Dialogue]
    right: Sequence[Tested]
    wrong: Sequence[Tested]


class Share(NamedTuple):
    """Of an agent, how many conversations leave nothing unsure, of how many."""

    suite: str
    agent: str
    decided: int
    of: int


def project_dialogues(folder: Path) -> list[Dialogue]:
    """The conversations of a new project in a folder."""
    start(folder)
    project = open_project(folder)
    return [gold for suite in make_suites(project, read_chapters(project)) for gold in suite.dialogues]


def suites(folder: Path) -> Iterator[Suite]:
    """The suites whose agents are altered gold; the project is made in a folder."""
    right, wrong = ([f"misstep:{kind}" for kind in kinds] for kinds in (steps.RIGHT_STEPS, steps.WRONG_STEPS))
    yield Suite("procedures", benchmark("almita"), project_dialogues(folder), right, wrong)
    right, wrong = ([f"altered:{kind}" for kind in kinds] for kinds in (calls.RIGHT, calls.WRONG))
    yield Suite("tooltalk", benchmark("tooltalk"), benchmark("tooltalk").load(None), right, wrong)
    golds = benchmark("dialog2api").load(None)
    right, wrong = ([_mutants(golds, kind) for kind in kinds] for kinds in (programs.RIGHT, programs.WRONG))
    yield Suite("dialog2api", benchmark("dialog2api"), golds, right, wrong)


def shares(suite: Suite, match: TextMatch) -> Iterator[Share]:
    """The gold's share, and those of either kind of agent, over the conversations in which it does otherwise."""
    golds = play(suite.benchmark, suite.golds, "gold", match)
    yield Share(suite.name, "gold", sum(map(_decided, golds)), len(golds))
    for name, agents in (("right", suite.right), ("wrong", suite.wrong)):
        lived = (zip(golds, play(suite.benchmark, suite.golds, agent, match), strict=True) for agent in agents)
        other = [one for pairs in lived for gold, one in pairs if one.trace.turns != gold.trace.turns]
        yield Share(suite.name, name, sum(map(_decided, other)), len(other))


def reply_shares(match: TextMatch) -> Iterator[Share]:
    """The same for conversations of which one turn was written anew."""
    aside = set(yaml.safe_load((HERE / "aside.yaml").read_text())["procedures"])
    golds = [gold for gold in read(OPEN_SET / "dialogues.jsonl.gz", Dialogue) if gold.origin["procedure"] not in aside]
    sure = {one.gold.id: _decided(one) for one in play(benchmark("almita"), golds, "gold", match)}
    yield Share("replies", "gold", sum(sure.values()), len(sure))
    rows = [row for row in graded_replies(OPEN_SET, match) if row.dialogue in sure]
    for name in ("right", "wrong"):
        mine = [row for row in rows if row.label == name]
        yield Share("replies", name, sum(sure[row.dialogue] and row.verdict != "unsure" for row in mine), len(mine))


def _mutants(golds: Sequence[Dialogue], kind: str) -> AgentSpec:
    made: Mapping[str, Dialogue] = {
        gold.id: found.dialogue if (found := programs.mutant(gold, kind)) else gold for gold in golds
    }
    return AgentSpec(kind, lambda case: ScriptedAgent(script_of(case.replace(gold=made[case.id]))))


def _decided(one: Graded) -> bool:
    return Conversation(one.gold, one.trace, one.scores).decided


def main() -> None:
    """Print a line a suite and agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--similarity", default="lexical")
    match = TextMatch.of(parser.parse_args().similarity)
    with tempfile.TemporaryDirectory() as folder:
        found = [share for suite in suites(Path(folder)) for share in shares(suite, match)]
    for one in (*found, *reply_shares(match)):
        print(f"{one.suite:12} {one.agent:6} {one.decided:4} of {one.of:4}  {one.decided / one.of:6.1%}")


if __name__ == "__main__":
    main()
