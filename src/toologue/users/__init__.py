"""Users: whoever the agent talks to in a `live` conversation."""
