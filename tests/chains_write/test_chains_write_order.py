"""What is estimated of a document is the same in every process, however Python orders its sets there."""

from __future__ import annotations

import os
import subprocess
import sys

ESTIMATE = """
from toologue.schema import Api
from toologue.write.chains.questions import estimate
rows = lambda: {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
found = {"type": "object", "properties": {thing: rows() for thing in ("teams", "players", "leagues", "matches")}}
api = Api(name="Sports|feed|Search all", description="Search for soccer teams, soccer players, leagues and soccer"
          " matches by name.", parameters={"name": {"schema": {"type": "string"}}}, returns=found)
print(estimate(api).questions)
"""


def test_questions_do_not_depend_on_the_order_of_sets() -> None:
    def estimated(seed: int) -> str:
        surroundings = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", ESTIMATE], env=surroundings, capture_output=True, text=True, check=True
        )
        return done.stdout

    first, *others = map(estimated, range(5))
    assert "soccer" in first
    assert set(others) == {first}
