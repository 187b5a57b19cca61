"""Worlds: what acts are executed in. A world is state, tools that change it, and the way back."""
