"""Email: search the inbox, send mail.

Tables: `Email/<username>` (email_id → email_id, date, sender, receivers, subject, body); `SentEmail/<username>`
(email_id → to, subject, body), which no tool reads: it makes a sent mail part of the outcome.

Not covered: delivery. A sent mail reaches nobody's inbox, as in the published benchmark.
"""

from __future__ import annotations

import re
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk, Tool
from toologue.worlds.assistant.mailbox import Search, search

_EMAIL = re.compile(r"^[\w\-\d\.]+@[\w\-\d\.]+$")


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
    wanted = Search(query, match_type, sender, start_date, end_date)
    return {"emails": search(desk, rows.values(), wanted, when="date", texts=("body", "subject"))}


def send_email(desk: Desk, /, session_token: Any, to: Any, subject: Any, body: Any) -> dict[str, Any]:
    """Send a mail."""
    owner = desk.owner(session_token)
    for address in to:
        if not _EMAIL.match(address):
            raise ToolError(f"{address} is not a valid email address.")
    email_id = desk.draw("SendEmail", 2, 4, 8)
    desk.store.put(f"SentEmail/{owner}", email_id, {"to": list(to), "subject": subject, "body": body})
    return {"email_id": email_id}


TOOLS: dict[str, Tool] = {"SearchInbox": search_inbox, "SendEmail": send_email}
