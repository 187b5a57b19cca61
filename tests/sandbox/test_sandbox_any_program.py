"""Whatever the text of a program and whatever a world answers: a result, in its time."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import Shelf
from test_sandbox_zygote import wait_for

from bench.sandbox_differences import differences, harm
from bench.sandbox_programs import honest, hostile
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Execution, Limits
from toologue.schema import Result

HERE = Path(__file__).parent


def run(code: str, world: Any = None, **options: Any) -> Execution:
    """Run a program over a shelf."""
    return execute(textwrap.dedent(code), world or Shelf(), name="shelf", **options)


def test_programs_made_by_chance_do_what_they_do_in_plain_cpython(sealed: None) -> None:
    assert differences(honest(5, 250)) == []


class TestAnyText:
    def test_hostile_and_odd_programs_do_no_harm(self, sealed: None) -> None:
        assert harm(hostile(3, 60), Limits(seconds=1, memory=64 << 20), grace=30) == []

    WORDS = st.sampled_from(
        ["(", ")", "[", "{", "}", "'", '"', "\\", ":", "=", "?1", "*", ",", " ", "\n", "\t", "\0", "#", "ʔ", "፩", "²",
         "f'{", "'''", '"""', "1e999", "0x", "\ud800", "if 1", "else", "lambda", "return", "shelf", ".read(", "del ",
         "try:\n ", "except", "raise ", "not "]
    )  # fmt: skip

    @settings(max_examples=60)
    @given(st.text(max_size=40) | st.lists(WORDS, max_size=30).map("".join), st.sampled_from([1, 60, 3000]))
    def test_has_a_result(self, sealed: None, text: str, times: int) -> None:
        assert run(text * times, limits=Limits(seconds=1)).model_dump_json()

    def test_of_a_megabyte_is_read_where_it_runs(self, sealed: None) -> None:
        long = "x = 1\n" * 20_000
        assert run(long + "return x", limits=Limits(seconds=5)).value == 1


ANSWERS = {"no number": float("nan"), "endless": float("inf"), "long": 10**5000, "no JSON": object(), "keys": {1: 2}}


class Answering(Shelf):
    """A world that answers what no world should."""

    def __init__(self, answer: object):
        super().__init__()
        self._answer = answer

    def do(self, act: Any) -> Result:
        return Result().replace(value=self._answer)


@pytest.mark.parametrize("answer", [*ANSWERS.values(), "deep"], ids=[*ANSWERS, "deep"])
def test_what_a_world_answers_that_is_no_json_is_its_fault(answer: Any, sealed: None) -> None:
    if answer == "deep":
        for _ in range(5000):
            answer = [answer]
    done = run("return shelf.read('x')", Answering(answer))
    assert done.error
    assert (done.error.type, len(done.calls)) == ("wrong type", 1)
    assert done.model_dump_json()


def test_arguments_are_limited_whatever_the_program_catches(sealed: None) -> None:
    code = "try:\n    shelf.write('a', 'x' * 5000)\nexcept BaseException:\n    return 'caught'"
    done = run(code, limits=Limits(output=1000))
    assert done.error
    assert done.error.message == "the arguments of a call are larger than 1000 characters"
    assert done.calls == ()


class TestTheSameInEveryRun:
    CLOCKS = """
        import time, uuid
        return [time.clock_gettime(time.CLOCK_REALTIME), time.clock_gettime_ns(time.CLOCK_MONOTONIC), uuid.getnode()]
        """

    def test_clocks_and_nodes(self, sealed: None) -> None:
        first, second = run(self.CLOCKS), run(self.CLOCKS)
        assert first.value == second.value
        assert first.value[:2] == [1735722000.0, 1735722000000000000]  # type: ignore[index]


def _python(script: str, *given: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(script), str(HERE), *given]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


KILLED = """
    import os, signal, sys, threading
    sys.path.insert(0, sys.argv[1])
    from pathlib import Path
    from shelf import Shelf
    from toologue.sandbox.execute import execute
    from toologue.sandbox.rpc import Limits
    started = threading.Event()
    class Told(Shelf):
        def do(self, act):
            started.set()
            return super().do(act)
    def child(stat):
        try:
            return stat.read_text().rpartition(")")[2].split()[1] == str(os.getpid())
        except OSError:
            return False
    code = "shelf.read('list')\\nn = 7\\nwhile True:\\n    n = n * 3 % 1000003"
    given = {"name": "shelf"}
    threading.Thread(target=execute, args=(code, Told(), Limits(seconds=300)), kwargs=given, daemon=True).start()
    started.wait()
    print(*[stat.parent.name for stat in Path("/proc").glob("[0-9]*/stat") if child(stat)], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    """


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_worker_outlives_a_host_that_is_killed(sealed: None) -> None:
    """Even one that is in the middle of an endless program."""
    workers = _python(KILLED).stdout.split()
    assert workers
    assert wait_for(lambda: not any(map(_runs, workers)))


def _runs(process: str) -> bool:
    try:
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_without_proc_one_line_says_why_nothing_runs() -> None:
    """In a process that sees an empty /proc, as in some containers."""
    script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from shelf import Shelf
        from toologue.errors import BadSetting
        from toologue.sandbox.execute import execute
        try:
            execute("return 1", Shelf(), name="shelf")
        except BadSetting as error:
            print(error)
        """
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64") or not shutil.which("unshare"):
        pytest.skip("nothing here hides /proc")
    command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && echo hidden && exec "$@"', "sh"]
    command += [sys.executable, "-c", textwrap.dedent(script), str(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if not done.stdout.startswith("hidden"):
        pytest.skip("this process may not hide /proc")
    assert done.stderr == ""
    expected = "this system does not let programs be sealed: [Errno 2] No such file or directory: '/proc/self/statm'"
    assert done.stdout.split("\n")[1] == expected
