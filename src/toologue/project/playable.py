"""Conversations that agents can be put through one by one: those of a project, or of a file `dialogues.jsonl`.

Contract: nothing is kept; whoever is played is played anew, and graded as `toologue test` grades, with what people and
judges have decided (`reviews`). Where several processes ask for a project's conversations, one makes them and the
others wait for it.

Not covered: run folders, which can be resumed (`project.evaluate`); a customer who speaks (`live`).
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from toologue.agents.agent import AgentSpec, code_key, code_of, instantiated, resolve_agent, with_file
from toologue.agents.callable import Called
from toologue.agents.llm.function_calling import FunctionCalling
from toologue.errors import BadFile, ToologueError, UnknownName
from toologue.loop import Agent
from toologue.models.model import Model
from toologue.models.similarity import TextMatch
from toologue.models.spent import Spent
from toologue.project.evaluate import gate_metric, make_suites, read_chapters, run_of
from toologue.project.settings import FILE, Project, open_project
from toologue.report.costs import Cost, known_costs
from toologue.report.coverage import spots
from toologue.report.transcript import transcript_lines
from toologue.report.view import Charted, Conversation, scores_of
from toologue.report.words import findings, headline
from toologue.review.ledger import Ledger, reviews_of
from toologue.run.runner import Finished, Limits, Settings, cases_of, grounded, run_all
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import Dialogue
from toologue.schema.jsonl import locked, read

ProtocolPlayed = Literal["next", "forced", "recorded"]
# A registered name, FILE.py:NAME, a function of (messages, tools), an object with `act`, or a model.
Tested = str | AgentSpec | Agent | Model | Callable[..., Any]


@dataclass(frozen=True, repr=False)
class Played(Conversation):
    """A conversation that was played and graded. `says`: what is wrong or unsure, with the procedure's line.

    `cost`: the seconds that it took, and what was spent on it.
    """

    says: Sequence[str] = ()
    cost: Cost = field(default=Cost())

    @classmethod
    def of(cls, one: Conversation, charted: Sequence[Charted], cost: Cost) -> Played:
        """A conversation that was graded, with what is said of it."""
        graded = (one.gold, one.trace, one.scores, one.decisions, one.blamed)
        return cls(*graded, says=list(_says(one, charted)), cost=cost)

    @property
    def findings(self) -> list[str]:
        """Every difference, a line each."""
        return [finding.line for finding in findings(self)]

    @property
    def transcript(self) -> str:
        """What was said and done, with what was expected where that differs."""
        return "\n".join(transcript_lines(self))

    def __repr__(self) -> str:
        return f"<{self.gold.id}: {self.status}{''.join(f'; {line.strip()}' for line in self.says[:3])}>"


@dataclass(frozen=True, repr=False)
class Playable:
    """Conversations of a project's folder or of a file, how they are played, and by what they are graded."""

    path: Path
    golds: Sequence[Dialogue]
    match: TextMatch
    protocol: ProtocolPlayed = "next"
    limits: Limits = Limits()
    project: Project | None = None
    charted: Sequence[Charted] = ()

    @property
    def agents(self) -> list[str]:
        """The first that the project names, which is its own: the others stand beside it."""
        return [*self.project.settings.agents][:1] if self.project else []

    @classmethod
    def of(cls, path: Path, protocol: str = "next") -> Playable:
        """Those of a project, given by its folder or its `toologue.toml`, or of a file. Raises UserError."""
        if protocol not in get_args(ProtocolPlayed):
            raise UnknownName("protocol", protocol, get_args(ProtocolPlayed))
        if path.is_dir() or path.name == FILE:
            found = cls._of_project(open_project(path if path.is_dir() else path.parent))
        else:
            match = Ledger.of(reviews_of(path)).reads(TextMatch.of("lexical"))
            found = cls(path, tuple(read(path, Dialogue)), match)
        return replace(found, protocol=cast("ProtocolPlayed", protocol))

    @classmethod
    def _of_project(cls, project: Project) -> Playable:
        gate_metric(project, project.settings.gate)  # what is wrong with it is said before anything is done
        ledger, running = Ledger.of(project.reviews), project.settings.run
        with _one_at_a_time(project.kept):
            suites = make_suites(project, read_chapters(project), repairs=ledger.repairs)
        golds = tuple(gold for suite in suites for gold in suite.dialogues)
        if not golds:
            raise BadFile(f"{project.folder}: no conversation could be made; `toologue test {project.folder}` says why")
        files = {file.name: os.path.relpath(file) for file in project.procedures}
        return cls(
            project.folder,
            golds,
            ledger.reads(TextMatch.of(project.settings.grade.similarity)),
            limits=Limits(running.concurrency, running.timeout),
            project=project,
            charted=[replace(suite.charted, file=files[suite.chapter.file]) for suite in suites],
        )

    def play(
        self,
        agent: Tested,
        golds: Iterable[Dialogue],
        done: Callable[[Played], None],
        *,
        trials: int = 1,
        kept: tuple[Path, Config] | None = None,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> None:
        """Play and grade conversations, as many at once as the limits allow; in order, the trials of one together.

        With `kept` in that run folder: what an earlier run did there is not done again.
        """
        asked, player, lived = [grounded(gold) for gold in golds], self.resolve(agent), dict[str, Finished]()
        cases = list(cases_of(asked, Settings(protocol=self.protocol, trials=trials)))

        def keep(finished: Finished) -> None:
            lived[finished.trace.case] = finished
            progress(len(lived), len(cases))

        broken: ToologueError | None = None
        try:
            if kept is None:
                run_all(cases, player, keep, limits=self.limits)
            else:
                run_folder(kept[0], asked, kept[1], agent=player, others="keep", limits=self.limits, progress=progress)
        except ToologueError as error:  # what was played until then counts
            broken = error
        if kept and (folder := RunFolder(kept[0])).path.exists():
            known = known_costs(folder)
            lived = {one.case: Finished(one, *known.get(one.case, (0.0, Spent()))) for one in folder.traces()}
        both = zip((gold for gold in asked for _ in range(trials)), cases, strict=True)
        pairs = [(gold, lived[case.key].trace) for gold, case in both if case.key in lived]
        for gold, trace in pairs:
            one = Conversation.read(gold, trace, scores_of(gold, trace, self.match), self.match.reader)
            done(Played.of(one, self.charted, Cost.of(trace, {trace.case: lived[trace.case][1:]})))
        if broken:
            raise broken

    def place(self, agent: Tested, trials: int, out: Path | None = None) -> tuple[Path, Config] | None:
        """Where a run of an agent is kept, and as what: in `out`, a name of the project where `toologue test` does.

        An agent that is no name is known by its name and the code of its file.
        """
        if out is None:
            return run_of(self.project, agent, trials) if self.project and isinstance(agent, str) else None
        settings = Settings(protocol=self.protocol, trials=trials)
        return out, Config(agent=self.resolve(agent).name, code=_code_of(agent), settings=settings)

    def resolve(self, agent: Tested) -> AgentSpec:
        """The agent that is meant; the path of a file starts in the folder, or where the command was given."""
        if not isinstance(agent, str):
            return given(agent)
        agent = self.project.spec(agent) if self.project else agent
        return resolve_agent(with_file(agent, self.path if self.path.is_dir() else self.path.parent, Path.cwd()))

    def where(self, gold: Dialogue) -> tuple[str, int]:
        """The procedure's file, and the line where the conversation ends; ("", 0) without one."""
        for one in self.charted:
            if one.graph.id == gold.origin.get("procedure"):
                nodes = (one.graph.by_id.get(turn.node or "") for turn in reversed(gold.turns))
                return one.file, next((node.line for node in nodes if node and node.line), 0)
        return "", 0


Given = Agent | Model | Callable[..., Any]


def given(agent: AgentSpec | Given) -> AgentSpec:
    """The recipe that something in Python stands for."""
    if isinstance(agent, AgentSpec):
        return agent
    made, model = as_agent(agent), cast("Any", agent)
    name = model.name if isinstance(made, FunctionCalling) else getattr(model, "__name__", type(model).__name__)
    return AgentSpec(name, lambda case: made)


def as_agent(agent: Given) -> Agent:
    """The agent that an object with `act`, a model, or a function is."""
    agent = instantiated(agent)
    if hasattr(agent, "act"):
        return cast("Agent", agent)
    return FunctionCalling(cast("Model", agent)) if hasattr(agent, "reply") else Called(cast("Any", agent))


def _code_of(agent: Tested) -> str:
    """The key of the code of an agent, where a file has it."""
    if isinstance(agent, str):
        return code_of(agent)
    made = cast("object", inspect.unwrap(cast("Callable[..., Any]", agent)))
    try:
        file = inspect.getsourcefile(made if inspect.isfunction(made) else type(made))
    except TypeError:
        return ""
    return code_key(Path(file)) if file and Path(file).is_file() else ""


def _says(lived: Conversation, charted: Sequence[Charted]) -> Iterator[str]:
    found = spots(charted, [lived], "wrong" if lived.status == "failed" else "unsure")
    for spot in found:
        yield f"{spot.where}: {spot.severity or 'unsure'}"
        yield from (f"    {line}" for line in spot.what)
    if not found:
        yield from [finding.line for finding in findings(lived)] or filter(None, [headline(lived)])


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Generator[None]:
    """Wait until no other process is in this block; where nothing can be written, none has to wait."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            folder.mkdir(exist_ok=True)
            locked(stack.enter_context((folder / ".making").open("w")).fileno(), wait=True)
        yield
