"""Values of a type are found in what people say; whatever they say, nothing breaks."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_row import each_row
from toologue.text.claims import claims, reply_claims
from toologue.text.find import find
from toologue.text.names import owners_said
from toologue.text.tokens import sentences

NOW = datetime(2025, 3, 12, 10, 20)
SAID = [
    line.split("\t")
    for line in (Path(__file__).parent / "said.tsv").read_text("utf-8").split("\n")
    if line and line[0] != "#"
]


def schema_of(kind: str) -> dict[str, Any]:
    """`string`, `string[]`, a format, or the values of an enum."""
    if kind.startswith("["):
        return {"type": "string", "enum": json.loads(kind)}
    if kind.endswith("[]"):
        return {"type": "array", "items": schema_of(kind[:-2])}
    return {"type": "string", "format": kind} if kind in ("date", "time", "date-time", "uri") else {"type": kind}


@each_row(("name", "kind", "description", "said", "value"), SAID)
def test_the_best_is_what_was_meant(name: str, kind: str, description: str, said: str, value: str) -> None:
    found = find(said, schema_of(kind), name=name, description=description, now=NOW)
    assert found[0].value == json.loads(value)
    assert said[found[0].start : found[0].end] == found[0].text


class TestKnownValues:
    PEOPLE: ClassVar = (
        {"username": "bcosta", "name": "Bruna Costa", "email": "bruna@mail.example"},
        {"username": "dee_drums", "name": "Dee Park", "email": "dee@mail.example"},
    )
    USERS: ClassVar = {"type": "array", "items": {"type": "string"}}

    def test_a_name_is_resolved_to_the_field_that_is_asked_for(self) -> None:
        said = "tell Bruna the key is under the mat"
        receiver = find(
            said, {"type": "string"}, name="receiver", description="Username that gets it.", known=self.PEOPLE
        )
        assert receiver[0].value == "bcosta"

    def test_people_in_a_list_too(self) -> None:
        attendees = find(
            "lunch with bruna and dee", self.USERS, name="attendees", description="Usernames", known=self.PEOPLE
        )
        assert attendees[0].value == ["bcosta", "dee_drums"]
        mails = find("write to Dee", self.USERS, name="to", description="E-mail addresses", known=self.PEOPLE)
        assert mails[0].value == ["dee@mail.example"]

    def test_what_is_new_is_never_what_is_known(self) -> None:
        said = "change the email of Bruna to b.costa@new.example"
        assert [one.value for one in find(said, {"type": "string"}, name="new_email", known=self.PEOPLE)] == [
            "b.costa@new.example"
        ]


class TestSchemas:
    def test_only_what_fits_is_found(self) -> None:
        assert [
            one.value for one in find("between 3 and 12 of them", {"type": "integer", "maximum": 10}, name="n")
        ] == [3]
        assert find("call 415 555 0199", {"type": "string", "pattern": "^\\+49"}, name="phone") == []

    def test_any_of_and_references_are_followed(self) -> None:
        schema = {
            "$defs": {"id": {"type": "string", "pattern": "^[A-Z]{2}-"}},
            "anyOf": [{"$ref": "#/$defs/id"}, {"type": "null"}],
        }
        assert find("it is QX-881", schema, name="order_id")[0].value == "QX-881"

    @pytest.mark.parametrize(
        "schema", [None, 7, [], "string", {"type": "object"}, {"$ref": "#"}, {"type": ["null"]}, False]
    )
    def test_what_is_no_schema_of_a_value_finds_nothing(self, schema: Any) -> None:
        assert find("tomorrow at 7, or 12", schema, name="x", now=NOW) == []

    def test_a_password_keeps_its_characters(self) -> None:
        for said in (
            "password: Pa$s.w0rd!",
            "my password is Pa$s.w0rd!",
            "pw is 'Pa$s.w0rd!'.",
            "the password is Pa$s.w0rd!,",
        ):
            assert find(said, {"type": "string"}, name="password")[0].value == "Pa$s.w0rd!", said


class TestOneReading:
    """What several rooms read in a text is the same for all of them."""

    def test_of_sentences(self) -> None:
        said = 'Mail Dr. Koch, e.g. at 7 a.m. today. "Really?" Yes… Buy 1.5 l.'
        assert sentences(said) == ["Mail Dr. Koch, e.g. at 7 a.m. today.", '"Really?"', "Yes…", "Buy 1.5 l."]

    def test_of_email_addresses(self) -> None:
        said = "Write to bo@pipes.example, not to ann@desk."
        found = {one.value for one in find(said, {"type": "string", "format": "email"}, name="to")}
        told = {value for kind, value in claims(said) if kind == "email"}
        assert found == told == {one.text for one in reply_claims(said)} == {"bo@pipes.example"}

    def test_of_whose_id_it_is(self) -> None:
        described = "The UUID of the given home team, the player's key, or ID Game"
        assert [one for one in owners_said(described) if one not in (["the"], ["or"])] == [
            ["home", "team"],
            ["player"],
            ["game"],
        ]


JSON_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
NAMES = st.sampled_from(
    [
        "time",
        "start_time",
        "due_date",
        "password",
        "new_password",
        "username",
        "email",
        "to",
        "phone",
        "code",
        "event_id",
        "task",
        "message",
        "title",
        "query",
        "city",
        "name",
        "attendees",
        "month",
        "count",
        "amount",
        "url",
        "flag",
        "tags",
        "x",
        "status",
    ]
)
DESCRIPTIONS = st.sampled_from(
    ["", "Time, %H:%M", "YYYY-MM-DD HH:MM:SS", "ddd-ddd-dddd", "Unix time", "Usernames", "E-mail addresses"]
)
WORDS = st.sampled_from(
    [
        "remind",
        "me",
        "to",
        "tomorrow",
        "at",
        "7",
        "pm",
        "half",
        "past",
        "two",
        "quarter",
        "from",
        "until",
        "next",
        "friday",
        "march",
        "3",
        "the",
        "14th",
        "in",
        "45",
        "minutes",
        "a",
        "week",
        "ago",
        "my",
        "password",
        "is",
        "x9!k",
        "user",
        "@ann",
        "bob@x.org",
        "+1",
        "(415)",
        "555-0199",
        "code",
        "123456",
        "1a2b-3c4d",
        "called",
        '"Choir"',
        "saying",
        "that",
        "yes",
        "no",
        "3k",
        "$12.50",
        "and",
        "with",
        ",",
        ".",
        "?",
        "!",
        ":",
        ";",
        "'",
        "“",
        "”",
        "\n",
        "00:00",
        "99:99",
        "31/31",
        "2025-02-30",
        "99999999999999999999",
        "years",
        "\x01",
        "İ",
        "ß",
        "今日",
        "�",
        "0630",
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=20).map(" ".join))
LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"type": JSON_TYPES}),
    st.fixed_dictionaries({"enum": st.lists(st.one_of(st.text(max_size=5), st.integers(), st.none()), max_size=3)}),
    st.fixed_dictionaries(
        {"type": st.just("string"), "format": st.sampled_from(["date", "time", "date-time", "email", "uri", "uuid"])}
    ),
    st.fixed_dictionaries({"type": st.just("integer"), "minimum": st.integers(-5, 5), "maximum": st.integers(0, 50)}),
    st.fixed_dictionaries(
        {"type": st.just("string"), "maxLength": st.integers(0, 12), "pattern": st.sampled_from(["^[a-z]+$", "\\d"])}
    ),
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=2)}),
    ),
    max_leaves=4,
)
ROWS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.dictionaries(NAMES, st.one_of(st.text(max_size=12), st.integers(), st.none()), max_size=3),
    ),
    max_size=4,
)


class TestWhateverIsSaid:
    @settings(max_examples=150)
    @given(TEXTS, SCHEMAS, NAMES, DESCRIPTIONS, st.sampled_from([None, NOW]), ROWS)
    def test_values_fit_and_spans_lie_inside(
        self, text: str, schema: Any, name: str, description: str, now: datetime | None, known: list[Any]
    ) -> None:
        found = find(text, schema, name=name, description=description, now=now, known=known)
        validator = jsonschema.Draft202012Validator(schema)
        for one in found:
            assert validator.is_valid(one.value)
            assert 0 <= one.start <= one.end <= len(text)
            assert text[one.start : one.end] == one.text
            assert 0 <= one.score <= 1
        assert found == sorted(found, key=lambda one: -one.score)
        assert found == find(text, schema, name=name, description=description, now=now, known=known)

    @given(
        TEXTS,
        st.recursive(
            st.one_of(st.none(), st.integers(), st.text(max_size=5)),
            lambda x: st.dictionaries(
                st.sampled_from(
                    ["type", "enum", "format", "items", "anyOf", "$ref", "pattern", "minimum", "properties", "const"]
                ),
                x,
                max_size=4,
            ),
        ),
    )
    def test_nothing_raises_whatever_the_schema(self, text: str, schema: Any) -> None:
        find(text, schema, name="start_time", now=NOW)

    @pytest.mark.parametrize(
        "text",
        ["1" * 20000, "at 7 " * 3000, "a.b@" * 4000, '"' * 9000, "(((" * 5000],
        ids=lambda t: t[:5],
    )
    @pytest.mark.parametrize("name", ["start_time", "password", "task", "phone"])
    def test_long_texts_take_no_time(self, text: str, name: str) -> None:
        import time

        began = time.process_time()
        find(text, {"type": "string"}, name=name, now=NOW)
        assert time.process_time() - began < 3


def test_importing_values_is_cheap() -> None:
    code = (
        "import sys, toologue.values; "
        "print(*sorted({'rapidfuzz', 'pydantic', 'toologue.text.time_expressions'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []
    code = "import sys, toologue.text.find; print(*sorted({'rapidfuzz', 'numpy', 'yaml'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []
