"""Worlds: what acts are executed in. A world is state, tools that change it, and the way back.

A registered world is a `Kind` (`world`); `contract` holds the laws for any world, `store` the rows that most are made
of. `assistant`, `crud` and `s3` have state, `documented` answers as documents say, `recorded` from a dialogue;
`programs` adds programs to any of them.

Example:
    >>> from toologue.schema import Call, Case, Setting
    >>> from toologue.worlds.world import make_world
    >>> setting = Setting(name="crud", arguments={"document": "shop"})
    >>> world = make_world(Case(id="late", world=setting, protocol="live"))
    >>> world.do(Call(api="get_order", arguments={"order_id": "O-10318"})).value["status"]
    'delivered'

Not covered: worlds that live in another process; wrap such a one and set `blocking = True`.
"""
