"""API documents in, `Api` nouns out: OpenAPI, JSON-Schema tools, RapidAPI, typed functions, the small JSON of ALMITA.

`load.apis_of` recognises a document by what it holds; each kind has a module that says what it takes. `schemas` is what
they share, `entities` shows an Api flat, `extracted` drafts the Apis that a procedure needs.

Example:
    >>> from toologue.apis.tools import read_tools
    >>> schema = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    >>> [(api.name, api.required, api.writes) for api in read_tools([{"name": "cancel_order", "input_schema": schema}])]
    [('cancel_order', ('order_id',), False)]

Not covered: addresses. Nothing is fetched; save the document first.
"""
