"""Actions that need no `x-action`: `cancel` sets the status `cancelled`, if there is such a status.

Contract: `state_for` looks at the enum field `status` or `state` of a table, or else at its only enum, for a value that
the action's name means: the participle of the verb in either spelling, or the very word.

Example:
    >>> from toologue.worlds.crud.tables import Table
    >>> orders = Table("orders", "id", {"id": {}, "status": {"enum": ["placed", "shipped", "canceled", "on_hold"]}})
    >>> state_for("cancel", orders), state_for("ship", orders), state_for("refund", orders)
    (('status', 'canceled'), ('status', 'shipped'), None)

Not covered: verbs whose participle is far from them, but for the few that support desks use.
"""

from __future__ import annotations

from toologue.text.tokens import snake
from toologue.worlds.crud.tables import Table

_IRREGULAR = {
    "pay": "paid", "send": "sent", "hold": "held on_hold", "put_on_hold": "on_hold", "close": "closed", "sell": "sold",
    "reopen": "reopened open", "open": "opened open", "activate": "activated active", "stop": "stopped", "lose": "lost",
    "deactivate": "deactivated inactive", "enable": "enabled active", "disable": "disabled inactive", "undo": "undone",
    "pause": "paused", "resume": "resumed active", "begin": "begun started", "start": "started running in_progress",
    "block": "blocked locked", "complete": "completed complete done", "finish": "finished done completed",
    "withdraw": "withdrawn", "mark_lost": "lost", "write_off": "written_off", "take_back": "taken_back returned",
    "freeze": "frozen", "expire": "expired", "void": "voided void",
}  # fmt: skip


def state_for(action: str, table: Table) -> tuple[str, str] | None:
    """(field, value) that an action sets, or None."""
    fields = [name for name in table.fields if isinstance(table.rule(name).get("enum"), list)]
    likely = [name for name in fields if snake(name).split("_")[-1] in ("status", "state")] or fields
    if len(likely) > 1:
        likely = [name for name in likely if name in ("status", "state")]
    for field in likely[:1]:
        values = {snake(value): value for value in table.rule(field)["enum"] if isinstance(value, str)}
        found = next((values[word] for word in _meant(action) if word in values), None)
        if found is not None:
            return field, found
    return None


def _meant(action: str) -> list[str]:
    """The words that a status may have after an action: `cancel` → cancelled, canceled."""
    verb, _, rest = action.partition("_")
    regular = [f"{verb}ed", f"{verb}d", f"{verb}{verb[-1:]}ed", f"{verb[:-1]}ied"]
    return [*_IRREGULAR.get(action, _IRREGULAR.get(verb, "")).split(), *(regular if not rest else []), action]
