"""A model as the writer: what it is asked, what is checked, what is repaired."""

from __future__ import annotations

import asyncio
import json

import pytest
from chains_write_samples import APIS, chained

from toologue.errors import BadSetting
from toologue.models.embed import embedder
from toologue.models.model import ModelFault, ScriptedModel
from toologue.write.chains import ChainWriter
from toologue.write.chains.model import ChainModelWriter, faults, scenario

LEXICAL = embedder("lexical")
BANDS = {"confirm": 0.45, "suggest": 0.3}
PLAIN = ChainWriter(APIS, LEXICAL, bands=BANDS).words(chained())
GOOD = [turn.text for turn in PLAIN.turns if turn.text]
BY_NAME = {api.name: api for api in APIS}


def written(*replies: str, tries: int = 3):
    model = ScriptedModel(list(replies))
    told = asyncio.run(ChainModelWriter(model, APIS, LEXICAL, bands=BANDS, tries=tries).write(chained()))
    return told, model


def test_good_words_are_taken_as_they_are() -> None:
    told, model = written(json.dumps(GOOD))
    assert told.turns == PLAIN.turns
    assert told.origin["writer"] == model.name
    assert len(model.asked) == 1


def test_the_scenario_says_each_step_and_what_acts_brought() -> None:
    text = scenario(chained(), PLAIN, BY_NAME)
    assert f"word for word: «{GOOD[0]}»" in text
    assert "does not know the season ID" in text
    assert "the day is «12 March 2025»" in text
    assert "«Autumn Cup» or «Spring Cup»" in text
    assert '[the agent calls an API with {"country": "Norway"} and gets {"seasons"' in text
    assert f"{len(GOOD)} in all" in text


def test_what_is_wrong_is_fed_back_until_it_is_right() -> None:
    changed = ["Something else", *GOOD[1:]]
    told, model = written("no idea", json.dumps(changed), json.dumps(GOOD))
    assert told.turns == PLAIN.turns
    last = [asked.messages[-1]["content"] for asked in model.asked]
    assert "no list: there was no JSON array" in str(last[1])
    assert "not word for word: message 1" in str(last[2])


@pytest.mark.parametrize(
    ("at", "text", "fault"),
    [
        (2, "I don't know.", "value missing: message 3: «12 March 2025»"),
        (1, "  ", "no text: message 2"),
        (1, "Shall I call Sports|handballdata|League Home Standings?", "API named: message 2"),
    ],
)
def test_faults_are_named(at: int, text: str, fault: str) -> None:
    texts = [*GOOD[:at], text, *GOOD[at + 1 :]]
    assert any(fault in str(one) for one in faults(chained(), PLAIN, texts))


def test_there_is_no_fallback() -> None:
    with pytest.raises(ModelFault, match="wrong count: 10 messages are wanted, and there are 1"):
        written('["Hi"]', '["Hi"]', tries=2)


def test_a_model_needs_a_try() -> None:
    with pytest.raises(BadSetting, match="tries is 0"):
        written(tries=0)
