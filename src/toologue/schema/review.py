"""What rules leave open, and what judges and people decide of it.

A question is one thing to look at: a reply beside the expected one, a free text of a call, or something generated. Its
key names what is looked at, and neither run nor case: whoever meets the same again finds the decision again. Decisions
are lines of files, one file a judge or reviewer; the last line on a question counts, and one that is undone says so.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Literal, Protocol

from pydantic import Field, JsonValue

from toologue import keys
from toologue.schema.case import DecidedBy, Severity, Verdict
from toologue.schema.jsonl import Noun, Record
from toologue.schema.turn import AgentTurn

QuestionKind = Literal["reply", "call", "text", "assertion", "edge", "procedure", "graph", "conversation"]

# Whose fault a rejected thing is.
Blame = Literal["agent", "gold", "grader", "simulator"]


class Question(Noun):
    """Something that a judge or a person looks at.

    `brief` is what the agent was told (the procedure), `history` the conversation so far, a line a turn or call, `step`
    the words of the procedure for what is expected. `verdict` and `why` are the rules', `notes` where it occurred.
    """

    kind: QuestionKind
    brief: str = ""
    history: tuple[str, ...] = ()
    step: str = ""
    expected: JsonValue = None
    said: JsonValue = None
    verdict: Verdict = "unsure"
    why: str = ""
    notes: dict[str, JsonValue] = Field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """16 hex digits that name what is looked at."""
        return keys.content_key([self.gold_key, self.kind, self.said])

    @cached_property
    def gold_key(self) -> str:
        """16 hex digits that name what is expected, whatever was said.

        Where the step is known it stands for all of the brief: what changes elsewhere in a procedure changes no key.
        """
        return keys.content_key([self.step or self.brief, self.history, self.expected])


class Vote(Noun):
    """One answer of a judge as it came, and what it was read as: unsure where it is no answer."""

    raw: str
    verdict: Verdict
    why: str = ""


class Decision(Record):
    """What a judge or a person decides of a question: the verdict, for which reasons, whose fault it is.

    `votes` are a judge's, raw. `undone`: the decision before it on this question does not count any more.
    """

    format: Literal["decision/1"] = "decision/1"
    question: str
    gold: str = ""
    kind: QuestionKind
    verdict: Verdict
    by: DecidedBy
    who: str
    reasons: tuple[str, ...] = ()
    blame: Blame | None = None
    severity: Severity | None = None
    votes: tuple[Vote, ...] = ()
    undone: bool = False
    at: str = ""
    notes: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def told(self) -> str:
        """What was decided, when and by whom: "accepted on 2025-05-17 by ana"."""
        what = {"right": "accepted", "wrong": "rejected", "unsure": "left open"}[self.verdict]
        return f"{what}{f' on {self.at[:10]}' if self.at else ''} by {self.who}"


class Repair(Record):
    """What is done about a gold's step that is blamed: one more that is as good, or (`instead`) one in its place."""

    format: Literal["repair/1"] = "repair/1"
    gold: str
    turn: AgentTurn
    instead: bool = False
    who: str = ""
    at: str = ""
    notes: dict[str, JsonValue] = Field(default_factory=dict)


class Rating(Record):
    """What a reader says of a conversation that they read blind: a number on each question, a yes being 1 and a no 0.

    `text` names what was read (a hash of its source and its lines), `said` are the lines, where they are ours to keep.
    `scales` are the ends of each question's scale; `words` what was said beside an answer, or (`remark`) of it all.
    """

    format: Literal["rating/1"] = "rating/1"
    text: str
    source: str
    who: str
    answers: dict[str, int]
    scales: dict[str, tuple[int, int]]
    words: dict[str, str] = Field(default_factory=dict)
    said: tuple[str, ...] = ()
    undone: bool = False
    at: str = ""


class SecondReader(Protocol):
    """Whom a grader asks about words: somebody who knows what judges and people have decided, or takes notes.

    `blames` are the keys of what is expected wrongly. `strict`: rules leave all to it that is not certain.
    """

    @property
    def blames(self) -> Collection[str]:
        """The gold keys of questions whose gold is blamed."""
        ...

    @property
    def strict(self) -> bool:
        """Whether rules decide only what is certain."""
        ...

    def settled(self, question: Question) -> Decision | None:
        """What counts as decided of a question; None leaves it to the rules."""
        ...

    def record(self) -> object:
        """What results carry: which decisions counted."""
        ...
