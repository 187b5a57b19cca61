"""Prose becomes the dialect through a model: what it is told, what is read from its answers, how it mends them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toologue.errors import BadSetting
from toologue.formats.procedure import read
from toologue.models.model import ModelFault, ScriptedModel
from toologue.plan.procedures.by_model import Rewritten, parse_reply, prompt_text, rewrite
from toologue.plan.procedures.lint_procedure import lint
from toologue.schema import Api, Parameter

PROSE = "First get the order number. Look the order up. If it is lost, refund it, otherwise say that it is coming."
FIND = Api(
    name="find_order",
    description="Look up an order.",
    parameters={"number": Parameter(), "year": Parameter(required=False)},
    returns={
        "properties": {
            "status": {"enum": ["lost", "sent"]},
            "parcel": {"type": "object", "properties": {"weight": {"type": "number"}}},
        }
    },
)
GOOD = """# Lost order

1. **Ask** for the order number. Collect `number`.
2. **Call** `find_order` with `number`, giving `order`.
   - If `order.status == "lost"`: go to 3.
   - Otherwise: go to 4.
3. **End**: say that a refund follows.
4. **End**: say that it is coming.
"""


def run(model: ScriptedModel, **options: Any) -> Rewritten:
    return asyncio.run(rewrite(PROSE, model, apis=[FIND], **options))


class TestPrompt:
    def test_holds_the_dialect_the_documents_and_the_prose(self) -> None:
        text = prompt_text(PROSE, [FIND])
        assert "**Ask**" in text
        assert "days_since(date)" in text
        assert text.rstrip().endswith(PROSE)
        assert "- `find_order` with `number` (may be given: `year`): Look up an order." in text
        assert "Gives status (lost | sent), parcel.weight." in text

    def test_prose_that_looks_like_a_slot_stays_as_it_is(self) -> None:
        assert prompt_text("Say <apis> to <procedure>.").rstrip().endswith("Say <apis> to <procedure>.")

    def test_without_documents_the_model_names_its_own(self) -> None:
        assert "nothing is listed" in prompt_text(PROSE)

    def test_its_example_is_the_dialect(self) -> None:
        """So that it teaches nothing that is refused; and the parser of replies finds it."""
        text = parse_reply(prompt_text(""))
        assert len(read(text).steps) == 7
        assert lint(text) == []


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```\n{GOOD}```",
        f"Here it is:\n\n```markdown\n{GOOD}```\nI hope that this helps.",
        f"Sure!\n\n{GOOD}",
        f"```md\n{GOOD}",
        f"~ \n---\nid: x\n---\n{GOOD}",
    ],
    ids=["plain", "fenced", "with words around", "words before", "fence left open", "front matter"],
)
def test_the_parser_takes_what_models_write(reply: str) -> None:
    assert read(parse_reply(reply)).steps == read(GOOD).steps


class TestMending:
    def test_a_sound_answer_is_taken_at_once(self) -> None:
        model = ScriptedModel([GOOD])
        made = run(model)
        assert made.procedure == read(GOOD)
        assert (made.problems, made.findings, len(model.asked)) == (((),), (), 1)

    def test_problems_are_fed_back_until_there_are_none(self) -> None:
        model = ScriptedModel(["I cannot do that.", GOOD.replace("`find_order`", "`find_ordr`"), GOOD])
        made = run(model)
        assert made.procedure == read(GOOD)
        assert [len(problems) for problems in made.problems] == [1, 1, 0]
        last = model.asked[2].messages
        assert [message["role"] for message in last] == ["user", "assistant", "user", "assistant", "user"]
        assert "- line 2: there is no numbered step" in last[2]["content"]
        assert (
            "- line 4: step 2 calls `find_ordr`, which no document has (did you mean `find_order`?)"
            in last[4]["content"]
        )

    def test_so_are_findings_of_the_lint(self) -> None:
        vague = GOOD.replace("a refund follows", "a refund follows shortly")
        model = ScriptedModel([vague, GOOD])
        assert run(model).findings == ()
        assert "- line 7: 'shortly' is a missing datum: name it" in model.asked[1].messages[-1]["content"]

    def test_what_is_sound_is_taken_in_the_end_with_the_findings_that_are_left(self) -> None:
        vague = GOOD.replace("a refund follows", "a refund follows shortly")
        made = run(ScriptedModel([vague, vague]), tries=2)
        assert made.procedure == read(vague)
        assert [finding.rule for finding in made.findings] == ["missing datum"]

    def test_what_never_gets_sound_is_no_procedure_and_is_kept_for_reading(self) -> None:
        model = ScriptedModel(lambda asked: GOOD.replace("go to 4", "go to 9"))
        made = run(model, tries=3)
        assert made.procedure is None
        assert len(model.asked) == len(made.problems) == 3
        assert made.problems[-1] == ("6: step 2 goes to 9, and there is no such step (the steps are 1 to 4)",)
        assert made.text == GOOD.replace("go to 4", "go to 9")

    def test_a_model_that_does_not_answer_says_so(self) -> None:
        with pytest.raises(ModelFault, match="too slow"):
            run(ScriptedModel([ModelFault("timeout", "too slow")]))

    def test_one_seed_asks_alike(self) -> None:
        seeds = []
        for _ in range(2):
            model = ScriptedModel(["no", GOOD])
            run(model, seed=4)
            seeds.append([asked.seed for asked in model.asked])
        assert seeds[0] == seeds[1]
        assert len(set(seeds[0])) == 2

    def test_there_is_at_least_one_try(self) -> None:
        with pytest.raises(BadSetting, match="tries is 0"):
            run(ScriptedModel([]), tries=0)
