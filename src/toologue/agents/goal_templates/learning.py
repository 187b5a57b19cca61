"""Learn the examples of `templates` from training dialogues: an author's command.

    python -m toologue.agents.goal_templates.learning DIALOGUES/train > .../goal_templates/templates.yaml

Contract: what it learns follows from the folder alone, and is what ships: a test compares. It reads dialogues as they
are written, executes their programs in a fresh account, and lets the agent's `mind` follow them: the evidence of a turn
is what the agent would have had before it, had it done all that was right until then.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, Program, UserTurn
    >>> act = Program(goal="1", status="final", code="raise ChitChat()")
    >>> turns = (UserTurn(text="Is the-attic dusty?"), AgentTurn(acts=(act,)), AgentTurn(text="Ha!"))
    >>> (row,) = learnt(Dialogue(id="d-1", turns=turns), "d")
    >>> row["words"], row["does"], row["goal"]
    ('is <bucket> dusty?', 'ChitChat', 'd')

Not covered: results; they are told by `wording`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toologue.agents.goal_templates.deciding import weighed
from toologue.agents.goal_templates.goals import Goal, Mind
from toologue.agents.goal_templates.mind import follow
from toologue.agents.goal_templates.templates import Bank
from toologue.data import read_source
from toologue.formats.program_dialogue import Written, dialogue_of
from toologue.schema import Dialogue, Program, Turn
from toologue.schema.stack import completed
from toologue.worlds.programs import with_programs
from toologue.worlds.s3 import S3

__all__ = ["learnt", "learnt_from"]


def learnt_from(folder: Path) -> Iterator[dict[str, Any]]:
    """The examples of all dialogues of a folder, in the order of their names."""
    for file in sorted(folder.glob("*.yaml")):
        written = Written.model_validate(read_source(file).data)
        yield from learnt(dialogue_of(written), written.goal)


def learnt(dialogue: Dialogue, goal: str) -> Iterator[dict[str, Any]]:
    """The examples of a dialogue: each of the user's turns, the evidence, and what the first program did."""
    mind = Mind(Bank(()))
    for here in follow(mind, _lived(dialogue)):
        if here.done:
            words, there = here.heard.whole.text, list(weighed(mind, here.heard)[0])
            yield {"words": words, "does": _does(here.done[0].program, mind.goals), "evidence": there, "goal": goal}


def _lived(dialogue: Dialogue) -> Sequence[Turn]:
    """The turns with the results of their programs."""
    world = with_programs(S3(), name="s3")
    turns: list[Turn] = []
    for turn in completed(dialogue.turns):
        if turn.role == "agent" and turn.acts:
            final = [act.kind == "program" and act.status == "final" for act in turn.acts]
            turn = turn.but(
                results=tuple(world.do(act) if runs else None for act, runs in zip(turn.acts, final, strict=True))
            )
        turns.append(turn)
    return turns


def _does(act: Program, goals: Sequence[Goal]) -> str:
    """What a program does to the goals that there are."""
    if raised := re.match(r"\s*raise (\w+)\(", act.code):
        return raised[1]
    draft = next((one for one in goals if one.number == act.goal and one.status == "drafting"), None)
    if draft is None:
        return "new"
    if act.status == "abandoned":
        return "abandon"
    return "confirm" if act.status == "final" and act.code in ("", draft.code) else "revise"


def main(arguments: Sequence[str]) -> None:
    """Print the examples of a folder, one a line: flow-style YAML."""
    print("# What was learnt from the training dialogues; made by goal_templates.learning, not by hand.")
    for example in learnt_from(Path(arguments[0])):
        print(f"- {json.dumps(example, ensure_ascii=False)}")


if __name__ == "__main__":
    main(sys.argv[1:])
