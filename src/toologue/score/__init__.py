"""Scores: pure functions of a gold dialogue and a trace. Similarities and judges come in as values."""
