"""What rules leave open, and what was generated, on the screen and in files: what stands behind `toologue review`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal, cast

from pydantic import JsonValue

from toologue.cli.terminal import Keys, at_terminal, clear, echo, say, table
from toologue.errors import BadFile, BadSetting
from toologue.judge.ask_judge import KINDS
from toologue.models.similarity import TextMatch
from toologue.plan.api_graph.check import Checked
from toologue.project.evaluate import kept_runs, make_suites, read_chapters
from toologue.project.settings import FILE, Project, open_project
from toologue.review.agreement import agreement_cells
from toologue.review.collect import generated, open_questions, run_folders
from toologue.review.funnel import edges_checked, edges_judged, pairs, rejected
from toologue.review.judging import Judging
from toologue.review.ledger import REPAIRS, Ledger, keep
from toologue.review.queue import REASONS, Queue, now
from toologue.review.repair import Blamed, blamed_steps, flaws
from toologue.run.store import RunFolder
from toologue.schema import AgentTurn, Blame, Graph, Noun, Question, QuestionKind, Repair, Verdict
from toologue.schema.jsonl import read

_LINES, _LONGEST = 8, 6000
Failed = Literal["rules", "judge"]
_BLAMES: Mapping[str, tuple[Blame, str]] = {
    "A": ("agent", "agent"),
    "G": ("gold", "gold (what is expected)"),
    "R": ("grader", "rules"),
    "S": ("simulator", "customer"),
}
_KEYS = "a accept   r reject   s skip   u undo   h whole history   q quit"


class Answer(Noun):
    """A decision as it stands in a file for --decide."""

    question: str
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    blame: Blame | None = None
    note: str = ""


def ask_judge(judging: Judging, asked: list[Question]) -> None:
    """Ask a judge what it has not decided, and say what it comes to."""
    if others := {one.kind for one in asked} - KINDS:
        raise BadSetting(f"no judge is asked about a {min(others)}: choose with --kind from {', '.join(sorted(KINDS))}")
    judging.ask(asked)
    told = Counter(judging.ledger.decisions(judging.judge.who)[one.key].verdict for one in asked)
    counts = ", ".join(f"{told[verdict]} {verdict}" for verdict in ("right", "wrong", "unsure"))
    echo(f"judge {judging.judge.who}: {counts}; kept in {judging.file}", note=True)


def questions(
    what: Path, folder: Path, agents: list[str], *, failed: Failed | None, sample: int | None, kinds: list[QuestionKind]
) -> list[Question]:
    """What is open in a project or its runs, or what was generated; `failed`: what rules, or a judge, reject of it."""
    among = _rejected(Ledger.of(folder)) if failed == "judge" else _is_wrong
    similarity = "lexical"
    if (what / FILE).is_file():
        project = open_project(what)
        similarity, runs = project.settings.grade.similarity, _runs(project, agents)
    else:
        runs = run_folders(what)
    if not runs:
        found = generated(what, kinds=kinds, sample=sample)
        return [one for one in found if failed is None or among(one)]
    found = open_questions(runs, TextMatch.of(similarity), among=among if failed else None)
    return [one for one in found if not kinds or one.kind in kinds]


def _is_wrong(asked: Question) -> bool:
    return asked.verdict == "wrong"


def _rejected(ledger: Ledger) -> Callable[[Question], bool]:
    told = chain.from_iterable(ledger.decisions(judge).values() for judge in ledger.judges)
    among = {one.question for one in told if one.verdict == "wrong"}
    return lambda asked: asked.key in among


def _runs(project: Project, agents: list[str]) -> list[RunFolder]:
    runs = [*kept_runs(project, agents)]
    if not runs:
        raise BadFile(f"{project.folder}: nothing that can be reviewed was run: toologue test {project.folder}")
    return runs


def take(queue: Queue, file: Path) -> None:
    """Decisions from a file; those that say nothing new are passed."""
    taken = 0
    for one in read(file, Answer):
        if one.question not in queue.things:
            raise BadFile(f"{file}: no question has the key {one.question!r}: --list prints all")
        known = queue.decided.get(one.question)
        if known is None or (known.verdict, known.reasons) != (one.verdict, one.reasons):
            queue.decide(one.verdict, one.reasons, one.blame, one.note, of=one.question)
            taken += 1
    echo(
        f"{taken} decisions taken; {len(queue.decided)} of {queue.of} decided by {queue.who}, in {queue.file}",
        note=True,
    )


class Desk:
    """A queue on the screen: what is asked, and what the keys do about it."""

    def __init__(self, queue: Queue, keys: Keys):
        self.queue, self.keys = queue, keys
        self.blame: Blame | None = None

    def run(self) -> None:
        """Ask until nothing is left, or the reviewer goes."""
        whole = False
        while (asked := self.queue.next) is not None:
            self._show(asked, whole=whole)
            key = self.keys.key()
            if key in ("q", "\x04"):
                break
            if key in _BLAMES:
                self.blame = _BLAMES[key][0] if self.blame != _BLAMES[key][0] else None
            elif key == "h":
                whole = not whole
            elif key and key in "ars u" and self._done(asked, key):
                self.blame, whole = None, False

    def _done(self, asked: Question, key: str) -> bool:
        if key == "a":
            self.queue.decide("right", (), self.blame)
        elif key in "s ":
            self.queue.skip()
        elif key == "u":
            self.queue.undo()
        else:
            reasons = self._reasons(asked)
            if reasons is None:
                return False
            self.queue.decide("wrong", reasons, self.blame)
        return True

    def _reasons(self, asked: Question) -> tuple[str, ...] | None:
        """Why it is rejected; None where that is taken back."""
        known = [*REASONS[asked.kind]]
        for number, reason in enumerate(known, 1):
            echo(f"  {number} {reason}")
        echo("  x in words of yours   Enter without a reason   Escape back")
        while True:
            key = self.keys.key()
            if key in ("\x1b", "\x04"):
                return None
            if key == "\n":
                return ()
            if key.isdecimal() and 0 < int(key) <= len(known):
                return (known[int(key) - 1],)
            if key == "x" and (said := self.keys.line("because: ")) is not None:
                return (said,) if said else ()

    def _show(self, asked: Question, *, whole: bool) -> None:
        clear()
        where = ", ".join(f"{name} {value}" for name, value in asked.notes.items() if name != "open")
        echo(f"{self.queue.done + 1} of {self.queue.of}   {asked.kind}   {where}")
        for line in _told(asked, whole=whole):
            echo(line)
        if asked.expected is not None:
            marked = (f"{key} {'*' if self.blame == one else ''}{words}" for key, (one, words) in _BLAMES.items())
            echo(f"\nwhose fault: {'   '.join(marked)}")
        echo(_KEYS)


def _told(asked: Question, *, whole: bool = False) -> Iterator[str]:
    if asked.why:
        yield f"open since: {asked.why}"
    if asked.step:
        yield f"step: {asked.step}"
    history = asked.history if whole else asked.history[-_LINES:]
    if whole and asked.brief:
        yield f"\n{asked.brief}"
    yield ""
    if len(history) < len(asked.history):
        yield f"  … {len(asked.history) - len(history)} lines before"
    yield from (f"  {line}" for line in history)
    if asked.expected is not None:
        yield f"\nexpected: {_words(asked.expected)}"
    yield f"{'' if asked.expected is not None else chr(10)}said:     {_words(asked.said)}"


def _words(value: JsonValue) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        text = "".join(f"\n  {one}" for one in cast("list[str]", value))
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def say_agreement(ledger: Ledger, checked: Path | None) -> None:
    """Print what reviewers reject, how far they agree, and what a check of edges is worth by their word."""
    counted = [
        (one.kind, one.who or "any: dropped", one.n, one.rejected, one.rejected / one.n) for one in rejected(ledger)
    ]
    if not counted and checked is None:
        echo("nobody has decided anything yet", note=True)
        return
    if counted:
        say(table(("kind", "reviewer", "n", "rejected", "share"), counted))
    both = [(f"{one.kind}: {one.one}, {one.other}", *agreement_cells(one.agreement)) for one in pairs(ledger)]
    if both:
        say(table(("both decided", "n", "agree", "kappa", "95 %"), both))
    if checked is not None:
        _say_edges(ledger, [*read(checked, Checked)])


def _say_edges(ledger: Ledger, checked: list[Checked]) -> None:
    """What a check of edges is worth by the word of people and of judges, and judges by that of people."""
    judges = [who for who in ledger.judges if any(one.kind == "edge" for one in ledger.decisions(who).values())]
    found = {
        "the check, by people": edges_checked(ledger, checked),
        **{f"the check, by {who}": edges_checked(ledger, checked, who) for who in judges},
        **{f"{who}, by people": edges_judged(ledger, who) for who in judges},
    }
    rows = list[tuple[object, ...]]()
    for name, one in found.items():
        valid, invalid = one.hits + one.slips, one.rejected + one.misses
        precision, npv = one.hits / valid if valid else None, one.rejected / invalid if invalid else None
        rows.append((name, valid + invalid, precision, npv, None if one.mcc is None else f"{one.mcc:.2f}"))
    say(table(("edges", "n", "precision", "NPV", "MCC"), rows))


def repair_gold(project: Project, folder: Path, who: str, file: Path | None) -> int:
    """Mend blamed steps: by a file, by keys, or, without a terminal, by the replies that people accepted."""
    ledger = Ledger.of(folder)
    suites = make_suites(project, read_chapters(project), repairs=ledger.repairs, workers=os.cpu_count() or 1)
    given = [*read(file, Repair)] if file is not None else None
    left = 0
    for suite in suites:
        for blamed in blamed_steps(suite.dialogues, ledger):
            if given is not None:
                wanted = [one for one in given if one.gold == blamed.question.gold_key]
            elif at_terminal():
                wanted = _choose(blamed)
            else:
                wanted = [_also(blamed, said) for said in blamed.accepted]
            kept = [_keep_valid(blamed, one, suite.graph, folder, who) for one in wanted]
            left += not any(kept)
            if not wanted:
                echo(f"{_place(blamed)}: not repaired, and no test: {blamed.question.gold_key}")
    return 3 if left else 0


def _choose(blamed: Blamed) -> list[Repair]:
    """What a person wants in place of a blamed step."""
    clear()
    echo(f"gold blamed: {_place(blamed)}")
    for line in _told(blamed.question.replace(said="(blamed: what is expected)")):
        echo(line)
    echo("\naccepted by people:" if blamed.accepted else "")
    for number, said in enumerate(blamed.accepted[:9], 1):
        echo(f"  {number} {said}")
    echo("1–9 is as good as the gold   c correct words in its place   s skip")
    with Keys() as keys:
        while (key := keys.key()) not in ("s", " ", "q", "\x04"):
            if key.isdecimal() and 0 < int(key) <= len(blamed.accepted[:9]):
                return [_also(blamed, blamed.accepted[int(key) - 1])]
            if key == "c" and (said := keys.line("the agent says: ")):
                return [_also(blamed, said).replace(instead=True)]
    return []


def _also(blamed: Blamed, said: str) -> Repair:
    return Repair(gold=blamed.question.gold_key, turn=AgentTurn(text=said))


def _keep_valid(blamed: Blamed, repair: Repair, graph: Graph, folder: Path, who: str) -> bool:
    """Keep a repair that makes a valid conversation; say what was wrong with another."""
    if wrong := flaws(blamed.gold, blamed.at, repair, graph):
        echo(f"{_place(blamed)}: refused, since it would not be valid: {'; '.join(wrong)}")
        return False
    keep(folder / REPAIRS, repair.replace(who=who, at=now(), notes={"dialogue": blamed.gold.id, "turn": blamed.at}))
    how = "is said in its place" if repair.instead else "is as good"
    echo(f"{_place(blamed)}: repaired: {_words(repair.turn.text)} {how}", note=True)
    return True


def _place(blamed: Blamed) -> str:
    return f"{blamed.gold.id}, turn {blamed.at + 1}"
