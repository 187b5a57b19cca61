"""OpenAPI 2.0 (Swagger) as OpenAPI 3.0: what stood elsewhere is put where 3.0 has it; schemas stay (`schemas.modern`).

    >>> sent = {"name": "file", "in": "formData", "type": "file", "required": True}
    >>> read = upgraded({"swagger": "2.0", "paths": {"/x": {"post": {"parameters": [sent]}}}})
    >>> form = read["paths"]["/x"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    >>> form["required"], form["properties"]
    (['file'], {'file': {'type': 'file'}})

Not covered: what the reader does not look at: servers, styles of parameters, headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toologue.values.json_schema import list_of, object_of, resolved

# Where what references of 2.0 name stands in 3.0.
PLACES = {"definitions": "schemas", "parameters": "parameters", "responses": "responses"}
_SCHEMA = {
    "type", "format", "items", "enum", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "multipleOf", "x-nullable",
}  # fmt: skip
_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_JSON = ("application/json",)


def upgraded(root: Mapping[str, Any]) -> dict[str, Any]:
    """The document in OpenAPI 3.0, a new value; what cannot be understood stays as it is."""
    return _Upgrade(root).document()


class _Upgrade:
    def __init__(self, root: Mapping[str, Any]):
        self._root = root

    def document(self) -> dict[str, Any]:
        root = self._root
        made: dict[str, Any] = {"openapi": "3.0.3", **{key: root[key] for key in root if key.startswith("x-")}}
        made["paths"] = root.get("paths", {})
        if isinstance(made["paths"], dict):
            made["paths"] = {path: self._item(item) for path, item in object_of(made["paths"]).items()}
        if "x-bundled" in root:
            made["x-bundled"] = {name: self._bundled(part) for name, part in object_of(root["x-bundled"]).items()}
        parameters = object_of(root.get("parameters")).items()
        made["components"] = {
            "schemas": object_of(root.get("definitions")),
            "parameters": {name: self._parameter(part) for name, part in parameters},
            "responses": {name: self._response(part, ()) for name, part in object_of(root.get("responses")).items()},
            "securitySchemes": root.get("securityDefinitions", {}),
        }
        return made

    def _item(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        rules = object_of(item)
        made = {key: part for key, part in rules.items() if key not in ("parameters", *_METHODS)}
        shared = list_of(rules.get("parameters"))
        body = self._body(shared, list_of(self._root.get("consumes")))
        for method in _METHODS:
            if isinstance(rules.get(method), dict):
                shares = {"requestBody": body} if body and method in ("put", "post", "patch") else {}
                made[method] = shares | self._operation(object_of(rules[method]))
            elif method in rules:
                made[method] = rules[method]
        return made | ({"parameters": self._sent(shared)} if shared else {})

    def _operation(self, rules: Mapping[str, Any]) -> dict[str, Any]:
        made = {
            key: part for key, part in rules.items() if key not in ("parameters", "consumes", "produces", "schemes")
        }
        given = rules.get("parameters", [])
        made["parameters"] = self._sent(list_of(given)) if isinstance(given, list) else given
        if body := self._body(list_of(given), list_of(rules.get("consumes", self._root.get("consumes")))):
            made["requestBody"] = body
        kinds = tuple(list_of(rules.get("produces", self._root.get("produces"))))
        answers = object_of(rules.get("responses")).items()
        made["responses"] = {code: self._response(answer, kinds) for code, answer in answers}
        return made

    def _sent(self, parameters: list[Any]) -> list[Any]:
        """The parameters that are no part of a body."""
        kept = [part for part in parameters if (resolved(part, self._root) or {}).get("in") not in ("body", "formData")]
        return [self._parameter(part) for part in kept]

    def _parameter(self, given: Any) -> Any:
        if "$ref" in object_of(given) or not isinstance(given, dict):
            return given
        rules = object_of(given)
        made = {key: part for key, part in rules.items() if key not in _SCHEMA and key != "collectionFormat"}
        made["schema"] = rules.get("schema", {key: rules[key] for key in rules if key in _SCHEMA})
        return made

    def _body(self, parameters: list[Any], consumes: list[Any]) -> dict[str, Any] | None:
        """The body that parameters describe: one of them, or the fields of a form."""
        rules = [resolved(part, self._root) or {} for part in parameters]
        whole = next((rule for rule in rules if rule.get("in") == "body"), None)
        if whole is not None:
            schema, told = whole.get("schema", {}), {"description", "required", "x-internal"}
            content = {kind: {"schema": schema} for kind in consumes or _JSON if isinstance(kind, str)}
            return {"content": content, **{key: whole[key] for key in whole if key in told}}
        fields = [rule for rule in rules if rule.get("in") == "formData" and isinstance(rule.get("name"), str)]
        if not fields:
            return None
        required = [rule["name"] for rule in fields if rule.get("required") is True]
        kept = {rule["name"]: [key for key in rule if key == "description" or key.startswith("x-")] for rule in fields}
        properties = {
            rule["name"]: {**self._parameter(dict(rule))["schema"], **{key: rule[key] for key in kept[rule["name"]]}}
            for rule in fields
        }
        form = _FORMS[all(rule.get("type") != "file" for rule in fields)]
        kind = next((kind for kind in consumes if kind in _FORMS), form)
        schema = {"type": "object", "properties": properties, "required": required}
        return {"content": {kind: {"schema": schema}}, "required": bool(required)}

    def _response(self, given: Any, kinds: tuple[Any, ...]) -> Any:
        if "$ref" in object_of(given) or not isinstance(given, dict):
            return given
        rules = object_of(given)
        made = {key: part for key, part in rules.items() if key not in ("schema", "examples", "headers")}
        if "schema" in rules:
            schema = rules["schema"]
            produced = kinds or tuple(list_of(self._root.get("produces"))) or _JSON
            made["content"] = {kind: {"schema": schema} for kind in produced if isinstance(kind, str)}
        return made

    def _bundled(self, part: Any) -> Any:
        """What another file holds, of whatever kind it is."""
        rules = object_of(part)
        if set(_METHODS) & rules.keys():
            return self._item(rules)
        if isinstance(rules.get("in"), str) and "name" in rules:
            return self._parameter(rules)
        return self._response(rules, ()) if isinstance(rules.get("schema"), dict) else part
