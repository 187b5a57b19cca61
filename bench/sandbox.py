"""Programs a second: each backend, beside plain exec in this process and a fresh interpreter, in turns in one run.

    python -m bench.sandbox [--rounds N]

The world does nothing, so what is measured is what running a program costs. Wall time, since other processes work: the
best of rounds in which every side has its turn. A ratio within one run says more than milliseconds: plain exec is the
floor, and keeps nothing in; a fresh interpreter is what a host without a warm one would start. `return` is a program
that returns at once; `calls` makes eleven calls, as a copy of ten files does.

Not covered: what worlds cost; programs that run beside one another.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from bench.figure import Figure
from toologue.sandbox import monty, zygote
from toologue.sandbox.execute import Backend, execute
from toologue.schema import Act, Api, Parameter, Result

AIMS = {"monty": 2.0, "zygote": 6.0}
"""Milliseconds a program."""
PROGRAMS = {
    "return": "return 1",
    "calls": """
        copied = []
        for obj in null.list_objects(Bucket="a").get("Contents", []):
            null.copy_object(Bucket="b", CopySource={"Bucket": "a", "Key": obj["Key"]}, Key=obj["Key"])
            copied.append(obj["Key"])
        return copied
        """,
}
LISTED = {"Contents": [{"Key": f"notes/{number}.txt", "Size": number} for number in range(10)]}


class Null:
    """A world that answers at once."""

    apis: Sequence[Api] = (
        Api(name="list_objects", parameters={"Bucket": Parameter()}),
        Api(name="copy_object", parameters={name: Parameter() for name in ("Bucket", "CopySource", "Key")}),
    )

    def do(self, act: Act) -> Result:
        return Result(value=LISTED) if act.kind == "call" and act.api == "list_objects" else Result(value={})

    def mark(self) -> None:
        return None

    def rewind(self, mark: None) -> None:
        return None


class Plain:
    """The same world as an object, for plain exec."""

    def list_objects(self, **given: object) -> dict[str, object]:
        return LISTED

    def copy_object(self, **given: object) -> dict[str, object]:
        return {}


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description="What running a program costs.")
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args(arguments).rounds
    for name, code in PROGRAMS.items():
        Console(width=None if sys.stdout.isatty() else 120).print(table(name, measured(textwrap.dedent(code), rounds)))


def figures(rounds: int = 60) -> list[Figure]:
    """Milliseconds of each backend beside a fresh interpreter, for the program that calls."""
    found = measured(textwrap.dedent(PROGRAMS["calls"]), rounds)
    fresh = found["fresh interpreter"]
    return [Figure(f"sandbox, {name}", found[name], fresh, "ms", aim) for name, aim in AIMS.items() if name in found]


def measured(code: str, rounds: int) -> Mapping[str, float]:
    """Milliseconds of each side: the best of the rounds, taken in turns."""
    sides = _sides(code)
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            if name == "fresh interpreter" and number > rounds // 4:
                continue  # slow, and steady enough
            start = time.perf_counter()
            side()
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: min(times[1:]) for name, times in taken.items()}  # the first one warms up


def _sides(code: str) -> dict[str, Callable[[], object]]:
    body = "def program():\n" + textwrap.indent(code, "    ")
    fresh = "LISTED = " + repr(LISTED) + "\n" + textwrap.dedent(_PLAIN) + body + "\nprogram()"
    sides: dict[str, Callable[[], object]] = {
        "plain exec": lambda: _plain(body),
        "fresh interpreter": lambda: subprocess.run([sys.executable, "-I", "-S", "-c", fresh], check=True),
    }
    backends: dict[Backend, bool] = {"monty": monty.available(), "zygote": zygote.available()}
    for backend, there in backends.items():
        if there:
            sides[backend] = lambda backend=backend: execute(code, Null(), name="null", backend=backend)
    return sides


_PLAIN = """
class null:
    def list_objects(**given):
        return LISTED
    def copy_object(**given):
        return {}
"""


def _plain(body: str) -> object:
    names: dict[str, object] = {"null": Plain()}
    exec(body, names)  # noqa: S102 (our own program, to compare with)
    return names["program"]()  # type: ignore[operator]


def table(name: str, found: Mapping[str, float]) -> Table:
    """One row a side."""
    made = Table(title=f"Programs that {name}: what one costs")
    for head in ("", "ms", "programs a second", "times plain exec", "of a fresh interpreter", "aim"):
        made.add_column(head, justify="right" if head else "left")
    for side, cost in found.items():
        aim = f"≤ {AIMS[side]:g} ms: {'met' if cost <= AIMS[side] else 'missed'}" if side in AIMS else ""
        of_fresh, of_plain = cost / found["fresh interpreter"], cost / found["plain exec"]
        made.add_row(side, f"{cost:.3g}", f"{1e3 / cost:,.0f}", f"{of_plain:,.0f}", f"{of_fresh:.3f}", aim)
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
