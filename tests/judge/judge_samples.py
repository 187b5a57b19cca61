"""Questions, and models that answer them as a judge would, or should not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from toologue.judge.ask_judge import Judge
from toologue.models.model import Asked, ModelFault, ScriptedModel
from toologue.review.ledger import keep
from toologue.schema import Decision, Question, Verdict

REPLY = Question(
    kind="reply",
    brief="1. **Ask** for the number of the locker.\n2. **End**: say that a colleague comes to open {locker_id}.",
    history=("Customer: My locker does not open.", "Agent: What is its number?", "Customer: L-11"),
    step="say that a colleague comes to open {locker_id}",
    expected="A colleague comes to open L-11.",
    said="Somebody is on the way to L-11, and opens it for you.",
)
TEXT = Question(
    kind="text",
    history=('Customer: Message Ana: "I am late, start without me."',),
    expected={
        "argument": "text",
        "api": "SendMessage",
        "arguments": {"to": "ana", "text": "I am late, start without me."},
    },
    said={"argument": "Running late, please start", "arguments": {"to": "ana", "text": "Running late, please start"}},
)
EDGE = Question(kind="edge", expected="get_player takes player_id", said="list_players gives items[].id")


def prompt(asked: Asked) -> str:
    return asked.messages[0]["content"]


def mark(asked: Asked) -> str:
    """What the answer to a request must repeat."""
    found = re.search("begins and ends with ([0-9a-f]+)", prompt(asked))
    assert found
    return found[1]


def part(asked: Asked, name: str) -> str:
    """What a request shows under a name."""
    return prompt(asked).split(f"{mark(asked)} {name} {mark(asked)}\n")[1].split(f"\n{mark(asked)} end")[0]


def answer(asked: Asked, verdict: str, harm: str = "no harm", reason: str = "It says so.") -> str:
    return json.dumps({"mark": mark(asked), "reason": reason, "verdict": verdict, "harm": harm})


def always(verdict: str, harm: str = "no harm") -> Callable[[Asked], str]:
    return lambda asked: answer(asked, verdict, harm)


# What commands name as `judge_samples:RIGHT`, …
RIGHT, WRONG = (ScriptedModel(always(verdict)) for verdict in ("right", "wrong"))
SILENT = ScriptedModel(lambda asked: ModelFault("timeout", "'x' said nothing"))


def calibrated(reviews: Path, spec: str, agree: int, differ: int = 0) -> None:
    """Decisions of a judge and of a person on the same questions, half of them right."""
    who = Judge(spec, RIGHT).who
    for number in range(agree + differ):
        verdict: Verdict = "right" if number % 2 else "wrong"
        other: Verdict = "wrong" if number % 2 else "right"
        question = REPLY.replace(said=f"What was said {number} times.")
        made = Decision(question=question.key, kind="reply", verdict=verdict, by="judge", who=who)
        keep(reviews / "judges" / "somebody.jsonl", made)
        person = made.replace(verdict=verdict if number < agree else other, by="person", who="ana")
        keep(reviews / "ana.jsonl", person)
