"""Email and messages: search the inbox, send. Nothing is delivered, as in the published benchmark.

Tables: `Email/<username>` (email_id → email_id, date, sender, receivers, subject, body), `Message/<username>`
(message_id → message_id, timestamp, sender, message). `SentEmail/<username>` (email_id → to, subject, body) and
`SentMessage/<username>` (message_id → receiver, message) are read by no tool: they make what was sent part of the
outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import ADDRESS, Desk, between, moment


class _Search(NamedTuple):
    """The filters of a search, as the caller wrote them."""

    query: Any
    match_type: Any
    sender: Any
    start_date: Any
    end_date: Any

    def newest(
        self, rows: Iterable[Mapping[str, Any]], desk: Desk, *, when: str, texts: tuple[str, ...]
    ) -> list[dict[str, Any]]:
        """The newest five rows up to now that pass every filter. `when` names the moment field, `texts` the others."""
        if all(value is None for value in (self.query, self.sender, self.start_date, self.end_date)):
            raise ToolError("At least one of query, sender, start_date, end_date must be provided.")
        if self.match_type not in ("any", "all"):
            raise ToolError('match_type must be either "any" or "all".')
        low = None if self.start_date is None else moment(self.start_date)
        high = None if self.end_date is None else moment(self.end_date)
        if low is not None and high is not None and low > high:
            raise ToolError("Start date must be earlier than end date.")
        keywords = self.query.lower().split() if self.query else None
        enough = any if self.match_type == "any" else all

        def passes(row: Mapping[str, Any]) -> bool:
            sent = moment(row[when])
            if sent > desk.now or not between(sent, low, high):
                return False
            if self.sender is not None and row["sender"] != self.sender:
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
    search = _Search(query, match_type, sender, start_date, end_date)
    return {"emails": search.newest(rows.values(), desk, when="date", texts=("body", "subject"))}


def send_email(desk: Desk, /, session_token: Any, to: Any, subject: Any, body: Any) -> dict[str, Any]:
    """Send a mail."""
    owner = desk.owner(session_token)
    for address in to:
        if not re.match(ADDRESS, address):
            raise ToolError(f"{address} is not a valid email address.")
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
    search = _Search(query, match_type, sender, start_date, end_date)
    return {"messages": search.newest(desk.store.rows(table).values(), desk, when="timestamp", texts=("message",))}


def send_message(desk: Desk, /, session_token: Any, receiver: Any, message: Any) -> dict[str, Any]:
    """Send a message."""
    owner = desk.owner(session_token)
    if message == "":
        raise ToolError("Message cannot be empty.")
    message_id = desk.draw("SendMessage", 8, 8)
    desk.store.put(f"SentMessage/{owner}", message_id, {"receiver": receiver, "message": message})
    return {"message_id": message_id}
