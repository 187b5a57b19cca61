"""The words that uses have for values: codes as people say them, several values in one breath, in a first message, or
not at all, since they stand beside another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from command import toologue
from toologue.schema import Api, Ask, Dialogue, Edge, Example, Hint, Lines, Parameter, Similarities, Use
from toologue.schema.jsonl import read, write
from toologue.schema.use import documents_key

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def documented(name: str, says: str, takes: Mapping[str, str], returns: Mapping[str, Any]) -> Api:
    """An API whose parameters are texts, or numbers where they are coordinates."""
    given = {
        one: Parameter(schema={**(NUMBER if "itude" in one else TEXT), "description": what}, required=True)
        for one, what in takes.items()
    }
    returned = {"type": "object", "properties": dict(returns)}
    return Api(name=name, domain="World", description=says, parameters=given, returns=returned)


DEPARTURES = documented(
    "World|boards|Departures",
    "The next flights of an airline that leave an airport.",
    {"airport": "IATA code of the airport", "airline": "Name of the airline"},
    {"departures": {"type": "array", "items": {"properties": {"flight": TEXT, "leaves": TEXT}}}},
)
PLACES = documented(
    "World|skies|Search places",
    "Search for places by their name.",
    {"name": "Name of the place"},
    {"places": {"type": "array", "items": {"properties": {"name": TEXT, "latitude": NUMBER, "longitude": NUMBER}}}},
)
WEATHER = documented(
    "World|skies|Current weather",
    "The weather at a position now.",
    {"latitude": "Latitude of the place", "longitude": "Longitude of the place"},
    {"sky": TEXT, "degrees": {**NUMBER, "description": "Temperature in degrees Celsius"}},
)
GAMES = documented(
    "World|scores|Scoreboard",
    "The game of a day and its score.",
    {"gameDate": "The day, in the format YYYYMMDD"},
    {"home": TEXT, "points": {"type": "integer"}},
)
FLIGHTS = Use(
    api=DEPARTURES.name,
    of=documents_key(DEPARTURES),
    by="somebody",
    wishes=("see which flights leave an airport next", "check the next flights of an airline"),
    topic="the next flights from an airport",
    openings=("Can you check which flights leave an airport next?", "I need the next flights of an airline."),
    hints=(
        Hint(
            person="I'm in a taxi to the airport, and rather late.",
            assistant="Shall I look up the next flights?",
            declines=Lines(person="No, I'm meeting somebody.", assistant="Arrivals are not for me, I'm afraid."),
        ),
    ),
    vague=(Lines(person="Quick, I need you!", assistant="I'm here. What is it?"),),
    asks={
        "airport": Ask(phrase="the airport", question="Which airport is it?"),
        "airline": Ask(phrase="the airline", question="Which airline is it?"),
        "all": Ask(question="Which airport is it, and which airline?"),
    },
    tells={"departures|flight": "the flight", "departures|leaves": "when it leaves"},
    examples=(
        Example(
            arguments={"airport": "OSL", "airline": "Widerøe"},
            words={"airport": "Oslo"},
            result={"departures": [{"flight": "WF 604", "leaves": "17:30"}]},
            openings={"airport": "Which flights leave Oslo next?", "all": "Which Widerøe flights leave Oslo next?"},
            says={"airport": "It's Oslo.", "airline": "I fly with Widerøe.", "all": "Oslo, and I fly with Widerøe."},
            answers=("There's WF 604 at 5:30 pm.",),
            thanks="Perfect, thanks.",
        ),
    ),
)
SKY = Use(
    api=WEATHER.name,
    source=PLACES.name,
    output="places|latitude",
    parameter="latitude",
    of=documents_key(PLACES, WEATHER),
    by="somebody",
    wishes=("know what the weather is like somewhere", "check the weather in a town"),
    topic="the weather somewhere",
    openings=("What is the weather like in a certain town?",),
    along={"longitude": "places|longitude"},
    asks={"latitude": Ask(phrase="the place", question="Which place is it?", known=False)},
    source_asks={"name": Ask(phrase="the name of the place", question="What is it called?")},
    tells={"sky": "the sky", "degrees": "the temperature"},
    examples=(
        Example(
            source_arguments={"name": "Bergen"},
            source_result={"places": [{"name": "Bergen", "latitude": 60.39, "longitude": 5.32}]},
            arguments={"latitude": 60.39, "longitude": 5.32},
            result={"sky": "rainy", "degrees": 8.5},
            source_says={"name": "It's Bergen."},
            answers=("It's rainy, and 8.5 degrees.",),
            thanks="Thanks, I'll stay in.",
        ),
    ),
)


def generated(home: Path, *uses: Use) -> list[Dialogue]:
    """What is made of these uses; all of it verified, the retriever's answers, too."""
    write(home / "apis.jsonl", [DEPARTURES, PLACES, WEATHER, GAMES, SEARCH, MEANING])
    write(home / "uses.jsonl", uses)
    alike = Similarities(lcs=1, keyword=1, description=1)
    ends = ({"source": one.source, "output": one.output, "target": one.api, "parameter": one.parameter} for one in uses)
    write(home / "graph.jsonl", [Edge(**one, similarity=alike, chosen=True) for one in ends if one["source"]])
    how = ("--count", 40, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl", "--graph", "graph.jsonl")
    done = toologue("generate", "chains", "apis.jsonl", "-o", "set", *how, cwd=home)
    assert done.returncode == 0, done.stdout
    verified = toologue("verify", "set/dialogues.jsonl", "--embedder", "lexical", cwd=home)
    made = [*read(home / "set" / "dialogues.jsonl", Dialogue)]
    assert f"{len(made)} of {len(made)} are valid" in verified.stdout
    return [one for one in made if one.origin["target"] in {use.api for use in uses}]


def called(dialogue: Dialogue) -> list[Mapping[str, Any]]:
    """The arguments of its calls."""
    acts = (act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts)
    return [act.arguments or {} for act in acts if act.kind == "call"]


def test_people_say_a_city_and_the_call_has_its_code(tmp_path: Path) -> None:
    made = generated(tmp_path, FLIGHTS)
    told = [one for one in made if one.turns[-1].action == "system_bye"]
    assert told
    for one in told:
        assert called(one) == [{"airport": "OSL", "airline": "Widerøe"}]
        said = " ".join(turn.text or "" for turn in one.turns)
        assert "Oslo" in said
        assert "OSL" not in said
    documents = {api.name: api for api in read(tmp_path / "set" / "apis.jsonl", Api)}
    assert documents[DEPARTURES.name].parameters["airport"].json_schema["x-said"] == [["OSL", "Oslo"]]


def test_a_word_that_stands_for_another_value_is_no_proof(tmp_path: Path) -> None:
    """Verify takes Oslo for OSL, and for nothing else."""
    one = next(one for one in generated(tmp_path, FLIGHTS) if "Oslo" in (one.turns[0].text or ""))
    text = (tmp_path / "set" / "dialogues.jsonl").read_text("utf-8")
    write(tmp_path / "set" / "dialogues.jsonl", [one])
    assert "1 of 1 are valid" in toologue("verify", "set/dialogues.jsonl", cwd=tmp_path).stdout
    (tmp_path / "set" / "dialogues.jsonl").write_text(
        next(line for line in text.splitlines() if one.id in line).replace("OSL", "BGO") + "\n", "utf-8"
    )
    done = toologue("verify", "set/dialogues.jsonl", cwd=tmp_path)
    assert "do not say airport, 'BGO'" in done.stdout


def test_several_values_are_asked_for_and_told_in_one_breath_or_come_with_the_wish(tmp_path: Path) -> None:
    made = generated(tmp_path, FLIGHTS)
    said = "\n".join(turn.text or "" for one in made for turn in one.turns)
    assert "Which airport is it, and which airline?\nOslo, and I fly with Widerøe.\n" in said
    assert "Which flights leave Oslo next?" in said
    whole = [turn for one in made for turn in one.turns if turn.role == "user" and "Which Widerøe" in turn.text]
    assert whole
    assert {frozenset(turn.informed) for turn in whole} == {frozenset({"airport", "airline"})}
    assert {str(one.origin["sequence"]) for one in made} >= {"12.4", "12.5", "12.6", "12.7", "13.1"}
    assert re.search(r"Shall I look up the next flights\?\n(Yes|Oh yes|That would be great)\b", said)
    assert "No, I'm meeting somebody.\nArrivals are not for me, I'm afraid." in said


def test_what_stands_beside_is_handed_over_and_nobody_is_asked_for_it(tmp_path: Path) -> None:
    made = generated(tmp_path, SKY)
    assert made
    for one in made:
        assert called(one) == [{"name": "Bergen"}, {"latitude": 60.39, "longitude": 5.32}]
        said = "\n".join(turn.text for turn in one.turns if turn.text)
        assert "Which place is it?\nIt's Bergen.\nIt's rainy, and 8.5 degrees.\n" in said
        assert "itude" not in said


def test_who_cannot_say_which_thing_is_meant_is_asked_for_what_finds_it(tmp_path: Path) -> None:
    made = generated(tmp_path, SKY.replace(unknown=("I only know what it is called.",)))
    said = "\n".join(turn.text or "" for one in made for turn in one.turns)
    assert "Which place is it?\nI only know what it is called.\n" in said


def test_a_day_is_said_as_people_say_it_however_the_call_writes_it(tmp_path: Path) -> None:
    day = Example(
        arguments={"gameDate": "20221212"},
        result={"home": "Lindhagen", "points": 108},
        openings={"gameDate": "How did the game on 12 December 2022 end?"},
        says={"gameDate": "It was on 12 December 2022."},
        answers=("Lindhagen made 108 points.",),
        thanks="Thanks!",
    )
    score = Use(
        api=GAMES.name,
        of=documents_key(GAMES),
        by="somebody",
        wishes=("know how a game ended", "check the score of a game"),
        topic="the score of a game",
        openings=("Can you check how a game ended?", "I missed the game, and I'd like to know the score."),
        asks={"gameDate": Ask(phrase="the day of the game", question="When was the game?")},
        tells={"home": "the team at home", "points": "its points"},
        examples=(day,),
    )
    said = "\n".join(turn.text or "" for one in generated(tmp_path, score) for turn in one.turns)
    assert "How did the game on 12 December 2022 end?" in said
    assert "When was the game?\nIt was on 12 December 2022.\n" in said


def test_the_source_may_be_told_a_word_for_a_code_too(tmp_path: Path) -> None:
    (bergen,) = SKY.examples
    coded = bergen.replace(source_arguments={"name": "BGO"}, source_words={"name": "Bergen"})
    made = generated(tmp_path, SKY.replace(examples=(coded,)))
    assert made
    assert {str(called(one)[0]) for one in made} == {"{'name': 'BGO'}"}
    assert all(any(turn.text == "It's Bergen." for turn in one.turns) for one in made)


SEARCH = documented(
    "World|lexicon|Look up",
    "Look a text up.",
    {"text": "The text to look up"},
    {
        "entries": {
            "type": "array",
            "items": {"properties": {"entry_id": {**TEXT, "description": "Id of the entry"}, "text": TEXT}},
        }
    },
)
MEANING = documented(
    "World|lexicon|Senses", "The senses of an entry.", {"entry_id": "Id of the entry"}, {"sense": TEXT, "since": TEXT}
)


def test_who_is_asked_which_thing_it_is_says_so_whatever_documents_call_it(tmp_path: Path) -> None:
    queue = Example(
        source_arguments={"text": "queue"},
        source_result={"entries": [{"entry_id": "q-17", "text": "queue"}]},
        arguments={"entry_id": "q-17"},
        result={"sense": "a line of people", "since": "1837"},
        source_says={"text": "It's queue."},
        answers=("It means a line of people, and that since 1837.",),
        thanks="Good to know, thanks.",
    )
    sense = SKY.replace(
        api=MEANING.name,
        source=SEARCH.name,
        output="entries|entry_id",
        parameter="entry_id",
        of=documents_key(SEARCH, MEANING),
        wishes=("learn what a word means, and since when", "know the sense of a word"),
        topic="the meaning of a word",
        openings=("Can you tell me what a word means, and since when?",),
        along={},
        asks={"entry_id": Ask(phrase="the dictionary entry", question="Which word is it?", known=False)},
        source_asks={"text": Ask(phrase="the text", question="What are you looking for?")},
        tells={"sense": "the sense", "since": "the year"},
        examples=(queue,),
    )
    said = ["\n".join(turn.text for turn in one.turns if turn.text) for one in generated(tmp_path, sense)]
    assert said
    assert all("Which word is it?\nIt's queue.\nIt means a line of people" in text for text in said)
