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
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from pydantic import JsonValue, ValidationError

from toologue import keys, limits
from toologue.apis.entities import leaves
from toologue.apis.result_values import MOST_SHOWN, sayable, values_of
from toologue.apis.schemas import violation
from toologue.errors import BadFile, UnknownName
from toologue.formats.literals import json_values
from toologue.models.ask import ask_until_valid, bullets, model, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.models.recording import keeping_replies, told_spec
from toologue.plan.chains.catalog import ApiView, Catalog, required, telling
from toologue.plan.chains.execute import Choice, ExecutedCall, Execution, PairExecutor, Rejected
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.uses import NO_MODEL, Uses, key_of
from toologue.project.chains import candidates
from toologue.project.generate import NO_ANSWER
from toologue.schema import Ask, Example, Fault, Lines, Use
from toologue.schema.jsonl import json_path, read, write
from toologue.schema.use import UseKey
from toologue.values.compare import lengths
from toologue.values.json_schema import list_of, object_of, types_of
from toologue.verify.chains.words import says_value, stands_in, strange_claims, tells_value
from toologue.worlds.documented import is_credential
from toologue.worlds.documented.arguments import read_arguments, settled

_SAID, _SHOWN, _LISTED, _REPLY = 1200, 60, 80, 200_000  # letters, lines of a document; letters of a reply
_SOMEBODY = re.compile(r"\b(?:you|your|my|me|I)\b")
_TOPIC, _LINE = 9, 60  # words of a topic, of what somebody says
_SHORT = {"openings": 20, "hints": 30, "vague": 25, "unknown": 20, "thanks": 12, "question": 20}  # words, by place
_NUMBERED = re.compile(r"\b(?:ids?|identifiers?|keys?|codes?|numbers?)\b", re.IGNORECASE)
_FIELDS = {*Use.model_fields} - {"format", "of", "by"}
_SILENCE = Lines(person="", assistant="")
_Said = TypeVar("_Said", str, Lines)
_SAYABLE = {"string", "integer", "number", "boolean"}
_CODE = re.compile(r"\S*(?:\w_\w|[|{}<>\[\]])\S*")
_GREETING = re.compile(r"^(?:hi|hello|hey|good \w+)(?: there)?[,.!]? +", re.IGNORECASE)
_LIKE = re.compile(r"^(?:I(?:'d| would) like )?to ")


class Question(NamedTuple):
    """An API, or a pair of them."""

    catalog: Catalog
    api: str
    pair: Pair | None

    @property
    def about(self) -> UseKey:
        """What its answer is about."""
        return self.pair.about if self.pair else (None, None, self.api, None)

    @property
    def key(self) -> str:
        """The key of the documents that it is about."""
        return key_of(self.about, self.catalog.apis())

    @property
    def views(self) -> list[ApiView]:
        """The source, if there is one, and the target."""
        return [self.catalog.view(name) for name in (self.about[0], self.api) if name]


class Answer(NamedTuple):
    """A use, as far as a reply can be used; what has to be mended of it, and what can be spared: where, and what."""

    use: Use | None
    wrong: list[str]
    lost: list[str]


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
    **given: Any,
) -> Tally:
    """Write the uses of sources into a file, which keeps what it has: what the model of a spec says.

    Asked for is what it does not hold, and what was made of other documents. Killed and called again, nothing is asked
    twice.
    """
    kept = {one.about: one for one in read(out, Use, empty=True)} if out.is_file() else dict[UseKey, Use]()
    tally = Tally()
    with TemporaryDirectory() as folder:
        every = list(questions_of(sources, Path(folder), **given))
        if not every:
            raise BadFile(f"{sources[0]}: no API there takes something and returns something: document what comes back")
        new = [one for one in every if not (use := kept.get(one.about)) or use.of != one.key or use.by == NO_MODEL]
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
        place = re.sub(r"\d+", "n", ":".join(re.sub("'.*", "", what).split(":")[:2])).strip()
        tally.dropped[place] += 1
        tally.instances.setdefault(place, what)
    return best.use and best.use.replace(by=by.name)


def prompt_text(question: Question) -> str:
    """What a model is asked."""
    *source, target = map(document_text, question.views)
    if question.pair is None:
        return render_prompt(__file__, "enrich_api.txt", document=target)
    pair, paths = question.pair, _paths(question.views[0])
    along = "".join(f", and its `{paths[output]}` as `{name}`" for name, output in pair.along)
    slots = {"output": paths[pair.output or ""], "parameter": pair.parameter, "along": along}
    return render_prompt(__file__, "enrich_pair.txt", source=source[0], target=target, **slots)


def document_text(view: ApiView) -> str:
    """What a model is shown of an API: what it is for, what it takes, what stands where in its result."""
    api, fixed, paths = view.api, settled(view.api), _paths(view)
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


def _paths(view: ApiView) -> dict[str, str]:
    """The paths of outputs, as in `loans[].title`, by their names."""
    return {leaf.name: leaf.path for leaf in leaves(view.api.returns)}


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
    said = _cut(str(schema.get("description") or ""), 3 * _SHOWN)
    parts = [f": {said}" if said else ""]
    parts += [f"; one of {_json(schema['enum'])}" if schema.get("enum") else ""]
    shown = list_of(schema.get("examples"))[:1]
    return "".join([*parts, *(f"; for example {_json(one)}" for one in shown)])


def _json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str), 3 * _SHOWN)


def _cut(text: str, most: int) -> str:
    return limits.cut(" ".join(text.split()), most)


def answer_of(question: Question, reply: str) -> Answer:
    """What a reply says, as far as it can be used, and what is wrong with it."""
    found = next((one for one in json_values(reply[:_REPLY], "{", tries=50) if "wanted" in one), None)
    if found is None:
        whole = "it is cut off; make it shorter" if reply.count("{") > reply.count("}") else "there is none"
        return Answer(None, [f'the reply: expected one JSON object with the key "wanted"; {whole}'], [])
    source, out, api, parameter = question.about
    ours = {"api": api, "source": source, "output": out, "parameter": parameter, "of": question.key}
    try:
        said = Use.model_validate({name: one for name, one in found.items() if name in _FIELDS} | ours)
    except ValidationError as error:
        return Answer(None, [f"{json_path(one['loc'])[2:]}: {one['msg']}" for one in error.errors()[:5]], [])
    return _Checking(question, said).checked()


class _Checking:
    """A reply held against the documents that it is about: what is `wrong` is to be mended, `lost` can be spared."""

    def __init__(self, question: Question, said: Use):
        self.question, self.said = question, said
        self.wrong, self.lost = list[str](), list[str]()
        self.apis = [view.api for view in question.views]
        names = {name for api in self.apis for name in (api.name, *api.parameters)}
        self.names = sorted(name for name in names if re.search(r"[\W_]|[a-z][A-Z]", name))

    def checked(self) -> Answer:
        """The use, as far as it can be used, and what is wrong."""
        said, (*_, target) = self.said, self.question.views
        if not said.wanted:
            why = [] if said.why.strip() else ["why: it is empty"]
            return Answer(Use(**self._about(), wanted=False, why=said.why), why, [])
        asks = self._asks("asks", said.asks, target, required(target))
        if said.parameter and (ask := asks.get(said.parameter)):
            asks[said.parameter] = ask.replace(known=False, default=None)
        source = self._asks("source_asks", said.source_asks, self.question.views[0], []) if said.source else {}
        wishes = self._kept("wishes", [_LIKE.sub("", " ".join(one.split()).strip(" .…")) for one in said.wishes], 2)
        topic, tells = said.topic.strip(), self._tells()
        if not 0 < len(topic.split()) <= _TOPIC:
            self.wrong.append(f"topic: expected up to {_TOPIC} words, got {topic!r}")
        broken = not (wishes and topic and tells) or any("asks" in one for one in self.wrong)
        if said.parameter and (ask := asks.get(said.parameter)):
            self._named(f"asks.{said.parameter}", (ask.phrase, ask.question))
            given = any(_NUMBERED.search(one.phrase) for one in source.values())
            self._named("unknown", () if given else said.unknown)
        use = said.replace(
            wishes=wishes,
            topic=topic,
            asks=self._questions("asks", asks),
            source_asks=self._questions("source_asks", source),
            tells=tells,
            openings=self._kept("openings", [_greeted(one) for one in said.openings], 2),
            hints=self._kept("hints", said.hints, 1),
            vague=self._kept("vague", said.vague, 1),
            declines=next(iter(self._kept("declines", [said.declines] if said.declines else [], 0)), None),
            unknown=self._kept("unknown", said.unknown, 1 if said.source else 0),
        )
        use = use.replace(examples=self._examples(use))
        return Answer(None if broken else use, self.wrong, self.lost)

    def _named(self, place: str, lines: Iterable[str]) -> None:
        """Who knows no id is asked for the thing, and speaks of that."""
        found = ((word, line) for line in lines if (word := _NUMBERED.search(line)))
        better = 'speak of the thing itself ("Which show is it?")'
        self.wrong += [f"{place}: no {word[0]!r} in {line!r}: {better}" for word, line in found]

    def _about(self) -> dict[str, Any]:
        return self.said.model_dump(include={"api", "source", "output", "parameter", "of"})

    def _kept(
        self,
        place: str,
        every: Sequence[_Said],
        least: int,
        *known: JsonValue,
        also: Callable[[str], Iterable[str]] = lambda line: (),
    ) -> tuple[_Said, ...]:
        """The lines that can be said where these values are known, and that `also` has nothing against; too few of
        them are wrong."""
        kept, wrong = list[_Said](), list[str]()
        for number, one in enumerate(every, 1):
            lines = (one,) if isinstance(one, str) else (one.person, one.assistant)
            most = _SHORT.get(place.rpartition(".")[2], _LINE)
            against = [why for line in lines for why in (*self._against(line, known, most), *also(line))]
            wrong += [f"{place}[{number}]: {why}" for why in against]
            kept += [] if against else [one]
        self.lost += wrong
        if len(kept) < least:
            self.wrong += wrong or [f"{place}: expected {least} or more"]
        return tuple(kept)

    def _against(self, line: str, known: Sequence[JsonValue], most: int) -> Iterator[str]:
        """Why nobody says a line, or not before these values are known."""
        if not 0 < len(line.split()) <= most:
            yield f"expected up to {most} words, got {len(line.split())}: {_cut(line, _SHOWN)!r}"
        coded = [*_CODE.findall(line), *(name for name in self.names if name in line)]
        if coded and not any(coded[0] in str(one) for one in known):
            yield f"a name as code writes it: {coded[0]!r}"
        for claim in strange_claims(line, known, self.apis)[:1]:
            yield f"nothing says {claim!r}: {_cut(line, 2 * _SHOWN)!r}"

    def _asks(self, place: str, asks: Mapping[str, Ask], view: ApiView, needed: Sequence[str]) -> dict[str, Ask]:
        names = [*needed] if self.said.parameter is None else [self.said.parameter][: place == "asks"]
        self.wrong += [
            f"{place}: {UnknownName('parameter', name, view.inputs)}" for name in asks if name not in view.inputs
        ]
        lacking = (name for name in names if not (name in asks and asks[name].phrase.strip()))
        self.wrong += [f"{place}: `{name}` is required, and has no phrase" for name in lacking]
        for name, one in asks.items():
            if who := _SOMEBODY.search(one.phrase):
                self.wrong.append(f"{place}.{name}: no {who[0]!r} in {one.phrase!r}, as both will say it")
            schema = view.api.parameters[name].json_schema if name in view.inputs else {}
            if one.default is not None and (wrong := violation(one.default, schema, f"{place}.{name}.default")):
                self.wrong.append(wrong)
        return {name: one for name, one in asks.items() if name in view.inputs and one.phrase.strip()}

    def _questions(self, place: str, asks: Mapping[str, Ask]) -> dict[str, Ask]:
        shown = {name: self._kept(f"{place}.{name}.question", [one.question], 1) for name, one in asks.items()}
        return {name: one.replace(question="".join(shown[name])) for name, one in asks.items()}

    def _tells(self) -> dict[str, str]:
        view = self.question.views[-1]
        names = {path: name for name, path in _paths(view).items()}
        told = self.said.tells
        self.wrong += [f"tells: {UnknownName('output', path, names)}" for path in told if path not in names]
        if not told:
            self.wrong.append("tells: there are no outputs")
        return {names[path]: phrase.strip() for path, phrase in told.items() if path in names and phrase.strip()}

    def _examples(self, use: Use) -> tuple[Example, ...]:
        kept, taken = list[Example](), list[set[str]]()
        for number, example in enumerate(self.said.examples, 1):
            wrong = [*self._of_call(0, example.source_arguments, example.source_result)] if use.source else []
            wrong += self._of_call(-1, example.arguments, example.result)
            done = None if wrong else self._rehearsed(use, example)
            wrong += [done] if isinstance(done, str) else []
            if not wrong and taken and {*example.arguments, *example.source_arguments} != taken[0]:
                wrong.append(f"expected the same parameters as in the other example, {_json(sorted(taken[0]))}")
            self.wrong += [f"examples[{number}]: {one}" for one in wrong]
            if not wrong and isinstance(done, Execution):
                taken.append({*example.arguments, *example.source_arguments})
                worded = self._worded(f"examples[{number}]", example, done, use.tells)
                kept += [worded] if worded.answers else []
        if not self.said.examples:
            self.wrong.append("examples: there are none")
        return tuple(kept)

    def _worded(self, place: str, example: Example, done: Execution, tells: Mapping[str, str]) -> Example:
        """An example with those of its words that say what they have to, and nothing beside."""
        known = [example.arguments, example.source_arguments, example.result]
        told = partial(self._against_answer, done=done, tells=tells)
        answers = [*self._kept(f"{place}.answers", example.answers, 1, *known, also=told)]
        thanks: Sequence[str] = [example.thanks] if example.thanks and answers else []
        for answer in answers:
            thanks = self._kept(f"{place}.thanks", thanks, 0, answer, *known[:2])
        return example.replace(
            says=self._told(f"{place}.says", example.says, done.target),
            source_says=self._told(f"{place}.source_says", example.source_says, done.source),
            choice=self._chosen(f"{place}.choice", example, done.choice) if done.choice else None,
            answers=tuple(answers),
            thanks="".join(thanks),
        )

    def _against_answer(self, answer: str, done: Execution, tells: Mapping[str, str]) -> Iterator[str]:
        """What an answer leaves out, and what it says that nobody asked for; what was said before may stand in it."""
        given, paths = [call.texts for call in (done.source, done.target) if call], _paths(done.target.view)
        heard = " ".join([*set[str]().union(*given), str(done.choice.chosen).casefold() if done.choice else ""])
        every = [one for one in values_of(done.target.result.value, rows=MOST_SHOWN) if sayable(one.value)]
        mine = " ".join([heard, *(str(one.value).casefold() for one in every if one.name in tells)])
        for name, value in dict.fromkeys((one.name, one.value) for one in every if not isinstance(one.value, bool)):
            said, plain = str(value).casefold(), f"{value!r} (`{paths.get(name, name)}`)"
            if name in tells and said not in heard and not tells_value(answer, value, [done.target.view.api]):
                yield f"does not say {plain}, which `tells` has: {_cut(answer, 2 * _SHOWN)!r}"
            named = isinstance(value, str) and len(value) > 3 and (value != said or " " in said)
            if name not in tells and named and said not in mine and stands_in(answer, str(value)):
                yield f"says {plain}, which `tells` has not: {_cut(answer, 2 * _SHOWN)!r}"

    def _chosen(self, place: str, example: Example, choice: Choice) -> Lines | None:
        told, lines = f"expected all of {_json(choice.values)}, then {choice.chosen!r}", example.choice or _SILENCE
        asked = self._kept(f"{place}.assistant", [lines.assistant], 1, example.source_result, example.source_arguments)
        given = self._kept(f"{place}.person", [lines.person], 1, choice.chosen, lines.assistant)
        named = sum(says_value(lines.assistant, value) for value in choice.values) > 1
        if asked and given and not (named and says_value(lines.person, choice.chosen)):
            self.wrong.append(f"{place}: {told}")
            return None
        return lines if asked and given else None

    def _told(self, place: str, says: Mapping[str, str], call: ExecutedCall | None) -> dict[str, str]:
        told, pair = dict[str, str](), self.question.pair
        handed = pair.handed if pair and call and call.view is self.question.views[-1] else ()
        for name, value in call.arguments.items() if call else ():
            if name in handed:
                continue
            line = says.get(name, "")
            if not says_value(line, value, call.view.api.parameters[name] if call else None, name):
                self.wrong.append(f"{place}.{name}: {value!r} does not stand in {line!r}")
            elif self._kept(f"{place}.{name}", [line], 1, value):
                told[name] = line
        return told

    def _of_call(self, side: int, arguments: Mapping[str, JsonValue], result: JsonValue) -> Iterator[str]:
        """What documents do not allow of a call and its result."""
        view, of = self.question.views[side], "source_" if side == 0 and self.question.pair else ""
        read = read_arguments(view.api, {**settled(view.api), **arguments})
        if isinstance(read, Fault):
            yield f"{of}arguments: {read.message}"
        if wrong := violation(result, _without_required(view.api.returns), f"{of}result"):
            yield wrong
        documented = {*_paths(view).values()}
        strange = [path for path in _places(result) if path not in documented]
        yield from (f"{of}result: {UnknownName('output', path, documented)}" for path in strange[:3])

    def _rehearsed(self, use: Use, example: Example) -> Execution | str:
        pair = self.question.pair or Pair(None, None, use.api, "", "zeroyes", "knowable")
        executor = PairExecutor(self.question.catalog, seed=0, uses=Uses([use.replace(examples=(example,))]))
        try:
            return executor.relive(pair, use.tells, example)
        except Rejected as rejected:
            return str(rejected)


def _greeted(opening: str) -> str:
    """A first message without a greeting, so that it can be a second one."""
    plain = _GREETING.sub("", " ".join(opening.split()))
    return plain[:1].upper() + plain[1:]


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


def _without_required(schema: Any) -> Any:
    """A schema that allows results to leave things out: then more than one of several fits."""
    if isinstance(schema, list):
        return [_without_required(one) for one in list_of(schema)]
    if not isinstance(schema, dict):
        return schema
    inner = object_of(schema).items()
    kept = ((name, one) for name, one in inner if name != "required" or not isinstance(one, list))
    return {"anyOf" if name == "oneOf" else name: _without_required(one) for name, one in kept}


def _places(value: Any, path: str = "") -> Iterator[str]:
    """Where single values stand in a result, each place once, as in `loans[].title`."""

    def walked(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, dict) and value:
            for name, one in object_of(value).items():
                yield from walked(one, f"{path}.{name}" if path else name)
        elif isinstance(value, list) and any(isinstance(one, dict | list) for one in list_of(value)):
            for one in list_of(value):
                yield from walked(one, f"{path}[]")
        else:
            yield f"{path}[]" if isinstance(value, list) else path

    yield from dict.fromkeys(walked(value, path))
