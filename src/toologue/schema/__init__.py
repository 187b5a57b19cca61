"""The nouns. Everything that crosses a border of this package, or a file, is one of these frozen values."""

from toologue.schema.act import Act, Call, Fault, Program, Result, Retrieve, executable
from toologue.schema.api import Api, Compare, Parameter
from toologue.schema.case import Case, ProtocolName, Stop, Trace
from toologue.schema.cue import KINDS, MOVES, Cue, Move, Plan, ValueKind
from toologue.schema.dialogue import Brief, Dialogue, Edge, Setting, Similarities
from toologue.schema.graph import Graph, GraphKind, Link, Node, NodeType, Tries, Walk
from toologue.schema.noun import Noun, Record
from toologue.schema.procedure import Branch, Limit, Procedure, Step, StepKind
from toologue.schema.scenario import Flow, Scenario
from toologue.schema.score import Mismatch, Score
from toologue.schema.stack import Stacked
from toologue.schema.turn import (
    AgentAction,
    AgentTurn,
    Invocation,
    Round,
    State,
    Turn,
    Usage,
    UserAction,
    UserTurn,
    invocations,
    place,
    rounds,
)

RECORDS: tuple[type[Record], ...] = (Api, Edge, Scenario, Procedure, Graph, Walk, Plan, Dialogue, Trace, Score)
"""The nouns that are lines of files, in the order of the stages."""

__all__ = [
    "KINDS",
    "MOVES",
    "RECORDS",
    "Act",
    "AgentAction",
    "AgentTurn",
    "Api",
    "Branch",
    "Brief",
    "Call",
    "Case",
    "Compare",
    "Cue",
    "Dialogue",
    "Edge",
    "Fault",
    "Flow",
    "Graph",
    "GraphKind",
    "Invocation",
    "Limit",
    "Link",
    "Mismatch",
    "Move",
    "Node",
    "NodeType",
    "Noun",
    "Parameter",
    "Plan",
    "Procedure",
    "Program",
    "ProtocolName",
    "Record",
    "Result",
    "Retrieve",
    "Round",
    "Scenario",
    "Score",
    "Setting",
    "Similarities",
    "Stacked",
    "State",
    "Step",
    "StepKind",
    "Stop",
    "Trace",
    "Tries",
    "Turn",
    "Usage",
    "UserAction",
    "UserTurn",
    "ValueKind",
    "Walk",
    "executable",
    "invocations",
    "place",
    "rounds",
]
