"""A world around a world keeps the law of worlds: what is marked is what is returned to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toologue.schema import Call, Program
from toologue.worlds.programs import with_programs
from toologue.worlds.s3 import S3
from toologue.worlds.s3.signature import Signed
from toologue.worlds.world import Wrapped

NOTE = {"Bucket": "larkfield-scratch", "Key": "note.txt", "Body": "Hi"}
AROUND: dict[str, Callable[[Any], Any]] = {
    "wrapped": Wrapped,
    "signed": Signed,
    "programs": lambda world: with_programs(world, name="s3"),
    "both": lambda world: Signed(with_programs(world, name="s3")),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_rewind_returns_to_the_mark(around: Callable[[Any], Any]) -> None:
    world = around(S3())
    before, mark = world.contents(), world.mark()
    assert world.do(Call(api="put_object", arguments=NOTE)).changes
    assert world.contents() != before
    world.rewind(mark)
    assert world.contents() == before


def test_a_program_is_taken_back_like_a_call() -> None:
    world = AROUND["both"](S3())
    before, mark = world.contents(), world.mark()
    code = 's3.put_object(Bucket="larkfield-scratch", Key="note.txt", Body="Hi")'
    assert "Account/signature" in world.do(Program(goal="1", status="final", code=code)).changes
    world.rewind(mark)
    assert world.contents() == before


def test_what_the_world_inside_has_beyond_the_protocol_is_had() -> None:
    assert "larkfield-office" in Wrapped(S3()).contents()
    with pytest.raises(AttributeError):
        _ = Wrapped(S3()).nothing
