"""The store: against a plain dict of dicts that is copied whole for every mark."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from toologue.worlds.store import Change, Store, diff, path_of, split_path

BASE = {
    "alarm/ann": {"a1": {"time": 7}, "a2": {"time": 8}, "a3": {"time": 9}},
    "alarm/bob": {},
    "user": {"ann": {"tags": ["x"]}, "a/b~c": {"tags": []}},
}
tables = st.sampled_from(["alarm/ann", "alarm/bob", "new", "_session"])
rows = st.sampled_from(["a1", "a2", "a/b~c"])  # few, so that they meet again
values = st.fixed_dictionaries({"time": st.integers(0, 3)})


class StoreAgainstDicts(RuleBasedStateMachine):
    """Whatever is done, in whatever order, the store answers as dicts would."""

    def __init__(self):
        super().__init__()
        self.base = deepcopy(BASE)
        self.store = Store(self.base)
        self.model = deepcopy(BASE)
        self.taken = deepcopy(BASE)
        self.written: list[tuple[str, str]] = []
        self.marks = []

    @rule(table=tables, row=rows, value=values)
    def put(self, table, row, value):
        self.store.put(table, row, value)
        self.model.setdefault(table, {})[row] = value
        self.written.append((table, row))

    @rule(table=tables, row=rows)
    def delete(self, table, row):
        self.store.delete(table, row)
        if self.model.get(table, {}).pop(row, None) is not None:
            self.written.append((table, row))

    @rule(table=tables)
    def touch(self, table):
        self.store.touch(table)
        self.model.setdefault(table, {})

    @rule()
    def mark(self):
        self.marks.append((self.store.mark(), deepcopy(self.model)))

    @precondition(lambda self: self.marks)
    @rule(data=st.data())
    def rewind(self, data):
        mark, model = data.draw(st.sampled_from(self.marks))
        self.store.rewind(mark)
        self.model, self.taken, self.written = deepcopy(model), deepcopy(model), []

    @rule()
    def take(self):
        changes, created = self.store.take()
        public = [(table, row) for table, row in self.written if not table.startswith("_")]
        now = {place: self.model.get(place[0], {}).get(place[1]) for place in public}
        before = {place: self.taken.get(place[0], {}).get(place[1]) for place in public}
        assert changes == {path_of(*p): now[p] for p in public if now[p] is not None or before[p] is not None}
        assert set(created) == {path_of(*p) for p in public if now[p] is not None and before[p] is None}
        assert len(created) == len(set(created))
        self.taken, self.written = deepcopy(self.model), []

    @invariant()
    def answers_as_dicts_do(self):
        assert list(self.store.tables()) == list(self.model)
        for table, model in self.model.items():
            assert self.store.exists(table)
            assert list(self.store.rows(table).items()) == list(model.items())
        assert self.store.state() == {name: model for name, model in self.model.items() if not name.startswith("_")}

    @invariant()
    def finds_what_is_there_and_nothing_else(self):
        for table in ("alarm/ann", "alarm/bob", "new", "_session", "nowhere"):
            assert self.store.exists(table) == (table in self.model)
            for row in ("a1", "a2", "a3", "a/b~c", ""):
                assert self.store.get(table, row) == self.model.get(table, {}).get(row)

    def teardown(self):
        assert self.base == BASE


TestStoreAgainstDicts = StoreAgainstDicts.TestCase
TestStoreAgainstDicts.settings = settings(max_examples=60, stateful_step_count=30)


def test_tables_are_found_by_the_beginning_of_their_names():
    store = Store(BASE)
    store.put("alarm/eve", "a1", {})
    assert list(store.tables("alarm/")) == ["alarm/ann", "alarm/bob", "alarm/eve"]


def test_a_row_that_left_and_came_back_is_the_last_one():
    store = Store(BASE)
    store.delete("alarm/ann", "a1")
    store.put("alarm/ann", "a1", {"time": 7})
    assert list(store.rows("alarm/ann")) == ["a2", "a3", "a1"]


def test_a_row_replaced_within_one_act_was_not_created():
    store = Store(BASE)
    store.delete("alarm/ann", "a1")
    store.put("alarm/ann", "a1", {"time": 6})
    assert store.take() == ({"alarm/ann/a1": {"time": 6}}, ())
    store.put("alarm/ann", "new", {"time": 6})
    store.delete("alarm/ann", "new")
    assert store.take() == ({}, ())


def test_removing_what_is_not_there_is_no_change():
    store = Store(BASE)
    store.delete("alarm/ann", "nobody")
    store.delete("nowhere", "nobody")
    assert store.take() == ({}, ())
    assert not store.exists("nowhere")


def test_private_tables_rewind_but_never_show():
    store = Store({})
    start = store.mark()
    store.put("_draws", "AddAlarm", {"count": 1})
    assert store.take() == ({}, ())
    assert store.state() == {}
    assert store.get("_draws", "AddAlarm") == {"count": 1}
    store.rewind(start)
    assert store.get("_draws", "AddAlarm") is None


def test_rewinding_forgets_what_was_not_taken():
    store = Store(BASE)
    start = store.mark()
    store.put("user", "eve", {})
    store.rewind(start)
    assert store.take() == ({}, ())


def test_the_past_can_be_looked_at():
    store = Store(BASE)
    start = store.mark()
    store.put("alarm/ann", "a1", {"time": 6})
    store.delete("alarm/ann", "a2")
    store.put("user", "eve", {"tags": []})
    assert store.state(start) == BASE
    assert diff(store.state(start), store.state()) == [
        Change("alarm/ann", "a1", "time", 7, 6),
        Change("alarm/ann", "a2", None, {"time": 8}, None),
        Change("user", "eve", None, None, {"tags": []}),
    ]
    assert diff(store.state(), store.state()) == []


@given(st.text(min_size=1), st.text())
def test_paths_name_tables_and_rows(table, row):
    assert split_path(path_of(table, row)) == (table, row)


@pytest.mark.parametrize(
    ("table", "row", "path"),
    [
        ("alarm/ann", "a1", "alarm/ann/a1"),
        ("user", "a/b", "user/a~1b"),
        ("user", "~1", "user/~01"),
        ("user", 5, "user/5"),
    ],
)
def test_slashes_and_tildes_of_rows_are_escaped(table, row, path):
    assert path_of(table, row) == path
