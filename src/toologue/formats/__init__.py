"""Formats of others, read and written: chat messages, XML, Markdown, graphs, training rows.

Contract: nothing that is read is run. Files are read strictly: what is not as it should be raises `BadRecord` or
`BadFile` with its place. Answers of models are read leniently.

Example:
    >>> from toologue.formats.openai import from_messages
    >>> call = {"id": "x7", "type": "function", "function": {"name": "AddAlarm", "arguments": '{"time":"06:00:00"}'}}
    >>> messages = [{"role": "user", "content": "Wake me at six."},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]}]
    >>> from_messages(messages, id="wake-me").turns[1].acts[0].arguments
    {'time': '06:00:00'}

Not covered: API documents (`toologue.apis`), and files of our own nouns (`schema.jsonl`).
"""
