"""`toologue judge`: how far judges agree with people, and what one says of the quality of conversations."""

from __future__ import annotations

from pathlib import Path

from toologue.cli.options import OptionalOut
from toologue.cli.terminal import echo, group, progress_bar, say, table
from toologue.errors import BadSetting


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
