"""The assistant: 7 plugins, 28 stateful tools (ToolTalk 2.1, appendix A), simulated on a copy-on-write store.

Contract: arguments arrive raw, so that errors have the kinds of the published simulation. `Result.error.type` is

    APIException   the tool refuses: the message is what the agent should read
    executor       unknown tool, not logged in, second login
    parse          the arguments were not a JSON object
    TypeError, KeyError, ValueError, AttributeError   what the arguments did to the simulation

Tools that need a session get `session_token` injected; one that the agent gives is overwritten (`Result.arguments`).

Example:
    >>> from toologue.schema import Call
    >>> world = Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True)
    >>> world.do(Call(api="AddAlarm", arguments={"time": "06:30:00"})).value
    {'alarm_id': '5bff-dd80'}

Not covered: more than one session; the texts of errors that Python makes are those of the running interpreter.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue, TypeAdapter

from toologue.errors import ToolError, summary
from toologue.schema import Act, Api, Fault, Invocation, Mismatch, Result
from toologue.worlds.assistant import account, calendar, mail, weather
from toologue.worlds.assistant.desk import Desk, Tool, data_key, export, load
from toologue.worlds.store import Stateful, own
from toologue.worlds.world import Kind, failure

__all__ = ["ASSISTANT", "TOOLS", "Assistant", "apis", "missing"]

TOOLS: dict[str, Tool] = {
    name.title().replace("_", ""): tool
    for plugin in (account, calendar, mail, weather)
    for name, tool in inspect.getmembers(plugin, inspect.isfunction)
    if tool.__module__ == plugin.__name__ and not name.startswith("_")
}
# Searches: the field of the result that lists what was found, and the field that names one of them.
_IDS = {
    "FindAlarms": ("alarms", "alarm_id"),
    "GetReminders": ("reminders", "reminder_id"),
    "QueryCalendar": ("events", "event_id"),
    "SearchInbox": ("emails", "email_id"),
    "SearchMessages": ("messages", "message_id"),
}


class Assistant(Stateful):
    """One user's assistant. `databases`: a folder, or `starter`; `now`: "%Y-%m-%d %H:%M:%S"."""

    def __init__(
        self,
        databases: str = "starter",
        *,
        user: str | None = None,
        now: str,
        logged_in: bool = False,
        session_token: str = "98a5a87a-7714-b404",
        verification_code: str | None = None,
    ):
        self._desk = Desk(load(databases), now)
        if logged_in and user is not None:
            self._desk.log_in(user, session_token)
        if verification_code is not None and user is not None:
            self._desk.store.put("VerificationCode", user, {"code": verification_code})
        super().__init__(self._desk.store)

    @property
    def apis(self) -> Sequence[Api]:
        """The documents of the 28 tools."""
        return apis()

    def do(self, act: Act) -> Result:
        """Execute a call."""
        if act.kind != "call":
            return failure("executor", f"the assistant has no {act.kind} acts")
        if act.arguments is None:
            return failure("parse", "Failed to parse API call")
        name, arguments = act.api, own(act.arguments)
        tool, session = TOOLS.get(name), self._desk.session
        if tool is None:
            return failure("executor", f"API {name} not found")
        allowed, required = _signature(name)
        if "session_token" in allowed:
            if session is None:
                return failure("executor", "User is not logged in")
            arguments["session_token"] = session["token"]
        if name in ("UserLogin", "RegisterUser") and session is not None:
            user = session["username"]
            return failure("executor", f"Only one user can be logged in at a time. Current user is {user}.")
        value, error = None, None
        try:
            if unknown := sorted(arguments.keys() - allowed):
                raise TypeError(f"{name} got an unexpected argument {unknown[0]!r}")
            if missing := [argument for argument in required if argument not in arguments]:
                raise TypeError(f"{name} is missing the argument {missing[0]!r}")
            value = tool(self._desk, **arguments)
        except ToolError as refusal:
            error = Fault(type="APIException", message=str(refusal))
        except (TypeError, KeyError, ValueError, AttributeError) as crash:
            kind, text = summary(crash)
            error = Fault(type=kind, message=text)
        changes, created = self._desk.store.take()
        executed = None if arguments == act.arguments else arguments
        return Result(value=value, error=error, arguments=executed, changes=changes, created=created)

    def databases(self) -> dict[str, dict[str, Any]]:
        """The databases as files would hold them now."""
        return export(self._desk.store)

    @property
    def session_token(self) -> str | None:
        """The token of the running session."""
        return (self._desk.session or {}).get("token")


@cache
def apis() -> tuple[Api, ...]:
    """The documents of the 28 tools."""
    return TypeAdapter(tuple[Api, ...]).validate_json((Path(__file__).parent / "apis.json").read_bytes())


@cache
def _signature(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """(all argument names, those without a default) of a tool."""
    parameters = list(inspect.signature(TOOLS[name]).parameters.values())[1:]
    return frozenset(p.name for p in parameters), tuple(p.name for p in parameters if p.default is p.empty)


def missing(predicted: Invocation, gold: Invocation) -> Sequence[Mismatch] | None:
    """A search is as good as the expected one if it finds all that the expected one found (ToolTalk 2.1).

    Where nothing was to be found, the arguments decide.
    """
    act = gold.act
    if act.kind != "call" or act.api not in _IDS or predicted.result.error is not None:
        return None
    wanted, found = _found(act.api, gold.result.value), _found(act.api, predicted.result.value)
    if not wanted:
        return None
    unfound: list[JsonValue] = [row for row in wanted if row not in found]
    return [Mismatch(field="result", expected=unfound, actual=found, why="not all was found")] if unfound else []


def counted(invocation: Invocation) -> Mapping[str, JsonValue]:
    """The arguments as they count: who makes a meeting attends it, whether the call says so or not."""
    act, changes = invocation.act, invocation.result.changes
    arguments = (act.arguments or {}) if act.kind == "call" else {}
    name = next((name for name in ("attendees", "new_attendees") if arguments.get(name)), None)
    row = next(iter(changes.values()), None)
    return {**arguments, name: row["attendees"]} if name is not None and isinstance(row, dict) else arguments


def _found(api: str, value: Any) -> list[JsonValue]:
    rows, id_field = _IDS[api]
    listed: Any = cast("dict[str, Any]", value).get(rows) if isinstance(value, dict) else None
    members = cast("list[Any]", listed) if isinstance(listed, list) else []
    return [cast("dict[str, JsonValue]", row).get(id_field) for row in members if isinstance(row, dict)]


ASSISTANT = Kind(
    make=lambda case: Assistant(**cast("dict[str, Any]", case.world.arguments)),
    documents=apis,
    missing=missing,
    counted=counted,
    data_key=lambda setting: data_key(str(setting.arguments.get("databases", "starter"))),
    fields={
        "Account": {"email": "folded", "name": "folded"},
        "Alarm": {"time": "moment"},
        "Calendar": {
            **{"name": "text", "description": "text", "location": "text"},
            **{"start_time": "moment", "end_time": "moment", "attendees": "set"},
        },
        "Reminder": {"task": "text", "due_date": "date"},
        "SentEmail": {"to": "set", "subject": "text", "body": "prose"},
        "SentMessage": {"message": "prose"},
        "VerificationCode": {"code": "ignored"},
    },
)
