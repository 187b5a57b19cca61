"""Which fields Apis speak of, and whose things: sports, markets, media; providers.

Contract: `apart` says what tells the fields of two Apis apart, or nothing; an Api that names none is apart from none.
What an Api's name says weighs more than its description. The families and the providers stand in `edge_check.yaml`.

Example:
    >>> squad = Api(name="Sports|nba_stats|Squad")
    >>> table = Api(name="Sports|live|Table", description="A football league.")
    >>> apart(squad, table), apart(squad, squad)
    ('basketball is not football', '')
    >>> sorted(providers_of(Api(name="Data|yt_data|Channels"))), sorted(tool_words("unofficial_cricbuzz"))
    (['youtube'], ['cricbuzz'])

Not covered: providers and fields that nobody has listed.
"""

from __future__ import annotations

from toologue.plan.api_graph.check_facets import data
from toologue.schema import Api
from toologue.text.tokens import spell


def apart(source: Api, target: Api) -> str:
    """What tells the fields of two Apis apart: the sports, the markets, the media that they speak of."""
    for family in data()["families"]:
        one, other = _members(source, family), _members(target, family)
        if one and other and not one & other:
            return f"{' and '.join(sorted(one))} is not {' and '.join(sorted(other))}"
    return ""


def _members(api: Api, family: str) -> frozenset[str]:
    """The members of a family that an Api names, in its name before its description."""
    for text in (api.name, f"{api.description} {' '.join(api.keywords)}"):
        words = f" {' '.join(spell(text))} "
        found = {
            member
            for member, names in data()["families"][family].items()
            if any(f" {name} " in words for name in names)
        }
        if "american football" in found and " american football " in words:
            found.discard("football")
        if found:
            return frozenset(found)
    return frozenset()


def tool_words(tool: str) -> frozenset[str]:
    """The words of a tool's name that say who provides it."""
    return frozenset(word for word in spell(tool) if word not in data()["common"] and len(word) > 2)


def providers_of(api: Api) -> frozenset[str]:
    """The providers that an Api names, in its own name before its description."""
    for text in (api.name, f"{api.description} {' '.join(api.keywords)}"):
        words = spell(text)
        whole = "".join(words)
        found = {data()["aliases"][word] for word in words if word in data()["aliases"]}
        found |= {
            name for name in data()["providers"] if name in words or (len(name) > 5 and name.replace(" ", "") in whole)
        }
        if found:
            return frozenset(found)
    return frozenset()
