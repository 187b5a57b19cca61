"""Declared data flow: found in the documents, by what names, types and descriptions say."""

from __future__ import annotations

import pytest
from plan_samples import TRAVEL, api, rows, text

from toologue.plan.scenarios.prompts import chained, flow_map, flows, outputs, parameters
from toologue.schema import Parameter
from toologue.worlds.assistant import apis

ASSISTANT = apis()
FOUND = {(f.source, f.output, f.target, f.parameter) for f in flows(ASSISTANT)}


@pytest.mark.parametrize(
    "flow",
    [
        ("FindAlarms", "alarms[].alarm_id", "DeleteAlarm", "alarm_id"),
        ("QueryCalendar", "events[].event_id", "ModifyEvent", "event_id"),
        ("QueryUser", "users[].username", "CreateEvent", "attendees"),
        ("QueryUser", "users[].email", "SendEmail", "to"),
        ("SearchInbox", "emails[].sender", "SendEmail", "to"),
        ("SearchMessages", "messages[].sender", "SendMessage", "receiver"),
        ("QueryCalendar", "events[].location", "ForecastWeather", "location"),
        ("QueryCalendar", "events[].start_time", "AddAlarm", "time"),
        ("ForecastWeather", "forecast[].date", "QueryCalendar", "start_time"),
        ("HistoricWeather", "weather.avg_rainfall", "SendMessage", "message"),
        ("GetAccountInformation", "user.phone", "UpdateAccountInformation", "new_phone_number"),
    ],
    ids=lambda flow: f"{flow[0]}-{flow[2]}",
)
def test_what_a_conversation_would_hand_over_is_found(flow: tuple[str, ...]) -> None:
    assert flow in FOUND


@pytest.mark.parametrize(
    "flow",
    [
        ("UserLogin", "session_token", "ResetPassword", "verification_code"),
        ("DeleteAlarm", "status", "CompleteReminder", "reminder_id"),
        ("FindAlarms", "alarms[].alarm_id", "DeleteEvent", "event_id"),
        ("SendEmail", "email_id", "SendMessage", "message"),
        ("QueryUser", "users[].email", "SendMessage", "receiver"),
        ("SearchInbox", "emails[].date", "AddReminder", "reminder_id"),
    ],
    ids=lambda flow: f"{flow[0]}-{flow[2]}",
)
def test_what_nobody_would_hand_over_is_not(flow: tuple[str, ...]) -> None:
    assert flow not in FOUND


def test_no_flow_carries_a_secret_and_none_returns_to_its_source() -> None:
    secret = {(slot.api, slot.path) for one in ASSISTANT for slot in parameters(one) if slot.kind == "secret"}
    assert {("UserLogin", "password"), ("ResetPassword", "verification_code")} <= secret
    assert not {(target, parameter) for _, _, target, parameter in FOUND} & secret
    assert all(source != target for source, _, target, _ in FOUND)


def test_every_flow_starts_at_an_output_and_ends_at_a_parameter() -> None:
    there = {(one.name, slot.path) for one in ASSISTANT for slot in outputs(one)}
    here = {(one.name, name) for one in ASSISTANT for name in one.parameters}
    assert {(source, output) for source, output, _, _ in FOUND} <= there
    assert {(target, parameter) for _, _, target, parameter in FOUND} <= here


def test_ids_have_to_be_found_first() -> None:
    needs = flow_map(ASSISTANT).needs
    assert needs["DeleteAlarm"] == {"alarm_id": {"AddAlarm", "FindAlarms"}}
    assert needs["SendMessage"] == {}


def test_documents_it_has_never_seen() -> None:
    found = {(f.source, f.output, f.target, f.parameter) for f in flows(TRAVEL)}
    assert ("FindTrains", "trains[].id", "BookSeat", "train_id") in found, "the id of a train is a train_id"
    assert ("FindHotels", "hotels[].city", "FindShows", "city") in found
    assert ("FindTrains", "trains[].day", "BookHotel", "from") in found
    assert ("FindTrains", "trains[].id", "BookHotel", "hotel_id") not in found


def test_equal_names_do_where_they_say_enough() -> None:
    one = api("A", "x", {}, rows("things", colour=text("Its colour."), name=text("Its name.")))
    other = api("B", "x", {"colour": "Which.", "name": "Which."}, {})
    assert [(f.output, f.parameter) for f in flows([one, other])] == [("things[].colour", "colour")]
    kept = other.replace(parameters={"sku": Parameter(json_schema={"type": "integer"})})
    stock = api("C", "x", {}, rows("things", sku={"type": "integer"}, count={"type": "integer"}))
    assert [(f.output, f.parameter) for f in flows([stock, kept])] == [("things[].sku", "sku")]


def test_chained_takes_the_most_telling_flow_from_the_nearest_call() -> None:
    known = flow_map(ASSISTANT)
    (id_flow,) = chained(["FindAlarms", "AddAlarm", "DeleteAlarm"], known)[1:]
    assert (id_flow.source, id_flow.parameter) == ("AddAlarm", "alarm_id")
    assert chained(["DeleteAlarm", "FindAlarms"], known) == ()
    assert chained([], known) == ()
