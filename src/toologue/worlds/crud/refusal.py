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

from toologue.apis.words import snake
from toologue.errors import ToolError
from toologue.schema import Fault

__all__ = ["Refusal", "fault_type"]


class Refusal(ToolError):
    """The simulated service refuses a call. Raise it in an override, too: nothing that was written before stays."""

    def __init__(self, status: int, message: str):
        self.status, self.message = status, message
        super().__init__(message)

    @property
    def fault(self) -> Fault:
        """The refusal as data."""
        return Fault(type=fault_type(self.status), message=self.message)


def fault_type(status: int) -> str:
    """The word for an HTTP status. Raises ValueError for a number that is none."""
    return "invalid" if status in (400, 422) else snake(HTTPStatus(status).phrase)
