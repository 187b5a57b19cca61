"""What people want of APIs and of pairs of them, and in which words: asked of a model, once each.

`questions_of` gives what there is to ask: every API that tells something, and every pair of them that conversations
would be made of. `ask_uses` asks a model (`enrich_api.txt`, `enrich_pair.txt`); what in a reply does not fit the
documents, cannot be executed, or is said of nothing, is told to it, and asked again; what stays wrong is left out, and
counted. Where a model gives no reply, nothing else is lost.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import JsonValue

from toologue import keys, limits
from toologue.apis.result_values import MOST_SHOWN, values_of
from toologue.errors import BadFile
from toologue.models.ask import ask_until_valid, bullets, model, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.models.recording import keeping_replies, told_spec
from toologue.plan.chains.catalog import ApiView, Catalog, required, telling
from toologue.plan.chains.execute import PairExecutor, Rejected
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.uses import NO_MODEL, Uses
from toologue.project.chains import candidates
from toologue.project.generate import NO_ANSWER
from toologue.project.use_replies import Answer, Question, answer_of, paths_of
from toologue.schema import Example, Use
from toologue.schema.jsonl import read, write
from toologue.schema.use import UseKey
from toologue.values.compare import lengths
from toologue.values.json_schema import list_of, object_of, types_of
from toologue.worlds.documented import is_credential
from toologue.worlds.documented.arguments import settled

_SAID, _SHOWN, _LISTED = 1200, 180, 80  # letters, lines of a document
_SAYABLE = {"string", "integer", "number", "boolean"}


@dataclass
class Tally:
    """What came of it: uses of what was given, how many were there before and how many were asked for, replies.

    `dropped`: what could not be used of replies, by place, and an instance; `without`: what there is no use of;
    `fault`: the last one of the model's.
    """

    uses: list[Use] = field(default_factory=list[Use])
    kept: int = 0
    asked: int = 0
    replies: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])
    instances: dict[str, str] = field(default_factory=dict[str, str])
    without: int = 0
    fault: str = ""


def questions_of(sources: Sequence[Path | str], folder: Path, *, each: int = 3, **given: Any) -> Iterator[Question]:
    """Every API of sources that tells something, and pairs, up to so many for `each` target, the likeliest first.

    `folder` is for their documents and graph.
    """
    catalog, pairs = candidates(sources, folder, **given)
    for name in catalog:
        view = catalog.view(name)
        secret = any(one.required and is_credential(one.name) for one in view.inputs.values())
        if view.outputs and view.inputs and not secret and _is_sayable(view):
            yield Question(catalog, name, None)
    often = Counter[str]()
    for pair in pairs:
        views = [catalog.view(name) for name in (pair.source, pair.target) if name]
        if views[-1].outputs and all(map(_is_sayable, views)):
            often[pair.target] += 1
            if often[pair.target] <= each:
                yield Question(catalog, pair.target, pair)


def _is_sayable(view: ApiView) -> bool:
    """Whether people can say all that is required: values and lists of them, no object (a filter)."""
    needed = (view.inputs[name].schema for name in required(view))
    return all(_SAYABLE & {*_kinds(one)} or _SAYABLE & {*_kinds(object_of(one.get("items")))} for one in needed)


def enrich(
    sources: Sequence[Path | str],
    out: Path,
    spec: str,
    *,
    concurrency: int = 8,
    tries: int = 3,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
    tell: Callable[[str], None] = lambda what: None,
    **given: Any,
) -> Tally:
    """Write the uses of sources into a file, which keeps what it has: what the model of a spec says.

    Asked for is what it does not hold, and what was made of other documents; `tell` is told how much, before. Killed
    and called again, nothing is asked twice.
    """
    kept = {one.about: one for one in read(out, Use, empty=True)} if out.is_file() else dict[UseKey, Use]()
    tally = Tally()
    with TemporaryDirectory() as folder:
        every = list(questions_of(sources, Path(folder), **given))
        if not every:
            raise BadFile(f"{sources[0]}: no API there takes something and returns something: document what comes back")
        new = [one for one in every if not (use := kept.get(one.about)) or use.of != one.key or use.by == NO_MODEL]
        size = sum(len(prompt_text(one)) for one in new)
        again = f"; where a reply cannot be used, up to {tries - 1} more" if tries > 1 else ""
        tell(f"{len(new):,} of {len(every):,} are asked for: {len(new):,} requests, {size:,} characters in all{again}")
        with keeping_replies(out.parent, "uses", told_spec(spec), seed):
            how = {"concurrency": concurrency, "tries": tries, "seed": seed}
            found = asyncio.run(ask_uses(new, model(spec, "enricher"), tally, **how, progress=progress))
        stale = {one.about for one in new} - {one.about for one in found}
        uses = {key: use for key, use in kept.items() if key not in stale} | {one.about: one for one in found}
        uses = dict(sorted(uses.items(), key=lambda one: one[1].source is None))  # of a pair both calls have to agree
        asked = [key for key in uses if key in {one.about for one in every}]
        uses |= {use.about: use for use in without_clashes((uses[key] for key in asked), every[0].catalog, tally)}
        tally.asked, tally.kept = len(new), len(every) - len(new)
        tally.uses = [uses[one.about] for one in every if one.about in uses]
    write(out, uses.values())
    return tally


async def ask_uses(
    questions: Sequence[Question],
    by: Model,
    tally: Tally,
    *,
    concurrency: int = 8,
    tries: int = 3,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Use]:
    """What a model says to each question, in their order. A fault that others would meet as well ends the asking."""
    turns, done, down = asyncio.Semaphore(concurrency), 0, False

    async def one(question: Question) -> Use | None:
        nonlocal done, down
        async with turns:
            if down:
                return None
            try:
                return await _ask(question, by, tally, tries=tries, seed=seed)
            except ModelFault as fault:
                down, tally.fault = down or fault.type in NO_ANSWER, str(fault)
                return None
            finally:
                done += 1
                progress(done, len(questions))

    found = [use for use in await asyncio.gather(*map(one, questions)) if use is not None]
    tally.without = len(questions) - len(found)
    return found


async def _ask(question: Question, by: Model, tally: Tally, *, tries: int, seed: int) -> Use | None:
    answers = list[Answer]()

    def parse(reply: str) -> tuple[list[str], str]:
        tally.replies += 1
        answers.append(new := answer_of(question, reply))
        again = "Give the whole JSON object again, and nothing else."
        return new.wrong, f"Some of this cannot be used:\n{bullets(new.wrong)}\n\n{again}" if new.wrong else ""

    prompt = prompt_text(question)
    await ask_until_valid(by, prompt, parse, seed, "use", *map(str, question.about), tries=tries, forget=True)
    best = max(answers, key=lambda one: (len(one.use.examples) if one.use else -1, -len(one.wrong)))
    for what in dict.fromkeys((*best.wrong, *best.lost)):
        place = re.sub(r"\[\d+\]", "", ":".join(re.sub("'.*", "", what).split(":")[:2])).strip()
        tally.dropped[place] += 1
        tally.instances.setdefault(place, what)
    return best.use and best.use.replace(by=by.name)


def prompt_text(question: Question) -> str:
    """What a model is asked."""
    *source, target = map(document_text, question.views)
    if question.pair is None:
        return render_prompt(__file__, "enrich_api.txt", document=target)
    pair, paths = question.pair, paths_of(question.views[0])
    along = "".join(f", and its `{paths[output]}` as `{name}`" for name, output in pair.along)
    slots = {"output": paths[pair.output or ""], "parameter": pair.parameter, "along": along}
    return render_prompt(__file__, "enrich_pair.txt", source=source[0], target=target, **slots)


def document_text(view: ApiView) -> str:
    """What a model is shown of an API: what it is for, what it takes, what stands where in its result."""
    api, fixed, paths = view.api, settled(view.api), paths_of(view)
    lines = [f"{api.name}{f' ({api.domain})' if api.domain else ''}: {_cut(api.description, _SAID)}", "", "It takes:"]
    for name, one in view.inputs.items():
        left = f"; taken as {_json(fixed[name])} where it is left out" if name in fixed else ""
        kind = f"{_type(one.schema)}{', required' if one.required and not left else ''}"
        lines += [] if is_credential(name) else [f"- `{name}` ({kind}){_more(one.schema)}{left}"]
    lines += [*(["nothing"] if not view.inputs else []), "", "It returns ([] is a list):"]
    worth = telling(view)
    best = {*sorted(view.outputs, key=lambda name: -worth.get(name, 0))[:_LISTED]}
    every = [
        f"- `{paths[name] or 'the value itself'}` ({_type(one.schema)}){_more(one.schema)}"
        for name, one in view.outputs.items()
        if name in best
    ]
    more = [f"… and {left} more, which you leave out"] if (left := len(view.outputs) - len(every)) else []
    return "\n".join([*lines, *(every or ["nothing that is documented"]), *more])


def _forks(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    forks = (object_of(one) for fork in ("anyOf", "oneOf", "allOf") for one in list_of(schema.get(fork)))
    return [schema, *forks]


def _kinds(schema: Mapping[str, Any]) -> dict[str, None]:
    """The JSON types that a schema names."""
    return dict.fromkeys(kind for one in _forks(schema) for kind in types_of(one))


def _type(schema: Mapping[str, Any]) -> str:
    forms = dict.fromkeys(str(one.get("format") or "") for one in _forks(schema))
    return ", ".join((" or ".join(_kinds(schema)) or "any", *filter(None, forms)))


def _more(schema: Mapping[str, Any]) -> str:
    said = _cut(str(schema.get("description") or ""), _SHOWN)
    parts = [f": {said}" if said else ""]
    parts += [f"; one of {_json(schema['enum'])}" if schema.get("enum") else ""]
    shown = list_of(schema.get("examples"))[:1]
    return "".join([*parts, *(f"; for example {_json(one)}" for one in shown)])


def without_clashes(uses: Iterable[Use], catalog: Catalog, tally: Tally) -> Iterator[Use]:
    """The uses, without examples that answer a call otherwise than an earlier one does; what finds things finds those
    of all examples."""
    every = _with_all_rows([*uses])
    executor = PairExecutor(catalog, seed=0, uses=Uses(every))
    for use in every:
        pair = Pair(use.source, use.output, use.api, use.parameter or "", "zeroyes", "knowable")
        kept = list[Example]()
        for example in use.examples:
            try:
                executor.relive(pair, use.tells, example)
                kept.append(example)
            except Rejected as rejected:
                tally.dropped[rejected.reason] += 1
                tally.instances.setdefault(rejected.reason, str(rejected))
        yield use.replace(examples=tuple(kept))


def _with_all_rows(uses: list[Use]) -> list[Use]:
    """Uses whose examples find the same by the same call: the things of all of them, if they are not many."""
    found: dict[bytes, JsonValue] = {}

    def key(use: Use, one: Example) -> bytes:
        return keys.canonical([use.source, one.source_arguments])

    def whole(use: Use) -> Use:
        every = (one.replace(source_result=found.get(key(use, one), one.source_result)) for one in use.examples)
        return use.replace(examples=tuple(every)) if use.source else use

    for number in range(max((len(use.examples) for use in uses), default=0)):  # the first of each, then the others
        for use in (use for use in uses if use.source and number < len(use.examples)):
            more = _both(found.get(key(use, one := use.examples[number])), one.source_result, use.output or "")
            if max(lengths(more), default=0) <= MOST_SHOWN:
                found[key(use, one)] = more
    return [*map(whole, uses)]


def _both(one: JsonValue, other: JsonValue, output: str) -> JsonValue:
    """Two results of one call as one: the rows of both, of those with one value of this output the first; and
    otherwise what they say alike."""
    if isinstance(one, dict) and isinstance(other, dict):
        known = {name: _both(value, other.get(name), output) if name in other else value for name, value in one.items()}
        return {name: value for name, value in {**other, **known}.items() if value is not None}
    if isinstance(one, list) and isinstance(other, list):
        there = _values_of(one, output)
        return [*one, *(row for row in other if row not in one and there.isdisjoint(_values_of(row, output)))]
    return other if one is None else one if one == other else None


def _values_of(value: JsonValue, output: str) -> set[str]:
    return {
        str(one.value) for one in values_of({"": value}) if one.name.rpartition("|")[2] == output.rpartition("|")[2]
    }


def _json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str), _SHOWN)


def _cut(text: str, most: int) -> str:
    return limits.cut(" ".join(text.split()), most)
