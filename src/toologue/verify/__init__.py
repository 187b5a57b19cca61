"""Verify: whether a dialogue is valid, found out apart from whoever planned and wrote it."""
