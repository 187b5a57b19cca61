"""Weather: now, the next three days, and by month of the year. Tables: `Weather/<city>`, `HistoricWeather/<city>`.

Cities are in lower case; a day that the table of a city lacks is a KeyError.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from toologue.worlds.assistant.desk import Desk, check
from toologue.worlds.store import Row


def current_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """Today's weather."""
    return {"weather": _days(desk, location, 0)[0]}


def forecast_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """The weather of the next three days."""
    return {"forecast": _days(desk, location, 1, 2, 3)}


def historic_weather(desk: Desk, /, location: Any, month: Any) -> dict[str, Any]:
    """What a month is like in a place."""
    months, wanted = _city(desk, "HistoricWeather", location), month.lower()
    check(wanted in months, f"Historic weather data for {location.lower().strip()} missing for month {wanted}")
    return {"weather": dict(months[wanted])}


def _city(desk: Desk, table: str, location: Any) -> dict[str, Row]:
    city = location.lower().strip()
    check(desk.store.exists(f"{table}/{city}"), f"Location {city} not found in database")
    return desk.store.rows(f"{table}/{city}")


def _days(desk: Desk, location: Any, *ahead: int) -> list[dict[str, Any]]:
    days, today = _city(desk, "Weather", location), desk.now.date()
    return [dict(days[(today + timedelta(days=days_ahead)).isoformat()]) for days_ahead in ahead]
