"""The noise bank: what customers say that no procedure foresees, and what an agent can answer (ALMITA 3.6).

    prompt_injection     tries to replace the agent's instructions
    social_engineering   claims a role, an urgency, a permission to get round a check
    data_fishing         asks for other people's data, or for what nobody outside should know
    abuse                insults and threats
    off_topic            wants something that has nothing to do with the company
    chit_chat            small talk that asks for nothing

Each message says what obeying it would be (`severity`) and whether it must be refused; if not, an agent may acknowledge
it and steers back. Replies decline or steer back, promise nothing, and fit any message that they are given for.

Example:
    >>> bank = noise_bank()
    >>> bank.message("neighbours-order").kind, bank.message("neighbours-order").severity
    ('data_fishing', 'leak')
    >>> [bank.message(name).refuse for name in ("long-day", "recipe", "weather-there")]
    [False, True, False]
    >>> len(bank.replies_to(bank.message("recipe"))) >= 12
    True

Not covered: where noise goes in a conversation, and noise that concerns the matter itself (a value corrected, a change
of mind): those are phrases of `write.bank`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from toologue.data import Source, read_source
from toologue.errors import UnknownName
from toologue.schema import Noun, Record

NoiseKind = Literal["prompt_injection", "social_engineering", "data_fishing", "abuse", "off_topic", "chit_chat"]
NOISE_KINDS: tuple[NoiseKind, ...] = get_args(NoiseKind)
Severity = Literal["leak", "wrong_write", "wrong_information", "cosmetic"]

_SHIPPED = Path(__file__).with_name("noise.yaml")


class NoiseMessage(Record):
    """One message. `severity`: what obeying it would be. `refuse`: whether it must be refused, not just passed over."""

    format: Literal["noise/1"] = "noise/1"
    id: str = Field(min_length=1)
    kind: NoiseKind
    text: str = Field(min_length=1)
    severity: Severity
    refuse: bool


class NoiseBank(Noun):
    """Messages, and replies by kind."""

    messages: tuple[NoiseMessage, ...]
    replies: Mapping[NoiseKind, tuple[str, ...]]

    @cached_property
    def _by_id(self) -> Mapping[str, NoiseMessage]:
        return {message.id: message for message in self.messages}

    def message(self, id: str) -> NoiseMessage:
        """The message of this id. Raises UnknownName."""
        if id not in self._by_id:
            raise UnknownName("noise message", id, self._by_id)
        return self._by_id[id]

    def of(self, kind: str) -> tuple[NoiseMessage, ...]:
        """The messages of a kind. Raises UnknownName."""
        if kind not in NOISE_KINDS:
            raise UnknownName("kind of noise", kind, NOISE_KINDS)
        return tuple(message for message in self.messages if message.kind == kind)

    def replies_to(self, message: NoiseMessage) -> tuple[str, ...]:
        """What an agent can answer. To something harmless, whatever it is about, as to small talk."""
        harmless = message.kind == "off_topic" and not message.refuse
        return self.replies["chit_chat" if harmless else message.kind]


class _Section(Noun):
    """A kind, as the file has it: messages by severity, then id; `except` lists ids that `refuse` is wrong for."""

    about: str
    refuse: bool
    exceptions: tuple[str, ...] = Field((), alias="except")
    messages: dict[Severity, dict[str, str]]
    replies: str

    def told(self, kind: NoiseKind) -> Iterator[NoiseMessage]:
        for severity, texts in self.messages.items():
            for id, text in texts.items():
                refuse = self.refuse != (id in self.exceptions)
                yield NoiseMessage(id=id, kind=kind, text=text, severity=severity, refuse=refuse)


_SECTIONS = TypeAdapter(dict[NoiseKind, _Section])


def read_noise(file: Path | str) -> NoiseBank:
    """The bank in a file like ours, with all six kinds. Raises BadFile, BadRecord."""
    source = read_source(file)
    try:
        sections = _SECTIONS.validate_python(source.data)
        messages = tuple(message for kind, section in sections.items() for message in section.told(kind))
    except ValidationError as error:
        raise source.refused(error, ()) from None
    _check(source, sections, messages)
    replies: dict[NoiseKind, tuple[str, ...]] = {
        kind: tuple(section.replies.strip("\n").split("\n")) for kind, section in sections.items()
    }
    return NoiseBank(messages=messages, replies=replies)


@cache
def noise_bank() -> NoiseBank:
    """The bank that ships."""
    return read_noise(_SHIPPED)


def _check(source: Source, sections: Mapping[NoiseKind, _Section], messages: tuple[NoiseMessage, ...]) -> None:
    absent = [kind for kind in NOISE_KINDS if kind not in sections]
    if absent:
        raise source.bad((), f"there is nothing for {', '.join(absent)}", "write a section for each kind")
    kinds: dict[str, NoiseKind] = {}
    for message in messages:
        if message.id in kinds:
            place = (message.kind, "messages", message.severity, message.id)
            raise source.bad(place, f"two messages are called {message.id!r}", "give each an id of its own")
        kinds[message.id] = message.kind
    for kind, section in sections.items():
        strange = next((id for id in section.exceptions if kinds.get(id) != kind), None)
        if strange is not None:
            raise source.bad((kind, "except"), f"{strange!r} is no message of this kind", "name ids from `messages`")
