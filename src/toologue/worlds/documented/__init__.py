"""Any documented API, simulated from its documentation alone: typed, plausible, repeatable answers without state.

`Documented(apis, seed=n)` is the world, `arguments_for(api, seed)` gives arguments for a call, `foreseen` says whether
it is known what these look like. `DOCUMENTED` is the registered kind.

Example:
    >>> from toologue.schema import Api, Call, Parameter
    >>> team = {"type": "object", "properties": {"team": {"type": "string"}, "points": {"type": "integer"}}}
    >>> table = Api(name="Table", parameters={"team": Parameter(schema={"type": "string"})}, returns=team)
    >>> Documented([table], seed=1).do(Call(api="Table", arguments={"team": "Leeds"})).value["team"]
    'Leeds'

Not covered: state (see `worlds.crud`); Apis that document what they write are answered, and write nothing.
"""

from toologue.text.names import kind_about, kind_named, kind_of, kind_wraps
from toologue.text.secrets import is_credential
from toologue.worlds.documented.arguments import arguments_for, foreseen
from toologue.worlds.documented.echo import kind_sought, sought_by
from toologue.worlds.documented.row import choices
from toologue.worlds.documented.simulator import DOCUMENTED, Documented, kind_for

__all__ = [
    "DOCUMENTED",
    "Documented",
    "arguments_for",
    "choices",
    "foreseen",
    "is_credential",
    "kind_about",
    "kind_for",
    "kind_named",
    "kind_of",
    "kind_sought",
    "kind_wraps",
    "sought_by",
]
