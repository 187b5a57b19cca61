"""Intents by a language model: asked for, or found in prose; checked, and mended by the model itself."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from toologue.errors import BadSetting, shown
from toologue.formats.literals import json_values
from toologue.limits import cut
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.plan.procedures.intents import Intent, slug
from toologue.plan.procedures.prose import Prose, listed
from toologue.schema import Api
from toologue.values.json_schema import list_of, object_of

_THING = "Product|Company|Service|Item|Brand|Shop|Store|Customer|User|Order|Hotel|Airline|Bank|City|Street|Person|Agent"
_GENERIC = re.compile(
    rf"\b(?:{_THING})\s?(?:X+|XYZ|ABC|[A-CYZ](?![\w'’]|\. [A-Z]))"
    r"|\b(?:John|Jane)\s(?:Doe|Smith)\b|\bMax Mustermann\b|\bAcme\b|\bfoo ?bar\b|\blorem ipsum\b|\b123 Main St\w*"
    r"|\b(?:[A-Z]{2,3}-?)?(?:12345\d*|1111+|0000+)\b|\b(?:ABC|XYZ)-?\d{3}\b"
    r"|\[[A-Za-z][\w' -]*\]|<[a-z][\w' -]*>|\{\{?[\w ]+\}?\}",
)

_KEYS = ("client", "name", "issue")
_LONGEST_NAME, _SHORTEST_ISSUE = 6, 8
# From this likeness on two issues are about the same thing; in the catalogue the highest is 0.65.
_TWINS = 0.75
# So many characters of a reply are read, so many brackets tried.
_MOST, _TRIES = 1_000_000, 200
_PERSON = re.compile(r"\bI\b|\b[Tt]he customer\b")

IntentFault = Literal[
    "not an object", "missing", "long name", "too vague", "in person", "generic entity", "duplicate", "no sentences"
]
_Fault = tuple[IntentFault, str]


def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1."""
    from rapidfuzz import fuzz, utils

    return fuzz.token_sort_ratio(one, other, processor=utils.default_process) / 100


def generics(text: str) -> list[str]:
    """The generic entities and unfilled places in a text, in its order."""
    return [found[0] for found in _GENERIC.finditer(text)]


@dataclass
class IntentTally:
    """What became of the entries: how many replies and entries there were, what was dropped and the first of each."""

    replies: int = 0
    proposed: int = 0
    kept: int = 0
    dropped: Counter[IntentFault] = field(default_factory=Counter[IntentFault])
    examples: dict[IntentFault, str] = field(default_factory=dict[IntentFault, str])


async def ask_intents(
    model: Model,
    count: int,
    tally: IntentTally,
    *,
    known: Iterable[Intent] = (),
    seed: int = 0,
    rounds: int = 3,
) -> tuple[Intent, ...]:
    """Up to `count` intents, none like another or like one of `known`, in at most `rounds` questions.

    Fewer come back where the model does no better; `tally` says why. Raises ModelFault where there is no reply and
    nothing yet to give.
    """
    if count < 1 or rounds < 1:
        raise BadSetting(f"count and rounds are at least 1, got {count} and {rounds}")
    others, made = tuple(known), list[Intent]()

    def parse(reply: str) -> tuple[None, str]:
        tally.replies += 1
        complaints = bullets(_take(parse_intents(reply), made, tally, lambda one: _fault(one, [*others, *made]), count))
        could_not = f"These could not be used:\n{complaints}\n" if complaints else ""
        again = f"{could_not}{count - len(made)} are still wanted. Answer with a JSON array of new objects only."
        return None, again if len(made) < count else ""

    prompt = intents_prompt(count, known=others)
    try:
        await ask_until_valid(model, prompt, parse, seed, "intents", tries=rounds)
    except ModelFault:
        if not made:
            raise
    tally.kept += len(made)
    return tuple(made)


def intents_prompt(count: int, *, known: Iterable[Intent] = ()) -> str:
    """What a model is asked first."""
    names = "; ".join(one.name for one in known)
    others = f", nor about one of these: {names}" if names else ""
    return render_prompt(__file__, "intents_prompt.txt", count=count, known=others)


class IntentsInProse(NamedTuple):
    """The intents found in prose, by id the sentences that each follows, why others are left out.

    `repaired`: how many came only when the model was told what was wrong.
    """

    intents: tuple[Intent, ...] = ()
    sentences: Mapping[str, tuple[int, ...]] = {}
    left_out: Mapping[int, str] = {}
    repaired: int = 0


async def intents_in_prose(
    prose: Prose, model: Model, tally: IntentTally, *, apis: Iterable[Api] = (), tries: int = 3, seed: int = 0
) -> IntentsInProse:
    """The issues that prose settles; `tally` says what became of the entries of the last reply. Raises ModelFault."""
    seen = list[frozenset[str]]()

    def parse(reply: str) -> tuple[IntentsInProse, str]:
        tally.replies += 1
        tally.proposed, tally.dropped, tally.examples = 0, Counter(), {}
        made, wrong = _in_reply(reply, prose, tally)
        seen.append(frozenset(one.id for one in made.intents))
        complaints = f"That cannot be used as it is:\n{bullets(wrong)}\n\nAnswer with the whole object again."
        return made, complaints if wrong else ""

    operations = (
        bullets(f"{api.name}: {cut(' '.join(api.description.split()), 200)}" for api in apis) or "(none is listed)"
    )
    prompt = render_prompt(__file__, "intents_in_prose.txt", apis=operations, prose=prose.numbered)
    found = (await ask_until_valid(model, prompt, parse, seed, "intents", prompt, tries=tries)).value
    tally.kept = len(found.intents)
    return found._replace(repaired=len(seen[-1] - seen[0]))


def _in_reply(reply: str, prose: Prose, tally: IntentTally) -> tuple[IntentsInProse, list[str]]:
    """What one reply comes to, and what is wrong with it."""
    known, made = {one.number for one in prose.sentences}, list[Intent]()
    sentences = dict[str, tuple[int, ...]]()

    def fault_of(entry: Any) -> _Fault | None:
        numbers = {one for one in list_of(object_of(entry).get("sentences")) if type(one) is int} & known
        if fault := _fault(entry, made, twins=1):
            return fault
        sentences[slug(entry["name"])] = tuple(sorted(numbers))
        return None if numbers else ("no sentences", f"{shown(entry)} names none of 1 to {len(known)}")

    wrong = _take(parse_intents(reply), made, tally, fault_of)
    said = (object_of(object_of(one).get("left_out")) for one in json_in(reply))
    told: dict[str, Any] = next(filter(None, said), dict[str, Any]())
    left_out = {number: str(told[str(number)]) for number in known if str(number) in told}
    missing = sorted(known - left_out.keys() - {one for some in sentences.values() for one in some})
    if made and missing:
        wrong.append(f"these sentences belong to no issue and are not left out: {listed(missing)}")
    return IntentsInProse(tuple(made), sentences, left_out), wrong


def parse_intents(reply: str) -> list[Any]:
    """The entries of the first JSON array in a reply that has objects in it, or the objects of a reply without one."""
    lone: list[Any] = []
    for value in json_in(reply):
        arrays = map(list_of, object_of(value).values() if isinstance(value, dict) else [value])
        if found := next((array for array in arrays if any(isinstance(entry, dict) for entry in array)), None):
            return found
        lone += [value] if isinstance(value, dict) else []
    return lone


def json_in(text: str) -> Iterator[Any]:
    """The JSON arrays and objects in a reply; of an array that was not written to its end, what there is."""
    return json_values(text[:_MOST], "[{", partial=True, tries=_TRIES)


def _take(
    entries: Sequence[Any],
    made: list[Intent],
    tally: IntentTally,
    fault_of: Callable[[Any], _Fault | None],
    most: int = sys.maxsize,
) -> list[str]:
    """Adds the entries that stand to `made`, and says of the others what is wrong."""
    complaints: list[str] = [] if entries else ["there was no JSON array with objects in it"]
    for number, entry in enumerate(entries, 1):
        if len(made) == most:
            break
        tally.proposed += 1
        if fault := fault_of(entry):
            tally.dropped[fault[0]] += 1
            tally.examples.setdefault(*fault)
            complaints.append(f"entry {number}: {fault[0]}: {fault[1]}")
        else:
            made.append(_intent(entry))
    return complaints


def _fault(entry: Any, others: Iterable[Intent], twins: float = _TWINS) -> _Fault | None:
    if not isinstance(entry, dict):
        return "not an object", shown(entry)
    given = object_of(entry)
    absent = [key for key in _KEYS if not isinstance(given.get(key), str) or not slug(given[key])]
    if absent:
        return "missing", f"{', '.join(absent)} in {shown(given)}"
    name, issue = given["name"], given["issue"]
    if len(name.split()) > _LONGEST_NAME:
        return "long name", f"{name!r} has more than {_LONGEST_NAME} words"
    if len(issue.split()) < _SHORTEST_ISSUE:
        return "too vague", f"{issue!r} does not say what happened and in which circumstances"
    if person := _PERSON.search(issue):
        return "in person", f"{person[0]!r} in {shown(issue)}"
    if found := generics(" ".join(given[key] for key in _KEYS)):
        return "generic entity", f"{found[0]!r} stands for nothing"
    near = next((one for one in others if slug(one.name) == slug(name) or likeness(one.issue, issue) >= twins), None)
    return ("duplicate", f"{name!r} is about the same thing as {near.name!r}") if near else None


def _intent(entry: Mapping[str, Any]) -> Intent:
    client, name, issue = (" ".join(entry[key].encode(errors="replace").decode().split()) for key in _KEYS)
    industry = entry.get("industry")
    named = slug(industry) if isinstance(industry, str) else ""
    return Intent(id=slug(name), industry=named or slug(client), client=client, issue=issue, name=name)
