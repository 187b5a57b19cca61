"""Formats of others, read and written: chat messages, XML, Markdown, graphs, training rows.

    openai tooltalk tooldial tooldial_text dialog2api almita    conversations, as their papers or vendors write them
    program_dialogue    dialogues with programs in YAML
    procedure flow      procedures in Markdown; graphs as ALMITA's flow text, and drawn by Mermaid
    training            dialogues as rows for trainers
    literals            values, calls and JSON objects in what models write
    soundness           what is wrong with a procedure, whoever wrote it

Contract: nothing that is read is run. Files are read strictly: what is not as it should be raises `BadRecord` or
`BadFile` with its place. Answers of models are read leniently.

Example:
    >>> from toologue.formats.openai import from_messages
    >>> messages = [{"role": "user", "content": "Wake me at six."},
    ...     {"role": "assistant", "content": None, "tool_calls": [{"id": "x7", "type": "function",
    ...         "function": {"name": "AddAlarm", "arguments": '{"time":"06:00:00"}'}}]},
    ...     {"role": "tool", "tool_call_id": "x7", "content": "ok"}]
    >>> dialogue = from_messages(messages, id="wake-me")
    >>> dialogue.turns[1].acts[0].arguments, dialogue.turns[1].results[0].value
    ({'time': '06:00:00'}, 'ok')

Not covered: API documents (`toologue.apis`), and files of our own nouns (`schema.jsonl`).
"""
