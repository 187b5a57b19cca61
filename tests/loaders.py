"""Every loader of what users and others write: a file that it accepts, and what reads it."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.papers_xml import conversations_xml
from tests.tooldial_record import record_of
from toologue import bench
from toologue.agents.predictions import read_predictions
from toologue.apis.load import apis_of_all
from toologue.bench.dialog2api.files import read_yaml as read_programs
from toologue.bench.tooltalk.conversations import conversations_in, starter
from toologue.data import read_source, text_of
from toologue.errors import UserError
from toologue.formats import almita, dialog2api, literals, tooldial, tooltalk
from toologue.formats.flow import read_flow_text, write_flow_text
from toologue.formats.openai import from_messages, to_messages
from toologue.formats.procedure import load as load_procedure
from toologue.plan.api_graph.check import Checked, Verdict
from toologue.plan.api_graph.rules import PUBLISHED, About, read_about
from toologue.plan.chains.catalog import Catalog
from toologue.plan.procedures import files
from toologue.plan.procedures.lint_procedure import lint
from toologue.plan.procedures.service import service
from toologue.procedure.flowgraph import flowgraph
from toologue.project.settings import read_settings
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import (
    AgentTurn,
    Api,
    Cue,
    Dialogue,
    Edge,
    Plan,
    Scenario,
    Score,
    Similarities,
    State,
    Trace,
    UserTurn,
    Walk,
)
from toologue.schema.jsonl import Record, line_of, read
from toologue.worlds.crud.simulator import files_of
from toologue.worlds.named import setting_of
from toologue.worlds.s3 import account

Load = Callable[[Path], object]
SAID = Dialogue(id="a", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello. What is it?"), UserTurn(text="Bye")))
LABELLED = Dialogue(
    id="a",
    turns=(
        UserTurn(text="Hi", action="inform_intent_clear"),
        AgentTurn(text="Which?", action="request", state=State(api="A", required={"b": "c"})),
        UserTurn(text="Bye", action="user_bye"),
        AgentTurn(text="Bye", action="system_bye", state=State()),
    ),
)
PROCEDURE, (DOCUMENT, SEED) = files()["add-baggage"], files_of("shop", None)
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
RAPID = {"tool_name": "T", "api_list": [{"name": "A", "description": "d", "required_parameters": [], "method": "GET"}]}
PREDICTED = {"name": "a", "predictions": [{"turn_index": 1, "calls": [{"api_name": "A", "arguments": {"b": 1}}]}]}
TALKED = {
    "name": "n", "conversation_id": "1", "suites_used": [], "apis_used": [], "scenario": "s",
    "user": {"username": "u"}, "metadata": {"location": "x", "timestamp": "2023-01-01 00:00:00", "username": "u"},
    "conversation": [{"index": 0, "role": "user", "text": "hi"}, {"index": 1, "role": "assistant", "text": "yes"}],
}  # fmt: skip
SETTINGS = b'apis = "shop.yaml"\nagents = ["procedure"]\n[run]\ntimeout = 5\n[gate]\nfail_under = 0.5\n'
PARTS = ("run.json", "dialogues.jsonl", "traces.jsonl")
_STEP = b"#. **Ask** it, as often as it is not yet certain that they have understood what is asked. Collect `it#`.\n"
_ROW = b"""  T-#:
    {customer_id: C-2057, order_id: O-10402, team: logistics, status: open, created_at: 2025-03-11T08:20:00Z,
    summary: The replacement is late. It was to be there on Monday.}
"""
_OBJECT = b"  - {key: k#, modified: 2024-05-14T11:02:00Z, content: It}\n"
_SAYS = b', {"index": #, "role": "user", "text": "hi"}, {"index": #, "role": "assistant", "text": "yes"}'
_OPENAPI = b'openapi: 3.0.0\ninfo: {title: Shop, version: "1"}\npaths:\n'
_PATH = b'  /a#:\n    get:\n      operationId: get_a#\n      responses: {"200": {description: ok}}\n'
STACKED = '<goal uid="1" status="final">\n<program>\nx = 1\n</program>\n</goal>'


class Loader(NamedTuple):
    """A file, what it accepts, what reads it, and a large one of so many bytes, which it accepts but for `refused`."""

    file: str
    sample: bytes
    load: Load
    large: Callable[[int], bytes]
    refused: bool = False


def many(unit: bytes, head: bytes = b"", tail: bytes = b"", first: int = 1) -> Callable[[int], bytes]:
    """What makes a file of this unit, repeated between head and tail; `#` is its number, in the tail the next one."""

    def large(size: int) -> bytes:
        end = first + 1 + size // (len(unit) + 4 * unit.count(b"#"))
        units = b"".join(unit.replace(b"#", b"%d" % number) for number in range(first, end))
        return head + units + tail.replace(b"#", b"%d" % end)

    return large


def loaders(folder: Path) -> dict[str, Loader]:
    """All of them; `folder` is for what some need beside their file."""
    run_folder(folder / "run", starter()[:2], Config(agent="gold"))
    return {**_nouns(), **_folders(folder), **_procedures(), **_documents(), **_conversations(folder), **_settings()}


def _nouns() -> dict[str, Loader]:
    talk, apis, procedure = starter()[0], apis_of_all([DOCUMENT])[:2], load_procedure(PROCEDURE)
    edge = Edge(
        source="a", output="b", target="c", parameter="d", similarity=Similarities(lcs=1, keyword=1, description=1)
    )
    records: list[Record] = [
        talk, apis[0], edge, procedure, flowgraph(procedure),
        Checked(edge=edge, verdict=Verdict(valid=True, reason="same thing", stage="meaning")),
        Scenario(id="a", text="b", calls=("c",)), Walk(graph="g", nodes=("a", "b"), links=("c",)),
        Plan(dialogue=SAID, cues=(Cue(move="say"),) * 3), Score(metric="m", dialogue="d", counts={"a": 1}, value=0.5),
        Trace(case="0" * 16, dialogue=talk.id, protocol="forced", agent="gold", turns=talk.turns),
    ]  # fmt: skip
    lines = {type(one): line_of(one) for one in records}
    found = {kind.__name__: Loader("a.jsonl", line, _reading(kind), many(line)) for kind, line in lines.items()}
    about = line_of(
        About(rules="best", embedder="e", vectors="v", thresholds=PUBLISHED._asdict(), survivors={}, left_out={})
    )
    named = _numbered(lines[Api], b'"name":"' + apis[0].name.encode() + b'"')
    return {
        **found,
        "about.json": Loader(
            "g.about.json", about, lambda file: read_about(file.with_name("g.jsonl")),
            many(b'"reason # for which an entity takes no part":1,', about.removesuffix(b"}}\n"), b'"z":1}}\n'),
        ),
        "catalog": Loader("apis.jsonl", b"".join(map(line_of, apis)), _catalog, many(named)),
    }  # fmt: skip


def _folders(folder: Path) -> dict[str, Loader]:
    """Parts of a run folder; beside a large part, the others are as large."""
    beside = [folder / "run"]

    def lived(file: Path) -> None:
        for part in PARTS:
            if part != file.name:
                file.with_name(part).write_bytes((beside[0] / part).read_bytes())
        found = RunFolder(file.parent)
        _ = found.config
        _all(found.pairs())

    def grown(part: str, size: int) -> bytes:
        beside[0], talk = folder / f"run{size}", starter()[0]
        talks = (talk.replace(id=f"{talk.id}{number}") for number in range(1 + size // len(line_of(talk))))
        if not beside[0].exists():
            run_folder(beside[0], talks, Config(agent="gold"))
        data = (beside[0] / part).read_bytes()
        return data.replace(b'"gold"', b'"%s"' % (b"a" * size)) if part == "run.json" else data

    samples = {part: (folder / "run" / part).read_bytes() for part in PARTS}
    return {f"run, {part}": Loader(part, sample, lived, partial(grown, part)) for part, sample in samples.items()}


def _procedures() -> dict[str, Loader]:
    graph = flowgraph(load_procedure(PROCEDURE))
    steps = many(_STEP, b"# T\n\n", b"#. **End**: done.\n")
    flow = write_flow_text(graph).encode()
    return {
        "Markdown": Loader("a.md", PROCEDURE.read_bytes(), load_procedure, steps),
        "Markdown, no end": Loader("a.md", PROCEDURE.read_bytes(), load_procedure, many(_STEP, b"# T\n"), refused=True),
        "lint": Loader("a.md", PROCEDURE.read_bytes(), _text(lint), many(b"if so, contact the team and ")),
        "lint, steps": Loader("a.md", PROCEDURE.read_bytes(), _text(lint), steps),
        "flow text": Loader("a.flow", flow, _text(read_flow_text), many(b"[N#](message){a}\n")),
    }  # fmt: skip


def _documents() -> dict[str, Loader]:
    assert SEED is not None
    document, rows, buckets = DOCUMENT.read_bytes(), SEED.read_bytes(), _shipped(account, "account.yaml")
    listed = b'"/a#": {"get": {"operationId": "get_a#", "responses": {"200": {"description": "ok"}}}}'
    openapi = b'{"openapi": "3.0.0", "info": {"title": "Shop", "version": "1"}, "paths": {'
    return {
        "OpenAPI, YAML": Loader("shop.yaml", document, _apis, many(_PATH, _OPENAPI)),
        "OpenAPI, JSON": Loader(
            "shop.json", _json(yaml.safe_load(document)), _apis, many(listed + b", ", openapi, listed + b"}}")
        ),
        "tools": Loader("tools.json", _json([TOOL]), _apis, _listed(TOOL, b'"f"')),
        "RapidAPI": Loader("rapid.json", _json([RAPID]), _apis, _listed(RAPID, b'"T"')),
        "rows": Loader("rows.yaml", rows, _service, many(_ROW, rows, first=1000)),
        "account": Loader(
            "s3.yaml",
            buckets,
            lambda file: account.load_account(str(file)),
            many(_OBJECT, *_after(buckets, b"  objects:\n")),
        ),
    }  # fmt: skip


def _conversations(folder: Path) -> dict[str, Loader]:
    messages = _json(to_messages(SAID))
    of_almita = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    row = f'#,"{json.dumps(of_almita).replace(chr(34), chr(34) * 2)}"\n'.encode()
    talk = _json({"conversation": of_almita}) + b"\n"
    xml = conversations_xml([SAID]).encode()
    stacked = STACKED.encode()
    conversation = re.search(rb"<conversation uid.*</conversation>\n", xml, re.DOTALL)
    assert conversation
    calls, programs = _first("tooltalk/conversations"), _first("dialog2api/test")
    said, talked, predicted = line_of(SAID), _json(TALKED), _json(PREDICTED) + b"\n"

    def read_messages(file: Path) -> object:
        return from_messages(read_source(file).data, id="a")

    def read_almita(file: Path) -> None:
        _all(almita.read_conversations(file))

    def read_tooldial(file: Path) -> None:
        _all(tooldial.read_tooldial(file))

    def read_tooltalk(file: Path) -> object:
        return tooltalk.read_conversation(file, split="easy", databases=str(folder))

    def read_calls(file: Path) -> None:
        _all(conversations_in([file]))

    read_output = _text(dialog2api.read_output)
    value, call = _refusing(literals.value_of), _refusing(literals.call_of)
    a_value, a_call = b"{'id': 7, \"ok\": [true, None]}", b'get(id=812, of=[1, {"a": 2}])'
    return {
        "messages": Loader("m.json", messages, read_messages, _listed(to_messages(SAID)[0], b'"Hi"')),
        "calls, YAML": Loader("a.yaml", calls, read_calls, many(b"- user: Is it #?\n- agent: It is.\n", calls)),
        "programs, YAML": Loader(
            "append-todo-1.yaml", programs, read_programs, many(b"- user: Is it #?\n- agent: It is.\n", programs)
        ),
        "ALMITA, JSONL": Loader("a.jsonl", talk, read_almita, many(talk)),
        "ALMITA, CSV": Loader("a.csv", b"id,conversation\n" + row, read_almita, many(row, b"id,conversation\n")),
        "ToolDial": Loader("d.json", _json([record_of(LABELLED)]), read_tooldial, _listed(record_of(LABELLED))),
        "ToolTalk": Loader("t.json", talked, read_tooltalk, many(_SAYS, talked.removesuffix(b"]}"), b"]}")),
        "Dialog2API": Loader(
            "c.xml", xml, dialog2api.read_conversations,
            many(conversation[0].replace(b'uid="a"', b'uid="a#"'), *_around(xml, conversation[0])),
        ),
        "Dialog2API, no end": Loader(
            "c.xml", xml, dialog2api.read_conversations, many(b"a", b"<goal ", b">"), refused=True
        ),
        "Dialog2API, answer": Loader("o.xml", stacked, read_output, many(stacked.replace(b"1", b"#", 1) + b"\n")),
        "Dialog2API, ends": Loader("o.xml", stacked, read_output, many(b"</turn><goal a")),
        "predictions": Loader("p.jsonl", predicted, read_predictions, many(_numbered(predicted, b'"a"'))),
        "value": Loader("v.txt", a_value, value, many(b"{'a': 1}, ", b"[", b"]")),
        "value, no end": Loader("v.txt", a_value, value, many(b"[{'a': 1}], "), refused=True),
        "long message": Loader("a.jsonl", said, _reading(Dialogue), many(b"a b ", *_around(said, b"Hello"))),
        "long program": Loader("o.xml", stacked, read_output, many(b"x < y & ", *_around(stacked, b"x = 1"))),
        "call": Loader("v.txt", a_call, call, many(b"1, ", b"a(b=[", b"])")),
        "call, no end": Loader("v.txt", a_call, call, many(b"a(b=[1, "), refused=True),
    }  # fmt: skip


def _settings() -> dict[str, Loader]:
    large = many(b"'a', ", *_around(SETTINGS, b'"procedure"'))
    return {"settings": Loader("toologue.toml", SETTINGS, _text(read_settings), large)}


def _listed(record: object, name: bytes = b"") -> Callable[[int], bytes]:
    """A JSON list of such records, each with its number in its name."""
    one = _json(record)
    return many((_numbered(one, name) if name else one) + b", ", b"[", one + b"]")


def _numbered(record: bytes, name: bytes) -> bytes:
    return record.replace(name, name[:-1] + b'#"', 1)


def _around(text: bytes, at: bytes) -> tuple[bytes, bytes]:
    before, _, after = text.partition(at)
    return before, after


def _after(text: bytes, at: bytes) -> tuple[bytes, bytes]:
    before, after = _around(text, at)
    return before + at, after


def _all(found: Iterable[object]) -> None:
    deque(found, maxlen=0)


def _reading(kind: type[Record]) -> Load:
    return lambda file: _all(read(file, kind))


def _apis(file: Path) -> object:
    return apis_of_all([file])


def _service(file: Path) -> object:
    return service(setting_of(DOCUMENT, file))


def _catalog(file: Path) -> None:
    catalog = Catalog(file)
    _all(map(catalog.api, catalog))


def _text(read_text: Callable[[str], object]) -> Load:
    return lambda file: read_text(text_of(file))


def _refusing(read_text: Callable[[str], object]) -> Load:
    """What raises ValueError by its contract: a refusal like any other."""

    def load(file: Path) -> None:
        try:
            read_text(text_of(file))
        except ValueError as error:
            raise UserError(str(error)) from None

    return load


def _json(value: object) -> bytes:
    return json.dumps(value, default=str).encode()


def _shipped(beside: object, file: str) -> bytes:
    return Path(str(beside.__file__)).parent.joinpath(file).read_bytes()  # type: ignore[attr-defined]


def _first(folder: str) -> bytes:
    return min(Path(str(bench.__file__)).parent.joinpath(folder).rglob("*.yaml")).read_bytes()
