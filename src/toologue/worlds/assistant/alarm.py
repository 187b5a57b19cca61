"""Alarm: alarms at a time of day. Table: `Alarm/<username>` (alarm_id → alarm_id, time "%H:%M:%S").

Not covered: dates, repetition, ranges that wrap past midnight.
"""

from __future__ import annotations

from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import TIME, Desk, Tool, between, moment


def add_alarm(desk: Desk, /, session_token: Any, time: Any) -> dict[str, Any]:
    """Set an alarm. The time is parsed before the session is looked at, and kept as it was written."""
    moment(time, TIME)
    owner = desk.owner(session_token)
    alarm_id = desk.draw("AddAlarm", 4, 4)
    desk.store.put(f"Alarm/{owner}", alarm_id, {"alarm_id": alarm_id, "time": time})
    return {"alarm_id": alarm_id}


def delete_alarm(desk: Desk, /, session_token: Any, alarm_id: Any) -> dict[str, Any]:
    """Remove an alarm."""
    table = f"Alarm/{desk.owner(session_token)}"
    if desk.store.get(table, alarm_id) is None:
        raise ToolError(f"Alarm {alarm_id} not found.")
    desk.store.delete(table, alarm_id)
    return {"status": "success"}


def find_alarms(desk: Desk, /, session_token: Any, start_range: Any = None, end_range: Any = None) -> dict[str, Any]:
    """List the alarms within an inclusive range, in the order they were set."""
    table = f"Alarm/{desk.owner(session_token)}"
    if not desk.store.exists(table):
        return {"alarms": []}
    low = None if start_range is None else moment(start_range, TIME)
    high = None if end_range is None else moment(end_range, TIME)
    if low is not None and high is not None and low > high:
        raise ToolError("Start range must be earlier than end range.")
    alarms = desk.store.rows(table).values()
    return {"alarms": [dict(alarm) for alarm in alarms if between(moment(alarm["time"], TIME), low, high)]}


TOOLS: dict[str, Tool] = {"AddAlarm": add_alarm, "DeleteAlarm": delete_alarm, "FindAlarms": find_alarms}
