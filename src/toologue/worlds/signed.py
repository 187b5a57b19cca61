"""Worlds that sign what they hold, for whoever must know whether two of them came to the same (Dialog2API, appendix B).

Contract: whatever changes a signed world publishes its signature as a row, `Account/signature`, beside the rows that it
wrote. So a trace carries what its programs came to, as it carries every other outcome; replays and rewinds keep it
right, and it needs no account to be read. `s3_programs` is the world `s3` (the same arguments), signed, with programs.

Example:
    >>> from toologue.schema import Call
    >>> from toologue.worlds.s3 import S3
    >>> world = Signed(S3())
    >>> note = Call(api="put_object", arguments={"Bucket": "larkfield-scratch", "Key": "note.txt", "Body": "Hi"})
    >>> list(world.do(note).changes)
    ['Object/larkfield-scratch/note.txt', 'Account/signature']
    >>> signature_after(world.do(note), "") == signature(world)
    True

Not covered: what a program returned; that stands in its result. A world that nobody wrote to publishes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from toologue.sandbox.execute import Backend
from toologue.schema import Act, Case, Result
from toologue.worlds.s3 import KIND, s3_for, signature
from toologue.worlds.store import path_of
from toologue.worlds.wrapped import Wrapped

_ROW = path_of("Account", "signature")


class Signed(Wrapped):
    """A world, signed. It has `contents`, as `s3` does; what else it has, it keeps."""

    def do(self, act: Act) -> Result:
        """Execute, and sign where something was written."""
        result: Result = self._world.do(act)
        return result.but(changes={**result.changes, _ROW: signature(self._world)}) if result.changes else result


def signature_after(result: Result, before: str) -> str:
    """The signature after an act, given the one before it."""
    return str(result.changes.get(_ROW, before))


def s3_programs_for(case: Case, *, backend: Backend = "auto", endpoint: str = "") -> Signed:
    """The account of a case (`s3.kind`), signed, with programs."""
    from toologue.worlds.programs import with_programs

    return Signed(with_programs(s3_for(case, endpoint), name="s3", backend=backend))


S3_PROGRAMS = replace(KIND, make=s3_programs_for)
"""The kind `s3_programs`."""
