"""The actions of a dialogue about tools, which may follow which, and the sequences that they make (ToolDial A.3, A.9).

Every walk through `GRAPH`, the action graph (figure 3), that breaks none of the `RULES` is a sequence. The paper prints
23, in tables 11 (two APIs), 12 (one API) and 13 (nobody can help); a key is table and row, "11.8". The published code
has three more, `code.1` to `code.3`, in which nobody is asked anything after the failure: neither API needs more, or
the user said at once what the thing is called.

A step is an action, or `request_multi`: the request that has the user choose among several results. Each is met in a
situation: what is in hand then (target or source), which values are asked for or told (`TABLE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple

from toologue.schema import AgentAction, UserAction

ActionName = UserAction | AgentAction
Step = UserAction | AgentAction | Literal["request_multi"]


class Action(NamedTuple):
    """One action: who does it, what it means, whether the user gets to hear it."""

    name: ActionName
    who: Literal["user", "agent"]
    meaning: str
    spoken: bool = True


ACTIONS: Mapping[ActionName, Action] = {
    action.name: action
    for action in (
        Action("inform_intent_clear", "user", "says what is wanted, so plainly that only one API can be meant"),
        Action("inform_intent_clear_add", "user", "says plainly what is wanted, and gives one of the values for it"),
        Action("inform_intent_vague", "user", "says what is wanted, and leaves open which API would do it"),
        Action("inform", "user", "gives the values that were asked for"),
        Action("fail_inform", "user", "does not know one of the values; may give the others"),
        Action("affirm", "user", "agrees to what the agent proposes"),
        Action("negate", "user", "turns down what the agent proposes"),
        Action("user_bye", "user", "says thanks, and goodbye"),
        Action("request", "agent", "asks for values that a call needs, or which of several results is meant"),
        Action("response", "agent", "answers the wish with what the call returned"),
        Action("clarify", "agent", "asks what exactly is wanted"),
        Action("suggest", "agent", "proposes what may have been meant, and asks whether it was"),
        Action("response_fail", "agent", "says that the wish cannot be served with what is known"),
        Action("system_bye", "agent", "says goodbye"),
        Action("call", "agent", "calls an API, and says nothing yet", spoken=False),
        Action("retriever_call", "agent", "looks for an API: for the wish, or for a value nobody knows", spoken=False),
    )
}

OPENINGS: tuple[Step, ...] = ("inform_intent_clear", "inform_intent_clear_add", "inform_intent_vague")

# What may follow a step. What nothing follows ends the conversation.
GRAPH: Mapping[Step, tuple[Step, ...]] = {
    "inform_intent_clear": ("retriever_call",),
    "inform_intent_clear_add": ("retriever_call",),
    "inform_intent_vague": ("retriever_call",),
    "retriever_call": ("clarify", "suggest", "request", "call"),
    "clarify": ("inform_intent_clear", "inform_intent_clear_add"),
    "suggest": ("affirm", "negate"),
    "affirm": ("request",),
    "negate": ("response_fail",),
    "request": ("inform", "fail_inform"),
    "request_multi": ("inform",),
    "inform": ("call",),
    "fail_inform": ("retriever_call",),
    "call": ("call", "request", "request_multi", "response"),
    "response": ("user_bye",),
    "user_bye": ("system_bye",),
    "response_fail": (),
    "system_bye": (),
}


class Rule(NamedTuple):
    """A pattern over steps, joined by blanks, that no conversation shows, and why."""

    name: str
    why: str
    forbids: str


RULES: tuple[Rule, ...] = (
    Rule(
        "doubts are cleared",
        "after a vague wish the retriever is sure of nothing: the agent proposes, or asks what is wanted",
        r"vague retriever_call (request|call)",
    ),
    Rule(
        "no doubts without cause",
        "a clear wish needs no second question, nor does the search for a value",
        r"(clear|add|fail_inform) retriever_call (clarify|suggest)",
    ),
    Rule(
        "values come before calls",
        "with a clear wish and nothing else, there is still something to ask",
        r"intent_clear retriever_call call",
    ),
    Rule(
        "the second API has a cause",
        "there are two calls where the user does not know a value, and only there",
        r"^(?!.*fail_inform).*\bcall (call|request)|fail_inform(?!.*\bcall\b.*\bcall\b).*response",
    ),
    Rule("at most two APIs", "a value that is missing is found by one call", r"(\bcall\b.*){3}"),
    Rule(
        "nobody fails twice",
        "the value is missing when the agent first asks; what the first call needs, the user knows",
        r"(\bcall\b|fail_inform).*fail_inform",
    ),
    Rule(
        "who volunteers knows", "a user who gives values with the wish knows the others too", r"clear_add.*fail_inform"
    ),
)


def action_of(step: Step) -> ActionName:
    """The action that a step is."""
    return "request" if step == "request_multi" else step


def broken_rule(steps: Sequence[Step]) -> Rule | None:
    """The first rule that steps break, if there is one. What breaks a rule goes on breaking it."""
    text = " ".join(steps)
    return next((rule for rule in RULES if re.search(rule.forbids, text)), None)


# Whether the source takes parameters, and whether the target takes others than the chained one.
Category = Literal["yesyes", "yeszero", "zeroyes", "zerozero"]
# Whether the user knows the chained parameter; else the source finds it, as the only value or as one of several.
Fit = Literal["knowable", "single", "multi"]
# What users have in mind who lack an id: a name of the thing (by which the source finds it), nothing yet (they choose
# from what is found), the one thing there is; or they are asked for the id, as in the paper.
Mind = Literal["name", "open", "one", "id"]

# The rows of the paper's tables, by course and opening.
_ROWS: Mapping[str, Mapping[str, str]] = {
    "request inform call call": {"clear": "11.8", "clarify": "11.11", "suggest": "11.1"},
    "request inform call request inform call": {"clear": "11.7", "clarify": "11.5", "suggest": "11.12"},
    "request inform call request_multi inform call": {"clear": "11.13", "clarify": "11.4", "suggest": "11.10"},
    "call request inform call": {"clear": "11.9", "clarify": "11.3", "suggest": "11.2"},
    "call request_multi inform call": {"clear": "11.6", "clarify": "11.14", "suggest": "11.15"},
    "call call": {"clear": "code.1", "clarify": "code.2", "suggest": "code.3"},
    "request inform call": {
        "clear": "12.7", "clarify": "12.1", "suggest": "12.3", "add": "12.5", "clarify add": "12.4",
    },
    "call": {"add": "12.6", "clarify add": "12.2"},
    "negate": {"suggest": "13.1"},
}  # fmt: skip

_TURNING_POINT = re.compile(r"\b(?:retriever_call|suggest|affirm) ")
_ENDING = re.compile(r" (?:response user_bye system_bye|response_fail)$")


@dataclass(frozen=True)
class ActionSequence:
    """One way a conversation may go."""

    steps: tuple[Step, ...]

    @cached_property
    def key(self) -> str:
        """Its row in the paper."""
        return _ROWS[self.course][self.opening]

    @cached_property
    def actions(self) -> tuple[ActionName, ...]:
        """The actions of its turns."""
        return tuple(action_of(step) for step in self.steps)

    @property
    def published_code_only(self) -> bool:
        """Whether the paper does not have it, and the published code does."""
        return self.key.startswith("code.")

    @cached_property
    def apis(self) -> int:
        """How many calls it makes."""
        return self.steps.count("call")

    @cached_property
    def course(self) -> str:
        """What happens once the wish is plain and, where a value is missing, the source is found; without the end."""
        return _TURNING_POINT.split(_ENDING.sub("", " ".join(self.steps)))[-1]

    @cached_property
    def opening(self) -> str:
        """How the wish becomes plain: clear at once, clarified, suggested; add where a value comes with it."""
        opening = [name for name in ("clarify", "suggest") if name in self.steps]
        return " ".join([*opening, *(["add"] if self.adds else [])]) or "clear"

    @cached_property
    def fails(self) -> bool:
        """Whether the user does not know something."""
        return "fail_inform" in self.steps

    @cached_property
    def adds(self) -> bool:
        """Whether the user gives a value with the wish."""
        return "inform_intent_clear_add" in self.steps

    @cached_property
    def chooses(self) -> bool:
        """Whether the user chooses among several results."""
        return "request_multi" in self.steps

    @cached_property
    def keeps_back(self) -> bool:
        """Whether the user who lacks a value gives no other either, and is asked for the rest later (A.5)."""
        return self.fails and "call request " in self.course


def derive_sequences() -> Iterator[ActionSequence]:
    """Every walk from an opening to an end that breaks no rule, in the order of the graph."""
    return (ActionSequence(steps) for opening in OPENINGS for steps in _walks((opening,)))


@cache
def fitting(category: Category, fit: Fit, *, published_code: bool = False) -> tuple[ActionSequence, ...]:
    """The sequences for pairs of this category and fit; those of the published code only where asked for."""
    known = (one for one in SEQUENCES.values() if published_code or not one.published_code_only)
    return tuple(one for one in known if not unfit_reason(one, category, fit))


def unfit_reason(sequence: ActionSequence, category: Category, fit: Fit) -> str:
    """Why a sequence does not fit a pair; nothing where it does."""
    source, rest = category.startswith("yes"), category.endswith("yes")
    requests = sequence.course.startswith("request")
    if sequence.apis == 1:
        if fit != "knowable":
            return "it has no second API, and users do not know the parameter"
        if sequence.adds and rest != requests:
            return "there is more to ask than what comes unasked" if rest else "nothing is left to ask"
    if sequence.apis == 2:
        if fit == "knowable":
            return "the user fails to tell what users know"
        if sequence.chooses != (fit == "multi"):
            there = "more than one" if fit == "multi" else "one result"
            return f"it has {'a' if sequence.chooses else 'no'} choice among results, and there is {there}"
        if source and not requests:
            return "it does not ask for what the source needs"
        if not source and requests:
            return "it asks for what the source needs, and the source needs nothing"
        if sequence.keeps_back and not rest:
            return "it asks for the rest, and there is none"
    return ""


def _walks(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    if broken_rule(steps):
        return
    if not GRAPH[steps[-1]]:
        yield steps
    for step in GRAPH[steps[-1]]:
        yield from _walks((*steps, step))


# All of them by key, in the paper's order, then those of the published code.
SEQUENCES: Mapping[str, ActionSequence] = {
    one.key: one for one in sorted(derive_sequences(), key=lambda one: (one.key[:2], len(one.key), one.key))
}


Hand = Literal["target", "source"]


class Row(NamedTuple):
    """What a situation is about: the API in hand; the group of values that is asked for or told."""

    hand: Hand | None = None
    group: str = ""


TABLE: Mapping[str, Row] = {
    "inform_intent_clear_add": Row(group="add"),
    "ask target": Row("target", "target"),
    "tell target": Row(group="target"),
    "fail": Row(group="kept"),
    "find source": Row("target"),
    "ask source": Row("source", "source"),
    "tell source": Row(group="source"),
    "call source": Row("source"),
    "ask rest": Row("target", "rest"),
    "tell rest": Row(group="rest"),
    "ask choice": Row("target", "choice"),
    "tell choice": Row(group="choice"),
    "call target": Row("target"),
    "response": Row("target"),
    "system_bye": Row("target"),
}
NOTHING = Row()


@cache
def situations(sequence: ActionSequence) -> tuple[str, ...]:
    """The situation in which each step of a sequence is met."""
    made: list[str] = []
    asked, missing, calls = "target", False, 0
    for step in sequence.steps:
        match step:
            case "request" | "request_multi":
                first = "target" if not missing else "rest" if calls else "source"
                asked = "choice" if step == "request_multi" else first
                made.append(f"ask {asked}")
            case "inform":
                made.append(f"tell {asked}")
            case "fail_inform":
                missing = True
                made.append("fail")
            case "retriever_call":
                made.append("find source" if missing else "find target")
            case "call":
                made.append("call source" if missing and not calls else "call target")
                calls += 1
            case _:
                made.append(step)
    return tuple(made)
