"""Words for plans of the chains line: what changes, what has to be said, and how different it sounds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from chains_write_samples import (
    APIS,
    FORECAST,
    SEASONS,
    STANDINGS,
    agent,
    alone,
    calls,
    chained,
    kept_back,
    looks,
    made,
    opening,
    refused,
    user,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from toologue.errors import BadSetting, UnknownName
from toologue.models.embed import embedder
from toologue.models.retriever import Retriever
from toologue.schema import AgentTurn, Api, Cue, Dialogue, Parameter, Plan, Retrieve, State, UserTurn
from toologue.text.claims import says
from toologue.write.chains import ChainWriter, Unworded
from toologue.write.chains.bank import BANKS, BankName
from toologue.write.chains.questions import estimate

LEXICAL = embedder("lexical")
BANDS = {"confirm": 0.45, "suggest": 0.3}
PLANS: list[Callable[[], Plan]] = [
    chained, lambda: chained(band="suggest"), lambda: chained(band="clarify"), kept_back, alone, refused,
]  # fmt: skip


def writer(**settings: object) -> ChainWriter:
    return ChainWriter(APIS, LEXICAL, **{"bands": BANDS, **settings})  # pyright: ignore[reportArgumentType]


def bare(dialogue: Dialogue) -> Dialogue:
    """A dialogue without what a writer may change."""
    turns: list[UserTurn | AgentTurn] = []
    for turn in dialogue.turns:
        if turn.role == "user":
            turns.append(turn.replace(text=""))
        elif turn.acts and isinstance(turn.acts[0], Retrieve) and turn.acts[0].missing is None:
            turns.append(turn.replace(acts=(), results=()))
        else:
            turns.append(turn.replace(text=None))
    origin = {name: value for name, value in dialogue.origin.items() if name not in ("writer", "style")}
    return dialogue.replace(turns=tuple(turns), origin=origin)


def spoken(dialogue: Dialogue) -> list[str]:
    return [turn.text for turn in dialogue.turns if turn.text]


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("bank", BANKS)
class TestWords:
    def test_are_all_that_changes(self, plan: Callable[[], Plan], bank: BankName) -> None:
        told = writer(bank=bank).words(plan())
        assert bare(told) == bare(plan().dialogue)
        assert told.origin["writer"] == f"chains:{bank}"

    def test_say_every_value_of_their_cues(self, plan: Callable[[], Plan], bank: BankName) -> None:
        for turn, cue in zip(writer(bank=bank).words(plan()).turns, plan().cues, strict=True):
            for value in cue.values.values():
                assert value == "" or says(turn.text or "", value), (cue, turn.text)

    def test_are_there_for_every_turn_that_speaks(self, plan: Callable[[], Plan], bank: BankName) -> None:
        for turn, cue in zip(writer(bank=bank).words(plan()).turns, plan().cues, strict=True):
            silent = cue.move in ("call", "retriever_call")
            assert bool(turn.text) != silent
            assert not any(api.name in (turn.text or "") for api in APIS)
            assert not any(mark in (turn.text or "") for mark in "{}[]|")

    def test_are_the_same_again_in_any_order(self, plan: Callable[[], Plan], bank: BankName) -> None:
        one, other = writer(bank=bank), writer(bank=bank)
        for warm in PLANS:
            other.words(warm())
        assert one.words(plan()) == other.words(plan()) == asyncio.run(writer(bank=bank).write(plan()))


class TestOpenings:
    @pytest.mark.parametrize("band", ["confirm", "suggest", "clarify"])
    @pytest.mark.parametrize("number", range(1, 13))
    def test_reach_their_band_by_the_retrievers_own_judgement(self, band: str, number: int) -> None:
        plan = chained(f"chain-{number}", band)
        told = writer().words(plan)
        retriever = Retriever(APIS, LEXICAL, bands=BANDS)
        text = told.turns[0].text
        (best, score), *_ = ranked = retriever.rank(text or "")
        assert retriever.band(score) == band
        assert band == "clarify" or best.name == STANDINGS.name
        looked = told.turns[1]
        assert looked.role == "agent"
        assert looked.acts == (Retrieve(query=text or ""),)
        assert looked.results[0] is not None
        assert looked.results[0].value == {"retrieved": {api.name: value for api, value in ranked}}
        assert list(looked.results[0].value["retrieved"]) == [api.name for api, _ in ranked]  # pyright: ignore

    def test_ask_for_the_source_as_the_plan_has_it(self) -> None:
        told = writer().words(chained())
        place = next(at for at, cue in enumerate(chained().cues) if cue.move == "fail_inform") + 1
        assert told.turns[place] == chained().dialogue.turns[place]

    def test_that_no_words_reach_are_given_up_with_a_reason(self) -> None:
        with pytest.raises(Unworded, match=r"no query to confirm: Sports\|handballdata") as caught:
            writer(bands={"confirm": 0.999, "suggest": 0.3}).words(chained())
        assert caught.value.reason == "no query to confirm"

    @pytest.mark.parametrize(
        ("api", "reason"),
        [
            (Api(name="A|b|Buscar", description="Obtiene la lista de todos los datos del usuario."), "foreign"),
            (STANDINGS.replace(name="A|b|c d", parameters={"Api_Key": FORECAST.parameters["city"]}), "technical"),
            (Api(name="A|b|get"), "wordless"),
        ],
    )
    def test_of_apis_nobody_would_talk_about_are_given_up_too(self, api: Api, reason: str) -> None:
        with pytest.raises(Unworded) as caught:
            ChainWriter([*APIS, api], LEXICAL, bands=BANDS).words(
                made("c-1", api, user("inform_intent_clear"), looks())
            )
        assert caught.value.reason == reason


class TestConversations:
    def test_of_one_pair_do_not_read_alike(self) -> None:
        told = [spoken(writer().words(chained(f"chain-{number:06d}"))) for number in range(40, 50)]
        assert len({texts[0] for texts in told}) >= 9
        assert len({tuple(texts) for texts in told}) == 10
        for place in range(len(told[0])):
            assert len({texts[place] for texts in told}) >= 5

    def test_say_no_id_that_nobody_asked_for(self) -> None:
        told = " ".join(spoken(writer().words(kept_back())))
        assert "811" not in told
        assert "12 March 2025" in told

    def test_have_a_topic_from_the_first_word_on(self) -> None:
        for number in range(1, 13):
            opening = spoken(writer().words(chained(f"chain-{number}", "clarify")))[0]
            assert any(word in opening for word in ("sports", "standings", "league", "handball")), opening

    def test_refuse_an_offer_only_for_a_reason(self) -> None:
        for bank in BANKS:
            for number in range(1, 13):
                refusal = spoken(writer(bank=bank).words(refused(f"chain-{number}")))[2]
                assert len(refusal.split()) > 4, refusal

    def test_ask_for_one_of_many_by_which(self) -> None:
        asked = [spoken(writer().words(chained(f"chain-{number}")))[3] for number in range(1, 13)]
        assert all(re.search(r"\bwhich country|country\b", text) and "if you like" not in text for text in asked)

    def test_say_so_where_nothing_was_found(self) -> None:
        texts = spoken(writer().words(kept_back()))
        assert any(word in texts[-3].lower() for word in ("no ", "nothing", "empty", "couldn't"))

    def test_list_rows_and_count_them(self) -> None:
        response = spoken(writer().words(chained()))[-3]
        assert "Ajax" in response
        assert "Vitesse" in response

    @given(st.integers(1, 10**6), st.sampled_from(BANKS), st.integers(0, 5))
    def test_are_worded_whatever_their_number(self, number: int, bank: BankName, seed: int) -> None:
        told = ChainWriter(APIS, LEXICAL, bands=BANDS, bank=bank, seed=seed).words(alone(f"chain-{number}"))
        assert "Oslo" in (told.turns[0].text or "")
        assert "humidity is 72%" in (told.turns[3].text or "")


class TestBadPlans:
    def test_a_cue_that_is_not_the_turns_is_named(self) -> None:
        plan = made("c-1", FORECAST, (UserTurn(), Cue(move="clarify")))
        with pytest.raises(BadSetting, match=r"plan 'c-1', cue 0 \(clarify\): 'clarify' is nothing that users do"):
            writer().words(plan)

    def test_moves_of_other_lines_are_refused(self) -> None:
        with pytest.raises(BadSetting, match="'ask' is nothing that agents do on the chains line"):
            writer().words(made("c-1", FORECAST, user("affirm"), (AgentTurn(), Cue(move="ask"))))

    def test_a_vague_wish_needs_its_band(self) -> None:
        with pytest.raises(BadSetting, match="the band suggest or clarify, not None"):
            writer().words(made("c-1", FORECAST, user("inform_intent_vague")))

    def test_a_failure_says_what_is_missing(self) -> None:
        with pytest.raises(BadSetting, match=r'before\["missing"\] what the user does not know, not None'):
            writer().words(made("c-1", FORECAST, user("fail_inform")))

    def test_a_retriever_is_asked_after_a_wish(self) -> None:
        with pytest.raises(BadSetting, match="comes before the user has said what is wanted"):
            writer().words(made("c-1", FORECAST, user("affirm"), looks()))

    def test_parameters_are_those_of_the_api(self) -> None:
        with pytest.raises(BadSetting, match="has no parameter 'town'; it has city, day"):
            writer().words(made("c-1", FORECAST, user("affirm"), agent("request", {"town": ""})))

    def test_the_api_has_to_be_known(self) -> None:
        with pytest.raises(UnknownName, match="no api is called 'Nobody'"):
            writer().words(made("c-1", Api(name="Nobody"), user("inform_intent_clear")))


def test_an_id_is_asked_for_as_that_of_its_thing() -> None:
    turns = writer().words(chained()).turns
    assert "season's ID" in next(turn.text or "" for turn in turns if turn.action == "request")


def test_a_thing_is_asked_for_in_place_of_its_id() -> None:
    """Who is asked which season it is says what it is called, or has none in mind and chooses."""
    steps = [*zip(chained().dialogue.turns, chained().cues, strict=True)]
    steps[3] = user("fail_inform", {"missing": "seasonId", "mind": "open"}, day="2025-03-12", limit=5)
    open_minded = writer().words(made("chain-000007", STANDINGS, *steps, source=SEASONS))
    said = spoken(open_minded)
    assert "ID" not in " ".join(said)
    assert re.search(r"hich season|season would", said[1])
    steps[3] = user("fail_inform", {"missing": "seasonId", "mind": "name"}, country="Norway", day="2025-03-12", limit=5)
    named = [*steps[:5], *steps[7:]]  # nothing is asked for the source
    said = spoken(writer().words(made("chain-000007", STANDINGS, *named, source=SEASONS)))
    assert re.match(r".*Norway.*12 March 2025", said[2])


def worded(returned: JsonValue, **told: JsonValue) -> list[str]:
    """What is said by somebody who wants to know something of a team, and gives its name."""
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"position": {"type": "string", "enum": ["Forward"]}},
    }
    listed = isinstance(returned, list)
    team = {"team": Parameter(schema={"type": "string"})}
    returns: dict[str, JsonValue] = {"type": "array", "items": schema} if listed else schema
    api = estimate(Api(name="Squad", description="Get the players of a team.", parameters=team, returns=returns))
    call = calls(api, returned, team="Ajax")
    plan = made("chain-000002", api, *opening("confirm"), call, agent("response", told))
    return spoken(ChainWriter([api, *APIS], LEXICAL, bands=BANDS).words(plan))


def test_a_question_is_for_what_the_answer_tells() -> None:
    first, *_, last = worded({"position": "Forward"}, position="Forward")
    assert "the position of a team" in first
    assert "position is Forward" in last


def test_of_rows_the_question_is_for_the_things() -> None:
    rows: JsonValue = [{"name": "Ada Almeida", "position": "Forward"}]
    first, *_, last = worded(rows, name="Ada Almeida", position="Forward")
    assert re.search(r"\bplayers\b", first)
    assert "Ada Almeida (Forward)" in last


def test_of_rows_without_a_noun_nobody_asks() -> None:
    rows: JsonValue = {"blobs": [{"name": "Ada Almeida"}]}
    with pytest.raises(Unworded, match="no natural answer"):
        worded(rows, **{"blobs|name": "Ada Almeida"})


def test_a_day_and_a_month_are_one_date() -> None:
    number = Parameter(schema={"type": "integer"})
    api = Api(name="Matches", description="Search for matches.", parameters={"day": number, "month": number})
    known = State(api=api.name, required={"day": "", "month": ""})
    asked = agent("request", {"day": "", "month": ""}, known)
    plan = made("chain-000002", api, *opening("confirm"), asked, user("inform", day=14, month=8))
    *_, question, reply = spoken(ChainWriter([api, *APIS], LEXICAL, bands=BANDS).words(plan))
    assert "date" in question
    assert "14 August" in reply


def test_nobody_is_offered_what_was_asked_for() -> None:
    shows = Api(name="searchShows", description="Search shows.", parameters={"q": Parameter(schema={"type": "string"})})
    desk = ChainWriter([shows, *APIS], LEXICAL, bands={"confirm": 0.99, "suggest": 0.3})
    plan = made("chain-1", shows, *opening("suggest")[:3], user("negate"), agent("response_fail"))
    with pytest.raises(Unworded, match="no query to suggest"):
        desk.words(plan)
