"""Worlds that run programs: over S3, over the assistant, over a service from its OpenAPI document, through one door."""

from __future__ import annotations

import pytest
from shelf import Shelf

from toologue.loop import Session, play
from toologue.schema import AgentTurn, Call, Case, Dialogue, Fault, Program, UserTurn
from toologue.worlds.assistant import Assistant
from toologue.worlds.crud.simulator import Simulator
from toologue.worlds.programs import with_programs


def final(code: str) -> Program:
    return Program(goal="1", status="final", code=code)


class TestAnyWorld:
    def test_a_final_program_is_run(self) -> None:
        world = with_programs(Shelf(), name="shelf")
        result = world.do(final("shelf.write('a', [1])\nreturn shelf.read('a')"))
        assert (result.value, result.changes, result.created) == ([1], {"Row/a": [1]}, ("Row/a",))

    @pytest.mark.parametrize("status", ["drafting", "abandoned"])
    def test_others_are_not(self, status: str) -> None:
        world = with_programs(Shelf(), name="shelf")
        result = world.do(Program(goal="7", status=status, code="shelf.write('a', 1)"))  # type: ignore[arg-type]
        assert result.error == Fault(
            type="NotFinal", message=f"the program of goal 7 is {status}; only a final one runs"
        )
        assert world.rows == {"list": ["kept"]}

    def test_calls_marks_and_what_else_there_is_are_the_worlds(self) -> None:
        inner = Shelf()
        world = with_programs(inner, name="shelf")
        assert world.do(Call(api="read", arguments={"name": "list"})).value == ["kept"]
        assert (world.apis, world.raises) == (inner.apis, inner.raises)
        start = world.mark()
        world.do(final("shelf.take_down('list')"))
        assert inner.rows == {}
        world.rewind(start)
        assert inner.rows == {"list": ["kept"]}
        with pytest.raises(AttributeError):
            _ = world.contents

    def test_an_error_says_its_line_where_the_program_is_at_fault(self) -> None:
        world = with_programs(Shelf(), name="shelf")
        assert world.do(final("x = {}\nreturn x['a']")).error == Fault(type="KeyError", message="'a' (line 2)")
        assert world.do(final("x = (")).error == Fault(
            type="SyntaxError", message="line 1, column 5: '(' was never closed"
        )
        assert world.do(final("raise ChitChat()")).error == Fault(type="ChitChat")
        refused = world.do(final("shelf.read('x')")).error
        assert refused == Fault(
            type="NotThere", message="An error occurred (NotThere) when calling the Read operation: there is no x"
        )

    def test_a_conversation_with_programs(self) -> None:
        """The protocol `recorded`: drafts do nothing, final programs do; relived gold does the same."""
        draft, done = Program(goal="1", status="drafting", code="shelf.write('a', ?1)"), final("shelf.write('a', 1)")
        turns = (
            UserTurn(text="Put it there."), AgentTurn(acts=(draft,)), AgentTurn(text="Put what?"),
            UserTurn(text="A one."), AgentTurn(acts=(done,)), AgentTurn(text="Done."),
        )  # fmt: skip

        class Gold:
            async def act(self, history: tuple[object, ...], brief: object) -> AgentTurn:
                return turns[len(history)]  # type: ignore[return-value]

        world = with_programs(Shelf(), name="shelf")
        gold = Dialogue(id="d", turns=turns)
        lived, stop = play(Case(id="d", gold=gold, protocol="recorded"), Gold(), world)
        assert stop == "done"
        assert lived[1].results == (None,)  # type: ignore[union-attr]
        assert lived[4].results[0].changes == {"Row/a": 1}  # type: ignore[union-attr]
        assert world.rows["a"] == 1

    def test_it_waits_in_a_thread(self) -> None:
        assert Session(with_programs(Shelf(), name="shelf")).blocking


def test_programs_over_the_assistant() -> None:
    world = with_programs(Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True), name="assistant")
    code = """
alarm = assistant.AddAlarm(time="06:30:00")
try:
    assistant.delete_alarm(alarm_id="none")
except assistant.exceptions.APIException as error:
    return [alarm["alarm_id"], error.response["Error"]["Code"]]
"""
    result = world.do(final(code))
    assert (result.value, list(result.changes)) == (["5bff-dd80", "APIException"], ["Alarm/mreyes/5bff-dd80"])


def test_programs_over_a_service_from_its_document() -> None:
    shop = Simulator("shop").world()
    world = with_programs(shop, name="shop")
    result = world.do(final("try:\n    shop.get_order(order_id='O-99999')\nexcept shop.exceptions.not_found as error:\n"
                            "    return error.response['Error']['Message']"))  # fmt: skip
    assert result.value == "there is no order 'O-99999'"


def test_programs_over_s3_find_moments_and_streams() -> None:
    pytest.importorskip("moto", reason="programs over S3 need the extra `programs`")
    from toologue.worlds.s3 import S3, signature

    plain = S3()
    world = with_programs(plain, name="s3")
    code = """
from datetime import datetime, timezone
newest = max(s3.list_objects(Bucket="larkfield-office")["Contents"], key=lambda one: one["LastModified"])
text = s3.get_object(Bucket="larkfield-office", Key=newest["Key"])["Body"].read()
s3.put_object(Bucket="larkfield-scratch", Key="copy", Body=text)
return [newest["LastModified"].year, type(text).__name__, datetime.now(timezone.utc).isoformat()]
"""
    result = world.do(final(code))
    assert (result.value, result.error) == ([2025, "bytes", "2025-06-02T09:00:00+00:00"], None)
    assert list(result.changes) == ["Object/larkfield-scratch/copy"]
    assert signature(world) == signature(plain) != signature(S3())
