"""What runs in a program's process: the host imports nothing of it; of ours it imports `messages` and `exceptions`.

Contract: `run` forks a process a program, seals it (`filter`), stops its clock (`clock`), loads the program as
the body of a function, and sends what came of it. Beyond the one descriptor to the host it can reach nothing.

Example:
    >>> from toologue.sandbox.jail import filter
    >>> len(filter.program("x86_64")) // 8, len(filter.program("aarch64")) // 8
    (45, 45)

Not covered: other systems than Linux on x86-64 and arm64; what the processor leaks.
"""
