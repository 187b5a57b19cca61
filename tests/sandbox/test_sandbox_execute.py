"""Programs, run: what they see, what comes of them."""

from __future__ import annotations

import platform
import random
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import APIS, Shelf, seals

from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Execution, Limits
from toologue.schema import Fault


def run(code: str, world: Any = None, **options: Any) -> Execution:
    """Run a program over a shelf."""
    return execute(textwrap.dedent(code), world or Shelf(), name="shelf", **options)


class TestWhatAProgramSees:
    @pytest.mark.parametrize("method", ["TakeDown", "take_down"])
    def test_apis_are_methods_in_both_spellings(self, method: str, sealed: None) -> None:
        done = run(f"shelf.{method}(name='list')")
        assert (done.error, done.changes) == (None, {"Row/list": None})

    def test_arguments_by_name_or_in_the_order_of_the_documents(self, sealed: None) -> None:
        done = run("shelf.write('a', text=1)\nshelf.write('b', 2)\nreturn shelf.read('a') + shelf.read(name='b')")
        assert done.value == 3
        assert [called.call.arguments for called in done.calls][1] == {"name": "b", "text": 2}

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("shelf.wipe()", "AttributeError"),
            ("shelf.write('a', name='b', text=1)", "TypeError"),
            ("shelf.read('a', 'b')", "TypeError"),
            ("nothing", "NameError"),
            ("open('x')", "NameError"),
            ("import os", "ImportError"),
            ("from subprocess import run", "ImportError"),
        ],
    )
    def test_nothing_else(self, code: str, kind: str, sealed: None) -> None:
        done = run(code)
        assert (done.error and done.error.type, done.calls) == (kind, ())

    def test_of_its_own_world_whatever_the_same_program_saw_before(self, sealed: None) -> None:
        library = Shelf()
        library.apis = [APIS[0].replace(name="write"), APIS[1].replace(name="read"), APIS[2]]
        code, changes = "shelf.write('a', 1)", [{"Row/a": 1}, {}, {"Row/a": 1}]
        assert [run(code, world).changes for world in (Shelf(), library, Shelf())] == changes

    def test_the_clock_stands_and_chance_is_seeded(self, sealed: None) -> None:
        code = """
            import random, time
            from datetime import date, datetime, timezone
            time.sleep(1)
            now = datetime.now(timezone.utc)
            return [now, datetime.now(), date.today(), time.time(), random.random(), random.sample(range(99), 3)]
            """
        now = datetime(2025, 6, 2, 9, 30, tzinfo=UTC)
        first, second = (run(code, now=now, seed=3) for _ in range(2))
        assert first == second
        assert first.value[:4] == ["2025-06-02T09:30:00+00:00", "2025-06-02T09:30:00", "2025-06-02", now.timestamp()]
        assert run(code, now=now, seed=4).value[4] != first.value[4]

    def test_identifiers_and_own_generators_are_seeded_too(self, sealed: None) -> None:
        code = """
            import random, uuid
            makers = [vars(uuid)[f"uuid{version}"] for version in (1, 4, 6, 7, 8) if f"uuid{version}" in vars(uuid)]
            made = [str(make()) for make in makers]
            return [made, random.Random().random(), random.SystemRandom().random(), random._os.urandom(9)]
            """
        first, second = (run(code) for _ in range(2))
        assert first.error is None
        assert first.value == second.value

    def test_a_seed_may_be_a_text(self, sealed: None) -> None:
        code = "import random\nrandom.seed('a')\nreturn [random.random(), random.Random('a').random()]"
        assert run(code).value == 2 * [random.Random("a").random()]

    @pytest.mark.parametrize(
        "module",
        ["base64", "bisect", "collections", "copy", "csv", "dataclasses", "datetime", "decimal", "enum", "fnmatch",
         "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math", "operator", "random", "re",
         "statistics", "string", "textwrap", "time", "typing", "urllib.parse", "uuid"],
    )  # fmt: skip
    def test_a_safe_part_of_the_library(self, module: str, sealed: None) -> None:
        assert run(f"import {module} as it\nreturn it.__name__").value == module


CAUGHT = {
    "except NotThere as error:": "by name",
    "except shelf.exceptions.NotThere as error:": "through the object",
    "except (KeyError, NotThere) as error:": "among others",
    "except ClientError as error:": "by kind",
    "except Exception as error:": "with all others",
}


class TestErrorsOfTheWorld:
    @pytest.mark.parametrize("handler", CAUGHT, ids=CAUGHT.values())
    def test_are_exceptions(self, handler: str, sealed: None) -> None:
        code = f"""
            try:
                shelf.read(name='x')
            {handler}
                return [type(error).__name__, error.response["Error"], str(error), f"{{error}}", repr(error)]
            """
        text = "An error occurred (NotThere) when calling the Read operation: there is no x"
        told = {"Code": "NotThere", "Message": "there is no x"}
        assert run(code).value == ["NotThere", told, text, text, f"NotThere({text!r})"]

    def test_go_by_those_who_catch_something_else(self, sealed: None) -> None:
        done = run("x = 1\ntry:\n    shelf.read(name='x')\nexcept ValueError:\n    return 1")
        assert done.error
        assert done.error.type == "NotThere"
        assert done.line == 3

    def test_can_be_raised_again(self, sealed: None) -> None:
        for again in ("raise", "raise error"):
            code = f"try:\n    shelf.read(name='x')\nexcept NotThere as error:\n    print(1)\n    {again}"
            done = run(code)
            assert (done.error and done.error.type, done.printed) == ("NotThere", "1\n")

    def test_what_a_program_had_written_stays_written(self, sealed: None) -> None:
        world = Shelf()
        done = run("shelf.write('a', 'kept')\nshelf.read('x')", world)
        assert (world.rows["a"], done.created) == ("kept", ("Row/a",))

    @pytest.mark.parametrize("raised", ["ChitChat()", "ChitChat", "ChitChat('so')", "Elsewhere('so')"])
    def test_conversational_ones_are_there_and_those_of_the_caller(self, raised: str, sealed: None) -> None:
        done = run(f"raise {raised}", exceptions=("Elsewhere",))
        assert done.error == Fault(type=raised.partition("(")[0], message="so" if "so" in raised else "")

    def test_errors_of_the_program_have_its_line(self, sealed: None) -> None:
        done = run("x = {}\n\ndef look():\n    return x['a']\n\nreturn look()")
        assert (done.error, done.line) == (Fault(type="KeyError", message="'a'"), 4)

    def test_what_is_no_python_is_not_run(self, sealed: None) -> None:
        for code, where in (("x = (", "line 1, column 5: "), ("x = ?1", "line 1, column 5: the placeholder ?1")):
            done = run(code)
            assert done.error
            assert (done.error.type, done.line) == ("SyntaxError", 1)
            assert done.error.message.startswith(where)


VALUES = {
    "None": None,
    "": None,
    "(1, [2.5, True])": [1, [2.5, True]],
    "{1: 'a', None: 2}": {"1": "a", "null": 2},
    "b'ab'": "ab",
    "b'\\xff'": {"base64": "/w=="},
    "{3, 1, 2}": [1, 2, 3],
    "{'k': {'b', 'a'}}": {"k": ["a", "b"]},
    "'\\ud800x'": "\ufffdx",
}


class TestResults:
    @pytest.mark.parametrize("text", VALUES)
    def test_are_json(self, text: str, sealed: None) -> None:
        done = run(f"return {text}")
        assert (done.error, done.value) == (None, VALUES[text])

    def test_moments_are_iso_texts(self, sealed: None) -> None:
        code = "from datetime import date, datetime\nreturn [datetime(2025, 1, 2, 3), date(2025, 1, 2)]"
        assert run(code).value == ["2025-01-02T03:00:00", "2025-01-02"]

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("x = []\nx.append(x)\nreturn x", "ValueError"),
            ("return float('inf')", "ValueError"),
            ("return 10 ** 5000", "ValueError"),
            ("return len", "TypeError"),
            ("return {(1, 2): 3}", "TypeError"),
            ("return 'x' * 2000", "LimitExceeded"),
            ("x = 1\nfor _ in range(150):\n    x = [x]\nreturn x", "LimitExceeded"),
        ],
    )
    def test_or_else_a_fault(self, code: str, kind: str, sealed: None) -> None:
        done = run(code, limits=Limits(output=1000))
        assert (done.value, done.error and done.error.type) == (None, kind)

    def test_print_is_captured_and_capped(self, sealed: None) -> None:
        done = run("print('a', 1, sep='-')\nprint('x' * 5000)", limits=Limits(output=1000))
        assert done.printed.startswith("a-1\nxxx")
        assert len(done.printed) == 1000

    LEAF = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5) | st.floats(-9, 9)

    @settings(max_examples=15)
    @given(
        st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner), max_leaves=8)
    )
    def test_json_comes_back_as_it_went(self, value: Any) -> None:
        """Into the world as an argument, out as a result of the world, out as the program's."""
        done = run(f"shelf.write('a', {value!r})\nreturn shelf.read('a')")
        assert done.error is None
        assert done.value == done.calls[0].call.arguments["text"] == value  # type: ignore[index]


class TestChanges:
    def test_the_last_write_of_a_row_counts(self, sealed: None) -> None:
        done = run("shelf.write('a', 1)\nshelf.write('a', 2)\nshelf.write('list', 3)")
        assert (done.changes, done.created) == ({"Row/a": 2, "Row/list": 3}, ("Row/a",))

    def test_what_came_and_went_is_none(self, sealed: None) -> None:
        assert run("shelf.write('a', 1)\nshelf.take_down('a')").changes == {}

    def test_what_went_and_came_is_replaced(self, sealed: None) -> None:
        done = run("shelf.take_down('list')\nshelf.write('list', 1)")
        assert (done.changes, done.created) == ({"Row/list": 1}, ())


class TestLimits:
    def test_time_is_the_programs_own(self, sealed: None) -> None:
        done = run("while True:\n    pass", limits=Limits(seconds=0.05))
        assert done.error == Fault(type="TimeoutError", message="the program took more than 0.05 seconds")

    def test_memory(self, sealed: None) -> None:
        done = run("x = 'a' * 10 ** 7\nreturn len([x + str(n) for n in range(99)])", limits=Limits(memory=64 << 20))
        assert done.error
        assert done.error.type == "MemoryError"

    def test_recursion(self, sealed: None) -> None:
        code = "def down(n):\n    return n and 1 + down(n - 1)\nreturn down({})"
        assert run(code.format(80), limits=Limits(recursion=100)).value == 80
        done = run(code.format(500), limits=Limits(recursion=100))
        assert done.error
        assert done.error.type == "RecursionError"

    def test_calls_whatever_the_program_catches(self, sealed: None) -> None:
        code = "for n in range(9):\n    try:\n        shelf.read('list')\n    except BaseException:\n        pass"
        done = run(code, limits=Limits(calls=5))
        assert (done.error, len(done.calls)) == (Fault(type="LimitExceeded", message="more than 5 calls"), 5)

    def test_the_length_of_a_program(self, sealed: None) -> None:
        done = run("x = 1\n" * 1000, limits=Limits(output=1000))
        assert done.error == Fault(type="LimitExceeded", message="more than 1000 characters of program")

    @pytest.mark.parametrize(
        "code", ["(" * 5000, "-" * 50_000 + "1", "x" + ".a" * 50_000, "a\0b", "x=[" * 90 + "]" * 90]
    )
    def test_programs_that_choke_those_who_read_them(self, code: str, sealed: None) -> None:
        assert run(code, limits=Limits(seconds=1)).error


ALLOWS_ALL = """
import ctypes
import struct
held = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
libc = ctypes.CDLL(None)
filtered = struct.pack("HxxxxxxP", 1, ctypes.addressof(held))
print(libc.prctl(38, 1, 0, 0, 0), libc.prctl(22, 2, filtered, 0, 0))
"""


class TestWhereItRuns:
    @pytest.mark.skipif(sys.platform != "linux", reason="programs run under Linux")
    def test_cpython_is_there_wherever_the_kernel_filters_system_calls(self) -> None:
        """Otherwise a seal that is broken would only skip the tests of it."""
        asked = subprocess.run([sys.executable, "-c", ALLOWS_ALL], capture_output=True, text=True, check=True)
        if asked.stdout.split() != ["0", "0"] or platform.machine() not in ("x86_64", "aarch64"):
            pytest.skip("this kernel filters no system calls")
        assert seals()
