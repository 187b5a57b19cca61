"""A handful of operations is enough: documents of two, of seven, whatever describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pytest
from chains_dataset_samples import service

from toologue.apis.entities import inputs, outputs
from toologue.apis.functions import api_of_function, apis_of_functions
from toologue.errors import BadSetting
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Api, Dialogue
from toologue.schema.jsonl import read
from toologue.schema.jsonl import write as write_lines

FOOTBALL = """
openapi: 3.0.0
info: {title: Football, version: '1'}
paths:
  /teams:
    get:
      operationId: searchTeams
      summary: Search teams by name
      parameters: [{name: name, in: query, required: true, schema: {type: string}, description: Name of the team}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {
        teams: {type: array, items: {type: object, properties: {
          teamId: {type: string}, name: {type: string}, city: {type: string}}}}}}}}}}
  /teams/{teamId}/players:
    get:
      operationId: listPlayers
      summary: List the players of a team
      parameters: [{name: teamId, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {
        type: object, properties: {playerId: {type: string}, name: {type: string}, position: {type: string}}}}}}}}
"""


class Team(TypedDict):
    """A team."""

    team_id: str
    name: str
    city: str


@dataclass
class Player:
    """A player."""

    player_id: str
    name: str
    position: str


def search_teams(name: str) -> list[Team]:  # pyright: ignore[reportReturnType]
    """Search teams by name."""


def list_players(team_id: str) -> list[Player]:  # pyright: ignore[reportReturnType]
    """List the players of a team."""


def conversations(folder: Path, *sources: Path, count: int = 6) -> list[Dialogue]:
    """Conversations about what these files document."""
    make_chains(sources, folder / "chains", ChainMaking(count=count))
    return list(read(folder / "chains" / "dialogues.jsonl", Dialogue, empty=True))


def test_two_operations_of_a_document_make_conversations(tmp_path: Path) -> None:
    """Who knows the name of a team, and not its id, is told who plays for it."""
    file = tmp_path / "football.yaml"
    file.write_text(FOOTBALL)
    made = conversations(tmp_path, file)
    assert {(one.origin["source"], one.origin["target"]) for one in made} == {("searchTeams", "listPlayers")}
    assert len(made) >= 3  # one pair has more of them than its share, where there are few pairs


def test_two_typed_functions_make_conversations(tmp_path: Path) -> None:
    file = tmp_path / "apis.jsonl"
    write_lines(file, apis_of_functions(search_teams, list_players))
    made = conversations(tmp_path, file)
    assert {(one.origin["source"], one.origin["target"]) for one in made} == {("search_teams", "list_players")}


def test_tries_that_come_to_nothing_take_nobodys_share(tmp_path: Path) -> None:
    """Nobody wants a fact of a team that they have yet to choose; that teams are looked for is a conversation."""
    file = tmp_path / "teams.jsonl"
    write_lines(file, service()[:2])
    assert len(conversations(tmp_path, file, count=1)) == 1


def test_a_title_that_is_the_name_again_is_no_phrase() -> None:
    """Pydantic titles `team_id` Team Id; what somebody wrote stays."""
    api = api_of_function(list_players)
    assert [one.phrase for one in (*inputs(api), *outputs(api))] == ["", "", "", ""]
    told: dict[str, Any] = {
        "type": "object",
        "properties": {"team_id": {"type": "string", "title": "number of a team"}},
    }
    assert [one.phrase for one in outputs(Api(name="Teams", returns=told))] == ["number of a team"]


def test_what_changes_something_finds_no_ids(tmp_path: Path) -> None:
    """Nobody founds a team to find out who plays for it."""
    file = tmp_path / "football.yaml"
    founded = FOOTBALL.replace("    get:\n      operationId: searchTeams", "    post:\n      operationId: foundTeam", 1)
    file.write_text(founded.replace("Search teams by name", "Found a team"))
    with pytest.raises(BadSetting, match=r"the source writes \(1\)"):
        conversations(tmp_path, file)


def test_an_answer_is_news(tmp_path: Path) -> None:
    """A search that tells all that there is to know of a team leaves nothing to ask for."""
    file = tmp_path / "football.yaml"
    shown = FOOTBALL.replace("listPlayers", "showTeam").replace("List the players of a team", "Show a team")
    file.write_text(shown.replace("playerId: {type: string}, ", "").replace("position", "city"))
    assert conversations(tmp_path, file) == []
    dropped = json.loads((tmp_path / "chains" / "statistics.json").read_bytes())["dropped"]
    assert dropped["edges"]["the source has the answer"] == 1
