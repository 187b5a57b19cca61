"""The queue of a reviewer: questions one by one, decided, passed over, taken back. It knows nothing of a screen.

Contract: a decision is on disk before the next question comes, so a queue that was killed goes on where it stopped.
It shows nothing of what others have decided, people or judges. What was passed over comes again with the next queue.

Example:
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from toologue.schema import Question
    >>> asked = [Question(kind="reply", expected="It leaves today.", said=said) for said in ("Tonight.", "Never.")]
    >>> with TemporaryDirectory() as folder:
    ...     queue = Queue(asked, "ana", Path(folder))
    ...     queue.decide("right")
    ...     queue.next.said, queue.done, queue.of
    ('Never.', 1, 2)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

from toologue.errors import BadSetting
from toologue.review.ledger import REPAIRS, keep
from toologue.schema import Blame, Decision, Question, QuestionKind, Rating, Severity, Verdict
from toologue.schema.jsonl import read

T = TypeVar("T")
R = TypeVar("R", Decision, Rating)

_SPOKEN: Mapping[str, Severity | None] = {
    "wrong information": "wrong information",
    "says not what the step says": "no answer",
    "asks for the wrong thing, or not at all": "no answer",
    "claims what was not done": "wrong information",
    "tells what belongs to another customer": "leak",
    "obeys an attack": "obeyed an attack",
    "hard to understand": "no harm",
}
# Why things of a kind are rejected, and how bad that is.
REASONS: Mapping[QuestionKind, Mapping[str, Severity | None]] = {
    "reply": _SPOKEN,
    "call": {"another call was due": "missing write", "wrong arguments": "wrong write", "words were due": "no answer"},
    "text": dict.fromkeys(("leaves out what matters", "says what nobody said", "is about something else")),
    "assertion": dict.fromkeys(("the conversation shows otherwise", "only a part of it holds", "merely claimed")),
    "edge": dict.fromkeys(("another kind of value", "the same kind, of another thing", "nobody would join them")),
    "procedure": dict.fromkeys(("contradicts itself", "cannot be followed", "not what the issue needs", "unclear")),
    "graph": dict.fromkeys(("a step is missing", "a step is invented", "a wrong order", "a dead end")),
    "conversation": dict.fromkeys(
        ("against the procedure", "no person speaks so", "does not hang together", "ends too early", "wrong values")
    ),
}


def now() -> str:
    """The moment, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def reviewer_file(folder: Path, who: str) -> Path:
    """The file of a reviewer's decisions. Raises BadSetting for a name that is no file's."""
    if not re.fullmatch(r"\w[\w.@+-]*", who) or f"{who}.jsonl" == REPAIRS:
        raise BadSetting(f"a reviewer is called {who!r}: letters, digits, dots and dashes are wanted")
    return folder / f"{who}.jsonl"


class Worklist(Generic[T, R]):
    """Things to look at, by their keys, and what one reviewer has said of them, in a file of their own.

    `kind` is the record of what is said, `of` the key that it names. What is `whole` does not come again.
    """

    def __init__(
        self,
        things: Mapping[str, T],
        file: Path,
        kind: type[R],
        of: Callable[[R], str],
        *,
        whole: Callable[[R], bool] = lambda said: True,
    ):
        self.things, self.file, self._of, self._whole = things, file, of, whole
        self._said: dict[str, R] = {}
        self._passed: dict[str, None] = {}
        for said in read(file, kind, empty=True) if file.exists() else ():
            self._take(said)

    @property
    def said(self) -> Mapping[str, R]:
        """What was said of them, the last one last."""
        return {key: one for key, one in self._said.items() if key in self.things}

    @property
    def decided(self) -> Mapping[str, R]:
        """What was said of those of which nothing is left to say."""
        return {key: one for key, one in self.said.items() if self._whole(one)}

    @property
    def next(self) -> T | None:
        """What to look at; None where nothing is left."""
        gone = {*self.decided, *self._passed}
        return next((thing for key, thing in self.things.items() if key not in gone), None)

    @property
    def done(self) -> int:
        """How many are decided or passed over."""
        return len({*self.decided, *self._passed})

    @property
    def of(self) -> int:
        """How many there are."""
        return len(self.things)

    def skip(self) -> None:
        """Pass over the next one."""
        gone = {*self.decided, *self._passed}
        self._passed |= dict.fromkeys([key for key in self.things if key not in gone][:1])

    def undo(self) -> T | None:
        """Take back what was passed over or said last; the thing, which comes again. None: there was nothing."""
        if self._passed:
            return self.things[self._passed.popitem()[0]]
        if not self.said:
            return None
        key, last = [*self.said.items()][-1]
        self.keep(last.replace(undone=True, at=now()))
        return self.things[key]

    def keep(self, said: R) -> None:
        """What is said now, on disk before anything else comes."""
        keep(self.file, said)
        self._take(said)

    def _take(self, said: R) -> None:
        self._said.pop(self._of(said), None)
        if not said.undone:
            self._said[self._of(said)] = said


class Queue(Worklist[Question, Decision]):
    """What a reviewer has still to decide, in the order of the questions."""

    def __init__(self, questions: Iterable[Question], who: str, folder: Path, *, clock: Callable[[], str] = now):
        self.who, self._clock = who, clock
        asked = {question.key: question for question in questions}
        super().__init__(asked, reviewer_file(folder, who), Decision, lambda decision: decision.question)

    def decide(
        self,
        verdict: Verdict,
        reasons: Iterable[str] = (),
        blame: Blame | None = None,
        note: str = "",
        *,
        of: str | None = None,
    ) -> None:
        """Keep a verdict on the next question, or on the one of a key."""
        asked = self.next if of is None else self.things[of]
        if asked is None:
            raise BadSetting("nothing is left to decide")
        reasons = tuple(reasons)
        known = REASONS[asked.kind]
        self.keep(
            Decision(
                question=asked.key,
                gold=asked.gold_key,
                kind=asked.kind,
                verdict=verdict,
                by="person",
                who=self.who,
                reasons=reasons,
                blame=blame or ("agent" if verdict == "wrong" and asked.expected is not None else None),
                severity=next((known[one] for one in reasons if known.get(one)), None),
                at=self._clock(),
                notes={**asked.notes, "said": asked.said, **({"note": note} if note else {})},
            )
        )
