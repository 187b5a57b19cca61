"""The procedures that ship, each in a folder that is named like the API world it belongs to.

Example:
    >>> procedure("order-not-received").calls[:2]
    ('get_order', 'find_customer')
    >>> [one.apis for one in procedures("shop")]
    ['shop', 'shop', 'shop']

Not covered: procedures of yours; `formats.procedure.load` reads them.
"""

from __future__ import annotations

from pathlib import Path

from toologue.errors import UnknownName
from toologue.formats.procedure import load
from toologue.schema import Procedure

__all__ = ["files", "procedure", "procedures"]

_HERE = Path(__file__).parent


def files(world: str = "*") -> dict[str, Path]:
    """The files of a world's procedures, or of all, by the ids of the procedures."""
    return {file.stem: file for file in sorted(_HERE.glob(f"{world}/*.md"))}


def procedures(world: str = "*") -> list[Procedure]:
    """The procedures of a world, or all."""
    return [load(file) for file in files(world).values()]


def procedure(id: str) -> Procedure:
    """The procedure of this id. Raises UnknownName with the nearest ids."""
    known = files()
    if id not in known:
        raise UnknownName("procedure", id, known)
    return load(known[id])
