"""What a document asks of users, and what it tells them: the questions that a conversation puts to an API's book.

Contract: pure functions of a `Book`. `required`, `optional` and `pointing` are what users are asked for, `telling` what
an answer may say, `choosing` what users choose rows by; `unaskable`, `unanswerable` and `lost` are reasons
(`reasons.REASONS`) why no conversation comes of it, or None.

Example:
    >>> from toologue.apis.entities import inputs, outputs
    >>> from toologue.schema import Api, Parameter
    >>> text, row = {"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}, "name": {}}}
    >>> teams = Api(name="Teams", parameters={"country": Parameter(schema=text), "page": Parameter(schema={
    ...     "examples": ["1"]})}, returns={"type": "array", "items": row})
    >>> book = Book(teams, {one.name: one for one in inputs(teams)}, {one.name: one for one in outputs(teams)})
    >>> required(book), telling(book), choosing(book, but="id")
    (['country'], {'name': 5}, ['name'])

Not covered: two documents at once; those are `pairs`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from toologue.apis.entities import Entity
from toologue.apis.salience import (
    MEETINGS,
    SOUGHT,
    askable,
    asked_of,
    failure,
    family_of,
    hidden,
    named_thing,
    names_itself,
    names_rows,
    offered,
    points_out,
    salience,
    tells_here,
    topic_words,
)
from toologue.plan.chains.catalog import Book
from toologue.plan.chains.reasons import Reason
from toologue.text.knowable import KnowRule, knowable
from toologue.text.spoken import spoken
from toologue.text.tokens import singular, split_name
from toologue.worlds.documented import is_credential, kind_wraps, parted, sought_by
from toologue.worlds.documented.default_arguments import settled

MOST_ASKED = 4
"""Nobody answers a question for more than this."""
WORTH = 3
"""An answer holds something that tells at least as much (`saying.salience`)."""

_DEEPEST = 6
_BACK = frozenset(("reverse", "address"))
"""What tells of a place where it is."""
_WHERE = ("place", "address", "streets")
_SELVES = frozenset(("performance", "issue", "instrument", "security", "entity", "item", "record", "object", "listing"))
"""Whose id is that of the row itself, as some documents call it."""
_TELLS_APART = ("id", "code", "key", "slug", "uuid")


def required(book: Book, *, but: Collection[str] = ()) -> list[str]:
    """The names of the required parameters, but for what the documentation settles; some of them left out."""
    aside = {*but, *settled(book.api)}
    return [one.name for one in book.inputs.values() if one.required and one.name not in aside]


def optional(book: Book, *, but: Collection[str] = ()) -> list[str]:
    """The names of the optional parameters that users may be asked for, some left out, and what these say already.

    Who names a share or a coin is asked for nothing beside.
    """
    if any(one.required and named_thing(one).endswith(".symbol") for one in book.inputs.values()):
        return []
    said = {family_of(named_thing(book.inputs[name])) for name in but if name in book.inputs} - {""}
    given = (one for one in book.inputs.values() if not one.required and one.name not in but)
    wished = (one for one in given if offered(one) and not hidden(one) and known(one, "fixed"))
    news = (one for one in wished if family_of(named_thing(one)) not in said)
    return [one.name for one in news if askable(one, book.api) is None]


def pointing(book: Book, *, but: Collection[str] = ()) -> list[str]:
    """The optional parameters by which users say which thing is meant; any, where something else says it."""
    told, asked = optional(book, but=but), required(book)
    return [name for name in told if points_out(book.inputs[name])] or (told if asked else [])


def telling(book: Book, *, but: str = "") -> dict[str, int]:
    """The outputs that tell users something, and how much; one of them left out. Errors tell nothing."""
    if failure(book.outputs):
        return {}
    about = topic_words(book.api)
    told = {one.name: salience(one, about) for one in book.outputs.values() if one.name != but}
    return {name: much for name, much in told.items() if much}


def choosing(book: Book, *, but: str = "") -> list[str]:
    """The outputs by which users choose between rows, best first: names beside the wanted one, else names within.

    Whose id it is, they are names of: a league's id goes by the league's name, beside the team's as it may stand.
    """
    about, (parent, _, last) = topic_words(book.api), but.rpartition("|")
    found = [one for one in book.outputs.values() if one.many and one.name != but and names_rows(one)]
    beside = [one for one in found if one.name.rpartition("|")[0] == parent]
    met = {singular(word) for word in (*about, *split_name(but).split())} & MEETINGS
    within = [one for one in found if not parent or one.name.startswith(f"{parent}|")] if met else []
    owner = [singular(word) for word in whose(last)]
    ids = [one for one in book.outputs if one.rpartition("|")[0] == parent and one.lower().endswith("id")]
    near = {singular(word) for word in (*about, *split_name(parent).split())}
    if owner and owner[-1] not in _SELVES and ids != [but] and not {owner[-1], *MEETINGS} & near:
        beside, within = [one for one in beside if split_name(one.name.rpartition("|")[2]).startswith(owner[0])], []
    return [one.name for one in sorted(beside or within, key=lambda one: -salience(one, about))]


def found_by_name(book: Book, output: str, asked: list[str]) -> bool:
    """Whether users say by its name what they would choose by it: there is one of that name."""
    sought = {asked_of(book.inputs[name], book.api) for name in asked if named_thing(book.inputs[name]) in SOUGHT}
    best = choosing(book, but=output)[:1] if sought and sought_by(book.api) else []
    return bool(best) and family_of(named_thing(book.outputs[best[0]])) in {*sought, "titles"}


def lost(book: Book, output: str, asked: list[str], *, many: bool) -> Reason | None:
    """Why nobody could say which of the things that a source knows is meant."""
    path = output.split("|")
    if not {"request", "query", "params", "parameters"}.isdisjoint(name.lower() for name in path[:-1]):
        return "nothing to find it by"
    if many:
        owner = whose(path[-1])
        aside = path[-1].lower().endswith("code") and owner and singular(owner[-1]) not in topic_words(book.api)
        found = len(path) <= _DEEPEST and not aside and choosing(book, but=output)
        return None if found else "nothing to choose by"
    told = asked or pointing(book)
    found = any(points_out(book.inputs[name]) for name in told) if told else tells_here(book.api)
    return None if found else "nothing to find it by"


def unanswerable(book: Book, handed: Iterable[Entity] = ()) -> Reason | None:
    """Why an answer would say nothing new: who named a place to find where it is wants to hear more of it than that."""
    placed = "place" in {family_of(named_thing(one)) for one in handed}
    if placed and _BACK & topic_words(book.api):
        return "nothing to answer with"
    worth = telling(book).items()
    new = (much for name, much in worth if not placed or family_of(named_thing(book.outputs[name])) not in _WHERE)
    return None if max(new, default=0) >= WORTH else "nothing to answer with"


def unaskable(book: Book, handed: Collection[str] = ()) -> Reason | None:
    """Why nobody would answer what the agent has to ask for, or to look up."""
    asked = [book.inputs[name] for name in required(book, but=handed)]
    if any(map(is_credential, handed)):
        return "asks for a secret"
    if not all(map(spoken, handed)) or any(split_name(name).split()[-1:] == ["ids"] for name in handed):
        return "no words for it"
    for one in asked:
        if against := askable(one, book.api):
            return against
    return "asks for too much" if len(asked) >= MOST_ASKED else None


def known(one: Entity, rule: KnowRule) -> bool:
    """Whether users know a parameter, or an output, of theirs."""
    return knowable(one.name.rpartition("|")[2], one.phrase, one.schema, rule=rule)


def alike(name: str, other: str) -> bool:
    """Whether two parameters sound as if they asked for the same."""
    one, two = sorted((normal(name), normal(other)), key=len)
    return two.endswith(one) or (len(one) > 2 and two.startswith(one))


def own_name(output: str) -> bool:
    """Whether an output is the name of what all the result is of, and not of something in it."""
    *around, last = output.split("|")
    words = split_name(last).split()
    return names_itself(last) and all(map(kind_wraps, around)) and {*words[:-1]} <= _SELVES


def whose(name: str) -> list[str]:
    """Whose id, or code, a name is for, in words."""
    words = [part for word in split_name(name).split() for part in parted(word)]
    return words[:-1] if words[-1:] and words[-1] in _TELLS_APART else []


def normal(text: str) -> str:
    """A name or a phrase without case, blanks and marks."""
    return re.sub(r"[^a-z0-9]", "", text.lower())
