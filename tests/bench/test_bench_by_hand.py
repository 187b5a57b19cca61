"""The two graders on the starter set, with every number worked out by hand.

The self-contained twin of test_bench_golden.py. Most tests play one conversation, `swap-thursday-shift`; its rounds:

    0  SearchMessages                            (read)
    1  QueryCalendar, ModifyEvent*, SendMessage*
    2  AddAlarm* 05:45
    3  DeleteAlarm*, AddAlarm* 05:30             * an action: 5 of the 7 calls
    4  (the user says goodbye)
"""

from __future__ import annotations

import pytest

from toologue.agents.agent import ScriptedAgent, script_of
from toologue.bench.benchmark import benchmark, summarize
from toologue.bench.tooltalk import TOOLTALK, grade, load
from toologue.errors import BadFile
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings, cases_of, grounded
from toologue.schema import AgentTurn, Call, Dialogue, Setting, Trace, UserTurn
from toologue.worlds.world import make_world

EXACT = TextMatch.of("exact")
STARTER = {dialogue.id: dialogue for dialogue in load(None)}
SWAP = STARTER["swap-thursday-shift"]
NONE = {"over-trigger": 0, "bad planning": 0, "bad call": 0}


def calls_of(gold) -> list[list[Call]]:
    """The gold calls, round by round: what a test's predictor starts from."""
    (case,) = cases_of([gold], Settings())
    return [[act for turn in turns for act in turn.acts] for turns in script_of(case)]


def graded(gold, calls, mode="published", judge=EXACT):
    """Play these calls, round by round, and grade them."""
    (case,) = cases_of([gold], Settings(cap=1000))
    script = [[*(AgentTurn(acts=(call,)) for call in row), AgentTurn(text="")] for row in calls]
    turns, stop = play(case, ScriptedAgent(script), make_world(case))
    assert stop == "done"
    trace = Trace(case=case.key, dialogue=case.id, protocol="forced", agent="hand", turns=tuple(turns))
    return grade(mode, gold, trace, judge)


def changed(call, **arguments):
    """The call with other arguments; None leaves one out."""
    kept = {name: value for name, value in (call.arguments | arguments).items() if value is not ...}
    return call.replace(arguments=kept)


def counts(result):
    """predictions, ground truths, matches, actions, valid actions, bad actions."""
    return tuple(list(result.record["metrics"].values())[:6])


def rates(result):
    """precision, recall, action precision, bad-action rate, success, soft success."""
    return tuple(list(result.record["metrics"].values())[6:])


def kinds(result):
    """over-trigger, bad planning, bad call."""
    return tuple(result.record["error_types"].values())


MODES = pytest.mark.parametrize("mode", ["published", "fixed"])


# gold, and what is missing ----------------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("judge", ["exact", "lexical", "one"])
def test_gold_scores_everything(judge, mode):
    for name, gold in STARTER.items():
        result = graded(gold, calls_of(gold), mode, TextMatch.of(judge))
        n = len([call for row in calls_of(gold) for call in row])
        assert counts(result)[:3] == (n, n, n), name
        assert result.record["metrics"]["success"] is True, name
        assert result.record["metrics"]["soft_success"] == 1, name
        assert kinds(result) == (0, 0, 0), name
        assert all(call["match"] for call in result.record["calls"]), name
        assert result.scores["success"].value == 1, name
        assert mode == "published" or result.scores["outcome"].value == 1, name


def test_the_oracle_by_hand():
    result = graded(SWAP, calls_of(SWAP))
    assert result.record["metrics"] == {
        "predictions": 7,
        "ground_truths": 7,
        "matches": 7,
        "actions": 5,
        "valid_actions": 5,
        "bad_actions": 0,
        "precision": 1.0,
        "recall": 1.0,
        "action_precision": 1.0,
        "bad_action_rate": 0.0,
        "success": True,
        "soft_success": 1.0,
    }
    assert [call["turn_index"] for call in result.record["calls"]] == [1, 3, 3, 3, 5, 7, 7]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("published", (0, 0, 1, 0, False, 0)), ("fixed", (None, 0, None, None, False, 0))],
)
def test_doing_nothing(mode, expected):
    """Published: 0/0 is 0 for precision and the bad-action rate, but 1 for action precision. Fixed: unscored."""
    result = graded(SWAP, [], mode)
    assert counts(result) == (0, 7, 0, 0, 0, 0)
    assert rates(result) == expected
    assert kinds(result) == (0, 4, 0)  # each of the four rounds that should have called something


@MODES
def test_leaving_one_call_out(mode):
    calls = calls_of(SWAP)
    del calls[1][2]  # the message
    result = graded(SWAP, calls, mode)
    assert counts(result) == (6, 7, 6, 4, 4, 0)
    assert rates(result) == (1, 6 / 7, 1, 0, False, 6 / 7)
    assert kinds(result) == (0, 1, 0)
    (mismatch,) = result.scores["success"].at
    assert (mismatch.field, mismatch.why) == ("call", "expected, not made")
    assert mismatch.expected["api"] == "SendMessage"


# too much ---------------------------------------------------------------------------------------------------


@MODES
def test_an_action_done_twice(mode):
    """The second alarm at 05:45 answers nothing and took effect: 1 bad of 6 actions."""
    calls = calls_of(SWAP)
    calls[2] *= 2
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 7, 6, 5, 1)
    assert rates(result) == (7 / 8, 1, 5 / 6, 1 / 6, False, 1 - 1 / 6)
    assert kinds(result) == (0, 1, 0)


@MODES
def test_a_look_up_done_twice_is_free(mode):
    calls = calls_of(SWAP)
    calls[0] *= 2
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 7, 5, 5, 0)
    assert rates(result) == (7 / 8, 1, 1, 0, True, 1)


@MODES
def test_an_action_that_fails_is_not_bad(mode):
    """Deleting the same alarm again fails: an action that is neither valid nor bad."""
    calls = calls_of(SWAP)
    calls[3].insert(1, calls[3][0])
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 7, 6, 5, 0)
    assert rates(result) == (7 / 8, 1, 5 / 6, 0, True, 1)


@MODES
@pytest.mark.parametrize(
    ("extra", "actions"),
    [
        (Call(api="AddAlarm", arguments=None, raw='{"time": '), 6),
        (Call(api="AddAlarm", arguments={"time": "late"}), 6),
        (Call(api="NoSuchTool", arguments={}), 5),
    ],
)
def test_calls_that_come_to_nothing(extra, actions, mode):
    calls = calls_of(SWAP)
    calls[2].insert(0, extra)
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 7, actions, 5, 0)
    assert rates(result) == (7 / 8, 1, 5 / actions, 0, True, 1)


@MODES
def test_an_action_where_nothing_was_to_be_done_is_an_over_trigger(mode):
    """`tell-samir-about-pepper`: in round 0 the agent should ask what to write, and writes already."""
    gold = STARTER["tell-samir-about-pepper"]
    calls = calls_of(gold)
    assert [len(row) for row in calls] == [0, 1, 0]
    calls[0] = [Call(api="SendMessage", arguments={"receiver": "samirk", "message": "Hello!"})]
    result = graded(gold, calls, mode)
    assert counts(result) == (2, 1, 1, 2, 1, 1)
    assert rates(result) == (1 / 2, 1, 1 / 2, 1 / 2, False, 1 / 2)
    assert kinds(result) == (1, 0, 0)


# wrong arguments --------------------------------------------------------------------------------------------


@MODES
def test_a_wrong_argument_is_a_bad_call(mode):
    calls = calls_of(SWAP)
    calls[2][0] = changed(calls[2][0], time="05:50:00")
    result = graded(SWAP, calls, mode)
    assert counts(result) == (7, 7, 6, 5, 4, 1)
    assert rates(result) == (6 / 7, 6 / 7, 4 / 5, 1 / 5, False, 6 / 7 * (1 - 1 / 5))
    assert kinds(result) == (0, 0, 1)


def test_the_fixed_grader_says_which_argument():
    calls = calls_of(SWAP)
    calls[2][0] = changed(calls[2][0], time="05:50:00")
    (mismatch,) = graded(SWAP, calls, "fixed").scores["success"].at
    assert mismatch.field == "arguments.time"
    assert (mismatch.expected, mismatch.actual) == ("05:45:00", "05:50:00")


@pytest.mark.parametrize(("mode", "expected"), [("published", (0, 1, 0)), ("fixed", (0, 0, 1))])
def test_two_wrong_tries_of_one_call(mode, expected):
    """One alarm missed, two wrong ones: the published comparison is inverted and calls it bad planning."""
    calls = calls_of(SWAP)
    calls[2] = [changed(calls[2][0], time=f"05:5{n}:00") for n in range(2)]
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 6, 6, 4, 2)
    assert kinds(result) == expected


# where the published grader errs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "expected", "success"),
    [("published", (7, 7, 7, 5, 5, 0), True), ("fixed", (7, 7, 6, 5, 4, 1), False)],
)
def test_a_message_to_the_wrong_person(mode, expected, success):
    calls = calls_of(SWAP)
    calls[1][2] = changed(calls[1][2], receiver="rui_m")
    result = graded(SWAP, calls, mode)
    assert counts(result) == expected
    assert result.record["metrics"]["success"] is success
    if mode == "fixed":
        assert kinds(result) == (0, 0, 1)
        assert [mismatch.field for mismatch in result.scores["success"].at] == ["arguments.receiver"]
        assert result.scores["outcome"].value == 0


@pytest.mark.parametrize(
    ("mode", "expected", "rate", "errors"),
    [
        ("published", (7, 7, 7, 5, 5, 0), (1, 1, 1, 0, True, 1), (0, 0, 0)),
        ("fixed", (7, 7, 1, 5, 0, 5), (1 / 7, 1 / 7, 0, 1, False, 0), (0, 4, 0)),
    ],
)
def test_everything_at_once_in_the_first_round(mode, expected, rate, errors):
    """Nobody asked for any of it yet: of round 0's calls only the search was due."""
    calls = [[call for row in calls_of(SWAP) for call in row]]
    result = graded(SWAP, calls, mode)
    assert counts(result) == expected
    assert rates(result) == rate
    assert kinds(result) == errors


DAY_BEFORE = STARTER["album-for-the-reunion"]  # 7 calls, 4 actions; round 3 is one AddReminder with a due date


@pytest.mark.parametrize(
    ("arguments", "crash"),
    [({"due_date": None}, True), ({"due_date": ...}, False), ({"task": 5}, True), ({"task": ["Fetch"]}, True)],
)
def test_arguments_of_another_type_crash_the_published_grader(arguments, crash):
    calls = calls_of(DAY_BEFORE)
    calls[3][0] = changed(calls[3][0], **arguments)
    result = graded(DAY_BEFORE, calls)
    if crash:
        assert result.record["crash"] == {"type": "TypeError"}
        assert result.record["metrics"] is None
        assert result.record["error_types"] == {}
        assert [call["match"] for call in result.record["calls"]] == [True] * 4 + [None] * 3
        assert result.scores["success"].value is None
        assert result.scores["success"].why.startswith("the published grader crashes: TypeError: ")
    else:
        assert result.record["crash"] is None
        assert counts(result) == (7, 7, 6, 4, 3, 1)


@pytest.mark.parametrize("arguments", [{"due_date": None}, {"due_date": ...}, {"task": 5}, {"task": ["Fetch"]}])
def test_the_fixed_grader_never_crashes(arguments):
    calls = calls_of(DAY_BEFORE)
    calls[3][0] = changed(calls[3][0], **arguments)
    result = graded(DAY_BEFORE, calls, "fixed")
    assert result.record["crash"] is None
    assert counts(result) == (7, 7, 6, 4, 3, 1)
    assert kinds(result) == (0, 0, 1)


def test_a_text_where_a_number_was_written():
    """The published grader compares free texts by similarity and crashes on a message that is a number."""
    calls = calls_of(SWAP)
    calls[1][2] = changed(calls[1][2], message=5)
    assert graded(SWAP, calls).record["crash"] == {"type": "TypeError"}
    assert counts(graded(SWAP, calls, "fixed")) == (7, 7, 6, 5, 4, 1)


@pytest.fixture
def silent():
    """A conversation in which nothing is to be called."""
    setting = Setting(name="assistant", arguments={"now": "2025-03-10 09:00:00", "user": "mreyes", "logged_in": True})
    return Dialogue(id="silent", world=setting, turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))


def test_a_conversation_without_gold_calls(silent):
    assert graded(silent, []).record["crash"] == {"type": "ZeroDivisionError"}
    fixed = graded(silent, [], "fixed")
    assert rates(fixed) == (None, None, None, None, True, 1)
    assert fixed.scores["recall"].why == "nothing to score"


def test_a_conversation_without_gold_calls_can_still_fail(silent):
    result = graded(silent, [[Call(api="AddAlarm", arguments={"time": "07:00:00"})]], "fixed")
    assert counts(result) == (1, 0, 0, 1, 0, 1)
    assert rates(result) == (0, None, 0, 1, False, 0)
    assert kinds(result) == (1, 0, 0)


@pytest.mark.parametrize(("mode", "success", "bad"), [("published", True, 0), ("fixed", False, 1)])
def test_a_failure_that_left_something_behind(mode, success, bad):
    """ModifyEvent writes the name and then refuses the times."""
    calls = calls_of(SWAP)
    half = {"event_id": "a3ea2b0d-b6de", "new_name": "Teeth", "new_start_time": "2025-03-12 10:00:00"}
    calls[1].append(Call(api="ModifyEvent", arguments=half))
    result = graded(SWAP, calls, mode)
    assert counts(result) == (8, 7, 7, 6, 5, bad)
    assert result.record["metrics"]["success"] is success


@MODES
def test_the_receivers_of_a_mail_are_a_set(mode):
    gold = STARTER["back-to-the-paper-notebook"]
    calls = calls_of(gold)
    (mail,) = [call for row in calls for call in row if call.api == "SendEmail"]
    turned = [[changed(mail, to=mail.arguments["to"][::-1]) if call is mail else call for call in row] for row in calls]
    assert graded(gold, turned, mode).record["metrics"]["success"] is True
    short = [[changed(mail, to=mail.arguments["to"][:1]) if call is mail else call for call in row] for row in calls]
    assert graded(gold, short, mode).record["metrics"]["success"] is False


@pytest.mark.parametrize(("mode", "success"), [("published", False), ("fixed", True)])
def test_who_attends_is_a_list_for_the_published_grader_and_a_set_for_the_fixed_one(mode, success):
    gold = STARTER["phone-conference-without-a-place"]
    calls = calls_of(gold)
    (call,) = [call for row in calls for call in row if len((call.arguments or {}).get("new_attendees", ())) > 1]
    turned = [
        [changed(call, new_attendees=call.arguments["new_attendees"][::-1]) if one is call else one for one in row]
        for row in calls
    ]
    assert graded(gold, turned, mode).record["metrics"]["success"] is success


@pytest.mark.parametrize(("mode", "success"), [("published", False), ("fixed", True)])
def test_who_makes_a_meeting_attends_it_whether_the_call_says_so_or_not(mode, success):
    gold = STARTER["knee-check-after-work"]
    calls = calls_of(gold)
    (call,) = [call for row in calls for call in row if call.api == "CreateEvent"]
    named = [*call.arguments["attendees"], gold.world.arguments["user"]]
    also = [[changed(call, attendees=named) if one is call else one for one in row] for row in calls]
    assert graded(gold, also, mode).record["metrics"]["success"] is success


@pytest.mark.parametrize(("mode", "expected"), [("published", (7, 7, 6, 5, 4, 1)), ("fixed", (7, 7, 7, 5, 5, 0))])
def test_times_without_padding(mode, expected):
    calls = calls_of(SWAP)
    calls[2][0] = changed(calls[2][0], time="5:45:0")
    assert counts(graded(SWAP, calls, mode)) == expected


@pytest.mark.parametrize(("mode", "matches"), [("published", 0), ("fixed", 1)])
def test_places_in_lower_case(mode, matches):
    gold = STARTER["glasgow-in-may"]
    calls = calls_of(gold)
    calls[0][0] = changed(calls[0][0], location="glasgow", month="may")
    result = graded(gold, calls, mode)
    assert counts(result) == (1, 1, matches, 0, 0, 0)
    assert result.record["metrics"]["success"] is bool(matches)


@pytest.mark.parametrize(("mode", "matches"), [("published", 1), ("fixed", 2)])
def test_pairing_first_come_first_served_or_as_well_as_possible(mode, matches):
    """Gold looks for the alarm before 6:30, then for all. The agent looks for all first: that answers both."""
    setting = Setting(name="assistant", arguments={"now": "2025-03-10 09:00:00", "user": "mreyes", "logged_in": True})
    early, every = Call(api="FindAlarms", arguments={"end_range": "06:30:00"}), Call(api="FindAlarms")
    gold = Dialogue(
        id="two", world=setting, turns=(UserTurn(text="?"), AgentTurn(acts=(early, every)), AgentTurn(text="."))
    )
    result = graded(grounded(gold), [[every, early]], mode)
    assert counts(result) == (2, 2, matches, 0, 0, 0)


@MODES
def test_a_broader_search_is_as_good(mode):
    gold = STARTER["alarms-before-six"]
    calls = [[Call(api="FindAlarms", arguments={})]]
    assert counts(graded(gold, calls, mode)) == (1, 1, 1, 0, 0, 0)


@MODES
def test_a_narrower_search_is_not(mode):
    gold = STARTER["alarms-before-six"]
    calls = [[Call(api="FindAlarms", arguments={"end_range": "05:00:00"})]]
    assert counts(graded(gold, calls, mode)) == (1, 1, 0, 0, 0, 0)


@MODES
def test_a_failure_that_gold_expects_must_be_made(mode):
    """`locked-out-before-deadline` begins with a login that fails: gold has 6 calls, 5 of them actions."""
    gold = STARTER["locked-out-before-deadline"]
    calls = calls_of(gold)
    calls[0] = []
    result = graded(gold, calls, mode)
    assert counts(result) == (5, 6, 5, 4, 4, 0)
    assert kinds(result) == (0, 1, 0)


@pytest.mark.parametrize(
    ("mode", "judge", "matches"),
    [("published", "exact", 0), ("published", "lexical", 1), ("published", "one", 1), ("fixed", "exact", 1)],
)
def test_the_similarity_judges_free_text_in_published_mode_alone(mode, judge, matches):
    gold = STARTER["tell-samir-about-pepper"]
    text = "Pepper may go for long walks again and the printed results are in the post"
    calls = [[], [Call(api="SendMessage", arguments={"receiver": "samirk", "message": text})]]
    result = graded(gold, calls, mode, TextMatch.of(judge))
    assert counts(result) == (1, 1, matches, 1, matches, 1 - matches)


@MODES
def test_a_session_token_that_the_agent_makes_up_is_overwritten(mode):
    calls = calls_of(SWAP)
    calls = [[changed(call, session_token="forged") for call in row] for row in calls]
    assert rates(graded(SWAP, calls, mode))[4] is True


# totals -----------------------------------------------------------------------------------------------------


def values(total, what="value"):
    return {name: one[what] for name, one in total["scores"].items()}


def test_totals_add_counts_and_then_divide():
    """Easy: gold of 1 read. Hard: one call of 7 left out; and one conversation that crashes and is not scored."""
    short = calls_of(SWAP)
    del short[1][2]
    null = calls_of(DAY_BEFORE)
    null[3][0] = changed(null[3][0], due_date=None)
    easy = graded(STARTER["glasgow-in-may"], calls_of(STARTER["glasgow-in-may"]))
    totals = summarize(TOOLTALK, [easy, graded(SWAP, short), graded(DAY_BEFORE, null)])
    assert [(one["num_conversations"], one["unscored"]) for one in totals.values()] == [(1, 0), (2, 1), (3, 1)]
    assert values(totals["easy"]) == {
        "precision": 1, "recall": 1, "action precision": None, "incorrect action rate": None, "success": 1,
        "soft success": 1, "over-trigger": 0, "bad planning": 0, "bad call": 0,
    }  # fmt: skip
    assert totals["hard"]["scores"]["recall"]["counts"] == {"hits": 6, "of": 7}
    assert totals["hard"]["scores"]["soft success"]["value"] == 6 / 7
    found = values(totals["all"])
    assert (found["precision"], found["recall"], found["action precision"]) == (1, 7 / 8, 1)
    assert (found["incorrect action rate"], found["success"], found["soft success"]) == (0, 1 / 2, (1 + 6 / 7) / 2)
    assert [totals["all"]["scores"][name]["counts"].get("hits", 0) for name in NONE] == [0, 1, 0]


def test_totals_of_nothing_are_unknown():
    totals = summarize(TOOLTALK, [])["all"]
    assert (totals["num_conversations"], totals["scores"]) == (0, {})


def test_a_folder_that_is_no_benchmark(tmp_path):
    with pytest.raises(BadFile, match="is no ToolTalk data folder: it has no folder `databases`"):
        benchmark("tooltalk").load(tmp_path)
    (tmp_path / "databases").mkdir()
    with pytest.raises(BadFile, match=r"holds no conversations: expected easy/\*\.json or tooltalk/\*\.json"):
        benchmark("tooltalk").load(tmp_path)
