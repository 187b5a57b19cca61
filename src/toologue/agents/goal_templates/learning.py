"""Learn the examples of `templates` from training dialogues: an author's command.

    python -m toologue.agents.goal_templates.learning DIALOGUES/train > .../goal_templates/templates.yaml

Contract: what it learns follows from the folder alone, and is what ships: a test compares. It reads dialogues as they
are written (`formats.program_dialogue`), nothing else.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, Program, UserTurn
    >>> act = Program(goal="1", status="final", code="raise ChitChat()")
    >>> turns = (UserTurn(text="Is the-attic dusty?"), AgentTurn(acts=(act,)), AgentTurn(text="Ha!"))
    >>> list(learnt(Dialogue(id="d-1", turns=turns), "d"))
    [{'words': 'is <bucket> dusty?', 'goal': 'd', 'raises': 'ChitChat'}]

Not covered: results; they are told by `wording`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toologue.agents.goal_templates.values import masked, read
from toologue.apis.source import read_source
from toologue.formats.program_dialogue import Written, dialogue_of
from toologue.schema import Dialogue, rounds

__all__ = ["learnt", "learnt_from"]


def learnt_from(folder: Path) -> Iterator[dict[str, Any]]:
    """The examples of all dialogues of a folder, in the order of their names."""
    for file in sorted(folder.glob("*.yaml")):
        written = Written.model_validate(read_source(file).data)
        yield from learnt(dialogue_of(written), written.goal)


def learnt(dialogue: Dialogue, goal: str) -> Iterator[dict[str, Any]]:
    """The examples of a dialogue: each of the user's turns, and the first program that it led to."""
    for said, did in rounds(dialogue.turns):
        words = "\n".join(turn.text for turn in said)
        acts = [act for turn in did for act in turn.acts if act.kind == "program"]
        if not words or not acts:
            continue
        example: dict[str, Any] = {"words": masked(words, read(words)), "goal": goal}
        if raised := re.match(r"\s*raise (\w+)\(", acts[0].code):
            example["raises"] = raised[1]
        yield example


def main(arguments: Sequence[str]) -> None:
    """Print the examples of a folder, one a line: flow-style YAML."""
    print("# What was learnt from the training dialogues; made by goal_templates.learning, not by hand.")
    for example in learnt_from(Path(arguments[0])):
        print(f"- {json.dumps(example, ensure_ascii=False)}")


if __name__ == "__main__":
    main(sys.argv[1:])
