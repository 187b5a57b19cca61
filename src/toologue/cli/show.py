"""`toologue show`: conversations as they are executed, and what an author should look at.

A command of its own: what it shows are dialogues, so that it belongs neither to `plan`, which has none yet, nor to
`bench`, whose argument is the name of a benchmark.

Not covered: grading; `toologue run` and `toologue report` do that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from toologue.bench.tooltalk.authoring import Review, conversations_in, reviews
from toologue.bench.tooltalk.conversations import starter
from toologue.errors import BadSetting
from toologue.schema import AgentTurn, UserTurn

__all__ = ["show"]

_WHOLE = 3
"""With more conversations than this, only what there is to say about them is printed."""


def show(*files: Path, words: bool | None = None) -> None:
    """Conversations with executed results, and what to look at before they join a dataset.

    Parameters
    ----------
    files
        YAML files, folders of them, or a dialogues.jsonl.
    words
        Print every turn; by default with up to 3 conversations.
    """
    if not files:
        raise BadSetting("name a file: toologue show my-conversation.yaml")
    dialogues = list(conversations_in(files))
    known = [dialogue for dialogue in starter() if dialogue.id not in {shown.id for shown in dialogues}]
    seen: list[Review] = []
    for review in reviews(dialogues, known):
        seen.append(review)
        _print(review, words=len(dialogues) <= _WHOLE if words is None else words)
    hard = [review for review in seen if review.dialogue.origin.get("split") == "hard"]
    if len(seen) > 1:
        tools = Counter(call.act.api for review in seen for call in review.calls if call.act.kind == "call")
        print(f"{len(seen)} conversations, {len(hard)} hard ones, {len(tools)} tools{_averages(hard)}")


def _averages(hard: Sequence[Review]) -> str:
    if not hard:
        return ""
    mean = sum(len(review.calls) for review in hard) / len(hard)
    chained = sum(bool(review.chained) for review in hard)
    return f"; hard ones: {mean:.1f} calls on average, {chained} of {len(hard)} chained"


def _print(review: Review, *, words: bool) -> None:
    dialogue = review.dialogue
    split = f" [{dialogue.origin['split']}]" if "split" in dialogue.origin else ""
    print(f"== {dialogue.id}{split} {len(review.calls)} calls, {', '.join(review.plugins) or 'no plugin'}")
    for turn in dialogue.turns if words else ():
        _print_turn(turn)
    for found in review.chained:
        print(f"   chained: {found.api} {found.parameter} = {found.value!r}")
    for call in review.calls:
        if call.result.error and not words and call.act.kind == "call":
            print(f"   error: {call.act.api}: {call.result.error.message}")
    for remark in review.remarks:
        print(f"   LOOK: {remark}")


def _print_turn(turn: UserTurn | AgentTurn) -> None:
    if turn.role == "user":
        print(f"USER  {turn.text}")
        return
    for act, result in zip(turn.acts, turn.results, strict=False):
        what = f"{act.api} {_json(act.arguments)}" if act.kind == "call" else act.kind
        error = result.error if result else None
        answer = f"ERROR {error.type}: {error.message}" if error else _json(result.value if result else None)
        print(f"  CALL  {what}\n     -> {answer}")
    if turn.text is not None:
        print(f"AGENT {turn.text}")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
