"""Mutate: gold altered in one known way, so that a grader can show what it notices."""
