"""The API graph: which output of one Api can feed which parameter of another (ToolDial 3.1).

    describe                   a phrase and a sentence for every entity
    rules, pairs, edges        which entities take part; the three tests; the edges, and why there is one, or none
    facets, check, check_graph what a value is; whether an edge holds when it is tried; a graph checked, with figures

Contract: an edge joins an output with a required parameter of an Api of another name; all three similarities lie
strictly above their thresholds. Equal documents and settings, equal bytes, at any number of workers.

Example:
    >>> from toologue.models.lexical import Lexical
    >>> from toologue.plan.api_graph.edges import find_edges
    >>> from toologue.schema import Api, Parameter
    >>> team = {"type": "integer", "title": "number of a football team", "description": "Which football team it is."}
    >>> search = Api(name="Search", returns={"type": "object", "properties": {"id": team}})
    >>> players = Api(name="Players", parameters={"team": Parameter(schema=team)})
    >>> graph = find_edges([search, players], Lexical(), rules="published")
    >>> [(edge.source, edge.output, edge.target, edge.parameter, edge.chosen) for edge in graph.edges]
    [('Search', 'id', 'Players', 'team', True)]

Not covered: optional parameters as targets, outputs that make up a parameter together, and units: a price in euros fits
one in dollars.
"""
