"""A refusal: what the simulator answers instead of a value, by HTTP status.

Contract: the type of the fault is a word for the status: `not_found` (404), `conflict` (409), `forbidden` (403), `gone`
(410), `locked` (423), …; what is wrong with the arguments is `invalid`, be it 400 or 422.

Example:
    >>> Refusal(404, "there is no order 'O-1'").fault
    Fault(type='not_found', message="there is no order 'O-1'")
    >>> fault_type(422), fault_type(409)
    ('invalid', 'conflict')

Not covered: headers and bodies of error responses; the message is all that the agent reads.
"""

from __future__ import annotations

from http import HTTPStatus

from toologue.errors import ToolError, shown
from toologue.schema import Fault
from toologue.text.tokens import snake

_KNOWN = frozenset(HTTPStatus)


class Refusal(ToolError):
    """The simulated service refuses a call. Raise it in an override, too: nothing that was written before stays.

    Raises ValueError for a status that refuses nothing."""

    def __init__(self, status: int, message: str):
        self.status, self.message, self.kind = status, message, fault_type(status)
        super().__init__(message)

    @property
    def fault(self) -> Fault:
        """The refusal as data."""
        return Fault(type=self.kind, message=self.message)


def fault_type(status: int) -> str:
    """The word for an HTTP status. Raises ValueError for a number that refuses nothing."""
    if not (400 <= status <= 599 and status in _KNOWN):
        raise ValueError(f"the status of a refusal is one of HTTP's from 400 to 599, not {shown(status)}")
    return "invalid" if status in (400, 422) else snake(HTTPStatus(status).phrase)
