"""What a model replies to a question about an Api, or a pair: held against the documents, and executed.

`answer_of` gives the use as far as it can be used, and a remark on each line that cannot: where it stands, what it is,
what is wrong with it. Every value that is said stands in the executed example, as it is or in the words that the
example has for it, or was said before; a line says all the values that it has to, and no others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pydantic import JsonValue, ValidationError

from toologue import limits
from toologue.apis.entities import leaves
from toologue.apis.result_values import MOST_SHOWN, sayable, values_of
from toologue.apis.schemas import violation
from toologue.errors import UnknownName
from toologue.formats.literals import json_values
from toologue.plan.chains.agreeing import Choice, ExecutedCall
from toologue.plan.chains.catalog import ApiView, Catalog, required
from toologue.plan.chains.execute import Execution, PairExecutor, Rejected
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.uses import Uses, key_of
from toologue.schema import Ask, Example, Fault, Hint, Lines, Use
from toologue.schema.jsonl import json_path
from toologue.schema.use import ALL, UseKey
from toologue.values.json_schema import list_of, object_of
from toologue.verify.chains.words import says_value, stands_in, strange_claims, tells_value, wordings
from toologue.worlds.documented.arguments import read_arguments, settled

_SHOWN, _REPLY = 120, 200_000  # letters
_SOMEBODY = re.compile(r"\b(?:you|your|my|me|I)\b")
_TOPIC, _LINE = 9, 60  # words of a topic, of what somebody says
_SHORT = {"openings": 20, "hints": 35, "vague": 25, "unknown": 20, "thanks": 12, "question": 25}  # words, by place
_NUMBERED = re.compile(r"\b(?:ids?|identifiers?|keys?|codes?|numbers?|letters?)\b", re.IGNORECASE)
_THANKS = re.compile(r"\b(?:thanks?|thank you|cheers)\b", re.IGNORECASE)
# A code of a country, a language, a currency, an airport, a share; a time zone; words.
_PUBLIC = re.compile(r"(?:[A-Z]{1,5}|[a-z]{2,3})(?:[-_/,][A-Za-z]{2,5})*|[A-Z][a-z]+/[\w/]+|[A-Za-z]+(?:_[A-Za-z]+)+")
_SWITCHES = ("true", "false")
_STOPS = ".,:;!?'\""
_FIELDS = {*Use.model_fields} - {"format", "of", "by"}
_SILENCE = Lines(person="", assistant="")
_Said = TypeVar("_Said", str, Lines, Hint)
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


class _Side(NamedTuple):
    """One call of an example: what of it people say, with the words for codes, and what starts its places."""

    call: ExecutedCall
    values: Mapping[str, JsonValue]
    words: Mapping[str, str]
    of: str

    def gives(self, line: str, name: str) -> bool:
        """Whether a line gives an argument, in the words for it if it has such."""
        if word := self.words.get(name):
            return stands_in(line.casefold(), word.casefold())
        return says_value(line, self.values[name], self.call.view.api.parameters[name], name)

    def known(self, line: str, names: Iterable[str]) -> Iterator[JsonValue]:
        """What a line may say that gives these arguments."""
        for name in names:
            yield from (self.values[name], self.words.get(name))
            yield from wordings(line, self.values[name], self.call.view.api.parameters[name], name)


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
        self.pair = question.pair or Pair(None, None, question.api, "", "zeroyes", "knowable")
        self.apis = [view.api for view in question.views]
        names = {name for api in self.apis for name in (api.name, *api.parameters)}
        self.names = sorted(name for name in names if re.search(r"[\W_]|[a-z][A-Z]", name))

    def checked(self) -> Answer:
        """The use, as far as it can be used, and what is wrong."""
        said, (*_, target) = self.said, self.question.views
        if not said.wanted:
            why = [] if said.why.strip() else ["why: it is empty"]
            return Answer(Use(**self._about(), wanted=False, why=said.why), why, [])
        along = self._along()
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
        pairs = said.examples if said.source else ()
        use = said.replace(
            wishes=wishes,
            topic=topic,
            asks=self._questions("asks", asks),
            source_asks=self._questions("source_asks", source),
            along=along,
            tells=tells,
            openings=self._kept("openings", [_greeted(one) for one in said.openings], 2),
            hints=self._hints(),
            vague=self._kept("vague", said.vague, 1),
            declines=next(iter(self._kept("declines", [said.declines] if said.declines else [], 0)), None),
            unknown=self._kept("unknown", said.unknown, int(any(not one.source_arguments for one in pairs))),
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
        also: Callable[[_Said], Iterable[str]] | None = None,
    ) -> tuple[_Said, ...]:
        """The lines that can be said where these values are known, and that `also` has nothing against; too few of them
        are wrong."""
        kept, wrong = list[_Said](), list[str]()
        most = next((most for part in reversed(place.split(".")) if (most := _SHORT.get(part))), _LINE)
        for number, one in enumerate(every, 1):
            lines = (one,) if isinstance(one, str) else (one.person, one.assistant)
            against = [why for line in lines for why in self._against(line, known, most)]
            against += also(one) if also else ()
            wrong += [f"{place}[{number}]: {why}" for why in against]
            kept += [] if against else [one]
        self.lost += wrong
        if len(kept) < least:
            self.wrong += wrong or [f"{place}: expected {least} or more"]
        return tuple(kept)

    def _against(self, line: str, known: Sequence[JsonValue], most: int) -> Iterator[str]:
        """Why nobody says a line, or not before these values are known."""
        if not 0 < len(line.split()) <= most:
            yield f"expected up to {most} words, got {len(line.split())}: {_cut(line)!r}"
        coded = [one.strip(_STOPS) for one in (*_CODE.findall(line), *(name for name in self.names if name in line))]
        if coded and not any(coded[0] in str(one) for one in known):
            yield f"a name as code writes it: {coded[0]!r}"
        for claim in strange_claims(line, known, self.apis)[:1]:
            yield f"nothing says {claim!r} that is documented, given or returned; leave it out: {_cut(line)!r}"

    def _hints(self) -> tuple[Hint, ...]:
        """What people are up to, each with the offer that it calls for, and how that is turned down."""
        kept = list[Hint]()
        for one in self._kept("hints", self.said.hints, 1, also=_no_offer):
            declines = self._kept("hints.declines", [one.declines] if one.declines else [], 0)
            kept.append(one.replace(declines=declines[0] if declines else None))
        return tuple(kept)

    def _along(self) -> dict[str, str]:
        """What stands beside the value that is handed over, by the parameter that it is handed over as."""
        if not self.question.pair:
            return {}
        source, target = self.question.views
        outputs, known = {path: name for name, path in paths_of(source).items()}, dict[str, str]()
        for name, path in self.said.along.items():
            if name not in target.inputs or path not in outputs:
                unknown = ("parameter", name, target.inputs) if name not in target.inputs else ("output", path, outputs)
                self.wrong.append(f"along: {UnknownName(*unknown)}")
            elif name != self.pair.parameter:
                known[name] = outputs[path]
        self.pair = self.pair._replace(along=tuple(known.items()) or self.pair.along)
        return known

    def _asks(self, place: str, asks: Mapping[str, Ask], view: ApiView, needed: Sequence[str]) -> dict[str, Ask]:
        names = [*needed] if self.said.parameter is None else [self.said.parameter][: place == "asks"]
        known = {*view.inputs, ALL}
        self.wrong += [f"{place}: {UnknownName('parameter', name, view.inputs)}" for name in asks if name not in known]
        lacking = (name for name in names if not (name in asks and asks[name].phrase.strip()))
        self.wrong += [f"{place}: `{name}` is required, and has no phrase" for name in lacking]
        for name, one in asks.items():
            if who := _SOMEBODY.search(one.phrase):
                self.wrong.append(f"{place}.{name}: no {who[0]!r} in {one.phrase!r}, as both will say it")
            schema = view.api.parameters[name].json_schema if name in view.inputs else {}
            if one.default is not None and (wrong := violation(one.default, schema, f"{place}.{name}.default")):
                self.wrong.append(wrong)
        found = {name: one for name, one in asks.items() if name in view.inputs and one.phrase.strip()}
        whole = asks.get(ALL) if ALL not in view.inputs and len(found) > 1 else None
        return found | ({ALL: Ask(question=whole.question)} if whole else {})

    def _questions(self, place: str, asks: Mapping[str, Ask]) -> dict[str, Ask]:
        shown = {
            name: self._kept(f"{place}.{name}.question", [one.question], 1, also=_no_question)
            for name, one in asks.items()
        }
        return {name: one.replace(question="".join(shown[name])) for name, one in asks.items()}

    def _tells(self) -> dict[str, str]:
        view = self.question.views[-1]
        names = {path: name for name, path in paths_of(view).items()}
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
                worded = self._worded(f"examples[{number}]", example, done, use)
                kept += [worded] if worded.answers else []
        if not self.said.examples:
            self.wrong.append("examples: there are none")
        return tuple(kept)

    def _worded(self, place: str, example: Example, done: Execution, use: Use) -> Example:
        """An example with those of its words that say what they have to, and nothing beside."""
        target = self._side(place, "", done.target, example.words, use.asks)
        source = self._side(place, "source_", done.source, example.source_words, use.source_asks)
        words = [*example.words.values(), *example.source_words.values()]
        known = [example.arguments, example.source_arguments, *words, example.result]
        told = partial(self._against_answer, done=done, tells=use.tells)
        answers = [*self._kept(f"{place}.answers", example.answers, 1, *known, also=told)]
        thanks: Sequence[str] = [example.thanks] if example.thanks and answers else []
        for answer in answers:
            thanks = self._kept(f"{place}.thanks", thanks, 0, answer, *known[:-1], also=_no_thanks)
        return example.replace(
            words=target.words if target else {},
            source_words=source.words if source else {},
            openings=self._opened(f"{place}.openings", example.openings, target) if target and not source else {},
            says=self._told(f"{place}.says", example.says, target),
            source_says=self._told(f"{place}.source_says", example.source_says, source),
            choice=self._chosen(f"{place}.choice", example, done.choice) if done.choice else None,
            answers=tuple(answers),
            thanks="".join(thanks),
        )

    def _side(
        self, place: str, of: str, call: ExecutedCall | None, words: Mapping[str, str], asks: Mapping[str, Ask]
    ) -> _Side | None:
        """What of a call people say, and the words that stand for public codes and for what documentation lists."""
        if call is None:
            return None
        handed = self.pair.handed if self.question.pair and not of else ()
        values = {name: value for name, value in call.arguments.items() if name not in handed}
        kept = dict[str, str]()
        for name, word in words.items():
            if str(values.get(name, word)).casefold() == word.strip().casefold():
                continue
            where = f"{place}.{of}words.{name}"
            schema = call.view.api.parameters[name].json_schema if name in values else {}
            value, listed = values.get(name), list_of(schema.get("enum"))
            described = stands_in(str(schema.get("description") or ""), str(value))
            public = str(value).casefold() in _SWITCHES or (isinstance(value, str) and _PUBLIC.fullmatch(value))
            if public or value in listed or described:
                kept[name] = word.strip()
                self._named(f"{of}asks.{name}.question", [asks[name].question] if name in asks else [])
            else:
                who = "people say the value itself, or do not know it"
                self.wrong.append(f"{where}: {value!r} is no public code, and in no list of the documentation: {who}")
        return _Side(call, values, kept, of)

    def _told(self, place: str, says: Mapping[str, str], side: _Side | None) -> dict[str, str]:
        """The replies that give an argument, or all of them at once."""
        told = dict[str, str]()
        if side is None:
            return told
        for name in side.values:
            told |= self._giving(place, name, says.get(name, ""), side, [name])
        if len(side.values) > 1 and (ALL in says or side.of or not self.question.pair):
            told |= self._giving(place, ALL, says.get(ALL, ""), side, [*side.values])
        return told

    def _opened(self, place: str, openings: Mapping[str, str], side: _Side) -> dict[str, str]:
        """The first messages that give an argument, or all of them at once."""
        told, names = dict[str, str](), [*side.values]
        if names and not openings:
            self.wrong.append(f"{place}: there are none; expected {_json([*names, *([ALL] if names[1:] else [])])}")
        for name, line in openings.items():
            given = names if name == ALL and ALL not in names else [name] if name in names else []
            if not given:
                self.lost.append(f"{place}.{name}: this example gives no such argument")
            elif name in names or names[1:]:
                told |= self._giving(place, name, _greeted(line), side, given)
        return told

    def _giving(self, place: str, name: str, line: str, side: _Side, given: Sequence[str]) -> dict[str, str]:
        """A line by what it is for, if it gives these arguments and says nothing else."""
        for one in given:
            if not side.gives(line, one):
                value = side.words.get(one) or side.values[one]
                self.wrong.append(f"{place}.{name}: {value!r} does not stand in {line!r}")
                return {}
        return {name: line} if self._kept(f"{place}.{name}", [line], 1, *side.known(line, given)) else {}

    def _against_answer(self, answer: str, done: Execution, tells: Mapping[str, str]) -> Iterator[str]:
        """What an answer leaves out, and what it says that nobody asked for; what was said before may stand in it."""
        given, paths = [call.texts for call in (done.source, done.target) if call], paths_of(done.target.view)
        heard = " ".join([*set[str]().union(*given), str(done.choice.chosen).casefold() if done.choice else ""])
        every = [one for one in values_of(done.target.result.value, rows=MOST_SHOWN) if sayable(one.value)]
        mine = " ".join([heard, *(str(one.value).casefold() for one in every if one.name in tells)])
        facts = dict.fromkeys((one.name, one.value) for one in every if str(one.value).casefold() not in _SWITCHES)
        for name, value in facts:
            said, plain = str(value).casefold(), f"{value!r} (`{paths.get(name, name)}`)"
            if name in tells and said not in heard and not tells_value(answer, value, [done.target.view.api]):
                yield f"does not say {plain}, which `tells` has: {_cut(answer)!r}"
            named = isinstance(value, str) and len(value) > 3 and (value != said or " " in said)
            if name not in tells and named and said not in mine and stands_in(answer, str(value)):
                yield f"says {plain}, which `tells` has not: {_cut(answer)!r}"

    def _chosen(self, place: str, example: Example, choice: Choice) -> Lines | None:
        told, lines = f"expected all of {_json(choice.values)}, then {choice.chosen!r}", example.choice or _SILENCE
        asked = self._kept(f"{place}.assistant", [lines.assistant], 1, example.source_result, example.source_arguments)
        given = self._kept(f"{place}.person", [lines.person], 1, choice.chosen, lines.assistant)
        named = sum(says_value(lines.assistant, value) for value in choice.values) > 1
        if asked and given and not (named and says_value(lines.person, choice.chosen)):
            self.wrong.append(f"{place}: {told}")
            return None
        return lines if asked and given else None

    def _of_call(self, side: int, arguments: Mapping[str, JsonValue], result: JsonValue) -> Iterator[str]:
        """What documents do not allow of a call and its result."""
        view, of = self.question.views[side], "source_" if side == 0 and self.question.pair else ""
        read = read_arguments(view.api, {**settled(view.api), **arguments})
        if isinstance(read, Fault):
            yield f"{of}arguments: {read.message}"
        if wrong := violation(result, _without_required(view.api.returns), f"{of}result"):
            yield wrong
        documented = {*paths_of(view).values()}
        strange = [path for path in _places(result) if path not in documented]
        yield from (f"{of}result: {UnknownName('output', path, documented)}" for path in strange[:3])

    def _rehearsed(self, use: Use, example: Example) -> Execution | str:
        executor = PairExecutor(self.question.catalog, seed=0, uses=Uses([use.replace(examples=(example,))]))
        try:
            return executor.relive(self.pair, use.tells, example)
        except Rejected as rejected:
            return str(rejected)


def _no_question(line: str) -> Iterator[str]:
    if "?" not in line:
        yield f"expected a question: {_cut(line)!r}"


def _no_offer(hint: Hint) -> Iterator[str]:
    if "?" in hint.person:
        yield f"nobody asks for anything yet; tell what the person is up to: {_cut(hint.person)!r}"
    yield from _no_question(hint.assistant)


def _no_thanks(line: str) -> Iterator[str]:
    if not _THANKS.search(line):
        yield f"nobody is thanked: {_cut(line)!r}"


def _greeted(opening: str) -> str:
    """A first message without a greeting, so that it can be a second one."""
    plain = _GREETING.sub("", " ".join(opening.split()))
    return plain[:1].upper() + plain[1:]


def paths_of(view: ApiView) -> dict[str, str]:
    """The paths of outputs, as in `loans[].title`, by their names."""
    return {leaf.name: leaf.path for leaf in leaves(view.api.returns)}


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


def _json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return limits.cut(" ".join(text.split()), _SHOWN)
