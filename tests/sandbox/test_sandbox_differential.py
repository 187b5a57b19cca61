"""CPython in the sandbox does what plain CPython does: programs of the dataset, and others by chance."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from generated import programs
from shelf import seals

from toologue.bench.dialog2api.files import SHIPPED, read_folder
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Execution
from toologue.schema import AgentTurn, Dialogue, Program
from toologue.schema.stack import completed
from toologue.worlds.s3 import S3, signature

pytest.importorskip("moto", reason="programs over S3 need the extra `programs`")
if not seals():
    pytest.skip("programs cannot run in CPython on this machine", allow_module_level=True)

REPOSITORY = Path(__file__).parents[2]


def final(dialogue: Dialogue) -> list[str]:
    """The final programs of a dialogue, in order, each with the code of its draft."""
    acts = [act for turn in completed(dialogue.turns) if isinstance(turn, AgentTurn) for act in turn.acts]
    return [act.code for act in acts if isinstance(act, Program) and act.status == "final"]


class Compared:
    """Lists of programs, each list over an account of its own, by plain CPython and in the sandbox."""

    def __init__(self, lists: Sequence[Sequence[str]]):
        self.lists = lists
        self._plain = subprocess.Popen(  # meanwhile
            [sys.executable, str(Path(__file__).with_name("plain_host.py"))], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=REPOSITORY, text=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )  # fmt: skip
        assert self._plain.stdin
        self._plain.stdin.write(json.dumps(self.lists))
        self._plain.stdin.close()
        self.ran = [self._run(codes) for codes in lists]
        assert self._plain.stdout
        self.plain: list[list[Any]] = json.loads(self._plain.stdout.read())
        self._plain.stdout.close()
        assert self._plain.wait() == 0

    def _run(self, codes: Sequence[str]) -> list[tuple[Execution, str]]:
        world, found = S3(), list[tuple[Execution, str]]()
        for code in codes:
            done = execute(code, world, name="s3")
            found.append((done, signature(world, done.value)))
        return found

    def differences(self) -> list[Any]:
        """(program, expected, found) where they differ."""
        wrong: list[Any] = []
        for codes, plain, ran in zip(self.lists, self.plain, self.ran, strict=True):
            for code, expected, (done, sign) in zip(codes, plain, ran, strict=True):
                found = [done.value, done.error and [done.error.type, done.error.message], sign]
                wrong += [(code, expected, found)] if found != expected else []
        return wrong


@pytest.fixture(scope="module")
def dataset() -> Compared:
    """Of the training split: the other one's programs run in `tests/s3`."""
    return Compared([final(one) for one in read_folder(SHIPPED) if one.origin["split"] == "train"])


@pytest.fixture(scope="module")
def made() -> Compared:
    return Compared([programs(7)])


def test_programs_of_the_dataset(dataset: Compared) -> None:
    assert sum(map(len, dataset.lists)) > 100
    assert dataset.differences() == []


def test_programs_made_by_chance(made: Compared) -> None:
    assert made.differences() == []


def test_the_made_programs_are_what_they_should_be(made: Compared) -> None:
    """Enough of them, of each sort."""
    codes = made.lists[0]
    refused = [done for done, _ in made.ran[0] if any(called.result.error for called in done.calls)]

    def holding(*kinds: type[ast.AST]) -> int:
        return sum(any(isinstance(node, kinds) for node in ast.walk(ast.parse(code))) for code in codes)

    assert len(codes) >= 200
    assert len(refused) >= 40
    assert sum("key=lambda" in code for code in codes) >= 20
    assert min(holding(ast.JoinedStr), holding(ast.Delete), holding(ast.Try)) >= 20
    assert sum("[[" in code and code.count(" for ") > 1 for code in codes) >= 5
