"""`toologue apis`: documents that describe APIs, in any form that is known: a table, and one apis.jsonl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from toologue.cli.options import Operations, OptionalOut
from toologue.cli.terminal import ask, echo, say, table
from toologue.errors import BadSetting
from toologue.events import LISTENERS

if TYPE_CHECKING:
    from toologue.plan.api_graph.describe_model import Described
    from toologue.schema import Api

_CONCURRENCY = 8


def apis(
    *sources: str,
    out: OptionalOut = None,
    operations: Operations = Operations(),
    left_out: Annotated[bool, Parameter(negative="")] = False,
    describe: str | None = None,
    seed: int = 0,
) -> None:
    """OpenAPI, tools, RapidAPI records, ALMITA's JSON or Python functions: what they describe, as one apis.jsonl.

    Parameters
    ----------
    sources
        Files (.yaml, .json, .jsonl, .jsonl.gz; a procedure's .md for what it calls), or Python: module,
        module:function.
    out
        The apis.jsonl to write; by default none.
    operations
        Which operations; by default all that can be read.
    left_out
        Show every operation that cannot be read, with file, line, cause and remedy, in place of those that can.
    describe
        Write phrases, long descriptions and keywords where there are none: template (offline), openai:NAME or
        module:attribute.
    seed
        Sent to the model.
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
        found = _described(found, describe, seed)
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


def _described(found: Sequence[Api], by: str, seed: int) -> list[Api]:
    from toologue.plan.api_graph.describe import describe as describe_offline

    if by == "template":
        return [describe_offline(api) for api in found]
    made = ask(by, _asked(found, by, seed))
    left = sum(one.templated for one in made)
    echo(f"{by} was asked {sum(one.asked for one in made)} times; {left} entities were left to the template", note=True)
    return [one.api for one in made]


async def _asked(found: Sequence[Api], by: str, seed: int) -> list[Described]:
    import asyncio

    from toologue.models.ask import model
    from toologue.plan.api_graph.describe_model import describe_with

    asked, turns = model(by, "describer"), asyncio.Semaphore(_CONCURRENCY)

    async def one(api: Api) -> Described:
        async with turns:
            return await describe_with(asked, api, seed=seed)

    return await asyncio.gather(*map(one, found))


def _row(api: Api) -> tuple[str, ...]:
    names = (name if parameter.required else f"[{name}]" for name, parameter in api.parameters.items())
    return api.name, ", ".join(names), "writes" if api.writes else "", api.domain
