"""Programs a second: the sandbox, beside plain exec and a fresh interpreter, in turns in one run.

    python -m bench.sandbox [--rounds N]
    python -m bench.sandbox [--honest N] [--hostile N] [--seed N]

The world does nothing, so what is measured is what running a program costs. Wall time, since other processes work: the
best of rounds in which every side has its turn. A ratio within one run says more than milliseconds: plain exec, in a
process of its own, is the floor, and keeps nothing in; a fresh interpreter is what a host without a warm one would
start. `return` is a program that returns at once; `calls` makes eleven calls, as a copy of ten files does. Last, what
all gold programs of dialog2api take: executed as they are read, and played by the gold agent. With `--honest` and
`--hostile` programs made by chance are run instead: the ones as in plain CPython, the others without harm.

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
from toologue.bench.benchmark import traces_of
from toologue.bench.dialog2api import DIALOG2API, load
from toologue.sandbox.execute import execute
from toologue.sandbox.rpc import Limits
from toologue.schema import Act, Api, Parameter, Result

AIM = 6.0
"""Milliseconds a program."""
GOLD_AIM = 20.0
"""Seconds that the gold of dialog2api may take."""
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


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description="What running a program costs.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--honest", type=int, default=0)
    parser.add_argument("--hostile", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.honest or given.hostile:
        sys.exit(made_by_chance(given.honest, given.hostile, given.seed))
    rounds = given.rounds
    for name, code in PROGRAMS.items():
        Console(width=None if sys.stdout.isatty() else 120).print(table(name, measured(textwrap.dedent(code), rounds)))
    print(gold())


def made_by_chance(honest: int, hostile: int, seed: int) -> int:
    """Run programs that chance made, and print what went wrong. Returns the exit status."""
    from bench import sandbox_programs as programs
    from bench.sandbox_differences import differences, harm

    wrong = differences(programs.honest(seed, honest))
    for code, expected, found in wrong:
        print(f"{code}\n  in plain CPython {expected}\n  here {found}\n")
    print(f"{honest} honest programs: {len(wrong)} differ from plain CPython")
    done = harm(programs.hostile(seed, hostile), Limits(seconds=1, memory=64 << 20))
    for code, what in done:
        print(f"{code[:100]!r} ({len(code)} characters) {what}")
    print(f"{hostile} hostile programs: {len(done)} did harm")
    return int(bool(wrong or done))


def figures(rounds: int = 60) -> list[Figure]:
    """Milliseconds of the sandbox beside a fresh interpreter, for the program that calls."""
    found = measured(textwrap.dedent(PROGRAMS["calls"]), rounds)
    return [Figure("sandbox", found["sandbox"], found["fresh interpreter"], "ms", AIM)]


def gold() -> str:
    """What the whole gold benchmark takes."""
    start = time.perf_counter()
    golds = load()
    middle = time.perf_counter()
    traces_of(DIALOG2API, DIALOG2API.part, golds, "gold")
    executed, played = middle - start, time.perf_counter() - middle
    programs = sum(result is not None for one in golds for turn in one.turns for result in getattr(turn, "results", ()))
    verdict = "met" if executed + played <= GOLD_AIM else "missed"
    return (
        f"The gold of dialog2api, {programs} programs in {len(golds)} dialogues: executed in {executed:.1f} s, "
        f"played in {played:.1f} s; aim ≤ {GOLD_AIM:g} s: {verdict}"
    )


def measured(code: str, rounds: int) -> Mapping[str, float]:
    """Milliseconds of each side: the best of the rounds, taken in turns."""
    sides = _sides(code)
    taken: dict[str, list[float]] = {name: [] for name in sides}
    with _Plain(code) as plain:
        taken["plain exec"] = []
        for number in range(rounds + 1):
            taken["plain exec"].append(plain.milliseconds())
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
        "fresh interpreter": lambda: subprocess.run([sys.executable, "-I", "-S", "-c", fresh], check=True),
        "sandbox": lambda: execute(code, Null(), name="null"),
    }
    return sides


_PLAIN = """
class null:
    def list_objects(**given):
        return LISTED
    def copy_object(**given):
        return {}
"""
_CHILD = """
import sys, time
for _ in sys.stdin:
    start = time.perf_counter()
    names = {"null": null}
    exec(BODY, names)
    names["program"]()
    print((time.perf_counter() - start) * 1e3, flush=True)
"""


class _Plain:
    """A process that runs a program by plain exec each time it is asked, and says how long that took."""

    def __init__(self, code: str):
        body = "def program():\n" + textwrap.indent(code, "    ")
        text = f"LISTED, BODY = {LISTED!r}, {body!r}\n{textwrap.dedent(_PLAIN)}{_CHILD}"
        pipe = subprocess.PIPE
        self._child = subprocess.Popen([sys.executable, "-I", "-S", "-c", text], stdin=pipe, stdout=pipe, text=True)

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *error: object) -> None:
        self._child.communicate()

    def milliseconds(self) -> float:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        print(file=self._child.stdin, flush=True)
        return float(self._child.stdout.readline())


def table(name: str, found: Mapping[str, float]) -> Table:
    """One row a side."""
    made = Table(title=f"Programs that {name}: what one costs")
    for head in ("", "ms", "programs a second", "times plain exec", "of a fresh interpreter", "aim"):
        made.add_column(head, justify="right" if head else "left")
    for side, cost in found.items():
        aim = f"≤ {AIM:g} ms: {'met' if cost <= AIM else 'missed'}" if side == "sandbox" else ""
        of_fresh, of_plain = cost / found["fresh interpreter"], cost / found["plain exec"]
        made.add_row(side, f"{cost:.3g}", f"{1e3 / cost:,.0f}", f"{of_plain:,.0f}", f"{of_fresh:.3f}", aim)
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
