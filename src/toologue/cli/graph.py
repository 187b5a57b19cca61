"""`toologue graph`: which output of one API can feed which parameter of another. `build` finds out, `show` explains."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.options import Operations, Out, at_least_one
from toologue.cli.terminal import echo, group, progress_bar, say, table
from toologue.errors import BadSetting, UnknownName

if TYPE_CHECKING:
    from rich.table import Table

    from toologue.plan.api_graph.edges import Graph
    from toologue.schema import Edge, Similarities

_SHOWN, _LEFT_OUT = 10, 6


def check(graph: Path, /, *apis: str, out: Out, labels: Path | None = None, sample: int = 0, seed: int = 0) -> None:
    """Which edges hold: source and target are executed as their documents say, and what they mean is compared.

    Args:
        graph: A graph.jsonl.
        apis: The documents that it was built from.
        out: Where the verdicts go, one a line; `toologue plan chains --checked` reads them.
        labels: Edges that somebody judged, one a line with source, output, target, parameter, label: what verdicts are
            worth.
        sample: How many pairs that are no edges are tried as well, for the share of them that is rightly none.
        seed: Of what the APIs answer.
    """
    from toologue.apis.load import apis_of_all
    from toologue.plan.api_graph.check_graph import check_graph

    if not apis:
        raise BadSetting("name the documents too, as in: toologue graph check graph.jsonl apis.jsonl -o checked.jsonl")
    found = check_graph(graph, apis_of_all(apis), out, labels=labels, sample=sample)
    reasons = ((reason, f"{number:,}") for reason, number in found.reasons.most_common())
    say(table(("reason", "edges"), reasons))
    echo(f"{found.valid:,} of {found.edges:,} edges hold ({_share(found.precision)}; ToolDial's graph: 70.9 %): {out}")
    if found.truth is not None:
        kept, refused, mcc = found.truth.kept, found.truth.refused, found.truth.mcc
        told = f"MCC {'–' if mcc is None else f'{mcc:.3f}'} (ToolDial's judge: 0.868)"
        echo(f"labels: {_share(kept)} of the true ones kept, {_share(refused)} of the false ones refused, {told}")
    if found.sampled:
        echo(f"of {found.sampled:,} pairs that are no edges, {_share(found.npv)} would not hold (ToolDial: 95.0 %)")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def build(
    *apis: str,
    out: Out,
    rules: Literal["published", "best"] = "best",
    embedder: str = "lexical",
    lcs: float | None = None,
    keyword: float | None = None,
    description: float | None = None,
    workers: int | None = None,
    most: int = 5_000_000,
    operations: Operations = Operations(),
) -> None:
    """The graph of APIs: an edge for each output that can feed a required parameter, by three similarities.

    Args:
        apis: What `toologue apis` reads: apis.jsonl, RapidAPI records, OpenAPI documents. Missing phrases are written.
        out: The graph.jsonl to write; what it was made by stands beside it, in graph.about.json.
        rules: best (types must fit, the best edge of two APIs is chosen) or published (as the paper's code has it).
        embedder: lexical, minilm, minilm:DIR or endpoint:MODEL.
        lcs: What the longest common subsequence of two phrases must exceed; by default the rules' own.
        keyword: What the cosine of two descriptions with their APIs' keywords must exceed.
        description: What the cosine of two descriptions must exceed.
        workers: Processes; by default one a core. The graph does not depend on it.
        most: How many pairs may pass the first test; more are refused.
        operations: Which operations of the documents; by default all that can be read.
    """
    from toologue.apis.load import each_api
    from toologue.models.embed import embedder as embedder_of
    from toologue.parallel import pool
    from toologue.plan.api_graph.edges import find_edges
    from toologue.plan.api_graph.pairs import ParallelEmbedder
    from toologue.plan.api_graph.rules import About, described_sides, thresholds_of, write_about
    from toologue.schema.jsonl import write

    if not apis:
        raise BadSetting("name the APIs, as in: toologue graph build apis.jsonl -o graph.jsonl")
    at_least_one(workers=workers)
    given = {"lcs": lcs, "keyword": keyword, "description": description}
    limits = thresholds_of(rules, embedder_of(embedder).name, given)
    count, start = workers or os.cpu_count() or 1, time.monotonic()
    with pool(count), progress_bar("comparing") as progress:
        documents = described_sides(each_api(apis, operations.choice), rules, workers=count)
        middle = time.monotonic()
        by = embedder_of(embedder)
        by = ParallelEmbedder(by, count, progress) if embedder.startswith("minilm") else by  # on all cores
        found = find_edges(documents, by, rules=rules, thresholds=limits, workers=count, most=most, progress=progress)
        write(out, found.edges)
    counts, limits = found.survivors._asdict(), found.thresholds._asdict()
    made = {"rules": found.rules, "embedder": embedder, "vectors": found.embedder, "thresholds": limits}
    write_about(out, About.model_validate({**made, "left_out": counts.pop("left_out"), "survivors": counts}))
    say(_survivors(found))
    pairs, seconds = found.survivors.api_pairs, (middle - start, time.monotonic() - middle)
    echo(f"{_counted(found.survivors.edges, 'edge')}, {_counted(pairs, 'pair')} of APIs, in {out}", note=True)
    echo(f"{_counted(documents.apis, 'API')} read in {seconds[0]:.1f} s, edges found in {seconds[1]:.1f} s", note=True)


def show(
    graph: Path, /, *, apis: tuple[str, ...] = (), api: str | None = None, why: tuple[str, str] | None = None
) -> None:
    """What is in a graph: the best connected APIs, the neighbours of one, or why two are joined or not.

    Args:
        graph: The graph.jsonl.
        apis: With --why, the documents that it was made of.
        api: The API whose neighbours are shown.
        why: A source and a target: the three similarities of their entities, and what speaks for or against an edge.
    """
    from toologue.schema import Edge
    from toologue.schema.jsonl import read

    if why is not None:
        _explain(graph, apis, why)
        return
    edges = [edge for edge in read(graph, Edge, empty=True) if api is None or api in (edge.source, edge.target)]
    if api is None:
        pairs = sorted({(edge.source, edge.target) for edge in edges})
        feeds, fed = Counter(source for source, _ in pairs), Counter(target for _, target in pairs)
        best = [name for name, _ in (feeds + fed).most_common(_SHOWN)]
        say(table(("API", "feeds", "is fed by"), ((name, f"{feeds[name]:,}", f"{fed[name]:,}") for name in best)))
        joined = _counted(len(feeds + fed), "API")
        echo(f"{_counted(len(edges), 'edge')}, {_counted(len(pairs), 'pair')} of {joined}")
    elif not edges:
        known = {name for edge in read(graph, Edge) for name in (edge.source, edge.target)}
        raise UnknownName("API of the graph", api, known)
    else:
        echo("\n".join(_neighbours(api, edges)))


graph = group("graph", build, check, show)


def _survivors(found: Graph) -> Table:
    left, limits = found.survivors, found.thresholds
    reasons = Counter(left.left_out)
    first = reasons.most_common(_LEFT_OUT)
    rest = reasons.total() - sum(times for _, times in first)
    rows = (
        (f"outputs × required parameters ({left.outputs:,} × {left.parameters:,})", "", left.pairs),
        ("phrases", f"{limits.lcs:g}", left.lcs),
        *([("types", "", left.fit)] if found.rules == "best" else []),
        ("description", f"{limits.description:g}", left.description),
        ("description and keywords", f"{limits.keyword:g}", left.edges),
        ("pairs of APIs", "", left.api_pairs),
        *((f"  left out, {reason}", "", times) for reason, times in first),
        *([("  left out, for other reasons (all are in graph.about.json)", "", rest)] if rest else []),
    )
    told = ((what, above, f"{number:,}") for what, above, number in rows)
    return table(("", "above", "left"), told, title=f"{found.rules}, {found.embedder}", right=("left",))


def _neighbours(api: str, edges: Iterable[Edge]) -> Iterator[str]:
    """A line an edge, what feeds the API first."""
    for edge in sorted(edges, key=lambda edge: edge.source == api):
        source, target = ("its" if name == api else f"{name}:" for name in (edge.source, edge.target))
        kept = ", kept" if edge.chosen else ""
        yield f"{source} {edge.output} → {target} {edge.parameter} ({_words(edge.similarity)}{kept})"


def _words(found: Similarities) -> str:
    return f"phrases {found.lcs:.2f}, keywords {found.keyword:.2f}, description {found.description:.2f}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _explain(graph: Path, sources: Sequence[str], pair: tuple[str, str]) -> None:
    from toologue.apis.load import apis_of_all
    from toologue.models.embed import embedder
    from toologue.plan.api_graph.describe import described
    from toologue.plan.api_graph.edges import explain
    from toologue.plan.api_graph.rules import read_about

    known = {api.name: api for api in described(apis_of_all(sources))}
    if not known:
        raise BadSetting("--why needs the documents: name them with --apis")
    for name in pair:
        if name not in known:
            raise UnknownName("API", name, known)
    about = read_about(graph)
    rules, limits, by = (about.rules, about.limits, about.embedder) if about else ("best", None, "lexical")
    found = explain(known[pair[0]], known[pair[1]], embedder(by), rules=rules, thresholds=limits)
    for one in found:
        echo(f"{one.output} → {one.parameter} ({_words(one.similarity)})\n    {one.verdict}")
    if not found:
        echo(f"{pair[0]} gives nothing back, or {pair[1]} takes nothing")
