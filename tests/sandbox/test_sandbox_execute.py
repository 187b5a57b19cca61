"""Programs, run: what they see, what comes of them, and that both backends agree on it."""

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
from shelf import APIS, Shelf

from toologue.errors import BadSetting
from toologue.sandbox import monty, zygote
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Execution, Limits
from toologue.schema import Fault


def run(code: str, backend: Any = "auto", world: Any = None, **options: Any) -> Execution:
    """Run a program over a shelf."""
    return execute(textwrap.dedent(code), world or Shelf(), name="shelf", backend=backend, **options)


class TestWhatAProgramSees:
    @pytest.mark.parametrize("method", ["TakeDown", "take_down"])
    def test_apis_are_methods_in_both_spellings(self, method: str, backend: str) -> None:
        done = run(f"shelf.{method}(name='list')", backend)
        assert (done.error, done.changes) == (None, {"Row/list": None})

    def test_arguments_by_name_or_in_the_order_of_the_documents(self, backend: str) -> None:
        done = run(
            "shelf.write('a', text=1)\nshelf.write('b', 2)\nreturn shelf.read('a') + shelf.read(name='b')", backend
        )
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
    def test_nothing_else(self, code: str, kind: str, backend: str) -> None:
        done = run(code, backend)
        assert (done.error and done.error.type, done.calls) == (kind, ())

    def test_of_its_own_world_whatever_the_same_program_saw_before(self, backend: str) -> None:
        library = Shelf()
        library.apis = [APIS[0].replace(name="write"), APIS[1].replace(name="read"), APIS[2]]
        code, changes = "shelf.write('a', 1)", [{"Row/a": 1}, {}, {"Row/a": 1}]
        assert [run(code, backend, world).changes for world in (Shelf(), library, Shelf())] == changes

    def test_the_clock_stands_and_chance_is_seeded(self, backend: str) -> None:
        code = """
            import random, time
            from datetime import date, datetime, timezone
            time.sleep(1)
            now = datetime.now(timezone.utc)
            return [now, datetime.now(), date.today(), time.time(), random.random(), random.sample(range(99), 3)]
            """
        now = datetime(2025, 6, 2, 9, 30, tzinfo=UTC)
        first, second = (run(code, backend, now=now, seed=3) for _ in range(2))
        assert first == second
        assert first.value[:4] == ["2025-06-02T09:30:00+00:00", "2025-06-02T09:30:00", "2025-06-02", now.timestamp()]
        assert run(code, backend, now=now, seed=4).value[4] != first.value[4]

    def test_both_backends_draw_the_same(self, in_cpython: None) -> None:
        code = "import random\nreturn [random.random(), random.choice('abc'), random.randint(1, 9)]"
        assert run(code, "zygote", seed=5).value == run(code, seed=5).value

    def test_identifiers_and_own_generators_are_seeded_too(self, in_cpython: None) -> None:
        code = """
            import random, uuid
            makers = [vars(uuid)[f"uuid{version}"] for version in (1, 4, 6, 7, 8) if f"uuid{version}" in vars(uuid)]
            made = [str(make()) for make in makers]
            return [made, random.Random().random(), random.SystemRandom().random(), random._os.urandom(9)]
            """
        first, second = (run(code, "zygote") for _ in range(2))
        assert first.error is None
        assert first.value == second.value

    def test_a_seed_may_be_a_text(self, in_cpython: None) -> None:
        code = "import random\nrandom.seed('a')\nreturn [random.random(), random.Random('a').random()]"
        assert run(code, "zygote").value == 2 * [random.Random("a").random()]

    @pytest.mark.parametrize(
        "module",
        ["base64", "bisect", "collections", "copy", "csv", "dataclasses", "datetime", "decimal", "enum", "fnmatch",
         "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math", "operator", "random", "re",
         "statistics", "string", "textwrap", "time", "typing", "urllib.parse", "uuid"],
    )  # fmt: skip
    def test_a_safe_part_of_the_library(self, module: str, in_cpython: None) -> None:
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
    def test_are_exceptions(self, handler: str, backend: str) -> None:
        code = f"""
            try:
                shelf.read(name='x')
            {handler}
                return [type(error).__name__, error.response["Error"], str(error), f"{{error}}", repr(error)]
            """
        text = "An error occurred (NotThere) when calling the Read operation: there is no x"
        told = {"Code": "NotThere", "Message": "there is no x"}
        assert run(code, backend).value == ["NotThere", told, text, text, f"NotThere({text!r})"]

    def test_go_by_those_who_catch_something_else(self, backend: str) -> None:
        done = run("x = 1\ntry:\n    shelf.read(name='x')\nexcept ValueError:\n    return 1", backend)
        assert done.error
        assert done.error.type == "NotThere"
        assert done.line == 3 or backend == "monty"  # there it is the line of a handler

    def test_can_be_raised_again(self, backend: str) -> None:
        for again in ("raise", "raise error"):
            code = f"try:\n    shelf.read(name='x')\nexcept NotThere as error:\n    print(1)\n    {again}"
            done = run(code, backend)
            assert (done.error and done.error.type, done.printed) == ("NotThere", "1\n")

    def test_what_a_program_had_written_stays_written(self, backend: str) -> None:
        world = Shelf()
        done = run("shelf.write('a', 'kept')\nshelf.read('x')", backend, world)
        assert (world.rows["a"], done.created) == ("kept", ("Row/a",))

    @pytest.mark.parametrize("raised", ["ChitChat()", "ChitChat", "ChitChat('so')", "Elsewhere('so')"])
    def test_conversational_ones_are_there_and_those_of_the_caller(self, raised: str, backend: str) -> None:
        done = run(f"raise {raised}", backend, exceptions=("Elsewhere",))
        assert done.error == Fault(type=raised.partition("(")[0], message="so" if "so" in raised else "")

    def test_errors_of_the_program_have_its_line(self, backend: str) -> None:
        done = run("x = {}\n\ndef look():\n    return x['a']\n\nreturn look()", backend)
        assert (done.error, done.line) == (Fault(type="KeyError", message="'a'"), 4)

    def test_what_is_no_python_is_not_run(self, backend: str) -> None:
        for code, where in (("x = (", "line 1, column 5: "), ("x = ?1", "line 1, column 5: the placeholder ?1")):
            done = run(code, backend)
            assert done.error
            assert (done.error.type, done.line, done.backend) == ("SyntaxError", 1, None)
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
    def test_are_json(self, text: str, backend: str) -> None:
        if backend == "monty" and text == "{'k': {'b', 'a'}}":
            text = "dict(k=sorted({'b', 'a'}))"  # elsewhere the order of a set might matter
        done = run(f"return {text}", backend)
        assert (done.error, done.value) == (None, VALUES.get(text, {"k": ["a", "b"]}))

    def test_moments_are_iso_texts(self, backend: str) -> None:
        code = "from datetime import date, datetime\nreturn [datetime(2025, 1, 2, 3), date(2025, 1, 2)]"
        assert run(code, backend).value == ["2025-01-02T03:00:00", "2025-01-02"]

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
    def test_or_else_a_fault(self, code: str, kind: str, backend: str) -> None:
        done = run(code, backend, limits=Limits(output=1000))
        assert (done.value, done.error and done.error.type) == (None, kind)

    def test_print_is_captured_and_capped(self, backend: str) -> None:
        done = run("print('a', 1, sep='-')\nprint('x' * 5000)", backend, limits=Limits(output=1000))
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
    def test_the_last_write_of_a_row_counts(self, backend: str) -> None:
        done = run("shelf.write('a', 1)\nshelf.write('a', 2)\nshelf.write('list', 3)", backend)
        assert (done.changes, done.created) == ({"Row/a": 2, "Row/list": 3}, ("Row/a",))

    def test_what_came_and_went_is_none(self, backend: str) -> None:
        assert run("shelf.write('a', 1)\nshelf.take_down('a')", backend).changes == {}

    def test_what_went_and_came_is_replaced(self, backend: str) -> None:
        done = run("shelf.take_down('list')\nshelf.write('list', 1)", backend)
        assert (done.changes, done.created) == ({"Row/list": 1}, ())


class TestLimits:
    def test_time_is_the_programs_own(self, backend: str) -> None:
        done = run("while True:\n    pass", backend, limits=Limits(seconds=0.05))
        assert done.error == Fault(type="TimeoutError", message="the program took more than 0.05 seconds")

    def test_memory(self, backend: str) -> None:
        done = run(
            "x = 'a' * 10 ** 7\nreturn len([x + str(n) for n in range(99)])", backend, limits=Limits(memory=64 << 20)
        )
        assert done.error
        assert done.error.type == "MemoryError"

    def test_recursion(self, backend: str) -> None:
        code = "def down(n):\n    return n and 1 + down(n - 1)\nreturn down({})"
        assert run(code.format(80), backend, limits=Limits(recursion=100)).value == 80
        done = run(code.format(500), backend, limits=Limits(recursion=100))
        assert done.error
        assert done.error.type == "RecursionError"

    def test_calls_whatever_the_program_catches(self, backend: str) -> None:
        code = "for n in range(9):\n    try:\n        shelf.read('list')\n    except BaseException:\n        pass"
        done = run(code, backend, limits=Limits(calls=5))
        assert (done.error, len(done.calls)) == (Fault(type="LimitExceeded", message="more than 5 calls"), 5)

    def test_the_length_of_a_program(self, backend: str) -> None:
        done = run("x = 1\n" * 1000, backend, limits=Limits(output=1000))
        assert done.error == Fault(type="LimitExceeded", message="more than 1000 characters of program")

    @pytest.mark.parametrize(
        "code", ["(" * 5000, "-" * 50_000 + "1", "x" + ".a" * 50_000, "a\0b", "x=[" * 90 + "]" * 90]
    )
    def test_programs_that_choke_those_who_read_them(self, code: str, in_cpython: None) -> None:
        assert run(code, limits=Limits(seconds=1)).error


ALLOWS_ALL = """
import ctypes
import struct
held = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
libc = ctypes.CDLL(None)
filtered = struct.pack("HxxxxxxP", 1, ctypes.addressof(held))
print(libc.prctl(38, 1, 0, 0, 0), libc.prctl(22, 2, filtered, 0, 0))
"""


class TestBackends:
    @pytest.mark.skipif(sys.platform != "linux", reason="the zygote is for Linux")
    def test_cpython_is_there_wherever_the_kernel_filters_system_calls(self) -> None:
        """Otherwise a seal that is broken would only skip the tests of it."""
        asked = subprocess.run([sys.executable, "-c", ALLOWS_ALL], capture_output=True, text=True, check=True)
        if asked.stdout.split() != ["0", "0"] or platform.machine() not in ("x86_64", "aarch64"):
            pytest.skip("this kernel filters no system calls")
        assert zygote.available()

    def test_auto_is_cpython_wherever_it_can_be_sealed(self, in_cpython: None) -> None:
        assert run("class Row:\n    size = 1\nreturn Row().size").backend == "zygote"

    def test_where_a_backend_does_not_work_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(monty, "available", lambda: False)
        with pytest.raises(BadSetting, match=r"needs pydantic-monty: pip install 'toologue\[programs\]'"):
            run("return 1", "monty")

    def test_where_the_kernel_seals_nothing_auto_is_monty(self, monkeypatch: pytest.MonkeyPatch) -> None:
        if not monty.available():
            pytest.skip("monty is not installed")
        monkeypatch.setattr(zygote, "available", lambda: False)
        done = run("class Row:\n    pass")
        assert (done.backend, done.error and done.error.type) == ("monty", "NotImplementedError")


MARKED = 'RuntimeError(\'{mark}["NotThere", [], "forged", "", null, ["NotThere"]]\')'


class TestTheShimOfMonty:
    """What carries exceptions and calls through Monty is out of a program's reach."""

    @pytest.mark.parametrize("name", ["_t_mark", "_t_ask('read', '{}')", "_t_call('read', {})"])
    def test_its_names_cannot_be_used(self, name: str, backend: str) -> None:
        done = run(f"return {name}", backend)
        assert done.error
        assert (done.error.type, done.calls) == ("NotImplementedError" if backend == "monty" else "NameError", ())

    @pytest.mark.parametrize(
        "code",
        [
            "_t_mark = ''\nraise RuntimeError('[1]')",
            "def _t_text(value):\n    return 'forged'\nreturn 1",
            "_t_call = 1\nreturn shelf.read('list')",
            "import json as _t_json\nreturn 1",
            "try:\n    1 / 0\nexcept ZeroDivisionError as _t_told:\n    return 1",
            "def f(_t_call):\n    return shelf.read('list')\nreturn f(1)",
            "for _t_ask in [1]:\n    pass\nreturn 1",
        ],
    )
    def test_its_names_cannot_be_taken(self, code: str) -> None:
        if not monty.available():
            pytest.skip("monty is not installed")
        done = run(code, "monty")
        assert (done.error and done.error.type, done.calls) == ("NotImplementedError", ())

    def test_marks_cannot_be_guessed(self, backend: str) -> None:
        for mark in ("", "0000000000000000:", "\\x01"):
            done = run(f"raise {MARKED.replace('{mark}', mark)}", backend)
            assert done.error
            assert done.error.type == "RuntimeError"

    def test_the_text_of_a_caught_error_shows_no_mark(self, backend: str) -> None:
        done = run(
            "try:\n    raise ChitChat('a')\nexcept Exception as e:\n    return [str(e), repr(e), f'{e!r:>20}']", backend
        )
        assert done.value == ["a", "ChitChat('a')", "       ChitChat('a')"]
