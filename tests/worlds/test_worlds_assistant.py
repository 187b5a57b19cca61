"""The 28 tools of the assistant, on the databases that ship with the package: what works, and every refusal."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from toologue.schema import Call, Program, Retrieve
from toologue.worlds import assistant as package
from toologue.worlds.assistant import TOOLS, Assistant, apis
from toologue.worlds.store import Change

NOW = "2025-03-10 09:00:00"
LOGIN = {"username": "mreyes", "password": "Lantern!Ward4"}


def world(user="mreyes", **more):
    return Assistant(user=user, now=NOW, logged_in=user is not None, **more)


def do(place, api, **arguments):
    return place.do(Call(api=api, arguments=arguments))


def message(result):
    assert result.value is None
    return result.error.type, result.error.message


MARISOL = {
    "username": "mreyes",
    "email": "marisol.reyes@postbox.example",
    "phone": "351-555-0117",
    "name": "Marisol Reyes",
}
MEETING = {
    "name": "Tea",
    "event_type": "meeting",
    "start_time": "2025-03-12 16:00:00",
    "end_time": "2025-03-12 17:00:00",
    "attendees": ["rui_m"],
}
DONE = {"status": "success"}

# tool: user, arguments, value. Ids are the first that each tool draws (ToolTalk draws them with a fixed seed).
WORKS = {
    "ChangePassword": ("mreyes", {"old_password": "Lantern!Ward4", "new_password": "x"}, DONE),
    "DeleteAccount": ("mreyes", {"password": "Lantern!Ward4"}, DONE),
    "GetAccountInformation": ("mreyes", {}, {"user": MARISOL}),
    "LogoutUser": ("mreyes", {}, DONE),
    "QueryUser": ("bakerholm", {"email": "marisol.reyes@postbox.example"}, {"users": [MARISOL]}),
    "RegisterUser": (
        None,
        {"username": "eve", "password": "p", "email": "eve@here"},
        {
            "session_token": "e149636f-d9ca-0792",
            "user": {"username": "eve", "email": "eve@here", "phone": None, "name": None},
        },
    ),
    "ResetPassword": (None, {"username": "tdesai", "verification_code": "984520", "new_password": "x"}, DONE),
    "SendVerificationCode": (None, {"username": "mreyes", "email": "marisol.reyes@postbox.example"}, DONE),
    "UpdateAccountInformation": ("mreyes", {"password": "Lantern!Ward4", "new_phone_number": "351-555-0118"}, DONE),
    "UserLogin": (None, LOGIN, {"session_token": "e149636f-d9ca-0792"}),
    "AddAlarm": ("mreyes", {"time": "6:5:0"}, {"alarm_id": "5bff-dd80"}),
    "DeleteAlarm": ("mreyes", {"alarm_id": "eae6-fe0a"}, DONE),
    "FindAlarms": (
        "mreyes",
        {"start_range": "06:15:00", "end_range": "12:45:00"},
        {"alarms": [{"alarm_id": "b83c-3ff7", "time": "06:15:00"}, {"alarm_id": "eae6-fe0a", "time": "12:45:00"}]},
    ),
    "CreateEvent": ("mreyes", MEETING, {"event_id": "e149636f-d9ca"}),
    "DeleteEvent": ("mreyes", {"event_id": "a3ea2b0d-b6de"}, DONE),
    "ModifyEvent": ("mreyes", {"event_id": "a3ea2b0d-b6de", "new_name": "Teeth"}, DONE),
    "QueryCalendar": (
        "mreyes",
        {"start_time": "2025-03-12 11:00:00", "end_time": "2025-03-13 14:29:59"},
        {
            "events": [
                {
                    "event_id": "a3ea2b0d-b6de",
                    "name": "Dentist",
                    "event_type": "event",
                    "start_time": "2025-03-12 10:15:00",
                    "end_time": "2025-03-12 11:00:00",
                    "location": "Clínica Sorriso",
                    "description": "Bring the old X-rays.",
                    "attendees": None,
                }
            ]
        },
    ),
    "SearchInbox": (
        "mreyes",
        {"query": "SOFA lisbon", "match_type": "all"},
        {
            "emails": [
                {
                    "email_id": "7c-b4f6-dddc6967",
                    "date": "2025-03-09 17:10:00",
                    "sender": "t.desai@strathwell.example",
                    "receivers": ["marisol.reyes@postbox.example"],
                    "subject": "April in Lisbon",
                    "body": "Marisol, the conference is from 14 to 17 April. May I have your sofa for three nights? "
                    "I pay in shortbread.\n\nTanvi",
                }
            ]
        },
    ),
    "SendEmail": ("mreyes", {"to": ["a@b"], "subject": "s", "body": "b"}, {"email_id": "5b-dd80-9f8a27ab"}),
    "SearchMessages": (
        "mreyes",
        {"sender": "bcosta"},
        {
            "messages": [
                {
                    "message_id": "13ba517a-7d710b43",
                    "timestamp": "2025-03-09 21:40:00",
                    "sender": "bcosta",
                    "message": "Hi! Could we swap on Thursday? You'd work my early, 07:00 to 15:30, and I'd take your "
                    "late. I have to tell the rota desk by Monday noon.",
                }
            ]
        },
    ),
    "SendMessage": ("mreyes", {"receiver": "nobody at all", "message": "Hi"}, {"message_id": "e149636f-ecc3f121"}),
    "AddReminder": ("mreyes", {"task": "Sleep"}, {"reminder_id": "5b-dd80"}),
    "CompleteReminder": ("mreyes", {"reminder_id": "9d-a52e"}, DONE),
    "DeleteReminder": ("mreyes", {"reminder_id": "9d-a52e"}, DONE),
    "GetReminders": ("rlindqvist", {}, {"reminders": []}),
    "CurrentWeather": (
        None,
        {"location": " LISBON "},
        {"weather": {"date": "2025-03-10", "high": 64, "low": 52, "conditions": "Partly cloudy"}},
    ),
    "ForecastWeather": (
        None,
        {"location": "Lisbon"},
        {
            "forecast": [
                {"date": "2025-03-11", "high": 66, "low": 52, "conditions": "Sunny"},
                {"date": "2025-03-12", "high": 67, "low": 53, "conditions": "Sunny"},
                {"date": "2025-03-13", "high": 63, "low": 53, "conditions": "Showers"},
            ]
        },
    ),
    "HistoricWeather": (
        None,
        {"location": "lisbon", "month": "MAY"},
        {
            "weather": {
                "min_temp": 57,
                "max_temp": 73,
                "record_min_temp": 46,
                "record_max_temp": 97,
                "avg_rainfall": 2.1,
                "snow_days": 0,
            }
        },
    ),
}


def test_all_28_tools_are_tried():
    assert WORKS.keys() == TOOLS.keys() == {api.name for api in apis()}
    assert len(WORKS) == 28


@pytest.mark.parametrize("tool", WORKS)
def test_the_tool_works(tool):
    user, arguments, value = WORKS[tool]
    place = world(user)
    if tool == "ResetPassword":  # somebody asked for a code before
        do(place, "SendVerificationCode", username="tdesai", email="t.desai@strathwell.example")
    result = do(place, tool, **arguments)
    assert result.error is None
    assert result.value == value
    documented = next(api for api in apis() if api.name == tool)
    assert documented.writes == bool(result.changes)
    assert arguments.keys() <= documented.parameters.keys()
    assert set(documented.required) <= arguments.keys()
    assert value.keys() == documented.returns["properties"].keys()


PAST = {"start_time": "2025-03-10 08:00:00", "end_time": "2025-03-10 10:00:00"}
BACKWARDS = {"start_time": "2025-03-13 10:00:00", "end_time": "2025-03-12 10:00:00"}
DENTIST = {"event_id": "a3ea2b0d-b6de"}
RENAMED = {f"new_{name}": time for name, time in BACKWARDS.items()}
NEEDS_A_FILTER = "At least one of query, sender, start_date, end_date must be provided."
CODE = {"username": "mreyes", "verification_code": "000000", "new_password": "x"}
EVE = {"username": "eve", "password": "p", "email": "eve@here"}
MINE = {"password": "Lantern!Ward4"}

# tool, user, arguments, what the tool answers
REFUSALS = [
    ("ChangePassword", "mreyes", {"old_password": "?", "new_password": "x"}, "The old password is incorrect."),
    ("DeleteAccount", "mreyes", {"password": "?"}, "The password is incorrect."),
    ("QueryUser", "mreyes", {}, "You need to provide at least one of username and email."),
    ("RegisterUser", None, EVE | {"username": "mreyes"}, "The username already exists."),
    ("RegisterUser", None, EVE | {"email": "eve+1@here"}, "The email format is invalid."),
    ("RegisterUser", None, EVE | {"phone": "5550117"}, "The phone number format is invalid."),
    ("ResetPassword", None, CODE | {"username": "eve"}, "The username does not exist."),
    ("ResetPassword", None, CODE, "The verification code is incorrect."),
    ("SendVerificationCode", None, {"username": "eve", "email": "eve@here"}, "The username does not exist."),
    ("SendVerificationCode", None, {"username": "mreyes", "email": "eve@here"}, "The email is incorrect."),
    ("UpdateAccountInformation", "mreyes", {"password": "?"}, "The password is incorrect."),
    (
        "UpdateAccountInformation",
        "mreyes",
        MINE | {"new_name": "M."},
        "You need to provide at least one of new_email and new_phone_number.",
    ),
    ("UpdateAccountInformation", "mreyes", MINE | {"new_email": "here"}, "The email is invalid."),
    ("UpdateAccountInformation", "mreyes", MINE | {"new_phone_number": "1"}, "The phone number is invalid."),
    ("UserLogin", None, {"username": "eve", "password": "p"}, "The username does not exist."),
    ("UserLogin", None, {"username": "mreyes", "password": "p"}, "The password is incorrect."),
    ("DeleteAlarm", "mreyes", {"alarm_id": "6d35-cd1e"}, "Alarm 6d35-cd1e not found."),
    (
        "FindAlarms",
        "mreyes",
        {"start_range": "07:00:00", "end_range": "06:59:59"},
        "Start range must be earlier than end range.",
    ),
    ("CreateEvent", "mreyes", MEETING | {"event_type": "party"}, "Event type party not supported."),
    ("CreateEvent", "mreyes", MEETING | {"attendees": []}, "Meeting must have attendees."),
    ("CreateEvent", "mreyes", MEETING | BACKWARDS, "Start time must be before end time."),
    ("CreateEvent", "mreyes", MEETING | PAST, "Start time and end time must be in the future."),
    ("DeleteEvent", "mreyes", {"event_id": "?"}, "Event ? not found."),
    ("ModifyEvent", "mreyes", {"event_id": "?"}, "Event ? not found."),
    ("ModifyEvent", "mreyes", DENTIST | RENAMED, "Start time must be before end time."),
    (
        "ModifyEvent",
        "mreyes",
        DENTIST | {"new_start_time": PAST["start_time"], "new_end_time": PAST["end_time"]},
        "Start time and end time must be in the future.",
    ),
    (
        "ModifyEvent",
        "mreyes",
        DENTIST | {"new_start_time": NOW},
        "new_end_time must be provided if new_start_time is provided.",
    ),
    (
        "ModifyEvent",
        "mreyes",
        DENTIST | {"new_end_time": NOW},
        "new_start_time must be provided if new_end_time is provided.",
    ),
    ("QueryCalendar", "rlindqvist", PAST, "User rlindqvist has no events."),
    ("QueryCalendar", "mreyes", BACKWARDS, "Start time must be before end time."),
    ("SearchInbox", "mreyes", {}, NEEDS_A_FILTER),
    ("SearchInbox", "mreyes", {"query": "a", "match_type": None}, 'match_type must be either "any" or "all".'),
    (
        "SearchInbox",
        "mreyes",
        {"start_date": "2025-03-09 00:00:00", "end_date": "2025-03-08 00:00:00"},
        "Start date must be earlier than end date.",
    ),
    ("SearchMessages", "mreyes", {"match_type": "all"}, NEEDS_A_FILTER),
    ("SearchMessages", "mreyes", {"query": "a", "match_type": "some"}, 'match_type must be either "any" or "all".'),
    (
        "SearchMessages",
        "mreyes",
        {"start_date": "2025-03-09 00:00:00", "end_date": "2025-03-08 00:00:00"},
        "Start date must be earlier than end date.",
    ),
    (
        "SendEmail",
        "mreyes",
        {"to": ["a@b", "nobody", "me"], "subject": "", "body": ""},
        "nobody is not a valid email address.",
    ),
    ("SendMessage", "mreyes", {"receiver": "rui_m", "message": ""}, "Message cannot be empty."),
    ("AddReminder", "mreyes", {"task": "Sleep", "due_date": "tonight"}, "Invalid due_date: tonight"),
    ("CompleteReminder", "mreyes", {"reminder_id": "?"}, "Reminder ? not found in database"),
    ("CompleteReminder", "mreyes", {"reminder_id": "5b-0a51"}, "Reminder 5b-0a51 already completed"),
    ("DeleteReminder", "mreyes", {"reminder_id": "?"}, "Reminder ? not found in database"),
    ("CurrentWeather", None, {"location": " Atlantis"}, "Location atlantis not found in database"),
    ("ForecastWeather", None, {"location": "Atlantis"}, "Location atlantis not found in database"),
    ("HistoricWeather", None, {"location": "Denver", "month": "May"}, "Location denver not found in database"),
    (
        "HistoricWeather",
        None,
        {"location": "Oslo", "month": " May"},
        "Historic weather data for oslo missing for month  may",
    ),
    ("GetAccountInformation", "nobody", {}, "Invalid session_token."),
]


@pytest.mark.parametrize(("tool", "user", "arguments", "text"), REFUSALS, ids=lambda value: str(value)[:40])
def test_the_tool_refuses(tool, user, arguments, text):
    result = do(world(user), tool, **arguments)
    assert message(result) == ("APIException", text)
    assert not result.changes


def test_every_refusal_in_the_code_is_among_those():
    texts = [text for *_, text in REFUSALS]
    for file in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ToolError":
                parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else node.args
                pattern = "".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".*" for p in parts)
                assert any(re.fullmatch(pattern, text) for text in texts), f"{file.name}: {pattern}"


# what goes wrong before a tool is asked ------------------------------------------------------------------------------


def test_unknown_tools_and_other_acts():
    assert message(do(world(), "addalarm")) == ("executor", "API addalarm not found")
    assert world().do(Retrieve(query="alarm")).error.type == "executor"
    assert world().do(Program(goal="1", status="final", code="")).error.message == "the assistant has no program acts"


def test_arguments_that_are_no_object():
    result = world().do(Call(api="AddAlarm", arguments=None, raw='{"time": '))
    assert message(result) == ("parse", "Failed to parse API call")


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_tools_that_need_a_session_say_so(tool):
    result = do(world(None), tool)
    open_to_all = {"UserLogin", "RegisterUser", "SendVerificationCode", "ResetPassword"}
    if tool in open_to_all or tool.endswith("Weather"):
        assert result.error.type == "TypeError"
        assert result.error.message.startswith(f"{tool} is missing the argument ")
    else:
        assert message(result) == ("executor", "User is not logged in")


@pytest.mark.parametrize("tool", ["UserLogin", "RegisterUser"])
def test_there_is_one_session_at_a_time(tool):
    result = do(world(), tool, **LOGIN, email="e@f")
    assert message(result) == ("executor", "Only one user can be logged in at a time. Current user is mreyes.")


@pytest.mark.parametrize(
    ("tool", "user", "arguments", "kind"),
    [
        ("AddAlarm", "mreyes", {}, "TypeError"),
        ("AddAlarm", "mreyes", {"time": "07:00:00", "loud": True}, "TypeError"),
        ("AddAlarm", "mreyes", {"time": 7}, "TypeError"),
        ("AddAlarm", "mreyes", {"time": "7 o'clock"}, "ValueError"),
        ("CurrentWeather", None, {"location": "Oslo", "session_token": "x"}, "TypeError"),
        ("CurrentWeather", None, {"location": 7}, "AttributeError"),
        ("CompleteReminder", "rlindqvist", {"reminder_id": "x"}, "KeyError"),
        ("DeleteReminder", "rlindqvist", {"reminder_id": "x"}, "KeyError"),
        ("DeleteAlarm", "mreyes", {"alarm_id": ["x"]}, "TypeError"),
        ("SendEmail", "mreyes", {"to": 5, "subject": "", "body": ""}, "TypeError"),
    ],
)
def test_what_arguments_do_to_the_simulation(tool, user, arguments, kind):
    result = do(world(user), tool, **arguments)
    assert result.error.type == kind
    assert result.value is None


def test_weather_beyond_the_table_is_a_key_error():
    late = Assistant(now="2025-03-18 09:00:00")
    assert do(late, "CurrentWeather", location="Oslo").error is None
    assert message(do(late, "ForecastWeather", location="Oslo")) == ("KeyError", "'2025-03-21'")


# details worth a line each -------------------------------------------------------------------------------------------


def test_what_was_written_before_a_check_failed_stays():
    place = world()
    result = do(place, "ModifyEvent", **DENTIST, new_name="Teeth", new_start_time=NOW)
    assert result.error.type == "APIException"
    assert result.changes["Calendar/mreyes/a3ea2b0d-b6de"]["name"] == "Teeth"
    update = do(place, "UpdateAccountInformation", **MINE, new_email="m@here", new_phone_number="?")
    assert message(update)[1] == "The phone number is invalid."
    assert do(place, "GetAccountInformation").value["user"]["email"] == "m@here"


def test_a_meeting_includes_its_caller():
    place = world()
    do(place, "CreateEvent", **MEETING)
    do(place, "ModifyEvent", event_id="e149636f-d9ca", new_attendees=["bcosta"])
    (tea,) = (e for e in do(place, "QueryCalendar", **{k: MEETING[k] for k in PAST}).value["events"])
    assert tea["attendees"] == ["bcosta", "mreyes"]


def test_searches_give_the_newest_five_and_nothing_from_the_future():
    found = do(world(), "SearchInbox", query="").error
    assert found is None
    emails = do(world(), "SearchInbox", end_date="2026-01-01 00:00:00").value["emails"]
    assert [mail["date"] for mail in emails] == [
        "2025-03-09 17:10:00",
        "2025-03-08 12:30:00",
        "2025-03-07 18:05:00",
        "2025-03-06 09:45:00",
        "2025-03-05 16:00:00",
    ]
    assert do(world(), "SearchInbox", query=" ").value == {"emails": []}
    assert len(do(world(), "SearchInbox", query=" ", match_type="all").value["emails"]) == 5


@pytest.mark.parametrize("arguments", [{}, {"match_type": "?"}, {"query": "x"}])
def test_who_has_no_mail_finds_none_whatever_is_asked(arguments):
    assert do(world("rlindqvist"), "SearchInbox", **arguments).value == {"emails": []}
    assert do(world("rlindqvist"), "SearchMessages", **arguments).value == {"messages": []}
    assert do(world("rlindqvist"), "FindAlarms", start_range="late").value == {"alarms": []}


def test_bounds_belong_to_their_ranges():
    place = world()
    at = {"start_time": "2025-03-11 22:00:00", "end_time": "2025-03-12 10:15:00"}
    events = do(place, "QueryCalendar", **at).value["events"]
    assert [event["name"] for event in events] == ["Late shift, ward 4", "Dentist"]  # ends after, begins at the end
    sent = "2025-03-09 17:10:00"
    assert len(do(place, "SearchInbox", start_date=sent, end_date=sent).value["emails"]) == 1
    then = Assistant(user="mreyes", now=sent, logged_in=True)  # a mail of this very moment is there already
    assert len(do(then, "SearchInbox", start_date=sent).value["emails"]) == 1
    moment = {"start_time": NOW, "end_time": NOW}  # an event may begin now, and end as it begins
    assert do(place, "CreateEvent", **MEETING | moment).error is None
    assert (
        do(place, "FindAlarms", start_range="06:15:00", end_range="06:15:00").value["alarms"][0]["time"] == "06:15:00"
    )


def test_a_username_wins_over_an_address():
    assert do(world(), "QueryUser", username="eve", email=MARISOL["email"]).value == {"users": []}


def test_moments_are_kept_as_they_were_written():
    place = world()
    do(place, "AddReminder", task="Sleep", due_date="2025-3-10 9:0:0")
    assert do(place, "GetReminders").value["reminders"][-1] == {
        "reminder_id": "5b-dd80",
        "task": "Sleep",
        "due_date": "2025-3-10 9:0:0",
        "status": "pending",
    }


# sessions and ids ----------------------------------------------------------------------------------------------------


def test_the_session_token_is_put_in_and_shown_in_what_was_executed():
    place = world()
    assert place.session_token == "98a5a87a-7714-b404"
    assert do(place, "GetReminders").arguments == {"session_token": "98a5a87a-7714-b404"}
    assert do(place, "GetReminders", session_token="forged").arguments == {"session_token": "98a5a87a-7714-b404"}
    assert do(place, "GetReminders", session_token="98a5a87a-7714-b404").arguments is None
    assert do(world(None), "CurrentWeather", location="Oslo").arguments is None


def test_a_session_begins_and_ends():
    place = world(None)
    assert do(place, "UserLogin", **LOGIN).changes == {"Session/current": {"username": "mreyes"}}
    assert place.session_token == "e149636f-d9ca-0792"
    assert do(place, "LogoutUser").changes == {"Session/current": None}
    assert place.session_token is None
    assert do(place, "UserLogin", **LOGIN).value == {"session_token": "5c5373e0-fa69-84c3"}
    deleted = do(place, "DeleteAccount", **MINE)
    assert deleted.changes == {"Account/mreyes": None, "Session/current": None}
    assert place.session_token is None
    assert message(do(place, "UserLogin", **LOGIN)) == ("APIException", "The username does not exist.")


def test_a_code_is_sent_used_and_not_used_up():
    place = world(None)
    do(place, "SendVerificationCode", username="mreyes", email=MARISOL["email"])
    for password in ("one", "two"):
        reset = do(place, "ResetPassword", username="mreyes", verification_code="984520", new_password=password)
        assert reset.value == DONE
    assert do(place, "UserLogin", username="mreyes", password="two").error is None


def test_a_code_may_have_been_sent_before_the_conversation():
    place = world("mreyes", verification_code="123456")
    result = do(place, "ResetPassword", username="mreyes", verification_code="123456", new_password="x")
    assert result.value == DONE


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "ids"),
    [
        ("AddAlarm", {"time": "07:00:00"}, "alarm_id", ["5bff-dd80", "20d0-d9ca", "0792-1add"]),
        ("CreateEvent", MEETING, "event_id", ["e149636f-d9ca", "03c93f31-b8a6", "4261c3e1-71e7"]),
        ("AddReminder", {"task": "x"}, "reminder_id", ["5b-dd80", "20-d9ca", "07-1add"]),
        ("SendEmail", {"to": [], "subject": "", "body": ""}, "email_id", ["5b-dd80-9f8a27ab", "07-1add-8af336bb"]),
        ("SendMessage", {"receiver": "x", "message": "y"}, "message_id", ["e149636f-ecc3f121", "5c5373e0-ecf4712d"]),
    ],
)
def test_ids_are_the_published_ones_and_rewind(tool, arguments, field, ids):
    place = world()
    start = place.mark()
    for _ in range(2):
        assert [do(place, tool, **arguments).value[field] for _ in ids] == ids
        place.rewind(start)


def test_a_failed_call_draws_no_id():
    place = world()
    assert do(place, "AddAlarm", time="late").error is not None
    assert do(place, "AddAlarm", time="07:00:00").value == {"alarm_id": "5bff-dd80"}


# what changed --------------------------------------------------------------------------------------------------------


def test_changes_are_rows_and_what_was_created_is_named():
    place = world()
    added = do(place, "AddAlarm", time="07:00:00")
    path = "Alarm/mreyes/5bff-dd80"
    assert added.changes == {path: {"alarm_id": "5bff-dd80", "time": "07:00:00"}}
    assert added.created == (path,)
    ticked = do(place, "CompleteReminder", reminder_id="9d-a52e")
    assert ticked.changes["Reminder/mreyes/9d-a52e"]["status"] == "complete"
    assert ticked.created == ()
    assert do(place, "DeleteAlarm", alarm_id="5bff-dd80").changes == {path: None}


def test_what_is_sent_is_part_of_the_outcome():
    sent = do(world(), "SendMessage", receiver="rui_m", message="Hi")
    assert sent.changes == {"SentMessage/mreyes/e149636f-ecc3f121": {"receiver": "rui_m", "message": "Hi"}}


def test_the_diff_says_what_changed_since_the_start_or_a_mark():
    place = world()
    assert place.diff() == []
    do(place, "CompleteReminder", reminder_id="9d-a52e")
    middle = place.mark()
    do(place, "DeleteAlarm", alarm_id="eae6-fe0a")
    do(place, "LogoutUser")
    since = [
        Change("Alarm/mreyes", "eae6-fe0a", None, {"alarm_id": "eae6-fe0a", "time": "12:45:00"}, None),
        Change("Session", "current", None, {"username": "mreyes"}, None),
    ]
    assert place.diff(middle) == since
    ticked = Change("Reminder/mreyes", "9d-a52e", "status", "pending", "complete")
    assert sorted(place.diff()) == sorted([ticked, *since])


def test_worlds_do_not_share_what_they_write():
    one, other = world(), world()
    do(one, "DeleteAlarm", alarm_id="eae6-fe0a")
    assert do(one, "FindAlarms").value != do(other, "FindAlarms").value
    assert do(world(), "FindAlarms").value == do(other, "FindAlarms").value


def test_an_account_deleted_and_opened_again_comes_last():
    place = world()
    do(place, "DeleteAccount", **MINE)
    do(place, "RegisterUser", username="twin", password="p", email=MARISOL["email"])
    do(place, "LogoutUser")
    do(place, "RegisterUser", username="mreyes", password="p", email=MARISOL["email"])
    users = do(place, "QueryUser", email=MARISOL["email"]).value["users"]
    assert [user["username"] for user in users] == ["twin", "mreyes"]
