"""How far verdicts on words can be trusted, on replies that others wrote and labelled.

`src/toologue/bench/replies` holds 443 replies to 160 turns of conversations that `toologue generate` makes;
`verdicts/arguments.jsonl.gz` 170 calls with other free texts to 85 calls of the ToolTalk conversations that ship. Their
writers (sessions of a language model) saw the request alone: procedure, tools, conversation; those of the calls the
expected call, too. Another set, over other procedures and by other hands, is beside the repository; its text is not in
it.

    python -m bench.verdicts [--data FOLDER] [--similarity SPEC]     leave one procedure out at a time: mean and worst
    python -m bench.verdicts --fit                                   set weights and margins on all open rows
    python -m bench.verdicts --aside                                 the rows that are set aside (verdicts/aside.yaml)
    python -m bench.verdicts --ablate                                what each kind of evidence finds, by label

A weight is 2 where evidence alone makes a reply wrong, 1 or ½ where it leaves it unsure. The script sets it by how much
more often the evidence speaks against wrong replies than against right ones (smoothed log odds; a 2 takes four rows),
doubts by the rows that no named evidence speaks against. What values and moves decide (`CERTAIN`) is not fitted.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from bench.labelled_arguments import arguments_file, graded_arguments
from toologue.bench.prove import OPEN_SET, Label, graded_replies, labelled, tally
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Dialogue, Verdict
from toologue.schema.jsonl import read
from toologue.score.knowledge import Knowledge
from toologue.score.reply_evidence import CERTAIN, DOUBTS, evidence, verdict_of
from toologue.score.reply_reading import Reading

HERE = Path(__file__).with_name("verdicts")
WEIGHTS = Path(__file__).parents[1] / "src" / "toologue" / "score" / "weights.yaml"
SHARED = Path(__file__).parents[2] / "shared" / "verdicts"
# What is not fitted: `CERTAIN` kinds, and three that leave a reply unsure.
SET = dict.fromkeys(CERTAIN, 2.0) | {"answers an attack": 1.0, "made-up value": 1.0, "untold status": 1.0}
# What may make a reply wrong alone, if it tells wrong ones from right ones: moves, the data asked for, others' data.
# All else that is fitted leaves it unsure, unless two kinds come together.
ALONE = frozenset({"asks instead", "asks other", "asks part", "asks more", "answers noise", "data of results"})
MARGINS = {"right": 0.25, "wrong": 1.25}
_PRIOR = 0.5


class Row(NamedTuple):
    """A reply in words: its name, procedure, label and kind, and the kinds of evidence against it."""

    id: str
    procedure: str
    label: Label
    kind: str
    evidence: frozenset[str]


def rows_of(folder: Path, match: TextMatch, *, aside: bool = False) -> list[Row]:
    """The rows in words of a folder that are open, or those that are set aside; debatable ones left out."""
    hidden = set(yaml.safe_load((HERE / "aside.yaml").read_text())["procedures"])
    file = next(path for path in (folder / "dialogues.jsonl.gz", folder / "dialogues.jsonl") if path.exists())
    golds = {gold.id: gold for gold in read(file, Dialogue)}
    found: list[Row] = []
    for row in labelled(folder):
        gold = golds[row.dialogue]
        procedure, wanted = str(gold.origin.get("procedure")), gold.turns[row.turn]
        if row.label == "debatable" or row.calls or not isinstance(wanted, AgentTurn) or wanted.acts:
            continue
        if (procedure in hidden) is aside:
            reading = Reading(wanted, AgentTurn(text=row.text), row.turn, Knowledge(gold), match)
            found.append(Row(row.id, procedure, row.label, row.kind, frozenset(one.kind for one in evidence(reading))))
    return found


def fitted(rows: Sequence[Row]) -> dict[str, Any]:
    """Weights and margins from labelled rows."""
    kinds = sorted({kind for row in rows for kind in row.evidence} | SET.keys())
    weights = {kind: _weight(kind, rows) for kind in kinds if kind not in DOUBTS} | SET
    scale = {"margins": MARGINS, "weights": weights}
    left = [row for row in rows if verdict_of(row.evidence - DOUBTS, scale) == "right"]
    weights |= {kind: min(1.0, _weight(kind, left)) for kind in kinds if kind in DOUBTS}
    return {"margins": MARGINS, "weights": dict(sorted(weights.items()))}


def _weight(kind: str, rows: Sequence[Row]) -> float:
    """2 for odds that are five times as high for wrong replies, 1 for twice, ½ for a little, else 0."""
    of = Counter(row.label for row in rows)
    hit = Counter(row.label for row in rows if kind in row.evidence)
    share = {label: (hit[label] + _PRIOR) / (of[label] + 2 * _PRIOR) for label in ("right", "wrong")}
    odds = math.log(share["wrong"] / share["right"])
    weight = 2.0 if odds >= 1.5 else 1.0 if odds >= 0.8 else 0.5 if odds >= 0.25 else 0.0
    return weight if kind in ALONE and hit.total() > 3 else min(weight, 1.0)


def left_out(rows: Sequence[Row]) -> dict[str, Counter[tuple[Label, Verdict]]]:
    """By procedure, labels and verdicts with weights that all others set."""
    found: dict[str, Counter[tuple[Label, Verdict]]] = {}
    for procedure in sorted({row.procedure for row in rows}):
        scale = fitted([row for row in rows if row.procedure != procedure])
        mine = (row for row in rows if row.procedure == procedure)
        found[procedure] = Counter((row.label, verdict_of(row.evidence, scale)) for row in mine)
    return found


def shares(counts: Mapping[tuple[Label, Verdict], int]) -> dict[str, float]:
    """Of the right ones those failed and unsure, of the wrong ones those passed and unsure."""
    of = {label: sum(n for (mine, _), n in counts.items() if mine == label) or 1 for label in ("right", "wrong")}
    return {
        "right, failed": counts.get(("right", "wrong"), 0) / of["right"],
        "wrong, passed": counts.get(("wrong", "right"), 0) / of["wrong"],
        "right, unsure": counts.get(("right", "unsure"), 0) / of["right"],
        "wrong, unsure": counts.get(("wrong", "unsure"), 0) / of["wrong"],
    }


def _told(name: str, counts: Mapping[tuple[Label, Verdict], int]) -> str:
    n = {label: sum(one for (mine, _), one in counts.items() if mine == label) for label in ("right", "wrong")}
    figures = "  ".join(f"{what} {share:5.1%}" for what, share in shares(counts).items())
    return f"{name:32} n {n['right']:3} + {n['wrong']:3}  {figures}"


def _counts(rows: Iterable[Any]) -> Counter[tuple[Label, Verdict]]:
    found = tally(rows)
    return Counter({(label, verdict): n for label, mine in found.items() for verdict, n in mine.items()})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, nargs="+", default=[folder for folder in (OPEN_SET, SHARED) if folder.exists()]
    )
    parser.add_argument("--tooltalk", type=Path, default=SHARED.with_name("tooltalk") / "data")
    parser.add_argument("--similarity", default="lexical")
    for option in ("--fit", "--aside", "--ablate"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()
    match = TextMatch.of(given.similarity)
    if given.aside:
        for folder in given.data:
            if folder.resolve() != OPEN_SET and (file := arguments_file(folder)) is not None:
                names = set(yaml.safe_load((HERE / "aside.yaml").read_text())["conversations"])
                arguments = graded_arguments(file, given.tooltalk, match)
                print(_told("arguments set aside", _counts(row for row in arguments if row.dialogue in names)))
            hidden = {row.id for row in rows_of(folder, match, aside=True)}
            graded = (row for row in graded_replies(folder, match) if row.id in hidden)
            print(_told(f"set aside of {folder.name}", _counts(graded)))
        return
    rows = [row for folder in given.data for row in rows_of(folder, match)]
    if given.fit:
        WEIGHTS.write_text(yaml.safe_dump(fitted(rows), sort_keys=False))
        return
    if given.ablate:
        for kind in sorted({kind for row in rows for kind in row.evidence}):
            hit = Counter(row.label for row in rows if kind in row.evidence)
            print(f"{kind:24} right {hit['right']:3}  wrong {hit['wrong']:3}")
        return
    parts = left_out(rows)
    total = sum(parts.values(), Counter[tuple[Label, Verdict]]())
    for folder in given.data:
        if (file := arguments_file(folder)) is not None:
            names = set(yaml.safe_load((HERE / "aside.yaml").read_text())["conversations"])
            arguments = graded_arguments(file, None if folder.resolve() == OPEN_SET else given.tooltalk, match)
            print(_told(f"arguments of {folder.name}", _counts(row for row in arguments if row.dialogue not in names)))
    for procedure, counts in parts.items():
        print(_told(procedure, counts))
    print(_told("all, each left out once", total))
    worst = {what: max(shares(counts)[what] for counts in parts.values()) for what in shares(total)}
    print(f"{'worst':32} {'':11}  " + "  ".join(f"{what} {share:5.1%}" for what, share in worst.items()))
    kinds = Counter((row.label, row.kind, verdict_of(row.evidence, fitted(rows))) for row in rows)
    for label, kind in sorted({(label, kind) for label, kind, _ in kinds}):
        told = ", ".join(f"{verdict} {kinds[label, kind, verdict]}" for verdict in ("right", "unsure", "wrong"))
        print(f"  {label:5} {kind:20} {told}")


if __name__ == "__main__":
    main()
