"""What searching mails and searching messages share: validation, filters, order, limit.

Not covered: phrases and word boundaries; a keyword is found inside longer words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk, between, moment, newest


class Search(NamedTuple):
    """The filters of a search, as the caller wrote them."""

    query: Any
    match_type: Any
    sender: Any
    start_date: Any
    end_date: Any


def search(
    desk: Desk, rows: Iterable[Mapping[str, Any]], wanted: Search, *, when: str, texts: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The newest five rows up to now that pass every filter. `when` names the moment field, `texts` those searched."""
    if all(value is None for value in (wanted.query, wanted.sender, wanted.start_date, wanted.end_date)):
        raise ToolError("At least one of query, sender, start_date, end_date must be provided.")
    if wanted.match_type not in ("any", "all"):
        raise ToolError('match_type must be either "any" or "all".')
    low = None if wanted.start_date is None else moment(wanted.start_date)
    high = None if wanted.end_date is None else moment(wanted.end_date)
    if low is not None and high is not None and low > high:
        raise ToolError("Start date must be earlier than end date.")
    keywords = wanted.query.lower().split() if wanted.query else None
    enough = any if wanted.match_type == "any" else all

    def passes(row: Mapping[str, Any]) -> bool:
        sent = moment(row[when])
        if sent > desk.now or not between(sent, low, high):
            return False
        if wanted.sender is not None and row["sender"] != wanted.sender:
            return False
        return keywords is None or enough(any(word in row[text].lower() for text in texts) for word in keywords)

    return newest((dict(row) for row in rows if passes(row)), when)
