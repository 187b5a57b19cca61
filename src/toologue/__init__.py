"""toologue: turn API docs and support procedures into conversations, run any tool-using agent, grade what it did."""

__version__ = "0.1.0"
