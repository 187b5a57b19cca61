"""What an override sees of a simulated service: its rows, to read and to write, and when it is.

Contract: rows that come out are copies, and what goes in is copied. What does not fit the document is refused, as it is
for the service's own operations; a refusal undoes all that the call wrote.

    def settle(view, arguments):
        invoice = view.get("invoices", arguments["invoice_id"])     # 404 where there is none
        if view.find("payments", invoice_id=invoice["id"]):
            raise Refusal(409, "This invoice was paid already.")
        return view.add("payments", {"invoice_id": invoice["id"], "amount": invoice["total"]})

Example:
    >>> from toologue.worlds.crud.rows import maker_of
    >>> from toologue.worlds.crud.tables import Table
    >>> from toologue.worlds.store import Store
    >>> notes = Table("notes", "id", {"id": {"type": "integer"}, "text": {"type": "string"}})
    >>> view = View(Data({"notes": maker_of(notes, [])}, Store({}), "2025-03-12T09:00:00Z"))
    >>> view.add("notes", {"text": "called back"}), view.find("notes", text="lost"), view.now
    ({'id': 1, 'text': 'called back'}, [], '2025-03-12T09:00:00Z')

Not covered: joins; an override reads the rows it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toologue.errors import UnknownName
from toologue.values.compare import same
from toologue.worlds.crud.data import Data, own


class View:
    """The rows of every table, as copies."""

    def __init__(self, data: Data):
        self._data = data

    @property
    def now(self) -> str:
        """When the service believes it is, as RFC 3339."""
        return self._data.now()

    def get(self, table: str, key: Any) -> dict[str, Any]:
        """A row. Raises Refusal (404) where there is none."""
        self._data.table(table)
        return own(dict(self._data.get(table, key)))

    def find(self, table: str, **fields: Any) -> list[dict[str, Any]]:
        """The rows that have these values, in their order. Raises UnknownName for a field that there is not."""
        described, rows = self._data.table(table), self._data.rows(table)
        for name in fields:
            if name not in described.fields and not described.is_open:
                raise UnknownName(f"field of {table}", name, described.fields)
        return [own(dict(row)) for row in rows if all(same(row.get(name), value) for name, value in fields.items())]

    def add(self, table: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A new row with these fields, and with those that the service fills in."""
        return own(dict(self._data.add(table, fields)))

    def change(self, table: str, key: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A row with some fields changed."""
        return own(dict(self._data.change(table, key, fields)))

    def remove(self, table: str, key: Any) -> dict[str, Any]:
        """A row that is gone now."""
        return own(dict(self._data.remove(table, key)))
