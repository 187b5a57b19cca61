"""Plausible words for the leaves of made values: names, towns, addresses, dates, from small lists of ours or Faker's.

Contract: a `Leaf` is a function of a kind of value and a source of randomness, and of nothing else. Which one is used
is said by the caller, never by what is installed, so that one seed gives one value everywhere.

Example:
    >>> from random import Random
    >>> word_leaf("email", Random(5)) == word_leaf("email", Random(5))
    True
    >>> word_leaf("phone", Random(5))[3], len(word_leaf("uuid", Random(5)))
    ('-', 36)

Not covered: locales; ours are English.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Any

from toologue.errors import BadSetting

Leaf = Callable[[str, Random], str]
"""(kind of `asked.Kind` or a few more, randomness) → a text of that kind."""

_FIRST = "Ada Bela Chidi Dana Elif Farid Greta Hugo Ines Jonas Kaori Lior Mona Nils Oksana Pia Quinn Rosa Samir Tove"
_LAST = "Almeida Brandt Castro Dubois Eriksen Farouk Gallo Hansen Ito Jansen Kovac Lindqvist Moreau Novak Okafor Petrov"
_LISTS: dict[str, tuple[str, ...]] = {
    "first": tuple(_FIRST.split()),
    "last": tuple(_LAST.split()),
    "place": ("Lisbon", "Oslo", "New York", "Kyoto", "Porto Alegre", "Nairobi", "Ghent", "Toronto", "Cusco",
    "Adelaide"),
    "country": ("Portugal", "Norway", "Japan", "Brazil", "Kenya", "Belgium", "Canada", "Peru", "Australia", "Italy"),
    "street": ("Mill Lane", "Harbour Street", "Oak Avenue", "Station Road", "Chapel Hill", "Garden Row",
    "Bridge Street"),
    "title": ("Team lunch", "Choir practice", "Roof inspection", "Book club", "Budget review", "Piano lesson"),
    "task": ("water the plants", "call the plumber", "return the library books", "book the ferry",
    "sharpen the skates"),
    "message": ("I'll be ten minutes late.", "The boxes are in the hall.", "Can you bring the ladder?",
    "See you at six!"),
    "query": ("boiler repair", "parking permit", "choir", "lost umbrella", "train tickets", "red kettle"),
    "text": ("copper kettle", "blue lantern", "rye bread", "north door", "spring seeds", "garden chair"),
    "symbol": ("EUR", "USD", "JPY", "OSL", "LIS", "NOK"),
    "company": ("Lantern & Sons", "Northwind Pipes", "Holm Bakery", "Grey Heron Books", "Copper Room"),
    "color": ("red", "teal", "amber", "slate", "ivory", "plum"),
    "language": ("English", "Portuguese", "Norwegian", "Japanese", "French"),
    "month": ("January", "March", "May", "July", "September", "November"),
    "weekday": ("Monday", "Tuesday", "Thursday", "Friday", "Sunday"),
}  # fmt: skip


def word_leaf(kind: str, random: Random) -> str:
    """A text of that kind from our own lists; of an unknown kind, two plain words."""
    if kind in _MADE:
        return _MADE[kind](random)
    return random.choice(_LISTS.get(kind, _LISTS["text"]))


def faker_leaf(locale: str = "en_US") -> Leaf:
    """Leaves by Faker (`pip install toologue[mock]`), for those kinds it has; ours for the others."""
    if not find_spec("faker"):
        raise BadSetting("these values need Faker: pip install 'toologue[mock]'")
    faker: Any = importlib.import_module("faker").Faker(locale)
    methods = {
        "person": "name", "first": "first_name", "last": "last_name", "place": "city", "country": "country",
        "street": "street_address",
        "email": "ascii_safe_email", "username": "user_name", "url": "url", "company": "company", "color": "color_name",
        "message": "sentence", "title": "catch_phrase",
    }  # fmt: skip

    def leaf(kind: str, random: Random) -> str:
        if kind not in methods:
            return word_leaf(kind, random)
        faker.seed_instance(random.getrandbits(48))
        return str(getattr(faker, methods[kind])())

    return leaf


def _digits(random: Random, count: int) -> str:
    return "".join(random.choice("0123456789") for _ in range(count))


def _hex(random: Random, count: int) -> str:
    return f"{random.getrandbits(4 * count):0{count}x}"


def _person(random: Random) -> str:
    return f"{random.choice(_LISTS['first'])} {random.choice(_LISTS['last'])}"


def _email(random: Random) -> str:
    first, last = _person(random).lower().split()
    return f"{first}.{last}@{random.choice(('mail', 'post', 'inbox'))}.example"


def _username(random: Random) -> str:
    return f"{random.choice(_LISTS['first']).lower()}{random.randint(10, 99)}"


def _password(random: Random) -> str:
    words = "Marsh Cedar Tundra Lantern Copper Heron".split()  # noqa: SIM905
    return f"{random.choice(words)}{random.choice('!#%&')}{_digits(random, 2)}{random.choice(words).lower()}"


def _slug(random: Random) -> str:
    return random.choice(_LISTS["text"]).replace(" ", "-")


_MADE: dict[str, Callable[[Random], str]] = {
    "person": _person,
    "email": _email,
    "username": _username,
    "password": _password,
    "phone": lambda random: f"{random.randint(201, 989)}-555-01{_digits(random, 2)}",
    "url": lambda random: f"https://{_slug(random)}.example/{_hex(random, 4)}",
    "uuid": lambda random: str(uuid.UUID(int=random.getrandbits(128), version=4)),
    "id": lambda random: f"{_hex(random, 4)}-{_hex(random, 4)}",
    "code": lambda random: _digits(random, 6),
    "zip": lambda random: _digits(random, 5),
    "slug": _slug,
    "hostname": lambda random: f"{_slug(random)}.example",
    "ipv4": lambda random: f"192.0.2.{random.randint(1, 254)}",
    "ipv6": lambda random: f"2001:db8::{random.randint(1, 0xFFFF):x}",
    "address": lambda random: (
        f"{random.randint(1, 120)} {random.choice(_LISTS['street'])}, {random.choice(_LISTS['place'])}"
    ),
}
