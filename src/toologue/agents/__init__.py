"""Agents: whoever is asked for the next turn. All of them are functions of the conversation so far."""
