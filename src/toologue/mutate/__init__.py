"""Mutate: gold altered in one known way, so that a grader can show what it notices.

    calls    scripts whose calls are wrong (`altered:KIND`), or right in another order or form
    steps    tests of the next step of a procedure (`misstep:KIND`)

Contract: a mutation is a function of the gold and a random generator, and None where it does not apply (a conversation
without writes has none to duplicate). The same case and seed give the same agent.

Example:
    >>> from random import Random
    >>> from toologue.mutate.calls import WRONG
    >>> from toologue.schema import AgentTurn, Call
    >>> script = [[AgentTurn(acts=(Call(api="AddAlarm", arguments={"time": "07:00:00"}),)), AgentTurn(text="Done.")]]
    >>> [len(turns) for turns in WRONG["drop"](script, Random(0), {}) or []]
    [1]

Not covered: gold that is wrong itself.
"""
