"""Weather: now, the next three days, and by month of the year. Tables: `Weather/<city>`, `HistoricWeather/<city>`.

City names are compared in lower case without outer spaces. A day that the table lacks is a KeyError, as published.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import Desk
from toologue.worlds.store import Row


def current_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """Today's weather."""
    days = _city(desk, "Weather", location)
    return {"weather": _day(days, desk.now.date())}


def forecast_weather(desk: Desk, /, location: Any) -> dict[str, Any]:
    """The weather of the next three days."""
    days = _city(desk, "Weather", location)
    today = desk.now.date()
    return {"forecast": [_day(days, today + timedelta(days=ahead)) for ahead in (1, 2, 3)]}


def historic_weather(desk: Desk, /, location: Any, month: Any) -> dict[str, Any]:
    """What a month is like in a place."""
    months = _city(desk, "HistoricWeather", location)
    if month.lower() not in months:
        raise ToolError(f"Historic weather data for {_plain(location)} missing for month {month.lower()}")
    return {"weather": dict(months[month.lower()])}


def _city(desk: Desk, table: str, location: Any) -> dict[str, Row]:
    name = f"{table}/{_plain(location)}"
    if not desk.store.exists(name):
        raise ToolError(f"Location {_plain(location)} not found in database")
    return desk.store.rows(name)


def _plain(location: Any) -> str:
    return location.lower().strip()


def _day(days: dict[str, Row], day: date) -> dict[str, Any]:
    return dict(days[day.isoformat()])
