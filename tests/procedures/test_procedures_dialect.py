"""The dialect: what a support lead writes is read, written again as it was, or refused with line and remedy."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from procedure_strategies import procedures

from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.formats.procedure import examine, load, read, write
from toologue.schema import Api, Branch, Limit, Parameter, Procedure, Step
from toologue.schema.jsonl import line_of, parse

REFUND = """\
---
id: refund
client: web shop
issue: I want my money back.
facts:
  most: 200
  day: 2025-03-12
---

# A refund

We refund what was
paid by card.

1. **Ask** for the order number,
   which begins with O.
   Collect `order_id`.
2. **Call** `get_order` with `order_id` and `fields = ["total", "status"]`, giving `order`.
   - If it fails with `not_found`: go to 3.
   - If `order.total > most and
     order.status == "paid"`: go to 6.
   - Otherwise: go to step 4
3. **Ask** for another number, since {order_id} is unknown. Collect `order_id`. Go to 2. At most 2 times, then go to 6.
4. **Say** that {order.total} euros are on their way.
5. **Ask** whether that is all.
   * Yes, so `again = 0`, so `mood = "good"`: go to 7.
   * No, if `order.total < most`: go to 1.
   * No: go to 6.
6. **End**: say that a colleague writes.
7. **End.** Thank the customer.
"""

ORDER_API = Api(
    name="get_order",
    parameters={"order_id": Parameter(), "fields": Parameter(required=False)},
    returns={"type": "object", "properties": {"total": {"type": "number"}, "status": {"type": "string"}}},
)


REFUND_API = Api(
    name="refund",
    parameters={
        "amount": Parameter(schema={"type": "number"}),
        "reason": Parameter(schema={"type": "string", "enum": ["damaged", "late"]}),
    },
    returns={"type": "object", "properties": {"state": {"type": "string", "enum": ["paid", "open"]}}},
)


def complaints(text: str, apis: list[Api] | None = None) -> list[str]:
    return [str(problem) for problem in examine(dedent(text), apis=apis).problems]


class TestReading:
    procedure = read(REFUND)

    def test_front_matter_title_and_context(self) -> None:
        it = self.procedure
        assert (it.id, it.title, it.client, it.issue) == ("refund", "A refund", "web shop", "I want my money back.")
        assert it.context == "We refund what was paid by card."
        assert it.facts == {"most": 200, "day": "2025-03-12"}, "dates are texts, as in JSON"

    def test_a_question_collects(self) -> None:
        step = self.procedure.steps[0]
        assert (step.kind, step.text, step.collects) == (
            "ask",
            "for the order number, which begins with O.",
            ("order_id",),
        )
        assert (step.next, step.line) == (2, 15)

    def test_a_call_has_arguments_a_result_and_branches(self) -> None:
        step = self.procedure.steps[1]
        assert step.arguments == {"order_id": "order_id", "fields": '["total", "status"]'}
        assert (step.api, step.result, step.next) == ("get_order", "order", None)
        assert step.branches == (
            Branch(condition='error.type == "not_found"', target=3),
            Branch(condition='order.total > most and order.status == "paid"', target=6),
            Branch(target=4),
        )
        assert [branch.line for branch in step.branches] == [19, 20, 22]

    def test_a_loop_is_bounded(self) -> None:
        assert self.procedure.steps[2].limit == Limit(times=2, then=6)

    def test_answers_may_set_slots_and_have_conditions(self) -> None:
        yes, no, otherwise = self.procedure.steps[4].branches
        assert (yes.answer, yes.sets, yes.condition) == ("Yes", {"again": "0", "mood": '"good"'}, "")
        assert (no.answer, no.condition, no.target) == ("No", "order.total < most", 1)
        assert (otherwise.answer, otherwise.condition) == ("No", "")

    def test_ends_end(self) -> None:
        assert [step.text for step in self.procedure.steps[5:]] == [
            "say that a colleague writes.",
            "Thank the customer.",
        ]
        assert all(step.leads_to == () for step in self.procedure.steps[5:])

    def test_without_front_matter_the_title_names_it_or_the_file(self, tmp_path: Path) -> None:
        text = "# What's up?\n\n1. **End**: say hello."
        assert read(text).id == "whats-up"
        (tmp_path / "greet.md").write_text(text)
        assert load(tmp_path / "greet.md").id == "greet"

    def test_lines_of_windows_and_a_mark_at_the_start_do_not_matter(self, tmp_path: Path) -> None:
        file = tmp_path / "refund.md"
        file.write_bytes(b"\xef\xbb\xbf" + REFUND.replace("\n", "\r\n").encode())
        assert load(file) == read(REFUND)


def test_the_example_of_the_documentation_compiles() -> None:
    page = (Path(__file__).parents[2] / "docs" / "procedures.md").read_text("utf-8")
    (text,) = re.findall(r"^```markdown\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert read(text).id == "late-parcel"


class TestWriting:
    def test_how_it_reads(self) -> None:
        lines = write(read(REFUND)).splitlines()
        assert lines[:2] == ["---", "id: refund"]
        assert "1. **Ask** for the order number, which begins with O. Collect `order_id`." in lines
        assert '   - If `order.total > most and order.status == "paid"`: go to 6.' in lines
        assert lines[-1] == "7. **End**: Thank the customer."
        assert "Collect `order_id`. Go to 2. At most 2 times, then go to 6." in write(read(REFUND))
        assert '   - Yes, so `again = 0` and `mood = "good"`: go to 7.' in lines

    @given(procedures())
    def test_reading_what_was_written_gives_the_same(self, procedure: Procedure) -> None:
        text = write(procedure)
        assert read(text) == procedure
        assert write(read(text)) == text

    @given(procedures())
    def test_a_procedure_is_a_line_of_a_file(self, procedure: Procedure) -> None:
        assert parse(line_of(procedure), Procedure) == procedure

    @given(st.text(max_size=30), st.text(max_size=20))
    def test_words_come_back_as_they_were_or_are_refused(self, words: str, answer: str) -> None:
        steps = (
            Step(number=1, kind="ask", text=words, branches=(Branch(answer=answer, target=2), Branch(target=2))),
            Step(number=2, kind="end", text="say goodbye"),
        )
        procedure = Procedure(id="p", title="P", issue=words, facts={"said": words}, steps=steps)
        try:
            text = write(procedure)
        except BadSetting:
            return
        again = examine(text).procedure
        assert again == procedure

    @pytest.mark.parametrize("words", ["ask. Go to 7.", "x. Collect `y`.", "x. At most 2 times, then go to 3."])
    def test_words_that_would_be_read_as_jumps_are_refused(self, words: str) -> None:
        step = Step(number=1, kind="end", text=words)
        with pytest.raises(BadSetting, match="step 1 cannot be written"):
            write(Procedure(id="p", title="P", steps=(step,)))

    def test_where_a_step_stands_is_no_part_of_what_it_says(self) -> None:
        moved = read(REFUND.replace("\n\n1.", "\n\n\n\n1."))
        assert moved == read(REFUND)
        assert moved.steps[0].line == read(REFUND).steps[0].line + 2
        assert len({moved.steps[0], read(REFUND).steps[0]}) == 1


def steps(text: str) -> str:
    """A text of steps, given on one line."""
    lines = [f"   {line}" if line.startswith("- ") else line for line in text.split(" / ")]
    return "# T\n\n" + "\n".join(lines)


PROBLEMS = {
    "1. Ask for it.": "3: step 1 begins with 'Ask' (begin with **Ask**, **Say**, **Call** or **End**)",
    "1. **Check** it.": "3: step 1 begins with **Check**",
    "1. **Ask** it. Collect `x`. / 3. **End**: x.": "4: step 3 stands where step 2 should (number the steps",
    "1. **Say** hi. Go to 7. / 2. **End**: x.": "3: step 1 goes to 7, and there is no such step (the steps are 1 to 2)",
    "1. **Say** hi. Go to 2. Go to 2. / 2. **End**: x.": "3: step 1 says 'Go to 2.' and another sentence",
    "1. **Say** hi. Go to 3. / 2. **Say** ho. / 3. **End**: x.": "4: nothing leads to step 2 (go to it from somewhere",
    "1. **Say** hi.": "3: step 1 is the last and no End",
    "1. **Say** hi. Go to 1. / 2. **End**: x.": "3: no way leads from step 1 to an End",
    "1. **End**: x. Go to 1.": "3: step 1 is an End and goes on",
    "1. **Ask** how they are. / 2. **End**: x.": "3: step 1 asks and keeps no answer (Collect `slot`, or list",
    "1. **Say** / 2. **End**: x.": "3: step 1 does not say what to say",
    "1. **Say** go to step 2 now. / 2. **End**: x.": "3: step 1 has 'go to step 2' among its words (",
    "1. **Ask** it. Collect `x`. Be kind. / 2. **End**: x.": "3: step 1 has 'Collect `' among its words (`Collect",
    "1. **Ask** it. / - A so `x = 1`: go to 2. / 2. **End**: x.": "4: a branch of step 1 has no condition that can be",
    "1. **Say** hi. Collect `x`. / 2. **End**: x.": "3: step 1 is no question, and collects something",
    "1. **Say** hi. At most 0 times, then go to 2. / 2. **End**: x.": "3: step 1 may be entered 0 times",
    "1. **End**: x. / text": "4: 'text' belongs to no step (indent it",
    "## More / 1. **End**: x.": "3: a second heading: '## More'",
    "1. **Ask** it. Collect `in`. / 2. **End**: x.": "3: step 1 gives `in`, which is no name",
    "1. **Ask** it. Collect `today`. / 2. **End**: x.": "3: step 1 gives `today`, which is no name",
    "1. **Ask** it. / - A: go to 2. / - Otherwise: go to 2. / - Otherwise: go to 2. / 2. **End**: x.": (
        "6: step 1 has two branches for everything else (keep one)"
    ),
    "1. **Ask** it. / - Otherwise: go to 2. / - A: go to 2. / 2. **End**: x.": "4: step 1 has a branch after Otherwise",
    "1. **Ask** it. / - A: go to 2. / - a: go to 2. / 2. **End**: x.": "5: step 1 has taken 'a' before this branch",
    "1. **Ask** it. / - A: go to 2. / - A, if `now`: go to 2. / 2. **End**: x.": "5: step 1 has taken 'A' before this",
    "1. **Ask** it. Go to 2. / - A: go to 2. / 2. **End**: x.": "3: step 1 has branches and goes on as well",
    "1. **Ask** it. / - If they agree: go to 2. / 2. **End**: x.": "4: a branch of step 1 has no condition that can be",
    "1. **Ask** it. / - Yes / 2. **End**: x.": "4: a branch of step 1 leads nowhere: 'Yes' (end it with `: go to 4.`)",
    "1. **Ask** it. / - A, so `x`: go to 2. / 2. **End**: x.": "4: a branch of step 1 says `x`, which sets nothing",
    "1. **Ask** it. Collect `x`. / - If it fails: go to 2. / 2. **End**: x.": "4: step 1 is no call, and cannot fail",
    "1. **Call** `a`. / - If `now`: go to 2. / 2. **End**: x.": "3: step 1 does not say what happens otherwise",
    "1. **Call** `a`. / - If not found: go to 2. / 2. **End**: x.": "(write If it fails, If it fails with `not_found`",
    "1. **Call** get_order. / 2. **End**: x.": "3: step 1 calls nothing that can be read: 'get_order.' (for example",
    '1. **Call** `a` with `"x"`. / 2. **End**: x.': '(name one: `parameter = "x"`)',
    "1. **Call** `a` with `b = 1` and `b = 2`. / 2. **End**: x.": "3: step 1 gives the parameter `b` twice (keep one)",
    "1. **Call** `a` with `b = go()`. / 2. **End**: x.": "3: step 1: `go()` calls go(): only any(), days_since(), ",
    "1. **Call** `a`. / - If `b ==`: go to 2. / - Otherwise: go to 2. / 2. **End**: x.": "4: step 1: `b ==` is no expr",
    "1. **Say** {. / 2. **End**: x.": "3: step 1: '{.' has a brace without its other half",
    "1. **Call** `a` with `order_id`. / 2. **End**: x.": "3: step 1 needs `order_id`, and nothing gives it",
    "1. **Call** `a`. / - If `b ==`: go to 2. / - Otherwise: go to 9. / 2. **End**: x.": "5: step 1 goes to 9, and",
    "1. **Ask** it. Collect `reason`. / 2. **End**: {raeson}.": (
        "4: step 2 needs `raeson`, and nothing gives it (did you mean `reason`?)"
    ),
}


class TestProblems:
    @pytest.mark.parametrize(("text", "says"), PROBLEMS.items(), ids=PROBLEMS.values())
    def test_each_names_its_line_and_a_remedy(self, text: str, says: str) -> None:
        assert any(says in complaint for complaint in complaints(steps(text))), complaints(steps(text))

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "1: there is no numbered step (write steps: 1. **Ask** for the order number. Collect `order_id`.)"),
            ("Be kind.\n\nAnd quick.", "3: there is no numbered step"),
        ],
    )
    def test_prose_with_no_steps(self, text: str, says: str) -> None:
        assert complaints(text)[0].startswith(says)

    def test_a_value_has_to_be_known_on_every_way(self) -> None:
        text = steps(
            "1. **Ask** whether they have a number. / "
            "- Yes: go to 2. / "
            "- No: go to 3. / "
            "2. **Ask** for it. Collect `number`. / "
            "3. **End**: say that {number} is closed."
        )
        (found,) = complaints(text)
        assert found == "7: step 3 needs `number`, and nothing gives it on the way 1 → 3 (collect it before)"
        assert complaints(text.replace("go to 3.", "go to 2.")) == []

    def test_what_a_failed_call_would_have_given_is_not_known(self) -> None:
        text = steps("1. **Call** `find`, giving `it`. / - If it fails: go to 2. / 2. **End**: say {it.name}.")
        assert complaints(text) == ["5: step 2 needs `it`, and nothing gives it on the way 1 → 2 (collect it before)"]

    def test_a_limit_is_a_way_on_as_well(self) -> None:
        text = steps(
            "1. **Ask** it. Collect `x`. / "
            "2. **Call** `find` with `x`, giving `it`. / "
            "- If it fails: go to 3. / "
            "- Otherwise: go to 4. / "
            "3. **Ask** again. Collect `x`. Go to 2. At most 1 time, then go to 4. / "
            "4. **End**: say {it.name}."
        )
        assert complaints(text) == [
            "8: step 4 needs `it`, and nothing gives it on the way 1 → 2 → 4 (collect it before)"
        ]
        assert "limit that leads to another limit" in complaints(text.replace("then go to 4", "then go to 3"))[0]

    def test_a_fact_stays_what_it_is(self) -> None:
        text = "---\nfacts: {most: 3}\n---\n# T\n1. **Ask** it. Collect `most`.\n2. **End**: x."
        assert complaints(text) == ["5: step 1 gives `most`, which is a fact already (choose another name)"]

    def test_all_are_told_at_once(self) -> None:
        text = steps("1. Ask. / 2. **Call** `a` with `b = go()`. Go to 9. / 3. **End**: {. / more")
        with pytest.raises(BadFile) as caught:
            read(text, file="shop.md")
        assert str(caught.value).startswith("shop.md is no sound procedure, 5 problems:\n  shop.md:3: step 1 begins")
        assert [line.split(": ")[0] for line in str(caught.value).splitlines()[1:]] == [
            f"  shop.md:{number}" for number in (3, 4, 4, 5, 6)
        ]

    @pytest.mark.parametrize(
        ("front", "says"),
        [
            ("id: !!python/object/apply:os.system [true]", "2: the front matter cannot be read: the YAML tag"),
            ("id: [", "the front matter cannot be read"),
            ("facts: [1]", "2: the front matter, facts: expected an object, got [1]"),
            ("client: 7", "2: the front matter, client: expected a text, got 7"),
            ("facts: !!set {a, b}", "2: the front matter cannot be read: the YAML tag"),
            ("cleint: shop", "2: the front matter, cleint: this key is unknown (it may have id, intent, client"),
            ("id: a\nid: b", "3: the front matter cannot be read: this key stands twice"),
            ("- id", "2: the front matter is no list of `name: value`"),
            ("id: a\nexamples:\n  order: []", "4: the front matter, examples.order: "),
        ],
    )
    def test_the_front_matter_is_plain_yaml(self, front: str, says: str) -> None:
        assert any(says in complaint for complaint in complaints(f"---\n{front}\n---\n# T\n1. **End**: x."))

    @given(
        st.lists(st.sampled_from(["id", "facts", ":", " ", "\n", "- ", "{", "}", "[", "1", "!!int", "&a", "*a", "'"]))
    )
    def test_any_front_matter_is_read_or_complained_about(self, parts: list[str]) -> None:
        procedure, problems = examine(f"---\n{''.join(parts)}\n---\n# T\n1. **End**: x.")
        assert problems or (procedure and read(write(procedure)) == procedure)

    def test_front_matter_that_never_ends(self) -> None:
        assert "1: the front matter has no end" in complaints("---\nid: a\n# T\n1. **End**: x.")[0]

    def test_files_that_are_none(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="cannot read"):
            load(tmp_path / "absent.md")
        (tmp_path / "latin.md").write_bytes("1. **End**: für".encode("latin-1"))
        with pytest.raises(BadRecord, match=r"latin.md:1: \$: byte 0xfc is not UTF-8"):
            load(tmp_path / "latin.md")

    @given(st.text(max_size=200))
    def test_any_text_is_read_or_complained_about(self, text: str) -> None:
        examine(text)

    @given(st.lists(st.sampled_from([*REFUND.splitlines(), *PROBLEMS]).map(steps), max_size=25))
    def test_so_are_lines_in_any_order(self, lines: list[str]) -> None:
        procedure, problems = examine("\n".join(lines), apis=[ORDER_API])
        assert procedure is not None or problems


class TestAgainstDocuments:
    def test_calls_are_checked(self) -> None:
        assert complaints(REFUND, [ORDER_API]) == []
        wrong = REFUND.replace("`get_order`", "`get_ordr`")
        assert (
            complaints(wrong, [ORDER_API])[0]
            == "18: step 2 calls `get_ordr`, which no document has (did you mean `get_order`?)"
        )
        assert "there are get_order" in complaints(REFUND.replace("`get_order`", "`xyz`"), [ORDER_API])[0]

    def test_so_are_parameters(self) -> None:
        wrong = REFUND.replace("with `order_id`", "with `oder_id = order_id`")
        assert complaints(wrong, [ORDER_API]) == [
            "18: step 2 calls `get_order` without `order_id` (it is required)",
            "18: step 2 gives `get_order` a parameter `oder_id` that it does not have (did you mean `order_id`?)",
        ]

    def test_and_fields_of_results(self) -> None:
        wrong = REFUND.replace("{order.total}", "{order.totl}")
        assert complaints(wrong, [ORDER_API]) == [
            "24: step 4 looks at `order.totl`, and there is no 'totl' (did you mean `total`?)"
        ]
        loose = ORDER_API.replace(returns={"type": "object"})
        assert complaints(wrong, [loose]) == [], "a document that says nothing of fields rules none out"


@pytest.mark.parametrize(
    ("way", "given", "condition", "said"),
    [
        ("amount > 100", "reason", 'done.state == "paid"', ""),
        (
            'amount > "100"',
            "reason",
            'done.state == "paid"',
            "3: step 1 compares `amount` with '100', which it can never be (it is a number)",
        ),
        (
            "amount > 1",
            'reason = "because"',
            'done.state in ["paid", "open"]',
            "6: step 2 gives `refund` as `reason` 'because', which it does not take (it is one of 'damaged', 'late')",
        ),
        (
            "amount > 1",
            "reason",
            'done.state in ["paid", "lost"]',
            "7: step 2 compares `done.state` with 'lost', which it can never be (it is one of 'paid', 'open')",
        ),
        ("amount > 1", "reason", "done.state == null", ""),
    ],
)
def test_constants_are_held_to_what_documents_say(way: str, given: str, condition: str, said: str) -> None:
    text = f"""\
        # Money
        1. **Ask** how much, and why. Collect `amount` and `reason`.
           - If `{way}`: go to 3.
           - Late: go to 2.
           - Damaged, so `reason = "damaged"`: go to 2.
        2. **Call** `refund` with `amount` and `{given}`, giving `done`.
           - If `{condition}`: go to 3.
           - Otherwise: go to 3.
        3. **End**: say that it is done.
        """
    assert "".join(complaints(text, [REFUND_API])) == said


def test_what_a_branch_gives_is_held_to_the_parameter_that_it_is_for() -> None:
    text = """\
        # Money
        1. **Ask** why. Collect `amount`.
           - It broke, so `reason = "broken"`: go to 2.
           - It came late, so `reason = "late"`: go to 2.
        2. **Call** `refund` with `amount` and `reason`.
        3. **End**: say that it is done.
        """
    what = "3: step 1 gives `reason` 'broken', which it does not take (it is one of 'damaged', 'late')"
    assert complaints(text, [REFUND_API]) == [what]


def test_a_limit_without_a_way_back_is_none() -> None:
    text = """\
        # Money
        1. **Ask** how much. Collect `amount`. Go to 2.
        2. **Ask** again. Collect `amount`. At most 2 times, then go to 3.
        3. **End**: say that it is done.
        """
    (said,) = complaints(text)
    assert (
        said == "3: step 2 has a limit, and nothing leads back to it (go to 2 from a later step, or take the limit out)"
    )
