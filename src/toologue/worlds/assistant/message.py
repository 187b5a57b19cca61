"""Messages: search and send messages between users.

Tables: `Message/<username>` (message_id → message_id, timestamp, sender, message); `SentMessage/<username>`
(message_id → receiver, message), which no tool reads: it makes a sent message part of the outcome.

Not covered: delivery, and whether the receiver exists.
"""

from __future__ import annotations

from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk, Tool
from toologue.worlds.assistant.mailbox import Search, search


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
    wanted = Search(query, match_type, sender, start_date, end_date)
    rows = desk.store.rows(table).values()
    return {"messages": search(desk, rows, wanted, when="timestamp", texts=("message",))}


def send_message(desk: Desk, /, session_token: Any, receiver: Any, message: Any) -> dict[str, Any]:
    """Send a message."""
    owner = desk.owner(session_token)
    if message == "":
        raise ToolError("Message cannot be empty.")
    message_id = desk.draw("SendMessage", 8, 8)
    desk.store.put(f"SentMessage/{owner}", message_id, {"receiver": receiver, "message": message})
    return {"message_id": message_id}


TOOLS: dict[str, Tool] = {"SearchMessages": search_messages, "SendMessage": send_message}
