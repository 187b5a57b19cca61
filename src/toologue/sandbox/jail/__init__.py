"""The other process: what runs before a program, and beside it. Standard library only; the host imports none of it."""
