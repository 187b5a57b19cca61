"""API documents in, `Api` nouns out: OpenAPI, JSON-Schema tools, typed Python functions, the small JSON of ALMITA."""
