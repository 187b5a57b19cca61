"""Agents that ask a language model."""
