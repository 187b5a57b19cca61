"""`toologue apis`: documents that describe APIs, in any form that is known: a table, and one apis.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toologue import limits
from toologue.cli.options import Flag, Operations, OptionalOut, Out, at_least_one
from toologue.cli.terminal import echo, group, progress_bar, say, table
from toologue.errors import BadSetting
from toologue.events import LISTENERS

if TYPE_CHECKING:
    from toologue.schema import Api, Use

_SHOWN = 160


def apis(
    *sources: str,
    out: OptionalOut = None,
    operations: Operations = Operations(),
    left_out: Flag = False,
    describe: str | None = None,
) -> None:
    """OpenAPI, tools, RapidAPI records, ALMITA's JSON or Python functions: what they describe, as one apis.jsonl.

    Args:
        sources: Files (.yaml, .json, .jsonl, .jsonl.gz; a procedure's .md for what it calls), or Python: module,
            module:function.
        out: The apis.jsonl to write; by default none.
        operations: Which operations; by default all that can be read.
        left_out: Show every operation that cannot be read, with file, line, cause and remedy, in place of those that
            can.
        describe: template: write phrases, long descriptions and keywords where there are none, for a graph.
    """
    from toologue.apis.load import apis_of_all
    from toologue.schema.api import write_apis

    if not sources:
        raise BadSetting("name a file or a module, as in: toologue apis shop.yaml -o apis.jsonl")
    events = list[Mapping[str, Any]]()
    LISTENERS.append(events.append)
    try:
        found = apis_of_all(sources, operations.choice)
    finally:
        LISTENERS.remove(events.append)
    if describe is not None:
        from toologue.plan.api_graph.describe import describe as described

        if describe != "template":
            remedy = "what a model has to say of APIs is asked for by `toologue apis enrich`"
            raise BadSetting(f"--describe {describe}: expected template; {remedy}")
        found = [described(api) for api in found]
    if out is not None:
        write_apis(out, found)
    if left_out:
        for line in (line for event in events if event["event"] == "read" for line in event["left_out"]):
            echo(line)
    elif found:
        say(table(("name", "parameters", "writes", "domain"), map(_row, found)))
    writes = sum(api.writes for api in found)
    echo(
        f"{writes} of {len(found)} APIs {'writes' if writes == 1 else 'write'}{f', in {out}' if out else ''}", note=True
    )


def enrich(
    *sources: str,
    out: Out,
    model: str,
    concurrency: int = 8,
    each: int = 3,
    graph: Path | None = None,
    operations: Operations = Operations(),
    tries: int = 3,
    seed: int = 0,
) -> int:
    """What people want of APIs, and of pairs where one finds what the other needs: asked once of a model, and kept.

    `generate chains --uses` goes by it. What the file holds is asked for again only where its document has changed.
    Killed and run again, nothing is asked twice. Exits 3 where nothing came of some.

    Args:
        sources: What `toologue apis` reads.
        out: The uses.jsonl, which keeps what it has.
        model: openai:NAME or module:attribute.
        concurrency: Requests at a time.
        each: How many pairs are asked about for one API that is wanted, the likeliest first.
        graph: A graph.jsonl that `toologue graph build` made; by default it is built.
        operations: Which operations; by default all that can be read.
        tries: How often the model is asked about one of them, told what is wrong with its replies.
        seed: Sent to the model.
    """
    from toologue.project.enrich import enrich as enriched

    if not sources:
        raise BadSetting("name the APIs, as in: toologue apis enrich shop.yaml -o uses.jsonl")
    at_least_one(concurrency=concurrency, each=each, tries=tries)
    with progress_bar("asking") as progress:
        tally = enriched(
            sources, out, model, graph=graph, choice=operations.choice,
            each=each, concurrency=concurrency, tries=tries, seed=seed, progress=progress,
            tell=partial(echo, note=True),
        )  # fmt: skip

    def counts(some: list[Use]) -> tuple[int, int, int]:
        wanted = [one for one in some if one.wanted]
        return len(some), len(wanted), sum(len(one.examples) for one in wanted)

    alone, pairs = ([one for one in tally.uses if (one.source is None) is single] for single in (True, False))
    columns = ("uses", "wanted", "examples")
    say(table(("of", *columns), (("APIs", *counts(alone)), ("pairs of APIs", *counts(pairs))), right=columns))
    if tally.dropped:
        every = tally.dropped.most_common()
        lost = ((what, times, limits.cut(tally.instances[what], _SHOWN)) for what, times in every)
        say(table(("could not be used", "how often", "for example"), lost, right=("how often",)))
    if tally.without:
        again = "the same command asks again where no reply came, another --seed where none could be used"
        echo(f"nothing came of {tally.without:,} of {tally.asked:,}: {tally.fault or 'see above'}; {again}")
    echo(f"{tally.asked:,} asked for, {tally.replies:,} replies, {tally.kept:,} there before: {out}", note=True)
    return 3 if tally.without else 0


def _row(api: Api) -> tuple[str, ...]:
    names = (name if parameter.required else f"[{name}]" for name, parameter in api.parameters.items())
    return api.name, ", ".join(names), "writes" if api.writes else "", api.domain


documents = group("apis", enrich, default=apis)
