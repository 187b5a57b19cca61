"""Scenarios by a model: what it is told, what is read out of its answers, what becomes of faults."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest

from toologue.models.model import Asked, ModelFault, Reply, ScriptedModel
from toologue.plan.scenarios import Tally
from toologue.plan.scenarios.ask import ask_all, parse_reply, prompt_text
from toologue.plan.scenarios.prompts import prompts_of
from toologue.schema import Scenario
from toologue.worlds.assistant import apis

ASSISTANT = apis()
BY_NAME = {api.name: api for api in ASSISTANT}
NAMES = list(BY_NAME)
PROMPT = next(
    p for p in prompts_of(ASSISTANT) if (p.plugins, p.required) == (("Alarm", "Calendar", "Message"), "DeleteAlarm")
)


class TestPrompt:
    text = prompt_text(PROMPT, BY_NAME)

    def test_documents_all_tools_of_the_three_plugins_and_no_others(self) -> None:
        for api in ASSISTANT:
            assert (f"\n{api.name} (group: {api.domain})" in self.text) == (api.domain in PROMPT.plugins)
        assert "takes alarm_id (string): Identifier of the alarm" in self.text
        assert '"alarm_id": "Identifier of the alarm' in self.text, "what is returned too"

    def test_asks_as_the_paper_does(self) -> None:
        assert "Required tool: DeleteAlarm" in self.text
        assert "at least 5 calls" in self.text
        assert self.text.endswith("- Scenario 1:")
        assert "<" not in self.text, "every slot is filled"


PLAIN = """- Scenario 1: The user looks at their alarms (FindAlarms). They drop one (DeleteAlarm).
- Scenario 2: They ask who wrote (SearchMessages + SendMessage).
- Scenario 3: They plan a day (QueryCalendar).
"""
EXPECTED = [("FindAlarms", "DeleteAlarm"), ("SearchMessages", "SendMessage"), ("QueryCalendar",)]


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        PLAIN.removeprefix("- Scenario 1:"),
        f"Sure! Here are three scenarios:\n\n```\n{PLAIN}```\nI hope that this helps.",
        PLAIN.replace("- Scenario", "**Scenario").replace(": T", ":** T"),
        PLAIN.replace("- Scenario", "### Scenario").replace(": T", "\nT"),
        PLAIN.replace("- Scenario 1:", "1.").replace("- Scenario 2:", "2)").replace("- Scenario 3:", "3."),
        PLAIN.replace("- Scenario", "* scenario #").replace("FindAlarms", "`FindAlarms`"),
        PLAIN.replace(" They drop", "\n  They drop").replace("\n", "\r\n"),
        PLAIN.replace("SearchMessages + SendMessage", "SearchMessages, then SendMessage"),
        PLAIN.replace("SearchMessages + SendMessage", "Message.SearchMessages -> Message.SendMessage"),
        PLAIN.replace("SearchMessages + SendMessage", "searchmessages & SendMessage()"),
        PLAIN.replace("alarms (", "alarms (those of Monday, and all others) ("),
    ],
    ids=["plain", "first marker left out", "fenced", "bold", "headings", "numbers", "bullets", "broken lines", "then",
         "qualified", "careless", "asides"],
)  # fmt: skip
def test_the_parser_takes_what_models_write(reply: str) -> None:
    assert [one.calls for one in parse_reply(reply, NAMES)] == EXPECTED


def test_the_parser_keeps_the_text_and_counts_repetitions() -> None:
    reply = '- Scenario 1: "**They** look\n  twice (FindAlarms x2) and once more (FindAlarms twice, SendMessage)."'
    (one,) = parse_reply(reply, NAMES)
    assert one.text == "They look twice (FindAlarms x2) and once more (FindAlarms twice, SendMessage)."
    assert Counter(one.calls) == {"FindAlarms": 4, "SendMessage": 1}
    assert one.flows is None


def test_names_that_nobody_has_stay_so_that_they_can_be_counted() -> None:
    (one,) = parse_reply("- Scenario 1: They ride (BookTaxi + send_fax + FindAlarms) home (on Monday).", NAMES)
    assert one.calls == ("BookTaxi", "send_fax", "FindAlarms")


@pytest.mark.parametrize("reply", ["", "I cannot help with that.", "- Scenario 1:\n- Scenario 2:\n", "(((("])
def test_an_answer_without_scenarios_has_none(reply: str) -> None:
    assert parse_reply(reply, NAMES) == []


GOOD = (
    " The user moves a walk that they had planned for the evening with their sister, looks for the entry"
    " (QueryCalendar) and changes it (ModifyEvent). They read what she wrote (SearchMessages) and answer (SendMessage)."
    " They then see which alarm is set (FindAlarms) and drop it for good (DeleteAlarm)."
)


def run(script: Callable[[Asked], str | ModelFault | Reply], tally: Tally, count: int | None = None) -> list[Scenario]:
    async def collect() -> list[Scenario]:
        return [made async for made in ask_all(ASSISTANT, ScriptedModel(script), tally, count=count, concurrency=4)]

    return asyncio.run(collect())


def good_where_possible(asked: Asked) -> str:
    required = str(asked.messages[0]["content"]).split("Required tool: ")[1].split("\n")[0]
    return GOOD.replace("The user", f"The user needs {required}, and") + "\n- Scenario 2: Nothing (FindAlarms)"


def test_all_prompts_are_asked_and_all_answers_checked() -> None:
    tally = Tally()
    made = run(good_where_possible, tally)
    assert tally.prompts == 420
    assert (tally.proposed, tally.absent) == (840, 420)
    assert [one.plugins for one in made] == [("Alarm", "Calendar", "Message")], "the rest are duplicates"
    assert tally.dropped["unknown tool"] > 300
    assert tally.dropped["duplicate"] + tally.dropped["required tool missing"] > 3
    (one,) = made
    assert one.origin == {"line": "tools", "writer": "scripted", "seed": 0}
    assert ("QueryCalendar", "ModifyEvent", "event_id") in {(f.source, f.target, f.parameter) for f in one.flows}


def test_it_stops_when_there_are_enough() -> None:
    tally = Tally()
    assert len(run(good_where_possible, tally, count=1)) >= 1
    assert tally.prompts < 420


def test_a_prompt_without_an_answer_is_counted() -> None:
    tally, asked = Tally(), Counter[str]()

    def sometimes(request: Asked) -> str | ModelFault:
        asked["n"] += 1
        return ModelFault("timeout", "too slow") if asked["n"] % 4 else good_where_possible(request)

    run(sometimes, tally)
    assert tally.unanswered == 315
    assert tally.absent >= 3 * 315


def test_a_model_that_never_answers_is_an_error_at_once() -> None:
    tally, asked = Tally(), Counter[str]()

    def never(request: Asked) -> ModelFault:
        asked["n"] += 1
        return ModelFault("unauthorized", "no key")

    with pytest.raises(ModelFault, match="no key"):
        run(never, tally)
    assert asked["n"] == 4, "one round, not 420 prompts"
