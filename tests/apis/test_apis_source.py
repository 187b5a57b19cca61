"""Documents as files hold them: what YAML means, what is refused, and where the complaint points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.data import path_text, read_source, read_text
from toologue.errors import BadFile, BadRecord

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Cn", "Co", "Zl", "Zp"]), max_size=6)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc_-./{} :#é", max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


class TestYaml:
    def test_means_what_json_people_expect(self) -> None:
        text = (
            "country: NO\nzip: 01234\nat: 12:30:00\non: 2025-03-12\nphone: +47 1\nhex: 0x1F\nkeys: {200: ok, yes: no}"
        )
        assert read_text(text).data == {
            "country": "NO",
            "zip": "01234",
            "at": "12:30:00",
            "on": "2025-03-12",
            "phone": "+47 1",
            "hex": "0x1F",
            "keys": {"200": "ok", "yes": "no"},
        }

    def test_knows_numbers_booleans_and_null(self) -> None:
        text = "all: [1, -2, 0.5, 1e3, true, False, null, ~, '1', \"true\", -0, 1., .5]\nnothing:\n"
        found = read_text(text).data
        assert found["all"] == [1, -2, 0.5, 1000.0, True, False, None, None, "1", "true", 0, "1.", ".5"]
        assert found["nothing"] is None

    def test_shares_what_has_an_anchor(self) -> None:
        assert read_text("a: &it {n: 1}\nb: [*it, *it]").data == {"a": {"n": 1}, "b": [{"n": 1}, {"n": 1}]}

    @given(values)
    def test_holds_all_of_json(self, value: object) -> None:
        text = json.dumps(value, ensure_ascii=False)
        assert read_text(text, "it.json").data == value
        assert read_text(f"it: {text}", "it.yaml").data == {"it": value}


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: !!python/object:os.system [x]", r"doc.yaml:1: $.a: the YAML tag 'tag:yaml.org,2002:python/object:os"),
            ("a:\n  b: !Secret x", "doc.yaml:2: $.a.b: the YAML tag '!Secret'"),
            ("a: !!timestamp 2025-01-01", "the YAML tag 'tag:yaml.org,2002:timestamp'"),
            ("paths:\n  /x: 1\n  /x: 2", "doc.yaml:3: $.paths['/x']: this key stands twice"),
            ("a: &it [*it]", "the alias *it leads nowhere, or into itself"),
            ("a: [1", "$: this is no YAML: did not find expected"),
            ("a: 1\n--- \nb: 2", "there is more than one YAML document"),
            ("? [1, 2]\n: 3", "a key that is no text"),
            ("a: 1e999", "$.a: 1e999 is no finite number"),
            ("a: \x07", "this is no YAML"),
            ("a: " + "9" * 5000, "$.a: a number of 5,000 digits (at most 4,300 are read"),
        ],
        ids=range(11),
    )
    def test_of_yaml_say_where_and_why(self, text: str, message: str) -> None:
        with pytest.raises(BadRecord) as caught:
            read_text(text, "doc.yaml")
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"a": 1,}', "doc.json:1: $: this is no JSON"),
            ('{"a": 1,\n"a": 2}', "doc.json:2: $.a: this key stands twice"),
            ('{"a": %s}' % ("9" * 5000), "a number of 5,000 digits (at most 4,300 are read"),
            ('{"a": NaN}', "NaN is no finite number"),
            ('{"a": 1e999}', "1e999 is no finite number"),
            ('{"a": "\\ud800"}', "half a character"),
        ],
    )
    def test_of_json_too(self, text: str, message: str) -> None:
        with pytest.raises(BadRecord) as caught:
            read_text(text, "doc.json")
        assert message in str(caught.value)

    @pytest.mark.parametrize("text", ["[" * 50_000, "{a: " * 50_000, "- " * 50_000, '{"a":' * 300 + "1" + "}" * 300])
    def test_deep_nesting_ends_no_process(self, text: str) -> None:
        with pytest.raises((BadFile, BadRecord)):
            read_text(text)

    def test_a_few_lines_cannot_become_millions_of_values(self) -> None:
        steps = "\n".join(
            f"{a}: &{a} [{', '.join([f'*{b}'] * 10)}]" for b, a in zip("abcdefgh", "bcdefghi", strict=True)
        )
        with pytest.raises(BadRecord, match="more than 5,000,000 values up to here, aliases included"):
            read_text(f"a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n{steps}")

    def test_files(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match=r"cannot read .*nowhere.yaml: No such file"):
            read_source(tmp_path / "nowhere.yaml")
        latin = tmp_path / "latin.yaml"
        latin.write_bytes("a: 1\nname: Solvår".encode("latin-1"))
        with pytest.raises(BadRecord, match=r"latin.yaml:2: \$: byte 0xe5 is not UTF-8 \(save it as UTF-8\)"):
            read_source(latin)
        wide = tmp_path / "wide.json"
        wide.write_text('{"a": 1}', "utf-16")
        with pytest.raises(BadRecord, match="is not UTF-8"):
            read_source(wide)
        marked = tmp_path / "marked.json"
        marked.write_bytes(b'\xef\xbb\xbf{"a": 1}')
        assert read_source(marked).data == {"a": 1}

    def test_a_huge_file_is_refused_before_it_is_read(self, tmp_path: Path) -> None:
        huge = tmp_path / "huge.yaml"
        with huge.open("wb") as stream:
            stream.truncate(65 * 2**20)
        with pytest.raises(BadFile, match="larger than 64 MiB"):
            read_source(huge)


class TestPlaces:
    def test_are_json_paths(self) -> None:
        assert path_text(()) == "$"
        assert path_text(("paths", "/orders/{id}", "get", "tags", 0)) == "$.paths['/orders/{id}'].get.tags[0]"
        assert path_text(("$ref", "x-action")) == "$.$ref.x-action"

    @pytest.mark.parametrize(
        ("text", "line"),
        [("a:\n  b:\n    - 1\n    - {c: 2}\n", 4), ('{"a":\n {"b": [1,\n\n {"c": 2}]}}', 4)],
        ids=["yaml", "json"],
    )
    def test_have_lines(self, text: str, line: int) -> None:
        source = read_text(text, "x")
        assert source.bad(("a", "b", 1, "c"), "wrong").line == line
        assert source.bad(("a", "b", 1, "missing"), "wrong").line == line, "the nearest thing around"
        assert source.bad(("nothing",), "wrong").line == 0
