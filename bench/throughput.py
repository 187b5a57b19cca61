"""Conversations read, played, graded and written.

Plain: `json.loads`, a loop over dicts, `json.dumps`, on the same simulated tools. It does not validate, asks no agent
and keeps no history, executes each call once instead of twice (lived, then relived from gold), names no case, guards
no boundary, compares calls by `==` alone, and explains nothing. The second row stands beside reading the same file into
nouns and writing it again, and nothing in between.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bench.figure import Figure, in_turns
from bench.workload import starter, varied
from toologue.agents.agent import resolve_agent
from toologue.errors import ToolError
from toologue.models.similarity import TextMatch
from toologue.report.view import scores_of
from toologue.run.runner import Finished, Settings, cases_of, run_cases
from toologue.schema import Dialogue
from toologue.schema.jsonl import line_of, read, write
from toologue.worlds.assistant import TOOLS
from toologue.worlds.assistant.desk import Desk, load

AIM = 0.5  # ms: 2,000 conversations a second and core
JUDGE = TextMatch.of("lexical")
_METRICS = ("precision", "recall", "success", "outcome")


def ours(source: Path, out: Path) -> None:
    """Write traces.jsonl and scores.jsonl."""
    golds: dict[str, Dialogue] = {}
    with (out / "traces.jsonl").open("wb") as traces, (out / "scores.jsonl").open("wb") as scores:

        def under_way() -> Iterator[Dialogue]:
            for gold in read(source, Dialogue):
                golds[gold.id] = gold
                yield gold

        def keep(finished: Finished) -> None:
            traces.write(line_of(finished.trace))
            graded = scores_of(golds.pop(finished.trace.dialogue), finished.trace, JUDGE)
            scores.writelines(map(line_of, graded.values()))

        asyncio.run(run_cases(cases_of(under_way(), Settings()), resolve_agent("gold"), keep))


def plain(source: Path, out: Path) -> None:
    """Write them as a script of one's own would."""
    with (
        source.open("rb") as lines,
        (out / "traces.jsonl").open("w") as traces,
        (out / "scores.jsonl").open("w") as scores,
    ):
        for line in lines:
            gold = json.loads(line)
            turns = _played(gold)
            traces.write(json.dumps({"dialogue": gold["id"], "turns": turns}) + "\n")
            _grade(gold, turns, scores)


def _played(gold: dict[str, Any]) -> list[dict[str, Any]]:
    setting = gold["world"]["arguments"]
    desk = Desk(load(setting["databases"]), setting["now"])
    if setting.get("logged_in"):
        desk.log_in(setting["user"], "token")
    if "verification_code" in setting:
        desk.store.put("VerificationCode", setting["user"], {"code": setting["verification_code"]})
    desk.store.take()
    return [
        {**turn, "results": [_done(desk, act) for act in turn["acts"]]} if turn["role"] == "agent" else turn
        for turn in gold["turns"]
    ]


def _done(desk: Desk, act: dict[str, Any]) -> dict[str, Any]:
    tool, arguments, session = TOOLS[act["api"]], dict(act["arguments"]), desk.session
    if session and "session_token" in tool.__code__.co_varnames:
        arguments["session_token"] = session["token"]
    value, error = None, None
    try:
        value = tool(desk, **arguments)
    except (ToolError, TypeError, KeyError, ValueError) as refusal:  # a TypeError: nobody is logged in
        error = str(refusal)
    changes, created = desk.store.take()
    return {"value": value, "error": error, "changes": changes, "created": created}


def _grade(gold: dict[str, Any], turns: list[dict[str, Any]], stream: IO[str]) -> None:
    wanted, made = _deeds(gold["turns"]), _deeds(turns)
    matches = sum(one == other for one, other in zip(wanted, made, strict=True))
    good = float(matches == len(wanted))
    values = (matches / len(made), matches / len(wanted), good, good)
    for metric, value in zip(_METRICS, values, strict=True):
        stream.write(json.dumps({"metric": metric, "dialogue": gold["id"], "value": value}) + "\n")


def _deeds(turns: list[dict[str, Any]]) -> list[Any]:
    """Every call with what it gave and what it wrote."""
    return [
        (act["api"], act["arguments"], result["value"], result["changes"])
        for turn in turns
        if turn["role"] == "agent"
        for act, result in zip(turn["acts"], turn["results"], strict=True)
    ]


def copied(source: Path, out: Path) -> None:
    """Read the dialogues and write them."""
    write(out / "copy.jsonl", read(source, Dialogue))


def figures(count: int = 160) -> list[Figure]:
    """CPU milliseconds a conversation."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = folder / "dialogues.jsonl"
        write(source, varied(starter(), count))
        sides, beside = (
            in_turns(lambda: ours(source, folder), lambda other=other: other(source, folder), count=count, repeat=16)
            for other in (plain, copied)
        )
    speed = f"{1e3 / sides[0]:,.0f} conversations a second and core"
    copying = Figure("throughput, copy", *beside, "ms", 3 * beside[1], "beside read and write; the aim is three times")
    return [Figure("throughput", *sides, "ms", AIM, speed), copying]
