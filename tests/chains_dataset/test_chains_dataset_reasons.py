"""Which documents give chains, and what is said where one gives none."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from command import toologue
from toologue.plan.chains.catalog import REASONS
from toologue.plan.chains.pairs import Job, Pair
from toologue.project.chain_record import Record
from toologue.project.chain_statistics import WHYS
from toologue.project.chains import ChainMaking, make_chains
from toologue.write.chains.queries import REASONS as OPENINGS

PAGE = (Path(__file__).parents[2] / "docs" / "chains.md").read_text()
NOBODY = """
openapi: 3.0.0
info: {title: Boxes, version: "1"}
paths:
  /boxes/{boxId}:
    get:
      operationId: get_box
      summary: Get the details of a box.
      parameters: [{name: boxId, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: A box}}
"""


def test_the_page_explains_every_reason() -> None:
    assert {*REASONS, *OPENINGS} <= set(WHYS)
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", PAGE.partition("| reason |")[2], re.MULTILINE)
    assert {row[0]: [row[1], row[2]] for row in rows if row[0] in WHYS} == WHYS


def test_the_document_of_the_page_gives_conversations_and_a_second_run_says_what_it_replaces(tmp_path: Path) -> None:
    (document,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "hotels.yaml").write_text(document)
    command = ("generate", "chains", "hotels.yaml", "-o", "chains", "--count", 6, "--ratio")
    done = toologue(*command, "1/0/0", cwd=tmp_path)
    assert (done.returncode, "6 conversations about 1 pairs" in done.stdout) == (0, True), done.stderr
    assert "is empty" not in done.stdout
    again = toologue(*command, "80/10/10", cwd=tmp_path)
    assert "what was there is replaced" in again.stdout
    assert "the split test is empty: APIs that belong together stay in one" in again.stdout
    assert "users do not know it: an API alone needs an id" in " ".join(again.stdout.replace("│", "").split())


def test_no_conversation_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "boxes.yaml").write_text(NOBODY)
    done = toologue("generate", "chains", "boxes.yaml", "-o", "chains", cwd=tmp_path)
    assert (done.returncode != 0, "users do not know it" in done.stdout + done.stderr) == (True, True)


def test_what_comes_to_nothing_is_given_up(tmp_path: Path) -> None:
    """Nobody can open these conversations with a doubt: that is tried some dozens of times, not thousands."""
    (document,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "hotels.yaml").write_text(document)
    made = make_chains([tmp_path / "hotels.yaml"], tmp_path / "set", ChainMaking(count=300, ratio=(1, 0, 0), most=1))
    tried = made.dropped["dialogues"]["no query to suggest"]
    assert made.dialogues > 200
    assert 8 <= tried < 200


def test_what_no_style_opens_or_says_nothing_new_is_not_worth_another_try() -> None:
    pair = Pair(None, None, "Weather", "city", "zeroyes", "knowable")
    record, vague, clear = Record(Counter(), Counter(), Counter()), Job(0, "12.3", pair), Job(1, "12.7", pair)
    for _ in range(3):
        assert not record.hopeless(vague)
        record.note(vague, came=False, why="no query to suggest")
    assert (record.hopeless(vague), record.hopeless(clear)) == (True, False)
    for _ in range(20):
        record.note(clear, came=True)
    for _ in range(13):
        record.repeats(clear)
        assert not record.hopeless(clear)
    record.repeats(clear)
    assert record.hopeless(clear)
