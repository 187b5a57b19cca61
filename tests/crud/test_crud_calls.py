"""Documents whose paths name procedures, and what a row has one of."""

from __future__ import annotations

from crud_samples import do, refusal, value
from vendor_documents import ROOMS, SHOPS

from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check


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
