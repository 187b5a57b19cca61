"""Passwords and keys in worlds from documents: no answer shows them, no customer knows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crud_samples import do, value

from toologue.data import read_text
from toologue.plan.procedures.service import service
from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check
from toologue.worlds.named import setting_of

APPS: dict[str, Any] = read_text(
    """openapi: 3.1.0
info: {title: Apps, version: "1"}
paths:
  /apps:
    get: {operationId: list_apps, responses: {"200": {content: {application/json: {schema: {type: array, items: &app
      {$ref: "#/components/schemas/App"}}}}}}}
    post: {operationId: create_app, requestBody: &body {content: {application/json: {schema: *app}}}, responses: &one
      {"201": {content: {application/json: {schema: *app}}}}}
  /apps/{app_id}:
    parameters: [{name: app_id, in: path, required: true, schema: {type: string}}]
    get: {operationId: get_app, responses: *one}
    patch: {operationId: change_app, requestBody: *body, responses: *one}
components:
  schemas:
    App:
      type: object
      required: [app_id, name, client_secret, pin]
      properties:
        app_id: {type: string, readOnly: true}
        name: {type: string}
        client_secret: {type: string}
        pin: {type: string, format: password}
        recovery: {type: string, writeOnly: true}
        page_token: {type: string}
        grants: {type: array, items: {type: object, properties:
          {access_token: {type: string}, scope: {type: string, examples: [read]}}}}
""",
    "apps.yaml",
).data
GRANT = {"access_token": "tok-471", "scope": "read"}
ROW = {"app_id": "A-1", "name": "Till", "client_secret": "sec-471", "pin": "4711", "recovery": "blue"}
SEED = {"apps": [{**ROW, "page_token": "p2", "grants": [GRANT]}]}
SHOWN = {"app_id": "A-1", "name": "Till", "page_token": "p2", "grants": [{"scope": "read"}]}


def test_no_answer_shows_a_secret():
    world = Simulator(APPS, SEED).world()
    assert value(world, "get_app", app_id="A-1") == SHOWN
    assert value(world, "list_apps") == [SHOWN]
    made = value(world, "create_app", name="Desk", recovery="green", grants=[{"scope": "write"}])
    assert {*made} == {"app_id", "name", "grants"}
    assert value(world, "change_app", app_id="A-1", name="Safe") == {**SHOWN, "name": "Safe"}


def test_nobody_is_asked_for_one_and_documents_do_not_promise_any():
    made = Simulator(APPS, SEED)
    api = made.operations["create_app"].api
    assert [*api.parameters] == ["name", "recovery", "page_token", "grants"]
    assert "secret" not in str(api)
    assert "access_token" not in str(api)
    assert do(made.world(), "create_app", name="Desk", client_secret="mine").error.type == "invalid"
    assert check(made).accepted, "answers are as they are described"


def test_no_customer_knows_one(tmp_path: Path):
    (tmp_path / "apps.json").write_text(json.dumps(APPS))
    (tmp_path / "rows.json").write_text(json.dumps(SEED))
    rows = service(setting_of(tmp_path / "apps.json", tmp_path / "rows.json")).rows
    assert rows["apps"]["A-1"] == SHOWN
