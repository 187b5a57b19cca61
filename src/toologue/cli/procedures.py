"""The parts of `toologue plan` that are about procedures: plans, graphs, paths, and lint for their words.

Not covered: drawing graphs; --mermaid is for programs that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue.cli.talks import Talks
from toologue.cli.terminal import progress_bar, say, write_json
from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.formats import flow_text, mermaid
from toologue.formats.procedure import load
from toologue.plan.procedures import files
from toologue.plan.procedures.lint_procedure import lint as lint_text
from toologue.plan.procedures.paths import Goal, cover, coverage, fewest, missing_lines, vanilla, weighted
from toologue.plan.procedures.plan_dialogue import Sampler
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.project.generate import plans_of
from toologue.schema import Graph, Plan, Walk
from toologue.schema.jsonl import write

_SHOWN = 20


def procedures(
    *what: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    talks: Talks = Talks(),
) -> None:
    """Plans of conversations for procedures: paths, executed, with noise and detours, and no words yet.

    Parameters
    ----------
    what
        Procedures or services that ship, or .md files of yours with --service; by default all that ship.
    out
        The plans.jsonl to write.
    talks
        How conversations are planned.
    """
    chosen = talks.sources(what)
    table = Table("procedure", "plans", "nodes", "edges", "pairs", "dropped")

    def planned() -> Iterator[Plan]:
        with progress_bar("planning") as progress:
            for number, one in enumerate(chosen, 1):
                made = plans_of(one, talks.making())
                seen, dropped = made.coverage, made.tally.dropped
                reasons = ", ".join(f"{reason} ({times})" for reason, times in dropped.most_common())
                shares = (str(len(made.plans)), str(seen.nodes), str(seen.edges), str(seen.pairs), reasons)
                table.add_row(Text(one.procedure.id), *shares)
                yield from made.plans
                progress(number, len(chosen))

    total = write(out, planned())
    say(table)
    print(f"{total} plans in {out}")


def graph(what: str, /, *, flow: bool = False, mermaid: bool = False) -> None:
    """The conversation graph of a procedure, as flow text.

    Parameters
    ----------
    what
        A procedure that ships, or a file: a procedure (.md), a flowgraph as Mermaid (.mmd) or flow text.
    flow
        The flowgraph instead: what the agent does.
    mermaid
        As a Mermaid flowchart.
    """
    found = _flowgraph(what) if flow else _graph(what)
    print(_as_mermaid(found) if mermaid else flow_text.write(found))


def paths(
    *what: str,
    count: int | None = None,
    sampler: Sampler = "cover",
    goal: Goal = "pairs",
    until: float = 1.0,
    seed: int = 0,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
) -> None:
    """What paths through the graphs of procedures see, by line; nothing is executed.

    Parameters
    ----------
    what
        Procedures that ship, or files: procedures (.md), flowgraphs as Mermaid (.mmd) or flow text; by default all
        that ship.
    count
        How many paths a graph; by default as many as a cover needs.
    sampler
        cover, weighted (the paper's Algorithm 1), vanilla.
    goal
        What a cover sees: edges, or pairs of consecutive choices.
    until
        The share of it that is enough.
    seed
        The same seed, the same paths.
    out
        The walks.jsonl to write.
    """
    if count is not None and count < 1:
        raise BadSetting(f"--count {count}: give 1 or more")
    table = Table("graph", "paths", "a flow needs", "nodes", "edges", "pairs", title=f"{sampler}: what paths see")
    missing = Table("graph", "line", "step", "what", "not seen")
    walks: list[Walk] = []
    for name in what or files():
        found = _graph(name)
        covering = cover(found, goal, until=until, seed=seed)
        enough = len(covering) if count is None else count
        by_chance = weighted if sampler == "weighted" else vanilla
        taken = covering[:enough] if sampler == "cover" else list(by_chance(found, enough, seed=seed))
        seen = coverage(found, taken)
        shares = (str(seen.nodes), str(seen.edges), str(seen.pairs))
        table.add_row(Text(found.id), str(len(taken)), str(fewest(found, goal)), *shares)
        for one in missing_lines(found, seen)[:_SHOWN]:
            missing.add_row(*map(Text, (found.id, str(one.line), str(one.step or ""), one.what, one.text)))
        walks += taken
    say(table, *([missing] if missing.row_count else []))
    if out is not None:
        write(out, walks)


def lint_procedure(*what: Path, json: Path | None = None) -> int:
    """What makes procedures impossible to follow to the letter, in prose or Markdown. Exits 1 where there is anything.

    Parameters
    ----------
    what
        Files of text.
    json
        Where the findings go.
    """
    if not what:
        raise BadSetting("name a file: toologue plan lint-procedure my-procedure.md")
    table, rows = Table("where", "rule", "what", "why", "remedy"), list[dict[str, object]]()
    for file in what:
        for found in lint_text(_text(file)):
            where = f"{file.name}:{found.line}"
            table.add_row(*map(Text, (where, found.rule, found.quote, found.why, found.remedy)))
            rows.append({"file": str(file), **found._asdict()})
    if rows:
        say(table)
    print(f"{len(rows)} findings in {len(what)} files")
    if json is not None:
        write_json(json, rows)
    return 1 if rows else 0


def _graph(what: str) -> Graph:
    """The conversation graph of what was named; a file may hold one already."""
    found = _flowgraph(what)
    return found if found.kind == "conversation_graph" else conversation_graph(found)


def _flowgraph(what: str) -> Graph:
    path = Path(what)
    if path.suffix == ".md":
        return flowgraph(load(path))
    if path.suffix in (".mmd", ".mermaid"):
        return mermaid.read(_text(path), id=path.stem, file=path)
    if path.suffix:
        return flow_text.read(_text(path), id=path.stem, file=path)
    known = files()
    if what not in known:
        raise UnknownName("procedure", what, known)
    return flowgraph(load(known[what]))


def _as_mermaid(found: Graph) -> str:
    return mermaid.write(found)


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{file}: byte {error.start} is not UTF-8; save it as UTF-8") from None
