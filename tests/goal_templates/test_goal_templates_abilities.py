"""What the agent `goal_templates` can do, a conversation an ability, in the account of S3 that ships."""

import asyncio
import re
from dataclasses import dataclass, field

import pytest

from toologue.agents.agent import player
from toologue.schema import AgentTurn, Brief, Case, Program, Result, Turn, UserTurn
from toologue.schema.stack import stack
from toologue.worlds.programs import with_programs
from toologue.worlds.s3 import S3


@dataclass
class Talk:
    """A conversation with the agent: `say` gives the programs that it wrote, with their results, and its words."""

    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self):
        self.agent = player("goal_templates").make(Case(id="talk", protocol="live"))
        self.world = with_programs(S3(), name="s3")

    def say(self, words: str) -> tuple[list[tuple[Program, Result | None]], str]:
        self.turns.append(UserTurn(text=words))
        wrote = asyncio.run(self.agent.act(tuple(self.turns), Brief()))
        assert wrote.text is None
        results = tuple(self.world.do(act) if act.status == "final" else None for act in wrote.acts)
        self.turns.append(wrote.but(results=results))
        said = asyncio.run(self.agent.act(tuple(self.turns), Brief()))
        assert not said.acts
        self.turns.append(said)
        return list(zip(wrote.acts, results, strict=True)), said.text or ""

    def one(self, words: str) -> tuple[str, object]:
        """(status, value, or name of the error) of the one program that the words led to."""
        ((act, result),), _ = self.say(words)
        return act.status, None if result is None else result.error.type if result.error else result.value

    def keys(self, bucket: str) -> set[str]:
        return {name for where, name, _ in self._objects() if where == bucket}

    def _objects(self):
        for bucket, objects in self.world.contents().items():
            for key, content in objects.items():
                yield bucket, key, content


@pytest.fixture
def talk():
    return Talk()


def test_what_needs_nothing_more_is_done_at_once_and_told_from_the_result(talk):
    ((act, result),), words = talk.say("List everything under invoices/2024/ in larkfield-office.")
    assert (act.goal, act.status) == ("1", "final")
    assert result.value == [f"invoices/2024/inv-0{n}.txt" for n in (117, 131, 142)]
    assert all(key in words for key in result.value)


def test_what_is_missing_is_asked_for_in_the_order_of_the_documents_and_stands_as_placeholders(talk):
    ((act, _),), words = talk.say("I'd like a new bucket.")
    assert act.status == "drafting"
    assert "Bucket=?1" in act.code
    assert "?2" in act.code
    assert "name" in words or "called" in words
    ((act, _),), words = talk.say("larkfield-events")
    assert act.goal == "1"
    assert 'Bucket="larkfield-events"' in act.code
    assert "?2" in act.code  # its number stays
    assert "region" in words
    assert talk.one("eu-west-1, please") == ("final", None)
    assert talk.one("In which region is larkfield-events?") == ("final", "eu-west-1")


def test_what_destroys_is_confirmed_and_the_same_program_is_then_final(talk):
    ((draft, _),), words = talk.say("Delete temp/old/export.csv from larkfield-office.")
    assert draft.status == "drafting"
    assert "temp/old/export.csv" in words
    ((final, result),), _ = talk.say("Yes, go ahead.")
    assert (final.goal, final.status, final.code) == (draft.goal, "final", draft.code)
    assert result.changes


@pytest.mark.parametrize("words", ["No, leave it.", "forget it", "Don't delete it.", "never mind"])
def test_what_is_not_wanted_any_more_is_abandoned(talk, words):
    talk.say("Delete temp/old/export.csv from larkfield-office.")
    ((act, result),), _ = talk.say(words)
    assert (act.goal, act.status, result) == ("1", "abandoned", None)


def test_a_draft_is_revised_as_a_whole_and_confirmed_again(talk):
    talk.say("Rename all the .txt files under notes/ in larkfield-office to .rtf")
    ((act, _),), _ = talk.say("hmm, make it .md")
    assert (act.goal, act.status) == ("1", "drafting")
    assert ".md" in act.code
    assert ".rtf" not in act.code
    ((act, _),), _ = talk.say("Leave todo.txt alone.")
    assert act.status == "drafting"
    ((act, result),), _ = talk.say("yes")
    assert (act.status, result.value) == ("final", ["notes/Ideen für den Sommer.md"])


def test_a_correction_together_with_a_yes_is_final(talk):
    talk.say("Move reports/report_old.txt in larkfield-office to reports/archiv/report_old.txt")
    ((act, _),), _ = talk.say("Archive with an e. Otherwise yes.")
    assert act.status == "final"
    assert "reports/archive/report_old.txt" in act.code


def test_what_was_done_last_can_be_asked_for_again_with_a_change(talk):
    assert talk.one("How many csv files are there in larkfield-sales?") == ("final", 13)
    assert talk.one("And if you take only what was changed in 2024?")[0] == "final"
    assert talk.one("and json?")[0] == "final"
    assert talk.one("and in larkfield-weblogs?")[0] == "final"


def test_several_goals_in_one_utterance_are_several_programs(talk):
    done, words = talk.say(
        "Which file under reports/ in larkfield-office is the newest? And how many are there in all?"
    )
    assert [(act.goal, result.value) for act, result in done] == [("1", "reports/drafts/report.txt"), ("2", 6)]
    assert "6" in words
    assert "reports/drafts/report.txt" in words


def test_another_question_leaves_the_draft_and_the_draft_is_taken_up_again(talk):
    talk.say("Empty the temp/ folder in larkfield-office.")
    ((act, result),), _ = talk.say("What is in there at the moment?")
    assert (act.goal, act.status, len(result.value)) == ("2", "final", 5)
    ((act, _),), _ = talk.say("ok, do it")
    assert (act.goal, act.status) == ("1", "final")
    assert [one.goal for one in stack(talk.turns)] == ["1", "2"]


def test_words_that_point_at_results_are_understood(talk):
    talk.say("List everything under notes/ in larkfield-office")
    status, value = talk.one("read the last one")
    assert status == "final"
    assert "inner tubes" in value
    ((act, _),), _ = talk.say("copy it to larkfield-scratch")
    assert act.code == (
        's3.copy_object(Bucket="larkfield-scratch", CopySource={"Bucket": "larkfield-office", "Key": "notes/todo.txt"},'
        ' Key="notes/todo.txt")'
    )
    assert talk.one("In which region is the scratch bucket?") == ("final", "ap-southeast-2")


def test_that_one_is_the_file_that_was_spoken_of_last(talk):
    talk.say("List everything under invoices/2025/ in larkfield-office")
    assert talk.one("The last one ends in capitals. Are keys case-sensitive?") == ("final", "FAQ")
    status, value = talk.one("Good to know. And what does that one say?")
    assert (status, str(value)[:12]) == ("final", "INVOICE 0161")


def test_a_refusal_of_the_service_is_told_and_the_better_value_tried_as_a_new_goal(talk):
    ((act, result),), words = talk.say("How many files are in larkfield-sale?")
    assert result.error.type == "NoSuchBucket"
    assert "larkfield-sale" in words
    ((again, result),), _ = talk.say("sorry, larkfield-sales")
    assert (act.goal, again.goal, result.error) == ("1", "2", None)


def test_an_offer_can_be_taken(talk):
    assert talk.one("Please open notes/to-do.txt in larkfield-office") == ("final", "NoSuchKey")
    status, value = talk.one("Yes please, show me what there is")
    assert (status, "notes/todo.txt" in value) == ("final", True)


@pytest.mark.parametrize(
    ("words", "raised"),
    [
        ("Could you mail the list to Ben?", "OutOfScopeRequestError"),
        ("Something should be done about my files.", "AmbiguousRequestError"),
        ("haha, you are really funny", "ChitChat"),
        ("Can I put one bucket into another bucket?", "FAQ"),
        ("Copy reports/ from larkfield-office to larkfield-scratch every night.", "OverSpecificationError"),
        ("Thanks, that's all. Bye!", "EndDialog"),
    ],
)
def test_the_exceptions_of_conversation_are_final_programs(talk, words, raised):
    ((act, result),), said = talk.say(words)
    assert (act.status, act.code, result.error.type) == ("final", f"raise {raised}()", raised)
    assert said


def test_a_question_about_s3_is_answered_while_a_draft_waits(talk):
    talk.say("Delete temp/scan-001.txt from larkfield-office")
    assert talk.one("Can I get a file back after it was deleted?") == ("final", "FAQ")
    ((act, _),), _ = talk.say("fine, do it")
    assert (act.goal, act.status) == ("1", "final")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("Total size of all json files in larkfield-sales", 579),
        ("Which is the oldest file in larkfield-weblogs? Just the name", None),
        ("Show me the last 2 lines of notes/todo.txt in larkfield-office", None),
        ("Does larkfield-office-backup have a copy of reports/report.txt?", True),
        ("Are reports/report.txt in larkfield-office and larkfield-office-backup identical?", False),
        ("Which of my buckets are empty?", ["larkfield-scratch"]),
        ("Count the files by folder in larkfield-weblogs", None),
        ('Find all files whose name contains "old" in any of my buckets', None),
        ("How many words are in notes/todo.txt in larkfield-office?", 15),
        ("Which notes in larkfield-office mention City Post?", None),
    ],
)
def test_operations_selections_and_outputs_combine(talk, words, value):
    status, found = talk.one(words)
    assert status == "final"
    assert found is not None
    if value is not None:
        assert found == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("gimme an overview of the json documents in larkfield-weblogs, lightest first", 3),
        ("For an inventory I need the number of objects in every bucket.", 5),
        ("what are the two largest files in larkfield-sales?", 2),
        ("anything smaller than 100 bytes in larkfield-weblogs?", 6),
        ("Which files under reports/ in larkfield-office haven't been copied to larkfield-office-backup yet?", 4),
        ("Which of our buckets are located in Europe?", 2),
    ],
)
def test_other_words_for_the_same_parts_are_understood(talk, words, value):
    status, found = talk.one(words)
    assert (status, len(found)) == ("final", value)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("What do the hours in rentals/2025-05.csv in larkfield-sales add up to?", 62),
        ("How many customers from Westmouth are in customers/customers.csv in larkfield-sales?", 3),
        ("Give me the average of the total column of orders/2024/q4.csv in larkfield-sales.", 189.5),
        (
            "How many customers per town are in customers/customers.csv in larkfield-sales?",
            {"Westmouth": 3, "Sandby": 2, "Hillend": 2},
        ),
        ("What's the price of a lock in prices.json in larkfield-sales?", 28.5),
        ("Which of my buckets holds the most files?", "larkfield-office"),
        (
            "Which files do larkfield-office and larkfield-office-backup have in common?",
            ["manuals/gears.md", "reports/annual-2024.txt", "reports/report.txt"],
        ),
    ],
)
def test_questions_about_what_is_inside_files_and_across_buckets_are_answered(talk, words, value):
    assert talk.one(words) == ("final", value)


def test_a_question_about_a_table_is_asked_again_about_another_and_more_narrowly(talk):
    assert talk.one("Give me the total of orders/2025/april.csv in larkfield-sales.") == ("final", 3560.5)
    assert talk.one("And in orders/2025/may.csv?") == ("final", 5619.5)
    assert talk.one("How many orders are in it?") == ("final", 6)


def test_what_was_found_can_be_stored_and_nothing_is_overwritten_unasked(talk):
    assert talk.one("List the json files in larkfield-weblogs")[0] == "final"
    assert talk.one("Put that list into a file called json.txt in larkfield-scratch") == ("final", None)
    assert talk.one("What does json.txt in larkfield-scratch say?")[1].count("\n") == 2
    assert talk.one('Store "x" as json.txt in larkfield-scratch, but only if there is no such file.') == ("final", None)
    assert talk.one("How many lines does it have?") == ("final", 3)


def test_what_is_not_there_yet_is_copied_without_a_question(talk):
    status, value = talk.one("Which files under reports/ in larkfield-office are missing in larkfield-office-backup?")
    assert (status, len(value)) == ("final", 4)
    assert talk.one("Copy the missing ones there, except the drafts.")[0] == "final"
    assert "reports/drafts/report.txt" not in talk.keys("larkfield-office-backup")
    assert "reports/q1-2025.txt" in talk.keys("larkfield-office-backup")


@pytest.mark.parametrize("words", ["no", "Hm, not yet.", "my aunt says hello", "What a lovely day!"])
def test_nothing_is_deleted_without_words_that_agree(talk, words):
    talk.say("Delete everything under temp/ in larkfield-office")
    before = talk.keys("larkfield-office")
    talk.say(words)
    assert talk.keys("larkfield-office") == before


def test_what_nobody_understands_leaves_the_draft_waiting(talk):
    talk.say("Delete temp/scan-001.txt from larkfield-office")
    ((act, result),), _ = talk.say("my aunt in Sandby scanned that herself")
    assert (act.goal, act.status, result) == ("1", "drafting", None)
    assert talk.one("go ahead") == ("final", None)


def test_every_turn_with_programs_says_why(talk):
    talk.say("Delete temp/scan-001.txt")
    wrote = talk.turns[1]
    assert isinstance(wrote, AgentTurn)
    assert re.fullmatch(r"1: drafting, asks for bucket: new \(\d\.\d\d\); new; bucket is missing", wrote.thought)


def test_asked_cold_in_mid_conversation_it_answers_the_same(talk):
    for words in ("Rename prices.json to prices_2025.json", "larkfield-sales", "no, call it prices_may.json", "yes"):
        talk.say(words)
    for end in range(1, len(talk.turns)):
        if isinstance(talk.turns[end], AgentTurn):
            cold = player("goal_templates").make(Case(id="cold", protocol="live"))
            assert asyncio.run(cold.act(tuple(talk.turns[:end]), Brief())) == talk.turns[end].but(results=())


def test_of_two_buckets_none_is_said_to_be_missing_that_may_be_there(talk):
    ((_, result),), words = talk.say("Copy stock/frames.csv from larkfield-sales to larkfield-q1.")
    assert result.error.type == "NoSuchBucket"
    assert "larkfield-sales" in words
    assert "larkfield-q1" in words
