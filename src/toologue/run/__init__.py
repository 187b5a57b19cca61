"""Runs: cases made from dialogues, played concurrently, kept in a folder that survives anything."""
