"""Whole jobs: from procedures to a suite of verified conversations, and from a suite to a verdict."""
