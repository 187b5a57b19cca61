"""What an API gave back, as one JSON value or one text, and read again.

A value stands for itself, an error is `{"error": {"type": ..., "message": ...}}`, beside a `"value"` where there is one
too; a value that looks like either is `{"value": ...}`.

Contract: `result_of(output_of(result))` has the value and the error of the result, whatever they are.

Example:
    >>> output_of(Result(value=[7])), output_of(Result(error=Fault(type="not_found", message="no order 7")))
    ([7], {'error': {'type': 'not_found', 'message': 'no order 7'}})
    >>> result_of({"error": {"type": "not_found", "message": "no order 7"}}).error.type
    'not_found'

Not covered: what the act wrote, and the arguments as executed; no agent is told.
"""

from __future__ import annotations

from typing import Any, cast

from toologue.schema import Fault, Result


def output_of(result: Result) -> Any:
    """The JSON value that an agent is shown."""
    if result.error is None:
        return {"value": result.value} if _is_envelope(result.value) else result.value
    rest = {} if result.value is None else {"value": result.value}
    return {"error": {"type": result.error.type, "message": result.error.message}, **rest}


def result_of(output: Any) -> Result:
    """The result that such a value stands for."""
    if not _is_envelope(output):
        return Result(value=output)
    return Result(value=output.get("value"), error=Fault(**output["error"]) if "error" in output else None)


def _is_envelope(value: Any) -> bool:
    """Whether a value would be read as {"value": ...} or {"error": {"type", "message"}}."""
    found = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not found or not found.keys() <= {"value", "error"}:
        return False
    error: Any = found.get("error", {"type": "", "message": ""})
    fields = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    return fields.keys() == {"type", "message"} and all(isinstance(field, str) for field in fields.values())
