"""The plan stage: what a conversation shall be about, before anybody writes it."""
