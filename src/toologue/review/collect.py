"""What there is to review: what rules leave open in runs, what a judge rejected, and anything that was generated.

Contract: questions in the order to look at them. Of runs first those whose answer alone decides a conversation, then
those on which more hangs; rules alone make the order, so that it tells nothing of what others have decided.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json

from toologue.apis.entities import outputs
from toologue.errors import BadFile, shown
from toologue.formats.procedure import write as procedure_text
from toologue.models.similarity import TextMatch
from toologue.plan.api_graph.check_graph import api_text
from toologue.report.view import Conversation, scores_of
from toologue.review.ledger import Collector, Ledger
from toologue.run.store import RunFolder
from toologue.schema import Api, Dialogue, Edge, Graph, Noun, Procedure, Question, QuestionKind, Record, Trace
from toologue.schema.jsonl import read, read_lines
from toologue.score.metric import best_of, done_at
from toologue.score.questions import history_of, step_question
from toologue.values.json_schema import object_of

_GENERATED = ("procedures.jsonl", "graphs.jsonl", "dialogues.jsonl", "graph.jsonl")


def run_folders(what: Path) -> list[RunFolder]:
    """The run folder that a path is, or those that stand in it."""
    places = [what] if (what / "run.json").exists() else sorted(file.parent for file in what.glob("*/run.json"))
    return [RunFolder(place) for place in places]


def open_questions(
    runs: Iterable[RunFolder], match: TextMatch, *, among: Callable[[Question], bool] | None = None
) -> list[Question]:
    """What rules leave open in runs, worst first; with `among` what it holds of, open or not."""
    found: dict[str, tuple[tuple[int, ...], Question]] = {}
    for gold, trace in chain.from_iterable(run.pairs() for run in runs):
        for rank, question in _asked(gold, trace, match, among):
            found[question.key] = min(found.get(question.key, (rank, question)), (rank, question), key=lambda x: x[0])
    return [question for _, question in sorted(found.values(), key=lambda one: one[0])]


def _asked(
    gold: Dialogue, trace: Trace, match: TextMatch, among: Callable[[Question], bool] | None
) -> Iterator[tuple[tuple[int, ...], Question]]:
    notes = Collector(Ledger(), all=among is not None)
    scores = scores_of(gold, trace, replace(match, reader=notes))
    one = Conversation(gold, trace, scores)
    harm = scores.get("harmless")
    doubtful = harm is not None and best_of(harm) == 1.0 != harm.value
    every = notes.questions | ({} if among is None else {question.key: question for question in _failed(one)})
    asked = [question for question in every.values() if among is None or among(question)]
    rank = (one.status != "unsure", not doubtful, len(asked))
    for question in asked:
        yield rank, question.replace(notes={**question.notes, "agent": trace.agent, "open": len(asked)})


def _failed(one: Conversation) -> Iterator[Question]:
    """Whether the steps would do after all that rules find wrong, acts among them."""
    wrong = [at for at in one.verdict.at if at.verdict == "wrong"] if one.verdict else []
    for turn in sorted({at.turn for at in wrong if at.turn is not None}) if one.trace.protocol == "next" else ():
        found = tuple(at for at in wrong if at.turn == turn)
        yield step_question(one.gold, turn, done_at(one.trace, turn), "wrong", found)


def generated(what: Path, *, kinds: Collection[QuestionKind] = (), sample: int | None = None) -> list[Question]:
    """What was generated into a file or a folder; `sample`: so many of them, the same ones whenever it is asked."""
    files = [what]
    if what.is_dir():
        pages = sorted(what.glob("*.md")) or sorted(what.glob("procedures/*.md"))
        files = [*pages, *(what / name for name in _GENERATED if (what / name).is_file())]
    asked = chain.from_iterable(map(_of_file, files))
    chosen = (one for one in asked if not kinds or one.kind in kinds)
    if sample is not None:
        return heapq.nsmallest(sample, chosen, key=lambda one: one.key)
    return list(chosen)


def _of_file(file: Path) -> Iterator[Question]:
    if file.suffix == ".md":
        yield Question(
            kind="procedure", said=file.read_text(encoding="utf-8", errors="replace"), notes={"name": file.name}
        )
        return
    first = next((line for _, line, _ in islice(read_lines(file), 1)), b"")
    if not first:
        raise BadFile(f"{file} is empty: there is nothing in it to review")
    try:
        mark = str(object_of(from_json(first)).get("format"))
    except ValueError:
        mark = "none"
    if mark not in _READERS:
        raise BadFile(f"{file}: format {shown(mark)}: procedures, graphs, conversations and edges can be reviewed")
    noun, question = _READERS[mark]
    yield from map(question, read(file, noun))


def _conversation(one: Dialogue) -> Question:
    """Keyed by its turns: what it is called, and what its procedure says elsewhere, is no part of it."""
    step = f"a conversation of {one.origin.get('procedure') or one.origin.get('line') or 'nobody'}"
    said: list[JsonValue] = [*history_of(one.turns, one.facts)]
    return Question(kind="conversation", brief=one.instructions, step=step, said=said, notes={"name": one.id})


def _graph(one: Graph) -> Question:
    """Nodes and links with all that hangs on them: what is called and collected, when a way is taken, what it sets."""
    nodes = [
        f"{node.id} {node.type}: {node.text}{_more(node, 'arguments', 'collects', 'result')}" for node in one.nodes
    ]
    links = [f"{one.source} → {one.target}: {one.text}{_more(one, 'condition', 'sets', 'tries')}" for one in one.links]
    return Question(kind="graph", step=f"{one.kind} graph", said=[*nodes, *links], notes={"name": one.id})


def _more(part: Noun, *fields: str) -> str:
    found = part.model_dump(mode="json", include=set(fields))
    return "".join(f"; {name} {json.dumps(found[name], ensure_ascii=False)}" for name in fields if found[name])


def edge_question(one: Edge) -> Question:
    """Whether an output can feed a parameter. Keyed by names: what is documented of them is no part of it."""
    said = {"source": one.source, "output": one.output, "target": one.target, "parameter": one.parameter}
    name = f"{one.output} → {one.parameter}"
    return Question(kind="edge", step="an edge of an API graph", said=dict(said), notes={"name": name})


def with_documents(question: Question, apis: Mapping[str, Api]) -> Question:
    """A question of an edge with what is documented of both Apis, where they are known."""
    said = object_of(question.said)
    source, target = (apis.get(str(said.get(end))) for end in ("source", "target"))
    if question.kind != "edge" or source is None or target is None:
        return question
    given = (one for one in outputs(source) if one.name == said["output"])
    gives = [f"  gives {one.name}: {'; '.join(filter(None, (one.phrase, one.description)))}" for one in given]
    return question.replace(brief="\n".join([api_text(source), *gives, "", api_text(target)]))


_READERS: Mapping[str, tuple[type[Record], Callable[[Any], Question]]] = {
    "dialogue/1": (Dialogue, _conversation),
    "graph/1": (Graph, _graph),
    "edge/1": (Edge, edge_question),
    "procedure/1": (
        Procedure,
        lambda one: Question(kind="procedure", said=procedure_text(one), notes={"name": one.id}),
    ),
}
