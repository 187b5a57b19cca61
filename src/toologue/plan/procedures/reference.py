"""What a model is told of a service: its operations, the types of what they give, each once, and what is stored.

A type is what lies in a result, or in a row: the same names of fields, the same type. It is told with the fields that
conditions can test and that the prose has words for; of the others, the names. Only tables that the operations touch
are told of.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from toologue.limits import cut
from toologue.models.ask import bullets
from toologue.plan.procedures.service import Service
from toologue.schema import Api, Call
from toologue.schema.jsonl import leaves
from toologue.text.tokens import singular, stem, words_of
from toologue.values.json_schema import described, items_of, list_of, object_of, properties_of, required_of, types_of
from toologue.worlds.crud.data import fault_type
from toologue.worlds.crud.simulator import Simulator
from toologue.worlds.crud.tables import Table
from toologue.worlds.store import Row

# So much of a description, of a kind, of a row and of the keys of a table is told.
_WORDS, _KIND, _ROW = 300, 300, 500
# So many fields with their kinds, and names of others; so deep in a result, types that the prose has no word for.
_FIELDS, _NAMES, _DEEP = 28, 30, 2
_ROWS, _FEW, _WHOLE = 2, 8, 1500
# A longest length that says nothing; an object of so few plain fields is told where it stands.
_LONG, _SMALL = 200, 4
_TAG = re.compile(r"</?\w+[^>]*>")


class Reference(NamedTuple):
    """Operations, types, what is stored: texts for a prompt."""

    operations: str = ""
    types: str = ""
    stored: str = ""


def reference(
    apis: Iterable[Api], *, simulator: Simulator | None = None, service: Service | None = None, words: str = ""
) -> Reference:
    """What a model is told. `service`: whose rows it is told; `words`: the prose, whose words choose fields."""
    told = _Types(simulator.tables if simulator else {}, words)
    operations = "\n\n".join([_operation(api, told, simulator, service) for api in apis])
    tables = _touched(simulator, told) if simulator else []
    stored = "" if service is None else "\n".join([f"now: {service.now}", *_stored(service, tables, told)])
    return Reference(operations, told.text(), stored)


def refusals(simulator: Simulator, name: str) -> list[str]:
    """What an operation of a document is said to refuse, in the words of failures; its rules."""
    one = simulator.operations[name]
    said = [
        f"{fault_type(int(code))}: {_words(words)}"
        for code, words in one.faults.items()
        if code.isdecimal() and code not in ("401", "429") and code < "500"
    ]
    return said + ([f"its rules: {_json(rule)}"] if (rule := one.extensions.get("x-action")) else [])


def _operation(api: Api, told: _Types, simulator: Simulator | None, service: Service | None) -> str:
    writes = " (changes what is stored)" if api.writes else ""
    takes = [
        f"{name}: {told.kind(one.json_schema, name)}, {'required' if one.required else 'may be left out'}"
        + (f". {_words(said)}" if isinstance(said := one.json_schema.get("description"), str) and said else "")
        for name, one in api.parameters.items()
    ]
    fails = refusals(simulator, api.name) if simulator else []
    gives = told.kind(api.returns, api.name) if api.returns else _executed(api, service) if service else ""
    parts = {"takes": bullets(takes), "fails with": bullets(fails)}
    lines = [f"{part}\n{said}" for part, said in parts.items() if said] + ([f"gives {gives}"] if gives else [])
    return "\n".join([f"## {api.name}{writes}", _words(api.description or api.name), *lines])


def _executed(api: Api, service: Service) -> str:
    """What a look-up gave, where nothing describes it."""
    wanted = [name for name, one in api.parameters.items() if one.required]
    if api.writes or service.make is None:
        return ""
    world = service.make()
    for rows in service.rows.values():
        for row in islice(rows.values(), _ROWS):
            values: dict[str, Any] = {str(path[-1]): value for path, value in reversed([*leaves(row)])}
            if all(name in values for name in wanted):
                result = world.do(Call(api=api.name, arguments={name: values[name] for name in wanted}))
                if result.error is None:
                    return f"what nothing describes, here of one call: {_json(result.value, _WHOLE)}"
    return ""


class _Types:
    """The types that are met, each with a name; told as their fields."""

    def __init__(self, tables: Mapping[str, Table], words: str):
        self._tables, self._said = tables, frozenset(map(stem, words_of(words.lower())))
        self._names, self._told = dict[frozenset[str], str](), dict[str, list[str]]()
        self._waiting = list[tuple[str, Mapping[str, Any], int]]()
        self._deep = 0
        self.rows = dict[str, str]()

    def kind(self, schema: Any, name: str) -> str:
        """What a value has to be, in a few words; of an object, the name of its type."""
        rule = object_of(schema)
        options = [object_of(one) for word in ("anyOf", "oneOf") for one in list_of(rule.get(word))]
        if options:
            # what may be sent along in place of its id is its id
            plain = any(("string" in types_of(one) and "enum" not in one) or _is_text(one) for one in options)
            kinds = (self.kind(one, name) for one in options if not (plain and properties_of(one)))
            return " or ".join(dict.fromkeys(kinds))
        if properties_of(rule):
            return self._named(rule, name)
        if "array" in types_of(rule):
            return f"a list of {self.kind(items_of(rule), singular(name))}"
        kept = {key: value for key, value in rule.items() if key != "maxLength" or int(value) < _LONG}
        form = rule.get("format") if "integer" in types_of(rule) else None
        return (cut(described(kept), _KIND) or "anything") + (
            f"; {form}" if form not in (None, "int32", "int64") else ""
        )

    def _named(self, rule: Mapping[str, Any], name: str) -> str:
        """The name of an object's type; the object itself where it is small."""
        fields = properties_of(rule)
        if len(fields) <= _SMALL and not any(properties_of(object_of(one)) for one in fields.values()):
            return f"{{{', '.join(f'{each}: {self.kind(one, each)}' for each, one in fields.items())}}}"
        known = frozenset(fields)
        if known not in self._names:
            if self._deep > _DEEP and not self._words_said(name):
                return "an object"
            table = next((one for one in self._tables.values() if _is_row(one, known)), None)
            wanted = table.singular if table else singular(name)
            named = wanted if wanted not in self._names.values() else f"{wanted}_{len(self._names)}"
            self.rows |= {named: table.name} if table else {}
            self._names[known] = named
            self._waiting.append((named, rule, self._deep))
        return self._names[known]

    def _words_said(self, name: str) -> float:
        """The share of a name's words that the prose has."""
        words = [*map(stem, words_of(name.lower()))]
        return sum(word in self._said for word in words) / max(len(words), 1)

    def text(self) -> str:
        """All types, those included that are met on the way."""
        for name, rule, deep in self._waiting:  # grows while it is read
            self._deep = deep + 1
            table = self._tables.get(self.rows.get(name, ""))
            self._told[name] = list(self.fields(rule, table))
        return "\n\n".join(f"## {name}\n{bullets(lines)}" for name, lines in self._told.items())

    def fields(self, rule: Mapping[str, Any], table: Table | None = None) -> Iterator[str]:
        """The fields of a type by use, in their order: those that can be tested, and that the prose has words for."""
        every = {name: object_of(one) for name, one in properties_of(rule).items()}
        required = set(required_of(rule))
        refers: Mapping[str, str] = table.refers if table else {}

        def rank(name: str) -> int:
            """First what conditions can test, then what every row has, then what the prose has words for."""
            rule, said = every[name], self._words_said(name)
            tested = len(list_of(rule.get("enum"))) > 1 or "boolean" in types_of(rule)
            if tested or said == 1 or name in ("id", table and table.key):
                return 0
            return 1 if name in required else 2 if said else 3

        chosen = sorted(every, key=rank)[:_FIELDS]
        for name in (name for name in every if name in chosen):
            leads = f" → {refers[name]}" if name in refers else ""
            yield f"{name}{'?' * (name not in required)}: {self.kind(every[name], name)}{leads}"
        if rest := [name for name in every if name not in chosen]:
            more = f" and {len(rest) - _NAMES} more" if len(rest) > _NAMES else ""
            yield f"besides: {', '.join(rest[:_NAMES])}{more}"


def _is_text(rule: Mapping[str, Any]) -> bool:
    return any("string" in types_of(object_of(one)) for one in list_of(rule.get("anyOf")))


def _is_row(table: Table, fields: frozenset[str]) -> bool:
    """Whether these are the fields of a table's rows, most of them."""
    return table.key in fields and len(fields & table.fields.keys()) > 0.8 * len(fields)


def _touched(simulator: Simulator, told: _Types) -> list[Table]:
    """The tables of what operations name, add and give, and those that their rows have to refer to."""
    found = dict.fromkeys(told.rows.values())
    for handler in simulator.handlers.values():
        tables = (handler.subject, handler.added, *(step.table for step in handler.steps))
        found |= dict.fromkeys(table.name for table in tables if table)
    for name in [*found]:
        table = simulator.tables[name]
        found |= dict.fromkeys(other for field, other in table.refers.items() if field in table.required)
    return [simulator.tables[name] for name in found]


def _stored(service: Service, tables: Iterable[Table], told: _Types) -> Iterator[str]:
    """The tables, and a few of their rows."""
    named = {table: type for type, table in told.rows.items()}
    tables = [*tables]
    for table in tables:
        rows = service.rows.get(table.name, {})
        taken = f", taken: {cut(', '.join(rows), _ROW)}" if rows else ""
        yield f"## {table.name}: {len(rows)} rows, key `{table.key}`{taken}"
        if table.name in named:
            yield f"its rows are of the type {named[table.name]}"
        else:
            yield bullets(told.fields({"properties": {name: table.rule(name) for name in table.fields}}, table))
        yield from (f"- {_json(row)}" for row in islice(rows.values(), _ROWS))
    for name, keys in ({} if tables else _chosen(service.rows)).items():
        yield f"## {name}: {len(service.rows[name])} rows"
        yield from (f"- {_json(service.rows[name][key], _WHOLE)}" for key in keys)


def _chosen(tables: Mapping[str, Mapping[str, Row]]) -> dict[str, list[str]]:
    """Rows that tell most, by table: one for each of the few values of a field (a status), and what these refer to."""
    found = dict[str, list[str]]()
    for table, rows in tables.items():
        first = dict[tuple[str, str], str]()
        for key, row in rows.items():
            for name, value in row.items():
                if isinstance(value, str | bool):
                    first.setdefault((name, str(value)), key)
        counts = Counter(name for name, _ in first)
        few = [key for (name, _), key in first.items() if 1 < counts[name] <= _FEW]
        found[table] = list(dict.fromkeys([*few, *rows]))[: max(len(dict.fromkeys(few)), _ROWS)]
    named = {str(one) for table, some in found.items() for key in some for _, one in leaves(tables[table][key])}
    refers = {table: [key for key in tables[table] if key in named] for table in found}
    return {table: list(dict.fromkeys([*some, *refers[table]]))[:_FEW] for table, some in found.items()}


def _json(value: Any, most: int = _ROW) -> str:
    return cut(json.dumps(value, ensure_ascii=False), most)


def _words(text: str) -> str:
    return cut(" ".join(_TAG.sub("", text).split()), _WORDS)
