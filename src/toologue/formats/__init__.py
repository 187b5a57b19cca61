"""Formats of others: read and written without loss where they can say what we can."""
