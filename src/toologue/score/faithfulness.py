"""Faithfulness: do replies say what the calls gave back (ToolDial 4.1, table 4)? Offline by values, or by a judge.

A test is a gold turn whose action is `response`; `response_fail` has nothing to be faithful to, and is left out. What
the agent says there is looked at, whatever it calls its action.

    metric              of                                            hits
    grounded            tests                                         replies that say something, and nothing that is
                                                                      not supported
    supported claims    values that the replies say                   those that are supported
    reported            tests whose gold reply says a value of the    replies that say one of these values
                        last result
    faithful            votes of the judge                            votes "true"

A value of a reply is an amount, a date, an id, an address (`text.claims`), a number of two digits or more, or what
stands in quotes. It is supported by the results so far (how long their lists are, how many of one are left, too), by
what the user said, by what the agent was told; and by the gold's own words.

The judge is a language model that is asked `VOTES` times (the paper: n = 10, one token, temperature above 0; the code
has 2: give them with the model, `openai:NAME?temperature=2&max_tokens=1`). `votes` collects, the raw tokens are kept in
the results. Spaces and punctuation count for nothing, nor do tokens that are neither true nor false.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toologue.formats.tooldial import lines
from toologue.models.ask import ask, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.models.similarity import TextMatch
from toologue.schema import Dialogue, Mismatch, Score, Trace
from toologue.schema.jsonl import leaves
from toologue.score.knowledge import json_text
from toologue.score.metric import MEANINGS, answers_of, done_at, no_reply, shares_of, unscored
from toologue.text.claims import reply_claims, says_words, unsupported
from toologue.values.compare import lengths, lists_in
from toologue.worlds.world import documents_of

METRICS = ("grounded", "supported claims", "reported")
VOTED = "faithful"
MEANINGS.update(
    {
        "grounded": "replies that say something, and nothing without support; read it beside reported",
        "supported claims": "values in replies that a result, the user or the brief supports",
        "reported": "replies that say a value of the result, where the expected one does",
        VOTED: "votes of the judge that a reply is faithful, as in the paper",
    }
)
VOTES = 10
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{2,}(?!\w|[.,:/-]\d)")
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|(?<!\w)'([^'\n]{2,80})'(?!\w)|`([^`\n]{2,80})`")


class ReplyTest(NamedTuple):
    """One reply: index of the turn, what was said, its values, those that nothing supports.

    `reports`: whether it says a value that the gold's reply takes from the result; None where that takes none.
    """

    turn: int
    said: str
    values: tuple[str, ...]
    unsupported: tuple[str, ...]
    reports: bool | None

    @property
    def grounded(self) -> bool:
        """Whether something was said, and nothing without support."""
        return bool(self.said.strip()) and not self.unsupported


class Votes(NamedTuple):
    """What the judge said of the reply in a turn, token by token as it came."""

    turn: int
    tokens: tuple[str, ...]


def faithfulness(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The offline metric. Scores nothing under another protocol, or where the gold has no response."""
    if trace.protocol != "next" or not any(responses(gold)):
        return {}
    return unscored(METRICS, gold, trace, no_reply(trace)) or scores_of(reply_tests(gold, trace), gold, trace)


def reply_tests(gold: Dialogue, trace: Trace) -> list[ReplyTest]:
    """The tests of a conversation that was lived under `next`."""
    found: list[ReplyTest] = []
    for at, expected in responses(gold):
        said = done_at(trace, at).text or ""
        support = [expected, gold.instructions, json_text(gold.facts), *_shown(gold, at), *_rests(gold, at, said)]
        others, claims = _others(said), reply_claims(said)
        lacking = {claim.text for claim in unsupported(claims, support)}
        lacking |= {value for value in others if not any(says_words(part, value) for part in support)}
        texts = [*(claim.text for claim in claims), *others]
        reports = [says_words(said, value) for value in _leaves(gold, at) if says_words(expected, value)]
        strange = tuple(text for text in texts if text in lacking)
        found.append(ReplyTest(at, said, tuple(texts), strange, any(reports) if reports else None))
    return found


def scores_of(tests: Sequence[ReplyTest], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Tests as scores. The mismatches explain the conversation."""
    told = [test for test in tests if test.reports is not None]
    values = sum(len(test.values) for test in tests)
    shares = {
        "grounded": (sum(test.grounded for test in tests), len(tests)),
        "supported claims": (values - sum(len(test.unsupported) for test in tests), values),
        "reported": (sum(bool(test.reports) for test in told), len(told)),
    }
    at = (
        Mismatch(turn=test.turn, field="reply", actual=said, why="nothing supports it" if said else "nothing was said")
        for test in tests
        if not test.grounded
        for said in test.unsupported or ("",)
    )
    why = "it says no value of the result"
    silent = (Mismatch(turn=one.turn, field="reply", actual=one.said, why=why) for one in told if not one.reports)
    return shares_of(shares, gold, trace, {"grounded": at, "reported": silent})


async def votes(gold: Dialogue, trace: Trace, model: Model, *, n: int = VOTES, seed: int = 0) -> tuple[Votes, ...]:
    """What a judge says of each reply, asked `n` times with seeds of its own. A request that fails is no vote."""
    documents, found = documents_of(gold), list[Votes]()
    for at, _ in responses(gold):
        history = "\n".join(line.text for line in lines(gold.turns[:at], documents))
        question = render_prompt(__file__, "faithfulness.txt", history=history, reply=done_at(trace, at).text or "")
        tokens = await asyncio.gather(*(_vote(model, question, seed, gold.id, at, vote) for vote in range(n)))
        found.append(Votes(at, tuple(token for token in tokens if token is not None)))
    return tuple(found)


def voted(found: Iterable[Votes], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Votes as a score."""
    words = [re.sub(r"[^a-z]", "", token.lower()) for one in found for token in one.tokens]
    right, wrong = words.count("true"), words.count("false")
    return shares_of({VOTED: (right, right + wrong)}, gold, trace)


async def _vote(model: Model, question: str, *key: int | str) -> str | None:
    try:
        return await ask(model, question, *key)
    except ModelFault:
        return None


def responses(gold: Dialogue) -> Iterator[tuple[int, str]]:
    """(turn, words) of every response of the gold."""
    for at, _, turn in answers_of(gold):
        if turn.action == "response":
            yield at, turn.text or ""


def _others(text: str) -> list[str]:
    """What a text says, besides its claims, that can be looked up: numbers, and what stands in quotes."""
    known = {claim.text for claim in reply_claims(text)}
    quoted = map("".join, _QUOTED.findall(text))
    numbers = [one for one in _NUMBER.findall(text) if not any(one in claim for claim in known)]
    return list(dict.fromkeys(value for value in (*numbers, *quoted) if value not in known))


def _shown(gold: Dialogue, at: int) -> Iterator[str]:
    for turn in gold.turns[:at]:
        if turn.text:
            yield turn.text
        if turn.role == "agent":
            yield from (json_text(act.arguments) for act in turn.acts if act.kind == "call" and act.arguments)
            for result in filter(None, turn.results):
                yield json_text(result.value)
                yield " ".join(map(str, lengths(result.value)))


def _rests(gold: Dialogue, at: int, said: str) -> Iterator[str]:
    """How many things of a list are left where the words name some of them: "…; and 22 more" of 25, three named."""
    for turn in gold.turns[:at]:
        for result in turn.results if turn.role == "agent" else ():
            for things in lists_in(result.value) if result else ():
                named = sum(any(says_words(said, str(leaf)) for _, leaf in leaves(thing)) for thing in things)
                yield " ".join(str(len(things) - number) for number in range(1, named + 1))


def _leaves(gold: Dialogue, at: int) -> list[str]:
    """The values of the last result before turn `at`, as texts."""
    for turn in reversed(gold.turns[:at]):
        if turn.role == "agent":
            for act, result in zip(turn.acts, turn.results, strict=False):
                if act.kind == "call" and result is not None:
                    values = (leaf for _, leaf in leaves(result.value) if not isinstance(leaf, bool | None))
                    return [text for text in map(str, values) if len(text) > 1]
    return []
