"""tau2-bench, imported: its tasks as conversations with gold that was executed, and whether that came out as in tau2.

    dialogues.jsonl    the tasks of a domain, gold executed in the world `tau2`
    apis.jsonl         the documents of its tools
    policy.md          what the agent is told

The proof: for each task the calls of gold are done by tau2's own tools, over a fresh database, and tau2's own hash of
what they leave is that of the database of our world.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from toologue.data import text_of
from toologue.errors import BadSetting
from toologue.formats.tau2 import read_tasks, ungraded
from toologue.loop import ground
from toologue.schema import Dialogue, Invocation, invocations
from toologue.schema.api import write_apis
from toologue.schema.jsonl import check_owned, replacing, write
from toologue.score.reward import BASIS, criteria_of
from toologue.worlds.tau2 import Initial, Tau2, Tools, checkout_of, files_of


@dataclass(frozen=True)
class Imported:
    """What came of a domain. `unlike`: tasks whose gold leaves another database in our world than in tau2; `left_out`:
    why other tasks are not imported.
    """

    dialogues: tuple[Dialogue, ...]
    tools: int
    writing: int
    unlike: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def rewards(self) -> Counter[str]:
        """How many tasks are rewarded by what."""
        return Counter(" × ".join((criteria_of(one) or {}).get("reward_basis", BASIS)) for one in self.dialogues)

    @property
    def calls(self) -> Sequence[Invocation]:
        """All calls of gold."""
        return [one for dialogue in self.dialogues for one in invocations(dialogue.turns)]

    @property
    def ungraded(self) -> Counter[str]:
        """How many tasks have something that is graded by nothing."""
        return ungraded(self.dialogues)


def import_tau2(
    checkout: Path,
    domain: str,
    out: Path,
    *,
    python: str = sys.executable,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Imported:
    """Import a domain of a checkout. Executes code of the checkout. Raises UserError; nothing is written then."""
    check_owned(out, "policy.md")
    files = files_of(checkout_of(checkout), domain)
    tools, policy = Tools(checkout, domain, python), text_of(files["policy"])
    dialogues, unlike, left_out = list[Dialogue](), list[str](), list[str]()
    tasks = list(read_tasks(files["tasks"], domain, policy, [api.name for api in tools.apis], left_out))
    if left_out and not tasks:
        raise BadSetting(f"no task of tau2's {domain} can be imported: {left_out[0]}")
    for done, task in enumerate(tasks, 1):
        dialogue, same = _executed(task, tools)
        dialogues.append(dialogue)
        unlike += [] if same else [task.id]
        progress(done, len(tasks))
    write(out / "dialogues.jsonl", dialogues)
    write_apis(out / "apis.jsonl", tools.apis)
    with replacing(out / "policy.md") as stream:
        stream.write(policy.encode())
    writing = sum(api.writes for api in tools.apis)
    return Imported(tuple(dialogues), len(tools.apis), writing, tuple(unlike), tuple(left_out))


def _executed(task: Dialogue, tools: Tools) -> tuple[Dialogue, bool]:
    """The task with what its gold comes to, and whether tau2 leaves the same database."""
    begun = task.world.arguments.get("initial")
    initial = Initial.model_validate(begun) if begun else Initial()
    world = Tau2(tools, initial if begun else None)
    dialogue = ground(task, world)
    made = list(invocations(dialogue.turns))
    calls = [{"name": one.call.api, "arguments": one.call.arguments} for one in made]
    theirs = tools.ask("replay", calls=calls, **initial.model_dump(mode="json"))
    ours = tools.ask("hash", tables=world.tables)
    for said in (theirs, ours):
        if "fault" in said:
            raise BadSetting(f"tau2's task {task.id} cannot be replayed: {said['fault']}")
    failed = sum(one.result.error is not None for one in made)
    return dialogue, (ours["hash"], failed) == (theirs["hash"], theirs["failed"])
