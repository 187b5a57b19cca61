"""A small world of sports for the chains line: sources and targets of every category, and edges between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toologue.schema import Api, Edge, Parameter, Similarities
from toologue.schema.jsonl import write

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
SIMILAR = Similarities(lcs=0.9, keyword=0.8, description=0.9)


def shape(**fields: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object."""
    return {"type": "object", "properties": fields}


def listed(**fields: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with a list of rows."""
    return shape(rows={"type": "array", "minItems": 3, "items": shape(**fields)})


def api(name: str, returns: dict[str, Any], **parameters: tuple[dict[str, Any], bool]) -> Api:
    """A document; parameters are (schema, required)."""
    documented = {key: Parameter(schema=schema, required=needed) for key, (schema, needed) in parameters.items()}
    full = f"Sports|scores|{name}"
    return Api(name=full, description=f"{name} of a sport.", domain="Sports", parameters=documented, returns=returns)


TEAM = {"id": NUMBER, "name": TEXT, "city": TEXT, "coach": TEXT}
STANDING = shape(summary=TEXT, points=NUMBER, city=TEXT, coach=TEXT)
APIS = (
    api("All Teams", listed(**TEAM)),
    api("Team of the Day", shape(team=shape(**TEAM))),
    api("Teams in Country", listed(**TEAM), country=(TEXT, True), language=(TEXT, False)),
    api("Team by Nickname", shape(team=shape(**TEAM)), title=(TEXT, True)),
    api("Team of a Season", shape(team=shape(**TEAM)), title=(TEXT, True), season=(NUMBER, True)),
    api("Standing", STANDING, teamId=(NUMBER, True)),
    api("Standing at Date", STANDING, teamId=(NUMBER, True), date=(TEXT, True), language=(TEXT, False)),
    api("Weather", shape(temperature=NUMBER, city=TEXT), city=(TEXT, True)),
    api("Forecast", shape(temperature=NUMBER, city=TEXT), city=(TEXT, True), date=(TEXT, True)),
    api("Secrets", STANDING, apiKey=(TEXT, True), city=(TEXT, True)),
    api("Nameless", listed(id=NUMBER, hash=TEXT)),
    api("Same Again", shape(team=shape(**TEAM)), teamId=(NUMBER, True)),
)


def edge(source: str, output: str, target: str, parameter: str, *, chosen: bool = True) -> Edge:
    """An edge between two of them."""
    names = {"source": f"Sports|scores|{source}", "target": f"Sports|scores|{target}"}
    return Edge(output=output, parameter=parameter, similarity=SIMILAR, chosen=chosen, **names)


SOURCES = {
    "All Teams": "rows|id", "Team of the Day": "team|id", "Teams in Country": "rows|id", "Team by Nickname": "team|id",
    "Team of a Season": "team|id",
}  # fmt: skip
EDGES = tuple(
    edge(source, output, target, "teamId")
    for source, output in SOURCES.items()
    for target in ("Standing", "Standing at Date")
)


def files(folder: Path) -> tuple[Path, Path]:
    """(graph.jsonl, apis.jsonl) of it."""
    write(folder / "graph.jsonl", EDGES)
    write(folder / "apis.jsonl", APIS)
    return folder / "graph.jsonl", folder / "apis.jsonl"
