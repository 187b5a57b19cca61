"""Which programs wait for the user's yes: what documents declare (`confirm`, `x-confirm`), and no list of verbs."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("boto3")
pytest.importorskip("moto")

from toologue.agents.llm.program_stack import ProgramStack, Settings
from toologue.agents.llm.program_stack.consent import held_back
from toologue.agents.llm.program_stack.prompts import service_of, stacked
from toologue.apis.functions import api_of_function
from toologue.apis.openapi import read_openapi
from toologue.bench.dialog2api import load
from toologue.errors import BadRecord
from toologue.loop import play
from toologue.models.model import ScriptedModel
from toologue.schema import AgentTurn, Api, Brief, Case, Dialogue, Setting, UserTurn
from toologue.worlds.crud import Simulator
from toologue.worlds.s3 import apis
from toologue.worlds.world import make_world

S3 = Brief(apis=apis())
DOCS = Settings(shows="docs")
DELETE = 's3.delete_bucket(Bucket="larkfield-office-backup")'
EMPTIED = """
bucket = "larkfield-office-backup"
for one in s3.list_objects(Bucket=bucket)["Contents"]:
    s3.delete_object(Bucket=bucket, Key=one["Key"])
s3.delete_bucket(Bucket=bucket)
"""


def goal(uid: int, status: str, code: str = "") -> str:
    inside = f"<program>\n{code}\n</program>" if code else ""
    return f'<output><goal uid="{uid}" status="{status}">{inside}</goal></output>'


def said(words: str) -> str:
    return f"<output><turn>Agent: {words}</turn></output>"


def statuses(answers: list[str], *words: str, brief: Brief = S3, world: str = "s3_programs"):
    """What became of the programs that a model wrote, over these words of the user."""
    turns = [turn for text in words for turn in (UserTurn(text=text), AgentTurn(text="-"))]
    gold = Dialogue(id="d", world=Setting(name=world), turns=tuple(turns))
    case = Case(id="d", gold=gold, brief=brief, world=gold.world, protocol="recorded")
    lived, _ = play(case, ProgramStack(ScriptedModel(answers), DOCS), make_world(case))
    return [act.status for turn in lived if turn.role == "agent" for act in turn.acts]


def test_a_retry_of_what_was_agreed_to_is_not_held_back_again():
    """It must have an uid of its own, since what ran is never revised."""
    agreed = [
        goal(1, "drafting", DELETE),
        said("Shall I?"),
        goal(1, "final"),
        said("It is not empty. Shall I empty it?"),
    ]
    assert statuses([*agreed, goal(2, "final", EMPTIED), said("Done.")], "Delete it.", "Yes.", "Yes.") == [
        "drafting",
        "final",
        "final",
    ]
    untold = [*agreed[:-1], said("It is not empty."), goal(2, "final", EMPTIED), said("Well?")]
    assert statuses(untold, "Delete it.", "Yes.", "Hm.")[-1] == "drafting"  # nobody asked whether to delete the files


def test_consent_is_used_up_once_it_worked_and_is_for_nothing_else():
    scratch = DELETE.replace("office-backup", "scratch")
    worked = [goal(1, "drafting", scratch), said("Shall I?"), goal(1, "final"), said("Done. Anything else?")]
    assert (
        statuses([*worked, goal(2, "final", DELETE), said("?")], "Delete it.", "Yes.", "And the backup.")[-1]
        == "drafting"
    )
    failed = [goal(1, "drafting", DELETE), said("Shall I?"), goal(1, "final"), said("It is not empty. What now?")]
    assert statuses([*failed, goal(2, "final", scratch), said("?")], "Delete it.", "Yes.", "Hm.")[-1] == "drafting"


def test_writing_over_a_file_waits_and_a_new_file_does_not():
    put = 's3.put_object(Bucket="larkfield-office", Key="{}", Body={})'
    new = put.format("notes/new.txt", '"x"')
    assert statuses([goal(1, "final", new), said("Done.")], "Write it.") == ["final"]
    read = 'text = s3.get_object(Bucket="larkfield-office", Key="notes/todo.txt")["Body"].read().decode()\n'
    edit = read + put.format("notes/todo.txt", 'text + "more"')
    assert statuses([goal(1, "final", edit), said("Shall I?")], "Add a line.") == ["drafting"]
    listed = 'return [one["Key"] for one in s3.list_objects(Bucket="larkfield-office", Prefix="notes/")["Contents"]]'
    over = put.format("notes/todo.txt", '"x"')
    assert statuses(
        [goal(1, "final", listed), said("Four."), goal(2, "final", over), said("?")], "List.", "Write."
    ) == [
        "final",
        "drafting",
    ]
    again = [goal(1, "final", new), said("Done."), goal(2, "final", new.replace('"x"', '"y"')), said("Done.")]
    assert statuses(again, "Write it.", "No, y.") == ["final", "final"]  # nothing is lost but what it wrote itself


def test_the_documents_decide_and_not_the_verb():
    def refund_hire(hire: str) -> None: ...
    def delete_draft(draft: str) -> None: ...

    refund_hire.confirm = True
    brief = Brief(apis=tuple(map(api_of_function, (refund_hire, delete_draft))), facts={"programs": {"object": "hire"}})

    def status(code: str) -> str:
        turn = asyncio.run(
            ProgramStack(ScriptedModel([goal(1, "final", code)]), DOCS).act([UserTurn(text="Do it.")], brief)
        )
        return turn.acts[0].status

    assert status('hire.refund_hire(hire="H-1")') == "drafting"
    assert status('hire.delete_draft(draft="1")') == "final"


def document(**said: object) -> dict[str, object]:
    put = {"operationId": "end_hire", "responses": {"200": {"description": "ok"}}}
    sent = [{"name": "hire_id", "in": "path", "required": True, "schema": {"type": "string"}}]
    both = {"parameters": sent, "put": {**put, **said}, "delete": {**put, "operationId": "drop"}}
    return {"openapi": "3.0.0", "info": {"title": "Hire", "version": "1"}, "paths": {"/hires/{hire_id}": both}}


def test_x_confirm_stands_in_a_document():
    def read(**said: object) -> dict[str, object]:
        return {one.api.name: one.api.confirm for one in read_openapi(document(**said)).operations}

    assert read() == {"end_hire": False, "drop": True}  # DELETE waits
    assert read(**{"x-confirm": True})["end_hire"] is True
    assert read(**{"x-confirm": ["hire_id"]})["end_hire"] == ("hire_id",)
    with pytest.raises(BadRecord, match="'x-confirm' names 'hire', which is no parameter"):
        read(**{"x-confirm": ["hire"]})


def test_services_that_ship_declare_what_cannot_be_taken_back():
    waits = {api.name for api in Simulator("shop").world().apis if api.confirm}
    assert {"cancel_order", "create_refund"} <= waits


def test_what_documents_do_not_say_is_not_in_their_key():
    api = Api(name="find")
    assert "confirm" not in api.model_dump(mode="json")
    assert Api.model_validate_json(api.replace(confirm=("a",)).model_dump_json()).confirm == ("a",)
    assert api.key != api.replace(confirm=True).key


def test_the_prompt_says_what_waits_and_how_values_look():
    model = ScriptedModel(["<output></output>", said("Hello.")])
    gold = Dialogue(id="d", turns=(UserTurn(text="Hi"), AgentTurn(text="-")))
    play(Case(id="d", gold=gold, brief=Brief(apis=apis()), protocol="recorded"), ProgramStack(model, DOCS))
    told = model.asked[0].messages[0]["content"]
    assert "does it call delete_object or delete_bucket or delete_objects" in told
    assert "write over what is there already with put_object or copy_object" in told
    for convention in (
        "{name: size}",
        "[name, size]",
        "returns nothing",
        "two programs",
        "given ahead",
        "optional parameters",
    ):
        assert convention in told


def test_gold_is_never_held_back():
    service = service_of(Brief(apis=apis(), facts={"programs": {"object": "s3"}}))
    for gold in load():
        for at, turn in enumerate(gold.turns):
            if turn.role == "agent" and turn.acts:
                before = gold.turns[:at]
                assert held_back(turn.acts, stacked(before), service, before) == turn.acts, (gold.id, at)
