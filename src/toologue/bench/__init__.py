"""Benchmarks: published test sets, their graders bug for bug and repaired, and the proof that a grader can fail."""
