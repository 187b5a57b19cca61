"""What a value is, and of what: the facet (id, name, code, date, …) and the thing (team, season) that an entity means.

Also which field an Api speaks of, and whose things: sports, markets, media; providers. The words stand in
`edge_check.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.apis.entities import Entity
from toologue.data import shipped
from toologue.schema import Api
from toologue.text.find_codes import EMAIL
from toologue.text.names import expected_kinds, owners_said
from toologue.text.tokens import singular, spell
from toologue.worlds.documented.leaves import examples_of
from toologue.worlds.documented.row import moment_form

_DATA = Path(__file__).with_name("edge_check.yaml")
_LINKS = frozenset(("by", "for", "of", "in", "from", "with", "using", "per"))
_GLUED = re.compile(r"([a-z]{3,}?)(ids?|name|code|slug|symbol|key)")

Side = Literal["input", "output"]


class Facet(NamedTuple):
    """What a value is: its kind, what it may be of, how it is written, what it is called and described as."""

    kind: str
    things: frozenset[str]
    form: str
    name: str
    universal: bool = False
    said: frozenset[str] = frozenset()


def facet_of(entity: Entity, api: Api, side: Side) -> Facet:
    """The facet of an output or a parameter.

    Names say it first, then what stands around them (keys of the result, the description, the Api's name), then how
    documented examples look. `things`: one where its name says so, several where only the Api's name does.
    """
    keys = [key for key in entity.name.split("|") if key.strip()]
    words, around = _words(keys[-1]) if keys else (), [_words(key) for key in reversed(keys[:-1])]
    said = entity.description.lower()
    kind, rest = _kind(words)
    if "meta|fields" in entity.name:  # some services document their fields in their answers
        kind = "news"
    things = _things(rest, around, said, api, side)
    kind = _in_context(kind, words, api, side)
    if kind == "" and rest:
        kind = _of_thing(entity) if singular(rest[-1]) in word_tables()["things"] else "other"
    if kind in ("name", "code", "id", "symbol") and len(things) == 1:
        kind = word_tables()["placed"].get(kind, {}).get(*things, kind)
    form = _form_of(entity, kind)
    if kind in ("domain", "email") and form and form not in ("domain", "email", "url"):
        kind = "other"
    meant = kind.removesuffix(" code") if kind in ("country code", "region code") else kind
    heard = frozenset(map(singular, spell(said)))
    return Facet(meant, things, form, "".join(words), kind in word_tables()["universal"], heard)


def things_in(words: Iterable[str]) -> list[str]:
    """The things that words name, in order, in the singular."""
    known = word_tables()["things"]
    return [one for word in words if (one := singular(word)) in known]


def may_be_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of the things on the one side may be one of those on the other."""
    return any(a == b or _groups(a) & _groups(b) for a in one for b in other)


def name_words(api: Api) -> tuple[str, ...]:
    """The words of an Api's own name, without those of routes."""
    return tuple(word for word in spell(re.sub(r"\{[^}]*\}", " ", api.name.split("|", 2)[-1])) if not word.isdigit())


@cache
def word_tables() -> Mapping[str, Any]:
    """What `edge_check.yaml` says."""
    read: dict[str, Any] = shipped(_DATA)
    sets = "wrappers things setting_apart news paging switches common providers own_names idle"
    return read | {name: frozenset(map(str, read[name])) for name in sets.split()}


@lru_cache(maxsize=65536)
def _words(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in spell(name):
        glued = _GLUED.fullmatch(word)
        split = glued and (
            singular(glued[1]) in word_tables()["things"] or (glued[2] == "id" and word not in word_tables()["whole"])
        )
        found += [glued[1], glued[2]] if glued and split else [word]
    return tuple(found)


@cache
def _table(name: str) -> dict[str, str]:
    return {str(words): kind for kind, listed in word_tables()[name].items() for words in listed}


def _kind(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """(what the last words mean, the words before them)."""
    whole = " ".join(words)
    for kind in ("news", "paging", "switches"):
        if whole in word_tables()[kind]:
            return kind, ()
    for table in ("universal", "facets"):
        for size in range(min(3, len(words)), 0, -1):
            kind = _table(table).get(" ".join(words[-size:]))
            if kind is not None:
                return kind, words[:-size]
    return "", words


def _things(
    rest: tuple[str, ...], around: Sequence[tuple[str, ...]], said: str, api: Api, side: Side
) -> frozenset[str]:
    """What a value may be of: by its name, else the names around it, else its description, else its Api."""
    for words in (rest, *around):
        named = _last_thing([word for word in words if not word.isdigit()])
        if named and named.split()[-1] not in word_tables()["wrappers"]:
            return frozenset((named,))
    for words in owners_said(said):
        if things := things_in(words):
            return frozenset(things[-1:])
    return frozenset(_of_api(api, side))


def _last_thing(words: Sequence[str]) -> str:
    telling = [word for word in words if singular(word) not in word_tables()["wrappers"]]
    if not telling:
        return ""
    one = singular(telling[-1])
    if one not in word_tables()["things"]:
        one = next((thing for thing in word_tables()["things"] if len(thing) > 3 and one.endswith(thing)), one)
    apart = len(telling) > 1 and telling[-2] in word_tables()["setting_apart"] and telling[-2] not in ("parent", "root")
    return f"{telling[-2]} {one}" if apart else one


def _of_api(api: Api, side: Side) -> list[str]:
    words = name_words(api)
    link = next((place for place, word in enumerate(words) if word in _LINKS), len(words))
    before, after = things_in(words[:link]), things_in(words[link:])
    if side == "input":
        found = after or before
    else:
        found, words = before if "/" in api.name.split("|", 2)[-1] else before[-1:], words[:link]
    return found or [singular(word) for word in words if word not in word_tables()["idle"]]


def _in_context(kind: str, words: tuple[str, ...], api: Api, side: Side) -> str:
    """What a name means where the Api speaks of something else than usual: the address of a wallet."""
    meanings = word_tables()["in_context"].get(words[-1] if words else "", {})
    if len(words) > 1 and words[-1] == "code":
        return kind
    about = frozenset(spell(f"{api.name} {api.description}" if side == "input" else api.name))
    return next((meant for meant, said in meanings.items() if about & frozenset(said)), kind)


def _of_thing(entity: Entity) -> str:
    """The facet of a value that is only called after a thing: `league`, `homeTeam`."""
    form = _form_of(entity, "")
    said = entity.description.lower()
    if re.search(r"\b(?:id|ids|identifier)\b", said) or form in ("digits", "mixed", "uuid"):
        return "id"
    if entity.schema.get("type") in ("integer", "number") and "name" not in said:
        return "id" if form == "digits" or not form else "other"
    if re.search(r"\bslug\b", said):
        return "slug"
    return "url" if form == "url" else "name"


def _form_of(entity: Entity, kind: str) -> str:
    example = next((str(value).strip().strip("\"'") for value in examples_of(entity.schema)), "")
    said = entity.description
    if kind in ("date", "time"):
        return _date_form(entity, example)
    if kind in ("country", "region", "country code", "region code", "language", "currency"):
        if example:
            short = len(example) == 2 or (len(example) == 3 and kind == "currency")
            return "code" if short else "name" if len(example) > 3 else ""
        if kind.endswith("code") or re.search(r"(?i)\b(?:codes?|iso\S*|alpha-?\d|abbreviat\w+)\b", said):
            return "code"
        return "name" if re.search(r"(?i)\bnames?\b", said) else ""
    fitting = (form for form, pattern in _FORMS.items() if re.fullmatch(pattern, example))
    return next(fitting, "words") if example else ""


def _date_form(entity: Entity, example: str) -> str:
    if example.isdigit():
        day = len(example) == 8 and example[:2] in ("19", "20")
        return "%Y%m%d" if day else "epoch" if len(example) > 8 else "digits"
    if form := moment_form(example):
        return form.replace(":%S", "").split(".0")[0].removesuffix("Z")
    want = next(iter(expected_kinds(entity.schema, entity.name.split("|")[-1], entity.description)), None)
    spelt = want is not None and re.search(r"(?i)y{2,4}|%Y|\d{4}-\d\d-\d\d", entity.description)
    if want is not None and (spelt or entity.schema.get("format")) and want.form not in ("rfc3339", "epoch"):
        return want.form
    return re.sub(r"\d", "9", example) if re.search(r"\d.*\d", example) else ""


_FORMS = {
    "digits": r"-?\d+",
    "number": r"-?\d+[.,]\d+",
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "email": EMAIL.pattern,
    "url": r"(?:https?:)?//\S+|www\.\S+",
    "domain": r"(?:[\w-]+\.)+[a-z]{2,}",
    "date": r"\d{4}[-/.]\d\d[-/.]\d\d(?:[T ].*)?|\d\d?[-/.]\d\d?[-/.]\d{4}",
    "mixed": r"(?=\S*\d)(?=\S*[A-Za-z])[\w.:~+/=-]+",
}


@lru_cache(maxsize=8192)
def _groups(thing: str) -> frozenset[int]:
    return frozenset(number for number, group in enumerate(word_tables()["same"]) if thing in group)


def field_conflict(source: Api, target: Api) -> str:
    """What tells the fields of two Apis apart: the sports, the markets, the media that they speak of."""
    for family in word_tables()["families"]:
        one, other = _members(source, family), _members(target, family)
        if one and other and not one & other:
            return f"{' and '.join(sorted(one))} is not {' and '.join(sorted(other))}"
    return ""


def _members(api: Api, family: str) -> set[str]:
    names = word_tables()["families"][family].items()
    for text in _texts(api):
        words = f" {' '.join(spell(text))} "
        members = {member for member, called in names if any(f" {name} " in words for name in called)}
        if "american football" in members and " american football " in words:
            members.discard("football")
        if members:
            return members
    return set()


def _texts(api: Api) -> tuple[str, str]:
    return api.name, f"{api.description} {' '.join(api.keywords)}"


def tool_words(tool: str) -> frozenset[str]:
    """The words of a tool's name that say who provides it."""
    return frozenset(word for word in spell(tool) if word not in word_tables()["common"] and len(word) > 2)


def providers_of(api: Api) -> frozenset[str]:
    """The providers that an Api names, in its own name before its description."""
    known, aliases = word_tables()["providers"], word_tables()["aliases"]
    for words in map(spell, _texts(api)):
        whole = "".join(words)
        providers = {aliases[word] for word in words if word in aliases}
        providers |= {name for name in known if name in words or (len(name) > 5 and name.replace(" ", "") in whole)}
        if providers:
            return frozenset(providers)
    return frozenset()
