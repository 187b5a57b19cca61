"""The 28 tools. Tables: `Account` (username → row), `VerificationCode`, `Session`; of each user `Alarm/<username>`,
`Calendar/…`, `Reminder/…`, `Email/…`, `Message/…`; `Weather/<city>` and `HistoricWeather/<city>`, in lower case.

As in the published benchmark, nothing is delivered: `SentEmail/<username>` and `SentMessage/<username>` are read by no
tool, and make what was sent part of the outcome. A meeting is stored for its creator only, alarms are times of day and
never wrap past midnight, and a day that the table of a city lacks is a KeyError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import MOMENT, TIME, Desk, between, moment
from toologue.worlds.store import Row

_ADDRESS = r"^[\w\-\d\.]+@[\w\-\d\.]+$"
_PHONE = r"^\d{3}-\d{3}-\d{4}$"
_SUCCESS = {"status": "success"}


def _check(holds: object, refusal: str) -> None:
    if not holds:
        raise ToolError(refusal)


# accounts ------------------------------------------------------------------------------------------------------------


def change_password(desk: Desk, /, session_token: Any, old_password: Any, new_password: Any) -> dict[str, Any]:
    """Replace the password of whoever is logged in."""
    account = _own(desk, session_token)
    _check(account["password"] == old_password, "The old password is incorrect.")
    _save(desk, account, password=new_password)
    return _SUCCESS


def delete_account(desk: Desk, /, session_token: Any, password: Any) -> dict[str, Any]:
    """Delete the account row and end the session; mails, events and the like stay."""
    account = _own(desk, session_token)
    _check(account["password"] == password, "The password is incorrect.")
    desk.store.delete("Account", account["username"])
    desk.store.delete("VerificationCode", account["username"])
    desk.log_out()
    return _SUCCESS


def get_account_information(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """Return the own account without its password."""
    return {"user": _public(_own(desk, session_token))}


def logout_user(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """End the session."""
    desk.owner(session_token)
    desk.log_out()
    return _SUCCESS


def query_user(desk: Desk, /, session_token: Any, username: Any = None, email: Any = None) -> dict[str, Any]:
    """Find users by name or address; a username wins over an address."""
    desk.owner(session_token)
    if username is None and email is None:
        raise ToolError("You need to provide at least one of username and email.")
    if username is not None:
        account = desk.store.get("Account", username)
        return {"users": [] if account is None else [_public(account)]}
    accounts = desk.store.rows("Account").values()
    return {"users": [_public(account) for account in accounts if account["email"] == email]}


def register_user(
    desk: Desk, /, username: Any, password: Any, email: Any, name: Any = None, phone: Any = None
) -> dict[str, Any]:
    """Open an account and log it in."""
    _check(desk.store.get("Account", username) is None, "The username already exists.")
    _check(re.match(_ADDRESS, email), "The email format is invalid.")
    _check(phone is None or re.match(_PHONE, phone), "The phone number format is invalid.")
    account = {"username": username, "email": email, "phone": phone, "name": name, "password": password}
    token = desk.draw("RegisterUser", 8, 4, 4)
    desk.store.put("Account", username, account)
    desk.log_in(username, token)
    return {"session_token": token, "user": _public(account)}


def reset_password(desk: Desk, /, username: Any, verification_code: Any, new_password: Any) -> dict[str, Any]:
    """Replace a password with the help of the code that was sent."""
    account, sent = _account(desk, username), desk.store.get("VerificationCode", username)
    _check(sent is not None and sent["code"] == verification_code, "The verification code is incorrect.")
    _save(desk, account, password=new_password)
    return _SUCCESS


def send_verification_code(desk: Desk, /, username: Any, email: Any) -> dict[str, Any]:
    """Send a code to the address of an account. The code itself is not returned."""
    _check(_account(desk, username)["email"] == email, "The email is incorrect.")
    desk.store.put("VerificationCode", username, {"code": desk.draw("SendVerificationCode")})
    return _SUCCESS


def update_account_information(
    desk: Desk,
    /,
    session_token: Any,
    password: Any,
    new_email: Any = None,
    new_phone_number: Any = None,
    new_name: Any = None,
) -> dict[str, Any]:
    """Change address, phone and name. A valid address is kept even where the phone number then fails."""
    account = _own(desk, session_token)
    _check(account["password"] == password, "The password is incorrect.")
    if new_email is None and new_phone_number is None:
        raise ToolError("You need to provide at least one of new_email and new_phone_number.")
    if new_email is not None:
        _check(re.match(_ADDRESS, new_email), "The email is invalid.")
        account = _save(desk, account, email=new_email)
    if new_phone_number is not None:
        _check(re.match(_PHONE, new_phone_number), "The phone number is invalid.")
        account = _save(desk, account, phone=new_phone_number)
    if new_name is not None:
        _save(desk, account, name=new_name)
    return _SUCCESS


def user_login(desk: Desk, /, username: Any, password: Any) -> dict[str, Any]:
    """Start a session."""
    _check(_account(desk, username)["password"] == password, "The password is incorrect.")
    token = desk.draw("UserLogin", 8, 4, 4)
    desk.log_in(username, token)
    return {"session_token": token}


def _account(desk: Desk, username: Any, missing: str = "The username does not exist.") -> Row:
    account = desk.store.get("Account", username)
    if account is None:
        raise ToolError(missing)
    return account


def _own(desk: Desk, session_token: Any) -> Row:
    return _account(desk, desk.owner(session_token), "Invalid session_token.")


def _save(desk: Desk, account: Row, **changes: Any) -> Row:
    changed = {**account, **changes}
    desk.store.put("Account", account["username"], changed)
    return changed


def _public(account: Row) -> dict[str, Any]:
    return {field: account[field] for field in ("username", "email", "phone", "name")}


# calendar, alarms, reminders -----------------------------------------------------------------------------------------


def create_event(
    desk: Desk,
    /,
    session_token: Any,
    name: Any,
    event_type: Any,
    start_time: Any,
    end_time: Any,
    description: Any = None,
    location: Any = None,
    attendees: Any = None,
) -> dict[str, Any]:
    """Add an event. A meeting needs attendees; the caller is added to them."""
    _check(event_type in ("meeting", "event"), f"Event type {event_type} not supported.")
    _check(event_type != "meeting" or attendees, "Meeting must have attendees.")
    owner = desk.owner(session_token)
    _check_times(desk, start_time, end_time)
    event_id = desk.draw("CreateEvent", 8, 4)
    event = {
        "event_id": event_id,
        "name": name,
        "event_type": event_type,
        "description": description,
        "start_time": start_time,
        "end_time": end_time,
        "location": location,
        "attendees": _with_caller(attendees, owner),
    }
    desk.store.put(f"Calendar/{owner}", event_id, event)
    return {"event_id": event_id}


def delete_event(desk: Desk, /, session_token: Any, event_id: Any) -> dict[str, Any]:
    """Remove an event."""
    table = f"Calendar/{desk.owner(session_token)}"
    _row(desk, table, event_id, f"Event {event_id} not found.")
    desk.store.delete(table, event_id)
    return _SUCCESS


def modify_event(
    desk: Desk,
    /,
    session_token: Any,
    event_id: Any,
    new_name: Any = None,
    new_start_time: Any = None,
    new_end_time: Any = None,
    new_description: Any = None,
    new_location: Any = None,
    new_attendees: Any = None,
) -> dict[str, Any]:
    """Change an event. What was written before a check fails stays written."""
    owner = desk.owner(session_token)
    table = f"Calendar/{owner}"
    event = _row(desk, table, event_id, f"Event {event_id} not found.")

    def save(**fields: Any) -> None:
        nonlocal event
        event = {**event, **fields}
        desk.store.put(table, event_id, event)

    if new_name is not None:
        save(name=new_name)
    if new_start_time is not None:
        _check(new_end_time is not None, "new_end_time must be provided if new_start_time is provided.")
        _check_times(desk, new_start_time, new_end_time)
        save(start_time=new_start_time, end_time=new_end_time)
    _check(
        new_start_time is not None or new_end_time is None,
        "new_start_time must be provided if new_end_time is provided.",
    )
    if new_description is not None:
        save(description=new_description)
    if new_location is not None:
        save(location=new_location)
    if new_attendees is not None:
        save(attendees=_with_caller(new_attendees, owner))
    return _SUCCESS


def query_calendar(desk: Desk, /, session_token: Any, start_time: Any, end_time: Any) -> dict[str, Any]:
    """List the events that overlap a range, bounds included, in the order they were made."""
    owner = desk.owner(session_token)
    table = f"Calendar/{owner}"
    _check(desk.store.exists(table), f"User {owner} has no events.")
    low, high = moment(start_time), moment(end_time)
    _check(low <= high, "Start time must be before end time.")
    events = desk.store.rows(table).values()
    found = (e for e in events if moment(e["start_time"]) <= high and moment(e["end_time"]) >= low)
    return {"events": [dict(event) for event in found]}


def _check_times(desk: Desk, start_time: Any, end_time: Any) -> None:
    start, end = moment(start_time), moment(end_time)
    _check(start <= end, "Start time must be before end time.")
    _check(start >= desk.now and end >= desk.now, "Start time and end time must be in the future.")


def _with_caller(attendees: Any, owner: str) -> Any:
    """The attendees with the caller among them; None stays None."""
    return attendees if attendees is None or owner in attendees else [*attendees, owner]


def add_alarm(desk: Desk, /, session_token: Any, time: Any) -> dict[str, Any]:
    """Set an alarm. The time is parsed before the session is looked at, and kept as it was written."""
    moment(time, TIME)
    owner = desk.owner(session_token)
    alarm_id = desk.draw("AddAlarm", 4, 4)
    desk.store.put(f"Alarm/{owner}", alarm_id, {"alarm_id": alarm_id, "time": time})
    return {"alarm_id": alarm_id}


def delete_alarm(desk: Desk, /, session_token: Any, alarm_id: Any) -> dict[str, Any]:
    """Remove an alarm."""
    table = f"Alarm/{desk.owner(session_token)}"
    _row(desk, table, alarm_id, f"Alarm {alarm_id} not found.")
    desk.store.delete(table, alarm_id)
    return _SUCCESS


def find_alarms(desk: Desk, /, session_token: Any, start_range: Any = None, end_range: Any = None) -> dict[str, Any]:
    """List the alarms within an inclusive range, in the order they were set."""
    table = f"Alarm/{desk.owner(session_token)}"
    if not desk.store.exists(table):
        return {"alarms": []}
    low, high = _bounds(start_range, end_range, TIME, "Start range must be earlier than end range.")
    alarms = desk.store.rows(table).values()
    return {"alarms": [dict(alarm) for alarm in alarms if between(moment(alarm["time"], TIME), low, high)]}


def _bounds(low: Any, high: Any, form: str, refusal: str) -> tuple[datetime | None, datetime | None]:
    first = None if low is None else moment(low, form)
    last = None if high is None else moment(high, form)
    _check(first is None or last is None or first <= last, refusal)
    return first, last


def add_reminder(desk: Desk, /, session_token: Any, task: Any, due_date: Any = None) -> dict[str, Any]:
    """Add a reminder. Even a refused one leaves a (then empty) list behind."""
    table = f"Reminder/{desk.owner(session_token)}"
    desk.store.touch(table)
    if due_date is not None:
        try:
            moment(due_date)
        except ValueError:
            raise ToolError(f"Invalid due_date: {due_date}") from None
    reminder_id = desk.draw("AddReminder", 2, 4)
    reminder = {"reminder_id": reminder_id, "task": task, "due_date": due_date, "status": "pending"}
    desk.store.put(table, reminder_id, reminder)
    return {"reminder_id": reminder_id}


def complete_reminder(desk: Desk, /, session_token: Any, reminder_id: Any) -> dict[str, Any]:
    """Tick a reminder off."""
    table, reminder = _reminder(desk, session_token, reminder_id)
    _check(reminder["status"] != "complete", f"Reminder {reminder_id} already completed")
    desk.store.put(table, reminder_id, {**reminder, "status": "complete"})
    return _SUCCESS


def delete_reminder(desk: Desk, /, session_token: Any, reminder_id: Any) -> dict[str, Any]:
    """Remove a reminder."""
    table, _ = _reminder(desk, session_token, reminder_id)
    desk.store.delete(table, reminder_id)
    return _SUCCESS


def get_reminders(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """List all reminders, completed ones too, in the order they were added."""
    reminders = desk.store.rows(f"Reminder/{desk.owner(session_token)}").values()
    return {"reminders": [dict(reminder) for reminder in reminders]}


def _reminder(desk: Desk, session_token: Any, reminder_id: Any) -> tuple[str, Row]:
    owner = desk.owner(session_token)
    table = f"Reminder/{owner}"
    if not desk.store.exists(table):
        raise KeyError(owner)
    return table, _row(desk, table, reminder_id, f"Reminder {reminder_id} not found in database")


def _row(desk: Desk, table: str, name: Any, missing: str) -> Row:
    row = desk.store.get(table, name)
    if row is None:
        raise ToolError(missing)
    return row


# mail and messages ---------------------------------------------------------------------------------------------------


def _newest(
    desk: Desk, rows: Iterable[Row], when: str, texts: tuple[str, ...], asked: tuple[Any, ...]
) -> list[dict[str, Any]]:
    """The newest five rows up to now that pass every filter. `when` names the moment field, `texts` the others."""
    query, match_type, sender, start_date, end_date = asked
    if all(value is None for value in (query, sender, start_date, end_date)):
        raise ToolError("At least one of query, sender, start_date, end_date must be provided.")
    _check(match_type in ("any", "all"), 'match_type must be either "any" or "all".')
    low, high = _bounds(start_date, end_date, MOMENT, "Start date must be earlier than end date.")
    keywords = query.lower().split() if query else None
    enough = any if match_type == "any" else all

    def passes(row: Row) -> bool:
        sent = moment(row[when])
        if sent > desk.now or not between(sent, low, high) or (sender is not None and row["sender"] != sender):
            return False
        return keywords is None or enough(any(word in row[text].lower() for text in texts) for word in keywords)

    passing = (dict(row) for row in rows if passes(row))
    return sorted(passing, key=lambda row: moment(row[when]), reverse=True)[:5]


def search_inbox(
    desk: Desk,
    /,
    session_token: Any,
    query: Any = None,
    match_type: Any = "any",
    sender: Any = None,
    start_date: Any = None,
    end_date: Any = None,
) -> dict[str, Any]:
    """Find mails by keyword, sender and date: the newest five. An empty mailbox answers before anything is checked."""
    rows = desk.store.rows(f"Email/{desk.owner(session_token)}")
    if not rows:
        return {"emails": []}
    asked = (query, match_type, sender, start_date, end_date)
    return {"emails": _newest(desk, rows.values(), "date", ("body", "subject"), asked)}


def send_email(desk: Desk, /, session_token: Any, to: Any, subject: Any, body: Any) -> dict[str, Any]:
    """Send a mail."""
    owner = desk.owner(session_token)
    for address in to:
        _check(re.match(_ADDRESS, address), f"{address} is not a valid email address.")
    email_id = desk.draw("SendEmail", 2, 4, 8)
    desk.store.put(f"SentEmail/{owner}", email_id, {"to": list(to), "subject": subject, "body": body})
    return {"email_id": email_id}


def search_messages(
    desk: Desk,
    /,
    session_token: Any,
    query: Any = None,
    match_type: Any = "any",
    sender: Any = None,
    start_date: Any = None,
    end_date: Any = None,
) -> dict[str, Any]:
    """Find messages by keyword, sender and date: the newest five."""
    table = f"Message/{desk.owner(session_token)}"
    if not desk.store.exists(table):
        return {"messages": []}
    asked = (query, match_type, sender, start_date, end_date)
    return {"messages": _newest(desk, desk.store.rows(table).values(), "timestamp", ("message",), asked)}


def send_message(desk: Desk, /, session_token: Any, receiver: Any, message: Any) -> dict[str, Any]:
    """Send a message."""
    owner = desk.owner(session_token)
    _check(message != "", "Message cannot be empty.")
    message_id = desk.draw("SendMessage", 8, 8)
    desk.store.put(f"SentMessage/{owner}", message_id, {"receiver": receiver, "message": message})
    return {"message_id": message_id}


# weather -------------------------------------------------------------------------------------------------------------


def current_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """Today's weather."""
    return {"weather": _days(desk, location, 0)[0]}


def forecast_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """The weather of the next three days."""
    return {"forecast": _days(desk, location, 1, 2, 3)}


def historic_weather(desk: Desk, /, location: Any, month: Any) -> dict[str, Any]:
    """What a month is like in a place."""
    months, wanted = _city(desk, "HistoricWeather", location), month.lower()
    _check(wanted in months, f"Historic weather data for {location.lower().strip()} missing for month {wanted}")
    return {"weather": dict(months[wanted])}


def _city(desk: Desk, table: str, location: Any) -> dict[str, Row]:
    city = location.lower().strip()
    _check(desk.store.exists(f"{table}/{city}"), f"Location {city} not found in database")
    return desk.store.rows(f"{table}/{city}")


def _days(desk: Desk, location: Any, *ahead: int) -> list[dict[str, Any]]:
    days, today = _city(desk, "Weather", location), desk.now.date()
    return [dict(days[(today + timedelta(days=days_ahead)).isoformat()]) for days_ahead in ahead]
