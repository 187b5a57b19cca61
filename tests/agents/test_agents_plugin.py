"""A package of somebody else's, installed beside toologue, adds an agent through an entry point."""

import os
import subprocess
import sys
from pathlib import Path

AGENT = """
from toologue.agents.agent import AgentSpec
from toologue.schema import AgentTurn

class Polite:
    def __init__(self, word):
        self.word = word

    async def act(self, history, brief):
        return AgentTurn(text=f"{self.word}, {len(brief.apis)} tools are mine.")

def POLITE(argument):
    return AgentSpec(f"polite:{argument}", lambda case: Polite(argument))
"""


def test_an_installed_package_adds_an_agent(tmp_path: Path) -> None:
    (tmp_path / "politeness.py").write_text(AGENT)
    metadata = tmp_path / "politeness-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: politeness\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[toologue.agent]\npolite = politeness:POLITE\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "toologue", "chat", "--agent", "polite:Gladly"]
    env = {**os.environ, "PYTHONPATH": path}
    ran = subprocess.run(command, input="Hello\n", env=env, text=True, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Agent: Gladly, 28 tools are mine." in ran.stdout
