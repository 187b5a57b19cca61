"""Typed Python functions become Apis: signature, annotations and docstring say all that is needed.

Given is a function, a module (its public functions), a class or an object (its public methods), or the name of one:
`module:function`, `module`, `module:Class`. Annotations become JSON Schemas by pydantic; a parameter without one allows
anything. Docstrings in the styles of Google, NumPy and reST describe function and parameters; a description in `Field`
weighs more. `self`, `cls` and `_private` parameters are not shown. `writes` and `confirm` are
what the function's attributes of these names say, else false.

Not covered: parameters that are positional only or have no fixed number (`*args`, `**options`) are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FunctionType, ModuleType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from typing_extensions import TypedDict

from toologue import registry
from toologue.apis.schemas import parameter, written_out
from toologue.errors import BadSetting
from toologue.schema import Api, Parameter

_METHODS = (FunctionType, staticmethod, classmethod)
_HIDDEN, _NOTHING = ("self", "cls"), (None, type(None))


def apis_of_functions(*sources: Callable[..., Any] | ModuleType | str) -> list[Api]:
    """The Apis of functions, of modules, and of those that texts name."""
    return [api_of_function(function) for source in sources for function in _functions(source)]


def api_of_function(function: Callable[..., Any]) -> Api:
    """The Api of one function. Raises BadSetting for what cannot be described."""
    from docstring_parser import parse

    name = getattr(function, "__name__", repr(function))
    said = parse(inspect.getdoc(function) or "")
    told = {given.arg_name: (given.description or "").strip() for given in said.params}
    hints = _hints(function, name)
    return Api(
        name=name,
        description="\n\n".join(part for part in (said.short_description, said.long_description) if part),
        parameters={
            given.name: _parameter(given, hints, told.get(given.name, ""), name)
            for given in inspect.signature(function).parameters.values()
            if given.name not in _HIDDEN and not given.name.startswith("_")
        },
        returns={} if hints.get("return") in _NOTHING else _schema(hints["return"], f"what {name} returns"),
        writes=getattr(function, "writes", False) is True,
        confirm=getattr(function, "confirm", False),
    )


def _functions(source: Callable[..., Any] | ModuleType | str) -> list[Callable[..., Any]]:
    if isinstance(source, str):
        source = registry.load(source) if ":" in source else _module(source)
    if inspect.isroutine(source):
        return [source]
    if isinstance(source, ModuleType):
        what, names = f"the module {source.__name__}", getattr(source, "__all__", None) or list(vars(source))
        members = [getattr(source, name) for name in names if not name.startswith("_")]
        found = [one for one in members if inspect.isfunction(one) and one.__module__ == source.__name__]
    else:
        kind = source if inspect.isclass(source) else type(source)
        what = f"{source!r}, of the class {kind.__name__},"
        found = [getattr(source, name) for name in _methods(kind)]
        found = found or ([source] if callable(source) and source is not kind else [])
    if not found:
        raise BadSetting(f"{what} has no public function of its own: describe one, or name it as module:function")
    return list(found)


def _methods(kind: type) -> list[str]:
    """The public methods that a class and those it is made of define, in their order."""
    owners = [one for one in reversed(kind.__mro__) if one.__module__ != "builtins"]
    names = dict.fromkeys(name for one in owners for name in vars(one) if not name.startswith("_"))
    return [name for name in names if isinstance(inspect.getattr_static(kind, name), _METHODS)]


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise BadSetting(f"cannot load {name!r}: {error}; give module:function or a module") from error


def _hints(function: Callable[..., Any], name: str) -> Mapping[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise BadSetting(f"the annotations of {name} cannot be read: {error}") from None


def _parameter(given: inspect.Parameter, hints: Mapping[str, Any], told: str, function: str) -> Parameter:
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD, given.POSITIONAL_ONLY):
        raise BadSetting(
            f"{function}: the parameter {given} cannot be given by name; describe each by a name of its own"
        )
    schema = _schema(hints.get(given.name, Any), f"{function}: {given.name}")
    default: Any = given.default
    if isinstance(default, str | int | float | bool | list | dict):
        schema.setdefault("default", default)
    return parameter(schema, given.name, description=told, required=default is given.empty)


def _schema(annotation: Any, what: str) -> dict[str, Any]:
    try:
        return written_out(TypeAdapter(_readable(annotation)).json_schema())
    except (PydanticUserError, PydanticInvalidForJsonSchema) as error:
        reason = str(error).splitlines()[0]
        raise BadSetting(f"{what}: the annotation {annotation!r} has no JSON Schema: {reason}") from None


def _readable(annotation: Any) -> Any:
    """The annotation with the dictionaries of `typing`, as pydantic reads them before Python 3.12."""
    if is_typeddict(annotation):
        needed = annotation.__required_keys__
        hints = get_type_hints(annotation, include_extras=True).items()
        fields = {name: (Required if name in needed else NotRequired)[_readable(hint)] for name, hint in hints}
        return cast("Any", TypedDict)(annotation.__name__, fields)
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin in (None, Literal) or not inside or isinstance(inside[0], list):
        return annotation
    if origin is Annotated:
        return Annotated[_readable(inside[0]), *inside[1:]]
    whole = Union if origin is UnionType else origin
    return whole[tuple(_readable(one) if one is not Ellipsis else one for one in inside)]
