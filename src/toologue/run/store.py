"""The run folder: everything one run is made of and gave, safe against being killed at any moment.

    run.json         what was run: agent, settings, limits, key of the dialogues
    dialogues.jsonl  the gold dialogues, acts executed; the folder needs nothing else
    traces.jsonl     one trace a line, appended as cases end; in the order of the cases once the run is finished
    times.jsonl      clock times, kept apart so that equal runs have equal traces
    scores.jsonl     written by `toologue score`, beside scores.json (similarity, thresholds, totals)

Contract: a case whose trace is on disk is never run again. A folder of another configuration is refused, naming what
differs. A finished run is byte-equal to any other run of the same configuration, however often either was interrupted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from pydantic_core import from_json

from toologue import __version__, keys
from toologue.agents.agent import resolve_agent
from toologue.errors import BadFile, BadRecord, BadSetting, RunMismatch, shown
from toologue.parallel import ExecutorName
from toologue.run.runner import Finished, Limits, Settings, cases_of, grounded, run_all, run_in_processes
from toologue.schema import Api, Case, Dialogue, Noun, Trace
from toologue.schema.jsonl import (
    Appender,
    bad_record,
    cannot_write,
    check_owned,
    line_of,
    locked,
    read,
    read_lines,
    replacing,
    write,
)
from toologue.users import speaker


class Config(Noun):
    """What a run is. Runs of equal configuration have equal traces; how many cases at once is not part of it.

    `agent` and `user` are registered names; a user speaks under the protocol `live` only.
    """

    format: Literal["run/1"] = "run/1"
    version: str = __version__
    agent: str
    user: str = ""
    settings: Settings = Settings()
    timeout: float | None = None
    dialogues: str = ""


class RunFolder:
    """A run folder on disk."""

    def __init__(self, path: Path | str):
        self.path = Path(path)

    @property
    def config(self) -> Config:
        """What was run."""
        file = self.path / "run.json"
        try:
            return Config.model_validate_json(file.read_bytes())
        except OSError as error:
            raise BadFile(f"{self.path} is no run folder: cannot read {file.name}: {error.strerror or error}") from None
        except ValidationError as error:
            raise bad_record(error, Config, file, 0) from None

    def dialogues(self) -> Iterator[Dialogue]:
        """The gold dialogues."""
        return read(self.path / "dialogues.jsonl", Dialogue)

    def traces(self) -> Iterator[Trace]:
        """The traces that are there. Raises BadRecord for a second one of a case: nothing is counted twice."""
        seen: set[str] = set()
        for trace in read(self.path / "traces.jsonl", Trace, empty=True):
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


def run_folder(
    path: Path | str,
    dialogues: Iterable[Dialogue],
    config: Config,
    *,
    limits: Limits = Limits(),
    executor: ExecutorName = "inline",
    apis: Mapping[str, Api] | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> RunFolder:
    """Run dialogues into a folder, or go on where an earlier run of the same configuration was cut off.

    `progress(done, of)` is called as cases finish. Raises RunMismatch for a folder of another configuration.
    """
    folder = RunFolder(path)
    config = config.replace(timeout=limits.timeout)
    resolve_agent(config.agent)  # a name that is wrong is refused before anything is written
    if bool(config.user) != (config.settings.protocol == "live"):
        raise BadSetting("a user speaks under the protocol 'live', and that protocol needs one: --user graph")
    speaker(config.user)
    check_owned(folder.path, "run.json")
    with _locked(folder.path):
        for name in ("scratch", "run.json", "traces.jsonl"):  # what a killed run left
            for left in folder.path.glob(f".{name}.*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        count = _prepare(folder, dialogues, config)

        def cases() -> Iterator[Case]:
            return cases_of(folder.dialogues(), config.settings, apis)

        traces_file, order = folder.path / "traces.jsonl", list[str]()
        done = _done(traces_file)
        if done and (strangers := done - {case.key for case in cases()}):
            what = f"{len(strangers)} of its {len(done)} traces are of no case of this run"
            raise RunMismatch(f"{folder.path}: {what}: dialogues, databases or API documents have changed")
        numbers, left = itertools.count(len(done)), _remaining(cases(), done, order)
        progress(next(numbers), count)
        with Appender(traces_file) as traces, Appender(folder.path / "times.jsonl") as times:

            def kept(finished: Finished) -> None:
                _keep(traces, times, finished)
                progress(next(numbers), count)

            if executor == "inline":
                run_all(left, resolve_agent(config.agent), kept, user=speaker(config.user), limits=limits)
            else:
                keep = partial(_keep_apart, folder.path)
                for _ in run_in_processes(left, config.agent, user=config.user, limits=limits, done=keep):
                    progress(next(numbers), count)
        _rewrite_in_order(traces_file, order)
    return folder


def _keep(traces: Appender, times: Appender, finished: Finished) -> None:
    traces.append(line_of(finished.trace))
    times.append(b'{"case":"%b","seconds":%.6f}\n' % (finished.trace.case.encode(), finished.seconds))


def _keep_apart(folder: Path, finished: Finished) -> None:
    """Keep it from a process that is one of several: the one that started them has cut off torn lines."""
    with Appender(folder / "traces.jsonl", mend=False) as traces, Appender(folder / "times.jsonl", mend=False) as times:
        _keep(traces, times, finished)


def _prepare(folder: RunFolder, dialogues: Iterable[Dialogue], config: Config) -> int:
    """Write dialogues and configuration, or check them against those that are there. Returns how many cases."""
    target = folder.path / "dialogues.jsonl"
    with tempfile.TemporaryDirectory(dir=folder.path, prefix=".scratch.") as scratch:
        fresh = Path(scratch) / target.name
        count = write(fresh, _distinct(map(grounded, dialogues)))
        if not count:
            raise BadFile("there is no dialogue to run")
        config = config.replace(dialogues=keys.file_key(fresh))
        if (folder.path / "run.json").exists():
            _compare(folder, config)
        else:
            with replacing(folder.path / "run.json") as stream:
                stream.write(json.dumps(config.model_dump(mode="json"), indent=2).encode() + b"\n")
        fresh.replace(target)
    return count * config.settings.trials


def _distinct(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    seen: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in seen:
            raise BadRecord("dialogues", 0, "$.id", f"{dialogue.id!r} occurs twice", "give each an id of its own")
        seen.add(dialogue.id)
        yield dialogue


def _compare(folder: RunFolder, config: Config) -> None:
    old, new = (
        {**one.model_dump(mode="json"), **one.settings.model_dump(mode="json")} for one in (folder.config, config)
    )
    names = [name for name in new if name != "settings" and old.get(name) != new[name]]
    if names:
        what = "; ".join(f"{name}: {shown(old.get(name))} there, {shown(new[name])} now" for name in names)
        raise RunMismatch(f"{folder.path} belongs to another run ({what}); choose another folder, or remove this one")


def _done(file: Path) -> set[str]:
    """The keys of the cases whose traces are on disk; a line that a kill cut off does not count."""
    if not file.exists():
        return set()
    found: set[str] = set()
    for number, line, torn in read_lines(file):
        if torn:  # be it whole but for its newline: the appender will cut it off, so it runs again
            continue
        try:
            found.add(from_json(line)["case"])
        except (ValueError, KeyError, TypeError):
            raise BadRecord(file, number, "$", "not a trace", "remove the line, or the folder") from None
    return found


def _remaining(cases: Iterable[Case], done: set[str], order: list[str]) -> Iterator[Case]:
    for case in cases:
        order.append(case.key)
        if case.key not in done:
            yield case


def _rewrite_in_order(file: Path, order: list[str]) -> None:
    """Put the traces in the order of the cases, in one step. Lines are copied, so memory stays flat."""
    spans, offset = dict[str, tuple[int, int]](), 0
    with file.open("rb") as stream:
        for line in stream:
            spans[from_json(line)["case"]] = (offset, len(line))
            offset += len(line)
        if list(spans) == order and sum(length for _, length in spans.values()) == offset:
            return
        with replacing(file) as target:
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
        raise cannot_write(path, error) from None
    with lock:
        if not locked(lock.fileno()):
            raise BadFile(f"{path} is in use by another run; wait for it, or choose another folder")
        yield
