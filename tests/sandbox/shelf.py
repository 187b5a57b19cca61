"""A small world for tests: texts on a shelf. What it hides, no program may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toologue.errors import BadSetting
from toologue.sandbox.execute import execute
from toologue.schema import Act, Api, Fault, Parameter, Result

NAME = {"name": Parameter(schema={"type": "string"})}
APIS = (
    Api(name="read", parameters=NAME),
    Api(name="write", writes=True, parameters={**NAME, "text": Parameter()}),
    Api(name="TakeDown", writes=True, parameters=NAME),
)


class Shelf:
    """Rows by name. `raises` and `apis` are all that it tells."""

    raises = ("NotThere",)
    apis: Sequence[Api] = APIS

    def __init__(self, secret: str = "") -> None:
        self.secret = secret
        self.rows: dict[str, Any] = {"list": ["kept"]}

    def do(self, act: Act) -> Result:
        assert act.kind == "call"
        given: dict[str, Any] = act.arguments or {}
        name = str(given.get("name"))
        if act.api == "write":
            new = name not in self.rows
            self.rows = {**self.rows, name: given.get("text")}
            return Result(changes={f"Row/{name}": given.get("text")}, created=(f"Row/{name}",) if new else ())
        if name not in self.rows:
            return Result(error=Fault(type="NotThere", message=f"there is no {name}"))
        if act.api == "TakeDown":
            self.rows = {row: text for row, text in self.rows.items() if row != name}
            return Result(changes={f"Row/{name}": None})
        return Result(value=self.rows[name])

    def wipe(self) -> None:
        self.rows = {}

    def mark(self) -> dict[str, Any]:
        return self.rows

    def rewind(self, mark: dict[str, Any]) -> None:
        self.rows = mark


def seals() -> bool:
    """Whether this machine runs programs."""
    try:
        execute("return 1", Shelf(), name="shelf")
    except BadSetting:
        return False
    return True
