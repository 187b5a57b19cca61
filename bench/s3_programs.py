"""The other side of `bench.s3_dialogues`: a process that runs the programs of one dialogue, one after the other.

Reads `{"account": ..., "programs": [...]}` from standard input and writes a line a program: what it returned or raised,
the statement that raised, what it printed and changed, and the signature afterwards. A program sees `s3` and the names
of exceptions, nothing else of ours.

Not covered: safety. It is for programs that the author has written.
"""

from __future__ import annotations

import ast
import json
import linecache
import re
import runpy
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError, ParamValidationError

from toologue.schema import Call, Fault
from toologue.worlds.s3 import S3, as_boto3, content_of, signature

CONVERSATIONAL = (
    "OutOfScopeRequestError", "AmbiguousRequestError", "ChitChat", "FAQ", "OverSpecificationError", "EndDialog",
)  # fmt: skip
SERVICE = ("NoSuchBucket", "NoSuchKey", "BucketAlreadyExists", "BucketAlreadyOwnedByYou", "BucketNotEmpty",
           "InvalidBucketName", "InvalidLocationConstraint")  # fmt: skip


class Errors(dict[str, type[ClientError]]):
    """The exceptions by code, as attributes too."""

    def __missing__(self, code: str) -> type[ClientError]:
        return self.setdefault(code, type(code, (ClientError,), {}))

    def __getattr__(self, code: str) -> type[ClientError]:
        return ClientError if code == "ClientError" else self[code]


class Proxy:
    """What a program sees as `s3`: the world's operations as methods, answering as boto3 does."""

    def __init__(self, world: S3):
        self._world, self._apis = world, {api.name: api for api in world.apis}
        self.exceptions = Errors()
        self.changes: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        api = self._apis.get(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
        if api is None:
            raise AttributeError(f"'S3' object has no attribute '{name}'")

        def method(**arguments: Any) -> Any:
            sent = {key: _sent(value) for key, value in arguments.items()}
            result = self._world.do(Call(api=api.name, arguments=sent))
            if result.error is not None:
                raise self._error(result.error, api.name)
            self.changes |= {path: "new" if path in result.created else "gone" if row is None else "replaced"
                             for path, row in result.changes.items()}  # fmt: skip
            return as_boto3(api.returns, result.value)

        return method

    def _error(self, fault: Fault, operation: str) -> Exception:
        if fault.type == "ParamValidationError":
            return ParamValidationError(report=fault.message.partition("\n")[2])
        told: Any = {"Error": {"Code": fault.type, "Message": fault.message}}
        return self.exceptions[fault.type](told, "".join(word.capitalize() for word in operation.split("_")))


def _sent(value: Any) -> Any:
    if hasattr(value, "read"):
        value = value.read()
    return content_of(bytes(value)) if isinstance(value, bytes | bytearray) else value


def run(code: str, world: S3) -> dict[str, Any]:
    """Run one program as the body of a function."""
    proxy, printed = Proxy(world), StringIO()
    outcome: dict[str, Any] = {"value": None, "error": None}
    names = {name: type(name, (Exception,), {}) for name in CONVERSATIONAL}
    names |= {name: proxy.exceptions[name] for name in SERVICE} | {"ClientError": ClientError, "s3": proxy}
    names |= {"ParamValidationError": ParamValidationError}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(_wrapped(code), "utf-8")
        try:
            with redirect_stdout(printed):
                value = runpy.run_path(str(file), names)["program"]()
            outcome["value"] = json.loads(json.dumps(value, allow_nan=False))
        except BaseException as error:  # noqa: BLE001
            kind = "conversation" if type(error).__name__ in CONVERSATIONAL else "program"
            service = isinstance(error, ClientError | ParamValidationError)
            outcome["error"] = [type(error).__name__, str(error)]
            outcome |= {"kind": "service" if service else kind, "at": next(_lines(error, str(file)), "")}
    fault = outcome["error"] and outcome["error"][0]
    signs = {mode: signature(world, outcome["value"], mode=mode, error=fault) for mode in ("published", "fixed")}
    return outcome | {"printed": printed.getvalue(), "changes": proxy.changes, "signatures": signs}


def _wrapped(code: str) -> str:
    body = ast.parse(code).body or [ast.Pass()]
    function = ast.parse("def program(): pass")
    function.body[0].body = body  # type: ignore[attr-defined]
    return ast.unparse(function) + "\n"


def _lines(error: BaseException, file: str) -> Iterator[str]:
    """The statements of the program that were under way, the innermost first."""
    found, frame = [], error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == file:
            found.append(linecache.getline(file, frame.tb_lineno).strip())
        frame = frame.tb_next
    return reversed(found)


def main() -> None:
    """Answer on standard output, whatever the programs print."""
    asked = json.loads(sys.stdin.read())
    world = S3(asked["account"])
    print(json.dumps(signature(world)), flush=True)
    for code in asked["programs"]:
        print(json.dumps(run(code, world)), flush=True)


if __name__ == "__main__":
    main()
