"""Apis of a travel desk: a set of documents that the bank of phrases has never seen."""

from __future__ import annotations

from typing import Any

from toologue.schema import Api, Parameter


def api(name: str, domain: str, takes: dict[str, str], gives: dict[str, Any], **more: Any) -> Api:
    parameters = {key: Parameter(json_schema={"type": "string", "description": said}) for key, said in takes.items()}
    return Api(name=name, domain=domain, parameters=parameters, returns=gives, **more)


def text(said: str) -> dict[str, str]:
    return {"type": "string", "description": said}


def rows(name: str, /, **fields: dict[str, str]) -> dict[str, Any]:
    return {"properties": {name: {"type": "array", "items": {"type": "object", "properties": fields}}}}


TRAVEL = (
    api("FindTrains", "Trains", {"city": "Where to."}, rows("trains", id=text("Number."), day=text("YYYY-MM-DD"))),
    api("BookSeat", "Trains", {"train_id": "Number."}, {"properties": {"seat_id": text("Seat.")}}, writes=True),
    api("CancelSeat", "Trains", {"seat_id": "Seat."}, {"properties": {"status": text("ok")}}, writes=True),
    api("FindShows", "Shows", {"city": "Where."}, rows("shows", show_id=text("Show."), venue=text("House."))),
    api("BuyTicket", "Shows", {"show_id": "Show."}, {"properties": {"status": text("ok")}}, writes=True),
    api("FindHotels", "Hotels", {"city": "Where."}, rows("hotels", hotel_id=text("Hotel."), city=text("City."))),
    api("BookHotel", "Hotels", {"hotel_id": "Hotel.", "from": "YYYY-MM-DD"}, {"properties": {}}, writes=True),
)
