"""The contract of worlds: ours keep it, a third party's can be checked in three lines, every law can be broken."""

from __future__ import annotations

import itertools
import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_row import each_row
from toologue.bench.tooltalk import load
from toologue.errors import BadSetting
from toologue.schema import AgentTurn, Api, Call, Case, Dialogue, Fault, Parameter, Result, UserTurn, invocations
from toologue.worlds.assistant import Assistant
from toologue.worlds.contract import acts_for, check_world
from toologue.worlds.recorded import Recorded
from toologue.worlds.store import Change
from toologue.worlds.world import NONE, make_world

NOW = "2025-03-10 09:00:00"


# our worlds --------------------------------------------------------------------------------------------------------


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_the_assistant_keeps_the_contract(seed):
    check_world(lambda: Assistant(user="mreyes", now=NOW, logged_in=True), seed=seed, scripts=2)


@pytest.mark.parametrize("user", ["bakerholm", "rlindqvist", "nobody"])
def test_the_assistant_keeps_it_for_whoever_is_there(user):
    check_world(lambda: Assistant(user=user, now=NOW, logged_in=True), scripts=2)


def test_the_assistant_keeps_it_when_nobody_is_logged_in():
    check_world(lambda: Assistant(now=NOW), scripts=2)


@each_row("dialogue", load(None), ids=lambda dialogue: dialogue.id)
def test_the_worlds_of_the_starter_set_keep_it(dialogue):
    case = Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="forced")
    check_world(lambda: make_world(case), acts=[invocation.act for invocation in invocations(dialogue.turns)])


def test_acts_with_lists_and_objects_as_arguments_keep_it():
    meeting = {"event_type": "meeting", "start_time": "2025-03-12 10:00:00", "end_time": "2025-03-12 11:00:00"}
    acts = [
        Call(
            api="CreateEvent",
            arguments={"name": "Tea", "attendees": ["mreyes"], "location": ["a", {"b": []}], **meeting},
        ),
        Call(api="ModifyEvent", arguments={"event_id": "4d1a8721-0986", "new_attendees": ["mreyes", "rui_m"]}),
        Call(api="QueryCalendar", arguments={"start_time": "2025-03-10 00:00:00", "end_time": "2025-03-30 00:00:00"}),
        Call(api="AddReminder", arguments={"task": {"deep": ["list"]}}),
        Call(api="GetReminders", arguments={}),
        Call(api="SearchInbox", arguments={"query": "boiler rota"}),
        Call(api="SendEmail", arguments={"to": ["a@b.example"], "subject": "s", "body": "b"}),
        Call(api="RegisterUser", arguments={"username": ["no"], "password": "", "email": ""}),
        Call(api="LogoutUser", arguments={}),
        Call(api="RegisterUser", arguments={"username": "a/b~c", "password": "p", "email": "a@b"}),
        Call(api="UpdateAccountInformation", arguments={"password": "p", "new_email": "c@d", "new_phone_number": "1"}),
        Call(api="DeleteAccount", arguments={"password": "p"}),
    ]
    check_world(lambda: Assistant(user="mreyes", now=NOW, logged_in=True), acts)


def test_the_recorded_world_keeps_it():
    acts = [Call(api="Find", arguments={"n": n % 2}) for n in range(4)]
    results = tuple(Result(value={"rows": [{"id": n}]}) for n in range(4))
    gold = Dialogue(id="d", turns=(UserTurn(text="?"), AgentTurn(acts=tuple(acts), results=results)))
    check_world(lambda: Recorded(gold), [*acts, *acts, Call(api="Find", arguments={"n": 7})])
    assert gold.turns[1].results == results


def test_no_world_keeps_it():
    case = Case(id="d", protocol="live")
    check_world(lambda: NONE.make(case), [Call(api="Find")])


# a third party's world ---------------------------------------------------------------------------------------------

TITLE = {
    "title": Parameter(json_schema={"type": "string"}),
    "tags": Parameter(json_schema={"type": "array"}, required=False),
}


class Shelf:
    """A shelf of books with a counter for their numbers."""

    apis = (
        Api(name="AddBook", writes=True, parameters=TITLE),
        Api(name="DropBook", writes=True, parameters={"number": Parameter(json_schema={"type": "integer"})}),
        Api(name="ListBooks"),
    )

    def __init__(self):
        self.books: dict[str, Any] = {}
        self.count = 0

    def do(self, act):
        if act.kind != "call" or act.arguments is None or act.api not in {api.name for api in self.apis}:
            return Result(error=Fault(type="refused", message="this shelf does not do that"))
        return getattr(self, act.api)(act.arguments)

    def AddBook(self, arguments):  # noqa: N802
        if "title" not in arguments:
            return Result(error=Fault(type="refused", message="a book needs a title"))
        self.count += 1
        number = str(self.count)
        self.books[number] = {"title": arguments["title"], "tags": list(arguments.get("tags", []))}
        path = f"book/{number}"
        return Result(value={"number": self.count}, changes={path: self.books[number]}, created=(path,))

    def DropBook(self, arguments):  # noqa: N802
        if self.books.pop(str(arguments.get("number")), None) is None:
            return Result(error=Fault(type="refused", message="there is no such book"))
        return Result(value="gone", changes={f"book/{arguments['number']}": None})

    def ListBooks(self, arguments):  # noqa: N802
        return Result(value=[[number, book] for number, book in self.books.items()])

    def mark(self):
        return deepcopy((self.books, self.count))

    def rewind(self, mark):
        self.books, self.count = deepcopy(mark)

    def diff(self, mark):
        old = mark[0]
        for number in {**old, **self.books}:
            if old.get(number) != self.books.get(number):
                yield Change("book", number, None, old.get(number), self.books.get(number))


ACTS = [
    Call(api="AddBook", arguments={"title": "Emma", "tags": ["old"]}),
    Call(api="AddBook", arguments={}),
    Call(api="ListBooks"),
    Call(api="AddBook", arguments={"title": "Ulysses"}),
    Call(api="DropBook", arguments={"number": 1}),
    Call(api="DropBook", arguments={"number": 1}),
    Call(api="AddBook", arguments={"title": "Emma"}),
    Call(api="ListBooks"),
    Call(api="ListBooks"),
]


def test_a_world_of_ones_own_in_three_lines():
    check_world(Shelf, acts=ACTS)


def test_acts_can_be_made_up_from_the_documents():
    check_world(Shelf)
    acts = acts_for(Shelf, seed=3)
    assert acts == acts_for(Shelf, seed=3)
    assert acts != acts_for(Shelf, seed=4)
    assert {act.api for act in acts} == {"AddBook", "DropBook", "ListBooks"}
    shelf = Shelf()
    done = [shelf.do(act).error is None for act in acts]
    assert sum(done) >= len(acts) / 2
    assert any(act.api == "DropBook" and good for act, good in zip(acts, done, strict=True)), (
        "numbers come from results"
    )


def test_made_up_values_fit_their_schemas():
    schema = {
        "kind": {"enum": ["a", "b"]},
        "many": {"type": "array", "items": {"type": "integer", "minimum": 3, "maximum": 4}},
        "maybe": {"type": ["null", "boolean"]},
        "deep": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"const": 7}, "z": {"default": []}}},
        "any": {},
        "like": {"type": "string", "examples": ["one"]},
    }
    api = Api(name="A", parameters={name: Parameter(json_schema=inner) for name, inner in schema.items()})

    class Blind(Shelf):
        apis = (api,)

        def A(self, arguments):  # noqa: N802
            return Result()

    acts = acts_for(Blind, count=200)
    found = {name: [act.arguments[name] for act in acts if name in act.arguments] for name in schema}
    assert all(150 < len(values) <= 200 for values in found.values())
    assert set(found["kind"]) == {"a", "b"}
    assert {item for many in found["many"] for item in many} == {3, 4}
    assert set(found["maybe"]) == {None, True, False}
    assert all(isinstance(deep["x"], float) and deep["y"] == 7 and deep["z"] == [] for deep in found["deep"])
    assert set(found["like"]) == {"one"}
    assert "\u2028" in "".join(found["any"])


def test_a_world_without_documents_needs_acts():
    case = Case(id="d", protocol="live")
    with pytest.raises(BadSetting, match="documents no Api to make acts from: give `acts`"):
        check_world(lambda: NONE.make(case))


# every law can be broken -------------------------------------------------------------------------------------------

ids = itertools.count()


class SharesACounter(Shelf):
    def AddBook(self, arguments):  # noqa: N802
        self.count = next(ids)
        return super().AddBook(arguments)


class RaisesOnTheUnknown(Shelf):
    def do(self, act):
        return getattr(self, act.api)(act.arguments)


class TakesTheUnparsable(Shelf):
    def do(self, act):
        return super().do(act.replace(arguments=act.arguments or {}))


class FailsAndWrites(Shelf):
    def do(self, act):
        result = super().do(act)
        return result.replace(changes={"log/1": {}}) if act.arguments is None else result


class ReturnsAnything(Shelf):
    def do(self, act):
        result = super().do(act)
        return result if act.arguments is not None else None


class HasNoTables(Shelf):
    def do(self, act):
        result = super().do(act)
        return result.replace(changes={path.replace("/", ""): row for path, row in result.changes.items()}, created=())


class ForgetsToEscape(Shelf):
    def do(self, act):
        result = super().do(act)
        return result.replace(
            changes={path.replace("/", "/~"): row for path, row in result.changes.items()}, created=()
        )


class ShowsThePrivate(Shelf):
    def do(self, act):
        result = super().do(act)
        return result.replace(changes={"_count/now": {"n": self.count}}) if result.changes else result


class CreatesWithoutAChange(Shelf):
    def do(self, act):
        return super().do(act).replace(changes={})


class CreatesWhatIsThere(Shelf):
    def do(self, act):
        result = super().do(act)
        return (
            result.replace(changes={**result.changes, "book/0": {}}, created=("book/0",)) if result.created else result
        )


class ReadsAndWrites(Shelf):
    def ListBooks(self, arguments):  # noqa: N802
        return super().ListBooks(arguments).replace(changes={"log/1": {"read": True}})


class CountsItsReaders(Shelf):
    def ListBooks(self, arguments):  # noqa: N802
        self.count += 1
        return super().ListBooks(arguments)


class ReadsAndSortsOutOfSight(Shelf):
    def ListBooks(self, arguments):  # noqa: N802
        result = super().ListBooks(arguments)
        self.books["lost"] = {"title": "", "tags": []}
        return result


class EatsItsArguments(Shelf):
    def AddBook(self, arguments):  # noqa: N802
        result = super().AddBook(arguments)
        arguments.pop("tags", None)
        return result


class GoesOnWritingResults(Shelf):
    def ListBooks(self, arguments):  # noqa: N802
        return Result.model_construct(value=self.books)


class HandsOutItsRows(Shelf):
    def ListBooks(self, arguments):  # noqa: N802
        return Result.model_construct(value=list(self.books.values()))


class KeepsTheArguments(Shelf):
    def AddBook(self, arguments):  # noqa: N802
        result = super().AddBook(arguments)
        if result.error is None:
            self.books[str(self.count)]["tags"] = arguments.get("tags", [])
        return result


class MarksTheLiving(Shelf):
    def mark(self):
        return self.books, self.count


class SpoilsItsMarks(Shelf):
    def rewind(self, mark):
        self.books, self.count = mark


class ForgetsTheCounter(Shelf):
    def rewind(self, mark):
        self.books = deepcopy(mark[0])


class RewindsOneStep(Shelf):
    """Knows the way back only in the order of its steps."""

    def __init__(self):
        super().__init__()
        self.past: list[Any] = []

    def mark(self):
        self.past.append(super().mark())
        return self.past[-1]

    def rewind(self, mark):
        super().rewind(self.past.pop() if self.past else mark)


class HidesADrop(Shelf):
    def DropBook(self, arguments):  # noqa: N802
        result = super().DropBook(arguments)
        return result.replace(changes={})


class TellsAnotherTitle(Shelf):
    def diff(self, mark):
        for change in super().diff(mark):
            yield change._replace(new=change.new and {**change.new, "title": "?"})


class DiffsNothing(Shelf):
    def diff(self, mark):
        return []


BROKEN = {
    SharesACounter: "law 'sameness': act 0, .*AddBook.*: in an equal world, value was .*, is ",
    RaisesOnTheUnknown: "law 'failure': act 0, .*SuchApi.*: raised AttributeError: .*; give a Result with an error",
    TakesTheUnparsable: r"law 'failure': act 3, \{'ListBooks': None\}: succeeded with \[\]; give",
    FailsAndWrites: r"law 'failure': act 1, \{'AddBook': None\}: changed log/1",
    ReturnsAnything: "law 'failure': act 1, .*: returned NoneType, not a Result",
    HasNoTables: "law 'paths': act 0, .*'book1' is no path `table/row`",
    ForgetsToEscape: "law 'paths': act 3, .*'book/~2' is no path `table/row`",
    ShowsThePrivate: "law 'paths': act 0, .*'_count/now': tables whose names start with _ are private",
    CreatesWithoutAChange: "law 'paths': act 0, .*'book/1' is created but `changes` has no row for it",
    CreatesWhatIsThere: "law 'paths': act 3, .*'book/0' is created but an earlier act wrote it",
    ReadsAndWrites: "law 'reads': act 2, .*ListBooks.*: writes nothing by its document but changed log/1",
    CountsItsReaders: "law 'reads': act 3, .*: when every read is done three times, .*value was .*, is ",
    ReadsAndSortsOutOfSight: "law 'reads': act 2, .*writes nothing by its document but the diff says",
    EatsItsArguments: "law 'integrity': act 0, .*: the act was altered: it is {'AddBook': {'title': 'Emma'}} now",
    GoesOnWritingResults: "law 'integrity': act 3, .*: the result of act 2 was altered: value was",
    HandsOutItsRows: "law 'aliasing': act 8, .*: after earlier results and acts were altered, value was",
    KeepsTheArguments: "law 'aliasing': act 2, .*: after earlier results and acts were altered, value was",
    MarksTheLiving: "law 'rewinding': act .*: rewound to the mark before act .*, .* was",
    SpoilsItsMarks: "law 'rewinding': act .*: rewound to the mark before act",
    ForgetsTheCounter: "law 'rewinding': act .*: rewound to the mark before act",
    RewindsOneStep: "law 'rewinding': act .*: rewound to the mark before act",
    HidesADrop: "law 'difference': act 4, .*: by its changes the row book/1 came, the diff does not say so",
    TellsAnotherTitle: "law 'difference': act 0, .*diff says book/1: .*'title': '\\?'.*, the changes .*Emma",
    DiffsNothing: "law 'difference': act 0, .*: by its changes the row book/1 came, the diff does not say so",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_world_is_told_which_law_it_breaks(broken):
    with pytest.raises(AssertionError, match=BROKEN[broken]):
        check_world(broken, ACTS)


def test_every_law_has_a_world_that_breaks_it():
    from toologue.worlds import contract

    laws = {line.split()[0] for line in contract.__doc__.splitlines() if line.startswith("    ") and "  " in line[5:]}
    broken = {text.split("'")[1] for text in BROKEN.values()}
    assert broken <= laws
    assert broken == {"sameness", "failure", "paths", "reads", "integrity", "aliasing", "rewinding", "difference"}


def test_checking_leaves_the_acts_as_they_were():
    acts = deepcopy(ACTS)
    check_world(Shelf, acts)
    assert json.dumps([act.arguments for act in acts]) == json.dumps([act.arguments for act in ACTS])
