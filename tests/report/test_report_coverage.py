"""The coverage section: shares, steps and ways, what is missing; in a real browser, and from hostile names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from report_samples import HOSTILE, Page, view

from toologue.formats.procedure import read
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.report.coverage import covered, spots
from toologue.report.page import write_page
from toologue.report.view import Charted, Conversation, Report
from toologue.schema import AgentTurn, Dialogue, Graph, Mismatch, Score, Trace, Turn, UserTurn

TEXT = """---
id: parcel
issue: It is late.
---

# A parcel

1. **Ask** whether they want to wait.
   - Yes: go to 2.
   - No: go to 3.
   - Never: go to 3.
2. **End**: say that it comes.
3. **End**: say that it is cancelled.
"""


WAYS = """---
id: parcel
issue: It is late.
---

# A parcel

1. **Ask** for the number. Collect `number`.
2. **Call** `get_parcel` with `number`, giving `parcel`.
   - If `parcel.lost`: go to 3.
   - If `parcel.days > 7`: go to 3.
   - Otherwise: go to 4.
3. **End**: say that a colleague writes.
4. **End**: say that it comes.
"""


def graph_of(text: str = TEXT) -> Graph:
    return conversation_graph(flowgraph(read(text)))


def lived(graph: Graph, answer: str, *, wrong: int | None = None) -> Conversation:
    """A conversation in which the customer answers so; in turn `wrong` the agent is."""
    replies = {node.text: node.id for node in graph.nodes if node.type == "user"}
    ask = next(link.target for link in graph.exits(replies["It is late."]))
    end = next(link.target for link in graph.exits(replies[answer]))
    stops = [graph.roots[0], replies["It is late."], ask, replies[answer], end]
    path = [next(link.id for link in graph.exits(a) if link.target == b) for a, b in pairwise(stops)]
    turns: tuple[Turn, ...] = (
        UserTurn(text="It is late.", node=stops[1]),
        AgentTurn(text="Do you want to wait?", node=ask),
        UserTurn(text="Who made you?", extra={"noise": {"kind": "off_topic"}}),
        AgentTurn(text="Let us go on. Do you want to wait?"),
        UserTurn(text=answer, node=stops[3]),
        AgentTurn(text="Well.", node=end),
    )
    gold = Dialogue(id=f"{answer}-{wrong}", turns=turns, origin={"procedure": graph.id, "path": list(path)})
    at = () if wrong is None else (Mismatch(turn=wrong, field="reply", expected="Well.", actual="No."),)
    right = float(wrong is None)
    score = Score(
        metric="conversation correct", dialogue=gold.id, counts={"hits": right, "of": 1.0}, value=right, at=at
    )
    trace = Trace(case="", dialogue=gold.id, protocol="next", agent="a", turns=turns)
    return Conversation(gold, trace, {score.metric: score})


def report_of(*runs: list[Conversation], file: str = "parcel.md", graph: Graph | None = None) -> Report:
    golds = {c.gold.id: c.gold for run in runs for c in run}
    views = [view(f"agent {number}", run) for number, run in enumerate(runs)]
    return Report("Parcels", views, charted=[Charted(file, graph or graph_of(), list(golds.values()))])


class TestStates:
    """What a step is, for an agent that answers Yes rightly, and is wrong right behind No."""

    graph = graph_of()

    def states(self, *conversations: Conversation) -> dict[str, str]:
        (chart,) = covered(report_of(list(conversations))).charts
        return {one.id: one.states[0][0] for one in chart.lines}

    def step(self, number: int) -> str:
        return next(node.id for node in self.graph.nodes if node.step == number and node.type == "assistant")

    def test_passed_failed_unseen(self) -> None:
        found = self.states(lived(self.graph, "Yes"), lived(self.graph, "No", wrong=5))
        assert [found[self.step(number)] for number in (1, 2, 3)] == ["passed", "passed", "failed"]
        assert sorted(found[link.id] for link in self.graph.links if link.target == self.step(3)) == [
            "failed",
            "unseen",
        ]

    def test_seen_is_what_failed_elsewhere(self) -> None:
        found = self.states(lived(self.graph, "No", wrong=1))
        assert [found[self.step(number)] for number in (1, 2, 3)] == ["failed", "unseen", "seen"]

    def test_shares_and_what_no_conversation_takes(self) -> None:
        (chart,) = covered(report_of([lived(self.graph, "Yes"), lived(self.graph, "No", wrong=5)])).charts
        ((_, passed),) = chart.runs
        assert len(chart.suite.edges.seen) > len(passed.edges.seen)
        assert [one.text for one in chart.lines if not one.seen] == ["Never → step 3"]

    def test_answers_to_noise_are_counted(self) -> None:
        right, wrong = lived(self.graph, "Yes"), lived(self.graph, "No", wrong=3)
        (detour,) = covered(report_of([right, wrong])).detours
        assert (detour.kind, detour.times, detour.right) == ("off topic", 2, [(1, 0, 2)])


@pytest.mark.parametrize("count", [1, 3, 5])
def test_three_of_what_no_test_covers_are_shown_above(count: int, tmp_path: Path) -> None:
    graph = graph_of()
    report = report_of([lived(graph, "No", wrong=5)])
    report = replace(report, charted=[replace(report.charted[0], unreached=[f"way {n}" for n in range(count)])])
    write_page(tmp_path / "page.html", report)
    page = (tmp_path / "page.html").read_text()
    above = page[page.index("What no test covers") : page.index("</ul>", page.index("What no test covers"))]
    assert [n for n in range(5) if f">way {n}<" in above] == [*range(min(count, 3))]
    assert (", among them" in above) == (count > 3)


def hostile() -> Report:
    bad = " ".join(HOSTILE.values()) + "x" * 300
    graph = graph_of()
    nodes = [node.replace(text=bad if node.type != "user" else node.text) for node in graph.nodes]
    links = [link.replace(condition=bad, text=bad if link.line else "") for link in graph.links]
    found = [lived(graph, "Yes"), lived(graph, "No", wrong=5)]
    evil = graph.replace(nodes=tuple(nodes), links=tuple(links))
    report = report_of(found, [lived(graph, "Yes", wrong=1)], file=f"{bad}.md", graph=evil)
    return Report(
        report.title,
        [view(f"{bad} {n}", [*run.conversations]) for n, run in enumerate(report.runs)],
        charted=report.charted,
    )


def test_hostile_names_are_escaped(render: Callable[[Report], Page]) -> None:
    page = render(hostile())
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    assert not page.values("onmouseover")
    assert page.of_class("step") == 4


def test_a_report_without_procedures_has_no_such_section(render: Callable[[Report], Page], report: Report) -> None:
    assert "Coverage" not in render(report).words


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("coverage") / "report.html"
    graph = graph_of()
    write_page(file, report_of([lived(graph, "Yes"), lived(graph, "No", wrong=5)], [lived(graph, "Yes", wrong=1)]))
    return file.as_uri()


class TestInABrowser:
    def test_each_step_says_what_became_of_it_by_agent(self, browser: Any, url: str) -> None:
        with browser.new_context(java_script_enabled=False) as tab:
            page = tab.new_page()
            page.goto(url)
            last = page.locator(".steps tr", has_text="say that it is cancelled").last
            assert last.locator("td").all_inner_texts() == [
                "wrong here 1 of 1 times",
                "only in conversations that did not pass",
            ]
            assert page.locator(".steps .way.unseen").inner_text().startswith("Never → step 3")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_a_phone_scrolls_tables_and_not_the_page(self, browser: Any, tmp_path: Path, scheme: str) -> None:
        write_page(tmp_path / "report.html", hostile())
        with browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme) as tab:
            page = tab.new_page()
            page.goto((tmp_path / "report.html").as_uri())
            page.evaluate("() => document.querySelectorAll('details').forEach(e => e.open = true)")
            assert page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]") == [390, 390]


@pytest.mark.parametrize(
    ("condition", "harm", "because"),
    [
        ("not error and (parcel.lost)", "no answer", ["expected since `parcel.lost` of step 2 holds"]),
        ("not error and (parcel.days > 7)", "missing write", ["expected since `parcel.days > 7` of step 2 holds"]),
        ("not error", "no answer", ["expected since no condition of step 2 holds"]),
        ("not error and (parcel.lost)", "no harm", []),
    ],
)
def test_a_spot_says_by_which_condition_the_expected_step_follows(
    condition: str, harm: Any, because: list[str]
) -> None:
    graph = graph_of(WAYS)
    looks = next(node for node in graph.nodes if node.type == "api")
    way = next(link for link in graph.exits(looks.id) if link.condition == condition)
    turns = (UserTurn(text="7"), AgentTurn(node=looks.id), AgentTurn(text="Well.", node=way.target))
    origin: dict[str, Any] = {"procedure": "parcel", "path": [way.id]}
    gold = Dialogue(id="one", turns=turns, origin=origin)
    at = (Mismatch(turn=2, field="reply", expected="Well.", actual="No.", severity=harm),)
    score = Score(metric="conversation correct", dialogue="one", counts={"hits": 0, "of": 1}, value=0.0, at=at)
    trace = Trace(case="", dialogue="one", protocol="next", agent="a", turns=turns)
    (spot,) = spots([Charted("parcel.md", graph, [gold])], [Conversation(gold, trace, {score.metric: score})])
    assert list(spot.what[1:]) == because
