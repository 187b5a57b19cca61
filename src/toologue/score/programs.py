"""Programs: whether they come to what the gold's come to, turn by turn (Dialog2API 2.1, equation 1, table 4).

    metric                 protocol   of each dialogue                                            total
    EMR                    recorded   t_last / T: matching turns before the first that does not   mean of dialogues
                                      match, of all turns of the user
    perfect dialogue       recorded   EMR is 1                                                    share of dialogues
    turn match             recorded   turns that match, whatever came before                      share of turns
    BLEU                   recorded   the agent's words against the gold's, a turn a segment      counts added, then
                                                                                                  BLEU
    teacher-forced match   forced     turns that match, each begun where the gold stands          share of turns
    CodeEdits              next       tokens to change, over turns with programs; lower is        mean of turns
                                      better (`score.code_edits`)

Where neither executes, a turn matches; where one does and the other does not, it does not. In `published` it matches
where the agent executed as many programs as the gold, and each has the signature of its counterpart: the same account
after it, the same value. A program that failed is one that returned nothing, and regions do not count.

In `fixed` what decides is what all programs of the turn come to: the account after the turn (regions count), the errors
with which programs ended, and what they returned, up to shape (`score.returned`). So how many programs it takes does
not matter. Each value that the gold returns must be there, in the last program's value or in all of them together; one
that failed, and that a later one of its turn made good, is forgiven. What a turn that wrote returns counts only where
the gold's returns something. Where leaves cannot decide whether values are the same the turn is *unsure*; account and
errors are never.

How the paper is read, where it leaves a choice: a program that ends with an exception was executed, also one that is no
Python, and a conversational exception counts as any other. All turns of the user count in T, also those that ask for
no program; turns of the user that follow each other are one. What programs did to the account stays, so that "turn
match" sees a wrong write at every later program, too; "teacher-forced match" sees it once. The EMR of a benchmark is
the mean over dialogues, as is the paper's share of perfect ones. A signature is of account and value (appendix B), so
two are equal where both are: the account's stands in the results of a signed world (`worlds.s3`), the value beside it.
Of any other world the account is what was written since the beginning, row by row.
BLEU is the corpus BLEU of sacrebleu in [0, 1], with its default tokenizer and smoothing. CodeEdits compares all
programs that a turn has, in order, as one text, over the turns where the gold has one.
"""

from __future__ import annotations

import io
import re
import textwrap
import token
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, repeat
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Dialogue, Invocation, Mismatch, Result, Score, Trace, Turn
from toologue.schema.stack import completed
from toologue.schema.turn import answers, executable, invocations
from toologue.score.metric import (
    LOWER_IS_BETTER,
    RATIOS,
    TurnTest,
    answers_of,
    done_at,
    no_reply,
    score_of,
    shares_of,
    unscored,
)
from toologue.score.returned import RANK, Agreement, agree
from toologue.worlds.s3.signature import INITIAL, SIGNATURES, Mode, signature_after

_PLACE = re.compile(r"\?(\d+)")
_NAME = "placeholder_"
_SKIPPED = (token.COMMENT, token.NL, token.ENCODING, token.ENDMARKER)
_SHAPES = {token.NEWLINE: "<line>", token.INDENT: "<indent>", token.DEDENT: "<dedent>"}
# The ends of a string with places in it, which is several tokens since Python 3.12.
_OPENING, _CLOSING = ({getattr(token, f"{kind}STRING_{end}", None) for kind in "FT"} for end in ("START", "END"))
_OPERATORS = token.EXACT_TOKEN_TYPES.keys() - {"!"}
_ROUGH = re.compile(r"""'''.*?'''|\"{3}.*?\"{3}|'[^'\n]*'|"[^"\n]*"|\?\d+|\w+|\n\s*|[^\w\s]""", re.DOTALL)


def tokens(code: str) -> list[str]:
    """The tokens of a program, whatever it is."""
    plain = textwrap.dedent(code).strip("\r\n")
    if not plain.strip():
        return []
    mark = _NAME
    while mark in plain:
        mark += "_"
    found = _read(_PLACE.sub(rf"{mark}\1", plain))
    if found is None:
        return ["<line>" if one[0] == "\n" else one for one in _ROUGH.findall(plain)]
    return [_SHAPES.get(one.type, one.string).replace(mark, "?") for one in found]


def edits(one: str, other: str) -> int:
    """The distance of two programs, in tokens."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(tokens(one), tokens(other))


def _read(text: str) -> list[tokenize.TokenInfo] | None:
    try:
        text.encode()  # half a surrogate pair is refused in newer versions
        found = [one for one in _with_whole_strings(text) if one.type not in _SKIPPED]
    except (tokenize.TokenError, SyntaxError, UnicodeError):
        return None
    return None if any(map(_is_odd, found)) else found


def _is_odd(one: tokenize.TokenInfo) -> bool:
    """Whether this is no token, whichever the version of Python that says what it is."""
    if one.type == token.NAME:
        return not one.string.isidentifier()
    return one.type == token.ERRORTOKEN or (one.type == token.OP and one.string not in _OPERATORS)


def _with_whole_strings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The same tokens in every version of Python: a string is one, whatever stands in it."""
    begins = [0, 0, *accumulate(map(len, io.StringIO(text)))]
    opened: list[int] = []
    for one in tokenize.generate_tokens(io.StringIO(text).readline):
        if one.type in _OPENING:
            opened.append(begins[one.start[0]] + one.start[1])
        elif one.type in _CLOSING:
            one = one._replace(string=text[opened.pop() : begins[one.end[0]] + one.end[1]])
        if not opened:
            yield one


EMR, PERFECT, TURN, BLEU, EDITS = METRICS = ("EMR", "perfect dialogue", "turn match", "BLEU", "CodeEdits")
FORCED = "teacher-forced match"
LOWER_IS_BETTER.add(EDITS)
_UNASKED = Agreement("unsure", "the gold's program returned nothing")
_ORDERS = range(1, 5)
_NO_BLEU = "sacrebleu is not installed: pip install 'toologue[programs]'"


class _Account(NamedTuple):
    """What a world holds: by its signature, where it signs; else what was written since the beginning."""

    signed: str = ""
    rows: Mapping[str, JsonValue] = MappingProxyType({})
    new: frozenset[str] = frozenset()

    def after(self, result: Result, mode: Mode) -> _Account:
        """What it holds after an act. A row that came and went is none."""
        if not result.changes.keys().isdisjoint(SIGNATURES):
            return self._replace(signed=signature_after(result, self.signed, mode))
        new, rows = self.new.union(result.created), {**self.rows, **result.changes}
        return self._replace(rows={at: row for at, row in rows.items() if row is not None or at not in new}, new=new)

    @property
    def key(self) -> str:
        return self.signed or keys.content_key({**self.rows})[:8]


class _Ran(NamedTuple):
    """A program that was executed: the account after it, what it returned, the type of its fault."""

    account: str
    value: JsonValue
    error: str | None


class _Answer(NamedTuple):
    """The answer to one turn of the user: where it begins, its turns, what ran, the account before and after."""

    turn: int
    did: Sequence[AgentTurn]
    ran: Sequence[_Ran] = ()
    before: _Account = _Account()
    account: str = ""

    @property
    def words(self) -> str:
        """All that it said."""
        return "\n".join(turn.text for turn in self.did if turn.text)

    @property
    def errors(self) -> set[str]:
        return {one.error for one in self.ran if one.error is not None}

    @property
    def values(self) -> list[JsonValue]:
        return [one.value for one in self.ran if one.error is None and one.value is not None]


def programs(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric, in its `fixed` mode. Scores nothing where the gold has no programs, or under other protocols."""
    return scores_of("fixed", gold, trace)


def scores_of(mode: Mode, gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """The metric in either mode."""
    if trace.protocol == "live" or not any(_programs(turn) for turn in gold.turns):
        return {}
    if trace.protocol == "next":
        return unscored([EDITS], gold, trace, no_reply(trace)) or {EDITS: _code_edits(gold, trace)}
    names = (FORCED,) if trace.protocol == "forced" else METRICS[:4]
    if lacking := unscored(names, gold, trace, no_reply(trace) or _unexecuted(gold)):
        return lacking
    tests = turn_tests(mode, gold, trace)
    right, of, unsure = sum(test.correct for test in tests), len(tests), sum(map(_unsure, tests))
    at = [mismatch for test in tests for mismatch in test.at]
    if trace.protocol == "forced":
        return shares_of({FORCED: (right, of, unsure)}, gold, trace, {FORCED: at})
    first = next((n for n, test in enumerate(tests) if not test.correct), of)
    last = next((n for n, test in enumerate(tests) if not test.correct and not _unsure(test)), of)
    shares = {
        EMR: (first / of, 1, (last - first) / of),
        PERFECT: (first == of, 1, (last == of) - (first == of)),
        TURN: (right, of, unsure),
    }
    return {**shares_of(shares, gold, trace, {EMR: at[:1], PERFECT: at}), BLEU: _bleu(gold, trace)}


def turn_tests(mode: Mode, gold: Dialogue, trace: Trace) -> list[TurnTest]:
    """Every turn of the user, compared."""
    signed = mode if INITIAL[mode] in gold.extra else "published"
    initial = str(gold.extra.get(INITIAL[signed], ""))
    golds = _answers(gold.turns, initial, signed)
    starts = [one.before for one in golds] if trace.protocol == "forced" else []
    found: list[TurnTest] = []
    for number, (wanted, mine) in enumerate(_pairs(golds, _answers(trace.turns, initial, signed, starts)), 1):
        came = _difference(mode, wanted, mine)
        told = Mismatch(turn=wanted.turn, field="program", expected=_told(wanted), actual=_told(mine), why=came.why)
        if came.verdict == "unsure":
            told = told.replace(verdict="unsure", by="value")
        found.append(TurnTest(number, wanted.turn, (told,) if came.why else ()))
    return found


def _unsure(test: TurnTest) -> bool:
    return any(one.verdict == "unsure" for one in test.at)


def _answers(
    turns: Sequence[Turn], initial: str = "", mode: Mode = "published", starts: Sequence[_Account] = ()
) -> list[_Answer]:
    """The answers to the user's turns. `initial` signs the account at the beginning, `starts` where each begins."""
    made: dict[int, list[Invocation]] = {}
    for one in invocations(turns, opening=True):
        made.setdefault(one.turn, []).append(one)
    spans = [(start, did) for _, start, did in answers(turns)]
    account, found = _Account(initial), list[_Answer]()
    for at in range(spans[0][0] if spans else 0):  # what the opening did
        account = _run(made.get(at, ()), account, mode)[1]
    for (start, did), begun in zip(spans, chain(starts, repeat(None)), strict=False):
        before = account if begun is None else begun
        ran, account = _run([one for at in range(start, start + len(did)) for one in made.get(at, ())], before, mode)
        found.append(_Answer(start, did, ran, before, account.key))
    return found


def _run(made: Iterable[Invocation], account: _Account, mode: Mode) -> tuple[list[_Ran], _Account]:
    """What programs came to, and the account after all that was done."""
    ran: list[_Ran] = []
    for one in made:
        account = account.after(one.result, mode)
        if one.act.kind == "program":
            ran.append(_Ran(account.key, one.result.value, one.result.error and one.result.error.type))
    return ran, account


def _pairs(wanted: Sequence[_Answer], lived: Sequence[_Answer]) -> Iterator[tuple[_Answer, _Answer]]:
    """Each answer of the gold beside the agent's, which is empty where there is none."""
    yield from zip(wanted, chain(lived, repeat(_Answer(0, ()))), strict=False)


def _difference(mode: Mode, wanted: _Answer, mine: _Answer) -> Agreement:
    error = next((turn.error.type for turn in mine.did if turn.error is not None), "")
    if error or (wanted.did and not mine.did):
        return _wrong(f"the agent gave no answer: {error}" if error else "the agent gave no answer")
    if bool(wanted.ran) != bool(mine.ran):
        return _wrong("no program was executed" if wanted.ran else "a program was executed, against expectation")
    if mode == "fixed":
        return _came_to(wanted, mine)
    if len(wanted.ran) != len(mine.ran):
        return _wrong(f"{len(mine.ran)} programs were executed, not {len(wanted.ran)}")
    for one, other in zip(wanted.ran, mine.ran, strict=True):
        if one.account != other.account:
            return _wrong("the account is another after it")
        if keys.canonical(one.value) != keys.canonical(other.value):
            return _wrong("the program returned something else")
    return Agreement("right")


def _came_to(wanted: _Answer, mine: _Answer) -> Agreement:
    """What the programs of a turn came to, against the gold's."""
    last = mine.ran[-1].error if mine.ran else None
    if not wanted.errors <= mine.errors or (last is not None and last not in wanted.errors):
        both = wanted.errors and mine.errors
        return _wrong("the program failed otherwise" if both else "one failed, the other did not")
    if wanted.account != mine.account and wanted.ran:
        return _wrong("the account is another after it")
    if not wanted.values:
        silent = wanted.ran and wanted.account == wanted.before.key and not wanted.errors
        return _UNASKED if silent and mine.values else Agreement("right")
    if not mine.values:
        return _wrong("the program returned nothing")
    expected = wanted.values[0] if len(wanted.values) == 1 else wanted.values
    together = (mine.values,) if len(mine.values) > 1 else ()
    return min((agree(expected, value) for value in (mine.values[-1], *together)), key=lambda one: RANK[one.verdict])


def _wrong(why: str) -> Agreement:
    return Agreement("wrong", why)


def _told(answer: _Answer) -> list[JsonValue]:
    return [
        {"account": one.account, **({"error": one.error} if one.error else {"value": one.value})} for one in answer.ran
    ]


def _bleu(gold: Dialogue, trace: Trace) -> Score:
    """The agent's words against the gold's: sacrebleu's counts, which add up."""
    try:
        bleu = _sacrebleu()
    except ImportError:
        return unscored([BLEU], gold, trace, _NO_BLEU)[BLEU]
    pairs = _pairs(_answers(gold.turns), _answers(trace.turns))
    words = [(one.words, other.words) for one, other in pairs if one.words]
    if not words:
        return unscored([BLEU], gold, trace, "nothing to score")[BLEU]
    found = bleu(force=True).corpus_score([said for _, said in words], [[wanted for wanted, _ in words]])
    counts: dict[str, float] = {"said": found.sys_len, "wanted": found.ref_len}
    for order, (correct, total) in enumerate(zip(found.counts, found.totals, strict=True), 1):
        counts |= {f"correct {order}": correct, f"total {order}": total}
    return score_of(BLEU, gold, trace, counts)


def _bleu_of(counts: Mapping[str, float]) -> float | None:
    """BLEU of added counts; of few and short texts by the orders that they have."""
    if not counts.get("wanted"):
        return None
    correct, total = ([counts[f"{name} {order}"] for order in _ORDERS] for name in ("correct", "total"))
    said, wanted = int(counts["said"]), int(counts["wanted"])
    found = _sacrebleu().compute_bleu(correct, total, said, wanted, smooth_method="exp", effective_order=True)
    return min(found.score / 100, 1.0)


def _sacrebleu() -> Any:
    from sacrebleu.metrics import bleu

    return bleu.BLEU


RATIOS[BLEU] = _bleu_of


def _code_edits(gold: Dialogue, trace: Trace) -> Score:
    found: list[tuple[int, Mismatch]] = []
    for place, _, turn in answers_of(gold):
        if wanted := _programs(turn):
            taken = _programs(completed((*gold.turns[:place], done_at(trace, place)), lax=True)[-1])
            distance = edits(wanted, taken)
            told = Mismatch(turn=place, field="code", expected=wanted, actual=taken, why=f"{distance} tokens")
            found.append((distance, told))
    if not found:
        return unscored([EDITS], gold, trace, "nothing to score")[EDITS]
    counts = {"hits": sum(distance for distance, _ in found), "of": len(found)}
    return score_of(EDITS, gold, trace, counts, (told for distance, told in found if distance))


def _programs(turn: Turn) -> str:
    acts = turn.acts if turn.role == "agent" else ()
    return "\n".join(act.code for act in acts if act.kind == "program")


def _unexecuted(gold: Dialogue) -> str:
    """Why nothing is known of what the gold's programs come to, where that is so."""
    for turn in gold.turns:
        if turn.role == "agent" and any(executable(act) for act in turn.acts) and not any(turn.results):
            return "the gold was never executed, so what it comes to is unknown"
    return ""
