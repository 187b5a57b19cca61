"""Programs over the world `s3` in plain CPython: what the sandbox must do.

Reads a list of lists of programs from standard input; each list has an account of its own. Writes what they did:
[value, error, signature] each. A program sees `s3` and the names of exceptions, nothing else of ours. A throw-away
process: nothing keeps the programs in.
"""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
import tempfile
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

    def __getattr__(self, name: str) -> Any:
        api = self._apis.get(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
        if api is None:
            raise AttributeError(f"'S3' object has no attribute '{name}'")

        def method(**arguments: Any) -> Any:
            sent = {key: _sent(value) for key, value in arguments.items()}
            result = self._world.do(Call(api=api.name, arguments=sent))
            if result.error is not None:
                raise self._error(result.error, api.name)
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


def run(code: str, world: S3) -> list[Any]:
    """Run one program as the body of a function."""
    proxy, value, error = Proxy(world), None, None
    names = {name: type(name, (Exception,), {}) for name in CONVERSATIONAL}
    names |= {name: proxy.exceptions[name] for name in SERVICE} | {"ClientError": ClientError, "s3": proxy}
    names |= {"ParamValidationError": ParamValidationError}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(_wrapped(code), "utf-8")
        try:
            with redirect_stdout(StringIO()):
                found = runpy.run_path(str(file), names)["program"]()
            value = json.loads(json.dumps(found, allow_nan=False))
        except BaseException as raised:  # noqa: BLE001
            error = [type(raised).__name__, str(raised)]
    return [value, error, signature(world, value)]


def _wrapped(code: str) -> str:
    body = ast.parse(code).body or [ast.Pass()]
    function = ast.parse("def program(): pass")
    function.body[0].body = body  # type: ignore[attr-defined]
    return ast.unparse(function) + "\n"


def main() -> None:
    """Run them all."""
    said = []
    for codes in json.load(sys.stdin):
        world = S3()
        said.append([run(code, world) for code in codes])
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
