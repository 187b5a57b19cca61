"""The registered kind of world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crud_samples import LIBRARY, value

from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.schema import Call, Case, Invocation, Result, Setting
from toologue.worlds.crud import CRUD, Simulator, kind_for, simulator_for
from toologue.worlds.world import kind_of, make_world


def setting(**arguments: Any) -> Setting:
    return Setting(name="crud", arguments=arguments)


def case(world: Setting) -> Case:
    return Case(id="c", world=world, protocol="live")


def test_a_dialogue_names_its_service(tmp_path):
    assert kind_of("crud") is CRUD
    document, seed = tmp_path / "library.yaml", tmp_path / "seed.json"
    document.write_text(LIBRARY)
    seed.write_text(json.dumps({"books": {"a": {"title": "x"}}}))
    world = make_world(
        case(setting(document=str(document), seed=str(seed), now="2025-01-02", choice={"only": ["lend"]}))
    )
    assert [api.name for api in world.apis] == ["lend"]
    assert value(world, "lend", book_id="a", reader="r")["since"] == "2025-01-02"


def test_files_are_read_again_when_they_change(tmp_path):
    document, seed = tmp_path / "library.yaml", tmp_path / "seed.json"
    document.write_text(LIBRARY)
    seed.write_text(json.dumps({"books": {"a": {"title": "x"}}}))
    given = setting(document=str(document), seed=str(seed))
    first, key = simulator_for(given), CRUD.data_key(given)
    assert simulator_for(given) is first
    seed.write_text(json.dumps({"books": {"a": {"title": "longer"}}}))
    assert value(simulator_for(given).world(), "get_book", book_id="a")["title"] == "longer"
    assert CRUD.data_key(given) != key


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {},
            BadSetting,
            "the world 'crud', document: this key is missing; it takes document, seed, now, choice",
        ),
        ({"document": 5}, BadSetting, "the world 'crud', document: expected a text, got 5"),
        ({"document": "shop", "sed": "x"}, BadSetting, "the world 'crud', sed: this key is unknown"),
        ({"document": "shop", "choice": {"only": "x"}}, BadSetting, "only: expected a list, got 'x'"),
        ({"document": "shop", "choice": {"only": ["get_ordr"]}}, BadSetting, "fits nothing: did you mean 'get_order'"),
        ({"document": "shop", "now": "noon"}, BadRecord, "'noon' is no moment"),
        ({"document": "../shop"}, BadFile, "cannot read ../shop"),
        ({"document": "shop", "seed": "nowhere.yaml"}, BadFile, "cannot read nowhere.yaml"),
    ],
)
def test_a_setting_that_makes_no_sense(arguments, error, message):
    with pytest.raises(error) as caught:
        kind_for(setting(**arguments))
    assert message in str(caught.value)
    with pytest.raises(error):
        make_world(case(setting(**arguments)))


def test_a_kind_compares_what_the_service_makes_up_with_nothing():
    kind = kind_for(setting(document="shop"))
    assert kind.fields["shipments"]["tracking_number"] == "ignored"
    assert kind.fields["tickets"]["summary"] == "prose"
    assert "status" not in kind.fields["orders"]
    assert tuple(kind.apis) == Simulator("shop").apis


def test_a_list_is_as_good_as_the_expected_one_if_it_holds_all_of_it():
    kind = kind_for(setting(document="shop"))

    def listed(*names: str) -> Invocation:
        call = Call(api="list_orders", arguments={"customer_id": "C-2041"})
        rows: list[Any] = [{"order_id": name} for name in names]
        return Invocation(0, 1, 0, call, Result(value={"orders": rows, "total": len(rows)}))

    assert kind.missing(listed("a", "b"), listed("b")) == []
    (missed,) = kind.missing(listed("a"), listed("a", "b")) or ()
    assert missed.expected == [{"order_id": "b"}]
    assert kind.missing(listed("a"), listed()) is None
