"""The text of a program: placeholders, and what the static check says before anything runs."""

from __future__ import annotations

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.sandbox.program import check, parse
from toologue.schema import Api, Parameter
from toologue.worlds.s3 import S3

APIS = [
    Api(name="get_object", parameters={"Bucket": Parameter(), "Key": Parameter()}),
    Api(name="list_objects", parameters={"Bucket": Parameter(), "Prefix": Parameter(required=False)}),
    Api(name="AddAlarm", parameters={"time": Parameter()}),
]


def said(code: str, **options: object) -> list[str]:
    """What is wrong with a program."""
    return [str(one) for one in check(parse(textwrap.dedent(code)), APIS, "s3", **options)]  # type: ignore[arg-type]


class TestPlaceholders:
    def test_stand_for_values_and_for_statements(self) -> None:
        parsed = parse("rows = s3.list_objects(Bucket=?2)\nfor row in rows:\n    ?1\nreturn ?2")
        assert parsed.placeholders == ((2, 1, 31), (1, 3, 5), (2, 4, 8))
        assert parsed.numbers == (2, 1)
        assert parsed.problems == ()

    def test_columns_count_characters(self) -> None:
        (one,) = parse("größe = 'ü' + ?12").placeholders
        assert one == (12, 1, 15)

    @pytest.mark.parametrize("code", ["x = 'why ?1'", "# ?1", 'x = """\n?1\n"""', "x = 'it\\'s ?1'", "x = '{?1}'"])
    def test_in_texts_and_comments_are_text(self, code: str) -> None:
        assert parse(code).placeholders == ()

    def test_in_the_braces_of_an_f_string_are_none(self) -> None:
        assert parse("x = f'{?1}/report_{?2}.txt ?3'").numbers == (1, 2)

    def test_are_fine_in_a_draft(self) -> None:
        assert said("return ?1", draft=True) == []
        assert said("return ?1") == ["line 1, column 8: the placeholder ?1 is not filled in"]


class TestCheck:
    @pytest.mark.parametrize(
        ("code", "problem"),
        [
            ("s3.get_objects(Bucket='b')", "1, column 1: s3 has no method 'get_objects'; did you mean 'get_object'?"),
            ("s3.list_objects(Bucket='b', Prefx='a')",
             "1, column 29: list_objects has no parameter 'Prefx'; did you mean 'Prefix'?"),
            ("x = 1\nreturn s3.get_object(Bucket='b')", "2, column 8: get_object needs 'Key'"),
            ("s3.get_object('b', 'k', 'l')", "1, column 1: get_object takes at most 2 arguments, got 3"),
            ("s3.get_object('b', Bucket='k', Key='l')", "1, column 20: get_object gets 'Bucket' twice"),
            ("rows = []\nreturn row", "2, column 8: the name 'row' is not defined; did you mean 'rows'?"),
            ("import os", "1, column 1: a program may not import 'os'"),
            ("from . import x", "1, column 1: a program may not import '.'"),
            ("return open('x')", "1, column 8: the name 'open' is not defined"),
            ("try:\n    x = 1\nexcept NoSuchThing:\n    pass", "3, column 8: the name 'NoSuchThing' is not defined"),
            ("x = (1,\nreturn x", "1, column 5: '(' was never closed"),
            ("if True:\nreturn 1", "2, column 1: expected an indented block after 'if' statement on line 1"),
            ("a\0b", "1, column 1: "),
        ],
    )  # fmt: skip
    def test_says_what_and_where(self, code: str, problem: str) -> None:
        (found,) = said(code)
        assert found.startswith(f"line {problem}")

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ("cents=0, reason='lost'", "takes for 'cents' an integer; at least 1, not 0"),
            ("cents='5', reason='lost'", "takes for 'cents' an integer; at least 1, not '5'"),
            ("cents=5, reason='lsot'", """takes for 'reason' one of "lost", "broken", not 'lsot'"""),
            ("cents=5, reason=None", ""),
            ("cents=2 + 3, reason=why", ""),
            ("cents=?1, reason='lost'", ""),
        ],
    )  # fmt: skip
    def test_literals_fit_the_documents(self, given: str, problem: str) -> None:
        cents = Parameter(json_schema={"type": "integer", "minimum": 1})
        reason = Parameter(json_schema={"enum": ["lost", "broken"]}, required=False)
        refund = Api(name="refund", parameters={"cents": cents, "reason": reason})
        found = check(parse(f"why = str(7)\nshop.refund({given})"), [refund], "shop", draft=True)
        assert [one.what.removeprefix("refund ") for one in found] == [problem] * bool(problem)

    @pytest.mark.parametrize(
        "code",
        [
            "return s3.GetObject('b', Key='k')['Body'].read()",
            "s3.add_alarm(time=1)\ns3.AddAlarm(time=2)",
            "s3.get_object(**{'Bucket': 'b', 'Key': 'k'})",
            "given = ['b']\ns3.get_object(*given)",
            "raise OutOfScopeRequestError()",
            "try:\n    s3.list_objects('b')\nexcept ClientError as error:\n    return str(error)",
            "try:\n    s3.list_objects('b')\nexcept s3.exceptions.Whatever:\n    pass",
            "from datetime import datetime as day\nimport urllib.parse\nreturn day.now(), urllib.parse.quote('a')",
            "def f(a, *b, c=1, **d):\n    return [a, b, c, d, (lambda e: e)(a)]\nreturn f(1)",
            "x = [y for z in [[1]] for y in z if (q := y)]\nreturn x, q",
            "match [1, {'a': 2}]:\n    case [a, {'a': b, **c}] | [a, *b, c]:\n        return a, b, c",
            "with s3 as t:\n    for i, (j, k) in []:\n        del i\nreturn __name__ if False else None",
            "global g\ng = 1\nreturn g",
        ],
    )
    def test_says_nothing_where_nothing_is_wrong(self, code: str) -> None:
        assert said(code) == []

    def test_names_that_the_caller_knows(self) -> None:
        code = "try:\n    x = 1\nexcept NoSuchKey:\n    pass"
        assert said(code) == ["line 3, column 8: the name 'NoSuchKey' is not defined"]
        assert said(code, names=S3.raises) == []

    def test_all_problems_in_the_order_of_the_text(self) -> None:
        found = said("return a\nreturn ?1\ns3.no()\nimport sys")
        assert [one.split(",")[0] for one in found] == ["line 1", "line 2", "line 3", "line 4"]

    @pytest.mark.parametrize("piece", ["\\'''\n", '\\"', "'\\", "?1,", "'?1'"])
    def test_reading_takes_as_long_as_the_text_is(self, piece: str) -> None:
        def seconds(times: int) -> float:
            begun = time.process_time()
            parse(piece * times)
            return time.process_time() - begun

        small, large = (min(seconds(times) for _ in range(3)) for times in (1000, 16_000))
        assert large < 16 * 3 * max(small, 0.001)

    @pytest.mark.parametrize("code", ["x = ?" + "1" * 5000, "x = ʔ፩", "x = ?²"])
    def test_what_is_no_number_is_no_placeholder(self, code: str) -> None:
        assert parse(code).numbers == ()

    def test_columns_beside_a_question_mark_that_is_text(self) -> None:
        assert said("f('?', ?1)") == [
            "line 1, column 1: the name 'f' is not defined",
            "line 1, column 8: the placeholder ?1 is not filled in",
        ]

    @given(st.text(alphabet="abs3.get_object(Bucket='?1)[]{}:=\n \\\"#fü\t", max_size=60))
    def test_any_text_is_read_and_checked(self, code: str) -> None:
        parsed = parse(code)
        lines = code.count("\n") + code.count("\r") + 1
        for problem in check(parsed, APIS, "s3"):
            assert 1 <= problem.line <= lines + 1
            assert problem.column >= 1
            assert problem.what
