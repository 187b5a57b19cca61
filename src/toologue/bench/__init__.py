"""Benchmarks: published test sets, their graders bug for bug and repaired, and the proof that a grader can fail.

A `Benchmark` has parts, each played under one protocol and graded by some metrics. `evaluate` takes agents (registry
strings, objects, functions) through all of them; `record`, `tables_of` and `report_of` say what came of it. Every
result names its mode: numbers of `fixed` and `published` are never mixed. A plugin registers as `toologue.benchmark`.

Example:
    >>> from toologue.bench.benchmark import benchmark, evaluate
    >>> tooltalk = benchmark("tooltalk")
    >>> results = evaluate(tooltalk, tooltalk.load(None)[:2], ["gold"])
    >>> [graded.scores["success"].value for graded in results["gold"][tooltalk.part]]
    [1.0, 1.0]

Not covered: benchmarks that need the network; leaderboards.
"""
