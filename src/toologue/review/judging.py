"""A judge asked about what rules leave open: each question once, its decisions kept beside those of people.

Grading takes down what is open, the judge is asked what it has not decided before, and grading is done again. A judge
whose word does not count yet informs: what it would change is said, and changes nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from toologue.judge.ask_judge import Judge, is_final
from toologue.models.recording import told_spec
from toologue.models.similarity import TextMatch
from toologue.report.view import PASSES
from toologue.report.words import best_value, bracket
from toologue.review.agreement import ENOUGH, Agreement, agreement_words
from toologue.review.ledger import Collector, Ledger, Trusting, keep
from toologue.schema import Question
from toologue.score.metric import Total
from toologue.score.steps import HARMLESS

Grade = Callable[[TextMatch], Sequence[Total]]
Progress = Callable[[int, int], None]
_TOGETHER = 8


@dataclass(frozen=True)
class Judging:
    """A judge at work over a folder `reviews`."""

    judge: Judge
    folder: Path
    tell: Callable[[str], None] = lambda text: None
    bar: Callable[[str], AbstractContextManager[Progress]] = lambda what: nullcontext(lambda done, of: None)

    @cached_property
    def ledger(self) -> Ledger:
        """All decisions, with those that the judge makes now."""
        found = Ledger.of(self.folder)
        found.asked = self.judge.who
        return found

    @property
    def file(self) -> Path:
        """Where the judge's decisions are kept."""
        name = re.sub(r"[^\w.=-]+", "-", told_spec(self.judge.spec)).strip("-.")[:100]
        return self.folder / "judges" / f"{name}.jsonl"

    def consult(self, match: TextMatch, grades: Mapping[str, Grade]) -> bool:
        """Ask what gradings leave open, by their names, and say what it changes; whether it counts for anything."""
        before, record = dict[str, tuple[Sequence[Total], list[Question]]](), self.ledger.record()
        for name, grade in grades.items():
            reader = Collector(self.ledger)
            before[name] = grade(replace(match, reader=reader)), list(reader.questions.values())
        self.ask([question for _, questions in before.values() for question in questions])
        trusting = Trusting(self.ledger, self.judge.who, strict=self.ledger.strict)
        for name, (totals, questions) in before.items():
            self.tell(("" if len(grades) == 1 else f"{name}: ") + self._says(questions))
            if questions:
                self.tell(f"  {_change(totals, grades[name](replace(match, reader=trusting)))} ({self.standing})")
        return self.ledger.record() != record

    def ask(self, questions: Iterable[Question]) -> None:
        """Ask the judge what it has not decided, and keep what it decides."""
        known = self.ledger.decisions(self.judge.who)
        fresh = {question.key: question for question in questions if question.key not in known}
        if fresh:
            where = getattr(self.judge.model, "base_url", "")
            edges = all(question.kind == "edge" for question in fresh.values())
            parts = "APIs by name, their documents where given" if edges else "procedure, conversation, expected, said"
            sent = f"{len(fresh)} question{'s' * (len(fresh) > 1)} ({parts})"
            votes = f", {self.judge.votes} votes each" if self.judge.votes > 1 else ""
            self.tell(f"{sent} go to {told_spec(self.judge.spec)}{f' at {where}' if where else ''}{votes}")
            with self.bar("judging") as progress:
                asyncio.run(self._ask(list(fresh.values()), progress))
            mine = self.ledger.decisions(self.judge.who)
            failed = [mine[key] for key in fresh if not is_final(mine[key])]
            for decision in failed[:1]:
                self.tell(f"  {len(failed)} got no reply, and are asked again next time: {decision.reasons[-1]}")

    async def _ask(self, questions: Sequence[Question], progress: Progress) -> None:
        room, done = asyncio.Semaphore(_TOGETHER), 0

        async def one(question: Question) -> None:
            nonlocal done
            async with room:
                decision = await self.judge.decide(question)
            decision = decision.replace(at=datetime.now(UTC).isoformat(timespec="seconds"))
            self.ledger.add(decision)
            if is_final(decision):
                keep(self.file, decision)
            progress(done := done + 1, len(questions))

        await asyncio.gather(*map(one, questions))

    @property
    def standing(self) -> str:
        """Whether the judge's word counts, and why not."""
        return standing_words(self.ledger.agreement(self.judge.who))

    def _says(self, questions: Collection[Question]) -> str:
        name, mine = f"judge {told_spec(self.judge.spec)}", self.ledger.decisions(self.judge.who)
        gates = self.judge.who in self.ledger.gating
        if not questions:
            return f"{name}: nothing is open"
        left = Counter(
            "; ".join(mine[one.key].reasons).partition(":")[0] or "it cannot tell"
            for one in questions
            if mine[one.key].verdict == "unsure"
        )
        found = f"{name} {'settles' if gates else 'would settle'} {len(questions) - left.total()} of {len(questions)}"
        stay = ", ".join(f"{why} × {times}" for why, times in left.most_common())
        return f"{found}\n  unsure still: {stay}" if stay else found


def standing_words(found: Agreement) -> str:
    """Whether a judge's word counts by its agreement with people."""
    if found.n < ENOUGH:
        return f"informs only: {found.n} of {ENOUGH} decisions of people to compare with"
    return f"gates: {agreement_words(found)}" if found.gates else f"informs only: {agreement_words(found)}"


def _change(before: Sequence[Total], after: Sequence[Total]) -> str:
    """What the shares of passed and of harmless conversations become."""
    was, now = ({total.metric: total for total in totals} for totals in (before, after))
    passes = next((name for name in PASSES if name in was), "")
    shown = [name for name in (passes, HARMLESS) if name in was]
    return "; ".join(f"{name} {_share(was[name])} → {_share(now[name])} %" for name in shown)


def _share(total: Total) -> str:
    return bracket(100 * (total.value or 0), 100 * best_value(total), "{:.1f}")
