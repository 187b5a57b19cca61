"""What users can know: the published rule with its quirk, ours without."""

from __future__ import annotations

import pytest

from toologue.text.names import knowable, printed


@pytest.mark.parametrize("phrase", ["player in league id", "country in code", "name of the city", "team of the player"])
def test_published_knowable(phrase: str) -> None:
    assert knowable("id", phrase, rule="published")


@pytest.mark.parametrize(
    "phrase",
    [
        "video title", "side of the team", "indoor", "paid amount", "mode", "hide flag", "postcode",
        "unique id of a team", "coordinates of a place", "stock index", "player identifier",
    ],
)  # fmt: skip
def test_published_unknowable(phrase: str) -> None:
    assert not knowable("name", phrase, rule="published")


@pytest.mark.parametrize(
    "name",
    [
        "id", "teamId", "team_ids", "playerID2", "id_player", "uuid", "apiKey", "access_token", "latitude",
        "coordinate",
        "code", "stationIndex", "paymentReference", "videoId", "asin", "order-id", "hotelCode",
        "tournamentid", "teamids",
    ],
)  # fmt: skip
def test_nobody_knows_what_systems_hand_out(name: str) -> None:
    assert not knowable(name, "")


@pytest.mark.parametrize(
    "name",
    [
        "city", "firstName", "date", "checkinDate", "amount", "email", "country_code", "zipCode", "currencyCode",
        "keyword", "q", "season", "title", "postcode", "idType", "paid", "highestBid", "kids", "language",
    ],
)  # fmt: skip
def test_people_know_names_dates_places_and_amounts(name: str) -> None:
    assert knowable(name, "")


def test_the_phrase_decides_where_the_name_says_nothing() -> None:
    assert not knowable("x", "unique id of the tournament")
    assert not knowable("x", "player in league id")
    assert knowable("x", "city of the tournament")
    assert knowable("x", "whatever it may be")


def test_a_thing_that_is_a_number_is_an_id() -> None:
    assert knowable("team", "", {"type": "string"})
    assert not knowable("team", "", {"type": "integer"})
    assert not knowable("whatever", "", {"type": "string", "format": "uuid"})


def test_words_we_fix() -> None:
    for phrase in ("video title", "paid amount", "side of the team", "mode"):
        assert knowable("", phrase)
        assert not knowable("", phrase, rule="published")
    assert not knowable("", "player in league id")
    assert knowable("", "player in league id", rule="published")


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("order_id", {"type": "string", "examples": ["O-10423"]}),
        ("invoiceNumber", {"type": "integer"}),
        ("bookingReference", {"type": "string", "pattern": "^[A-Z]{3}[0-9]{3}$"}),
        ("visit", {"type": "string", "examples": ["A-61207"], "description": "As it stands on the reminder."}),
    ],
)
def test_people_have_such_numbers_on_paper(name: str, schema: dict[str, object]) -> None:
    assert printed(name, schema)


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("order_id", {"type": "string", "examples": ["ord_1Nv0FGQ9RKHgCVdK"]}),
        ("order_id", {"type": "string", "format": "uuid"}),
        ("order_id", {"type": "string"}),
        ("order_id", {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
        ("film_id", {"type": "string", "examples": ["F-1042"]}),
    ],
)
def test_nobody_reads_out_what_only_systems_write(name: str, schema: dict[str, object]) -> None:
    assert not printed(name, schema)
