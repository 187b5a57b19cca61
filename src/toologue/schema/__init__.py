"""The nouns. Everything that crosses a border of this package, or a file, is one of these frozen values.

Contract: nouns have no unknown keys and no NaN, and compare by value; `noun.replace(field=value)` gives a changed copy.
`RECORDS` are lines of JSONL files: `format` names noun and version, `key` is the hash of the content.

Example:
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello!")))
    >>> Dialogue.model_validate_json(hello.model_dump_json()) == hello
    True
    >>> hello.replace(id="other").key == hello.key
    False

Not covered: behaviour. A noun carries facts and what follows from them alone.
"""

from toologue.schema.api import Api, Compare, Parameter
from toologue.schema.case import (
    Case,
    DecidedBy,
    Mismatch,
    Outcome,
    ProtocolName,
    Score,
    Severity,
    Slip,
    Status,
    Stop,
    Trace,
    Verdict,
)
from toologue.schema.dialogue import (
    KINDS,
    MOVES,
    Brief,
    Cue,
    Dialogue,
    Edge,
    Flow,
    Move,
    Plan,
    Scenario,
    Setting,
    Similarities,
    ValueKind,
)
from toologue.schema.jsonl import Noun, Record
from toologue.schema.procedure import (
    Branch,
    Graph,
    GraphKind,
    Limit,
    Link,
    Node,
    NodeType,
    Procedure,
    Step,
    StepKind,
    Tries,
    Walk,
)
from toologue.schema.review import Blame, Decision, Question, QuestionKind, Rating, Repair, SecondReader, Vote
from toologue.schema.stack import Stacked
from toologue.schema.turn import (
    Act,
    AgentAction,
    AgentTurn,
    Call,
    Fault,
    FaultType,
    Invocation,
    Program,
    Result,
    Retrieve,
    Round,
    State,
    Turn,
    Usage,
    UserAction,
    UserTurn,
    answers,
    executable,
    invocations,
    place,
    rounds,
)
from toologue.schema.use import Ask, Example, Hint, Lines, Use

# The nouns that are lines of files, in the order of the stages.
RECORDS: tuple[type[Record], ...] = (
    Api,
    Edge,
    Use,
    Scenario,
    Procedure,
    Graph,
    Walk,
    Plan,
    Dialogue,
    Trace,
    Score,
    Outcome,
    Decision,
    Repair,
    Rating,
)

__all__ = [
    "KINDS", "MOVES", "RECORDS", "Act", "AgentAction", "AgentTurn", "Api", "Ask", "Blame", "Branch", "Brief", "Call",
    "Case", "Compare", "Cue", "DecidedBy", "Decision", "Dialogue", "Edge", "Example", "Fault", "FaultType", "Flow",
    "Graph", "GraphKind", "Hint", "Invocation", "Limit", "Lines", "Link", "Mismatch", "Move", "Node", "NodeType",
    "Noun", "Outcome", "Parameter", "Plan", "Procedure", "Program", "ProtocolName", "Question", "QuestionKind",
    "Rating", "Record", "Repair", "Result", "Retrieve", "Round", "Scenario", "Score", "SecondReader", "Setting",
    "Severity", "Similarities", "Slip", "Stacked", "State", "Status", "Step", "StepKind", "Stop", "Trace", "Tries",
    "Turn", "Usage", "Use", "UserAction", "UserTurn", "ValueKind", "Verdict", "Vote", "Walk", "answers", "executable",
    "invocations", "place", "rounds",
]  # fmt: skip
