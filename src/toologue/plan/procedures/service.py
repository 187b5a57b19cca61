"""What a procedure's calls are made to: documents, worlds to execute them in, and the rows that customers know of.

`service("shop")` is a service that ships; `service("api.yaml", seed="rows.yaml")` one of yours; `mocked(apis)` stands
for Apis that nobody has implemented: its results are made from their schemas by whoever plans.

Example:
    >>> shop = service("shop")
    >>> shop.setting.arguments, shop.now, "orders" in shop.rows, shop.executes
    ({'document': 'shop'}, '2025-03-12T09:30:00Z', True, True)
    >>> mocked(shop.apis.values()).executes
    False

Not covered: services behind an address; simulate them from their documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toologue.loop import World
from toologue.schema import Api, Setting
from toologue.worlds.crud import simulator_for
from toologue.worlds.store import Row

_NOW = "2025-03-12T09:30:00Z"


@dataclass(frozen=True)
class Service:
    """Documents by name, `make()` for a fresh world (None where nothing executes), the rows of its start."""

    setting: Setting
    apis: Mapping[str, Api]
    now: str = _NOW
    make: Callable[[], World] | None = None
    rows: Mapping[str, Mapping[str, Row]] = field(default_factory=dict[str, Mapping[str, Row]])

    @property
    def executes(self) -> bool:
        """Whether calls are executed; otherwise their results are made up and merely consistent."""
        return self.make is not None


def service(document: str | Path, seed: str | Path | None = None, *, now: str | None = None) -> Service:
    """The service of an OpenAPI document, a shipped one by its name. Raises BadFile, BadRecord, BadSetting."""
    arguments = {"document": str(document), "seed": seed and str(seed), "now": now}
    setting = Setting(name="crud", arguments={name: value for name, value in arguments.items() if value})
    simulator = simulator_for(setting)
    return Service(
        setting=setting,
        apis={api.name: api for api in simulator.apis},
        now=simulator.now or _NOW,
        make=simulator.world,
        rows=simulator.seed,
    )


def mocked(apis: Iterable[Api], *, now: str = _NOW) -> Service:
    """A service of documents alone."""
    return Service(setting=Setting(name="recorded"), apis={api.name: api for api in apis}, now=now)
