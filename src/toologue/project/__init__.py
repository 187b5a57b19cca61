"""Projects and suites: procedures or API graphs in; conversations, runs of agents, a report and a gate out.

    generate      procedures to verified conversations       chains       the same over chains of APIs
    start, settings, evaluate    a folder with a toologue.toml: made, read, and checked stage by stage
    from_prose, provision        such a folder made of prose by a model, and what is stored for it
    statistics    what was made, beside the figures of the paper

Contract: one seed, one suite, byte for byte, whatever the number of workers.

Example:
    >>> from toologue.project.generate import Making, generate, shipped
    >>> made = next(generate(shipped("order-not-received"), Making(count=6, seed=1)))
    >>> len(made.dialogues) >= 6, made.flawed, str(made.planned.coverage.edges)
    (True, 0, '41/41')

Not covered: resuming inside a procedure; whether conversations are realistic, which people have to say.
"""
