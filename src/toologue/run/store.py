"""The run folder: everything one run is made of and gave, safe against being killed at any moment.

    run.json         what was run: agent, its code, settings
    dialogues.jsonl  the gold dialogues, acts executed; the folder needs nothing else
    traces.jsonl     one trace a line, appended as cases end; in the order of the cases once the run is finished
    faults.jsonl     traces that were taken out to be run again: of a model that gave no reply, of time that was up
    times.jsonl      clock times and what was spent, a line a case, kept apart so that equal runs have equal traces
    grading.json     how a benchmark that was run grades it: `score`, `report` and `compare` do so, too
    scores.jsonl     written by `toologue score`, beside scores.json (similarity, thresholds, totals) and costs.json

Contract: a case whose trace is on disk is not run again, unless a fault that may pass is all that it shows. What does
not change what an agent does (time, tries, how many at once) makes no other run, nor do more dialogues or trials. A
folder of another configuration is refused, naming what differs. A finished run is byte-equal to any other run of the
same configuration, however often either was interrupted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from toologue import __version__, keys
from toologue.agents.agent import AgentSpec, name_of, resolve_agent, split_options
from toologue.errors import BadFile, BadRecord, BadSetting, RunMismatch, shown
from toologue.run.runner import Finished, Limits, Settings, cases_of, grounded, run_all
from toologue.schema import Api, Case, Dialogue, Fault, Noun, Trace, jsonl
from toologue.text.tokens import callable_name
from toologue.users import speaker

_N = TypeVar("_N", bound=Noun)
# What becomes of dialogues of a run that are not, or not so, among those that are run now.
Others = Literal["refuse", "keep", "drop"]


class Config(Noun):
    """What a run is. Runs of equal configuration have equal traces; how many cases at once is not part of it.

    `agent` and `user` are registered names; a user speaks under the protocol `live` only. `code` is the key of what an
    agent of a file imports (`agents.agent.code_of`).
    """

    format: Literal["run/1"] = "run/1"
    version: str = __version__
    agent: str
    code: str = ""
    user: str = ""
    settings: Settings = Settings()

    @property
    def name(self) -> str:
        """What the agent is called."""
        return name_of(self.agent)

    def identity(self) -> dict[str, JsonValue]:
        """What makes it another run where it differs."""
        said = self.model_dump(mode="json", exclude={"settings"})
        settings = self.settings.model_dump(mode="json", exclude={"trials"})
        return {**said, "agent": split_options(self.agent, "timeout", "tries", "price")[0], **settings}


class Grading(Noun):
    """How a part of a benchmark is graded: its mode, a similarity as the command line names it, its thresholds."""

    format: Literal["grading/1"] = "grading/1"
    benchmark: str
    part: str = ""
    mode: Literal["fixed", "published"]
    similarity: str
    thresholds: Mapping[str, float]

    @property
    def words(self) -> str:
        """Benchmark, part and mode as people read them."""
        return ", ".join(filter(None, (self.benchmark, self.part, self.mode)))


class RunFolder:
    """A run folder on disk."""

    def __init__(self, path: Path | str):
        self.path = Path(path)

    @property
    def config(self) -> Config:
        """What was run."""
        return self._read("run.json", Config)

    @property
    def grading(self) -> Grading | None:
        """How the benchmark grades it that it was run for; None where `toologue run` made it."""
        return self._read("grading.json", Grading) if (self.path / "grading.json").exists() else None

    def keep(self, grading: Grading) -> None:
        """Keep how it is graded from now on. Scores that were made otherwise go."""
        if grading != self.grading:
            for stale in ("scores.json", "scores.jsonl"):
                (self.path / stale).unlink(missing_ok=True)
            self.write("grading.json", grading)

    def _read(self, name: str, noun: type[_N]) -> _N:
        file = self.path / name
        try:
            return noun.model_validate_json(file.read_bytes())
        except OSError as error:
            raise BadFile(f"{self.path} is no run folder: cannot read {name}: {error.strerror or error}") from None
        except ValidationError as error:
            raise jsonl.bad_record(error, noun, file, 0) from None

    def write(self, name: str, noun: Noun) -> None:
        """Write one of its JSON files, in one step."""
        with jsonl.replacing(self.path / name) as stream:
            stream.write(json.dumps(noun.model_dump(mode="json"), indent=2).encode() + b"\n")

    def dialogues(self) -> Iterator[Dialogue]:
        """The gold dialogues."""
        return jsonl.read(self.path / "dialogues.jsonl", Dialogue)

    def traces(self) -> Iterator[Trace]:
        """The traces that are there. Raises BadRecord for a second one of a case: nothing is counted twice."""
        seen: set[str] = set()
        for trace in jsonl.read(self.path / "traces.jsonl", Trace, empty=True):
            if trace.case in seen:
                what = f"case {trace.case} of dialogue {trace.dialogue!r} has a trace already"
                raise BadRecord(self.path / "traces.jsonl", len(seen) + 1, "$.case", what, "the same run mends it")
            seen.add(trace.case)
            yield trace

    def missing(self) -> Iterator[str]:
        """The ids of the dialogues of which a trace is not there, each as often as one is missing."""
        there = Counter(trace.dialogue for trace in self.traces())
        for dialogue in self.dialogues():
            yield from [dialogue.id] * (self.config.settings.trials - there[dialogue.id])

    def pairs(self) -> Iterator[tuple[Dialogue, Trace]]:
        """Every trace with its gold. A stream, if the run is finished; else the dialogues are held in memory."""
        golds, gold, seen = self.dialogues(), None, dict[str, Dialogue]()
        for trace in self.traces():
            if gold is None or gold.id != trace.dialogue:
                gold = seen.get(trace.dialogue)
            if gold is None:
                for gold in golds:
                    if gold.id == trace.dialogue:
                        break
                    seen[gold.id] = gold
                else:
                    raise BadFile(f"{self.path}: a trace of {trace.dialogue!r}, but no such dialogue")
            yield gold, trace


def places(out: Path, agents: Sequence[str]) -> list[Path]:
    """The run folder of each agent: `out`, or one in it by the agent's name where there are several."""
    called = called_apart(agents)
    return [out] if len(agents) == 1 else [out / name for name in called]


def called_apart(agents: Sequence[str]) -> list[str]:
    """The names of agents, as files can have them. Raises BadSetting where two have one."""
    called = [callable_name(name_of(one)) for one in agents]
    twice = next((name for name, times in Counter(called).items() if times > 1), None)
    if twice:
        raise BadSetting(f"two agents are called {twice!r}: give each a name of its own, {agents[0]}?name=SHORT")
    return called


def run_folder(
    path: Path | str,
    dialogues: Iterable[Dialogue],
    config: Config,
    *,
    agent: AgentSpec | None = None,
    others: Others = "refuse",
    limits: Limits = Limits(),
    apis: Mapping[str, Api] | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> RunFolder:
    """Run dialogues into a folder, or go on where an earlier run of the same configuration was cut off.

    `agent` is the one that `config` names, where no registered name leads to it. `others`: what becomes of dialogues
    that the folder has beside these, or had before they changed. `progress(done, of)` is called as cases finish. Raises
    RunMismatch for a folder of another configuration, Denied and Unfinished as `run_cases` does.
    """
    folder = RunFolder(path)
    tested = agent or resolve_agent(config.agent)  # a name that is wrong is refused before anything is written
    if bool(config.user) != (config.settings.protocol == "live"):
        raise BadSetting("a user speaks under the protocol 'live', and that protocol needs one: --user graph")
    speaker(config.user)
    jsonl.check_owned(folder.path, "run.json")
    with _locked(folder.path):
        for name in ("scratch", "run.json", "traces.jsonl"):  # what a killed run left
            for stale in folder.path.glob(f".{name}.*"):
                shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
        asked = set[str]()
        count = _prepare(folder, dialogues, asked, config, others)
        settings = folder.config.settings

        def cases() -> Iterator[Case]:
            return cases_of(folder.dialogues(), settings, apis)

        traces_file, order = folder.path / "traces.jsonl", list[str]()
        done = _done(folder, cases, drop=others != "refuse")
        numbers = itertools.count(len(done))

        def left() -> Iterator[Case]:
            for case in cases():
                order.append(case.key)
                if case.key not in done and case.id in asked:
                    yield case

        progress(next(numbers), count)
        with jsonl.Appender(traces_file) as traces, jsonl.Appender(folder.path / "times.jsonl") as times:

            def kept(finished: Finished) -> None:
                traces.append(jsonl.line_of(finished.trace))
                spent = b',"spent":%b' % json.dumps(vars(finished.spent)).encode() if finished.spent.requests else b""
                case = finished.trace.case.encode()
                times.append(b'{"case":"%b","seconds":%.6f%b}\n' % (case, finished.seconds, spent))
                progress(next(numbers), count)

            run_all(left(), tested, kept, user=speaker(config.user), limits=limits)
        _rewrite_in_order(traces_file, order)
    return folder


def _prepare(folder: RunFolder, dialogues: Iterable[Dialogue], ids: set[str], config: Config, others: Others) -> int:
    """Write dialogues and configuration, or check them against those that are there. Returns how many cases."""
    target = folder.path / "dialogues.jsonl"
    before = _keys_by_id(target)
    there = folder.config if (folder.path / "run.json").exists() else None
    if there is not None:
        old, new = there.identity(), config.identity()
        if names := [name for name in new if old.get(name) != new[name]]:
            what = "; ".join(f"{name}: {shown(old.get(name))} there, {shown(new[name])} now" for name in names)
            remedy = "choose another folder, or remove this one"
            raise RunMismatch(f"{folder.path} belongs to another run ({what}); {remedy}")
        trials = max(config.settings.trials, there.settings.trials)
        config = config.replace(settings=config.settings.replace(trials=trials))
    with tempfile.TemporaryDirectory(dir=folder.path, prefix=".scratch.") as scratch:
        fresh = Path(scratch) / target.name
        count = jsonl.write(fresh, _chosen(dialogues, ids, target, others))
        if not count:
            raise BadFile("there is no dialogue to run")
        if others == "refuse":
            _check_kept(folder, before, _keys_by_id(fresh) if before else {})
        if config != there:
            folder.write("run.json", config)
        fresh.replace(target)
    return count * config.settings.trials


def _chosen(dialogues: Iterable[Dialogue], ids: set[str], there: Path, others: Others) -> Iterator[Dialogue]:
    """Dialogues, executed, their `ids` taken down; behind them those of a file that are to be kept."""
    for dialogue in dialogues:
        if dialogue.id in ids:
            raise BadRecord("dialogues", 0, "$.id", f"{dialogue.id!r} occurs twice", "give each an id of its own")
        ids.add(dialogue.id)
        yield grounded(dialogue)
    if others == "keep" and there.exists():
        yield from (one for one in jsonl.read(there, Dialogue) if one.id not in ids)


def _keys_by_id(file: Path) -> dict[str, str]:
    """What each dialogue of a file is, by its id."""
    if not file.exists():
        return {}
    return {from_json(line)["id"]: keys.content_key(line.decode()) for _, line, _ in jsonl.read_lines(file)}


def _check_kept(folder: RunFolder, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse a set in which dialogues that were run are others, or are not."""
    lost = [id for id in before if id not in now]
    changed = [id for id in before if id in now and now[id] != before[id]]
    for some, what in (lost, "not among the dialogues now"), (changed, "another dialogue now"):
        if some:
            others = f" ({len(some)} are)" if some[1:] else ""
            whose = f"{shown(some[0])}, which was run, is {what}{others}"
            raise RunMismatch(f"{folder.path}: {whose}; choose another folder, or remove this one")


def _done(folder: RunFolder, cases: Callable[[], Iterable[Case]], *, drop: bool) -> set[str]:
    """The keys of the cases whose traces stay on disk; a line that a kill cut off does not count.

    Those that show a fault that may pass move to faults.jsonl. Those of no case are refused, unless they `drop` out.
    """
    file = folder.path / "traces.jsonl"
    if not file.exists():
        return set()
    known = {case.key for case in cases()}
    there = {key: may_pass for key, may_pass, _ in _lines(file)}
    strangers = there.keys() - known
    if strangers and not drop:
        what = f"{len(strangers)} of its {len(there)} traces are of no case of this run"
        raise RunMismatch(f"{folder.path}: {what}: dialogues, databases or API documents have changed")
    found = {key for key, faulted in there.items() if key in known and not faulted}
    if len(found) < len(there):
        with jsonl.Appender(folder.path / "faults.jsonl") as faults:
            for key, _, line in _lines(file):
                if there[key]:
                    faults.append(line)
        with jsonl.replacing(file) as stream:
            stream.writelines(line for key, _, line in _lines(file) if key in found)
    return found


def _lines(file: Path) -> Iterator[tuple[str, bool, bytes]]:
    """(case, whether it shows a fault that another try may not meet, line) of the whole lines.

    One that is cut off, be it but for its newline, the appender removes.
    """
    for number, line, torn in jsonl.read_lines(file):
        if torn:
            continue
        try:
            trace = from_json(line)
            key = str(trace["case"])
        except (ValueError, KeyError, TypeError):
            raise BadRecord(file, number, "$", "not a trace", "remove the line, or the folder") from None
        errors = (turn.get("error") for turn in trace.get("turns", ()))
        yield key, any(Fault.model_validate(error).may_pass for error in errors if error), line


def _rewrite_in_order(file: Path, order: list[str]) -> None:
    """Put the traces in the order of the cases, in one step. Lines are copied, so memory stays flat."""
    spans, offset = dict[str, tuple[int, int]](), 0
    with file.open("rb") as stream:
        for line in stream:
            spans[from_json(line)["case"]] = (offset, len(line))
            offset += len(line)
        order = [key for key in order if key in spans]
        if list(spans) == order and sum(length for _, length in spans.values()) == offset:
            return
        with jsonl.replacing(file) as target:
            for key in order:
                start, length = spans[key]
                stream.seek(start)
                target.write(stream.read(length))


@contextlib.contextmanager
def _locked(path: Path) -> Generator[None]:
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("w")
    except (OSError, ValueError) as error:
        raise jsonl.cannot_write(path, error) from None
    with lock:
        if not jsonl.locked(lock.fileno()):
            raise BadFile(f"{path} is in use by another run; wait for it, or choose another folder")
        yield
