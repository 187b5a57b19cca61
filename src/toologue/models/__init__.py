"""Models that read texts: embedders, the retriever and text similarity over them, and language models.

    embed        what an embedder is, calibrated thresholds, a cache of vectors; lexical, minilm, endpoint have one each
    index        names and vectors of their texts, ranked by a query; `retriever` finds Apis with it
    similarity   whether two texts say the same
    model        language models: the protocol, the offline fake; `client` asks those of `providers`, at their `pace`

Contract: the name of an embedder, with its weights' hash, is part of every result that used one; thresholds belong to
an embedder. Nothing is downloaded, and nothing heavy is imported before it is asked for.

Example:
    >>> from toologue.models.embed import calibrated, embedder
    >>> vectors = embedder("lexical").embed(["Pay the rent", "pay rent", "Call Ann"])
    >>> vectors.shape[0], bool(vectors[0] @ vectors[1] > 0.8 > 0.2 > vectors[0] @ vectors[2])
    (3, True)
    >>> sorted(calibrated("lexical"))
    ['confirm', 'prose', 'reply', 'source', 'suggest', 'text']

Not covered: images, sound, streaming, and training of any kind.
"""
