"""Reminder: a to-do list. Table: `Reminder/<username>` (reminder_id → reminder_id, task, due_date, status).

Not covered: notifications; a reminder never goes off.
"""

from __future__ import annotations

from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk, Tool, moment
from toologue.worlds.store import Row


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
    table, reminder = _find(desk, session_token, reminder_id)
    if reminder["status"] == "complete":
        raise ToolError(f"Reminder {reminder_id} already completed")
    desk.store.put(table, reminder_id, {**reminder, "status": "complete"})
    return {"status": "success"}


def delete_reminder(desk: Desk, /, session_token: Any, reminder_id: Any) -> dict[str, Any]:
    """Remove a reminder."""
    table, _ = _find(desk, session_token, reminder_id)
    desk.store.delete(table, reminder_id)
    return {"status": "success"}


def get_reminders(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """List all reminders, completed ones too, in the order they were added."""
    reminders = desk.store.rows(f"Reminder/{desk.owner(session_token)}").values()
    return {"reminders": [dict(reminder) for reminder in reminders]}


TOOLS: dict[str, Tool] = {
    "AddReminder": add_reminder,
    "CompleteReminder": complete_reminder,
    "DeleteReminder": delete_reminder,
    "GetReminders": get_reminders,
}


def _find(desk: Desk, session_token: Any, reminder_id: Any) -> tuple[str, Row]:
    owner = desk.owner(session_token)
    table = f"Reminder/{owner}"
    if not desk.store.exists(table):
        raise KeyError(owner)
    reminder = desk.store.get(table, reminder_id)
    if reminder is None:
        raise ToolError(f"Reminder {reminder_id} not found in database")
    return table, reminder
