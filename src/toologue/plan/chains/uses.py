"""Uses of Apis and of pairs, by what they are about; those of other documents are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import cycle, islice
from pathlib import Path

from pydantic import JsonValue

from toologue.errors import BadFile
from toologue.schema import Api, Example
from toologue.schema.jsonl import read
from toologue.schema.use import ALL, ASKED, SAID, Use, UseKey, documents_key
from toologue.values.compare import same
from toologue.worlds.documented.arguments import SETTLED, settled

NO_MODEL = "estimate"  # by whom files of earlier versions have what no model said
_WISHES = 24  # of an Api that a retriever knows
_BESIDE = 6  # so many words of a description stand beside one of a hint


class Uses(Mapping[UseKey, Use]):
    """Some uses, each by what it is about; `file` is where others find them."""

    def __init__(self, uses: Iterable[Use] = (), *, file: Path | None = None):
        self.file, self._uses = file, {one.about: one for one in uses}
        self._about = dict[str, list[Use]]()
        for one in sorted(self._uses.values(), key=lambda one: one.source is not None):
            for name in filter(None, (one.api, one.source)):
                self._about.setdefault(name, []).append(one)

    def __getitem__(self, key: UseKey) -> Use:
        return self._uses[key]

    def __iter__(self) -> Iterator[UseKey]:
        return iter(self._uses)

    def __len__(self) -> int:
        return len(self._uses)

    def told(self, about: UseKey) -> list[Use]:
        """What a model says of a pair, then of its API alone."""
        every = (self._uses.get(key) for key in dict.fromkeys((about, (None, None, about[2], None))))
        return [one for one in every if one is not None]

    def wishes(self, about: UseKey) -> list[str]:
        """What people wish for who need it."""
        return [wish for one in self.told(about) for wish in one.wishes]

    def phrases(self) -> dict[str, dict[str, str]]:
        """Parameters in users' words, by Api, of those that a model has words for."""
        found = dict[str, dict[str, str]]()
        for one in sorted(self._uses.values(), key=lambda one: one.source is None):
            if one.wishes:
                said = {name: ask.phrase for name, ask in one.asks.items() if ask.phrase}
                found.setdefault(one.api, {}).update(said)
        return found

    def example(self, about: UseKey, calls: Mapping[str, Mapping[str, JsonValue]]) -> Example | None:
        """The example that these calls, by Api, were made of."""
        source, _, api, _ = about

        def made(one: Example) -> bool:
            given = [(api, one.arguments), *([(source, one.source_arguments)] if source else [])]
            return all(same(calls.get(name, {}).get(key), value) for name, told in given for key, value in told.items())

        use = self._uses.get(about)
        return next(filter(made, use.examples), None) if use else None

    def written(self, api: Api) -> Api:
        """The document with what a model understood of it: what nobody is asked for, in which words people are asked
        for the rest, and say it, what they say who want it."""
        alone, asked, wishes = self.of(api.name), dict[str, list[str]](), list[str]()
        said = dict[str, list[JsonValue]]()
        for one in self._about.get(api.name, ()):
            asks = one.asks if one.api == api.name else one.source_asks
            whole = asks[ALL].question if ALL in asks else ""
            for name, ask in asks.items():
                asked.setdefault(name, []).extend(filter(None, (ask.phrase, ask.question, whole)))
            for name, value, word in words_of(one, api.name):
                said.setdefault(name, []).append([value, word])
            wishes += spoken_wishes(one, api.description) if one.api == api.name else ()
        fixed, parameters = settled(api), dict(api.parameters)
        for name in asked.keys() & parameters.keys():
            schema = {**parameters[name].json_schema, ASKED: " ".join(dict.fromkeys(asked[name]))}
            schema |= {SAID: said[name]} if name in said else {}
            ask = alone.asks.get(name) if alone else None
            if ask and parameters[name].required and (name in fixed or ask.default is not None):
                schema[SETTLED] = ask.default
            parameters[name] = parameters[name].replace(json_schema=schema)
        return api.replace(parameters=parameters, wishes=tuple(dict.fromkeys(wishes))[:_WISHES])

    def of(self, api: str) -> Use | None:
        """What is said of an Api alone."""
        return self._uses.get((None, None, api, None))


NO_USES = Uses()


def words_of(use: Use, api: str) -> Iterator[tuple[str, JsonValue, str]]:
    """The parameters of an Api with values that people have other words for, and these words."""
    for one in use.examples:
        given, words = (one.arguments, one.words) if use.api == api else (one.source_arguments, one.source_words)
        yield from ((name, given[name], word) for name, word in words.items() if name in given)


def spoken_wishes(use: Use, described: str) -> Iterator[str]:
    """What a retriever knows of people who want it: what they say plainly, without the values; and what they are up to,
    among so many words of the description that this alone leaves a doubt."""
    yield from (*use.openings[:1], *use.wishes)
    for one in use.examples:
        values = [*map(str, one.arguments.values()), *one.words.values()]
        for line in one.openings.values():
            yield reduce(lambda text, value: text.replace(value, "…"), values, line)
    for hint in use.hints:
        yield " ".join((hint.person, *islice(cycle(described.split()), _BESIDE * len(hint.person.split()))))


def read_uses(file: Path, apis: Mapping[str, Api]) -> Uses:
    """The uses in a file that are about these Apis. Raises BadFile for such that were made from other documents, and
    where there are none.
    """
    known = [one for one in read(file, Use) if one.api in apis and (one.source is None or one.source in apis)]
    if not known:
        raise BadFile(f"no use in {file} is about any of these {len(apis)} APIs: `toologue apis enrich` makes such")
    stale = [one for one in known if one.of != key_of(one.about, apis) or one.by == NO_MODEL]
    if stale:
        told = f"{len(stale)} of {len(known)} uses in {file} are of other documents, or of no model"
        again = "run `toologue apis enrich` on these again; it asks for nothing else"
        raise BadFile(f"{told}, for one that of {stale[0].api!r}: {again}")
    return Uses(known, file=file)


def about_of(origin: Mapping[str, JsonValue]) -> UseKey:
    """What a use of the pair, or the Api, is about that a dialogue of this origin talks about."""
    source, output, target, parameter = (origin.get(name) for name in ("source", "output", "target", "parameter"))
    return (str(source), str(output), str(target), str(parameter)) if source else (None, None, str(target), None)


def key_of(about: UseKey, apis: Mapping[str, Api]) -> str:
    """The key of the documents that a use is about."""
    source, _, api, _ = about
    return documents_key(*([apis[source]] if source else []), apis[api])
