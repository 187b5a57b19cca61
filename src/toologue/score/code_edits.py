r"""CodeEdits: how many tokens are to be changed to make one program of another (Dialog2API 2.1, footnote 2).

Contract: `tokens` are Python's own (`tokenize`), without comments and blank lines; lines, indents and their ends are
tokens, how deep an indent is does not matter. A placeholder `?1` is one token. What is no Python is cut at words, texts
and signs, so any text has tokens. `edits` is the least number of tokens to insert, delete or replace.

Example:
    >>> tokens("if ?1:  # perhaps\n    return f(?1)")
    ['if', '?1', ':', '<line>', '<indent>', 'return', 'f', '(', '?1', ')', '<line>', '<dedent>']
    >>> edits("return f(?1)", "return f('a')"), edits("return f(?1)", "")
    (1, 6)

Not covered: the paper's tokenizer (`code-tokenize`), which fetches grammars from the net; its counts differ a little.
From Python 3.12 on, f-strings are cut into their parts.
"""

from __future__ import annotations

import io
import re
import textwrap
import token
import tokenize

_PLACE = re.compile(r"\?(\d+)")
_NAME = "placeholder_"
_SKIPPED = (token.COMMENT, token.NL, token.ENCODING, token.ENDMARKER)
_SHAPES = {token.NEWLINE: "<line>", token.INDENT: "<indent>", token.DEDENT: "<dedent>"}
_ROUGH = re.compile(r"""'''.*?'''|\"{3}.*?\"{3}|'[^'\n]*'|"[^"\n]*"|\?\d+|\w+|\n\s*|[^\w\s]""", re.DOTALL)


def tokens(code: str) -> list[str]:
    """The tokens of a program, whatever it is."""
    plain = textwrap.dedent(code).strip("\n")
    if not plain.strip():
        return []
    mark = _NAME
    while mark in plain:
        mark += "_"
    found = _read(_PLACE.sub(rf"{mark}\1", plain))
    if found is None:
        return ["<line>" if one[0] == "\n" else one for one in _ROUGH.findall(plain)]
    return [_SHAPES.get(one.type, one.string).replace(mark, "?") for one in found]


def edits(one: str, other: str) -> int:
    """The distance of two programs, in tokens."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(tokens(one), tokens(other))


def _read(text: str) -> list[tokenize.TokenInfo] | None:
    """Python's tokens; None where it is none."""
    try:
        found = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type not in _SKIPPED]
    except (tokenize.TokenError, SyntaxError):
        return None
    return None if any(one.type == token.ERRORTOKEN for one in found) else found
