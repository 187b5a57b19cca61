"""`toologue apis enrich`: what people want of APIs, asked once of a model, checked against the documents, and kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pytest
from chains_dataset_samples import service

from command import Done, toologue
from toologue.models.model import Asked, Line, ModelFault, ScriptedModel
from toologue.schema import Api, Dialogue, Edge, Parameter, Similarities, Use
from toologue.schema.jsonl import read, write

SEARCH, DETAILS = "Films|all films|Search films", "Films|all films|Get film details"
LIONS = {"filmId": 41, "filmName": "The Lions of Leeds"}
ALONE: dict[str, Any] = {
    "wanted": True,
    "why": "Friends want to choose a film for tonight.",
    "wishes": ["I'd like to see which films I could watch in town.", "find out what is on at the cinema"],
    "topic": "the films in a city",
    "asks": {
        "city": {"phrase": "the city of the cinema", "question": "Where would you go?", "known": True, "default": None}
    },
    "tells": {"results[].filmName": "the title of the film"},
    "examples": [
        {
            "arguments": {"city": "Leeds"},
            "result": {"results": [LIONS, {"filmId": 57, "filmName": "Bread at Home"}]},
            "openings": {"city": "Which films are on in Leeds tonight?"},
            "says": {"city": "Somewhere in Leeds."},
            "answers": [
                "You could watch The Lions of Leeds or Bread at Home.",
                "Bread at Home and The Lions of Leeds.",
            ],
            "thanks": "Lions it is. Thanks!",
        },
        {
            "arguments": {"city": "Bergen"},
            "result": {"results": [{"filmId": 8, "filmName": "Night Trains"}]},
            "openings": {"city": "Hello, what could we watch at a cinema in Bergen?"},
            "says": {"city": "I'm in Bergen."},
            "answers": ["There is only Night Trains.", "Night Trains is on."],
            "thanks": "Then I'll stay at home. Thanks.",
        },
    ],
    "openings": [
        "Which films are on in town?",
        "Hi there, we're bored. What could we watch at the cinema tonight?",
        "I'd like to go to the pictures. Can you see which films they show?",
    ],
    "hints": [
        {
            "person": "We'd like to go to the cinema tonight.",
            "assistant": "Shall I see which films are on?",
            "declines": {"person": "No, I want to buy tickets.", "assistant": "I'm sorry, I can't sell any."},
        }
    ],
    "vague": [{"person": "I'm bored, help me.", "assistant": "Gladly. What do you feel like?"}],
}
PAIR: dict[str, Any] = {
    "wanted": True,
    "why": "Somebody heard of a film and wonders who made it.",
    "wishes": ["learn who started a film and how good it is", "find out who is behind a film"],
    "topic": "the making of a film",
    "asks": {"filmId": {"phrase": "the film", "question": "Which film do you mean?"}},
    "source_asks": {"city": {"phrase": "the city of the cinema", "question": "Where is it on?"}},
    "unknown": ["I don't know yet. I only know where it's on."],
    "tells": {"founder": "the person who started it", "rating": "the rating"},
    "examples": [
        {
            "source_arguments": {"city": "Leeds"},
            "source_result": {"results": [LIONS, {"filmId": 57, "filmName": "Bread at Home"}]},
            "arguments": {"filmId": 41},
            "result": {"founder": "Edna Moss", "rating": 4.5},
            "source_says": {"city": "They show it in Leeds."},
            "choice": {
                "assistant": "There I see The Lions of Leeds and Bread at Home. Which one?",
                "person": "The Lions of Leeds, of course.",
            },
            "answers": ["Edna Moss started it, and it is rated 4.5."],
            "thanks": "Edna Moss! Thanks.",
        },
    ],
    "openings": ["Who is behind that film, and is it any good?", "Tell me who started a film and how it is rated."],
    "hints": [{"person": "We saw such a good film.", "assistant": "Shall I look who is behind it?"}],
    "vague": [{"person": "I have a question.", "assistant": "Go ahead, what is it?"}],
}
NOBODY: dict[str, Any] = {"wanted": False, "why": "Nobody knows such a number, and nobody has one."}


def reply_of(asked: Asked) -> dict[str, Any]:
    """What the model says of each: of the search, of the pair, and that nobody wants details alone."""
    said = str(asked.messages[0]["content"])
    return PAIR if "`filmId`. The assistant looks it up" in said else ALONE if f"{SEARCH} (" in said else NOBODY


Answers = Callable[[Asked], Line]


class Enrich(Protocol):
    def __call__(self, answer: Answers, *options: object) -> Done: ...


@pytest.fixture
def enrich(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enrich:
    """The command over two tools, with a model that answers so."""
    write(tmp_path / "films.jsonl", [api for api in service() if api.domain == "Films"])

    def run(answer: Answers, *options: object) -> Done:
        module = ModuleType("our_models")
        module.__dict__["reader"] = ScriptedModel(answer, name="reader")
        monkeypatch.setitem(sys.modules, "our_models", module)
        given = ("-o", "uses.jsonl", "--model", "our_models:reader", *options)
        return toologue("apis", "enrich", "films.jsonl", *given, cwd=tmp_path)

    return run


def uses(home: Path) -> dict[tuple[str | None, str], Use]:
    return {(one.source, one.api): one for one in read(home / "uses.jsonl", Use)}


def test_what_a_model_says_is_kept(tmp_path: Path, enrich: Enrich) -> None:
    done = enrich(lambda asked: json.dumps(reply_of(asked)))
    assert done.returncode == 0, done.stderr
    said = uses(tmp_path)
    assert said[None, SEARCH].wishes == ("see which films I could watch in town", "find out what is on at the cinema")
    assert said[None, SEARCH].tells == {"results|filmName": "the title of the film"}
    assert said[None, SEARCH].openings[1] == "We're bored. What could we watch at the cinema tonight?"
    assert not said[None, DETAILS].wanted
    pair = said[SEARCH, DETAILS]
    assert (pair.by, pair.output, pair.parameter, len(pair.examples)) == ("reader", "results|filmId", "filmId", 1)
    assert pair.asks["filmId"].phrase == "the film"
    assert not pair.asks["filmId"].known


def test_conversations_are_in_the_words_of_the_people_who_want_it(tmp_path: Path, enrich: Enrich) -> None:
    enrich(lambda asked: json.dumps(reply_of(asked)))
    how = ("--count", 30, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl")
    done = toologue("generate", "chains", "films.jsonl", "-o", "set", *how, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    made = list(read(tmp_path / "set" / "dialogues.jsonl", Dialogue))
    said = "\n".join(turn.text for one in made for turn in one.turns if turn.text)
    for words in (
        "Tell me who started a film and how it is rated.",
        "Shall I look who is behind it?",
        "Gladly. What do you feel like?",
        "No, I want to buy tickets.\nI'm sorry, I can't sell any.",
        "Which film do you mean?\nI don't know yet. I only know where it's on.",
        "Where is it on?\nThey show it in Leeds.",
        "There I see The Lions of Leeds and Bread at Home. Which one?\nThe Lions of Leeds, of course.",
        "Edna Moss started it, and it is rated 4.5.\nEdna Moss! Thanks.",
    ):
        assert words in said
    assert "film ID" not in said


def broken(**changes: object) -> dict[str, Any]:
    """The reply about the search, with something wrong in it."""
    return {**ALONE, **changes}


def misspoken(**words: object) -> dict[str, Any]:
    """The same, with other words in the first example."""
    first, second = ALONE["examples"]
    return broken(examples=[{**first, **words}, second])


def mischosen(**words: str) -> dict[str, Any]:
    """The reply about the pair, with another choice among the two films."""
    (lions,) = PAIR["examples"]
    return {**PAIR, "examples": [{**lions, "choice": {**lions["choice"], **words}}]}


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("I cannot help with that.", 'the reply: expected one JSON object with the key "wanted"; there is none'),
        (json.dumps(ALONE)[:300], "it is cut off; make it shorter"),
        (
            broken(wishes=["see the Bergen_films", "show 2025 films to me"]),
            "wishes[1]: a name as code writes it: 'Bergen_films'",
        ),
        (broken(topic=""), "topic: expected up to 9 words, got ''"),
        (broken(asks={"city": {"phrase": "your city"}}), "asks.city: no 'your' in 'your city', as both will say it"),
        (broken(asks={}), "asks: `city` is required, and has no phrase"),
        (broken(tells={"results[].title": "the title"}), "tells: no output is called 'results[].title'"),
        (broken(examples=[{"arguments": {}, "result": {}}]), "examples[1]: arguments: city is missing"),
        (
            broken(examples=[{"arguments": {"city": "Leeds"}, "result": {"results": [{"filmId": "x"}]}}]),
            "examples[1]: result.results[0].filmId: expected integer, got 'x'",
        ),
        (
            broken(examples=[{"arguments": {"city": "Leeds"}, "result": {"films": ["Bread"]}}]),
            "examples[1]: result: no output is called 'films[]'",
        ),
        (
            misspoken(answers=["There are two of them."]),
            "examples[1].answers[1]: does not say 'The Lions of Leeds' (`results[].filmName`), which `tells` has",
        ),
        (
            broken(tells={"results[].filmId": "the film"}),
            "says 'The Lions of Leeds' (`results[].filmName`), which `tells` has not",
        ),
        (broken(openings=["Tell me, " + "please " * 20]), "openings[1]: expected up to 20 words, got 22"),
        (broken(openings=["Which films are on in Leeds?", "What is on?"]), "openings[1]: nothing says 'Leeds'"),
        (misspoken(says={"city": "Near here."}), "examples[1].says.city: 'Leeds' does not stand in 'Near here.'"),
        (
            misspoken(answers=["You could watch The Lions of Leeds with Bill Murray."]),
            "examples[1].answers[1]: nothing says 'Bill'",
        ),
        (
            broken(asks={"city": {**ALONE["asks"]["city"], "default": 5}}),
            "asks.city.default: expected string, got 5",
        ),
        (broken(openings=["So many words. " * 21, "What is on?"]), "openings[1]: expected up to 20 words"),
        (mischosen(assistant="I see The Lions of Leeds. That one?"), "examples[1].choice: expected all of"),
        (mischosen(person="Bread at Home."), "examples[1].choice: expected all of"),
        ({**NOBODY, "why": ""}, "why: it is empty"),
        (misspoken(openings={}), 'examples[1].openings: there are none; expected ["city"]'),
        (
            misspoken(openings={"city": "What is on tonight?"}),
            "examples[1].openings.city: 'Leeds' does not stand in 'What is on tonight?'",
        ),
        (
            misspoken(openings={"city": "Is Bill Murray in a film in Leeds?"}),
            "examples[1].openings.city[1]: nothing says 'Bill'",
        ),
        (misspoken(words={"city": "the north"}), "examples[1].words.city: 'Leeds' is no public code"),
        (
            broken(hints=[{"person": "Can you help me with films?", "assistant": "Shall I see what is on?"}]),
            "hints[1]: nobody asks for anything yet; tell what the person is up to: 'Can you help me with films?'",
        ),
        (
            broken(hints=[{"person": "We're bored.", "assistant": "There is a cinema."}]),
            "hints[1]: expected a question: 'There is a cinema.'",
        ),
    ],
)
def test_what_does_not_fit_is_asked_again_with_a_remark(
    tmp_path: Path, enrich: Enrich, reply: Any, complaint: str
) -> None:
    remarks = list[str]()
    about = PAIR if "source_asks" in reply else ALONE

    def answer(asked: Asked) -> Line:
        if len(asked.messages) > 1:
            remarks.append(str(asked.messages[-1]["content"]))
        elif reply_of(asked) is about:
            return reply if isinstance(reply, str) else json.dumps(reply)
        return json.dumps(reply_of(asked))

    assert enrich(answer).returncode == 0
    assert len(remarks) == 1
    assert complaint in remarks[0]
    assert len(uses(tmp_path)[None, SEARCH].examples) == 2


def documented(name: str, takes: list[str], returns: dict[str, Any], **what: Any) -> Api:
    """An API of texts."""
    given = {one: Parameter(schema={"type": "string"}, required=True) for one in takes}
    return Api(name=name, parameters=given, returns={"type": "object", "properties": returns}, **what)


def test_the_examples_of_the_prompts_are_as_replies_should_be(tmp_path: Path, enrich: Enrich) -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    rows = {"type": "array", "items": {"properties": {"id": number, "name": text, "title": text, "due": text}}}
    loans = documented(
        "readers/loans", ["reader", "branch"], {"loans": rows}, description="What a reader has borrowed."
    )
    found = documented("search_libraries", ["town"], {"libraries": rows}, description="The libraries of a town.")
    hours = documented("library_hours", ["day"], {"opens": text, "closes": text}, description="When a library is open.")
    number_of = Parameter(schema={"type": "integer", "description": "The id of the library."}, required=True)
    hours = hours.replace(parameters={"library_id": number_of, **hours.parameters})
    write(tmp_path / "films.jsonl", [loans, found, hours])
    ends = {"source": found.name, "output": "libraries|id", "target": hours.name, "parameter": "library_id"}
    write(
        tmp_path / "graph.jsonl", [Edge(**ends, similarity=Similarities(lcs=1, keyword=1, description=1), chosen=True)]
    )

    def answer(asked: Asked) -> Line:
        (prompt,) = (str(one["content"]) for one in asked.messages)
        shown = prompt.partition("# An example of an answer")[2].partition("# How to answer")[0]
        ours = "readers/loans:" in prompt or "# The first API" in prompt
        return shown[shown.index("{") :] if ours else json.dumps(NOBODY)

    done = enrich(answer, "--graph", "graph.jsonl", "--tries", 1)
    assert "could not be used" not in done.stdout
    kept = {key: one for key, one in uses(tmp_path).items() if one.wanted}
    assert {key: len(one.examples) for key, one in kept.items()} == {
        (None, "readers/loans"): 2,
        ("search_libraries", "library_hours"): 2,
    }


def test_values_are_said_as_people_say_them(tmp_path: Path, enrich: Enrich) -> None:
    """Dates that are written with slashes, cents as money, codes as words."""
    search, details = (api for api in service() if api.domain == "Films")
    price = {"type": "integer", "description": "The price of a ticket, in cents."}
    row = {"filmName": {"type": "string"}, "price": price, "state": {"type": "string"}}
    returns = {"type": "object", "properties": {"results": {"type": "array", "items": {"properties": row}}}}
    day = Parameter(schema={"type": "string", "examples": ["22/10/2020"]}, required=True)
    write(tmp_path / "films.jsonl", [search.replace(parameters={"day": day}, returns=returns), details])
    said = broken(
        asks={"day": {"phrase": "the day", "question": "When would you go?"}},
        tells={"results[].filmName": "the film", "results[].price": "the price", "results[].state": "what is left"},
        examples=[
            {
                "arguments": {"day": "02/11/2020"},
                "result": {"results": [{"filmName": "Bread at Home", "price": 950, "state": "sold_out"}]},
                "says": {"day": "On 2 November 2020."},
                "answers": ["Bread at Home costs 9.50, but it's sold out.", "Bread at Home costs 9.60."],
            }
        ],
    )
    done = enrich(lambda asked: json.dumps(said if reply_of(asked) is ALONE else NOBODY), "--tries", 1)
    (example,) = uses(tmp_path)[None, SEARCH].examples
    assert example.says == {"day": "On 2 November 2020."}
    assert example.answers == ("Bread at Home costs 9.50, but it's sold out.",)
    assert "does not say 950" in done.stdout


def test_nobody_is_asked_for_an_id(enrich: Enrich) -> None:
    """Who does not know it says which thing it is."""
    other = {**PAIR, "asks": {"filmId": {"phrase": "the film", "question": "Do you have the film's id?"}}}
    done = enrich(lambda asked: json.dumps(other if reply_of(asked) is PAIR else reply_of(asked)), "--tries", 1)
    assert "asks.filmId: no 'id' in" in done.stdout


def test_the_best_reply_is_kept_though_a_later_one_is_worse(tmp_path: Path, enrich: Enrich) -> None:
    """The first reply lacks the words for one argument; the second one is no reply at all."""

    def answer(asked: Asked) -> Line:
        return "Sorry." if len(asked.messages) > 1 else json.dumps(misspoken(says={"city": "Near here."}))

    assert enrich(answer, "--tries", 2).returncode == 3  # nothing of it is about the pair
    assert [one.says for one in uses(tmp_path)[None, SEARCH].examples] == [{}, {"city": "I'm in Bergen."}]


def test_words_that_can_be_spared_are_left_out_and_counted(tmp_path: Path, enrich: Enrich) -> None:
    said = misspoken(thanks="Then I'll ask Bill Murray.")
    done = enrich(lambda asked: json.dumps(said if reply_of(asked) is ALONE else NOBODY))
    assert done.returncode == 0
    assert "nothing says 'Bill'" in done.stdout
    assert [one.thanks for one in uses(tmp_path)[None, SEARCH].examples] == ["", "Then I'll stay at home. Thanks."]


def test_all_examples_tell_the_same_parameters(tmp_path: Path, enrich: Enrich) -> None:
    search, _ = (api for api in service() if api.domain == "Films")
    year = Parameter(schema={"type": "integer"}, required=False)
    write(tmp_path / "films.jsonl", [search.replace(parameters={**search.parameters, "year": year})])
    first, second = ALONE["examples"]
    dated = {**second, "arguments": {**second["arguments"], "year": 1999}, "says": {**second["says"], "year": "1999."}}
    done = enrich(lambda asked: json.dumps(broken(examples=[first, dated])), "--tries", 1)
    assert "expected the same" in done.stdout
    assert len(uses(tmp_path)[None, SEARCH].examples) == 1


def test_what_is_handed_over_stands_on_both_sides(enrich: Enrich) -> None:
    (lions,) = PAIR["examples"]
    other = {**PAIR, "examples": [{**lions, "arguments": {"filmId": 99}}]}
    done = enrich(lambda asked: json.dumps(other if reply_of(asked) is PAIR else reply_of(asked)))
    assert "no value to hand over: 99 is none of [41, 57]" in done.stdout


def test_one_call_finds_what_all_examples_found_by_it(tmp_path: Path, enrich: Enrich) -> None:
    """The world answers a call in one way; so who searches Leeds in two examples chooses among the films of both. A
    film is there once, as the first example has it."""
    (lions,) = PAIR["examples"]
    trains, crabs = {"filmId": 8, "filmName": "Night Trains"}, {"filmId": 9, "filmName": "Crabs"}
    other = {
        **lions,
        "source_result": {"results": [{**LIONS, "filmName": "Lions"}, trains, crabs]},
        "arguments": {"filmId": 8},
        "result": {"founder": "Jo Beck", "rating": 3.5},
        "choice": {"assistant": "Is it Lions, Night Trains or Crabs?", "person": "Night Trains."},
        "answers": ["Jo Beck did, and it is rated 3.5."],
        "thanks": "Thank you.",
    }
    both = {**PAIR, "examples": [lions, other]}
    done = enrich(lambda asked: json.dumps(both if reply_of(asked) is PAIR else NOBODY))
    assert "could not be used" not in done.stdout
    kept = uses(tmp_path)[SEARCH, DETAILS].examples
    assert len(kept) == 2
    for one in kept:
        assert [film["filmId"] for film in one.source_result["results"]] == [41, 57, 8, 9]
        assert one.source_result["results"][0] == LIONS


@pytest.mark.parametrize("found", [[LIONS], [{"filmId": number, "filmName": f"Film {number}"} for number in range(5)]])
def test_an_example_that_answers_otherwise_than_an_earlier_one_is_left_out(
    tmp_path: Path, enrich: Enrich, found: list[dict[str, Any]]
) -> None:
    """What finds things may find those of all examples, up to five; what is asked for alone has one answer."""
    (lions,) = PAIR["examples"]
    told = {**lions, "source_result": {"results": [LIONS, *found]}, "result": {"founder": "Jo Beck", "rating": 3.5}}
    words = {"answers": ["Jo Beck did, and it is rated 3.5."], "thanks": "Thanks."}
    both = {**PAIR, "examples": [lions, {**told, **words}]}
    done = enrich(lambda asked: json.dumps(both if reply_of(asked) is PAIR else NOBODY))
    assert "results disagree" in done.stdout
    assert [one.result["rating"] for one in uses(tmp_path)[SEARCH, DETAILS].examples] == [4.5]


def test_it_says_what_it_will_ask_before_and_numbers_stay_numbers(tmp_path: Path, enrich: Enrich) -> None:
    """Who pays for requests knows how many there are; of two wishes that are wanted one is missing."""
    few = {**ALONE, "wishes": ALONE["wishes"][:1]}
    sizes: list[int] = []

    def reply(asked: Asked) -> str:
        sizes.append(len(str(asked.messages[0]["content"])))
        return json.dumps(few if reply_of(asked) is ALONE else reply_of(asked))

    done = enrich(reply, "--tries", "1")
    assert f"3 of 3 are asked for: 3 requests, {sum(sizes):,} characters in all" in done.stdout
    assert "wishes: expected 2 or more" in done.stdout
    again = enrich(reply, "--tries", "3")
    assert "up to 2 more" in again.stdout


def test_what_stays_wrong_is_left_out_and_counted(tmp_path: Path, enrich: Enrich) -> None:
    done = enrich(lambda asked: "Sorry." if reply_of(asked) is ALONE else json.dumps(reply_of(asked)))
    assert done.returncode == 3
    assert "nothing came of 1 of 3" in done.stdout
    assert "could not be used" in done.stdout
    assert [*uses(tmp_path)] == [(SEARCH, DETAILS), (None, DETAILS)]


def test_a_fault_of_the_endpoint_loses_nothing_else_and_nothing_is_asked_twice(tmp_path: Path, enrich: Enrich) -> None:
    """The second command asks for what there was no reply to; the third one for nothing; then a document changes."""

    def ill(asked: Asked) -> Line:
        return ModelFault("timeout", "no answer") if reply_of(asked) is PAIR else json.dumps(reply_of(asked))

    def counting(asked: Asked) -> Line:
        told.append(reply_of(asked))
        return json.dumps(told[-1])

    told = list[dict[str, Any]]()
    done = enrich(ill)
    assert (done.returncode, "no answer" in done.stdout) == (3, True)
    assert len(uses(tmp_path)) == 2
    assert enrich(counting).returncode == 0
    assert told == [PAIR]
    assert enrich(counting).returncode == 0
    assert told == [PAIR]
    search, details = (api for api in service() if api.domain == "Films")
    write(tmp_path / "films.jsonl", [search, details.replace(description="Who made a film, and how good it is.")])
    assert enrich(counting).returncode == 0
    assert told == [PAIR, NOBODY, PAIR]
    write(tmp_path / "films.jsonl", [search, details.replace(description="Who made it.")])
    assert enrich(ill).returncode == 3
    assert [*uses(tmp_path)] == [(None, SEARCH), (None, DETAILS)]  # what was said of the other document is gone


@pytest.mark.parametrize(("fault", "asked_for"), [("unauthorized", 1), ("timeout", 3)])
def test_a_fault_that_all_requests_would_meet_ends_the_asking(enrich: Enrich, fault: Any, asked_for: int) -> None:
    asked = list[Asked]()

    def ill(one: Asked) -> Line:
        asked.append(one)
        return ModelFault(fault, "no")

    assert enrich(ill, "--concurrency", 1).returncode == 3
    assert len(asked) == asked_for


def test_so_many_pairs_are_asked_about_for_each_target(tmp_path: Path, enrich: Enrich) -> None:
    """Films are found by their city and by their actor; nobody is asked for a key, nor is a model told of it."""
    search, details = (api for api in service() if api.domain == "Films")
    secret = {"api_key": Parameter(required=False)}
    actor = search.replace(name="Films|all films|Find films", parameters={"actor": search.parameters["city"], **secret})
    keyed = search.replace(name="Films|all films|Search films to buy", parameters={"api_key": Parameter()})
    write(tmp_path / "films.jsonl", [search, actor, keyed, details])
    for each in (1, 2):
        asked = list[str]()

        def nobody(one: Asked, told: list[str] = asked) -> Line:
            told.append(str(one.messages[0]["content"]))
            return json.dumps(NOBODY)

        assert enrich(nobody, "--each", each, "--seed", each).returncode == 0
        (tmp_path / "uses.jsonl").unlink()
        assert (len(asked), sum("The assistant looks it up" in text for text in asked)) == (3 + each, each)
        assert "api_key" not in "".join(asked)


def test_documents_that_tell_nothing_are_refused(tmp_path: Path, enrich: Enrich) -> None:
    write(tmp_path / "films.jsonl", [api.replace(returns={}) for api in service()])
    done = enrich(lambda asked: json.dumps(NOBODY))
    assert done.returncode == 2
    assert "films.jsonl: no API there takes something and returns something" in done.stderr


def test_what_was_answered_before_a_kill_is_not_asked_again(tmp_path: Path, enrich: Enrich) -> None:
    told = list[dict[str, Any]]()

    def killed(asked: Asked) -> Line:
        if reply_of(asked) is PAIR:
            raise KeyboardInterrupt
        return counting(asked)

    def counting(asked: Asked) -> Line:
        told.append(reply_of(asked))
        return json.dumps(told[-1])

    assert enrich(killed, "--concurrency", 1).returncode == 130
    assert told == [ALONE, NOBODY]
    assert enrich(counting).returncode == 0
    assert told == [ALONE, NOBODY, PAIR]
    assert len(uses(tmp_path)) == 3


def test_a_documented_default_is_asked_of_nobody(tmp_path: Path, enrich: Enrich) -> None:
    search, details = (api for api in service() if api.domain == "Films")
    units = Parameter(schema={"type": "string", "description": "How far to look; as far as one may walk, if not said."})
    write(tmp_path / "films.jsonl", [search.replace(parameters={**search.parameters, "reach": units}), details])
    reach = {"phrase": "the distance to the cinema", "known": True, "default": "walk"}
    examples = [{**one, "arguments": {**one["arguments"], "reach": "walk"}} for one in ALONE["examples"]]
    said = {**ALONE, "asks": {**ALONE["asks"], "reach": reach}, "examples": examples}
    enrich(lambda asked: json.dumps(said if reply_of(asked) is ALONE else NOBODY))
    how = ("--count", 10, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl")
    assert toologue("generate", "chains", "films.jsonl", "-o", "set", *how, cwd=tmp_path).returncode == 0
    made = list(read(tmp_path / "set" / "dialogues.jsonl", Dialogue))
    calls = [
        act.arguments
        for one in made
        for turn in one.turns
        if turn.role == "agent"
        for act in turn.acts
        if act.kind == "call"
    ]
    assert calls
    assert {str(arguments["reach"]) for arguments in calls if arguments} == {"walk"}
    assert "distance" not in "\n".join(turn.text or "" for one in made for turn in one.turns)


@pytest.mark.parametrize(
    "changes",
    [
        {"wanted": "perhaps"},
        {"wishes": {"one": "see films"}},
        {"wishes": ["see films " * 100_000, "see what is on"]},
        {"topic": ["films"]},
        {"asks": [["city", "Where?"]]},
        {"asks": {**ALONE["asks"], "all": {"question": "Where?" * 50_000}}},
        {"asks": {**ALONE["asks"], "": {"phrase": ""}}},
        {"tells": ["results[].filmName"]},
        {"tells": {"results[].filmName": ""}},
        {"openings": "Which films are on?"},
        {"openings": [None, 5]},
        {"hints": [{"person": "We're bored."}]},
        {"hints": [{"person": "We're bored.", "assistant": "Shall I?", "declines": "No."}]},
        {"vague": []},
        {"along": {"city": "results[].filmName"}},
        {"examples": {}},
        {"examples": [ALONE["examples"][0]] * 2_000},
        {"examples": [{**ALONE["examples"][0], "arguments": {"city": float("nan")}}]},
        {"examples": [{**ALONE["examples"][0], "arguments": {"city": ["Leeds"] * 9}}]},
        {"examples": [{**ALONE["examples"][0], "result": [[[[]]]]}]},
        {"examples": [{**ALONE["examples"][0], "words": {"city": 5}}]},
        {"examples": [{**ALONE["examples"][0], "words": {"nobody": "Leeds", "city": ""}}]},
        {"examples": [{**ALONE["examples"][0], "openings": ["Which films are on in Leeds?"]}]},
        {"examples": [{**ALONE["examples"][0], "openings": {"all": "Leeds?", "nobody": "Leeds?"}}]},
        {"examples": [{**ALONE["examples"][0], "says": None}]},
        {"examples": [{**ALONE["examples"][0], "answers": "The Lions of Leeds"}]},
    ],
    ids=lambda changes: json.dumps(changes)[:40],
)
def test_no_reply_breaks_anything(tmp_path: Path, enrich: Enrich, changes: dict[str, Any]) -> None:
    """Whatever a model replies, the command ends, tells what it could not use, and its file can be read and used."""
    done = enrich(lambda asked: json.dumps(broken(**changes) if reply_of(asked) is ALONE else NOBODY), "--tries", 2)
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    kept = uses(tmp_path)
    assert (None, SEARCH) in kept or "nothing came of 1 of 3" in done.stdout
    if use := kept.get((None, SEARCH)):
        assert use.wishes
        assert use.tells
        assert all(len(line) < 500 for line in (*use.wishes, *use.openings))
    how = ("--count", 2, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl")
    made = toologue("generate", "chains", "films.jsonl", "-o", "set", *how, cwd=tmp_path)
    assert "Traceback" not in made.stderr
