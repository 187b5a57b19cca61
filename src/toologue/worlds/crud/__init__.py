"""Any service, simulated: an OpenAPI document and seed data become a world with state.

`Simulator(document, seed)` reads them, `.world()` gives a fresh world; `kind_for` makes a registered kind of world;
`shipped` names the services that ship; `Refusal` and `View` are what Python overrides of single operations work with.
"""

from toologue.worlds.crud.kind import CRUD, kind_for, simulator_for
from toologue.worlds.crud.refusal import Refusal
from toologue.worlds.crud.simulator import Crud, Override, Simulator, shipped
from toologue.worlds.crud.view import View

__all__ = ["CRUD", "Crud", "Override", "Refusal", "Simulator", "View", "kind_for", "shipped", "simulator_for"]
