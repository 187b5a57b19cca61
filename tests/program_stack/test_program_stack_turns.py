"""The agent `program_stack`, turn by turn: what it asks the model, what it makes of the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.agents.llm.program_stack import ProgramStack, Settings
from toologue.agents.llm.program_stack.examples import Examples
from toologue.loop import play
from toologue.models.model import ModelFault, ScriptedModel
from toologue.schema import AgentTurn, Brief, Case, Dialogue, Fault, Program, Result, Setting, Turn, UserTurn
from toologue.schema.stack import stack
from toologue.worlds.s3 import apis
from toologue.worlds.world import kind_at, make_world

S3 = Brief(apis=apis())
DOCS = Settings(shows="docs")
COUNT = 'return len(s3.list_buckets()["Buckets"])'


def goal(uid: int, status: str, code: str = "") -> str:
    inside = f"<program>\n{code}\n</program>" if code else ""
    return f'<output><goal uid="{uid}" status="{status}">{inside}</goal></output>'


def said(words: str) -> str:
    return f"<output><turn>Agent: {words}</turn></output>"


def talked(model: ScriptedModel, *words: str, settings: Settings = DOCS, world: str = "s3_programs") -> list[Any]:
    """What the agent does when the user says these words, one after the other."""
    turns = [turn for text in words for turn in (UserTurn(text=text), AgentTurn(text="-"))]
    gold = Dialogue(id="d", world=Setting(name=world), turns=tuple(turns))
    case = Case(id="d", gold=gold, brief=S3, world=gold.world, protocol="recorded")
    lived, _ = play(case, ProgramStack(model, settings), make_world(case))
    return [turn for turn in lived if turn.role == "agent"]


def next_turn(model: ScriptedModel, history: Sequence[Turn], settings: Settings = DOCS, brief: Brief = S3) -> AgentTurn:
    return asyncio.run(ProgramStack(model, settings).act(history, brief))


class TestATurn:
    def test_programs_first_then_words_that_have_seen_the_result(self) -> None:
        model = ScriptedModel([goal(1, "final", COUNT), said("You have 5 buckets.")])
        wrote, told = talked(model, "How many buckets do I have?")
        assert wrote.acts == (Program(goal="1", status="final", code=COUNT),)
        assert wrote.results[0].value == 5
        assert told.text == "You have 5 buckets."
        first, second = (asked.messages[-1]["content"] for asked in model.asked)
        assert "<result>" not in first.rpartition("<stack>")[2]
        assert "<result>5</result>" in second.rpartition("<stack>")[2]

    def test_where_there_is_nothing_to_write_it_speaks_at_once(self) -> None:
        (told,) = talked(ScriptedModel(["<output>\n</output>", said("Go on.")]), "Wait a second.")
        assert (told.text, told.acts) == ("Go on.", ())

    def test_it_sees_the_last_words_of_either_side_and_the_stack(self) -> None:
        history = [
            UserTurn(text="first words"),
            AgentTurn(acts=(Program(goal="1", status="drafting", code="s3.delete_bucket(Bucket=?1)"),)),
            AgentTurn(text="Which bucket?"),
            UserTurn(text="attic"),
        ]
        model = ScriptedModel([goal(1, "drafting", 's3.delete_bucket(Bucket="attic")')] * 2)
        next_turn(model, history)
        seen = model.asked[0].messages[-1]["content"].rpartition("<stack>")[2]
        assert "first words" not in seen
        assert seen.strip().splitlines()[-2:] == ["<turn>Agent: Which bucket?</turn>", "<turn>User: attic</turn>"]
        assert "s3.delete_bucket(Bucket=?1)" in seen
        next_turn(model, history, Settings(shows="docs", full=True))
        assert "first words" in model.asked[1].messages[-1]["content"]

    def test_a_draft_is_finalised_as_it_stands(self) -> None:
        model = ScriptedModel([goal(1, "drafting", COUNT), said("Shall I?"), goal(1, "final"), said("They are 5.")])
        turns = talked(model, "Count my buckets.", "Yes.")
        assert turns[2].acts[0].code == COUNT
        assert turns[2].results[0].value == 5

    def test_several_goals_in_one_utterance_run_in_their_order(self) -> None:
        both = goal(1, "final", COUNT).replace("</output>", "") + goal(2, "final", "return 7").replace("<output>", "")
        wrote, _ = talked(ScriptedModel([both, said("5, and 7.")]), "Count my buckets, and give me a seven.")
        assert [result.value for result in wrote.results] == [5, 7]

    def test_it_says_why(self) -> None:
        answers = ["Why: the name is missing\n" + goal(1, "drafting", "s3.delete_bucket(Bucket=?1)"), said("Which?")]
        wrote, told = talked(ScriptedModel(answers), "Delete my bucket.")
        assert wrote.thought == "goal 1 is a draft: ?1 is missing. the name is missing"
        assert told.thought == "asked for ?1 of goal 1"

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (goal(1, "drafting", 's3.delete_bucket(Bucket="attic")'), "asked whether to do goal 1"),
            (goal(1, "final", "return 1"), "told what came of goal 1"),
            (goal(1, "abandoned", "return 1"), "goal 1 is given up"),
            ("<output></output>", "no program was written"),
        ],
    )
    def test_and_why_it_said_what_it_said(self, answer: str, why: str) -> None:
        assert talked(ScriptedModel([answer, said("Well.")]), "Go.")[-1].thought == why

    def test_asked_twice_it_answers_the_same(self) -> None:
        model = ScriptedModel(lambda asked: goal(1, "final", COUNT))
        history = [UserTurn(text="Count.")]
        assert next_turn(model, history) == next_turn(model, history)

    def test_a_model_that_gives_nothing_is_an_error_of_that_name(self) -> None:
        (turn,) = talked(ScriptedModel([ModelFault("timeout", "no answer in 60 s")]), "Hi")
        assert turn.error is not None
        assert turn.error.type == "timeout"


class TestWhatModelsReallyWrite:
    @pytest.mark.parametrize(
        "answer",
        [
            f"```xml\n{goal(1, 'final', COUNT)}\n```",
            f"Sure! Here is the program.\n{goal(1, 'final', COUNT)}\nLet me know!",
            f'<goal uid="1" status="final"><program>```python\n{COUNT}\n```</program></goal>',
            f'<output><goal uid="1" status="final"><program>\n    {COUNT}',
            f"<output><goal uid='1' status='FINAL'><program><![CDATA[{COUNT}]]></program></goal></output>",
        ],
        ids=["fence", "prose", "fenced code", "no ends", "CDATA"],
    )
    def test_is_understood(self, answer: str) -> None:
        wrote, _ = talked(ScriptedModel([answer, said("5.")]), "How many buckets?")
        assert wrote.results[0].value == 5
        assert "answer" not in wrote.extra

    def test_bare_comparisons_are_code(self) -> None:
        code = 'return 1 < 2 and len(s3.list_buckets()["Buckets"]) > 3'
        wrote, _ = talked(ScriptedModel([goal(1, "final", code), said("Yes.")]), "More than 3 buckets?")
        assert wrote.results[0].value is True


class TestRepair:
    @pytest.mark.parametrize(
        ("wrong", "problem"),
        [
            ("You have some buckets, I think.", "there is no <output>"),
            ('<output><goal uid="1"><program>return 1</program></goal></output>', "expected the status"),
            (goal(1, "final", "return (1"), "was never closed"),
            (goal(1, "final", "return len(s3.list_bukets())"), "did you mean 'list_buckets'"),
            (goal(1, "final", "s3.create_bucket(Bukket='b')"), "has no parameter 'Bukket'"),
            (goal(1, "final"), "there is no draft of it"),
        ],
        ids=["prose", "no status", "syntax", "method", "keyword", "no draft"],
    )
    def test_an_answer_that_cannot_be_used_is_asked_for_once_more(self, wrong: str, problem: str) -> None:
        model = ScriptedModel([wrong, goal(1, "final", COUNT), said("5.")])
        wrote, _ = talked(model, "How many buckets?")
        assert wrote.results[0].value == 5
        assert problem in model.asked[1].messages[-1]["content"]
        assert wrote.extra["answer"]["done"] == "repaired"

    def test_once_only(self) -> None:
        model = ScriptedModel(["no", "no", said("What exactly do you want?")])
        (told,) = talked(model, "How many buckets?")
        assert told.text == "What exactly do you want?"
        assert told.extra["answer"]["problems"] == ["there is no <output> with programs in it"]
        assert len(model.asked) == 3

    def test_a_program_that_breaks_is_written_anew(self) -> None:
        broken, better = "return s3.list_buckets()['Bukkets']", COUNT
        model = ScriptedModel([goal(1, "final", broken), goal(2, "final", better), said("5.")])
        first, second, told = talked(model, "How many buckets?")
        assert first.results[0].error.type == "KeyError"
        assert second.results[0].value == 5
        assert told.text == "5."
        assert "nothing was written" in model.asked[1].messages[-1]["content"]

    @pytest.mark.parametrize("code", ["s3.delete_bucket(Bucket='nowhere-at-all')", "raise ChitChat()"])
    def test_what_the_service_refuses_and_what_is_no_program_are_answers(self, code: str) -> None:
        draft = [goal(1, "drafting", code), said("Shall I?")]
        model = ScriptedModel([*draft, goal(1, "final"), said("That is how it is.")])
        assert talked(model, "Do it.", "Yes.")[-1].text == "That is how it is."

    def test_what_cannot_go_on_the_stack_never_leaves(self) -> None:
        again = goal(1, "final", "return 2")
        model = ScriptedModel([goal(1, "final", "return 1"), said("Done."), again, again, said("It is done already.")])
        turns = talked(model, "One.", "No, two.")
        assert [len(turn.acts) for turn in turns] == [1, 0, 0]

    def test_published_takes_answers_as_they_come(self) -> None:
        model = ScriptedModel([goal(1, "final", "return nmae"), said("There are 77 of them.")])
        wrote, told = talked(model, "How many?", settings=Settings(shows="docs", published=True))
        assert wrote.results[0].error.type == "NameError"
        assert told.text == "There are 77 of them."
        assert all([m["role"] for m in asked.messages] == ["user"] for asked in model.asked)
        assert all(asked.messages[0]["content"].endswith("<output>\n") for asked in model.asked)


class TestWhatDestroys:
    DELETE = 's3.delete_object(Bucket="larkfield-office", Key="notes/todo.txt")'

    def test_waits_until_the_user_has_seen_it_whole(self) -> None:
        model = ScriptedModel([goal(1, "final", self.DELETE), said("Shall I?"), goal(1, "final"), said("Done.")])
        held, asked, done, _ = talked(model, "Delete notes/todo.txt in larkfield-office.", "Yes.")
        assert held.acts[0].status == "drafting"
        assert held.thought == "goal 1 is a draft: delete_object must be agreed to"
        assert held.extra["answer"]["held back"] == ["1"]
        assert asked.text == "Shall I?"
        assert done.acts[0].status == "final"

    def test_a_final_program_with_a_placeholder_is_a_draft(self) -> None:
        wrong = goal(1, "final", "return s3.list_objects(Bucket=?1)")
        wrote, _ = talked(ScriptedModel([wrong, wrong, said("Which bucket?")]), "List my files.")
        assert wrote.acts[0].status == "drafting"

    def test_published_does_not_wait(self) -> None:
        model = ScriptedModel([goal(1, "final", self.DELETE), said("Gone.")])
        (wrote, _) = talked(model, "Delete it.", settings=Settings(shows="docs", published=True))
        assert wrote.acts[0].status == "final"


class TestGrounding:
    def test_words_that_nothing_supports_are_asked_for_again(self) -> None:
        model = ScriptedModel([goal(1, "final", COUNT), said("You have 17 buckets."), said("You have 5 buckets.")])
        *_, told = talked(model, "How many buckets?")
        assert told.text == "You have 5 buckets."
        assert "nothing here says '17'" in model.asked[-1].messages[-1]["content"]

    def test_and_then_replaced_by_the_plain_result(self) -> None:
        invented = said("Your file is secret/plan.txt.")
        *_, told = talked(ScriptedModel([goal(1, "final", "return ['a.txt', 'b.txt']"), invented, invented]), "Which?")
        assert told.text == 'Here is what I found: "a.txt", "b.txt".'
        assert told.extra["answer"]["done"] == "replaced"

    def test_what_was_said_earlier_in_the_conversation_supports_them(self) -> None:
        draft = Program(goal="1", status="drafting", code="return s3.list_objects(Bucket=?1)")
        final = draft.replace(status="final", code='return s3.list_objects(Bucket="attic")')
        history = [
            UserTurn(text="Did anything change in May 2025?"),
            AgentTurn(acts=(draft,)),
            AgentTurn(text="In which bucket?"),
            UserTurn(text="attic"),
            AgentTurn(acts=(final,), results=(Result(value=[]),)),
        ]
        told = next_turn(ScriptedModel([said("Nothing changed in May 2025.")]), history)
        assert told.text == "Nothing changed in May 2025."
        assert "answer" not in told.extra

    def test_what_answers_a_question_about_the_service_comes_from_elsewhere(self) -> None:
        model = ScriptedModel([goal(1, "final", "raise FAQ()"), said("Names have 3 to 63 characters.")])
        *_, told = talked(model, "How long may a bucket's name be?")
        assert told.text == "Names have 3 to 63 characters."


class TestOtherWorlds:
    def test_programs_run_over_the_assistant(self) -> None:
        inside = {"name": "assistant", "arguments": {"user": "mreyes", "now": "2025-03-10 09:00:00", "logged_in": True}}
        setting = Setting(name="programs", arguments={"object": "assistant", "world": inside})
        model = ScriptedModel([goal(1, "final", "assistant.add_alarm(time='06:30:00')"), said("Set for 06:30.")])
        gold = Dialogue(id="d", world=setting, turns=(UserTurn(text="Wake me at 06:30."), AgentTurn(text="-")))
        brief = Brief(apis=tuple(kind_at(setting).apis), facts={"programs": {"object": "assistant"}})
        case = Case(id="d", gold=gold, brief=brief, world=setting, protocol="recorded")
        (_, wrote, told), _ = play(case, ProgramStack(model), make_world(case))
        assert list(wrote.results[0].changes) == ["Alarm/mreyes/5bff-dd80"]
        assert told.text == "Set for 06:30."
        assert "def AddAlarm(" in model.asked[0].messages[1]["content"]

    def test_exceptions_of_your_own(self) -> None:
        brief = S3.replace(
            facts={"programs": {"object": "s3", "exceptions": {"HumanWanted": "a person shall take over"}}}
        )
        model = ScriptedModel([goal(1, "final", "raise HumanWanted()")])
        turn = next_turn(model, [UserTurn(text="Give me a human.")], brief=brief)
        assert turn.thought == "goal 1 is no program: HumanWanted"
        assert "- HumanWanted: a person shall take over" in model.asked[0].messages[0]["content"]
        assert json.dumps(brief.facts) not in model.asked[0].messages[0]["content"]


def test_a_history_of_somebody_else_is_no_obstacle() -> None:
    """Programs that cannot go on the stack are left out, errors of any kind shown."""
    twice = Program(goal="1", status="final", code="return 1")
    failed = Result(error=Fault(type="NoSuchKey", message="no such key"))
    history = [UserTurn(text="a"), AgentTurn(acts=(twice, twice), results=(failed, failed)), AgentTurn(text="b")]
    model = ScriptedModel([goal(2, "final", COUNT)])
    turn = next_turn(model, [*history, UserTurn(text="c")])
    assert turn.acts[0].goal == "2"
    assert model.asked[0].messages[1]["content"].rpartition("<stack>")[2].count("NoSuchKey") == 1


def test_examples_are_found_for_each_request_apart() -> None:
    pool = Examples([Dialogue(id="x", turns=(UserTurn(text="Thanks"), AgentTurn(text="You are welcome.")))])
    model = ScriptedModel(["<output></output>", said("With pleasure.")])
    asyncio.run(ProgramStack(model, Settings(k=1), pool).act([UserTurn(text="Thank you")], S3))
    programs, words = (asked.messages[1]["content"] for asked in model.asked)
    assert "You are welcome." not in programs
    assert "You are welcome." in words


def test_examples_are_found_by_the_last_words_even_where_the_whole_history_is_shown() -> None:
    pool = Examples([Dialogue(id=w, turns=(UserTurn(text=w), AgentTurn(text=w.upper()))) for w in ("tea", "coffee")])
    model = ScriptedModel(lambda asked: said("Gladly."))
    history = [UserTurn(text="tea tea tea"), AgentTurn(text="-"), UserTurn(text="coffee")]
    asyncio.run(ProgramStack(model, Settings(k=1, full=True, published=True), pool).act(history, S3))
    assert "COFFEE" in model.asked[-1].messages[0]["content"]


GOALS = ['<goal uid="1" status="final">', '<goal uid="1" status="drafting">', '<goal uid="1" status="final"/>']
CODE = ["</goal>", "<program>", "</program>", "return 1", "x = ?1", "(", '<goal uid="2" status="abandoned"/>']
WORDS = ["<turn>Agent: So?</turn>", "<turn>User: No", "```", "Why: because", "&lt;", "<", "\n", "\x00", "?"]
FRAGMENTS = st.sampled_from(["<output>", "</output>", "<stack>", *GOALS, *CODE, *WORDS])


@given(answers=st.lists(st.lists(FRAGMENTS, max_size=9).map("".join), min_size=1, max_size=8), published=st.booleans())
def test_whatever_a_model_writes_is_a_turn_that_fits_the_stack(answers: list[str], published: bool) -> None:
    model = ScriptedModel(lambda asked: answers[len(model.asked) % len(answers)])
    settings, history = Settings(shows="docs", published=published), list[Turn]()
    for words in ("one", "two"):
        history.append(UserTurn(text=words))
        for _ in range(3):
            turn = next_turn(model, history, settings)
            assert turn.acts or turn.text or turn.error
            history.append(turn)
            stack(history)
            if turn.text or turn.error:
                break


class TestLooking:
    def test_what_is_there_is_read_before_a_program_is_written_and_is_on_no_stack(self) -> None:
        look = "Why: which bucket is meant?\n<look>s3.list_buckets()</look>"
        draft = goal(1, "drafting", 's3.delete_bucket(Bucket="larkfield-scratch")')
        model = ScriptedModel([look, draft, said("Shall I delete larkfield-scratch?")])
        saw, wrote, told = talked(model, "Delete the scratch bucket.")
        assert [act.kind for act in saw.acts] == ["call"]
        assert "larkfield-scratch" in json.dumps(saw.results[0].value)
        assert wrote.acts[0].status == "drafting"
        assert told.text == "Shall I delete larkfield-scratch?"  # and no value of it is strange
        first, second, third = (asked.messages[-1]["content"] for asked in model.asked)
        assert "Looked up since the user spoke:\n- s3.list_buckets() = {" not in first
        assert "Looked up since the user spoke:\n- s3.list_buckets() = {" in second
        assert "Looked up since the user spoke" in third
        assert stack([UserTurn(text="x"), saw, wrote])[0].goal == "1"

    @pytest.mark.parametrize(
        ("look", "problem"),
        [
            ('s3.delete_bucket(Bucket="attic")', "a look only reads, and delete_bucket writes"),
            ("s3.list_objects(Bucket=name)", "the look, line 1, column 24: the name 'name' is not defined"),
            ("s3.list_objects(Bucket='a' + 'b')", "a look gives literals"),
            ("s3.list_objects()", "the look, line 1, column 1: list_objects needs 'Bucket'"),
            ("x = 1", "a look is calls of s3 and nothing else, not 'x = 1'"),
        ],
    )
    def test_nothing_is_written_and_nothing_else_is_run(self, look: str, problem: str) -> None:
        model = ScriptedModel([f"<look>{look}</look>", goal(1, "final", COUNT), said("You have 5 buckets.")])
        wrote, _ = talked(model, "How many buckets do I have?")
        assert wrote.acts[0].kind == "program"
        assert problem in model.asked[1].messages[-1]["content"]

    def test_it_does_not_look_for_ever(self) -> None:
        look = "<look>s3.list_buckets()</look>"
        model = ScriptedModel([*[look] * 4, goal(1, "final", COUNT), said("You have 5 buckets.")])
        turns = talked(model, "How many buckets do I have?")
        assert [[act.kind for act in turn.acts] for turn in turns] == [["call"]] * 3 + [["program"], []]
        assert "nothing more can be looked up" in model.asked[4].messages[-1]["content"]

    def test_as_published_there_are_no_looks(self) -> None:
        published = Settings(shows="docs", published=True)
        (turn,) = talked(ScriptedModel(["<look>s3.list_buckets()</look>"] * 2), "How many?", settings=published)
        assert turn.acts == ()
