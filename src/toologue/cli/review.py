"""`toologue review` and `judge`: what rules leave open, settled by single keys; how far judges agree with people."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from toologue.cli.options import Flag, Judged, OptionalOut
from toologue.cli.terminal import Keys, at_terminal, command_line, echo, group, progress_bar, say, table
from toologue.errors import BadFile, BadSetting

_Kind = Literal["reply", "call", "text", "assertion", "edge", "procedure", "graph", "conversation"]


def review(
    what: Path,
    /,
    *,
    reviewer: Annotated[str | None, Parameter(name="--as")] = None,
    reviews: Path | None = None,
    kind: list[_Kind] | None = None,
    sample: int | None = None,
    agent: list[str] | None = None,
    failed: Flag = False,
    failures_of_judge: Flag = False,
    listed: Annotated[bool, Parameter(name="--list", negative="")] = False,
    decide: Path | None = None,
    agreement: Flag = False,
    checked: Path | None = None,
    repair: Flag = False,
    judge: str | None = None,
    judge_votes: int = 1,
    apis: tuple[str, ...] = (),
) -> int:
    """Decide by single keys what rules leave open, or whether what was generated is any good.

    Decisions are kept at once, a line each, in reviews/NAME.jsonl, and count in every later grading. Killed or left
    with q, the same command goes on. Nobody sees what others decided. Exits 3 where a repair is refused, or lacks.

    Args:
        what: A project, a run folder or one of `toologue bench --out`: what is unsure in it. Or anything generated: a
            folder, procedures (*.md), dialogues.jsonl, graphs.jsonl, the edges of an API graph.
        reviewer: Who decides; by default the name you are logged in by.
        reviews: Where decisions are kept; by default `reviews` in the project or beside the run or file.
        kind: Only this: reply, text, assertion, edge, procedure, graph, conversation.
        sample: Only so many of what was generated, drawn by chance, the same ones for everybody.
        agent: Of a project: whose runs; by default the agents of toologue.toml and of the last test, as they are now.
        failed: What rules find wrong, calls among it, in place of what is unsure. An accepted step is right from now
            on; one whose gold is blamed is no test any more.
        failures_of_judge: What a judge rejected, in place of what is unsure.
        listed: Print the queue, a JSON object a line, and decide nothing.
        decide: Take decisions from a file, a JSON object a line: question (its key), verdict (right, wrong), reasons,
            blame (agent, gold, grader, simulator), note. With --repair: gold, turn, instead.
        agreement: Print what each reviewer rejects, how far every two agree, and what is dropped since any of them
            rejects it.
        checked: With --agreement: edges as `toologue graph check` left them, held against decisions of people and of
            judges.
        repair: Mend the gold of a project that was blamed: accepted replies count from now on, or other words take its
            place.
        judge: A model that is asked in place of people, about replies, texts and edges: openai:NAME or
            module:attribute.
        judge_votes: How often it is asked of each, an odd number.
        apis: The documents of a graph's APIs, to show with its edges.
    """
    from toologue.apis.load import apis_of_all
    from toologue.cli.reviewing import Desk, ask_judge, questions, repair_gold, say_agreement, take
    from toologue.project.settings import open_project
    from toologue.review.collect import with_documents
    from toologue.review.ledger import Ledger, reviews_of
    from toologue.review.queue import Queue

    if not what.exists():
        raise BadFile(f"there is no {what}: name a project, a run folder or something generated")
    folder = reviews or reviews_of(what)
    if agreement:
        say_agreement(Ledger.of(folder), checked)
        return 0
    who = reviewer or getpass.getuser()
    if repair:
        return repair_gold(open_project(what), folder, who, decide)
    wrong = "judge" if failures_of_judge else "rules" if failed else None
    asked = questions(what, folder, agent or [], failed=wrong, sample=sample, kinds=kind or [])
    if apis:
        known = {one.name: one for one in apis_of_all(apis)}
        asked = [with_documents(one, known) for one in asked]
    if judging := Judged(judge, judge_votes=judge_votes).at_work(folder):
        ask_judge(judging, asked)
        return 0
    queue = Queue(asked, who, folder)
    if listed:
        for question in queue.things.values():
            echo(json.dumps({"question": question.key, **question.model_dump(mode="json")}, ensure_ascii=False))
    elif decide is not None:
        take(queue, decide)
    elif not at_terminal():
        again = command_line("review", what)
        what_else = f"`{again} --list` prints the queue, --decide FILE takes decisions"
        raise BadSetting(f"keys are read from a terminal, and this is none: {what_else}")
    else:
        with Keys() as keys:
            Desk(queue, keys).run()
        echo(f"{len(queue.decided)} of {queue.of} decided by {who}, in {queue.file}", note=True)
    return 0


def calibrate(folder: Path = Path(), /) -> None:
    """How far each judge agrees with people on what both have decided, and whether its word counts.

    It counts from 50 decisions on, with a lower 95 % bound of kappa of 0.6.

    Args:
        folder: A project, or its folder reviews.
    """
    from toologue.review.agreement import agreement, agreement_cells
    from toologue.review.judging import standing_words
    from toologue.review.ledger import FOLDER, Ledger

    reviews = folder / FOLDER if (folder / FOLDER).is_dir() else folder
    ledger = Ledger.of(reviews)
    if not ledger.judges:
        raise BadSetting(f"{reviews} has no decisions of a judge: `toologue test --judge MODEL` makes some")
    for judge in ledger.judges:
        kinds = sorted({one.kind for one in ledger.decisions(judge).values()})
        rows = [
            (kind or "all", *agreement_cells(agreement(ledger.pairs(judge, kind))))
            for kind in ["", *(kinds if len(kinds) > 1 else [])]
        ]
        say(table(("kind", "n", "agree", "kappa", "95 %"), rows, title=judge))
        echo(standing_words(ledger.agreement(judge)))


def quality(dialogues: Path, /, *, judge: str, votes: int = 10, limit: int = 100, out: OptionalOut = None) -> None:
    """How natural, coherent and efficient conversations are (1 to 3), and how faithful their responses (0 to 1).

    Each is the mean of a model's votes (G-Eval). Exits 3 where the model gave no reply.

    Args:
        dialogues: A dialogues.jsonl.
        judge: openai:NAME?temperature=1 or module:attribute.
        votes: How often it is asked for each criterion.
        limit: The most conversations that it is asked about.
        out: A JSONL file for the ratings with all raw votes.
    """
    import asyncio

    from toologue.judge.quality import CRITERIA, rate
    from toologue.models.ask import model
    from toologue.schema import Dialogue
    from toologue.schema.jsonl import line_of, read, replacing
    from toologue.score.faithfulness import VOTED

    asked = model(judge, "judge")
    golds = [gold for _, gold in zip(range(limit), read(dialogues, Dialogue), strict=False)]
    where = getattr(asked, "base_url", "")
    to = f"{asked.name}{f' at {where}' if where else ''}"
    echo(f"{len(golds)} conversations go to {to}, {votes} votes on each criterion")
    with progress_bar("judging") as progress:
        rated = asyncio.run(rate(golds, asked, votes=votes, progress=progress))
    if out is not None:
        with replacing(out) as stream:
            stream.writelines(map(line_of, rated))
    rows = list[tuple[object, ...]]()
    for name in (*CRITERIA, VOTED):
        means = [one.score for one in rated if one.criterion == name and one.score is not None]
        unread = sum(one.score is None for one in rated if one.criterion == name)
        rows.append((name, len(means), f"{sum(means) / len(means):.2f}" if means else None, unread))
    say(table(("criterion", "conversations", "mean", "no answer"), rows))


judge = group("judge", calibrate, quality)
