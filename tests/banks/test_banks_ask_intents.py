"""Intents by a model: what is asked, what is taken from a reply, how a reply is mended, and when it ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.models.model import Asked, ModelFault, ScriptedModel
from toologue.plan.procedures.by_model import IntentTally, ask_intents, intents_prompt, parse_intents
from toologue.plan.procedures.intents import Intent, intents

CAKE = {
    "industry": "Bakery",
    "client": "a bakery",
    "name": "Cake without candles",
    "issue": "The birthday cake for Saturday came without the ten candles that were paid for.",
}
BOAT = {
    "client": "a boat hire on a lake",
    "name": "Boat hired for the wrong hour",
    "issue": "A rowing boat was reserved from four to six, and the voucher that came says two to four.",
}


COLD = next(one for one in intents() if one.id == "heating-cold-in-one-room")


def ask(model: ScriptedModel, count: int, **options: Any) -> tuple[tuple[Intent, ...], IntentTally]:
    tally = IntentTally()
    return asyncio.run(ask_intents(model, count, tally, **options)), tally


def asked(model: ScriptedModel) -> list[str]:
    return [str(one.messages[-1]["content"]) for one in model.asked]


class TestPrompt:
    def test_says_how_many_and_which_are_known(self) -> None:
        text = intents_prompt(12, known=[COLD])
        assert "List 12 problems" in text
        assert "nor about one of these: Heating cold in one room" in text

    def test_no_slot_is_left(self) -> None:
        assert "<" not in intents_prompt(3)


class TestParser:
    @pytest.mark.parametrize(
        "reply",
        [
            json.dumps([CAKE, BOAT]),
            f"Of course! Here they are:\n```json\n{json.dumps([CAKE, BOAT], indent=2)}\n```\nAnything else?",
            json.dumps({"count": 2, "intents": [CAKE, BOAT]}),
            f"I list [2] problems: {json.dumps([CAKE, BOAT])}",
            f"{json.dumps(CAKE)}\n{json.dumps(BOAT)}",
        ],
        ids=["array", "fence", "wrapped", "brackets before", "one a line"],
    )
    def test_takes_what_models_write(self, reply: str) -> None:
        assert parse_intents(reply) == [CAKE, BOAT]

    def test_a_reply_that_was_cut_off_gives_what_was_whole(self) -> None:
        whole = json.dumps([CAKE, BOAT])
        assert parse_intents(whole[:-40])[0] == CAKE
        assert parse_intents('{"intents": ' + whole[:-40])[0] == CAKE

    @pytest.mark.parametrize("reply", ["", "I can't help with that.", "[1, 2]", "[" * 100_000, "{]", '["a"'])
    def test_nothing_to_take_is_no_error(self, reply: str) -> None:
        assert not [entry for entry in parse_intents(reply) if isinstance(entry, dict)]

    @given(st.text(alphabet='[]{}",: a1\\', max_size=60))
    def test_any_reply_is_read(self, reply: str) -> None:
        assert isinstance(parse_intents(reply), list)


class TestAsking:
    def test_good_entries_become_intents(self) -> None:
        (cake, boat), tally = ask(ScriptedModel([json.dumps([CAKE, BOAT])]), 2)
        assert (cake.id, cake.industry) == ("cake-without-candles", "bakery")
        assert (boat.id, boat.industry) == ("boat-hired-for-the-wrong-hour", "a-boat-hire-on-a-lake")
        assert (tally.replies, tally.proposed, tally.kept, tally.dropped) == (1, 2, 2, {})

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            ({"issue": None}, "missing"),
            ({"name": "  "}, "missing"),
            ({"name": "All of what went wrong with one cake"}, "long name"),
            ({"issue": "The cake is bad."}, "too vague"),
            ({"issue": "I paid for ten candles, and the cake came without any of them."}, "in person"),
            ({"issue": "ProductX was paid for on Monday and has not been delivered by Friday."}, "generic entity"),
        ],
    )
    def test_a_bad_entry_is_counted_and_named_in_the_next_question(self, change: dict[str, Any], fault: str) -> None:
        model = ScriptedModel([json.dumps([CAKE | change]), json.dumps([BOAT])])
        made, tally = ask(model, 1)
        assert [one.name for one in made] == [BOAT["name"]]
        assert dict(tally.dropped) == {fault: 1}
        assert f"entry 1: {fault}: {tally.examples[fault]}" in asked(model)[1]  # type: ignore[index]
        assert "1 are still wanted" in asked(model)[1]

    def test_the_model_sees_its_own_reply_again(self) -> None:
        model = ScriptedModel(["no idea", json.dumps([CAKE])])
        ask(model, 1)
        assert [message["role"] for message in model.asked[1].messages] == ["user", "assistant", "user"]
        assert "there was no JSON array" in asked(model)[1]

    def test_nothing_comes_twice(self) -> None:
        again = CAKE | {"name": "Candles missing", "issue": CAKE["issue"].replace("Saturday", "Sunday")}
        made, tally = ask(ScriptedModel([json.dumps([CAKE, again, BOAT])]), 2)
        assert [one.name for one in made] == [CAKE["name"], BOAT["name"]]
        assert "'Candles missing' is about the same thing as 'Cake without candles'" in tally.examples["duplicate"]

    def test_nor_what_is_known(self) -> None:
        known = COLD
        entry = CAKE | {"name": known.name, "issue": BOAT["issue"]}
        made, tally = ask(ScriptedModel(lambda _: json.dumps([entry])), 1, known=[known], rounds=2)
        assert made == ()
        assert (tally.replies, tally.dropped["duplicate"]) == (2, 2)

    def test_more_than_asked_for_are_left(self) -> None:
        made, tally = ask(ScriptedModel([json.dumps([CAKE, BOAT])]), 1)
        assert (len(made), tally.proposed) == (1, 1)

    def test_it_ends(self) -> None:
        model = ScriptedModel(lambda _: "nothing comes to mind")
        made, tally = ask(model, 5, rounds=4)
        assert (made, len(model.asked), tally.replies) == ((), 4, 4)

    def test_seeds_differ_by_round_and_are_the_same_again(self) -> None:
        seeds: list[list[int | None]] = []
        for _ in range(2):
            model = ScriptedModel(lambda _: "")
            ask(model, 1, seed=7)
            seeds.append([one.seed for one in model.asked])
        assert seeds[0] == seeds[1]
        assert len(set(seeds[0])) == 3

    def test_half_characters_do_no_harm(self) -> None:
        (made,), _ = ask(
            ScriptedModel(['[{"client": "a caf\\ud800", "name": "Cold tea", "issue": "' + "so " * 9 + '"}]']), 1
        )
        assert made.client == "a caf?"


class TestFaults:
    fault = ModelFault("timeout", "no answer within 60 s")

    def test_no_reply_at_all_is_the_models_fault(self) -> None:
        with pytest.raises(ModelFault, match="no answer"):
            ask(ScriptedModel([self.fault]), 2)

    def test_what_is_there_is_not_lost(self) -> None:
        def script(one: Asked) -> str | ModelFault:
            return json.dumps([CAKE]) if len(one.messages) == 1 else self.fault

        made, tally = ask(ScriptedModel(script), 2)
        assert ([one.name for one in made], tally.kept) == ([CAKE["name"]], 1)

    @pytest.mark.parametrize("options", [{"count": 0}, {"count": 1, "rounds": 0}])
    def test_nothing_asked_is_a_bad_setting(self, options: dict[str, int]) -> None:
        with pytest.raises(BadSetting, match="at least 1"):
            ask(ScriptedModel([]), **options)
