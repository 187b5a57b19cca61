"""The prompt says what the labels say: a model that follows it to the letter is right everywhere, on generated gold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from to_the_letter import follow, plainly

from toologue.agents.llm.talm import Talm
from toologue.bench.benchmark import evaluate, play
from toologue.bench.tooldial import TOOLDIAL, load
from toologue.bench.tooldial.tables import main_table
from toologue.bench.tooldial.tasks import PASSES, part_of
from toologue.formats.tooldial import LABELS, Labels, Task, as_published
from toologue.models.model import ScriptedModel
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Api, Dialogue, Parameter
from toologue.schema.jsonl import write

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
DEGREES: Schema = {"type": "number"}
THINGS = {"Travel": "hotel", "Food": "recipe", "Sports": "team", "Movies": "film"}
TASKS: tuple[Task, ...] = ("dst", "action", "overall")


def api(name: str, description: str, returns: Schema, **takes: Parameter) -> Api:
    domain = name.partition("|")[0]
    returned: Schema = {"type": "object", "properties": returns}
    return Api(name=name, description=description, domain=domain, parameters=takes, returns=returned)


def documents() -> Iterator[Api]:
    """Services that find things by their town, and know their details by their number; and one by where it is.

    Some take what nobody says (a page), some what may be left out (a language).
    """
    page = Parameter(schema={**NUMBER, "examples": [1]})
    for at, (domain, thing) in enumerate(THINGS.items()):
        city = Parameter(schema={**TEXT, "description": f"The city of the {thing}"})
        number = Parameter(schema={**NUMBER, "description": f"The id of the {thing}"})
        year = Parameter(
            schema={**DEGREES, "enum": [2019.0, 2021.0], "description": f"The year of the {thing}"}, required=False
        )
        row: Schema = {f"{thing}Id": NUMBER, f"{thing}Name": TEXT}
        listed = {"type": "array", "minItems": 2, "items": {"type": "object", "properties": row}}
        rows: Schema = {"results": listed} if at % 2 else row
        more = {"page": page} if at % 3 == 0 else {}
        yield api(
            f"{domain}|all {thing}s|Search {thing}s", f"Search for a {thing} by its city.", rows, city=city, **more
        )
        about = {"founder": TEXT, "rating": DEGREES}
        slots = {f"{thing}Id": number, **({"year": year} if at % 2 else {})}
        yield api(f"{domain}|all {thing}s|Get {thing} details", f"Get the details of a {thing}.", about, **slots)
    where: Schema = {name: {**DEGREES, "description": f"The {name} of the town"} for name in ("latitude", "longitude")}
    city = Parameter(schema={**TEXT, "description": "The city"})
    yield api("Weather|towns|Find town", "Find a town by its name.", {"name": TEXT, **where}, city=city)
    slots = {name: Parameter(schema=schema) for name, schema in where.items()}
    sky = {"condition": TEXT, "temperature": {**NUMBER, "description": "The temperature in °C"}, "wind": NUMBER}
    air = {"airQuality": NUMBER, "pollen": NUMBER}
    yield api("Weather|towns|Air quality", "Get the air quality of a city.", air, city=city)
    yield api("Weather|towns|Forecast", "Get the weather forecast for some coordinates.", sky, **slots)


@pytest.fixture(scope="module")
def golds(tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    folder: Path = tmp_path_factory.mktemp("chains")
    write(folder / "tools.jsonl", documents())
    make_chains([folder / "tools.jsonl"], folder / "set", ChainMaking(count=60, ratio=(1, 0, 0), most=1, seed=4))
    return [plainly(gold) for gold in load(folder / "set")]


def test_the_gold_has_every_kind_of_thing_that_the_prompt_tells_of(golds: list[Dialogue]) -> None:
    actions = {turn.action for gold in golds for turn in gold.turns if turn.role == "agent"}
    states = [turn.state for gold in golds for turn in gold.turns if turn.role == "agent" and turn.state]
    assert len(actions) == 8
    assert any(gold.origin["fit"] == "multi" for gold in golds)  # the user chooses
    assert any("along" in gold.origin for gold in golds)  # a row fills two parameters
    assert any("page" in state.required for state in states)  # settled
    assert any(state.optional for state in states)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("convention", ["known", "published"])
def test_who_follows_the_prompt_is_right(golds: list[Dialogue], convention: str, task: Task, labels: Labels) -> None:
    told = golds if convention == "known" else list(map(as_published, golds))
    agent, part = Talm(ScriptedModel(follow), task), part_of(task, labels)
    for one in play(TOOLDIAL, told, agent, part=part):
        assert one.scores[PASSES].value == 1.0, one.record["tests"]


def test_numbers_are_labelled_as_people_say_them(golds: list[Dialogue]) -> None:
    told = [value for gold in golds for turn in gold.turns if turn.role == "user" for value in turn.informed.values()]
    numbers = [value for value in told if isinstance(value, int | float)]
    assert numbers
    assert [value for value in numbers if isinstance(value, float) and value.is_integer()] == []


def test_who_follows_the_other_convention_is_not(golds: list[Dialogue]) -> None:
    told = [gold.replace(facts={**gold.facts, "states": "published"}) for gold in golds]
    agent, part = Talm(ScriptedModel(follow), "dst"), part_of("dst")
    assert not all(one.scores[PASSES].value for one in play(TOOLDIAL, told, agent, part=part))


def test_the_table_says_which_convention_its_states_follow(golds: list[Dialogue]) -> None:
    chosen = TOOLDIAL.choose("task", ["dst"]).choose("labels", ["none"])
    ours, theirs = (evaluate(chosen, told, ["gold"]) for told in (golds[:1], [as_published(golds[0])]))
    assert main_table(ours).title == "Accuracy (table 4); states: what is known"
    assert main_table(theirs).title == "Accuracy (table 4); states: the paper's"
