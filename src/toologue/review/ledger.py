"""The ledger: all decisions on questions, of people and judges, and what counts of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from toologue import keys
from toologue.models.similarity import TextMatch
from toologue.review.agreement import Agreement, agreement
from toologue.schema import Decision, Question, Rating, Repair
from toologue.schema.jsonl import Appender, line_of, read

FOLDER, REPAIRS = "reviews", "repairs.jsonl"


def reviews_of(what: Path) -> Path:
    """Where the decisions on something stand: in a project or a folder of generated things, beside a run or a file."""
    beside = what.is_file() or (what / "run.json").exists()
    return (what.parent if beside else what) / FOLDER


class Ledger:
    """Decisions, in their order; of one reader on one question the last one counts, unless it is undone.

    A second reader (`schema.SecondReader`): people settle whatever they have decided, a judge what rules left open,
    from when on it agrees with people.
    """

    def __init__(self, decisions: Iterable[Decision] = (), repairs: Iterable[Repair] = ()):
        self._by_reader: dict[str, dict[str, Decision]] = {}
        self.repairs = list(repairs)
        self.asked = ""  # the judge that is asked in this run
        for decision in decisions:
            self.add(decision)

    @classmethod
    def of(cls, folder: Path) -> Ledger:
        """The decisions in a folder `reviews`; none where there is no such folder."""
        files = [*sorted(folder.glob("*.jsonl")), *sorted(folder.glob("judges/*.jsonl"))]
        mended = folder / REPAIRS
        return cls(
            (decision for file in files if file != mended for decision in read(file, Decision, empty=True)),
            read(mended, Repair, empty=True) if mended.is_file() else (),
        )

    def __bool__(self) -> bool:
        return bool(self._by_reader or self.repairs)

    def add(self, decision: Decision) -> None:
        """Take note of a decision."""
        mine = self._by_reader.setdefault(decision.who, {})
        mine.pop(decision.question, None)
        if not decision.undone:
            mine[decision.question] = decision
        for name in ("blames", "gating"):
            self.__dict__.pop(name, None)

    def decisions(self, who: str) -> Mapping[str, Decision]:
        """What a reader has decided, by question."""
        return self._by_reader.get(who, {})

    @property
    def people(self) -> list[str]:
        """The people among the readers."""
        return [who for who, mine in self._by_reader.items() if any(one.by == "person" for one in mine.values())]

    @property
    def judges(self) -> list[str]:
        """The judges among the readers."""
        return [who for who, mine in self._by_reader.items() if any(one.by == "judge" for one in mine.values())]

    def of_people(self, question: str) -> Decision | None:
        """What people come to: one who rejects is enough."""
        found = [mine[question] for who in self.people if question in (mine := self._by_reader[who])]
        told = [one for one in found if one.verdict != "unsure"]
        return next((one for one in told if one.verdict == "wrong"), told[0] if told else None)

    def agreement(self, judge: str) -> Agreement:
        """How far a judge agrees with people, on what both have decided."""
        return agreement(self.pairs(judge))

    def pairs(self, judge: str, kind: str = "") -> list[tuple[str, str]]:
        """Verdicts (people's, the judge's) on what both have decided; a judge that is unsure agrees with nobody."""
        decided = [one for one in self.decisions(judge).values() if kind in ("", one.kind)]
        both = ((self.of_people(one.question), one) for one in decided)
        return [(person.verdict, one.verdict) for person, one in both if person is not None]

    @cached_property
    def gating(self) -> frozenset[str]:
        """The judges whose word counts."""
        return frozenset(judge for judge in self.judges if self.agreement(judge).gates)

    @cached_property
    def blames(self) -> Collection[str]:
        """The gold keys of what people blame the gold for, unless it was repaired since."""
        mine = (one for who in self.people for one in self._by_reader[who].values())
        mended = {repair.gold: repair.at for repair in self.repairs}
        return frozenset(
            one.gold for one in mine if one.blame == "gold" and one.gold and mended.get(one.gold, "") < (one.at or " ")
        )

    @property
    def strict(self) -> bool:
        """Whether rules leave what is not certain to a judge: one is asked, and its word counts."""
        return self.asked in self.gating

    def settled(self, question: Question) -> Decision | None:
        """What counts as decided of a question."""
        person = self.of_people(question.key)
        if person is not None or question.verdict != "unsure":
            return person
        judged = (self._by_reader[judge].get(question.key) for judge in sorted(self.gating))
        return next((one for one in judged if one is not None and one.verdict != "unsure"), None)

    def record(self) -> object:
        """A key of all that counts."""
        people = {who: sorted(one.key for one in self._by_reader[who].values()) for who in self.people}
        judges = {who: sorted(one.key for one in self._by_reader[who].values()) for who in self.gating}
        return keys.content_key([people, judges, [repair.key for repair in self.repairs], self.strict])

    def reads(self, match: TextMatch) -> TextMatch:
        """A match of texts with this ledger as its second reader, where anybody's word counts."""
        return replace(match, reader=self if self.people or self.gating or self.repairs else None)


class Trusting:
    """A second reader who takes a judge's word for what rules leave open, however far it agrees with people."""

    def __init__(self, ledger: Ledger, judge: str, *, strict: bool = False):
        self.ledger, self.judge, self.strict = ledger, judge, strict

    @property
    def blames(self) -> Collection[str]:
        """Those of the ledger."""
        return self.ledger.blames

    def settled(self, question: Question) -> Decision | None:
        """What the ledger says, else what the judge has decided."""
        found = self.ledger.settled(question)
        if found is None and question.verdict == "unsure":
            found = self.ledger.decisions(self.judge).get(question.key)
        return None if found is None or found.verdict == "unsure" else found

    def record(self) -> object:
        """A key of all that counts."""
        judged = self.ledger.decisions(self.judge).values()
        return keys.content_key([self.ledger.record(), self.judge, sorted(one.key for one in judged)])


class Collector:
    """A second reader that takes down what it is asked, and answers as another does.

    `all`: also what rules have decided.
    """

    def __init__(self, ledger: Ledger | Trusting, *, all: bool = False):
        self.ledger, self._all = ledger, all
        self.questions: dict[str, Question] = {}

    @property
    def blames(self) -> Collection[str]:
        """Those of the other."""
        return self.ledger.blames

    @property
    def strict(self) -> bool:
        """As the other."""
        return self.ledger.strict

    def settled(self, question: Question) -> Decision | None:
        """What the other says; a question that it leaves open is taken down, but of acts, which execution decides."""
        found = self.ledger.settled(question)
        if found is None and question.kind != "call" and (self._all or question.verdict == "unsure"):
            self.questions.setdefault(question.key, question)
        return found

    def record(self) -> object:
        """That of the other."""
        return self.ledger.record()


def keep(file: Path, decision: Decision | Repair | Rating) -> None:
    """Add a decision to a reader's file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with Appender(file) as lines:
        lines.append(line_of(decision))
