"""What runs cost and how long they took: in tables, on the page, and in costs.json beside the scores."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from command import toologue
from toologue.models.budget import price_of
from toologue.models.model import Reply, ScriptedModel
from toologue.models.recording import RecordedModel
from toologue.models.spent import Spent, tallied
from toologue.schema import AgentTurn, Dialogue, Usage, UserTurn
from toologue.schema.jsonl import write

MODELS = """
from toologue.models.model import Reply, ScriptedModel
from toologue.models.budget import price_of
from toologue.schema import Usage

def says(asked):
    read = 100 * len(asked.messages)
    return Reply(text="Hello.", usage=Usage(input_tokens=read, output_tokens=5, cached_tokens=10))

unpriced = ScriptedModel(says, "unpriced")
priced = ScriptedModel(says, "priced")
priced.price, priced.max_tokens = price_of("mine", "", "1000,2000"), 5
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "priced_models.py").write_text(MODELS)
    monkeypatch.syspath_prepend(tmp_path)
    rounds = {"long": 3, "middling": 2, "short": 1, "tiny": 1}
    turns = (UserTurn(text="Hi"), AgentTurn(text="Hello."))
    write(tmp_path / "talks.jsonl", [Dialogue(id=name, turns=turns * count) for name, count in rounds.items()])
    return tmp_path


def run(here: Path, which: str, *more: str) -> dict[str, object]:
    agent = f"function_calling:priced_models:{which}"
    done = toologue("run", "talks.jsonl", "--agent", agent, "-o", which, *more, cwd=here)
    assert done.returncode == 0, done
    return {"said": done.stderr, **told(here, which)}


def told(here: Path, which: str) -> dict[str, object]:
    reported = toologue("report", which, cwd=here)
    costs = json.loads((here / which / "costs.json").read_text())
    table = re.sub(" +", " ", reported.stdout.partition("cost and time")[2])
    return {"table": table, "costs": costs}


def test_a_report_has_tokens_price_and_seconds(here: Path) -> None:
    found = run(here, "priced")
    assert found["said"] == "agent: 7 requests; 2,200 tokens in, 35 out; $2.27\n"
    for row in (
        "requests 7",
        "tokens in 2,200, 70 cached",
        "tokens out 35",
        "price $2.27",
    ):
        assert row in found["table"]
    for row in ("seconds ", "median ", "95th percentile "):
        assert row in found["table"]
    spent = found["costs"]["spent"]
    assert (spent["requests"], spent["input_tokens"], spent["output_tokens"], spent["dollars"]) == (7, 2200, 35, 2.27)
    page = (here / "priced/report.html").read_text()
    assert page.count('<h2 id="costs">Cost and time</h2>') == 1
    assert "<bdi>$2.27</bdi>" in page


def test_a_price_that_is_not_known_is_never_nothing(here: Path) -> None:
    found = run(here, "unpriced")
    assert found["said"] == "agent: 7 requests; 2,200 tokens in, 35 out; price unknown\n"
    assert "price price unknown" in found["table"]
    spent = found["costs"]["spent"]
    assert (spent["dollars"], spent["at_least"], spent["unpriced"]) == (None, 0, 7)


def test_a_kept_reply_costs_nothing_and_is_counted_as_kept(here: Path) -> None:
    run(here, "priced", "--cache", "replies.sqlite")
    (here / "priced").rename(here / "first")
    found = run(here, "priced", "--cache", "replies.sqlite")
    assert found["said"] == "agent: 7 requests, 7 of them kept; 0 tokens in, 0 out; $0.00\n"
    assert "requests 7, 7 kept" in found["table"]
    traces = [(here / folder / "traces.jsonl").read_bytes() for folder in ("first", "priced")]
    assert traces[0] == traces[1]


def test_what_a_run_cost_is_known_to_whoever_reports_it_later(here: Path) -> None:
    run(here, "priced")
    known = told(here, "priced")
    assert known["costs"]["spent"]["dollars"] == 2.27
    (here / "priced/times.jsonl").unlink()  # as of a run that was made elsewhere: its traces tell tokens
    known = told(here, "priced")
    assert "price price unknown" in known["table"]
    assert (known["costs"]["spent"]["input_tokens"], known["costs"]["seconds"]) == (2200, {})


@pytest.mark.parametrize("line", ["{", "3", '{"case": "x", "seconds": null}', '{"case": "x", "spent": {"dollars": 1}}'])
def test_a_line_that_is_no_time_is_named(here: Path, line: str) -> None:
    run(here, "priced")
    with (here / "priced/times.jsonl").open("a") as times:
        times.write(line + "\n")
    done = toologue("report", "priced", cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "times.jsonl:5: $: not the time of a case (remove the line)" in done.stderr


def test_seconds_of_an_agent_that_asks_no_model_stand_on_the_page_alone(here: Path) -> None:
    toologue("run", "talks.jsonl", "--agent", "gold", "-o", "gold", cwd=here)
    assert told(here, "gold")["table"] == ""
    page = (here / "gold" / "report.html").read_text()
    costs = page.partition('<section aria-labelledby="costs">')[2].partition("</section>")[0]
    assert "seconds" in costs
    assert "tokens" not in costs
    assert "price" not in costs


def test_a_benchmark_tells_the_same(here: Path) -> None:
    agent = "function_calling:priced_models:priced"
    done = toologue("bench", "tooltalk", "--agent", agent, "--json", "found.json", "--html", "page.html", cwd=here)
    (said,) = done.stderr.splitlines()
    spent = json.loads((here / "found.json").read_text())["spent"]
    assert f"agent: {spent['requests']} requests; {spent['input_tokens']:,} tokens in" in said
    assert "cost and time" in done.stdout
    assert '<h2 id="costs">' in (here / "page.html").read_text()


def test_what_a_judge_costs_stands_on_the_page(here: Path) -> None:
    assert toologue("init", "mine", cwd=here).returncode == 0
    toologue("test", "mine", "--judge", "priced_models:priced", cwd=here)
    page = (here / "mine/report.html").read_text()
    assert "judge: " in page
    assert " requests; " in page


class TestASum:
    def test_is_unknown_where_a_part_is_and_says_of_how_many_and_what_the_rest_costs(self) -> None:
        paid = Spent.on(Usage(input_tokens=1000, output_tokens=10), known=0.25)
        unknown = Spent.on(Usage(input_tokens=5), unpriced=1)
        both = paid + unknown + unknown
        assert (both.requests, both.input_tokens, both.dollars) == (3, 1010, None)
        assert str(both) == ("3 requests; 1,010 tokens in, 10 out; at least $0.2500, 2 requests of unknown price")
        assert sum([paid, paid], Spent()).dollars == 0.5

    def test_has_no_order(self) -> None:
        parts = [
            Spent.on(None, known=0.5, faults={"timeout": 1}),
            Spent(requests=1, kept=1),
            Spent.on(None, unpriced=1),
        ]
        assert sum(parts, Spent()) == sum(reversed(parts), Spent())

    def test_is_kept_by_whoever_asks(self) -> None:
        model = RecordedModel("mine", (), ScriptedModel(lambda asked: Reply(text="Hi", usage=Usage(input_tokens=3))))
        with tallied() as mine:
            asyncio.run(model.reply([{"role": "user", "content": "Hi"}]))
        assert [one.input_tokens for one in mine] == [3]


class TestAPrice:
    @pytest.fixture(autouse=True)
    def _data(self) -> None:
        pytest.importorskip("genai_prices")

    def test_is_that_of_whose_address_it_is(self) -> None:
        used = Usage(input_tokens=1_000_000, output_tokens=100_000)
        price = price_of("gpt-4.1-mini", "https://api.openai.com/v1")
        assert price is not None
        assert price(used) == pytest.approx(0.56)
        assert price(used.replace(cached_tokens=800_000)) == pytest.approx(0.32)

    def test_is_not_known_of_an_address_or_a_model_that_nobody_knows(self) -> None:
        assert price_of("gpt-4.1-mini", "http://localhost:8000/v1") is None
        assert price_of("gpt-nobody", "https://api.openai.com/v1") is None
        assert price_of("text-embedding-3-large", "https://api.openai.com/v1") is None  # it writes nothing

    def test_is_the_one_that_is_told(self) -> None:
        used = Usage(input_tokens=1_000_000, output_tokens=100_000)
        told = [price_of("gpt-4.1-mini", "http://localhost:8000/v1", how) for how in ("openai", "0.4,1.6", "2", "0")]
        assert [price and round(price(used), 6) for price in told] == [0.56, 0.56, 2.2, 0]
