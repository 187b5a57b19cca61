"""The agent `talm`: what it is asked with in each task, and what becomes of answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tooldial_samples import APIS, TWO, dialogue, suite

from toologue.agents.llm.talm import Talm, prompt, talm_agent
from toologue.bench.benchmark import play
from toologue.bench.tooldial import TOOLDIAL
from toologue.bench.tooldial.tasks import PASSES, part_of
from toologue.errors import BadSetting
from toologue.formats.tooldial import TASKS, Task, state_json
from toologue.models.model import Asked, ModelFault, Reply, ScriptedModel
from toologue.schema import AgentTurn, Api, Brief, Call, Dialogue, Parameter, Result, Retrieve, State, UserTurn

ONE = "IC R RQ I C RS UB SB"
BRIEF = Brief(apis=tuple(APIS.values()))
FULL = State(api="A", required={"p": "x", "q": ""}, optional={"r": 3})

it: Any = ScriptedModel(["call"])


HELLO = (UserTurn(text="Hi"),)


def answers(task: Task, text: str | ModelFault, history: Any = HELLO) -> AgentTurn:
    return asyncio.run(Talm(ScriptedModel([text]), task).act(history, BRIEF))


def knowing(gold: Dialogue, task: Task) -> ScriptedModel:
    """A model that knows the gold, and writes it as the task wants."""
    turns = [turn for turn in gold.turns if turn.role == "agent"]

    def step(turn: AgentTurn) -> str:
        head = f"- Thought: I know.\n- Action: {turn.action}\n- Dialogue State: {state_json(turn.state)}"
        return head if turn.text is None else f"{head}\n- Message: {turn.text}"

    written = {
        "dst": [str(state_json(t.state)) for n, t in enumerate(turns) if _states(gold, t)],
        "action": [f"Action: {t.action}" for t in turns],
        "faithfulness": [f"- Message: {t.text}" for t in turns if t.action == "response"],
        "overall": [step(t) for t in turns],
    }
    return ScriptedModel(written[task])


def _states(gold: Dialogue, turn: AgentTurn) -> bool:
    before = gold.turns[gold.turns.index(turn) - 1]
    return turn.text is not None or (before.role == "user" and turn.action == "call")


@pytest.mark.parametrize("task", TASKS)
def test_a_model_that_knows_is_right_in_every_task(task: Task) -> None:
    for gold in (dialogue(ONE), dialogue(TWO[1], many=True), dialogue(TWO[7]), dialogue("IV R SG NG RF")):
        (one,) = play(TOOLDIAL, [gold], Talm(knowing(gold, task), task), part=part_of(task, "gold"))
        assert one.scores[PASSES].value in (1.0, None), one.record["tests"]


def test_the_prompt_is_the_task_and_the_text_as_far_as_it_is_shown() -> None:
    gold = dialogue(ONE)
    for task in TASKS:
        system, user = prompt(task, BRIEF, gold.turns[:5])
        assert (system["role"], user["role"]) == ("system", "user")
        assert "<" not in system["content"].replace("<confirm>", "<")
        assert user["content"].startswith("User: What will the weather be like")
        assert "- Observation:" in user["content"]
        assert ("- Thought:" in user["content"]) == (task != "action")
    told = prompt("action", Brief(facts={"retriever": {"confirm": 0.45, "suggest": 0.3}}), gold.turns[:1])
    assert "below 0.3." in told[0]["content"]
    assert "0.6" not in told[0]["content"]


def test_what_the_documentation_settles_stands_in_the_prompt() -> None:
    page = Parameter(schema={"type": "integer", "examples": [1]})
    api, turn = Api(name="A", parameters={"page": page}), dialogue(ONE).turns[1]
    found = turn.replace(results=(Result(value={"retrieved": {"A": 0.9}}),))  # type: ignore[union-attr]
    (_, user) = prompt("dst", Brief(apis=(api,)), [UserTurn(text="Hi"), found])
    told = '{"input_parameter_name": "page", "description": "", "type": "integer", "examples": [1], "value": 1}'
    assert told in user["content"]


def test_the_retriever_is_asked_for_what_the_step_itself_says_is_lacking() -> None:
    text = f"- Action: retriever_call\n- Dialogue State: {state_json(FULL)}"
    assert answers("overall", text).acts == (Retrieve(missing=("A", "q")),)  # whatever the history shows


def test_the_history_shows_what_the_part_lets_it() -> None:
    gold, seen = dialogue(TWO[0]), list[str]()

    def answer(asked: Asked) -> str:
        seen.append(asked.messages[-1]["content"])
        return "call"

    for labels, shown in (("gold", True), ("none", False)):
        seen.clear()
        agent = Talm(ScriptedModel(answer), "action")
        play(TOOLDIAL, [gold], agent, part=part_of("action", labels))  # type: ignore[arg-type]
        assert any("- Action:" in text for text in seen) == shown
        assert any("- Dialogue State:" in text for text in seen)


def test_own_steps_of_a_round_are_seen_and_gold_s_of_rounds_before() -> None:
    gold, seen = dialogue(ONE), list[str]()

    def answer(asked: Asked) -> str:
        seen.append(asked.messages[-1]["content"])
        mine = asked.messages[-1]["content"].rpartition("User:")[2].count("- Action:")
        return f"- Thought: mine\n- Action: {('retriever_call', 'clarify')[min(mine, 1)]}\n- Message: Hm?"

    agent = Talm(ScriptedModel(answer), "overall")
    play(TOOLDIAL, [gold], agent, part=part_of("overall", "gold"))
    assert "- Thought: mine" in seen[1]
    assert '"retriever_call": "true"' in seen[1]  # what the gold saw, though it asked in other words
    assert "- Thought: mine" not in seen[2]
    assert "- Action: request" in seen[2]


@pytest.mark.parametrize(
    ("task", "text", "problem"),
    [
        ("dst", "It is unknown.", "no_braces"),
        ("dst", "{} {}", "several_objects"),
        ("dst", "{'a': [}", "not_spelled"),
        ("dst", "{'a': 1}", "no_state"),
        ("action", "sing", "unknown_action"),
        ("action", "", "no_action"),
        ("overall", "Good day.", "no_action"),
        ("overall", "- Action: clarify", "no_message"),
        ("overall", "- Action: call", "no_braces"),
    ],
)
def test_problems_have_names_and_the_words_are_kept(task: Task, text: str, problem: str) -> None:
    turn = answers(task, text)
    assert turn.error is not None
    assert turn.error.type == problem
    assert turn.extra["answer"]["text"] == text  # type: ignore[index, call-overload]


def test_clean_answers_leave_nothing_behind() -> None:
    for task, text in (("dst", '{"api_confirmed": "false", "api_status": "none"}'), ("action", "call")):
        assert "answer" not in answers(task, text).extra  # type: ignore[arg-type]


def test_calls_and_questions_to_the_retriever_of_overall_steps() -> None:
    turn = answers("overall", f"- Action: call\n- Dialogue State: {state_json(FULL)}")
    assert turn.acts == (Call(api="A", arguments={"p": "x", "r": 3}),)
    history = (UserTurn(text="Hi"), AgentTurn(text="?", state=FULL), UserTurn(text="I don't know."))
    assert answers("overall", "- Action: call", history).acts[0].api == "A"  # type: ignore[union-attr]
    asked = answers("overall", "- Action: retriever_call", history)
    assert asked.acts == (Retrieve(missing=("A", "q")),)
    assert answers("overall", "Action: retriever call").acts == (Retrieve(query="Hi"),)


def test_a_model_that_fails_and_one_that_counts() -> None:
    turn = answers("dst", ModelFault("rate_limited", "slow down", status=429))
    assert turn.error is not None
    assert turn.error.type == "rate_limited"
    reply = Reply(text="call", thought="easy", model="m-1")
    done = asyncio.run(Talm(ScriptedModel([reply]), "action").act((UserTurn(text="Hi"),), BRIEF))
    assert (done.thought, done.extra["reply"]["model"]) == ("easy", "m-1")  # type: ignore[index, call-overload]


def test_an_agent_is_a_function_of_the_history() -> None:
    gold = suite()[9]

    def answer(asked: Asked) -> str:
        return f"- Action: request\n- Message: {len(asked.messages[-1]['content'])}"

    agent = Talm(ScriptedModel(answer), "overall")
    cold = Talm(ScriptedModel(answer), "overall")
    for at in range(1, len(gold.turns)):
        first, second = (asyncio.run(agent.act(gold.turns[:at], BRIEF)) for _ in range(2))
        assert first == second == asyncio.run(cold.act(gold.turns[:at], BRIEF))


def test_how_it_is_named() -> None:
    assert talm_agent("dst:test_tooldial_talm:it").name == "talm:dst:test_tooldial_talm:it"
    with pytest.raises(BadSetting, match="needs a model"):
        talm_agent("dst:")
    agent = Talm(ScriptedModel(lambda asked: "call"), "action")
    (one,) = play(TOOLDIAL, [dialogue("IV R SG NG RF")], agent, part=part_of("action"))
    assert one.trace.agent == "Talm"
    assert all(turn.action == "call" for turn in one.trace.turns if turn.role == "agent")


def test_the_benchmark_gives_it_the_prompt_of_the_task() -> None:
    it.script, it.asked = (lambda asked: "call"), []
    play(TOOLDIAL, [dialogue("IV R SG NG RF")], "talm:test_tooldial_talm:it", part=part_of("action"))
    assert len(it.asked) == 3
    assert "name of one action, and nothing else" in it.asked[0].messages[0]["content"]
