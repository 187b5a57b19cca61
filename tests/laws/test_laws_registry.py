"""What is registered can be loaded, is of its kind, and is documented where people look."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from source_tree import REPOSITORY, assert_none

from toologue import registry
from toologue.errors import BadSetting, UnknownName

REGISTERED = [(kind, name) for kind in registry.KINDS for name in registry.names(kind)]


def test_a_registered_name_loads() -> None:
    assert REGISTERED
    assert_none(
        f"{kind} {name}" for kind, name in REGISTERED if registry.find(kind, name) is not registry.find(kind, name)
    )


def test_a_registered_name_is_documented() -> None:
    """As code, in the documentation or the README; as a name of its own, not inside another word."""
    pages = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("**/*.md"))]
    texts = [page.read_text("utf-8") for page in pages if page.exists()]

    def is_documented(name: str) -> bool:
        pattern = re.compile(rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])[^`\n]*`")
        fenced = re.compile(rf"^(?:    |\$ ).*(?<![\w-]){re.escape(name)}(?![\w-])", re.MULTILINE)
        return any(pattern.search(text) or fenced.search(text) for text in texts)

    assert_none(f"no page mentions the {kind} `{name}`" for kind, name in REGISTERED if not is_documented(name))


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    for kind in registry.KINDS:
        first = registry.names(kind)[0]
        with pytest.raises(UnknownName, match=f"no {kind} is called '{first}x'; did you mean '{first}'"):
            registry.find(kind, f"{first}x")


@pytest.mark.parametrize(
    "reference", ["nowhere:thing", "toologue.keys:nothing", "toologue.keys", "toologue.keys:", ".:x"]
)
def test_a_reference_that_leads_nowhere_says_so(reference: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(f"cannot load {reference!r}: ")):
        registry.load(reference)


PLUGIN = """
import sys
from importlib import metadata

class Point:
    def __init__(self, name, value):
        self.name, self.value = name, value

real = metadata.entry_points
metadata.entry_points = lambda group: [Point("mine", "my_agents:MINE"), Point("gold", "my_agents:FALSE")] if (
    group == "toologue.agent") else real(group=group)

from toologue import registry
from toologue.agents.agent import resolve_agent
print(registry.names("agent"), resolve_agent("mine:x").name, resolve_agent("gold").name)
"""


def test_a_plugin_adds_names_and_takes_none_away(tmp_path) -> None:
    """Built-ins register as plugins would; a plugin cannot replace one of them."""
    (tmp_path / "my_agents.py").write_text(
        "from toologue.agents.agent import AgentSpec\n"
        "def MINE(argument):\n    return AgentSpec('mine of ' + argument, None)\n"
        "FALSE = None\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", PLUGIN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": "."},
    )
    assert ran.returncode == 0, ran.stderr
    known = sorted([*registry.names("agent"), "mine"])
    assert ran.stdout.strip() == f"{known} mine of x gold"
