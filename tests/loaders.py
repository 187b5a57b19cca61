"""Every loader of what users and others write: a file that it accepts, and what reads it."""

from __future__ import annotations

import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import yaml

from toologue import bench
from toologue.agents.predictions import read_predictions
from toologue.apis.load import apis_of_all
from toologue.bench.dialog2api.files import read_yaml as read_programs
from toologue.bench.tooltalk.conversations import conversations_in, starter
from toologue.data import read_source, text_of
from toologue.formats import almita, dialog2api, literals, tooldial, tooltalk
from toologue.formats.flow import read_flow_text, read_mermaid, write_flow_text, write_mermaid
from toologue.formats.openai import from_messages, to_messages
from toologue.formats.procedure import load as load_procedure
from toologue.plan.api_graph.check import Checked, Verdict
from toologue.plan.api_graph.rules import PUBLISHED, About, read_about
from toologue.plan.chains.catalog import Catalog
from toologue.plan.procedures import files
from toologue.plan.procedures.intents import intents, read_intents
from toologue.plan.procedures.lint_procedure import lint
from toologue.plan.procedures.service import service
from toologue.procedure.flowgraph import flowgraph
from toologue.project.settings import read_settings
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import (
    AgentTurn,
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
from toologue.text import bank
from toologue.worlds.crud.simulator import files_of
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
_OPENAPI = b'openapi: 3.0.0\ninfo: {title: Shop, version: "1"}\npaths:\n'
_PATH = b'  /a#:\n    get:\n      operationId: get_a#\n      responses: {"200": {description: ok}}\n'
STACKED = '<goal uid="1" status="final">\n<program>\nx = 1\n</program>\n</goal>'


class Loader(NamedTuple):
    """A file, what it accepts, what reads it. Between head and tail, units make a large one; `#` is their number."""

    file: str
    sample: bytes
    load: Load
    unit: bytes = b""
    head: bytes = b""
    tail: bytes = b""

    def large(self, size: int) -> bytes:
        """A file of about so many bytes."""
        unit = self.unit or self.sample
        units = (unit.replace(b"#", b"%d" % number) if self.unit else unit for number in range(1 + size // len(unit)))
        return self.head + b"".join(units) + self.tail


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
        Checked(edge=edge, verdict=Verdict(valid=True, reason="judged", stage="model")),
        Scenario(id="a", text="b", calls=("c",)), Walk(graph="g", nodes=("a", "b"), links=("c",)),
        Plan(dialogue=SAID, cues=(Cue(move="say"),) * 3), Score(metric="m", dialogue="d", counts={"a": 1}, value=0.5),
        Trace(case="0" * 16, dialogue=talk.id, protocol="forced", agent="gold", turns=talk.turns),
    ]  # fmt: skip
    found = {type(one).__name__: Loader("a.jsonl", line_of(one), _reading(type(one))) for one in records}
    about = About(rules="best", embedder="e", vectors="v", thresholds=PUBLISHED._asdict(), survivors={}, left_out={})
    found["about.json"] = Loader("g.about.json", line_of(about), lambda file: read_about(file.with_name("g.jsonl")))
    found["catalog"] = Loader("apis.jsonl", b"".join(map(line_of, apis)), _catalog)
    return found


def _folders(folder: Path) -> dict[str, Loader]:
    def lived(file: Path) -> None:
        for part in ("run.json", "dialogues.jsonl", "traces.jsonl"):
            if part != file.name:
                file.with_name(part).write_bytes((folder / "run" / part).read_bytes())
        found = RunFolder(file.parent)
        _ = found.config
        _all(found.pairs())

    parts = ("run.json", "dialogues.jsonl", "traces.jsonl")
    return {f"run, {part}": Loader(part, (folder / "run" / part).read_bytes(), lived) for part in parts}


def _procedures() -> dict[str, Loader]:
    graph = flowgraph(load_procedure(PROCEDURE))
    return {
        "Markdown": Loader(
            "a.md", PROCEDURE.read_bytes(), load_procedure, b"#. **Ask** it. Collect `it#`.\n", b"# T\n"
        ),
        "lint": Loader("a.md", PROCEDURE.read_bytes(), _text(lint), b"if so, contact the team and "),
        "flow text": Loader("a.flow", write_flow_text(graph).encode(), _text(read_flow_text), b"[N#](message){a}\n"),
        "Mermaid": Loader("a.mmd", write_mermaid(graph).encode(), _text(read_mermaid), b"a#[A] --> b#\n", b"graph\n"),
        "intents": Loader("i.yaml", _yaml([one.model_dump(mode="json") for one in intents()[:2]]), read_intents),
        "phrases": Loader(
            "agent.yaml", _shipped(bank, "banks/agent.yaml"), lambda file: bank.read_phrases(file.parent)
        ),
    }


def _documents() -> dict[str, Loader]:
    assert SEED is not None
    document = DOCUMENT.read_bytes()
    return {
        "OpenAPI, YAML": Loader("shop.yaml", document, _apis, _PATH, _OPENAPI),
        "OpenAPI, JSON": Loader("shop.json", _json(yaml.safe_load(document)), _apis),
        "tools": Loader("tools.json", _json([TOOL]), _apis, *_listed(TOOL, b'"f"')),
        "RapidAPI": Loader("rapid.json", _json([RAPID]), _apis, *_listed(RAPID, b'"T"')),
        "rows": Loader("rows.yaml", SEED.read_bytes(), lambda file: service(DOCUMENT, file)),
        "account": Loader("s3.yaml", _shipped(account, "account.yaml"), lambda file: account.load_account(str(file))),
    }


def _conversations(folder: Path) -> dict[str, Loader]:
    messages, of_almita = to_messages(SAID), almita.to_messages(SAID)
    csv = f'id,conversation\n1,"{json.dumps(of_almita).replace(chr(34), chr(34) * 2)}"\n'.encode()
    xml = dialog2api.conversations_xml([SAID]).encode()
    sample = f"<def>x</def>\n<stack>\n{STACKED}\n</stack>\n<turn>user: hi</turn>\n<output>\n</output>".encode()

    message = _around(line_of(SAID), b"Hello")
    program = _around(STACKED.encode(), b"x = 1")

    def read_messages(file: Path) -> object:
        return from_messages(read_source(file).data, id="a")

    def read_almita(file: Path) -> None:
        _all(almita.read_conversations(file))

    def read_tooldial(file: Path) -> None:
        _all(tooldial.read_tooldial(file))

    def read_tooltalk(file: Path) -> object:
        return tooltalk.read_conversation(file, split="easy", databases=str(folder))

    return {
        "messages": Loader("m.json", _json(messages), read_messages, *_listed(messages[0], b'"Hi"')),
        "calls, YAML": Loader("a.yaml", _first("tooltalk/conversations"), lambda file: _all(conversations_in([file]))),
        "programs, YAML": Loader("append-todo-1.yaml", _first("dialog2api/test"), read_programs),
        "ALMITA, JSONL": Loader("a.jsonl", _json({"conversation": of_almita}) + b"\n", read_almita),
        "ALMITA, CSV": Loader("a.csv", csv, read_almita),
        "ToolDial": Loader("d.json", _json([tooldial.to_tooldial(LABELLED)]), read_tooldial),
        "ToolTalk": Loader("t.json", _json(TALKED), read_tooltalk),
        "Dialog2API": Loader("c.xml", xml, dialog2api.read_conversations, b"a", b"<goal ", b">"),
        "Dialog2API, sample": Loader("s.xml", sample, _text(dialog2api.read_sample), b"<goal "),
        "Dialog2API, answer": Loader("o.xml", STACKED.encode(), _text(dialog2api.read_output), b"</turn><goal a"),
        "predictions": Loader("p.jsonl", _json(PREDICTED) + b"\n", read_predictions),
        "value": Loader("v.txt", b"{'id': 7, \"ok\": [true, None]}", _refusing(literals.value_of), b"[{'a': 1}], "),
        "long message": Loader("a.jsonl", line_of(SAID), _reading(Dialogue), b"a b ", *message),
        "long program": Loader("o.xml", STACKED.encode(), _text(dialog2api.read_output), b"x < y & ", *program),
        "call": Loader("v.txt", b'get(id=812, of=[1, {"a": 2}])', _refusing(literals.call_of), b"a(b=[1, "),
    }


def _settings() -> dict[str, Loader]:
    return {"settings": Loader("toologue.toml", SETTINGS, _text(read_settings), b"'a', ", b"agents = [", b"]\n")}


def _listed(record: object, name: bytes) -> tuple[bytes, bytes, bytes]:
    """Unit, head and tail of a JSON list of such records, each with its number in its name."""
    one = _json(record)
    return one.replace(name, name[:-1] + b'#"') + b", ", b"[", one + b"]"


def _around(text: bytes, at: bytes) -> tuple[bytes, bytes]:
    before, _, after = text.partition(at)
    return before, after


def _all(found: Iterable[object]) -> None:
    deque(found, maxlen=0)


def _reading(kind: type[Record]) -> Load:
    return lambda file: _all(read(file, kind))


def _apis(file: Path) -> object:
    return apis_of_all([file])


def _catalog(file: Path) -> None:
    catalog = Catalog(file)
    _all(map(catalog.api, catalog))


def _text(read_text: Callable[[str], object]) -> Load:
    return lambda file: read_text(text_of(file))


def _refusing(read_text: Callable[[str], object]) -> Load:
    """What raises ValueError by its contract: a refusal like any other."""

    def load(file: Path) -> None:
        with contextlib.suppress(ValueError):
            read_text(text_of(file))

    return load


def _yaml(value: object) -> bytes:
    return yaml.safe_dump(value, allow_unicode=True).encode()


def _json(value: object) -> bytes:
    return json.dumps(value, default=str).encode()


def _shipped(beside: object, file: str) -> bytes:
    return Path(str(beside.__file__)).parent.joinpath(file).read_bytes()  # type: ignore[attr-defined]


def _first(folder: str) -> bytes:
    return min(Path(str(bench.__file__)).parent.joinpath(folder).rglob("*.yaml")).read_bytes()
