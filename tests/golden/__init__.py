"""Whole outputs of the command line, held by their hashes: what a change of the inside must not move.

`python -m tests.golden check [GLOB...]` runs the entries, each in a folder of its own, and shows what differs;
`bless [GLOB...]` takes what they write as right; `list` names them with their CPU seconds. Nothing inside toologue is
named here: entries are commands alone, and their inputs are made by commands or lie in `in/` (see `harness.place`).

Not covered: models and endpoints, the embedder minilm, `chat`, what takes minutes.
"""
