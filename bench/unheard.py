"""The agent `procedure` on customers whose words it cannot know, beside a bag of words.

    python -m bench.unheard [--count N] [--similarity SPEC]

What customers say comes from `bench/unseen/`, which was written from the procedures alone, by somebody who had seen
neither the phrase banks nor the agents; the agent's gold words are made from the procedure's text. Plans and results
are those of `toologue generate`. What is volunteered is said in the words that were written for the question it answers
ahead; who changes their mind says what was written for the other answer, and no more. What nothing was written for
(`contradict`, changes from yes to no, answers to steps that procedures got later) is left out, and counted.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import yaml

from bench.agents import Row, table
from toologue import keys
from toologue.bench.benchmark import Mode, Options, benchmark, play, summarize
from toologue.models.similarity import TextMatch
from toologue.plan.procedures import procedures
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.schema import Cue, Dialogue, Graph, Plan, UserTurn
from toologue.text.verbalize import verbalize
from toologue.verify.procedures import verify
from toologue.write.procedures import TemplateWriter

HERE = Path(__file__).with_name("unseen")
AGENTS = ("gold", "procedure", "procedure_careless", "bag_of_words")
_SLOT = re.compile(r"\{(\w+)\}")


@cache
def bank() -> Mapping[str, Any]:
    """What was written, by procedure; `any` for what fits all."""
    files = sorted(HERE.glob("*.yaml"))
    told = {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in files}
    return {"any": told.pop("any")} | {name: one for file in told.values() for name, one in file.items()}


class Unheard:
    """Words plans: the customer's from `bench/unseen/`, the agent's by the template writer."""

    def __init__(self, seed: int = 0):
        self._seed, self._writer = seed, TemplateWriter(seed=seed)

    def words(self, plan: Plan, graph: Graph) -> Dialogue | None:
        """The dialogue with its words; None where the customer does what nothing was written for."""
        if any(cue.move == "contradict" or (cue.move == "change" and cue.text in ("Yes", "No")) for cue in plan.cues):
            return None
        dialogue = self._writer.words(plan)
        rng = Random(keys.seed_of(self._seed, "unheard", dialogue.id))
        asked = None
        turns = []
        for turn, cue in zip(dialogue.turns, plan.cues, strict=True):
            if isinstance(turn, UserTurn) and not turn.stop:
                step = graph.by_id[turn.node].step if turn.node else asked
                said = self._said(str(dialogue.origin["procedure"]), step, cue, rng)
                if not said:
                    return None
                turn = turn.replace(text=said)
            elif turn.role == "agent" and turn.node:
                asked = graph.by_id[turn.node].step
            turns.append(turn)
        origin = {**dialogue.origin, "writer": "unheard"}
        return dialogue.replace(turns=tuple(turns), origin=origin)

    def _said(self, procedure: str, step: int | None, cue: Cue, rng: Random) -> str:
        """What was written for a cue; empty where nothing was."""
        own, general = bank()[procedure], bank()["any"]
        if cue.move in ("open", "volunteer"):
            asked = own["issue"] if cue.move == "open" else own["asks"].get(step)
            if not asked:
                return ""
            return " ".join(self._filled(texts, cue, rng) for texts in (asked, *self._ahead(own, asked, cue)))
        if cue.move == "noise":
            return cue.text
        if cue.move == "malformed":
            return rng.choice(general["insists"]).format(value=verbalize(next(iter(cue.values.values())), exact=True))
        if cue.move == "correct":
            slot = next(name for name, old in cue.before.items() if cue.values.get(name) != old)
            old, new = (verbalize(value, exact=True) for value in (cue.before[slot], cue.values[slot]))
            return rng.choice(general["corrections"]).format(old=old, new=new)
        if cue.move == "acknowledge":
            return rng.choice(own.get("says", {}).get(step, [""]))
        answers = own["answers"].get(step, {})
        texts = answers.get(cue.text) if cue.move in ("choose", "change") else own["asks"].get(step)
        return self._filled(texts, cue, rng) if texts else ""

    def _filled(self, texts: Sequence[str], cue: Cue, rng: Random) -> str:
        return _SLOT.sub(lambda found: verbalize(cue.values[found[1]], exact=True), rng.choice(texts))

    def _ahead(self, own: Mapping[str, Any], asked: Sequence[str], cue: Cue) -> Iterator[Sequence[str]]:
        """What was written for the question that is answered before it is put, if one is."""
        rest = cue.values.keys() - {*_SLOT.findall(asked[0])}
        texts = (texts for texts in own["asks"].values() if rest and rest == {*_SLOT.findall(texts[0])})
        yield from islice(texts, 1)


def conversations(count: int, noise: float, seed: int = 11) -> Iterator[Dialogue]:
    """Every procedure's, worded apart; what `verify` finds a flaw in is left out, and said."""
    writer, dropped, unwritten = Unheard(seed), 0, 0
    for procedure in procedures():
        made = plan_all(procedure, service(procedure.apis), count, noise=noise, detours=noise, seed=seed)
        for plan in made.plans:
            plan = _renoised(plan, seed)
            dialogue = writer.words(plan, made.graph)
            if dialogue is None:
                unwritten += 1
                continue
            if verify(dialogue, made.graph, cues=plan.cues):
                dropped += 1
                continue
            split = "noise" if noise else "clean"
            yield dialogue.replace(origin={**dialogue.origin, "split": split})
    print(f"{unwritten} conversations were left out: nothing was written for what the customer does")
    if dropped:
        print(f"{dropped} conversations were left out: the words do not carry what they must")


def _renoised(plan: Plan, seed: int) -> Plan:
    """The plan with noise that was written apart, of the same kinds."""
    rng, cues, turns = Random(keys.seed_of(seed, "noise", plan.dialogue.id)), list(plan.cues), list(plan.dialogue.turns)
    for place, cue in enumerate(cues):
        if cue.move == "noise":
            kind = turns[place].extra["noise"]["kind"]
            texts = [one["text"] for one in bank()["any"]["noise"] if one["kind"] == kind]
            cues[place] = cue.replace(text=rng.choice(texts))
    return plan.replace(cues=tuple(cues))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.unheard", description="Agents on words nobody knew.")
    parser.add_argument("--count", type=int, default=8, help="conversations a procedure, clean and with noise")
    parser.add_argument("--similarity", default="lexical")
    parser.add_argument("--wrong", type=int, default=0, help="show so many tests that `procedure` fails")
    options = parser.parse_args()
    golds = [*conversations(options.count, 0.0), *conversations(options.count, 0.2)]
    chosen, judge, found, failed = benchmark("almita"), TextMatch.of(options.similarity), list[Row](), list[str]()
    for agent in AGENTS:
        mode: Mode = "fixed"
        graded = play(chosen, golds, agent, judge, Options(mode=mode))
        totals = summarize(chosen, graded)
        found += [Row(agent, mode, split, totals[split]) for split in ("clean", "noise") if split in totals]
        if agent == "procedure":
            failed = [
                f"{one.gold.id}: {json.dumps(one.record)[:600]}"
                for one in graded
                if not one.scores[chosen.passes].value
            ]
    print(table(found))
    print("\n".join(failed[: options.wrong]))


if __name__ == "__main__":
    main()
