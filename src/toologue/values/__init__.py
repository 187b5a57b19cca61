"""Typed values: comparing them. Finding them in text and making them come with the agents that need it."""
