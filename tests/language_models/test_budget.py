"""A budget: what requests may come to is never more, however many are asked at once; what was paid for is not lost."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_endpoint import HANG, RESET, Answer, Endpoint, Request, Script, refuses, says

from command import toologue
from toologue.errors import BadSetting
from toologue.models.ask import ask, model
from toologue.models.budget import MOST_TOKENS, OVERHEAD, budget
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import Model, ModelFault
from toologue.models.recording import RecordedModel
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.schema.jsonl import write

Start = Callable[[Script], Endpoint]
HI = [{"role": "user", "content": "Hi"}]
# A dollar a token that is read, two for one that is written.
DEAR = "openai:gpt-x?price=1000000,2000000"


def told(folder: Path, count: int = 4, rounds: int = 2) -> Path:
    turns = (UserTurn(text="Hello"), AgentTurn(text="Hi")) * rounds
    write(folder / "talks.jsonl", [Dialogue(id=f"talk-{number}", turns=turns) for number in range(count)])
    return folder


async def reply_or_fault(asked: Model, text: str = "Hi", seed: int = 0) -> str:
    try:
        return await ask(asked, text, seed)
    except ModelFault as fault:
        return fault.type


def largest(asked: Request, max_tokens: int) -> int:
    """More than any count of the tokens of a request: its bytes, and as many as a reply may have."""
    return len(json.dumps(asked.body["messages"])) + max_tokens


@pytest.mark.parametrize(("concurrency", "seed"), [(1, 1), (8, 2), (64, 3), (64, 4)])
def test_it_is_never_exceeded_however_many_are_asked_at_once(concurrency: int, seed: int, endpoint: Start) -> None:
    chance, lock, paid, most = random.Random(seed), threading.Lock(), list[int](), list[int]()

    def script(asked: Request) -> Answer:
        with lock:
            limit = asked.body["max_tokens"]
            usage = chance.randint(1, len(asked.messages[0]["content"])), chance.randint(1, limit)
            kind = chance.choice(["says"] * 6 + ["refuses", "uncounted", "reset"])
            paid.append(
                0 if kind == "refuses" else largest(asked, 2 * limit) if kind != "says" else 2 * usage[1] + usage[0]
            )
            most.append(sum(paid))
        return {"refuses": refuses(429, after="0"), "uncounted": says("?", usage=None), "reset": RESET}.get(
            kind, says("Hello.", usage=usage)
        )

    endpoint(script)
    dollars = 40_000.0

    async def all_of_them() -> list[str]:
        setup = Setup(price="1000000,2000000", max_tokens=50, tries=3, wait=0)
        asked = RecordedModel("gpt-x", (), RemoteModel("gpt-x", setup))
        free = asyncio.Semaphore(concurrency)

        async def one(number: int) -> str:
            async with free:
                return await reply_or_fault(asked, "x" * sizes[number], number)

        return await asyncio.gather(*(one(number) for number in range(len(sizes))))

    sizes = [chance.randint(1, 900) for _ in range(200)]
    with budget(dollars) as mine:
        came = asyncio.run(all_of_them())
    assert sum(paid) <= mine.spent <= dollars
    assert mine.spent > dollars - 2 * (900 + OVERHEAD + 500)  # no more is left than one request may cost
    assert came.count("budget") == mine.refused > 0
    assert "Hello." in came


class TestARequest:
    def test_that_may_cost_more_than_is_left_is_not_sent(self, endpoint: Start) -> None:
        served = endpoint([says("Hello.", usage=(10, 2))])
        with budget(1000 + OVERHEAD) as mine:
            asked = model(f"{DEAR}&max_tokens=100")
            came = [asyncio.run(reply_or_fault(asked)) for _ in range(100)]
        assert set(came) == {"Hello.", "budget"}
        assert mine.spent == 14 * len(served.requests) > 700

    @pytest.mark.parametrize(
        ("answer", "cost"),
        [
            (says("Hello.", usage=(10, 2)), 14),
            (refuses(400), 0),
            (refuses(401), 0),
            (says("Hello.", usage=None), "its most"),
            (RESET, "its most"),
            (HANG, "its most"),
            (refuses(504), "its most"),
        ],
    )
    def test_costs_what_was_counted_or_nothing_where_it_is_refused_else_its_most(
        self, answer: Answer, cost: int | str, endpoint: Start
    ) -> None:
        endpoint([answer])
        with budget(1e6) as mine:
            asyncio.run(reply_or_fault(model(f"{DEAR}&max_tokens=100&tries=1&timeout=0.2")))
        assert mine.spent == cost or (cost == "its most" and 1200 < mine.spent < 1400)
        assert mine.words.startswith("at most") == (cost == "its most")

    def test_that_is_tried_again_is_paid_for_again(self, endpoint: Start) -> None:
        endpoint([RESET, refuses(503), says("Hello.", usage=(10, 2))])
        with budget(1e6) as mine:
            asked = RemoteModel("gpt-x", Setup(price="1000000", max_tokens=100, wait=0))
            asyncio.run(RecordedModel("m", (), asked).reply(HI))
        assert 1100 + 12 < mine.spent < 1300

    def test_that_names_no_limit_is_sent_with_one(self, endpoint: Start) -> None:
        served = endpoint([says("Hello.")])
        with budget(1e6):
            asyncio.run(model(DEAR).reply(HI))
        assert served.requests[0].body["max_tokens"] == MOST_TOKENS

    def test_that_is_cut_off_while_it_waits_for_others_holds_nobody_up(self, endpoint: Start) -> None:
        endpoint([HANG])

        async def both() -> list[str]:
            asked = model(f"{DEAR}&max_tokens=100&timeout=0.3")
            first, second, third = (asyncio.create_task(ask(asked, "Hi", n)) for n in range(3))
            await asyncio.sleep(0)
            second.cancel()
            done = await asyncio.gather(first, second, third, return_exceptions=True)
            return [getattr(one, "type", type(one).__name__) for one in done]

        with budget(2000):
            assert asyncio.run(both()) == ["timeout", "CancelledError", "budget"]


class TestIsRefused:
    def test_where_a_price_is_not_known(self, endpoint: Start, tmp_path: Path) -> None:
        served = endpoint([says("Hello.")])
        run = ("run", "talks.jsonl", "--agent", "openai:gpt-x", "-o", "run", "--budget", "2.5")
        done = toologue(*run, cwd=told(tmp_path))
        assert (done.returncode, served.requests) == (2, [])
        what = "what 'openai:gpt-x' costs is not known, so no budget can hold it: give its price, in dollars a million"
        assert done.stderr.startswith(f"toologue: {what} tokens, in and out: openai:NAME?price=0.40,1.60")

    @pytest.mark.parametrize("command", ["bench", "test"])
    def test_before_another_agent_is_asked(self, command: str, endpoint: Start, tmp_path: Path) -> None:
        served = endpoint([says("Hello.")])
        if command == "test":
            assert toologue("init", ".", cwd=tmp_path).returncode == 0
        what = ("bench", "tooltalk") if command == "bench" else ("test",)
        done = toologue(*what, "--agent", DEAR, "--agent", "openai:gpt-x", "--budget", "2.5", cwd=tmp_path)
        assert (done.returncode, served.requests) == (2, [])

    @pytest.mark.parametrize("given", ["0", "-1", "nan", "inf"])
    def test_where_it_is_no_amount(self, given: str, tmp_path: Path) -> None:
        done = toologue("run", "talks.jsonl", "--agent", "gold", "-o", "run", f"--budget={given}", cwd=told(tmp_path))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "give dollars, more than 0" in done.stderr

    def test_of_a_model_of_ones_own_without_a_price(self) -> None:
        with budget(1), pytest.raises(BadSetting, match="a model of your own has `price"):
            model("toologue.models.model:ScriptedModel")


class TestARun:
    def test_stops_where_it_is_used_up_and_goes_on_without_asking_anything_again(
        self, endpoint: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        served = endpoint(lambda asked: says(f"reply {len(asked.messages)}", usage=(200, 100)))
        run = ("run", "talks.jsonl", "--agent", f"{DEAR}&max_tokens=100", "-o", "run")
        done = toologue(*run, "--budget", "4000", cwd=told(tmp_path, 10))
        assert done.returncode == 3
        sent, traces = len(served.requests), (tmp_path / "run/traces.jsonl").read_text().splitlines()
        assert f"budget: ${sent * 400:,}.00 of $4,000.00 is spent; " in done.stderr
        assert "the same command goes on, and asks nothing again that was paid for" in done.stderr
        assert "of the budget is left (raise --budget); nothing more was asked" in done.stderr
        assert any('"type":"budget"' in trace for trace in traces)

        done = toologue(*run, "--budget", "100000", cwd=tmp_path)
        assert done.returncode == 0
        assert len(served.requests) == 20  # each was asked once
        assert not list((tmp_path / "cache").rglob("paid-*"))
        whole = (tmp_path / "run/traces.jsonl").read_bytes()
        assert toologue(*run[:-1], "other", cwd=tmp_path).returncode == 0
        assert (tmp_path / "other/traces.jsonl").read_bytes() == whole

    def test_in_a_benchmark_loses_nothing_that_was_paid_for_either(
        self, endpoint: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        served = endpoint([says("Done.", usage=(100, 1))])
        bench = ("bench", "tooltalk", "--agent", f"{DEAR}&max_tokens=5", "--json", "found.json")
        assert toologue(*bench, "--budget", "30000", cwd=tmp_path).returncode == 3
        sent = len(served.requests)
        assert sent > 0
        assert json.loads((tmp_path / "found.json").read_text())["totals"]["all"]["unscored"] > 0
        assert toologue(*bench, "--budget", "3000000", cwd=tmp_path).returncode == 0
        spent = json.loads((tmp_path / "found.json").read_text())["spent"]
        assert (spent["kept"], spent["requests"]) == (sent, len(served.requests))

    def test_with_a_cache_that_is_named_keeps_it(self, endpoint: Start, tmp_path: Path) -> None:
        endpoint([says("Hello.", usage=(1, 1))])
        run = ("run", "talks.jsonl", "--agent", DEAR, "-o", "run", "--budget", "99999", "--cache", "mine.sqlite")
        assert toologue(*run, cwd=told(tmp_path)).returncode == 0
        assert (tmp_path / "mine.sqlite").exists()

    def test_of_free_tokens_is_never_stopped(self, endpoint: Start, tmp_path: Path) -> None:
        endpoint([says("Hello.", usage=None)])
        run = ("run", "talks.jsonl", "--agent", "openai:gpt-x?price=0", "-o", "run", "--budget", "0.01")
        done = toologue(*run, cwd=told(tmp_path))
        assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "budget: $0.00 of $0.0100 is spent")


def test_a_judge_that_may_not_be_asked_leaves_what_is_open_unsure(
    endpoint: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    served = endpoint([says("Hello.")])
    write(tmp_path / "talks.jsonl", [Dialogue(id="one", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))])
    judge = ("judge", "quality", "talks.jsonl", "--judge", f"{DEAR}&max_tokens=10", "--budget", "5")
    done = toologue(*judge, cwd=tmp_path)
    assert (done.returncode, served.requests) == (3, [])
    assert "without a reply (budget)" in done.stderr


def test_requests_are_counted_once_whoever_runs_them(endpoint: Start, tmp_path: Path) -> None:
    endpoint([says("Hello.", usage=(10, 2))])
    run = ["run", "talks.jsonl", "--agent", DEAR, "-o", "run"]
    line = [sys.executable, "-m", "toologue", *run]
    done = subprocess.run(line, cwd=told(tmp_path), capture_output=True, text=True, check=True)
    assert done.stderr == "agent: 8 requests; 80 tokens in, 16 out; $112.00\n"
