"""Calendar, alarms and reminders. Tables, each `/<username>`: `Calendar`, `Alarm`, `Reminder` (id → row).

As in the published benchmark, a meeting is stored for its creator only, and alarms are times of day that never wrap
past midnight.
"""

from __future__ import annotations

from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import SUCCESS, TIME, Desk, between, bounds, check, moment
from toologue.worlds.store import Row


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
    check(event_type in ("meeting", "event"), f"Event type {event_type} not supported.")
    check(event_type != "meeting" or attendees, "Meeting must have attendees.")
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
    _row(desk, table, event_id, f"Event {event_id} not found.")
    desk.store.delete(table, event_id)
    return SUCCESS


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
    table = f"Calendar/{owner}"
    event = _row(desk, table, event_id, f"Event {event_id} not found.")

    def save(**fields: Any) -> None:
        nonlocal event
        event = {**event, **fields}
        desk.store.put(table, event_id, event)

    if new_name is not None:
        save(name=new_name)
    if new_start_time is not None:
        check(new_end_time is not None, "new_end_time must be provided if new_start_time is provided.")
        _check_times(desk, new_start_time, new_end_time)
        save(start_time=new_start_time, end_time=new_end_time)
    check(
        new_start_time is not None or new_end_time is None,
        "new_start_time must be provided if new_end_time is provided.",
    )
    if new_description is not None:
        save(description=new_description)
    if new_location is not None:
        save(location=new_location)
    if new_attendees is not None:
        save(attendees=_with_caller(new_attendees, owner))
    return SUCCESS


def query_calendar(desk: Desk, /, session_token: Any, start_time: Any, end_time: Any) -> dict[str, Any]:
    """List the events that overlap a range, bounds included, in the order they were made."""
    owner = desk.owner(session_token)
    table = f"Calendar/{owner}"
    check(desk.store.exists(table), f"User {owner} has no events.")
    low, high = moment(start_time), moment(end_time)
    check(low <= high, "Start time must be before end time.")
    events = desk.store.rows(table).values()
    found = (e for e in events if moment(e["start_time"]) <= high and moment(e["end_time"]) >= low)
    return {"events": [dict(event) for event in found]}


def _check_times(desk: Desk, start_time: Any, end_time: Any) -> None:
    start, end = moment(start_time), moment(end_time)
    check(start <= end, "Start time must be before end time.")
    check(start >= desk.now and end >= desk.now, "Start time and end time must be in the future.")


def _with_caller(attendees: Any, owner: str) -> Any:
    """The attendees with the caller among them; None stays None."""
    return attendees if attendees is None or owner in attendees else [*attendees, owner]


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
    _row(desk, table, alarm_id, f"Alarm {alarm_id} not found.")
    desk.store.delete(table, alarm_id)
    return SUCCESS


def find_alarms(desk: Desk, /, session_token: Any, start_range: Any = None, end_range: Any = None) -> dict[str, Any]:
    """List the alarms within an inclusive range, in the order they were set."""
    table = f"Alarm/{desk.owner(session_token)}"
    if not desk.store.exists(table):
        return {"alarms": []}
    low, high = bounds(start_range, end_range, TIME, "Start range must be earlier than end range.")
    alarms = desk.store.rows(table).values()
    return {"alarms": [dict(alarm) for alarm in alarms if between(moment(alarm["time"], TIME), low, high)]}


def add_reminder(desk: Desk, /, session_token: Any, task: Any, due_date: Any = None) -> dict[str, Any]:
    """Add a reminder. Even a refused one leaves a (then empty) list behind."""
    table = f"Reminder/{desk.owner(session_token)}"
    desk.store.touch(table)
    if due_date is not None:
        try:
            moment(due_date)
        except ValueError:
            raise ToolError(f"Invalid due_date: {due_date}") from None
    reminder_id = desk.draw("AddReminder", 2, 4)
    reminder = {"reminder_id": reminder_id, "task": task, "due_date": due_date, "status": "pending"}
    desk.store.put(table, reminder_id, reminder)
    return {"reminder_id": reminder_id}


def complete_reminder(desk: Desk, /, session_token: Any, reminder_id: Any) -> dict[str, Any]:
    """Tick a reminder off."""
    table, reminder = _reminder(desk, session_token, reminder_id)
    check(reminder["status"] != "complete", f"Reminder {reminder_id} already completed")
    desk.store.put(table, reminder_id, {**reminder, "status": "complete"})
    return SUCCESS


def delete_reminder(desk: Desk, /, session_token: Any, reminder_id: Any) -> dict[str, Any]:
    """Remove a reminder."""
    table, _ = _reminder(desk, session_token, reminder_id)
    desk.store.delete(table, reminder_id)
    return SUCCESS


def get_reminders(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """List all reminders, completed ones too, in the order they were added."""
    reminders = desk.store.rows(f"Reminder/{desk.owner(session_token)}").values()
    return {"reminders": [dict(reminder) for reminder in reminders]}


def _reminder(desk: Desk, session_token: Any, reminder_id: Any) -> tuple[str, Row]:
    owner = desk.owner(session_token)
    table = f"Reminder/{owner}"
    if not desk.store.exists(table):
        raise KeyError(owner)
    return table, _row(desk, table, reminder_id, f"Reminder {reminder_id} not found in database")


def _row(desk: Desk, table: str, name: Any, missing: str) -> Row:
    row = desk.store.get(table, name)
    if row is None:
        raise ToolError(missing)
    return row
