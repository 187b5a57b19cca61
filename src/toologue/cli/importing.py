"""`toologue import`: suites of others as conversations."""

from __future__ import annotations

import sys
from pathlib import Path

from toologue.cli.options import Out
from toologue.cli.terminal import echo, group, progress_bar, say, table


def tau2(checkout: Path, /, *, domain: str, out: Out, python: str | None = None) -> int:
    """Tasks of tau2-bench with their gold, over its own tools. This executes code of the checkout, unsealed.

    Exits 1 where gold leaves another database here than by tau2's own tools.

    Args:
        checkout: A checkout of tau2-bench.
        domain: retail, airline, mock, or another one; tasks in which customers call tools of their own are left out.
        out: The folder for dialogues, apis (.jsonl) and policy.md.
        python: The interpreter that runs the tools; it needs pydantic, and what the domain's tools use. By default this
            one.
    """
    from toologue.project.tau2 import import_tau2
    from toologue.worlds.tau2 import CHECKOUT, PYTHON

    with progress_bar(f"importing {domain}") as progress:
        made = import_tau2(checkout, domain, out, python=python or sys.executable, progress=progress)
    tasks, failed = len(made.dialogues), sum(one.result.error is not None for one in made.calls)
    rows = [
        ("tasks", tasks),
        ("calls of gold", len(made.calls)),
        ("  that fail, as in tau2", failed),
        ("tools", made.tools),
        ("  that write", made.writing),
        ("gold leaves tau2's database", f"{tasks - len(made.unlike)} of {tasks}"),
        *((f"rewarded by {what}", f"{n} tasks") for what, n in made.rewards.most_common()),
        *((f"kept, graded by nothing: {what}", f"{n} tasks") for what, n in made.ungraded.most_common()),
    ]
    say(table(("", domain), rows, title="tau2"))
    for why in made.left_out:
        echo(f"left out: {why}")
    if made.unlike:
        echo(f"another database: {', '.join(made.unlike)}")
    there = f" {PYTHON}={python}" if python else ""
    echo(f"{tasks} conversations in {out}; to play them: export {CHECKOUT}={checkout.resolve()}{there}", note=True)
    return 1 if made.unlike else 0


importing = group("import", tau2)
