"""Calendar: events and meetings. Table: `Calendar/<username>` (event_id → event, eight fields).

Not covered: recurrence, time zones, invitations (a meeting is stored for its creator only).
"""

from __future__ import annotations

from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk, Tool, moment


def create_event(
    desk: Desk,
    /,
    session_token: Any,
    name: Any,
    event_type: Any,
    start_time: Any,
    end_time: Any,
    description: Any = None,
    location: Any = None,
    attendees: Any = None,
) -> dict[str, Any]:
    """Add an event. A meeting needs attendees; the caller is added to them."""
    if event_type not in ("meeting", "event"):
        raise ToolError(f"Event type {event_type} not supported.")
    if event_type == "meeting" and not attendees:
        raise ToolError("Meeting must have attendees.")
    owner = desk.owner(session_token)
    _check_times(desk, start_time, end_time)
    event_id = desk.draw("CreateEvent", 8, 4)
    event = {
        "event_id": event_id,
        "name": name,
        "event_type": event_type,
        "description": description,
        "start_time": start_time,
        "end_time": end_time,
        "location": location,
        "attendees": _with_caller(attendees, owner),
    }
    desk.store.put(f"Calendar/{owner}", event_id, event)
    return {"event_id": event_id}


def delete_event(desk: Desk, /, session_token: Any, event_id: Any) -> dict[str, Any]:
    """Remove an event."""
    table = f"Calendar/{desk.owner(session_token)}"
    if desk.store.get(table, event_id) is None:
        raise ToolError(f"Event {event_id} not found.")
    desk.store.delete(table, event_id)
    return {"status": "success"}


def modify_event(
    desk: Desk,
    /,
    session_token: Any,
    event_id: Any,
    new_name: Any = None,
    new_start_time: Any = None,
    new_end_time: Any = None,
    new_description: Any = None,
    new_location: Any = None,
    new_attendees: Any = None,
) -> dict[str, Any]:
    """Change an event. What was written before a check fails stays written."""
    owner = desk.owner(session_token)
    event = desk.store.get(f"Calendar/{owner}", event_id)
    if event is None:
        raise ToolError(f"Event {event_id} not found.")

    def save(**fields: Any) -> None:
        nonlocal event
        event = {**(event or {}), **fields}
        desk.store.put(f"Calendar/{owner}", event_id, event)

    if new_name is not None:
        save(name=new_name)
    if new_start_time is not None:
        if new_end_time is None:
            raise ToolError("new_end_time must be provided if new_start_time is provided.")
        _check_times(desk, new_start_time, new_end_time)
        save(start_time=new_start_time, end_time=new_end_time)
    elif new_end_time is not None:
        raise ToolError("new_start_time must be provided if new_end_time is provided.")
    if new_description is not None:
        save(description=new_description)
    if new_location is not None:
        save(location=new_location)
    if new_attendees is not None:
        save(attendees=_with_caller(new_attendees, owner))
    return {"status": "success"}


def query_calendar(desk: Desk, /, session_token: Any, start_time: Any, end_time: Any) -> dict[str, Any]:
    """List the events that overlap a range, bounds included, in the order they were made."""
    owner = desk.owner(session_token)
    table = f"Calendar/{owner}"
    if not desk.store.exists(table):
        raise ToolError(f"User {owner} has no events.")
    low, high = moment(start_time), moment(end_time)
    if low > high:
        raise ToolError("Start time must be before end time.")
    events = desk.store.rows(table).values()
    found = (e for e in events if moment(e["start_time"]) <= high and moment(e["end_time"]) >= low)
    return {"events": [dict(event) for event in found]}


TOOLS: dict[str, Tool] = {
    "CreateEvent": create_event,
    "DeleteEvent": delete_event,
    "ModifyEvent": modify_event,
    "QueryCalendar": query_calendar,
}


def _check_times(desk: Desk, start_time: Any, end_time: Any) -> None:
    start, end = moment(start_time), moment(end_time)
    if start > end:
        raise ToolError("Start time must be before end time.")
    if start < desk.now or end < desk.now:
        raise ToolError("Start time and end time must be in the future.")


def _with_caller(attendees: Any, owner: str) -> Any:
    """The attendees with the caller among them; None stays None."""
    if attendees is None or owner in attendees:
        return attendees
    return [*attendees, owner]
