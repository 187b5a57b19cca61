"""Free texts of calls: right, wrong or unsure by what they must carry, and what unsure does to every score."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

import pytest
import yaml
from score_samples import EXACT, LEXICAL, did, values

from bench.labelled_arguments import OPEN_CALLS, graded_arguments
from each_row import each_row
from published_data import REPOSITORY, shared_path
from toologue.bench.tooltalk import grade
from toologue.models.similarity import TextMatch
from toologue.review.ledger import Collector, Ledger
from toologue.schema import AgentTurn, Dialogue, Mismatch, Score, Setting, Trace, Turn, UserTurn
from toologue.score.calls import ERROR_TYPES, calls
from toologue.score.metric import best_of
from toologue.values.json_schema import object_of


def talk(*turns: str | AgentTurn) -> tuple[Turn, ...]:
    """What the user says, as texts, and what the agent does; at the end it says that it is done."""
    return (*(UserTurn(text=turn) if isinstance(turn, str) else turn for turn in turns), AgentTurn(text="Done."))


def graded(said: list[str | AgentTurn], wanted: list[AgentTurn], made: list[AgentTurn]) -> dict[str, Score]:
    """The scores of these calls, where others were expected after these words."""
    facts: dict[str, Any] = {"now": "2025-03-10 09:00:00", "username": "nadiak"}
    gold = Dialogue(id="d", facts=facts, world=Setting(name="assistant"), turns=talk(*said, *wanted))
    lived = Trace(case="c", dialogue="d", protocol="forced", agent="a", turns=talk(*said, *made))
    return dict(calls(gold, lived, LEXICAL))


def verdict(said: list[str | AgentTurn], wanted: AgentTurn, made: AgentTurn) -> str:
    """The verdict on a call."""
    success = graded(said, [wanted], [made])["success"]
    return "right" if success.value else "unsure" if best_of(success) else "wrong"


def task(text: str, **more: str) -> AgentTurn:
    return did("AddReminder", task=text, **more)


def message(text: str) -> AgentTurn:
    return did("SendMessage", receiver="omarb", message=text)


PLANTS: list[str | AgentTurn] = [
    "I am off to Oslo on Friday. Remind me at 5 pm to water the plants, and to ring Lena Berg"
]
LATE: list[str | AgentTurn] = ["Tell Omar that the rehearsal moves to 7:30 pm tomorrow, and ask whether that suits him"]
RING = ("+351 555 0171".removeprefix("+"), "351-555-0117")
WHEN = ("when", "where")
LATE_GOLD = "Hi Omar, the rehearsal moves to 7:30 pm tomorrow. Does that suit you?"


class TestTasks:
    """A task or a title: names, times, days, numbers, and the words that the user gave."""

    @each_row(
        ("text", "found"),
        [
            ("water plants!", "right"),
            ("Water the plants at 5 pm", "right"),
            ("Water the garden", "unsure"),
            ("Water the plants and the lawn", "unsure"),
            ("Water the plants at 8 pm", "wrong"),
            ("Water the 12 plants", "wrong"),
            ("Water the plants on Sunday", "wrong"),
            ("Do not water the plants", "wrong"),
            ("Pack for Oslo", "wrong"),
            ("Die Blumen im Wohnzimmer giessen um 8", "unsure"),
        ],
    )
    def test_what_a_task_says(self, text: str, found: str) -> None:
        assert verdict(PLANTS, task("Water the plants"), task(text)) == found

    @each_row(
        ("text", "found"),
        [
            ("Call Lena Berg", "right"),
            ("Phone Lena Berg", "right"),
            ("Call Lena", "unsure"),
            ("Call Petra Quist", "wrong"),
            ("Text Lena Berg", "wrong"),
        ],
    )
    def test_who_is_called(self, text: str, found: str) -> None:
        assert verdict(PLANTS, task("Call Lena Berg"), task(text)) == found

    def test_a_description_that_nobody_expects_says_what_was_said(self) -> None:
        event = {"name": "Tennis", "event_type": "event", "start_time": "2025-03-12 10:00:00"}
        event |= {"end_time": "2025-03-12 11:00:00"}
        said: list[str | AgentTurn] = ["Put tennis with Lena into Wednesday at ten, for an hour"]
        made = [did("CreateEvent", **event, description=text) for text in ("With Lena", "On the clay court", "At 8")]
        assert [verdict(said, did("CreateEvent", **event), one) for one in made] == ["right", "unsure", "unsure"]

    def test_small_words_that_make_another_thing_of_it(self) -> None:
        said: list[str | AgentTurn] = ["Remind me to write down when the knee hurts"]
        found = [verdict(said, task(f"Note {word} the knee hurts"), task("Note where the knee hurts")) for word in WHEN]
        assert found == ["unsure", "right"]

    def test_before_is_not_after(self) -> None:
        said: list[str | AgentTurn] = ["Remind me to stretch before the run"]
        found = [verdict(said, task("Stretch"), task(f"Stretch {when} the run")) for when in ("before", "after")]
        assert found == ["right", "wrong"]

    def test_what_was_dictated_stays(self) -> None:
        said: list[str | AgentTurn] = ['Put "Grand Opening" into the calendar for our new shop']
        event = {"event_type": "event", "start_time": "2025-03-12 10:00:00", "end_time": "2025-03-12 11:00:00"}
        made = [did("CreateEvent", name=name, **event) for name in ("Grand opening", "Opening of the new shop")]
        assert [verdict(said, made[0], one) for one in made] == ["right", "wrong"]

    def test_two_texts_are_not_exchanged(self) -> None:
        said: list[str | AgentTurn] = ["A reminder to feed the cat and one to feed the hens", task("Feed the cat")]
        assert verdict(said, task("Feed the hens"), task("Feed the cat")) == "wrong"


class TestMessages:
    """A message: everything in it that the user asked for, in any words that are known."""

    @each_row(
        ("text", "found"),
        [
            (LATE_GOLD, "right"),
            ("Hello Omar! Tomorrow the rehearsal moves to 19:30, does that suit you?", "right"),
            ("Hi Omar, rehearsal is 7:30 pm tomorrow. Would that be convenient?", "unsure"),
            ("Hi Omar, the rehearsal moves to 8:30 pm tomorrow. Does that suit you?", "wrong"),
            ("Hi Omar, the rehearsal moves to 7:30 pm today. Does that suit you?", "wrong"),
            ("Hi Omar, the rehearsal moves tomorrow. Does that suit you?", "unsure"),
            ("Hi Lukas, the rehearsal moves to 7:30 pm tomorrow. Does that suit you?", "wrong"),
            ("Hi Omar, the rehearsal moves to 7:30 pm tomorrow.", "wrong"),
            ("Hi Omar, the rehearsal never moves to 7:30 pm tomorrow. Does that suit you?", "wrong"),
        ],
    )
    def test_what_a_message_says(self, text: str, found: str) -> None:
        assert verdict(LATE, message(LATE_GOLD), message(text)) == found

    def test_digits_stay_in_their_order(self) -> None:
        said: list[str | AgentTurn] = ["Tell Omar to ring me on 351-555-0171"]
        found = [verdict(said, message("Ring me on 351-555-0171"), message(f"Ring me on {number}")) for number in RING]
        assert found == ["right", "wrong"]

    def test_who_is_greeted_is_no_sender(self) -> None:
        text = "Hi, Nadia here. The rehearsal moves to 7:30 pm tomorrow. Does that suit you?"
        assert verdict(LATE, message(LATE_GOLD), message(text)) == "unsure"

    def test_a_condition_denies_nothing(self) -> None:
        text = "Hi Omar, the rehearsal moves to 7:30 pm tomorrow. Does that suit you? Tell me if it does not suit you."
        assert verdict(LATE, message(LATE_GOLD), message(text)) == "right"

    def test_who_does_it(self) -> None:
        said: list[str | AgentTurn] = ["Tell Omar that I will bring the drums"]
        wanted = message("I will bring the drums")
        found = [verdict(said, wanted, message(f"{who} will bring the drums")) for who in ("I", "You")]
        assert found == ["right", "unsure"]

    def test_a_subject_that_nobody_gave_may_be_another(self) -> None:
        said: list[str | AgentTurn] = ["Mail lena@berg.example that the invoice is paid"]
        mail = {"to": ["lena@berg.example"], "body": "The invoice is paid."}
        wanted = did("SendEmail", subject="Some good news", **mail)
        assert verdict(said, wanted, did("SendEmail", subject="Invoice paid", **mail)) == "right"


class TestOptionalTexts:
    """A text that may be left out is demanded if the user gave it, and the call says it nowhere else."""

    EVENT: ClassVar = {"event_type": "event", "start_time": "2025-03-12 10:00:00", "end_time": "2025-03-12 11:00:00"}

    @each_row(
        ("description", "found"),
        [
            ("A cheerful gathering of neighbours", "right"),
            ("Street party", "right"),
            ("bring chairs", "wrong"),
            ("bring chairs for our guests", "unsure"),
        ],
    )
    def test_what_may_be_left_out(self, description: str, found: str) -> None:
        said: list[str | AgentTurn] = ["Add the street party on Wednesday from 10 to 11, with the note: bring chairs"]
        wanted = did("CreateEvent", name="Street party", description=description, **self.EVENT)
        assert verdict(said, wanted, did("CreateEvent", name="Street party", **self.EVENT)) == found


class TestUnsureScores:
    """Every score takes an unsure call for wrong, and says what it would gain were it right."""

    def test_each_metric_has_both_ends(self) -> None:
        scores = graded(PLANTS, [task("Water the plants")], [task("Water the garden")])
        names = ("precision", "recall", "action precision", "incorrect action rate", "success", "soft success")
        assert values(scores, *names) == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
        assert [best_of(scores[name]) for name in names] == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
        assert (scores["bad call"].value, best_of(scores["bad call"])) == (1.0, 0.0)
        (mismatch,) = scores["success"].at
        assert (mismatch.verdict, mismatch.by) == ("unsure", None)
        assert "similarity 0." in mismatch.why
        assert "limit 0.70" in mismatch.why

    def test_error_types_have_both_ends_too(self) -> None:
        """A bad call if the first one is wrong; if it is right, there is only one that nobody asked for."""
        scores = graded(PLANTS, [task("Water the plants")], [task("Water the garden"), task("Ring Lena Berg")])
        ends = {name: (scores[name].value, best_of(scores[name])) for name in ERROR_TYPES}
        assert ends == {"over-trigger": (0.0, 0.0), "bad planning": (1.0, 0.0), "bad call": (1.0, 0.0)}

    def test_a_wrong_argument_beside_it_leaves_nothing_open(self) -> None:
        wanted = task("Water the plants", due_date="2025-03-10 17:00:00")
        scores = graded(PLANTS, [wanted], [task("Water the garden", due_date="2025-03-14 17:00:00")])
        assert all(not score.unsure for score in scores.values())

    def test_the_best_pairing_is_found_where_a_sure_one_stands_in_its_way(self) -> None:
        """The second call may be the first gold call, if the first call, which is right for it, takes the other."""
        wanted = [task("Water the plants"), task("Water the plants at 5 pm")]
        scores = graded(PLANTS, wanted, [task("Water the plants at 5 pm"), task("Water the garden")])
        assert (scores["recall"].value, best_of(scores["recall"])) == (0.5, 1.0)

    DUE: ClassVar[dict[str, str]] = {"due_date": "2025-03-14 17:00:00"}
    GARDEN, PLANTS_DUE = task("Water the garden"), task("Water the plants", **DUE)

    @pytest.mark.parametrize(
        ("wanted", "made"),
        [
            # the second call, which is right for both, is not the first one's if that may be the first
            ([task("Water the plants"), task("Water the plants", **DUE)], [GARDEN, PLANTS_DUE]),
            # it answers the first for sure, and has to leave it for the second
            ([task("Water the plants"), task("Water the plants in Oslo", **DUE)], [GARDEN, PLANTS_DUE]),
        ],
    )
    def test_what_is_told_is_the_unsure_call_and_no_right_one(
        self, wanted: list[AgentTurn], made: list[AgentTurn]
    ) -> None:
        scores = graded(PLANTS, wanted, made)
        assert (scores["recall"].value, best_of(scores["recall"])) == (0.5, 1.0)
        assert [(one.turn, one.actual, one.verdict) for one in scores["success"].at] == [
            (1, "Water the garden", "unsure")
        ]

    def test_gold_leaves_nothing_open(self) -> None:
        scores = graded(LATE, [message(LATE_GOLD)], [message(LATE_GOLD)])
        assert all(not score.unsure and not score.at for score in scores.values())


class TestReasons:
    """What is told of a call that was missed, and what `--json` has."""

    def test_calls_are_told_apart_by_most_equal_arguments(self) -> None:
        said: list[str | AgentTurn] = ["Tell omarb and lenab that I am late"]
        wanted = [did("SendMessage", receiver=who, message="I am late") for who in ("omarb", "lenab")]
        made = [did("SendMessage", receiver=who, message="I am never late") for who in ("lenab", "omarb")]
        at = graded(said, wanted, made)["success"].at
        assert {(one.field, one.by) for one in at} == {("arguments.message", "rule")}

    def test_a_reason_quotes_what_decided(self) -> None:
        def why(text: str) -> tuple[Mismatch, ...]:
            return graded(PLANTS, [task("Water the plants")], [task(text)])["success"].at

        assert [(one.why, one.by) for one in why("Water the 12 plants")] == [("12: nobody said that", "value")]

    def test_json_has_the_calls_with_what_was_expected(self) -> None:
        facts: dict[str, Any] = {"now": "2025-03-10 09:00:00"}
        wanted, extra = task("Water the plants"), did("GetReminders", value={"reminders": []})
        gold = Dialogue(id="d", facts=facts, world=Setting(name="assistant"), turns=talk(*PLANTS, wanted))
        turns = talk(*PLANTS, task("Water the garden"), extra)
        lived = Trace(case="c", dialogue="d", protocol="forced", agent="a", turns=turns)
        record = grade("fixed", gold, lived, EXACT).record
        unsure, read = record["calls"]
        assert unsure["arguments"] == {"task": "Water the garden"}
        assert unsure["expected"]["arguments"] == {"task": "Water the plants"}
        assert (unsure["verdict"], unsure["match"]) == ("unsure", False)
        assert "task: " in unsure["reason"]
        assert (read["verdict"], read["expected"]) == (None, None)
        assert (record["metrics"]["success"], record["best"]["success"]) == (False, True)
        silent = Trace(case="c", dialogue="d", protocol="forced", agent="a", turns=talk(*PLANTS))
        assert grade("fixed", gold, silent, EXACT).record["missing"] == [unsure["expected"]]


def test_verdicts_on_the_calls_that_ship() -> None:
    """Whole messages, written by others: most of them only a reader can decide, and hardly a right one fails."""
    rows = graded_arguments(OPEN_CALLS, None, TextMatch.of("exact"))
    found = Counter((row.label, row.verdict) for row in rows)
    assert (found["right", "wrong"], found["wrong", "right"]) <= (1, 11)


def test_verdicts_agree_with_labels_of_others() -> None:
    """Measured on the labelled rows that may be looked at: few right ones fail, few wrong ones pass."""
    folder, data = shared_path("verdicts"), shared_path("tooltalk", "data")
    aside = set(yaml.safe_load((REPOSITORY / "bench" / "verdicts" / "aside.yaml").read_text())["conversations"])
    rows = map(json.loads, (folder / "arguments.jsonl").read_text("utf-8").splitlines())
    taken = {row["id"] for row in rows if row["conversation"] not in aside}
    graded_rows = [
        row for row in graded_arguments(folder / "arguments.jsonl", data, TextMatch.of("exact")) if row.id in taken
    ]
    found = Counter((row.label, row.verdict) for row in graded_rows)
    right, wrong = (sum(n for (label, _), n in found.items() if label == one) for one in ("right", "wrong"))
    assert found["right", "wrong"] <= 0.05 * right
    assert found["wrong", "right"] <= 0.10 * wrong
    assert found["right", "unsure"] <= 0.40 * right
    assert found["wrong", "unsure"] <= 0.40 * wrong


def asked_of(wanted: list[AgentTurn], made: list[AgentTurn]) -> list[str]:
    """The texts that a second reader is asked about."""
    notes = Collector(Ledger())
    facts: dict[str, Any] = {"now": "2025-03-10 09:00:00", "username": "nadiak"}
    gold = Dialogue(id="d", facts=facts, world=Setting(name="assistant"), turns=talk("Write to all three.", *wanted))
    lived = Trace(case="c", dialogue="d", protocol="forced", agent="a", turns=talk("Write to all three.", *made))
    calls(gold, lived, replace(LEXICAL, reader=notes))
    return [str(object_of(object_of(one.said)["arguments"])["receiver"]) for one in notes.questions.values()]


def test_a_reader_is_asked_only_where_all_but_the_texts_agrees() -> None:
    """Three messages to three people may each answer one gold call: three questions, not nine."""
    people = {"omarb": "The room is ours, cheers!", "lenab": "Wonderful news: everything worked.", "chenw": "All set!"}
    wanted = [did("SendMessage", receiver=name, message=f"Hello {name}, the hall is booked.") for name in people]
    made = [did("SendMessage", receiver=name, message=text) for name, text in people.items()]
    assert asked_of(wanted, made) == [*people]
    assert asked_of(wanted[:1], made[1:]) == []
