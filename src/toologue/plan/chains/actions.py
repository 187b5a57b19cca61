"""The 16 actions of a dialogue about tools (ToolDial A.3), and which of them may follow which (figure 3).

`ACTIONS` says who does what; `GRAPH` is the action graph, from the three ways to open to the two ways to end. A step is
an action, or `request_multi`: the request that has the user choose among several results (A.9), which is a `request`
like any other to whoever hears it. `RULES` are what makes a walk through the graph a plausible conversation about one
wish and at most two APIs: each forbids a pattern of steps, and says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
