"""What `import toologue` offers beside the nouns: agents tested, conversations made, proved and had, in a line each.

    evaluate(agent, suite) -> Report     play and grade; `evaluate_async` inside a running event loop
    load(suite), generate(what)          conversations: a project's, a file's, a benchmark's; new ones
    prove(suite) -> Proven               whether gold passes, and altered gold is told apart
    chat(agent, world) -> Talk           an agent, message by message, in a world that remembers

Example:
    >>> from toologue import AgentTurn, Dialogue, UserTurn, evaluate
    >>> greet = Dialogue(id="greet", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello!")))
    >>> report = evaluate(lambda messages, tools: "Hello!", [greet])
    >>> report["success"].value, [one.gold.id for one in report.failed]
    (1.0, [])

Not covered: what commands alone do, as `toologue compare` and `review` (docs/cli.md).
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from toologue import registry
from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.apis.choice import Choice
from toologue.bench.benchmark import Benchmark, Graded, Mode, Options, Part, Proof, benchmark, benchmark_of, report_of
from toologue.bench.benchmark import evaluate as evaluate_benchmark
from toologue.bench.prove import check_gold
from toologue.errors import BadSetting, UnknownName
from toologue.models.similarity import TextMatch
from toologue.project.chains import ChainMaking, make_chains
from toologue.project.generate import Making, sources
from toologue.project.generate import generate as from_procedures
from toologue.project.playable import Given, Playable, Played, ProtocolPlayed, Tested, as_agent, given
from toologue.report import view
from toologue.report.costs import Cost
from toologue.report.junit import write_junit
from toologue.report.page import write_page
from toologue.report.tables import totals_table
from toologue.report.words import broken_words
from toologue.run.runner import Limits, Selection
from toologue.run.talk import Talk
from toologue.schema import AgentTurn, Brief, Dialogue, Turn
from toologue.schema.jsonl import read, replacing
from toologue.score.metric import Total, totals
from toologue.worlds.named import given_setting, place_of

Suite = str | Path | Iterable[Dialogue]
Progress = Callable[[int, int], None]
# What stands for "success" where a suite has no metric of that name; the first that it has.
_SUCCESS = ("success", "test correct", "perfect dialogue")
_DOCUMENTS = (".yaml", ".yml", ".json", ".jsonl")


@dataclass(frozen=True)
class Report:
    """What became of an agent: metrics by name, conversations, pages. `print(report)` prints the table.

    `report["success"]` is there for every suite: `value`, the 95 % interval `low` to `high`, and `best`, the value if
    all that is unsure is right; in the paper's words it is ToolTalk's success, ALMITA's test correct, Dialog2API's
    perfect dialogue, ToolDial's turns that are right in all.
    """

    view: view.Report = field(repr=False)
    conversations: Sequence[Played] = field(repr=False)
    success: str = "success"

    def __getitem__(self, metric: str) -> Total:
        known = self.view.runs[0].by_metric
        if metric == "success" and metric not in known:
            metric = self.success
        if metric not in known:
            raise UnknownName("metric", metric, known)
        return known[metric]

    @property
    def metrics(self) -> list[str]:
        """The names of all metrics."""
        return self.view.metrics

    @property
    def passed(self) -> list[Played]:
        """Conversations that are right."""
        return self._of("passed")

    @property
    def failed(self) -> list[Played]:
        """Conversations in which something is wrong: each has `findings`, a `transcript`, `gold` and `trace`."""
        return self._of("failed")

    @property
    def unsure(self) -> list[Played]:
        """Conversations of which nobody knows offline."""
        return self._of("unsure")

    @property
    def unscored(self) -> list[Played]:
        """Conversations that a model gave no reply in."""
        return self._of("unscored")

    def _of(self, status: str) -> list[Played]:
        return [one for one in self.conversations if one.status == status]

    def save(self, file: Path | str) -> None:
        """Write the page (.html), JUnit XML (.xml) or all figures (.json). Raises BadSetting for another ending."""
        path = Path(file)
        match path.suffix:
            case ".html":
                write_page(path, self.view)
            case ".xml":
                write_junit(path, self.view)
            case ".json":
                with replacing(path) as stream:
                    stream.write(json.dumps(self.record(), indent=1).encode() + b"\n")
            case _:
                raise BadSetting(f"{path}: a report ends in .html, .xml or .json")

    def record(self) -> dict[str, Any]:
        """All figures, as JSON."""
        about = ("status", "findings")
        told = [
            {"id": one.gold.id, "trial": one.trace.trial, **{name: getattr(one, name) for name in about}}
            for one in self.conversations
        ]
        run = self.view.runs[0]
        totalled = [total._asdict() for total in run.totals]
        broken = {"broken": words} if (words := broken_words(run.faults)) else {}
        return {"title": self.view.title, "agent": run.name, **broken, "totals": totalled, "conversations": told}

    def __str__(self) -> str:
        from rich.console import Console

        text, run = StringIO(), self.view.runs[0]
        if words := broken_words(run.faults):
            text.write(f"{run.name}: {words}\n")
        Console(file=text, width=100).print(totals_table(self.view))
        return text.getvalue().rstrip()


def evaluate(
    agent: Tested,
    suite: Suite,
    *,
    protocol: ProtocolPlayed | None = None,
    only: Sequence[str] = (),
    limit: int | None = None,
    trials: int | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    out: Path | str | None = None,
    data: Path | str | None = None,
    mode: Mode = "fixed",
    task: str | Sequence[str] = (),
    labels: str | Sequence[str] = (),
    cap: int | None = None,
    progress: Progress = lambda done, of: None,
) -> Report:
    """Play an agent through a suite, and grade it.

    `agent`: a function of (messages, tools) in OpenAI's shape, sync or async; an object with `async act(history,
    brief)`; a model; or a name (docs/your-agent.md). `suite`: a project's folder, a dialogues.jsonl, the name of a
    benchmark, or dialogues. `only` are patterns of ids, `limit` takes the first of them, each is played `trials` times,
    `concurrency` at once, for `timeout` seconds at most.

    Of a benchmark, as in `toologue bench`: `data` where they are not those that ship; `mode`: fixed or published;
    `task` and `labels` of tooldial, whose metrics are those of all that are played; `cap`: steps in a round.

    A name in a project is kept in the project's folder, as by `toologue test`; all else is kept in the folder `out`,
    where it is given: what was done before is not done again. Raises UserError; BadSetting in a running event loop.
    """
    if _running():
        raise BadSetting("evaluate waits, and an event loop is running here: await toologue.evaluate_async(…)")
    for name, number in {"limit": limit, "trials": trials, "concurrency": concurrency}.items():
        if number is not None and number < 1:
            raise BadSetting(f"{name}={number}: give 1 or more")
    chosen, limits = Selection(only, None, limit), Limits(concurrency or Limits().concurrency, timeout)
    folder = _at(out)
    if isinstance(suite, str) and suite in registry.names("benchmark") and not Path(suite).exists():
        if protocol is not None:
            raise BadSetting(f"the benchmark {suite!r} has a protocol of its own: leave out `protocol`")
        options = Options(mode=mode, trials=trials or 1, limits=limits, cap=cap, progress=progress, out=folder)
        asked = {"task": _listed(task), "labels": _listed(labels)}
        return _benchmarked(agent, benchmark(suite).choosing(**asked), _at(data), chosen, options)
    if data is not None:
        raise BadSetting("`data` is where a benchmark's published data are: give a suite as its path alone")
    if mode != "fixed" or task or labels or cap:
        raise BadSetting(f"mode, task, labels and cap are a benchmark's, and {str(suite)[:60]!r} is none")
    playable = _playable(suite, protocol or "next")
    if not playable.golds:
        raise BadSetting("there is no conversation in this suite: give one at least")
    often = trials or (playable.project.settings.run.trials if playable.project else 1)
    found, kept = list[Played](), playable.place(agent, often, folder)
    if concurrency or timeout:
        playable = replace(playable, limits=limits)
    playable.play(agent, chosen.of(playable.golds), found.append, trials=often, kept=kept, progress=progress)
    facts, costs = {"protocol": playable.protocol, "trials": str(often)}, [one.cost for one in found]
    graded = totals(score for one in found for score in one.scores.values())
    run = view.RunView(playable.resolve(agent).name, facts, graded, found, costs=costs)
    about = view.Report(playable.path.resolve().name, [run], charted=playable.charted)
    return Report(about, found, next((one for one in _SUCCESS if one in run.by_metric), "success"))


async def evaluate_async(agent: Tested, suite: Suite, **options: Any) -> Report:
    """`evaluate` inside a running event loop, with its options; async agents are asked on this loop."""
    asked = agent if isinstance(agent, str | AgentSpec) else _On(asyncio.get_running_loop(), agent)
    return await asyncio.to_thread(partial(evaluate, asked, suite, **options))


class _On:
    """An agent that is asked on a loop, whoever waits for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, agent: Given):
        self._loop, self._agent, self.__name__, self.__wrapped__ = loop, as_agent(agent), given(agent).name, agent

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The agent's turn."""
        asked = self._agent.act(history, brief)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, self._loop))


def _running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _playable(suite: Suite, protocol: ProtocolPlayed) -> Playable:
    if isinstance(suite, str | Path):
        if not Path(suite).exists():
            raise UnknownName("suite, and no file or folder,", str(suite), registry.names("benchmark"))
        return Playable.of(Path(suite), protocol)
    return Playable(Path("conversations"), tuple(suite), TextMatch.of("lexical"), protocol)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else [*names]


def _at(data: Path | str | None) -> Path | None:
    return None if data is None else Path(data)


def _benchmarked(agent: Tested, chosen: Benchmark, data: Path | None, some: Selection, options: Options) -> Report:
    if options.out is not None and not isinstance(agent, str):
        raise BadSetting("a benchmark keeps agents by their names: give one that is registered, or leave out `out`")
    match = TextMatch.of("lexical" if chosen.alike else "exact")
    asked = agent if isinstance(agent, str) else given(agent)
    results = evaluate_benchmark(chosen, some.of(chosen.load(data)), [asked], judge=match, options=options)
    made = report_of(chosen, results, judge=match, mode=options.mode)
    made = replace(made, runs=[replace(made.runs[0], totals=_totals_of(*results.values()))])
    found = [Played.of(one, (), Cost()) for one in made.runs[0].all]
    return Report(made, found, "test correct" if chosen.name == "almita" else chosen.passes)


def _totals_of(played: Mapping[Part, Sequence[Graded]]) -> list[Total]:
    """The totals of all parts; of metrics that several have the last ones' by name, the others' by metric and part."""
    scores = {part: [score for one in graded for score in one.scores.values()] for part, graded in played.items()}
    found = {part: totals(every) for part, every in scores.items()}
    last = {one.metric: part for part, every in found.items() for one in every}
    return [
        one if last[one.metric] == part else one._replace(metric=f"{one.metric} ({part.name})")
        for part, every in found.items()
        for one in every
    ]


def load(suite: str | Path, *, data: Path | str | None = None) -> list[Dialogue]:
    """The conversations of a project, which are made where they are not there, of a file, or of a benchmark."""
    if isinstance(suite, str) and suite in registry.names("benchmark") and not Path(suite).exists():
        return list(benchmark(suite).load(_at(data)))
    return list(_playable(Path(suite), "next").golds)


def generate(
    *what: str | Path,
    service: str | Path | None = None,
    rows: str | Path | None = None,
    overlay: str | Path | None = None,
    only: Sequence[str] = (),
    tag: Sequence[str] = (),
    exclude: Sequence[str] = (),
    strict: bool = False,
    count: int | None = None,
    seed: int = 0,
    writer: str = "template",
) -> list[Dialogue]:
    """New conversations, verified: from procedures (ALMITA), or over chains of APIs (ToolDial).

    `what`: procedures or services that ship, .md files of yours over `service` (an OpenAPI document, one that ships, or
    a world of yours, `module:Class`) with its `rows` and its `overlay`; or API documents, for chains. `only`, `tag`,
    `exclude` are globs that choose among their operations; `strict` refuses a document that cannot be read in all.
    `count`: of each procedure, by default 36; of all chains, by default 100. `writer`: a model that finds the words.
    Raises UserError.
    """
    names, choice = [str(one) for one in what], Choice(only=(*only,), tag=(*tag,), exclude=(*exclude,), strict=strict)
    if any(Path(name).suffix in _DOCUMENTS for name in names):
        if beside := service or rows or overlay:
            raise BadSetting(f"{beside}: chains are made of API documents alone: leave it out")
        with tempfile.TemporaryDirectory() as folder:
            make_chains(names, Path(folder) / "made", ChainMaking(count or 100, seed), choice=choice)
            return list(read(Path(folder) / "made" / "dialogues.jsonl", Dialogue))
    chosen = sources(names, given_setting(service, rows, overlay, choice))
    making = Making(count=count or Making.count, seed=seed, writer=writer)
    return [dialogue for made in from_procedures(chosen, making) for dialogue in made.dialogues]


class Proven(NamedTuple):
    """What became of gold: names of conversations in which it fails or that are not valid, and of altered gold."""

    failed: Sequence[str]
    proofs: Sequence[Proof]

    @property
    def good(self) -> bool:
        """Whether gold passes, wrong agents are caught, and right ones are not."""
        return not self.failed and all(proof.accepted is not False for proof in self.proofs)


def prove(suite: str | Path) -> Proven:
    """Whether the grader can fail: gold and altered gold of a benchmark, a dialogues.jsonl or a generated folder."""
    name = str(suite)
    chosen = benchmark_of(name)
    golds = chosen.load(None if name == chosen.name else Path(suite))
    judge, options = TextMatch.of("lexical" if chosen.alike else "exact"), Options()
    found = (chosen.check or check_gold)(chosen, golds, judge, options)
    failed = [*found.failed, *(id for id, _ in found.flaws)]
    return Proven(failed, list(chosen.proofs(chosen, golds, judge, options)) if chosen.proofs else [])


def chat(
    agent: Tested = "retrieve",
    world: str = "assistant",
    *,
    data: Path | None = None,
    instructions: str = "",
    seed: int = 0,
) -> Talk:
    """Talk to an agent in a world: assistant, s3, a service that ships, an OpenAPI document of yours, `module:Class`.

    `instructions`: what the agent has to keep to. Nothing is asked before something is deleted: `toologue chat` does.
    Raises UserError.

    Example:
        >>> chat("retrieve", "assistant").say("Which alarms are set?") != ""
        True
    """
    case = place_of(world, data).case("chat", seed, instructions=instructions)
    return Talk(case, resolve_agent(agent) if isinstance(agent, str) else given(agent))
