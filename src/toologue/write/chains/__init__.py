"""Words for conversations about APIs: phrase banks by action and style, queries made from documentation.

    bank, lexicon     what can be said, and what is known about words (data in `banks/`)
    names, needs      parameters, outputs and Apis as people call them
    answers           results in words
    queries           openings that reach their band of the retriever
    telling, writer   turn by turn; `ChainWriter`

Not covered: languages other than English.
"""

from toologue.write.chains.queries import REASONS, Asked, Unworded
from toologue.write.chains.writer import ChainWriter

__all__ = ["REASONS", "Asked", "ChainWriter", "Unworded"]
