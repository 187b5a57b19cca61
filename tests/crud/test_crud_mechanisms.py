"""What documents write in ways of their own, and what becomes of it; a mechanism serves several vendors, or is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from crud_samples import do, value

from bench.documents import main, rules, without
from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check

TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def says(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def operation(name: str, answer: Any = None, *, path: str = "", query: str = "", body: Any = None) -> dict[str, Any]:
    given = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in path.split()]
    given += [{"name": one, "in": "query", "schema": TEXT} for one in query.split()]
    answers = {"200": {"description": "", **(says(answer) if answer else {})}}
    return {"operationId": name, "parameters": given, "responses": answers} | (
        {"requestBody": says(body)} if body else {}
    )


def document(**paths: dict[str, Any]) -> dict[str, Any]:
    return {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths}


BOOK = thing(id=TEXT, title=TEXT)
BOOKS = {
    "/books": {"get": operation("list_books", {"type": "array", "items": BOOK})},
    "/books/{id}": {"get": operation("get_book", BOOK, path="id")},
}
SEED = {"books": [{"id": "b-1", "title": "Salt"}]}


@pytest.mark.parametrize(
    ("schema", "sent"),
    [(TEXTS, ["a", "the"]), ({"type": "string", "enum": ["on", "off"]}, "off"), ({"type": "integer"}, 7)],
)
def test_a_setting_that_is_one_value_is_kept_whole(schema: dict[str, Any], sent: Any) -> None:
    place = {
        "get": operation("get_words", schema, path="id"),
        "put": operation("put_words", thing(task={"type": "integer"}), path="id", body=schema),
        "delete": operation("reset_words", path="id"),
    }
    simulator = Simulator(document(**BOOKS, **{"/books/{id}/settings/words": place}), SEED)
    world, name = simulator.world(), next(iter(simulator.operations["put_words"].wires.keys() - {"id"}))
    before = value(world, "get_words", id="b-1")
    assert do(world, "put_words", id="b-1", **{name: sent}).error is None
    assert value(world, "get_words", id="b-1") == sent
    assert do(world, "reset_words", id="b-1").error is None
    assert value(world, "get_words", id="b-1") == before
    assert {one.by for one in check(simulator).operations.values()} == {"state"}


@pytest.mark.parametrize("verb", ["rename", "set_title", "update-title"])
def test_an_action_that_sets_changes_the_fields_that_are_sent(verb: str) -> None:
    path = {f"/books/{{id}}/{verb}": {"post": operation("act", BOOK, path="id", body=thing(title=TEXT))}}
    world = Simulator(document(**BOOKS, **path), SEED).world()
    assert value(world, "act", id="b-1", title="Tin") == {"id": "b-1", "title": "Tin"}
    assert value(world, "get_book", id="b-1")["title"] == "Tin"


def test_an_answer_has_what_one_part_requires_and_another_describes() -> None:
    paging = {"type": "object", "required": ["href", "items"], "properties": {"href": TEXT}}
    pages = {"allOf": [paging, thing(items={"type": "array", "items": thing(id=TEXT)})]}
    album = {**thing(id=TEXT, tracks={"allOf": [pages]}), "required": ["id", "tracks"]}
    albums = {"/albums/{id}": {"get": operation("get_album", album, path="id")}}
    found = value(Simulator(document(**albums), {"albums": [{"id": "a-1"}]}).world(), "get_album", id="a-1")
    assert found["tracks"]["items"] == []


def test_the_one_list_beside_plain_values_is_the_rows() -> None:
    answer = thing(members={"type": "array", "items": BOOK}, taken_at={"type": "integer"})
    paths = {**BOOKS, "/books": {"get": operation("list_books", answer)}}
    assert value(Simulator(document(**paths), SEED).world(), "list_books")["members"] == SEED["books"]


def test_of_two_places_of_one_name_the_least_deep_has_it() -> None:
    other = thing(id=TEXT, colour=TEXT, size=TEXT, shelf=TEXT)
    deep = {"/admin/books/{id}": {"get": operation("get_other", other, path="id")}}
    tables = Simulator(document(**deep, **BOOKS)).tables
    assert {name: "title" in table.fields for name, table in tables.items()} == {"books": True, "admin_books": False}


def test_procedures_name_a_row_by_what_most_of_them_ask_for() -> None:
    room = thing(id=TEXT, name=TEXT, is_archived={"type": "boolean"})
    asked = {one: {"post": operation(one, room, query="channel")} for one in ("archive", "unarchive")}
    asked["rename"] = {"post": operation("rename", room, query="channel name")}
    asked["list"] = {"get": operation("list", {"type": "array", "items": room})}
    world = Simulator(
        document(**{f"/rooms.{name}": one for name, one in asked.items()}), {"rooms": [{"id": "r-1"}]}
    ).world()
    assert value(world, "archive", channel="r-1")["is_archived"] is True


def test_what_is_added_below_two_rows_is_read_below_them() -> None:
    pay = thing(id={"type": "integer"}, note=TEXT)
    below = "/users/{user}/accounts/{account}/payments"
    paths = {
        below: {"post": operation("pay", pay, path="user account", body=thing(note=TEXT))},
        f"{below}/{{id}}": {"get": operation("get_payment", pay, path="user account id")},
    }
    assert {one.by for one in check(Simulator(document(**paths))).operations.values()} == {"state"}


def test_a_list_of_items_in_swagger_is_a_choice_and_where_a_type_says_so_a_list() -> None:
    cat = {"items": [thing(id=TEXT, name=TEXT), thing(id=TEXT, lives=TEXT)]}
    answers = {name: {"200": {"description": "", "schema": schema}} for name, schema in {
        "list_cats": {"type": "array", "items": [cat]}, "get_cat": cat,
    }.items()}  # fmt: skip
    asked = [{"name": "id", "in": "path", "required": True, "type": "string"}]
    paths = {
        "/cats": {"get": {"operationId": "list_cats", "responses": answers["list_cats"]}},
        "/cats/{id}": {"get": {"operationId": "get_cat", "parameters": asked, "responses": answers["get_cat"]}},
    }
    world = Simulator({"swagger": "2.0", "paths": paths}, {"cats": [{"id": "c", "name": "Tom"}]}).world()
    assert value(world, "get_cat", id="c") == {"id": "c", "name": "Tom"}
    assert value(world, "list_cats") == [{"id": "c", "name": "Tom"}]


class TestAblation:
    @pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["rule"])
    def test_a_rule_stands_where_it_is_said_to_stand(self, rule: dict[str, str]) -> None:
        module = Path(check.__code__.co_filename).with_name(f"{rule['in']}.py").read_text()
        assert module.count(rule["of"]) == 1
        compile(module.replace(rule["of"], rule["to"]), rule["in"], "exec")

    def test_what_a_rule_is_good_for_is_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        place = {"/books/{id}/words": {
            "get": operation("get", TEXTS, path="id"), "put": operation("put", TEXTS, path="id", body=TEXTS),
        }}  # fmt: skip
        (tmp_path / "books.json").write_text(json.dumps(document(**BOOKS, **place)))
        single = next(rule for rule in rules() if rule["rule"] == "a row has one of something")
        monkeypatch.setattr("bench.documents.rules", lambda: [single])
        assert main([str(tmp_path), "--ablate"]) == 0
        printed = capsys.readouterr().out
        assert "4 of 4 with state" in printed
        assert "-2 operations,  1 documents" in printed

    def test_a_rule_that_is_not_there_any_more_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="stands 0 times"):
            without({"rule": "gone", "in": "check", "of": "no such line", "to": ""}, tmp_path)
