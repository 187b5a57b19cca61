"""Documents as vendors write them, small ones of our own: envelopes, forms, references, scopes, wrapped bodies."""

from __future__ import annotations

from typing import Any

_REF: dict[str, Any] = {"type": "string"}


def _answers(schema: Any) -> dict[str, Any]:
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def _operation(name: str, answer: Any = None, *, form: Any = None, query: Any = None, path: str = "") -> dict[str, Any]:
    """An operation; `form` is sent as a form, `path` names the parameters of the path."""
    given = [{"name": one, "in": "path", "required": True, "schema": _REF} for one in path.split()]
    given += [{"name": one, "in": "query", "schema": schema} for one, schema in (query or {}).items()]
    body = {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": form}}}} if form else {}
    return {"operationId": name, "parameters": given, "responses": _answers(answer or {}), **body}


def _object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties}


def _component(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str) -> dict[str, Any]:
    rows = {"type": "array", "items": _component(name)}
    return _object(
        "object data has_more url", object={"enum": ["list"]}, data=rows, has_more={"type": "boolean"}, url=_REF
    )


# Payments: lists as objects, a path parameter called as the thing, references that may be whole rows, forms.
PAYMENTS: dict[str, Any] = {
    "openapi": "3.0.0",
    "info": {"title": "Till", "version": "1"},
    "paths": {
        "/v1/charges": {
            "get": _operation("ListCharges", _list("charge"), query={"limit": {"type": "integer"}, "expand": {}}),
            "post": _operation(
                "CreateCharge",
                _component("charge"),
                form=_object("amount", amount={"type": "integer"}, currency=_REF, note=_REF),
            ),
        },
        "/v1/charges/{charge}": {
            "get": _operation("GetCharge", _component("charge"), path="charge"),
            "post": _operation("UpdateCharge", _component("charge"), path="charge", form=_object(note=_REF)),
        },
        "/v1/charges/{charge}/capture": {"post": _operation("CaptureCharge", _component("charge"), path="charge")},
        "/v1/refunds": {
            "get": _operation("ListRefunds", _list("refund")),
            "post": _operation("CreateRefund", _component("refund"), form=_object("charge", charge=_REF)),
        },
        "/v1/refunds/{refund}": {"get": _operation("GetRefund", _component("refund"), path="refund")},
        "/v1/balance": {"get": _operation("GetBalance", _object("available", available={"type": "integer"}))},
    },
    "components": {
        "schemas": {
            "charge": _object(
                "id object amount currency captured created",
                id=_REF,
                object={"enum": ["charge"]},
                amount={"type": "integer"},
                currency=_REF,
                captured={"type": "boolean"},
                created={"type": "integer", "format": "unix-time"},
                note={**_REF, "nullable": True},
            ),
            "refund": _object(
                "id object amount currency charge created",
                id=_REF,
                object={"enum": ["refund"]},
                amount={"type": "integer"},
                currency=_REF,
                created={"type": "integer"},
                charge={"anyOf": [_REF, _component("charge")]},
            ),
        }
    },
}

_TICKET = _object("ticket", ticket=_component("Ticket"))
_META = _object("total", total={"type": "integer"})
# A help desk: rows under a key of theirs, whole bodies under one too, lists beside `meta`.
DESK: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/api/v2/tickets.json": {
            "get": _operation(
                "ListTickets",
                _object("data meta", data={"type": "array", "items": _component("Ticket")}, meta=_META),
                query={"state": {"enum": ["open", "shut", "all"]}},
            ),
            "post": _operation("CreateTicket", _TICKET, form=_object("ticket", ticket=_component("NewTicket"))),
        },
        "/api/v2/tickets/{ticket_id}.json": {
            "get": _operation("GetTicket", _TICKET, path="ticket_id"),
            "delete": _operation(
                "DeleteTicket", _object("id deleted", id=_REF, deleted={"const": True}), path="ticket_id"
            ),
        },
    },
    "components": {
        "schemas": {
            "Ticket": _object("id subject state", id=_REF, subject=_REF, state=_REF),
            "NewTicket": _object("subject", subject=_REF),
        }
    },
}

# Code: what issues lie under is in the path alone; the key is called otherwise there.
FORGE: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/repos/{owner}/{repo}/issues": {
            "get": _operation("ListIssues", {"type": "array", "items": _component("issue")}, path="owner repo"),
            "post": _operation(
                "CreateIssue", _component("issue"), path="owner repo", form=_object("title", title=_REF)
            ),
        },
        "/repos/{owner}/{repo}/issues/{issue_number}": {
            "get": _operation("GetIssue", _component("issue"), path="owner repo issue_number"),
            "patch": _operation(
                "RetitleIssue", _component("issue"), path="owner repo issue_number", form=_object(title=_REF)
            ),
        },
        "/gists/{gist_id}/comments": {
            "get": _operation("ListGistNotes", {"type": "array", "items": _component("remark")}, path="gist_id"),
        },
        "/repos/{owner}/{repo}/comments": {
            "get": _operation("ListComments", {"type": "array", "items": _component("comment")}, path="owner repo"),
        },
    },
    "components": {
        "schemas": {
            "issue": _object("number title id", number={"type": "integer"}, title=_REF, id={"type": "integer"}),
            "comment": _object("id body author", id=_REF, body=_REF, author=_REF, path=_REF, line=_REF),
            "remark": _object("id words stars", id=_REF, words=_REF, stars={"type": "integer"}, size=_REF),
        }
    },
}

# Procedures: paths that end in verbs, keys in bodies.
_ROOM = _object("room_id name", room_id=_REF, name=_REF, is_archived={"type": "boolean", "default": False})


def _asking(operation: str, answer: Any, /, **asked: Any) -> dict[str, Any]:
    return {"post": _operation(operation, answer, form=_object(" ".join(asked), **asked))}


ROOMS: dict[str, Any] = {
    "openapi": "3.0.0",
    "info": {"title": "Rooms", "version": "1"},
    "paths": {
        "/rooms.create": _asking("create", _ROOM, name=_REF),
        "/rooms.list": {"get": _operation("list", _object("rooms", rooms={"type": "array", "items": _ROOM}))},
        "/rooms.info": {"get": _operation("info", _ROOM, query={"room_id": _REF})},
        "/rooms.update": _asking("update", _ROOM, room_id=_REF, name=_REF),
        "/rooms.archive": _asking("archive", _ROOM, room_id=_REF),
        "/rooms.unarchive": _asking("unarchive", _ROOM, room_id=_REF),
        "/rooms.delete": _asking("delete", _object("ok", ok={"type": "boolean"}), room_id=_REF),
        "/rooms.measure": _asking("measure", {"type": "number"}, room_id=_REF),
    },
}
# What a row has one of, what answers something else, and how an answer is written as a step of the path.
SHOPS: dict[str, Any] = {
    "openapi": "3.0.0",
    "info": {"title": "Shops", "version": "1"},
    "paths": {
        "/shops": {
            "get": _operation("list_shops", {"type": "array", "items": {"$ref": "#/components/schemas/shop"}}),
            "post": _operation("open_shop", _object("task", task={"type": "integer"}), form=_object("name", name=_REF)),
        },
        "/shops/{shop}/opening": {
            "get": _operation("get_opening", _object("days", days={"type": "integer"}), path="shop"),
            "put": _operation("put_opening", {}, path="shop", form=_object("days", days={"type": "integer"})),
        },
        "/shops/{shop}/json": {"get": _operation("get_shop", {"$ref": "#/components/schemas/shop"}, path="shop")},
    },
    "components": {"schemas": {"shop": _object("id", id=_REF, name=_REF)}},
}
