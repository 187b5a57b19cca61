"""The API graph: which output of one Api can feed which parameter of another (ToolDial 3.1)."""
