"""Documents whose paths name procedures, what a row has one of, and files that a document takes in."""

from __future__ import annotations

import json
from typing import Any

from crud_samples import do, refusal, value
from vendor_documents import ROOMS, SHOPS

from toologue.schema import Setting
from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check
from toologue.worlds.crud.simulator import CRUD, simulator_for


def test_paths_that_end_in_verbs_are_resources():
    world = Simulator(ROOMS).world()
    made = value(world, "create", name="Attic")
    key = made["room_id"]
    assert value(world, "list") == {"rooms": [made]}
    assert value(world, "info", room_id=key) == made == {"room_id": key, "name": "Attic", "is_archived": False}
    assert value(world, "update", room_id=key, name="Loft")["name"] == "Loft"
    assert value(world, "archive", room_id=key)["is_archived"] is True
    assert refusal(world, "archive", room_id=key) == f"conflict: the room '{key}' is archived already"
    assert value(world, "unarchive", room_id=key)["is_archived"] is False
    assert value(world, "delete", room_id=key) == {"ok": True}
    assert do(world, "info", room_id=key).error.type == "not_found"


def test_what_a_document_says_of_its_writes_is_what_the_world_does():
    declared = {path: {method: dict(part) for method, part in item.items()} for path, item in ROOMS["paths"].items()}
    posted = {path: {"post": next(iter(item.values()))} for path, item in declared.items()}
    made = Simulator({**ROOMS, "paths": posted})
    told = {one.api.name: (one.api.writes, one.api.confirm) for one in made.operations.values()}
    assert told["list"] == told["info"] == (False, False)
    assert told["delete"] == (True, True)
    assert told["create"] == told["update"] == told["archive"] == (True, False)
    assert value(made.world(), "list") == {"rooms": []}
    posted["/rooms.list"]["post"]["x-writes"] = True
    assert Simulator({**ROOMS, "paths": posted}).operations["list"].api.writes


def test_check_says_of_procedures_where_they_stand():
    found = check(Simulator(ROOMS))
    assert found.accepted
    assert {name for name, one in found.operations.items() if one.by != "state"} == {"measure"}
    assert "$.paths['/rooms.measure'].post" in found.operations["measure"].why


def test_what_a_row_has_one_of_is_read_as_it_was_put():
    world = Simulator(SHOPS, {"shops": [{"id": "s-1"}]}).world()
    assert value(world, "get_opening", shop="s-1") == {"days": 0}
    assert do(world, "put_opening", shop="s-1", days=6).error is None
    assert value(world, "get_opening", shop="s-1") == {"days": 6}
    assert "days" not in value(world, "get_shop", shop="s-1")
    assert do(world, "get_opening", shop="s-2").error.type == "not_found"


def test_what_writes_may_answer_something_else():
    world = Simulator(SHOPS, {"shops": [{"id": "s-1"}]}).world()
    assert isinstance(value(world, "open_shop", name="Corner")["task"], int)
    assert [one.get("name") for one in value(world, "list_shops")][1:] == ["Corner"]


def test_check_goes_on_where_no_row_can_be_made_up():
    never = {"type": "string", "pattern": "^(?!)"}
    room = {"type": "object", "required": ["room_id"], "properties": {"room_id": never}}
    paths = dict(ROOMS["paths"])
    paths["/rooms.list"] = {"get": _get("list", {"type": "array", "items": room})}
    paths["/rooms.delete"] = {"post": _get("delete", {}, "room_id")}
    found = check(Simulator({**ROOMS, "paths": {path: paths[path] for path in ("/rooms.list", "/rooms.delete")}}))
    assert found.operations["delete"] == ("none", "there is no row that could be named")


def _get(name: str, schema: dict[str, Any], *asked: str) -> dict[str, Any]:
    answer = {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}
    given = [{"name": one, "in": "query", "schema": {"type": "string"}} for one in asked]
    return {"operationId": name, "parameters": given, "responses": answer}


def test_a_file_that_a_document_takes_in_belongs_to_its_world(tmp_path):
    paths = {"/notes": {"get": _get("list_notes", {"$ref": "notes.yaml#/Notes"})}}
    paths["/notes/{id}"] = {"get": {**_get("get_note", {"$ref": "notes.yaml#/Note"})}}
    paths["/notes/{id}"]["get"]["parameters"] = [{"name": "id", "in": "path", "required": True, "schema": {}}]
    (tmp_path / "api.json").write_text(json.dumps({"openapi": "3.0.3", "paths": paths}))
    setting = Setting(name="crud", arguments={"document": str(tmp_path / "api.json")})
    (tmp_path / "notes.yaml").write_text(_NOTES)
    before, key = simulator_for(setting), CRUD.data_key(setting)
    assert simulator_for(setting) is before
    (tmp_path / "notes.yaml").write_text(_NOTES.replace("text", "words"))
    assert CRUD.data_key(setting) != key
    assert "words" in simulator_for(setting).tables["notes"].fields


_NOTES = """
Notes: {type: array, items: {$ref: '#/Note'}}
Note: {type: object, properties: {id: {type: string}, text: {type: string}}}
"""
