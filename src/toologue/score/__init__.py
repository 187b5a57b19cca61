"""Metrics: pure functions of a gold dialogue and a trace, registered by name; counts that add up to totals.

    calls          tool calls answered, unexpected effects (ToolTalk)     outcome       the state that is left behind
    steps          the next step, and how bad a wrong one is (ALMITA)     adherence     a live talk along its procedure
    states         dialogue states (ToolDial)     actions, overall        actions, whole user turns (ToolDial)
    faithfulness   what replies claim (ToolDial)  programs                EMR, BLEU, CodeEdits (Dialog2API)

Contract: see `metric`. A missing score is None, never 0.

Example:
    >>> from toologue.models.similarity import TextMatch
    >>> from toologue.schema import AgentTurn, Call, Dialogue, Result, Trace, UserTurn
    >>> from toologue.score.calls import calls
    >>> find = AgentTurn(acts=(Call(api="Find"),), results=(Result(value=1),))
    >>> turns = (UserTurn(text="?"), find, AgentTurn(text="1"))
    >>> trace = Trace(case="", dialogue="d", protocol="forced", agent="gold", turns=turns)
    >>> calls(Dialogue(id="d", turns=turns), trace, TextMatch.of("exact"))["success"].value
    1.0

Not covered: weights; order of calls within a round; what words mean where nothing named decides, which is unsure.
"""
