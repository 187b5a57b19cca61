"""Conversations make sense: what is asked for, offered, chosen by and told."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from chains_plan_samples import NUMBER, TEXT, api, edge, listed, shape

from toologue.apis.entities import inputs
from toologue.apis.salience import asked_for, bare, offered, tellable, topic_words
from toologue.plan.chains.catalog import WORTH, Catalog, Reason, belongs, choosing, optional, pointed, telling
from toologue.plan.chains.execute import PairExecutor, Rejected
from toologue.plan.chains.pairs import Pair, edge_pairs, jobs, single_api_pairs
from toologue.schema import Api, Parameter
from toologue.schema.jsonl import write
from toologue.text.names import kind_of


def shelf(folder: Path, *apis: Api) -> Catalog:
    """A shelf of these documents."""
    write(folder / "apis.jsonl", apis)
    return Catalog(folder / "apis.jsonl")


def test_an_error_tells_nothing(tmp_path: Path) -> None:
    failed, worked = shape(error=TEXT, message=TEXT, code=NUMBER), shape(error=TEXT, coach=TEXT)
    books = shelf(tmp_path, api("Failed", failed, city=(TEXT, True)), api("Worked", worked, city=(TEXT, True)))
    assert telling(books.view("Sports|scores|Failed")) == {}
    assert "coach" in telling(books.view("Sports|scores|Worked"))


def test_nobody_is_offered_what_nobody_wishes_for(tmp_path: Path) -> None:
    both = api("Fixtures", shape(coach=TEXT), teamId=(NUMBER, True), date=(TEXT, False), dataType=(TEXT, False))
    assert [one.name for one in inputs(both) if offered(one)] == ["date"]
    assert optional(shelf(tmp_path, both).view(both.name)) == ["date"]


def test_rows_are_chosen_by_the_names_beside_the_id(tmp_path: Path) -> None:
    row = {"id": NUMBER, "teamName": TEXT, "date": TEXT, "coach": shape(name=TEXT)}
    book = shelf(tmp_path, api("Teams", listed(**row))).view("Sports|scores|Teams")
    assert choosing(book, but="rows|id") == ["rows|teamName"]


def test_an_id_belongs_to_what_the_source_is_about(tmp_path: Path) -> None:
    """Players are chosen by their names; their agents are not."""
    row = {"id": NUMBER, "agentId": NUMBER, "name": TEXT}
    book = shelf(tmp_path, api("Players", listed(**row))).view("Sports|scores|Players")
    assert choosing(book, but="rows|id") == ["rows|name"]
    assert [belongs(book, output) for output in ("rows|id", "rows|agentId")] == [True, False]


@pytest.mark.parametrize("seed", range(5))
def test_who_meets_is_told_together(tmp_path: Path, seed: int) -> None:
    match = listed(home=shape(name=TEXT), away=shape(name=TEXT), city=TEXT)
    books = shelf(tmp_path, api("Fixtures", match, date=(TEXT, True)))
    (pair,) = single_api_pairs(books, Counter())
    assert list(PairExecutor(books, seed=0).run(pair, seed).answer) == ["rows|home|name", "rows|away|name"]


@pytest.mark.parametrize("seed", range(20))
def test_what_the_user_gave_is_neither_told_back_nor_gainsaid(tmp_path: Path, seed: int) -> None:
    """Somebody who names a city hears of no other city, nor of its country."""
    weather = api("Weather", shape(city=TEXT, country=TEXT, coach=TEXT), city=(TEXT, True))
    books = shelf(tmp_path, weather)
    (pair,) = single_api_pairs(books, Counter())
    assert list(PairExecutor(books, seed=0).run(pair, seed).answer) == ["coach"]
    mute, why = shelf(tmp_path, api("Place", shape(country=TEXT), city=(TEXT, True))), Counter[str]()
    assert not [*single_api_pairs(mute, why)]
    assert why == {"nothing to answer with": 1}


@pytest.mark.parametrize(("symbol", "told"), [("AAPL", True), ("KO", False)])
def test_what_documentation_shows_of_one_call_is_told(tmp_path: Path, symbol: str, told: bool) -> None:
    """All of a documented result is true, the sector of the share that was named too; not where it is another's."""
    shown = {name: {**TEXT, "examples": [value]} for name, value in (("symbol", symbol), ("sector", "Technology"))}
    profile = api("Profile", shape(**shown, coach={**TEXT, "examples": ["Jo Berg"]}), symbol=(TEXT, True))
    symbols = {"symbol": profile.parameters["symbol"].replace(json_schema={**TEXT, "examples": ["AAPL"]})}
    books = shelf(tmp_path, profile.replace(parameters=symbols))
    run = PairExecutor(books, seed=0).run
    pair = Pair(None, None, profile.name, "symbol", "zerozero", "knowable")
    answers = list[object]()
    for seed in range(12):
        with suppress(Rejected):
            answers.append(run(pair, seed).answer.get("sector"))
    assert ("Technology" in answers) is told


def test_every_target_has_its_turn_and_none_has_all() -> None:
    """A hundred sources of one target, one of another: both are talked about alike, until one is used up."""
    many = [Pair(f"Source {n}", "id", "Country", "code", "zerozero", "multi") for n in range(100)]
    one = Pair("Other", "id", "Song", "id", "zerozero", "multi")
    drawn = [job.pair for job in jobs([*many, one], cap=10, seed=1)]
    first = Counter(pair.target for pair in drawn[:12])
    assert first["Country"] == first["Song"]
    counts = Counter(drawn)
    assert max(counts.values()) == 10
    assert Counter(pair.target for pair in drawn) == {"Song": 10, "Country": 50}


def test_nobody_goes_from_a_place_to_the_same_place(tmp_path: Path) -> None:
    code = {**TEXT, "enum": ["EUR"]}
    rates = api("Exchange rate", shape(rate={"type": "number"}), source=(code, True), target=(code, True))
    books = shelf(tmp_path, rates)
    pair = Pair(None, None, rates.name, "source", "zeroyes", "knowable")
    with pytest.raises(Rejected, match="asks twice"):
        PairExecutor(books, seed=0).run(pair, 1)


def test_what_people_view_is_counted_and_rows_are_not(tmp_path: Path) -> None:
    found = api("Video", shape(viewCount={**NUMBER, "examples": [7]}, count=NUMBER, resultCount=NUMBER), q=(TEXT, True))
    assert list(telling(shelf(tmp_path, found).view(found.name))) == ["viewCount"]


@pytest.mark.parametrize(("rating", "told"), [(NUMBER, True), ({**NUMBER, "enum": [3]}, False)])
def test_what_the_source_said_otherwise_is_not_told(tmp_path: Path, rating: dict[str, object], told: bool) -> None:
    """A house has the same rating in a list and by itself; where documents make it another one, nobody says it."""
    house = {"propertyId": NUMBER, "city": TEXT, "rating": NUMBER}
    find = api("Properties", shape(house=shape(**house)), city=(TEXT, True))
    show = api("Property", shape(**{**house, "rating": rating}, coach=TEXT), propertyId=(NUMBER, True))
    pair = Pair(find.name, "house|propertyId", show.name, "propertyId", "yeszero", "single")
    happened = PairExecutor(shelf(tmp_path, find, show), seed=0).run(pair, 1)
    assert happened.source is not None
    beside = happened.source.result.value["house"]["rating"], happened.target.result.value["rating"]
    assert (beside[0] == beside[1]) is told
    assert "coach" in happened.answer
    assert ("rating" in happened.answer) is told


def test_what_is_of_another_thing_is_told_though_it_goes_by_the_same_name(tmp_path: Path) -> None:
    """A league has a name, and so has its top scorer."""
    find = api("League list", shape(league=shape(leagueId=NUMBER, name=TEXT, city=TEXT)), city=(TEXT, True))
    show = api("Top scorer", shape(player=shape(name=TEXT, goals=NUMBER)), leagueId=(NUMBER, True))
    pair = Pair(find.name, "league|leagueId", show.name, "leagueId", "yeszero", "single")
    assert "player|name" in PairExecutor(shelf(tmp_path, find, show), seed=0).run(pair, 1).answer


@pytest.mark.parametrize(("name", "nothing"), [("name", True), ("data|name", True), ("country|name", False)])
def test_a_name_is_an_answer_where_it_says_of_what(name: str, nothing: bool) -> None:
    assert bare(name) is nothing


@pytest.mark.parametrize("field", ["weight", "fiscal_year", "awnGenre", "api_model"])
def test_a_figure_that_nobody_asked_for_is_no_answer(tmp_path: Path, field: str) -> None:
    kind = "string" if field in ("awnGenre", "api_model") else "integer"
    tour = shape(title=TEXT, **{field: {"type": [kind, "null"]}})
    book = shelf(tmp_path, Api(name="Get Tour", returns=tour)).view("Get Tour")
    assert telling(book).get(field, 0) < WORTH


def test_a_list_in_one_text_is_not_told() -> None:
    assert tellable("calm, still, quiet")
    assert not tellable("ringing, octave, acoustic, noisy, din, growl, noise, voi")


@pytest.mark.parametrize(("tool", "found"), [("cities", True), ("recipes", False)])
def test_a_place_is_found_by_the_words_for_it(tmp_path: Path, tool: str, found: bool) -> None:
    """Who searches for a place is told where it is; what else is searched for is somewhere, too."""
    where = listed(name=TEXT, lat={"type": "number"}, lon={"type": "number"})
    query = {"q": Parameter(schema=TEXT)}
    book = shelf(tmp_path, Api(name=f"Food|{tool}|Search", parameters=query, returns=where)).view(f"Food|{tool}|Search")
    assert pointed(book, "rows|lat", ["q"]) is found


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("humidity", "humidity"), ("feels_like", None), ("feels_like_c", "perceived temperature"),
        ("goals", "number of goals"), ("source", None), ("wealth", None), ("messageype", None), ("up_last_week", None),
    ],
)  # fmt: skip
def test_told_is_what_people_ask_for_by_name(tmp_path: Path, name: str, told: str | None) -> None:
    found = api("Club", shape(**{name: {**NUMBER, "examples": [3]}}), club=(TEXT, True))
    book = shelf(tmp_path, found).view(found.name)
    assert [*telling(book)] == ([name] if told else [])
    assert (fact := asked_for(book.outputs[name], topic_words(found))) is None or fact.words == told


@pytest.mark.parametrize(("field", "told"), [("capital", False), ("coach", True)])
def test_what_anybody_may_look_up_is_told_as_documents_show_it(tmp_path: Path, field: str, told: bool) -> None:
    made, shown = (api(name, shape(**{field: one}), team=(TEXT, True)) for name, one in (
        ("Team in a country", TEXT), ("Another team in a country", {**TEXT, "examples": ["Oslo"]})
    ))  # fmt: skip
    books = shelf(tmp_path, made, shown)
    assert (field in telling(books.view(made.name))) is told
    assert field in telling(books.view(shown.name))


@pytest.mark.parametrize(("schema", "told"), [({}, False), ({"description": "The price in EUR"}, True)])
def test_money_says_in_which_currency(tmp_path: Path, schema: dict[str, str], told: bool) -> None:
    found = api("Ticket", shape(price={**NUMBER, **schema, "examples": [3]}), show=(TEXT, True))
    assert ("price" in telling(shelf(tmp_path, found).view(found.name))) is told


def test_what_the_user_gives_is_not_told_back(tmp_path: Path) -> None:
    row = {name: {**TEXT, "examples": ["Oslo"]} for name in ("city", "country")}
    found = api("Weather", shape(**row), city=(TEXT, True))
    assert [*telling(shelf(tmp_path, found).view(found.name))] == ["country"]


def test_what_was_traded_is_told_from_open_to_close(tmp_path: Path) -> None:
    price = {"type": "number"}
    whole = api("Quote", listed(open=price, high=price, low=price, close=price), symbol=(TEXT, True))
    part = api("Shop", listed(open={"type": "boolean"}, close=price), symbol=(TEXT, True))
    books = shelf(tmp_path, whole, part)
    assert telling(books.view(whole.name)).keys() == {"rows|open", "rows|high", "rows|low", "rows|close"}
    assert telling(books.view(part.name)) == {}


def test_a_price_is_certain_without_an_example(tmp_path: Path) -> None:
    book = shelf(tmp_path, api("Coin", shape(price=TEXT, motto=TEXT), coinId=(NUMBER, True))).view("Sports|scores|Coin")
    assert "price" in book.certain
    assert "motto" not in book.certain


@pytest.mark.parametrize(("rows", "reason"), [(True, "kept"), (False, "the source has the answer")])
def test_rows_are_news_to_who_knows_one_of_them(tmp_path: Path, rows: bool, reason: str) -> None:
    """A match says who plays; that is no list of all matches of a team, and is the team."""
    match = {"team": shape(id=NUMBER, name=TEXT), "day": TEXT}
    find = api("Match list", listed(**match), date=(TEXT, True))
    show = api("Team matches", (listed if rows else shape)(**match), teamId=(NUMBER, True))
    dropped = Counter[Reason]()
    kept = [
        *edge_pairs(
            shelf(tmp_path, find, show), [edge("Match list", "rows|team|id", "Team matches", "teamId")], dropped
        )
    ]
    assert ({"kept": 1} if kept else dropped) == {reason: 1}


@pytest.mark.parametrize(("tool", "reason"), [("youtube_two", "kept"), ("vimeo", "another's id")])
def test_tools_of_one_provider_share_their_ids(tmp_path: Path, tool: str, reason: str) -> None:
    query, key = {"q": Parameter(schema=TEXT)}, {"videoId": Parameter(schema=TEXT)}
    find = Api(name="Media|youtube_one|Search videos", parameters=query, returns=listed(videoId=TEXT, title=TEXT))
    show = Api(name=f"Media|{tool}|Video details", parameters=key, returns=shape(rating=NUMBER, author=TEXT))
    joint = edge("", "rows|videoId", "", "videoId").replace(source=find.name, target=show.name)
    dropped = Counter[Reason]()
    kept = [*edge_pairs(shelf(tmp_path, find, show), [joint], dropped)]
    assert ({"kept": 1} if kept else dropped) == {reason: 1}


@pytest.mark.parametrize("name", ["temp", "feels_like", "temp_c", "temp_max", "dew_point"])
def test_no_temperature_is_told_that_no_thermometer_shows(name: str) -> None:
    assert not tellable(307.6, kind_of((name,)))
    assert tellable(30.6, kind_of((name,)))
