"""Form and wording: who speaks when, and words that no customer and no agent would say.

    shape     the customer begins; then come calls as they are needed and one reply, and so on; a reply is last. A turn
              of the agent calls once and is silent, or speaks and calls nothing. Calls have results, texts words
    wording   no stand-in for a name (ProductX, [name], lorem ipsum), no braces; replies give away no Api, no step of
              the procedure and nothing of its language. What customers say as noise is free
    detour    the reply to noise does not do as it is told; with cues, noise and refusal are said word for word

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> reply = AgentTurn(text="Hello [name], get_order failed in step 3.")
    >>> talk = Dialogue(id="d", turns=(UserTurn(text="Hi"), reply))
    >>> for flaw in [*shape(talk), *wording(talk, ["get_order"])]:
    ...     print(flaw)
    turn 1: wording: '[name]' stands in for something
    turn 1: wording: 'step 3' is about the procedure
    turn 1: wording: 'get_order' is the name of an Api

Not covered: tone, grammar, and noise that is obeyed in words of its own; for that give cues, or a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from toologue.schema import AgentTurn, Cue, Dialogue, Turn
from toologue.verify.flaw import Flaw
from toologue.verify.procedures.follow import detour_of

_STAND_IN = re.compile(
    r"""\b(?:Product|Item|Order|Customer|User|Company|Name|City|Street|Address|Agent|Shop|Brand|Reason)\s?(?:[XYZ]|_?\d)\b
    | \b(?:[Ll]orem\s+ipsum|[Ff]oo\s?bar|[Jj](?:ohn|ane)\s+[Dd]oe|TBD|TODO|X{3,}|placeholder)\b
    | \[[A-Za-z][\w ,'/-]*\] | <[A-Za-z][\w -]*> | \b(?:your|customer|order|product)_(?:name|id|number|email)\b""",
    re.VERBOSE,
)
_BRACE = re.compile(r"[{}]\S*")
_PROCEDURE = re.compile(
    r"\bCollect\b|`[^`]*`|\*\*\w+\*\*|\b(?:step|node)\s\d+\b|\b[Gg]o to \d+\b|\bAPIs?\b|\b(?:null|true|false)\b"
    r"|\b(?:flow|conversation\s)graph\b"
)
_OBEYS = re.compile(
    r"""^\W*(?:sure|certainly|gladly|absolutely|of\s+course|at\s+once|right\s+away|yes|okay|no\s+problem)\b[,.!]?\s+
        (?:I(?:['’](?:ll|ve|m)|\s+(?:will|have|can|am))\b|here\b)
    | ^\W*(?:as\s+you\s+(?:wish|say|ask|like)|done[.!])
    | \bI(?:['’]ve|\s+have)\s+(?:(?:now|just|already|gladly)\s+)?(?:added|approved|booked|cancelled|changed|confirmed
        |credited|deleted|forgotten|granted|ignored|issued|marked|paid|refunded|removed|sent|switched|transferred
        |verified|waived)\b
    | \b(?:my|the)\s+(?:instructions|rules|prompt)\s+(?:are|is|say|read)\b(?!\s*n[o'’]t)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What only somebody says who does as noise asks."""


def shape(dialogue: Dialogue) -> Iterator[Flaw]:
    """Every turn that stands where it may not, or says or does nothing."""
    before: Turn | None = None
    for place, turn in enumerate(dialogue.turns):
        wrong = _misshaped(turn) if turn.role == "agent" else "" if turn.text.strip() else "the customer says nothing"
        if wrong:
            yield Flaw("shape", place, wrong)
        if before is None and turn.role == "agent":
            yield Flaw("shape", place, "the agent speaks first, and the customer should (ALMITA A.6)")
        if turn.role == "user" and before is not None and (before.role == "user" or before.text is None):
            what = "nobody answered the customer" if before.role == "user" else "a call is not followed by a reply"
            yield Flaw("shape", place, what)
        if turn.role == "agent" and before is not None and before.role == "agent" and before.text is not None:
            yield Flaw("shape", place, "the agent goes on after a reply, and it is the customer's turn")
        before = turn
    if before is None or before.role == "user" or before.text is None:
        yield Flaw("shape", len(dialogue.turns) - 1, "the last turn is no reply")


def wording(dialogue: Dialogue, apis: Iterable[str]) -> Iterator[Flaw]:
    """Every word that stands for something, or tells of what goes on behind the scenes."""
    secret = _named(frozenset(apis))
    for place, turn in enumerate(dialogue.turns):
        text = turn.text or ""
        if detour_of(turn) == "noise":
            continue
        for pattern, what in ((_STAND_IN, "stands in for something"), (_BRACE, "should be a value")):
            if found := pattern.search(text):
                yield Flaw("wording", place, f"{found[0]!r} {what}")
        if turn.role == "agent":
            for pattern, what in ((_PROCEDURE, "is about the procedure"), (secret, "is the name of an Api")):
                if found := pattern and pattern.search(text):
                    yield Flaw("wording", place, f"{found[0]!r} {what}")


def detours(dialogue: Dialogue, cues: Sequence[Cue]) -> Iterator[Flaw]:
    """Every reply to noise that obeys it; with cues, noise and refusals that are not said as planned."""
    for place, (turn, before) in enumerate(zip(dialogue.turns, (None, *dialogue.turns), strict=False)):
        answers = turn.role == "agent" and before is not None and detour_of(before) == "noise"
        if answers and (found := _OBEYS.search(turn.text or "")):
            yield Flaw("detour", place, f"the agent does what noise asks for: {found[0]!r}")
    for place, (turn, cue) in enumerate(zip(dialogue.turns, cues, strict=False)):
        if cue.move in ("noise", "refuse") and cue.text not in (turn.text or ""):
            yield Flaw("detour", place, f"the {cue.move} that was planned is not said: {cue.text!r}")


@lru_cache(maxsize=256)
def _named(apis: frozenset[str]) -> re.Pattern[str] | None:
    """The names that nobody says by chance."""
    names = sorted(name for name in apis if not name.islower() or "_" in name)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None


def _misshaped(turn: AgentTurn) -> str:
    """What is wrong with a turn of the agent, looked at alone."""
    if not turn.acts:
        if turn.results:
            return "a result without a call"
        return "" if turn.text and turn.text.strip() else "the agent neither speaks nor acts"
    first, *more = turn.acts
    if more or turn.text is not None:
        return "a call stands in a turn of its own, without words"
    if first.kind != "call" or first.arguments is None:
        return "an act that is no call with arguments"
    return "" if any(turn.results) else "a call has no result"
