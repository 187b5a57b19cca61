"""The warm process and the processes of programs: what they may say, what they leave behind, and how they end."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import Shelf, seals

from toologue.sandbox.execute import execute
from toologue.sandbox.jail import filter
from toologue.sandbox.messages import Malformed, decoded, encoded, received
from toologue.sandbox.rpc import Execution, Limits

if not seals():
    pytest.skip("programs cannot run in CPython on this machine", allow_module_level=True)

LIMITS = Limits(seconds=5, output=10_000, calls=20)


def run(code: str, world: Shelf | None = None, limits: Limits = LIMITS) -> Execution:
    return execute(textwrap.dedent(code), world or Shelf(), limits, name="shelf")


def children() -> list[str]:
    """The processes that live now because of this one: the warm one, and those that it forked."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.parent.name, stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[pid] = rest[1]
    mine = {pid for pid, parent in parents.items() if parent == str(os.getpid())}
    return [pid for pid, parent in parents.items() if parent in mine]


def wait_for(true: Callable[[], bool]) -> bool:
    """Whether it becomes true within ten seconds: long for a busy machine, and hardly ever waited for."""
    end = time.monotonic() + 10
    while not true() and time.monotonic() < end:
        os.sched_yield()
    return true()


SPEAK = """
    import random
    write = random._os.write
    def frame(body):
        return len(body).to_bytes(4, 'big') + body
"""


CRASHES = {
    "no JSON": "write(3, frame(b'hello'))",
    "no object": "write(3, frame(b'[1]'))",
    "not UTF-8": 'write(3, frame(b\'{"value": "\\xff"}\'))',
    "a number that is none": 'write(3, frame(b\'{"value": NaN, "printed": ""}\'))',
    "a number of many digits": "write(3, frame(b'{\"printed\": \"\", \"value\": ' + b'9' * 9000 + b'}'))",
    "a number that is too large": 'write(3, frame(b\'{"value": 1e999, "printed": ""}\'))',
    "an argument that is too large": 'write(3, frame(b\'{"id": 1, "call": "read", "arguments": {"name": 1e999}}\'))',
    "another encoding, which hides depth": "write(3, frame(('{\"\\u0122\": ' + '[' * 50000).encode('utf-16')))",
    "a length without end": "write(3, b'\\xff\\xff\\xff\\xff')",
    "nothing at all": "write(3, frame(b''))",
    "an Api that is not documented": 'write(3, frame(b\'{"id": 1, "call": "wipe", "arguments": {}}\'))',
    "a call out of order": 'write(3, frame(b\'{"id": 7, "call": "read", "arguments": {"name": "list"}}\'))',
    "an id that is none": 'write(3, frame(b\'{"id": "1", "call": "read", "arguments": {"name": "list"}}\'))',
    "arguments that are none": 'write(3, frame(b\'{"id": 1, "call": "read", "arguments": ["list"]}\'))',
    "a call with more fields": 'write(3, frame(b\'{"id": 1, "call": "read", "arguments": {}, "as": "root"}\'))',
    "a result with more fields": 'write(3, frame(b\'{"value": 1, "printed": "", "calls": []}\'))',
    "a result without its parts": "write(3, frame(b'{\"value\": 1}'))",
    "a print that is none": 'write(3, frame(b\'{"value": 1, "printed": 5}\'))',
    "an error that is none": 'write(3, frame(b\'{"error": ["X"], "line": 1, "printed": ""}\'))',
    "an error without a name": 'write(3, frame(b\'{"error": ["", ""], "line": 1, "printed": ""}\'))',
    "a line that is none": 'write(3, frame(b\'{"error": ["X", ""], "line": "1", "printed": ""}\'))',
    "a larger result": 'write(3, frame(b\'{"printed": "", "value": "\' + b\'x\' * 20000 + b\'"}\'))',
    "a larger print": "write(3, frame(b'{\"value\": 1, \"printed\": \"' + b'x' * 20000 + b'\"}'))",
    "half a message, and the end": "write(3, b'\\0\\0\\0\\x09{')\nrandom._os._exit(0)",
    "the end": "random._os._exit(0)",
}


class TestForgedMessages:
    """A program finds the socket and writes what it likes: it gains nothing, and the next program is served."""

    @pytest.mark.parametrize("spoken", CRASHES.values(), ids=CRASHES)
    def test_are_crashes(self, spoken: str) -> None:
        world = Shelf("secret")
        done = run(textwrap.dedent(SPEAK) + spoken, world)
        assert done.error
        assert (done.error.type, done.value, world.rows) == ("Crash", None, {"list": ["kept"]})
        assert run("return 1").value == 1

    def test_nested_without_end(self) -> None:
        done = run(textwrap.dedent(SPEAK) + "write(3, frame(b'{\"value\": ' + b'[' * 9000 + b']' * 9000 + b'}'))")
        assert done.error
        assert done.error.type == "LimitExceeded"

    @pytest.mark.parametrize(("count", "most"), [(1, 60_000), (60, 3000)], ids=["one that is large", "many"])
    def test_calls_are_read_within_the_limits(self, count: int, most: int) -> None:
        code = f"""
            for n in range(1, {count} + 1):
                head = b'{{"id": %d, "call": "write", "arguments": {{"name": "a", "text": [' % n
                write(3, frame(head + b'[],' * {most} + b'[]]}}}}'))
            """
        limits = Limits(seconds=5, output=10_000, calls=99, memory=8 << 20)
        done = run(textwrap.dedent(SPEAK) + textwrap.dedent(code), limits=limits)
        assert done.error
        assert done.error.type == "LimitExceeded"

    def test_half_a_message_is_a_matter_of_time(self) -> None:
        done = run(
            textwrap.dedent(SPEAK) + "write(3, b'\\0\\0\\0\\x09{')\nwhile True:\n    pass", limits=Limits(seconds=0.1)
        )
        assert done.error
        assert done.error.type == "TimeoutError"

    def test_calls_that_a_program_forges_are_calls_that_it_could_make(self) -> None:
        code = """
            body = b'{"id": 1, "call": "write", "arguments": {"name": "a", "text": 1}}'
            write(3, frame(body))
            write(3, frame(body.replace(b'"id": 1', b'"id": 2')))
            write(3, frame(b'{"value": "forged", "printed": ""}'))
            while True:
                pass
            """
        done = run(textwrap.dedent(SPEAK) + textwrap.dedent(code))
        assert (done.value, done.changes, len(done.calls)) == ("forged", {"Row/a": 1}, 2)

    def test_what_comes_after_the_result_is_not_read(self) -> None:
        done = run(textwrap.dedent(SPEAK) + 'write(3, 3 * frame(b\'{"value": 1, "printed": ""}\'))\nreturn 2')
        assert done.value == 1


class TestFrames:
    JSON = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )

    @settings(max_examples=30)
    @given(st.dictionaries(st.text(), JSON), st.integers(1, 9))
    def test_arrive_as_they_were_sent_in_any_pieces(self, message: dict[str, object], piece: int) -> None:
        left = bytearray(encoded(message))

        def read(most: int) -> bytes:
            part = bytes(left[: min(most, piece)])
            del left[: len(part)]
            return part

        assert decoded(received(read, 1 << 20)) == json.loads(json.dumps(message))

    @settings(max_examples=30)
    @given(st.binary(max_size=60))
    def test_any_bytes_are_a_message_or_malformed(self, body: bytes) -> None:
        with contextlib.suppress(Malformed):
            assert isinstance(decoded(body), dict)


class TestTheSeal:
    """What a program reaches of the interpreter does not help: the kernel refuses."""

    @pytest.mark.parametrize(
        "call",
        [
            "os.open('/', 0)",
            "os.read(0, 1)",
            "os.write(1, b'x')",
            "os.fork()",
            "os.kill(1, 0)",
            "os.pipe()",
            "os.dup(3)",
            "os.chdir('/')",
            "os.getcwd()",
            "os.listdir('.')",
            "os.setuid(0)",
            "os.execv('/bin/true', ['true'])",
            "os.sched_setaffinity(0, {0})",
        ],
    )
    def test_system_calls(self, call: str) -> None:
        done = run(f"import random\nos = random._os\nreturn {call}")
        assert done.error
        assert done.error.type == "PermissionError"

    def test_memory_cannot_become_code(self) -> None:
        code = """
            import enum
            ctypes = enum.sys.modules['ctypes']
            libc = ctypes.CDLL(None, use_errno=True)
            libc.mmap.restype = ctypes.c_long
            return [libc.mmap(0, 4096, protection, 34, -1, 0) for protection in (7, 5, 4)]
            """
        assert run(code).value == [-1, -1, -1]

    def test_the_environment_is_empty_and_nothing_of_the_host_is_there(self) -> None:
        code = """
            import enum, random
            modules = sorted(name for name in enum.sys.modules if name.startswith(('toologue', 'pydantic', 'pytest')))
            return [sorted(random._os.environ), [name for name in modules if '.jail' not in name]]
            """
        assert run(code).value == [
            [],
            [
                "toologue",
                "toologue.sandbox",
                "toologue.sandbox.exceptions",
                "toologue.sandbox.messages",
            ],
        ]

    def test_one_program_leaves_nothing_for_the_next(self) -> None:
        run("import json\njson.left = 1\njson.dumps = None")
        assert run("import json\nreturn [hasattr(json, 'left'), json.dumps(1)]").value == [False, "1"]

    def test_only_machines_whose_numbers_are_known(self) -> None:
        with pytest.raises(OSError, match="no filter of system calls is known for vax"):
            filter.program("vax")


class TestLife:
    def test_no_process_and_no_descriptor_is_left(self) -> None:
        run("return 1")
        descriptors, there = len(os.listdir("/proc/self/fd")), set(children())  # other tests' among them, which may end
        for code in 5 * ("return 1", "raise ChitChat()", "while True:\n    pass", "import random\nrandom._os._exit(0)"):
            run(code, limits=Limits(seconds=0.02))
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert wait_for(lambda: len(set(children()) - there) <= 1)  # the one that waits for the next program

    def test_threads_run_programs_beside_one_another(self) -> None:
        with ThreadPoolExecutor(8) as threads:
            long = Limits(seconds=60)  # of eight at once, some wait
            found = list(threads.map(lambda n: run(f"return shelf.read('list') + [{n}]", limits=long), range(40)))
        assert [one.error for one in found] == [None] * 40
        assert [one.value for one in found] == [["kept", n] for n in range(40)]

    def test_the_thread_that_started_it_may_end(self) -> None:
        thread = threading.Thread(target=run, args=("return 1",))
        thread.start()
        thread.join()
        assert run("return 1").value == 1

    def test_a_process_that_was_forked_has_its_own(self) -> None:
        run("return 1")
        reads, writes = os.pipe()
        process = os.fork()
        if process == 0:
            os.write(writes, str(run("return 7").value).encode())
            os._exit(0)
        os.waitpid(process, 0)
        os.close(writes)
        with os.fdopen(reads) as told:
            assert told.read() == "7"
        assert run("return 8").value == 8

    SCRIPT = """
        import os, signal, sys
        sys.path.insert(0, sys.argv[1])
        from pathlib import Path
        from shelf import Shelf
        from toologue.sandbox.execute import execute
        def run():
            return execute("return 1", Shelf(), name="shelf").value
        def parent(stat):
            try:
                return stat.read_text().rpartition(")")[2].split()[1]
            except OSError:  # it ended meanwhile
                return ""
        run()
        warm = [stat.parent.name for stat in Path("/proc").glob("[0-9]*/stat") if parent(stat) == str(os.getpid())]
        print(*warm, flush=True)
        """

    def ran(self, end: str) -> list[str]:
        """What a process prints that runs programs and ends in some way."""
        command = [
            sys.executable,
            "-c",
            textwrap.dedent(self.SCRIPT) + textwrap.dedent(end),
            str(Path(__file__).parent),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout.split()

    @pytest.mark.parametrize("end", ["", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
    def test_the_warm_process_ends_with_its_host(self, end: str) -> None:
        (warm,) = self.ran(end)
        assert wait_for(lambda: not Path("/proc", warm).exists())

    def test_it_is_started_again_when_it_died(self) -> None:
        assert self.ran("os.kill(int(warm[0]), signal.SIGKILL)\nprint(run(), run())")[1:] == ["1", "1"]

    def test_its_death_ends_the_programs(self) -> None:
        end = """
            import threading
            threading.Timer(0.2, os.kill, (int(warm[0]), signal.SIGKILL)).start()
            print(execute("while True:\\n    pass", Shelf(), name="shelf").error.type)
            """
        assert self.ran(end)[1:] == ["Crash"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of system calls below are another machine's")
def test_where_the_kernel_does_not_seal_it_is_refused() -> None:
    """In a process that may not filter its system calls, as in some containers."""
    script = """
        import ctypes, struct, sys
        PRCTL, SET_SECCOMP = 157, 22
        steps = [(0x20, 0, 0, 0), (0x15, 0, 3, PRCTL), (0x20, 0, 0, 16), (0x15, 0, 1, SET_SECCOMP),
                 (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
        held = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
        filtered = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
        assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == ctypes.CDLL(None).prctl(SET_SECCOMP, 2, filtered, 0, 0) == 0

        sys.path.insert(0, sys.argv[1])
        from shelf import Shelf
        from toologue.errors import BadSetting
        from toologue.sandbox.execute import execute
        try:
            execute("return 1", Shelf(), name="shelf")
        except BadSetting as error:
            print(error)
        """
    command = [sys.executable, "-c", textwrap.dedent(script), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    expected = "this system does not let programs be sealed: [Errno 1] prctl 22: Operation not permitted"
    assert done.stdout.strip() == expected
