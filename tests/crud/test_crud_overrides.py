"""Overrides, and the registered kind of world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crud_samples import LIBRARY, do, library, refusal, value

from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.schema import Call, Case, Invocation, Result, Setting
from toologue.worlds.crud import CRUD, Refusal, Simulator, View, kind_for, simulator_for
from toologue.worlds.world import kind_of, make_world


def lend_if_free(view: View, arguments: dict[str, Any]) -> Any:
    book = view.get("books", arguments["book_id"])
    if view.find("loans", book_id=book["book_id"], status="open"):
        raise Refusal(423, f"{book['title']} is out.")
    view.change("books", book["book_id"], {"tags": [*book.get("tags", []), "out"]})
    return view.add("loans", {"book_id": book["book_id"], "reader": arguments["reader"]})


def world_of(function, name="lend"):
    return library(overrides={name: function}).world()


def test_an_override_does_what_a_document_cannot_say():
    world = world_of(lend_if_free)
    assert refusal(world, "lend", book_id="B-008", reader="Jon") == "locked: Small Fires is out."
    lent = do(world, "lend", book_id="B-007", reader="Jon")
    assert lent.value["loan_id"] == 41
    assert lent.created == ("loans/41",)
    assert value(world, "get_book", book_id="B-007")["tags"] == ["sea", "out"]
    assert refusal(world, "lend", book_id="B-007", reader="Ada") == "locked: The Salt Road is out."
    assert refusal(world, "lend", book_id="B-1", reader="Ada") == "not_found: there is no book 'B-1'"
    assert refusal(world, "lend", book_id="B-009") == "invalid: reader is missing"


def test_what_it_wrote_before_a_refusal_is_undone():
    def wavering(view: View, arguments: dict[str, Any]) -> Any:
        view.remove("books", "B-009")
        view.add("loans", {"book_id": "B-009", "reader": "x"})

    assert refusal(world_of(wavering), "lend", book_id="B-007", reader="x") == (
        "invalid: book_id: there is no book 'B-009'"
    )


def failing(view: View, arguments: dict[str, Any]) -> Any:
    view.remove("books", "B-009")
    raise KeyError("boom")


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (failing, KeyError, "boom"),
        (lambda view, arguments: object(), BadSetting, "the override of lend gives what is no JSON"),
        (lambda view, arguments: float("nan"), BadSetting, "the override of lend gives what is no JSON"),
        (lambda view, arguments: view.get("boks", "x"), UnknownName, "no table is called 'boks'; did you mean 'books'"),
        (lambda view, arguments: view.find("books", name="x"), UnknownName, "no field of books is called 'name'"),
        (lambda view, arguments: Refusal(200, "fine"), ValueError, "from 400 to 599, not 200"),
    ],
)
def test_what_its_author_did_wrong_is_raised_and_nothing_it_wrote_stays(function, error, message):
    world = world_of(function)
    with pytest.raises(error, match=message):
        do(world, "lend", book_id="B-007", reader="x")
    assert world.diff() == []


def test_rows_are_copies():
    def careless(view: View, arguments: dict[str, Any]) -> Any:
        book = view.get("books", "B-007")
        book["tags"].append("scribble")
        arguments["reader"] = "nobody"
        return book

    world, call = world_of(careless), Call(api="lend", arguments={"book_id": "B-007", "reader": "Ada"})
    result = world.do(call)
    assert result.value["tags"] == ["sea", "scribble"]
    result.value["tags"].clear()
    assert world.rows("books")["B-007"]["tags"] == ["sea"]
    assert call.arguments == {"book_id": "B-007", "reader": "Ada"}


def test_one_that_only_reads_may_not_write():
    with pytest.raises(BadSetting, match="get_book only reads, and its override writes to books/B-007"):
        do(world_of(lambda view, arguments: view.remove("books", "B-007"), "get_book"), "get_book", book_id="B-007")


def test_names_must_be_operations():
    with pytest.raises(UnknownName, match="no operation of <document> is called 'lent'; did you mean 'lend'"):
        library(overrides={"lent": lend_if_free})
    with pytest.raises(UnknownName, match="is called 'get_bok'; did you mean 'get_book'"):
        library(only=["get_bok"])


def test_an_operation_nobody_could_guess_may_be_overridden():
    odd = LIBRARY.replace("/loans/{loan_id}/close:", "/loans/{loan_id}/frobnicate:")
    world = library(odd, overrides={"close_loan": lambda view, arguments: view.get("loans", 40)["reader"]}).world()
    assert value(world, "close_loan", loan_id=1) == "Maren"


# the kind ----------------------------------------------------------------------------------------------------------


def setting(**arguments: Any) -> Setting:
    return Setting(name="crud", arguments=arguments)


def case(world: Setting) -> Case:
    return Case(id="c", world=world, protocol="live")


def test_a_dialogue_names_its_service(tmp_path):
    assert kind_of("crud") is CRUD
    document, seed = tmp_path / "library.yaml", tmp_path / "seed.json"
    document.write_text(LIBRARY)
    seed.write_text(json.dumps({"books": {"a": {"title": "x"}}}))
    world = make_world(case(setting(document=str(document), seed=str(seed), now="2025-01-02", only=["lend"])))
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
            "the world 'crud', document: this key is missing; it takes document, seed, now, only",
        ),
        ({"document": 5}, BadSetting, "the world 'crud', document: expected a text, got 5"),
        ({"document": "shop", "sed": "x"}, BadSetting, "the world 'crud', sed: this key is unknown"),
        ({"document": "shop", "only": "get_order"}, BadSetting, "only: expected a list, got 'get_order'"),
        ({"document": "shop", "only": ["get_ordr"]}, UnknownName, "is called 'get_ordr'; did you mean 'get_order'"),
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
