"""Prompts and examples of `program_stack`: three settings, retrieval as in 5.1, nothing from the test dialogues."""

from __future__ import annotations

import ast
import asyncio
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toologue.agents.llm.program_stack as package
from toologue.agents.agent import resolve_agent
from toologue.agents.llm.program_stack import ProgramStack, Settings
from toologue.agents.llm.program_stack.agent import spelled
from toologue.agents.llm.program_stack.answers import read_programs, unsupported
from toologue.agents.llm.program_stack.consent import held_back
from toologue.agents.llm.program_stack.examples import Examples, keywords, trained
from toologue.agents.llm.program_stack.prompts import Asked, Task, definitions, messages, samples, service_of, situation
from toologue.bench.benchmark import play
from toologue.bench.dialog2api import DIALOG2API
from toologue.bench.dialog2api.files import executed
from toologue.errors import BadSetting, UnknownName
from toologue.formats.dialog2api import Sample, output_xml, read_output, sample_xml
from toologue.models.model import Asked as Request
from toologue.models.model import ScriptedModel
from toologue.run.runner import Settings as RunSettings
from toologue.run.runner import cases_of
from toologue.schema import AgentTurn, Brief, Case, Dialogue, Program, UserTurn
from toologue.schema.stack import Stacked
from toologue.worlds.named import place_of
from toologue.worlds.s3 import apis

S3 = Brief(apis=apis())
HELLO = Sample(turns=(AgentTurn(text="Hi."), UserTurn(text="Hello")))


@cache
def own() -> list[Sample]:
    """Five examples of ours."""
    return [one for task in ("program", "response") for dialogue in trained()[:3] for one in samples(dialogue, task)][
        :5
    ]


class TestTheThreeSettings:
    def parts(self, settings: Settings, task: Task = "program") -> str:
        return messages(Asked(task, HELLO, S3, own()), settings)[-1]["content"]

    def test_documents_after_an_example_from_elsewhere(self) -> None:
        text = self.parts(Settings(shows="docs"))
        assert text.index("def find_varieties") < text.index("def list_objects") < text.index("User: Hello")
        assert sample_xml(own()[0]) not in text

    def test_examples_alone(self) -> None:
        text = self.parts(Settings(shows="examples"))
        assert "<def>" not in text
        assert text.startswith(sample_xml(own()[0]))

    def test_documents_and_examples(self) -> None:
        text = self.parts(Settings())
        assert text.index("def list_objects") < text.index(sample_xml(own()[0])) < text.index("User: Hello")
        assert "def find_varieties" not in text

    @pytest.mark.parametrize("task", ["program", "response"])
    def test_without_examples_both_are_the_documents(self, task: Task) -> None:
        asked = Asked(task, HELLO, S3, ())
        assert messages(asked, Settings()) == messages(asked, Settings(shows="docs"))

    @pytest.mark.parametrize("task", ["program", "response"])
    def test_the_prompt_ends_with_what_is_asked(self, task: Task) -> None:
        text = messages(Asked(task, HELLO, S3, own()), Settings(published=True))[0]["content"]
        assert text.endswith(sample_xml(HELLO))

    @pytest.mark.parametrize("task", ["program", "response"])
    def test_examples_from_elsewhere_are_in_the_format(self, task: Task) -> None:
        text = Path(package.__file__).with_name(f"elsewhere_{task}.xml").read_text()
        _, *parts = re.split(r"^(?=<stack>)", text, flags=re.MULTILINE)
        assert len(parts) == 4
        for part in parts:
            output = read_output(part[part.index("<output>") :])
            assert output.programs if task == "program" else output.text
            assert "s3" not in part

    def test_documents_say_what_calls_give_but_as_published(self) -> None:
        contents = "Contents: [{Key: string, LastModified: string, ETag: string, Size: integer, StorageClass: string}]"
        assert contents in self.parts(Settings())
        assert contents not in self.parts(Settings(published=True))

    @pytest.mark.parametrize("published", [True, False])
    def test_documents_are_python(self, published: bool) -> None:
        text = definitions(apis(), published=published)
        functions = ast.parse(text).body
        assert [one.name for one in functions if isinstance(one, ast.FunctionDef)] == [api.name for api in apis()]
        told = [ast.get_docstring(one) for one in functions if isinstance(one, ast.FunctionDef)]
        described = [api.description for api in apis()]
        assert told == described if published else all(map(str.startswith, map(str, told), described))
        assert "def copy_object(self, Bucket: str, CopySource: Union[Dict, str], Key: str):" in definitions(
            apis(), published=published
        )

    def test_documents_say_what_a_value_must_be(self) -> None:
        text = self.parts(Settings())
        assert "MaxKeys: At most so many keys. At least 1; at most 1000." in text

    def test_instructions_and_facts_are_told(self) -> None:
        brief = S3.replace(instructions="Be formal.", facts={"now": "2025-03-10", "programs": {"object": "s3"}})
        system = messages(Asked("program", HELLO, brief, ()), Settings())[0]["content"]
        assert "# What the service wants of you\n" in system
        assert system.endswith('Be formal.\n\nWhat you know: {"now": "2025-03-10"}')
        assert "<object>" not in system
        assert "<exceptions>" not in system

    def test_documents_say_what_a_refusal_means(self) -> None:
        shop = place_of("shop").case("d").brief
        text = messages(Asked("program", HELLO, shop, ()), Settings())[-1]["content"]
        assert "Raises not_found: No customer has this number; conflict: The customer cannot get a voucher now." in text

    @pytest.mark.parametrize("world", ["s3", "shop"])
    def test_conventions_are_those_of_the_world(self, world: str) -> None:
        place = place_of(world)
        dialogue = Dialogue(id="d", world=place.setting, turns=(UserTurn(text="Hello"),))
        for case in (place.case("d"), *cases_of([dialogue], RunSettings())):
            system = messages(Asked("program", HELLO, case.brief, ()), Settings())[0]["content"]
            assert ("in us-east-1 there is no configuration" in system) == (world == "s3")


class TestRetrieval:
    def test_keywords_are_apis_and_exceptions(self) -> None:
        code = "try:\n    s3.CopyObject(a)\n    x.split(',')\nexcept s3.exceptions.NoSuchKey:\n    raise FAQ()"
        held = [Stacked(goal="1", status="final", code=code)]
        methods = {"CopyObject": "copy_object", "copy_object": "copy_object"}
        assert keywords(held, methods) == Counter(["copy_object", "NoSuchKey", "FAQ"])

    def test_the_stack_counts_as_much_as_the_words(self) -> None:
        def example(name: str, code: str, words: str) -> Dialogue:
            draft = AgentTurn(acts=(Program(goal="1", status="drafting", code=code),))
            turns = (UserTurn(text="?"), draft, AgentTurn(text="Yes?"), UserTurn(text=words), AgentTurn(text=name))
            return Dialogue(id=name, turns=turns)

        pool = Examples(
            [
                example("neither", "s3.list_buckets()", "zzz"),
                example("both", "s3.delete_bucket(Bucket=?1)", "the attic"),
                example("stack", "s3.delete_bucket(Bucket=?1)", "zzz"),
            ]
        )
        held = (Stacked(goal="1", status="drafting", code="s3.delete_bucket(Bucket=?1)"),)
        asked = Sample(stack=held, turns=(AgentTurn(text="Yes?"), UserTurn(text="the attic")))
        found = pool.nearest(asked, "response", 2, apis=apis())
        assert [one.output.text for one in found if one.output] == ["stack", "both"]

    @given(count=st.integers(0, 8), at=st.integers(0, 200))
    def test_more_examples_keep_the_best_ones(self, count: int, at: int) -> None:
        pool = Examples(trained()[:8])
        every = [one for dialogue in trained()[:8] for one in samples(dialogue, "program")]
        asked = every[at % len(every)]
        few, more = (pool.nearest(asked, "program", k, apis=apis()) for k in (count, count + 3))
        assert len(few) == count
        assert more[len(more) - count :] == few

    def test_a_dialogue_gets_no_examples_of_its_own_goal(self) -> None:
        dialogue = trained()[0]
        asked = next(samples(dialogue, "program"))
        pool = Examples(trained())
        own = [one for other in trained() for one in samples(other, "program")
               if other.origin["goal"] == dialogue.origin["goal"]]  # fmt: skip
        assert pool.nearest(asked, "program", 1, apis=apis())[0] in own
        assert not any(one in own for one in pool.nearest(asked, "program", 5, apis=apis(), dialogue=dialogue.id))

    def test_ours_are_the_training_dialogues_with_results(self) -> None:
        assert len(trained()) == 48
        acted = [turn for dialogue in trained() for turn in dialogue.turns if turn.role == "agent" and turn.acts]
        assert all(len(turn.results) == len(turn.acts) for turn in acted)
        assert any(result is not None and result.error for turn in acted for result in turn.results)


class TestTheSpec:
    @pytest.mark.parametrize(
        ("spec", "asked"),
        [
            ("openai:m", "openai:m?temperature=0"),
            ("openai:m?tries=2", "openai:m?temperature=0&tries=2"),
            ("openai:m?temperature=1", "openai:m?temperature=1"),
            ("mine:model", "mine:model"),
        ],
    )
    def test_search_is_greedy_unless_it_says_otherwise(
        self, spec: str, asked: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []
        monkeypatch.setattr("toologue.agents.llm.program_stack.agent.model", lambda spec, stage: seen.append(spec))
        resolve_agent(f"program_stack:{spec}")
        assert seen == [asked]

    def test_options_and_model(self) -> None:
        said = spelled("examples,published,history,k=3,embedder=minilm,file=a.jsonl:openai:m?temperature=0")
        assert said.settings == Settings(shows="examples", published=True, full=True, k=3)
        assert (said.model, said.embedder, said.file) == ("openai:m?temperature=0", "minilm", Path("a.jsonl"))

    def test_wrong_ones_are_said(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'history'"):
            spelled("docs,histroy:openai:m")
        with pytest.raises(BadSetting, match="k is 'many'"):
            spelled("k=many:openai:m")
        with pytest.raises(BadSetting, match="needs a model"):
            resolve_agent("program_stack")

    def test_examples_are_ours_for_s3_only(self) -> None:
        made = resolve_agent("program_stack:examples:toologue.models.model:ScriptedModel")
        with pytest.raises(BadSetting, match=r"file=MINE\.jsonl"):
            made.make(Case(id="d", protocol="live"))
        assert isinstance(made.make(Case(id="d", brief=S3, protocol="live")), ProgramStack)


class TestOnTheTrainingDialogues:
    def test_gold_programs_pass_all_checks(self) -> None:
        service = service_of(S3)
        for dialogue in trained():
            for sample in samples(dialogue, "program"):
                assert sample.output is not None
                answer = read_programs(output_xml(sample.output), sample.stack, service)
                assert answer.problems == ()
                assert held_back(answer.programs, sample.stack, service, sample.turns) == answer.programs

    def test_gold_words_are_supported(self) -> None:
        told = [(one, one.output.text) for d in trained() for one in samples(d, "response") if one.output]
        strange = [text for sample, text in told if unsupported(text or "", sample, S3)]
        assert len(strange) <= len(told) * 0.01

    def test_a_model_that_knows_every_answer_scores_100_percent(self) -> None:
        golds = [executed(dialogue) for dialogue in trained()[::6]]

        def key(situation: str) -> tuple[str, str]:
            stack, _, words = situation.partition("<output>")[0].partition("</stack>")
            return stack.strip(), words.rpartition("<turn>User: ")[2].strip()

        known = {
            (task, *key(sample_xml(one._replace(output=None)))): one.output
            for gold in golds
            for task in ("program", "response")
            for one in samples(gold, task)
        }

        def knowing(asked: Request) -> str:
            task = "response" if "have run" in asked.messages[0]["content"] else "program"
            situation = "<stack>" + asked.messages[1]["content"].rpartition("<stack>")[2]
            output = known[(task, *key(situation))]
            assert output is not None
            return output_xml(output)

        graded = play(DIALOG2API, golds, lambda case: ProgramStack(ScriptedModel(knowing), dialogue=case.id))
        assert [one.gold.id for one in graded if one.scores["EMR"].value != 1] == []


def test_a_situation_is_the_last_round() -> None:
    history = [AgentTurn(text="Hi."), UserTurn(text="a"), AgentTurn(text="b"), UserTurn(text="c"), UserTurn(text="d")]
    assert [turn.text for turn in situation(history).turns] == ["b", "c", "d"]
    assert [turn.text for turn in situation(history, full=True).turns] == ["Hi.", "a", "b", "c", "d"]
    assert [turn.text for turn in situation(history[1:2]).turns] == ["a"]


class TestWordsThatNoProgramHolds:
    """A program that only raises says nothing of what was asked for: the user's next words may build on it."""

    REFUSED = AgentTurn(acts=(Program(goal="1", status="final", code="raise OutOfScopeRequestError()"),))
    WORDS = ("Mail me notes/todo.txt in attic.", "I can't send mail. Shall I read it?", "Yes.")
    HISTORY = (AgentTurn(text="Hi."), UserTurn(text=WORDS[0]), REFUSED, AgentTurn(text=WORDS[1]), UserTurn(text="Yes."))

    @pytest.mark.parametrize("after", [(), (REFUSED.replace(text=None),)], ids=["program", "response"])
    def test_are_shown(self, after: tuple[AgentTurn, ...]) -> None:
        shown = situation((*self.HISTORY, *after), unheld=True)
        assert [turn.text for turn in shown.turns] == ["Hi.", *self.WORDS]

    def test_until_a_program_holds_them(self) -> None:
        read = AgentTurn(acts=(Program(goal="2", status="final", code='s3.get_object(Bucket="attic", Key=...)'),))
        history = (*self.HISTORY, read, AgentTurn(text="It is empty."), UserTurn(text="Thanks."))
        assert [turn.text for turn in situation(history, unheld=True).turns] == ["It is empty.", "Thanks."]

    @pytest.mark.parametrize(("published", "there"), [(False, True), (True, False)])
    def test_a_model_sees_them_unless_published(self, published: bool, there: bool) -> None:
        model = ScriptedModel(["<output></output>", "<output><turn>Agent: Hm.</turn></output>"])
        agent = ProgramStack(model, Settings(shows="docs", published=published))
        asyncio.run(agent.act(self.HISTORY, S3))
        assert [self.WORDS[0] in asked.messages[-1]["content"] for asked in model.asked] == [there, there]


def test_a_draft_that_is_taken_as_it_stands_is_shown_without_its_code() -> None:
    draft = Program(goal="1", status="drafting", code="return 1")
    acts = [draft, draft, draft.replace(status="final")]
    turns = [turn for act in acts for turn in (UserTurn(text="?"), AgentTurn(acts=(act,)), AgentTurn(text="!"))]
    written = [one.output for one in samples(Dialogue(id="d", turns=tuple(turns)), "program")]
    assert [output.programs[0].code for output in written if output] == ["return 1", "return 1", ""]
