"""Any service, simulated: an OpenAPI document and seed data become a world with state (docs/your-api.md).

Example:
    >>> from toologue.schema import Call
    >>> world = Simulator("shop").world()
    >>> world.do(Call(api="get_order", arguments={"order_id": "O-99999"})).error
    Fault(type='not_found', message="there is no order 'O-99999'")

Not covered: who may call what (the agent is trusted), rate limits, calls that take time; operations on several rows at
once; children that go with their parent.
"""

from toologue.worlds.crud.simulator import CRUD, Crud, Simulator, kind_for, shipped, simulator_for

__all__ = ["CRUD", "Crud", "Simulator", "kind_for", "shipped", "simulator_for"]
