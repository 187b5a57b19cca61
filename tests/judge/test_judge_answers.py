"""What a judge is shown, and what comes of what it answers: a verdict, or unsure by name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest
from judge_samples import EDGE, REPLY, TEXT, always, answer, mark, part, prompt

from toologue.errors import BadSetting
from toologue.judge.ask_judge import Judge, is_final
from toologue.models.model import Asked, Line, ModelFault, ScriptedModel
from toologue.schema import Decision, Question

Script = Sequence[Line] | Callable[[Asked], Line]


def decided(script: Script, question: Question = REPLY, votes: int = 1) -> Decision:
    return asyncio.run(Judge("mine:judge", ScriptedModel(script), votes).decide(question))


class TestAsked:
    def test_it_sees_procedure_step_history_expected_and_said_each_between_marks(self) -> None:
        model = ScriptedModel(always("right"))
        asyncio.run(Judge("mine:judge", model).decide(REPLY))
        (asked,) = model.asked
        assert part(asked, "procedure") == REPLY.brief
        assert part(asked, "step of the procedure") == REPLY.step
        assert part(asked, "conversation so far").splitlines() == list(REPLY.history)
        assert part(asked, "expected") == REPLY.expected
        assert part(asked, "what the agent said") == REPLY.said

    @pytest.mark.parametrize("question", [REPLY, TEXT, EDGE], ids=lambda question: question.kind)
    def test_each_kind_has_its_own_question_and_one_form_of_answer(self, question: Question) -> None:
        model = ScriptedModel(always("right"))
        assert asyncio.run(Judge("mine:judge", model).decide(question)).verdict == "right"
        kinds = {"reply": "in place of the expected reply", "text": "free text", "edge": "Is that connection right?"}
        assert [kind for kind, words in kinds.items() if words in prompt(model.asked[0])] == [question.kind]
        assert (model.asked[0].output or {})["type"] == "object"

    def test_nobody_is_asked_about_a_whole_conversation(self) -> None:
        with pytest.raises(BadSetting, match="no judge is asked about a conversation"):
            decided(always("right"), REPLY.replace(kind="conversation"))

    def test_of_a_long_conversation_it_sees_the_end(self) -> None:
        model = ScriptedModel(always("right"))
        long = REPLY.replace(history=("Customer: " + "x" * 50_000, "Customer: the last words"))
        asyncio.run(Judge("mine:judge", model).decide(long))
        assert part(model.asked[0], "conversation so far").endswith("the last words")
        assert len(prompt(model.asked[0])) < 30_000


class TestDecided:
    def test_a_verdict_comes_with_its_reason_the_harm_and_the_raw_vote(self) -> None:
        decision = decided(always("wrong", "wrong information"))
        assert (decision.verdict, decision.reasons, decision.severity) == (
            "wrong",
            ("It says so.",),
            "wrong information",
        )
        assert (decision.by, decision.question, decision.gold) == ("judge", REPLY.key, REPLY.gold_key)
        assert json.loads(decision.votes[0].raw)["verdict"] == "wrong"

    def test_who_it_was_names_model_words_and_votes_and_not_where_the_model_runs(self) -> None:
        def who(spec: str, votes: int = 1) -> str:
            return Judge(spec, ScriptedModel([]), votes).who

        assert who("openai:x?base_url=http://a/v1&temperature=0") == who("openai:x?temperature=0&base_url=http://b/v1")
        assert len({who("openai:x"), who("openai:y"), who("openai:x", 3)}) == 3

    def test_most_votes_decide_each_with_a_seed_of_its_own(self) -> None:
        verdicts = iter(["right", "wrong", "right"])
        model = ScriptedModel(lambda asked: answer(asked, next(verdicts)))
        decision = asyncio.run(Judge("mine:judge", model, 3).decide(REPLY))
        assert decision.verdict == "right"
        assert [vote.verdict for vote in decision.votes] == ["right", "wrong", "right"]
        assert len({asked.seed for asked in model.asked}) == 3

    @pytest.mark.parametrize("votes", [0, 2, -1])
    def test_there_is_an_odd_number_of_votes(self, votes: int) -> None:
        with pytest.raises(BadSetting, match="odd number"):
            decided(always("right"), votes=votes)


def fault(asked: Asked) -> Line:
    return ModelFault("server_error", "'x' at http://there fell over", status=503)


GARBAGE: dict[str, Script] = {
    "no object": lambda asked: "I would say it is right.",
    "nothing": lambda asked: "",
    "two objects": lambda asked: answer(asked, "wrong") + answer(asked, "right"),
    "another verdict": lambda asked: answer(asked, "mostly right"),
    "another harm": lambda asked: answer(asked, "wrong", "some harm"),
    "no reason": lambda asked: answer(asked, "right", reason=" "),
    "a list": lambda asked: json.dumps([answer(asked, "right")]),
    "a part": lambda asked: answer(asked, "right")[:-2],
    "only a verdict": lambda asked: json.dumps({"mark": mark(asked), "verdict": "right"}),
}  # fmt: skip


class TestUnsure:
    @pytest.mark.parametrize("script", GARBAGE.values(), ids=GARBAGE)
    def test_what_cannot_be_read_is_garbage_and_kept_as_it_came(self, script: Script) -> None:
        decision = decided(script)
        assert (decision.verdict, decision.reasons[0].partition(":")[0]) == ("unsure", "garbage")
        assert is_final(decision), "an answer that was given is not asked for again"

    def test_an_object_among_other_words_is_read(self) -> None:
        assert decided(lambda asked: f"```json\n{answer(asked, 'right')}\n```").verdict == "right"

    def test_an_answer_without_the_mark_is_anothers(self) -> None:
        decision = decided(['{"mark": "0123", "reason": "Fine.", "verdict": "right", "harm": "no harm"}'])
        assert (decision.verdict, decision.reasons[0].partition(":")[0]) == ("unsure", "another's answer")

    def test_right_and_harm_contradict_each_other(self) -> None:
        decision = decided(always("right", "wrong write"))
        assert (decision.verdict, decision.reasons) == (
            "unsure",
            ("contradicts itself: right, and does harm: wrong write",),
        )

    def test_votes_without_a_majority_disagree(self) -> None:
        verdicts = iter(["right", "wrong", "unsure"])
        decision = decided(lambda asked: answer(asked, next(verdicts)), votes=3)
        assert (decision.verdict, decision.reasons[0]) == ("unsure", "votes disagree: right, wrong, unsure")

    def test_a_fault_is_told_and_asked_again(self) -> None:
        decision = decided(fault)
        assert decision.verdict == "unsure"
        assert "fell over" in decision.reasons[0]
        assert not is_final(decision)

    def test_most_votes_decide_though_one_is_missing(self) -> None:
        faults = iter([True, False, False])
        decision = decided(lambda asked: fault(asked) if next(faults) else answer(asked, "right"), votes=3)
        assert decision.verdict == "right"
        assert is_final(decision)
