"""The one way to ask a language model: models from names, prompts from templates, asking until a reply is valid.

A prompt is a jinja2 template beside the module that fills it, with a value for each `{{ name }}`. What is asked may be
kept, and replayed (`models.recording`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, cast

from toologue import keys, registry
from toologue.errors import BadSetting
from toologue.formats.openai import Message
from toologue.models.model import Messages, Model, Output
from toologue.models.recording import kept

if TYPE_CHECKING:
    from jinja2 import Template

_Value = TypeVar("_Value")


def model(spec: str, stage: str = "model") -> Model:
    """The model that a spec names, for a stage of the work (agent, writer, judge, …); its exchanges may be kept.

    `PROVIDER:NAME?OPTIONS` (`models.client`) or `module:attribute`, an object of yours with `async reply`.
    """
    return kept(spec, lambda: _named(spec), stage)


class Attempt(NamedTuple):
    """A reply, and what the model was told about its faults: nothing where it was valid."""

    reply: str
    faults: str


class Answered(NamedTuple, Generic[_Value]):
    """What `parse` made of the last reply, and every attempt up to it."""

    value: _Value
    attempts: tuple[Attempt, ...]


def render_prompt(module: str, template: str, /, **values: object) -> str:
    """A template in the folder of a module (`__file__`), filled; without the newline at its end."""
    return _template(Path(module).with_name(template)).render(values)


async def ask(model: Model, prompt: str | Messages, *key: int | str, output: Output = None) -> str:
    """The words of a model's reply; the seed is that of the key. Raises ModelFault."""
    messages: Messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    return (await model.reply(messages, output=output, seed=keys.seed_of(*key) % 2**31)).text or ""


async def ask_until_valid(
    model: Model,
    prompt: str,
    parse: Callable[[str], tuple[_Value, str]],
    *key: int | str,
    tries: int,
    output: Output = None,
    forget: bool = False,
) -> Answered[_Value]:
    """What `parse` makes of the first valid reply, or of the last of `tries`, and all attempts. Raises ModelFault.

    With the value it gives what the model is told about its faults, and nothing where it is valid. A model that may
    `forget` is shown its last reply only.
    """
    if tries < 1:
        raise BadSetting(f"tries is {tries}: a model needs at least one")
    first: Message = {"role": "user", "content": prompt}
    messages, attempts = [first], list[Attempt]()
    for number in range(tries):
        reply = await ask(model, messages, *key, number, output=output)
        value, again = parse(reply)
        attempts.append(Attempt(reply, again))
        if not again or number == tries - 1:
            return Answered(value, tuple(attempts))
        asked: list[Message] = [{"role": "assistant", "content": reply}, {"role": "user", "content": again}]
        messages = [*([first] if forget else messages), *asked]
    raise AssertionError("tries is at least 1")


def bullets(lines: Iterable[object]) -> str:
    """A list, one entry a line."""
    return "\n".join(f"- {line}" for line in lines)


def _named(spec: str) -> Model:
    name, _, argument = spec.partition(":")
    if name in registry.names("model") or not argument:
        return cast("Model", registry.find("model", name)(argument))
    thing = registry.load(spec)
    if not callable(getattr(thing, "reply", None)):
        raise BadSetting(f"{spec!r} is no model: it has no `async reply(messages, *, tools, output, seed)`")
    return cast("Model", thing)


@cache
def _template(file: Path) -> Template:
    from jinja2 import Environment, StrictUndefined

    return Environment(undefined=StrictUndefined).from_string(file.read_text("utf-8"))
