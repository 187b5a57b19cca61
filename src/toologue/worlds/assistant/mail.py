"""Email and messages: search what came, send. Tables, each `/<username>`: `Email`, `Message`.

As in the published benchmark, nothing is delivered: `SentEmail/<username>` and `SentMessage/<username>` are read by no
tool, and make what was sent part of the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import ADDRESS, MOMENT, Desk, between, bounds, check, moment
from toologue.worlds.store import Row


def _newest(
    desk: Desk, rows: Iterable[Row], when: str, texts: tuple[str, ...], asked: tuple[Any, ...]
) -> list[dict[str, Any]]:
    """The newest five rows up to now that pass every filter. `when` names the moment field, `texts` the others."""
    query, match_type, sender, start_date, end_date = asked
    if all(value is None for value in (query, sender, start_date, end_date)):
        raise ToolError("At least one of query, sender, start_date, end_date must be provided.")
    check(match_type in ("any", "all"), 'match_type must be either "any" or "all".')
    low, high = bounds(start_date, end_date, MOMENT, "Start date must be earlier than end date.")
    keywords = query.lower().split() if query else None
    enough = any if match_type == "any" else all

    def passes(row: Row) -> bool:
        sent = moment(row[when])
        if sent > desk.now or not between(sent, low, high) or (sender is not None and row["sender"] != sender):
            return False
        return keywords is None or enough(any(word in row[text].lower() for text in texts) for word in keywords)

    passing = (dict(row) for row in rows if passes(row))
    return sorted(passing, key=lambda row: moment(row[when]), reverse=True)[:5]


def search_inbox(
    desk: Desk,
    /,
    session_token: Any,
    query: Any = None,
    match_type: Any = "any",
    sender: Any = None,
    start_date: Any = None,
    end_date: Any = None,
) -> dict[str, Any]:
    """Find mails by keyword, sender and date: the newest five. An empty mailbox answers before anything is checked."""
    rows = desk.store.rows(f"Email/{desk.owner(session_token)}")
    if not rows:
        return {"emails": []}
    asked = (query, match_type, sender, start_date, end_date)
    return {"emails": _newest(desk, rows.values(), "date", ("body", "subject"), asked)}


def send_email(desk: Desk, /, session_token: Any, to: Any, subject: Any, body: Any) -> dict[str, Any]:
    """Send a mail."""
    owner = desk.owner(session_token)
    for address in to:
        check(re.match(ADDRESS, address), f"{address} is not a valid email address.")
    email_id = desk.draw("SendEmail", 2, 4, 8)
    desk.store.put(f"SentEmail/{owner}", email_id, {"to": list(to), "subject": subject, "body": body})
    return {"email_id": email_id}


def search_messages(
    desk: Desk,
    /,
    session_token: Any,
    query: Any = None,
    match_type: Any = "any",
    sender: Any = None,
    start_date: Any = None,
    end_date: Any = None,
) -> dict[str, Any]:
    """Find messages by keyword, sender and date: the newest five."""
    table = f"Message/{desk.owner(session_token)}"
    if not desk.store.exists(table):
        return {"messages": []}
    asked = (query, match_type, sender, start_date, end_date)
    return {"messages": _newest(desk, desk.store.rows(table).values(), "timestamp", ("message",), asked)}


def send_message(desk: Desk, /, session_token: Any, receiver: Any, message: Any) -> dict[str, Any]:
    """Send a message."""
    owner = desk.owner(session_token)
    check(message != "", "Message cannot be empty.")
    message_id = desk.draw("SendMessage", 8, 8)
    desk.store.put(f"SentMessage/{owner}", message_id, {"receiver": receiver, "message": message})
    return {"message_id": message_id}
