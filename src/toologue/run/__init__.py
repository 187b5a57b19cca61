"""Runs: cases made from dialogues, played concurrently, kept in a folder that survives anything.

Contract: a failed case is data; a finished run is byte-equal to any other of the same configuration.

Example:
    >>> import tempfile
    >>> from toologue.run.store import Config, run_folder
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    >>> folder = run_folder(tempfile.mkdtemp() + "/run", [hello], Config(agent="gold"))
    >>> [trace.stop for trace in folder.traces()]
    ['done']

Not covered: two writers of a folder; the second is refused while the first holds its lock.
"""
