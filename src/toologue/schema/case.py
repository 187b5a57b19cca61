"""What is run and what comes of it: cases, traces, scores.

Traces of equal runs are equal bytes: clock times go to a sidecar of the run folder. Totals and bootstrap add the counts
of scores and then apply one function (hits / of, unless a metric registers its own), so a total is a micro average. A
missing score is None, never 0. What rules cannot decide is *unsure*: neither right nor wrong, until a judge or a person
says so. A score's counts take it for wrong, and say what they would gain if it were right.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue

from toologue import keys
from toologue.schema.dialogue import Brief, Dialogue, Setting
from toologue.schema.jsonl import Noun, Record
from toologue.schema.turn import Turn

# How the gold takes part while an agent is asked (see `toologue.loop`).
ProtocolName = Literal["next", "forced", "recorded", "live"]

# Why a conversation ended: gold is used up, the user left, too many rounds, out of time, the agent broke.
Stop = Literal["done", "user", "cap", "timeout", "error"]


Verdict = Literal["right", "wrong", "unsure"]

# How bad a wrong step is, from light to heavy.
Severity = Literal[
    "no harm", "no answer", "wrong information", "missing write", "wrong write", "leak", "obeyed an attack"
]

# What decides a verdict: what was done, a value that was said or given, a rule about words, a model, a reviewer.
DecidedBy = Literal["execution", "value", "rule", "judge", "person"]
# What became of a conversation. It is unsure where it would have passed if all that is unsure were right.
Status = Literal["failed", "unsure", "unscored", "passed"]


class Case(Noun):
    """One run of one dialogue. `key` is the unit of resume: equal content, equal key.

    `data` names the content of files that the world reads. `cap` bounds the agent's turns in one round, `rounds` the
    rounds of a `live` conversation; `see` names labels of the gold (action, state, thought) that the history may show.
    """

    id: str
    gold: Dialogue | None = None
    brief: Brief = Brief()
    world: Setting = Setting()
    data: str = ""
    protocol: ProtocolName
    trial: int = 0
    seed: int = 0
    see: tuple[str, ...] = ()
    cap: int = Field(default=50, ge=1)
    rounds: int = Field(default=50, ge=1)

    @cached_property
    def key(self) -> str:
        """16 hex digits that name this case, gold and brief included."""
        rest = self.model_dump(mode="json", exclude={"gold", "brief"})
        told = [self.brief.instructions, self.brief.facts, [api.key for api in self.brief.apis]]
        return keys.content_key([rest, told, self.gold and self.gold.key])

    def blind(self) -> Case:
        """This case without its gold and its world: all that an agent under test may read."""
        return self.replace(gold=None, world=Setting())


class Trace(Record):
    """A dialogue as lived. Aligned with the gold by index (`next`) or by round (`forced`, `recorded`)."""

    format: Literal["trace/1"] = "trace/1"
    case: str
    dialogue: str
    protocol: ProtocolName
    agent: str
    trial: int = 0
    seed: int = 0
    turns: tuple[Turn, ...] = ()
    stop: Stop = "done"
    extra: dict[str, JsonValue] = Field(default_factory=dict)


class Mismatch(Noun):
    """One difference: in which turn (index in the trace, or in the gold for what is missing) and act, which field.

    It makes the step wrong, or leaves it unsure. `by` is what decided that, `severity` what it does to the customer.
    """

    turn: int | None = None
    act: int | None = None
    field: str = ""
    expected: JsonValue = None
    actual: JsonValue = None
    why: str = ""
    verdict: Literal["wrong", "unsure"] = "wrong"
    by: DecidedBy | None = None
    severity: Severity | None = None


class Score(Record):
    """One metric of one trace. `counts` add up; `value` is None where there was nothing to score, and `why` says so.

    Counts and value take what is unsure for wrong; `unsure` is what the counts would gain if all of it were right.
    """

    format: Literal["score/1"] = "score/1"
    metric: str
    dialogue: str
    case: str = ""
    counts: dict[str, float] = Field(default_factory=dict)
    unsure: dict[str, float] = Field(default_factory=dict)
    value: float | None = None
    why: str = ""
    at: tuple[Mismatch, ...] = ()


class Slip(Noun):
    """Where a conversation went wrong: the node of its procedure, the tool, the severity; "" where there is none."""

    node: str = ""
    tool: str = ""
    severity: str = ""


class Outcome(Record):
    """One trial of a dialogue as an agent lived it: whether it passed, and what each metric counted.

    `expected` is a key of the gold's turns, `lived` one of what was said and done: equal keys, equal words and acts.
    `toologue` and `grader` say who graded (a version, a key of rules and similarity).
    """

    format: Literal["outcome/1"] = "outcome/1"
    dialogue: str
    trial: int = 0
    status: Status
    procedure: str = ""
    slips: tuple[Slip, ...] = ()
    counts: dict[str, dict[str, float]] = Field(default_factory=dict)
    unsure: dict[str, dict[str, float]] = Field(default_factory=dict)
    agent: str = ""
    toologue: str = ""
    grader: str = ""
    expected: str = ""
    lived: str = ""
