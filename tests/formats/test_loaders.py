"""Every loader: what it reads it reads in time that grows as the file does; all else it refuses, in a few lines."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import growth, strange
from tests.loaders import Loader, loaders
from toologue.errors import BadRecord, UserError


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Loader]:
    return loaders(tmp_path_factory.mktemp("beside"))


def test_each_accepts_its_sample(tmp_path: Path, known: dict[str, Loader]) -> None:
    for loader in known.values():
        (file := tmp_path / loader.file).write_bytes(loader.sample)
        loader.load(file)
        file.unlink()


def test_a_mutant_is_accepted_or_refused_in_a_few_lines() -> None:
    counts, wrong = strange(400, seed=7)
    assert wrong == []
    assert min(counts["accepted"], counts["refused"]) > 50


def test_fuzzing_prints_no_line_for_every_file_that_is_cut_off() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--count", "60", "--only", "Score"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (done.stdout.startswith("60 mutants: "), done.stdout.count("\n"), done.stderr) == (True, 1, "")


@pytest.mark.parametrize(
    ("loader", "data", "said"),
    [
        ("settings", b"[run]\ntimeout = " + b"9" * 5000, "this is no TOML: Exceeds the limit"),
        ("settings", b"agents = " + b"[" * 20_000, "this is no TOML: maximum recursion depth exceeded"),
        ("calls, YAML", b"id: a\nscenario: " + b"9" * 5000, "a number of 5,000 digits"),
        (
            "about.json",
            b'"thresholds":{"lcs":0.83,"description":0.77}',
            "expected lcs, keyword, description, each from 0 to 1",
        ),
        ("about.json", b'"thresholds":{"lcs":-1,"keyword":0.5,"description":0.77}', "each from 0 to 1"),
        ("about.json", b'"rules":"best","rules":"best"', "the key 'rules' stands twice"),
        ("ToolTalk", b'"name": "n", "name": "m"', "the key 'name' stands twice"),
        ("Dialogue", b'"text":"' + b"x" * 1_100_000 + b'"', "a message of 1,100,000 characters"),
        ("Markdown", b"x" * (2**20 + 1), "is larger than 1 MiB"),
        (
            "Markdown",
            b"---\nid: " + b"[" * 20_000 + b"a\n---\n",
            "the front matter cannot be read: ",
        ),
    ],
    ids=range(10),
)
def test_what_is_refused_says_why(
    tmp_path: Path, known: dict[str, Loader], loader: str, data: bytes, said: str
) -> None:
    """Where the data is a member of an object, it replaces the one of the sample."""
    key = re.match(rb'"\w+": ?', data)
    if key:
        member = re.escape(key[0]) + rb'(?:"[^"]*"|\{[^{}]*\})'
        data = re.sub(member, lambda _: data, known[loader].sample, count=1)
    (file := tmp_path / ("a.yaml" if "YAML" in loader else known[loader].file)).write_bytes(data)
    with pytest.raises(UserError, match=said):
        known[loader].load(file)


def test_a_conversation_in_yaml_needs_somebody_who_speaks(tmp_path: Path, known: dict[str, Loader]) -> None:
    silent = re.sub(rb"(?m)^ *- user:.*\n(?: {4,}\S.*\n)*", b"", known["calls, YAML"].sample)
    (file := tmp_path / "a.yaml").write_bytes(silent)
    with pytest.raises(BadRecord, match=r"\$.turns: the conversation has no user turn: there is nobody to answer"):
        known["calls, YAML"].load(file)


def test_time_grows_as_the_file_does() -> None:
    """CPU at n and at 4 n, with room for a machine that does something else; what is large and right is accepted."""
    found = [*growth()]
    assert [one for one in found if one.wrong] == []
    assert [one for one in found if one.ratio > 10] == []  # what is quadratic takes 16 times as long
