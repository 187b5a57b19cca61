"""Programs in a transcript: each beside the gold's program of the same round, marked as calls are."""

from __future__ import annotations

from toologue.bench.benchmark import benchmark
from toologue.bench.dialog2api.files import SHIPPED, executed, read_folder
from toologue.models.similarity import TextMatch
from toologue.report.transcript import transcript
from toologue.report.view import Conversation
from toologue.report.words import findings
from toologue.schema import AgentTurn, Program, Trace, UserTurn

DIALOG2API = benchmark("dialog2api")
GOLD = executed(next(gold for gold in read_folder(SHIPPED) if gold.id == "list-buckets-1"))
DRAFT = AgentTurn(acts=(Program(goal="2", status="drafting", code="..."),), results=(None,))


def as_lived(code: str, value: object) -> Conversation:
    """The gold, but for the code and the result of its second program; before it the agent drafts one."""
    turns = list[UserTurn | AgentTurn]()
    number = 0
    for turn in GOLD.turns:
        if turn.role == "agent" and turn.acts:
            number += 1
            act, result = turn.acts[0], turn.results[0]
            assert result is not None
            if number == 2 and act.kind == "program":
                act = act.replace(code=code or act.code)
                result = result.replace(value=value if value is not None else result.value)
                turns.append(DRAFT)
            turn = turn.replace(acts=(act,), results=(result,))
        turns.append(turn)
    trace = Trace(case="c", dialogue=GOLD.id, protocol="recorded", agent="mine", turns=tuple(turns))
    graded = DIALOG2API.grade(DIALOG2API.part, "fixed", GOLD, trace, TextMatch.of("exact"))
    return Conversation(GOLD, trace, graded.scores)


def programs_of(conversation: Conversation, number: int) -> list[tuple[str, str]]:
    """The marks of gold's and the agent's program in each row that has one."""
    rows = transcript(conversation)["sections"][number]["rows"]
    both = [(row.gold, row.agent) for row in rows]
    return [
        (gold.mark if gold else "nothing", agent.mark if agent else "nothing")
        for gold, agent in both
        if "program" in (gold and gold.kind, agent and agent.kind)
    ]


def test_a_program_that_comes_to_the_same_stands_beside_the_golds() -> None:
    assert programs_of(as_lived("listed = s3.list_buckets()\nreturn listed", None), 2) == [
        ("nothing", "draft"),
        ("match", "match"),
    ]


def test_a_program_that_comes_to_something_else_is_wrong_in_its_round() -> None:
    lived = as_lived("return []", ["other"])
    assert programs_of(lived, 2) == [("nothing", "draft"), ("wrong", "wrong")]
    assert findings(lived)[0].where == "Round 3, program"
