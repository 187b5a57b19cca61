"""Email and messages: search what came, send. Tables, each `/<username>`: `Email`, `Message`.

As in the published benchmark, nothing is delivered: `SentEmail/<username>` and `SentMessage/<username>` are read by no
tool, and make what was sent part of the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import ADDRESS, MOMENT, Desk, Tool, between, bounds, check, moment
from toologue.worlds.store import Row, Store


def _search(listed: str, table: str, when: str, texts: tuple[str, ...], asks: Callable[[Store, str], object]) -> Tool:
    """A tool that finds by keyword, sender and date: the newest five. `when` and `texts` name the fields that count.

    Where the store gives nothing for what `asks` of the table, the tool answers before anything is checked.
    """

    def search(
        desk: Desk,
        /,
        session_token: Any,
        query: Any = None,
        match_type: Any = "any",
        sender: Any = None,
        start_date: Any = None,
        end_date: Any = None,
    ) -> dict[str, Any]:
        mine = f"{table}/{desk.owner(session_token)}"
        if not asks(desk.store, mine):
            return {listed: []}
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

        passing = (dict(row) for row in desk.store.rows(mine).values() if passes(row))
        return {listed: sorted(passing, key=lambda row: moment(row[when]), reverse=True)[:5]}

    return search


search_inbox = _search("emails", "Email", "date", ("body", "subject"), Store.rows)
search_messages = _search("messages", "Message", "timestamp", ("message",), Store.exists)


def send_email(desk: Desk, /, session_token: Any, to: Any, subject: Any, body: Any) -> dict[str, Any]:
    """Send a mail."""
    owner = desk.owner(session_token)
    for address in to:
        check(re.match(ADDRESS, address), f"{address} is not a valid email address.")
    email_id = desk.draw("SendEmail", 2, 4, 8)
    desk.store.put(f"SentEmail/{owner}", email_id, {"to": list(to), "subject": subject, "body": body})
    return {"email_id": email_id}


def send_message(desk: Desk, /, session_token: Any, receiver: Any, message: Any) -> dict[str, Any]:
    """Send a message."""
    owner = desk.owner(session_token)
    check(message != "", "Message cannot be empty.")
    message_id = desk.draw("SendMessage", 8, 8)
    desk.store.put(f"SentMessage/{owner}", message_id, {"receiver": receiver, "message": message})
    return {"message_id": message_id}
