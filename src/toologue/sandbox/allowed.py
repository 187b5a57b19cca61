"""What of Python a program finds: the modules that it may import, the builtins that it lacks, the exceptions it knows.

Not covered: what those modules reach; a program's process keeps that in, and imports this module, too.
"""

from __future__ import annotations

MODULES = (
    "base64", "bisect", "collections", "collections.abc", "copy", "csv", "dataclasses", "datetime", "decimal", "enum",
    "fnmatch", "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math", "operator", "random",
    "re", "statistics", "string", "textwrap", "time", "typing", "urllib.parse", "uuid",
)  # fmt: skip
"""Time stands still, chance is seeded."""

ABSENT = ("breakpoint", "compile", "copyright", "credits", "eval", "exec", "exit", "help", "input", "license", "open",
          "quit")  # fmt: skip
"""Builtins that reach for files or for the interpreter."""

CONVERSATIONAL = ("OutOfScopeRequestError", "AmbiguousRequestError", "ChitChat", "FAQ", "OverSpecificationError",
                  "EndDialog")  # fmt: skip
"""The exceptions that say what kind of talk this is (paper, appendix C)."""

SERVICE = "ClientError"
"""The kind of all exceptions that are faults of the world."""

OF_THE_CLIENT = "ParamValidationError"
"""What boto3 refuses before anything is asked: no ClientError."""
