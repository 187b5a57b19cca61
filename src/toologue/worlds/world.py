"""Kinds of worlds: how one is made for a case, what it documents, and how its outcomes compare.

Contract: a registered world is a `Kind`. `make(case)` gives a fresh world; `fields` says per table (the part of its
name before the first `/`) how the fields of its rows compare; `equivalent` may judge whole calls where comparing
arguments one by one would be unfair, and answers None where it has no opinion; `counted` gives the arguments of a call
as they count in that comparison; `data_key` names the content of the files that a world reads.

Example:
    >>> kind_of("none").apis
    ()

Not covered: worlds that live in another process; wrap such a one and set `blocking = True`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from pydantic import JsonValue

from toologue import registry
from toologue.errors import BadSetting
from toologue.loop import World
from toologue.schema import Act, Api, Case, Compare, Fault, Invocation, Mismatch, Result, Setting

WorldFactory = Callable[[Case], World]
Equivalent = Callable[[Invocation, Invocation], Sequence[Mismatch] | None]
"""(predicted, gold) → what speaks against taking one for the other; empty: nothing; None: no opinion."""


def _no_data(setting: Setting) -> str:
    return ""


def _as_given(invocation: Invocation) -> Mapping[str, JsonValue]:
    return (invocation.act.arguments or {}) if invocation.act.kind == "call" else {}


def _no_opinion(predicted: Invocation, gold: Invocation) -> None:
    return None


@dataclass(frozen=True)
class Kind:
    """A registered kind of world."""

    make: WorldFactory
    documents: Callable[[], Sequence[Api]] = tuple[Api, ...]
    fields: Mapping[str, Mapping[str, Compare]] = field(default_factory=dict[str, Mapping[str, Compare]])
    equivalent: Equivalent = _no_opinion
    counted: Callable[[Invocation], Mapping[str, JsonValue]] = _as_given
    data_key: Callable[[Setting], str] = _no_data
    at: Callable[[Setting], Kind] | None = None
    """The kind that a setting makes of this one, where documents and fields depend on its arguments."""

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of what can be called in any world of this kind."""
        return self.documents()

    @cached_property
    def by_name(self) -> Mapping[str, Api]:
        """The documents by name."""
        return {api.name: api for api in self.apis}


def kind_of(name: str) -> Kind:
    """The kind of world that a name stands for."""
    return cast("Kind", registry.find("world", name))


def kind_at(setting: Setting) -> Kind:
    """The kind of world that a setting stands for, with the documents and fields that its arguments name."""
    kind = kind_of(setting.name)
    return kind if kind.at is None else kind.at(setting)


def make_world(case: Case) -> World:
    """A fresh world for a case. Wrong arguments are the dialogue's fault and say so."""
    try:
        return kind_of(case.world.name).make(case)
    except (TypeError, ValueError) as error:
        raise BadSetting(f"dialogue {case.id!r}: the world {case.world.name!r} cannot be made: {error}") from None


class _Nothing:
    """No world: every act fails."""

    apis: Sequence[Api] = ()

    def do(self, act: Act) -> Result:
        return Result(error=Fault(type="no world", message="this conversation has no world to execute acts in"))

    def mark(self) -> None:
        return None

    def rewind(self, mark: None) -> None:
        return None


def _nothing(case: Case) -> World:
    return _Nothing()


NONE = Kind(make=_nothing)
