"""Steps: at every turn of the gold, is the agent's next step the right one? (ALMITA 3.9, 4.3, Table 2), explained.

Under the protocol `next` a test is one agent turn of the gold, in a round that the customer began: the agent is shown
the gold so far and takes one step, a reply or a call (`score.verdict`).

    metric                   of                                       hits
    reply recall             tests that expect a reply                a reply
    correct reply            ... and got one                          one that says the same
    API recall               tests that expect a call                 a call
    correct API              ... and got one                          of the expected API
    correct API parameters   ... of the expected API                  with the expected arguments
    test correct             all tests                                a correct reply, a call with correct parameters
    conversation correct     conversations that have tests            all of their tests are correct

`published` compares replies by similarity, at the judge's threshold `reply`, and arguments as JSON. `fixed`, which is
what is registered, differs in this:

- what the conversation graph allows in place of the expected step is as good: a gold turn lists it in
  `extra["allowed"]`, `{"kind": "say", "text": ...}` or `{"kind": "call", "api": ..., "arguments": {...}}`. A step that
  is right by one of them counts as if that had been expected; so does what comes to the same (`score.leeway`);
- where the gold's turn says what its words must get across (`extra["must"]`), any words that do are right
  (`score.must`), however unlike;
- arguments compare as their parameter says; null, a default, and nothing at all are the same;
- a reply that says a value which nothing supports, or another customer's, is wrong, however alike it is;
- each wrong test has a severity (`score.severity`), and each severity is a score: the share of tests wrong in that way.

Example:
    >>> from toologue.schema import Call, UserTurn
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Where is 812?"), AgentTurn(acts=(Call(api="get_order"),))))
    >>> trace = Trace(case="", dialogue="d", protocol="next", agent="it", turns=(gold.turns[0], AgentTurn(text="Hm.")))
    >>> scores = steps(gold, trace, Judge.of("lexical"))
    >>> [(name, scores[name].value) for name in ("API recall", "correct API", "test correct", "cosmetic")]
    [('API recall', 0.0), ('correct API', None), ('test correct', 0.0), ('cosmetic', 1.0)]

Not covered: replies that are alike in their words and opposite in meaning; choose a similarity that sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from pydantic import Field, JsonValue, ValidationError

from toologue.errors import BadRecord, shown
from toologue.models.similarity import Judge
from toologue.schema import AgentTurn, Api, Call, Dialogue, Mismatch, Noun, Score, Trace, rounds
from toologue.score.equivalent_steps import as_good
from toologue.score.metric import no_reply, unscored
from toologue.score.reply_requirements import must_of, steps_of, texts, wanting
from toologue.score.severity import SEVERITIES, Knowledge
from toologue.score.step_match import Same, Verdict, compare, kind_of_step
from toologue.values.compare import agree, same
from toologue.worlds.world import documents_of

METRICS = (
    *("reply recall", "correct reply", "API recall", "correct API", "correct API parameters"),
    *("test correct", "conversation correct"),
)


class Alternative(Noun):
    """A step that is as good as the gold's. A `say` without a text allows nothing."""

    kind: Literal["say", "call"]
    node: str = ""
    text: str = ""
    api: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def turn(self) -> AgentTurn:
        """The agent's turn that it stands for."""
        if self.kind == "say":
            return AgentTurn(text=self.text)
        return AgentTurn(acts=(Call(api=self.api, arguments=self.arguments),))


def steps(gold: Dialogue, trace: Trace, judge: Judge) -> Mapping[str, Score]:
    """The metric, in its `fixed` mode. Scores nothing under another protocol than `next`."""
    if trace.protocol != "next":
        return {}
    if why := no_reply(trace):
        return unscored((*METRICS, *SEVERITIES), gold, trace, why)
    verdicts = judged(gold, trace, judge)
    return scores_of(verdicts, gold, trace) | severities_of(verdicts, gold, trace)


STEPS: Callable[[Dialogue, Trace, Judge], Mapping[str, Score]] = steps


def judged(gold: Dialogue, trace: Trace, judge: Judge) -> list[Verdict]:
    """The tests of a conversation, in their order, in `fixed` mode."""
    documents = documents_of(gold)
    known, found = Knowledge(gold, documents), list[Verdict]()
    for turn, wanted, did in _tests(gold, trace, judge):
        first = compare(turn, wanted, did, _as_good(turn, wanted, known, judge))
        if first.correct:
            found.append(first)
            continue
        options = chain(_allowed(gold, turn, wanted), as_good(gold, turn, did, documents))
        others = (compare(turn, other, did, _as_good(turn, other, known, judge)) for other in options)
        wrong = first._replace(severity=known.severity(turn, did))
        found.append(next((other for other in others if other.correct), wrong))
    return found


def judged_as_published(gold: Dialogue, trace: Trace, judge: Judge) -> list[Verdict]:
    """The tests of a conversation as the paper defines them."""

    def reply(expected: str, actual: str) -> list[Mismatch]:
        return _unlike(expected, actual, judge)

    return [compare(*test, Same(reply, _other_arguments)) for test in _tests(gold, trace, judge)]


def scores_of(verdicts: Sequence[Verdict], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Verdicts as scores. The mismatches explain the conversation."""
    expected = Counter(verdict.expected for verdict in verdicts)
    alike = Counter(verdict.expected for verdict in verdicts if verdict.expected == verdict.done)
    right = Counter(verdict.expected for verdict in verdicts if verdict.correct)
    apis = sum(verdict.api for verdict in verdicts)
    shares = (
        (alike["reply"], expected["reply"]),
        (right["reply"], alike["reply"]),
        (alike["call"], expected["call"]),
        (apis, alike["call"]),
        (right["call"], apis),
        (right.total(), len(verdicts)),
        (int(bool(verdicts) and right.total() == len(verdicts)), int(bool(verdicts))),
    )
    scores = {name: _score(name, *share, gold, trace) for name, share in zip(METRICS, shares, strict=True)}
    at = tuple(mismatch for verdict in verdicts for mismatch in verdict.at)
    return scores | {METRICS[-1]: scores[METRICS[-1]].but(at=at)}


def severities_of(verdicts: Sequence[Verdict], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """For each severity the share of tests that are wrong in that way."""
    wrong = Counter(verdict.severity for verdict in verdicts)
    return {name: _score(name, wrong[name], len(verdicts), gold, trace) for name in SEVERITIES}


def _score(name: str, hits: int, of: int, gold: Dialogue, trace: Trace) -> Score:
    counts = {"hits": float(hits), "of": float(of)}
    why = "" if of else "nothing to score"
    return Score(
        metric=name, dialogue=gold.id, case=trace.case, counts=counts, value=hits / of if of else None, why=why
    )


def _tests(gold: Dialogue, trace: Trace, judge: Judge) -> list[tuple[int, AgentTurn, AgentTurn]]:
    """(turn, the gold's step, the agent's) of each test; the texts to be compared are embedded in one batch."""
    found: list[tuple[int, AgentTurn, AgentTurn]] = []
    start = 0
    for said, did in rounds(gold.turns):
        start += len(said)
        for turn, wanted in enumerate(did, start):
            if said and kind_of_step(wanted) != "nothing":
                lived = trace.turns[turn] if turn < len(trace.turns) else None
                found.append((turn, wanted, lived if isinstance(lived, AgentTurn) else AgentTurn()))
        start += len(did)
    spoken = [(wanted, did.text) for _, wanted, did in found if not wanted.acts and not did.acts]
    judge.warm(
        text for wanted, said in spoken if said and said != wanted.text for text in _compared(gold, wanted, said)
    )
    return found


def _compared(gold: Dialogue, wanted: AgentTurn, said: str) -> Iterable[str]:
    must = must_of(wanted)
    return filter(None, (wanted.text, said)) if must is None else texts(must, said, steps_of(gold.instructions))


def _allowed(gold: Dialogue, turn: int, wanted: AgentTurn) -> Iterator[AgentTurn]:
    """What is as good as the gold's step. Raises BadRecord for what is no alternative."""
    listed = wanted.extra.get("allowed", [])
    for index, given in enumerate(listed if isinstance(listed, list) else [listed]):
        try:
            step = Alternative.model_validate(given).turn
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            path = f"$.turns[{turn}].extra.allowed[{index}]" + "".join(f".{part}" for part in first["loc"])
            what = f"{first['msg']}, got {shown(first['input'])}"
            raise BadRecord(f"dialogue {gold.id!r}", 0, path, what) from None
        if kind_of_step(step) != "nothing":
            yield step


def _as_good(turn: int, wanted: AgentTurn, known: Knowledge, judge: Judge) -> Same:
    """What counts as the same in `fixed` mode."""
    must = must_of(wanted, f"dialogue {known.gold.id!r}, turn {turn}")

    def reply(expected: str, actual: str) -> list[Mismatch]:
        whys = dict.fromkeys((claim.text for claim in known.unfounded(turn, actual, expected)), "nothing supports it")
        whys |= dict.fromkeys(known.leaks(turn, actual, expected), "another customer's")
        strange = [Mismatch(field="reply", expected=expected, actual=value, why=why) for value, why in whys.items()]
        if must is None or expected == actual:
            return _unlike(expected, actual, judge) + strange
        steps = steps_of(known.gold.instructions)
        return wanting(must, actual, steps, judge, now=known.now, attacked=known.attacked(turn)) + strange

    def call(expected: Call, actual: Call) -> list[Mismatch]:
        return _wrong_arguments(expected, actual, known.documents.get(expected.api), judge)

    return Same(reply, call)


def _unlike(expected: str, actual: str, judge: Judge) -> list[Mismatch]:
    if judge.alike("reply", expected, actual):
        return []
    why = f"alike by {judge.similarity(expected, actual):.2f}"
    return [Mismatch(field="reply", expected=expected, actual=actual, why=why)]


def _other_arguments(wanted: Call, did: Call) -> list[Mismatch]:
    mine, theirs = did.arguments, wanted.arguments
    return [] if same(mine, theirs) else [Mismatch(field="arguments", expected=theirs, actual=mine)]


def _wrong_arguments(wanted: Call, did: Call, api: Api | None, judge: Judge) -> list[Mismatch]:
    """The arguments that do not agree. What the gold gives and nobody documents is the world's, not the agent's."""
    if did.arguments is None and did != wanted:
        return [Mismatch(field="arguments", expected=wanted.arguments, actual=did.raw, why="no JSON object")]
    theirs, mine, found = wanted.arguments or {}, did.arguments or {}, list[Mismatch]()
    for name in [*theirs, *(name for name in mine if name not in theirs)]:
        parameter = None if api is None else api.parameters.get(name)
        if api is not None and parameter is None and name in theirs:
            continue
        compare = "exact" if parameter is None else parameter.compare
        default = None if parameter is None else parameter.json_schema.get("default")
        expected, actual = (_given(arguments.get(name), default) for arguments in (theirs, mine))
        if not agree(compare, expected, actual, judge.alike):
            why = "missing" if name not in mine else f"compared as {compare}"
            found.append(Mismatch(field=f"arguments.{name}", expected=expected, actual=actual, why=why))
    return found


def _given(value: Any, default: Any) -> Any:
    return default if value is None else value
