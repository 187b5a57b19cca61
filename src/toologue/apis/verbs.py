"""What an operation does: its method, or, of a POST whose path ends in a verb, what that verb says.

>>> does("post", "/rooms.list"), does("post", "/rooms/{room_id}/delete"), does("post", "/rooms")
('get', 'delete', 'post')
>>> does("post", "/notes/{id}/read"), does("patch", "/rooms/list")
('post', 'patch')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from toologue.text.tokens import snake

Method = Literal["get", "put", "post", "delete", "patch"]
VERBS: Mapping[str, tuple[Method, frozenset[str]]] = {
    "create": ("post", frozenset(("create", "add", "new", "insert"))),
    "list": ("get", frozenset(("list", "search", "find", "query"))),
    "read": ("get", frozenset(("get", "info", "show", "retrieve", "view", "read", "describe", "inspect", "details"))),
    "update": ("patch", frozenset(("update", "edit", "modify", "change"))),
    "delete": ("delete", frozenset(("delete", "remove", "destroy"))),
}
_MARKS = ("read", "view")  # what a POST marks as such
_FORMAT = re.compile(r"[./](json|xml|yaml)$")
_DOTTED = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+")


def does(method: Method, path: str) -> Method:
    """The method that an operation stands for."""
    meant = VERBS[verb][0] if method == "post" and (verb := verb_of(method, steps_of(path))) else method
    return meant if meant in ("get", "delete") else method


def without_format(path: str) -> str:
    """A path without what its answer is written in."""
    return _FORMAT.sub("", path)


def steps_of(path: str) -> list[str]:
    """The steps of a path; `conversations.list` are two, and what an answer is written in is none."""
    steps = [step for step in without_format(path).split("/") if step]
    return [part for step in steps for part in (step.split(".") if _DOTTED.fullmatch(step) else [step])]


def verb_of(method: Method, steps: Sequence[str]) -> str:
    """The kind of the verb that a path ends in, or ""."""
    word = snake(steps[-1]) if steps else ""
    marks = method == "post" and word in _MARKS
    return "" if marks else next((verb for verb, (_, words) in VERBS.items() if word in words), "")
