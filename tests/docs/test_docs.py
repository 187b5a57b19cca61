"""The documentation is true: its code runs, its links lead somewhere, the command reference is the command line's."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from cyclopts import CycloptsError, MissingArgumentError

from toologue import registry
from toologue.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
DATA = re.compile(r"^```(json|toml|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^ *\$ (?:\.venv/bin/)?toologue ([a-z].*)$|`toologue ([a-z][^`\n]*)`", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)?(#[^)\s]+)?\)")


# Each block is a script of its own, without the names of the others; one process runs those of a page.
SCRIPTS = "import runpy, sys\nfor block in sys.argv[1:]:\n    runpy.run_path(block, run_name='__main__')"


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=lambda page: page.name)
def test_python_in_the_docs_runs(page: Path, tmp_path: Path) -> None:
    blocks = BLOCK.findall(page.read_text())
    scripts = [tmp_path / f"block_{number}.py" for number in range(len(blocks))]
    for script, code in zip(scripts, blocks, strict=True):
        script.write_text(code)
    command = [sys.executable, "-c", SCRIPTS, *map(str, scripts)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{page.name}:\n{done.stderr}"


def test_the_agent_of_the_readme_plays_a_benchmark(tmp_path: Path) -> None:
    (code,) = BLOCK.findall((ROOT / "README.md").read_text())
    (tmp_path / "my_agent.py").write_text(code)
    command = [Path(sys.executable).with_name("toologue"), "bench", "tooltalk", "--agent", "my_agent:agent"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "success" in done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if DATA.search(page.read_text())], ids=lambda page: page.name)
def test_data_in_the_docs_are_what_they_are_called(page: Path) -> None:
    for kind, text in DATA.findall(page.read_text()):
        for one in text.splitlines() if kind == "json" else [text]:
            assert {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[kind](one)


def refused(command: str) -> str:
    """Why the command line would not take a command; what is left out of one does not count."""
    line = app()
    try:
        _, bound, _ = line.meta.parse_args(shlex.split(command, comments=True), exit_on_error=False, print_error=False)
        line.parse_args(bound.args, exit_on_error=False, print_error=False)
    except MissingArgumentError:
        return ""
    except CycloptsError as error:
        return f"toologue {command}: {error}"
    return ""


def test_commands_in_the_docs_are_those_of_the_command_line() -> None:
    pages = [page for page in PAGES if page.name not in ("cli.md", "architecture.md")]
    commands = {one or two for page in pages for one, two in COMMAND.findall(page.read_text())}
    assert len(commands) > 80
    assert [why for command in sorted(commands) if (why := refused(command))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_pages_and_headings_that_are_there(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        if target.startswith("http"):
            continue
        there = (page.parent / target) if target else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
            assert anchor[1:] in slugs, f"{page.name} links to {target}{anchor}"


def test_pages_that_the_code_names_are_there() -> None:
    files = [file for folder in ("src", "tests", "bench") for file in (ROOT / folder).rglob("*.py")]
    named = [(file, page) for file in files for page in re.findall(r"\bdocs/([\w-]+\.md)", file.read_text())]
    assert len(named) > 20
    assert [f"{file.name} names {page}" for file, page in named if not (ROOT / "docs" / page).exists()] == []


def test_the_command_reference_is_generated() -> None:
    assert (ROOT / "docs" / "cli.md").read_text().strip() == app().generate_docs().strip(), "run: make docs"


@pytest.mark.parametrize("kind", registry.KINDS)
def test_everything_registered_is_documented(kind: str) -> None:
    pages = "\n".join(page.read_text() for page in PAGES)
    missing = [name for name in registry.names(kind) if f"`{name}`" not in pages and f"`{name}:" not in pages]
    assert not missing or (kind == "benchmark" and "## tooltalk" in pages)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_the_law_and_the_front_door_are_short(page: str) -> None:
    assert len((ROOT / page).read_text().splitlines()) <= 80


def test_every_promise_names_a_test_that_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "your-agent.md").read_text()))
    there = {
        name for file in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())
    }
    assert named - there == set()
    assert len(named) > 20
