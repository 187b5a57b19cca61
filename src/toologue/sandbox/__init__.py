"""Programs that a model wrote, parsed, checked, and run over a world where they can do nothing but call its Apis.

    program    placeholders, names, imports, calls: what is wrong with a program before it runs
    execute    the one function that runs them, in CPython in a process that the kernel seals, Linux
    rpc        how much a program may use, its way to the world, what came of it
    messages   what host and program share; with `jail` all of ours that is in a program's process

Contract: `execute` never raises for what a program does. The program sees one object, whose methods are the world's
Apis, and the exceptions; nothing else of ours, and nothing of this machine.

Example:
    >>> from toologue.sandbox.execute import execute
    >>> from toologue.worlds.assistant import Assistant
    >>> world = Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True)
    >>> done = execute("return assistant.add_alarm(time='06:30:00')['alarm_id']", world, name="assistant")
    >>> done.value, list(done.changes)
    ('5bff-dd80', ['Alarm/mreyes/5bff-dd80'])

Not covered: programs that run beside one another in the same world; how long a world takes to answer.
"""
