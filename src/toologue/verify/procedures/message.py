"""Whether a reply has the words of its own message, or plainly those of another message of the procedure.

Of the telling words of a message (without endings, without the commonest) some share is in the reply. A reply that has
much more of another message than of its own, two words of the other's alone among it, is the other's. A paraphrase has
few words of anybody's, and passes.

Example:
    >>> from toologue.schema import Node
    >>> lost = Node(id="N1", type="assistant", text="Say that the carrier lost the parcel and money follows")
    >>> late = Node(id="N2", type="assistant", text="Say that Friday is delivery day")
    >>> mistaken("The carrier lost your parcel, so your money follows.", late, (lost, late))
    'N1'
    >>> mistaken("It is two days away.", late, (lost, late)), mistaken("The carrier lost it.", lost, (lost, late))
    ('', '')

Not covered: the opposite of what is to be said, in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from toologue.schema import Node

_COMMON_WORDS = """
    about again all also and another any are ask because been but can could does for from get got had has have her him
    his how into its know let like look may might mind more much need not now off one only other our out please say
    she should some tell than thank that the their them then there these they this those too want was were what when
    where whether which who why will with within would yes you your yours
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_MOST, _MORE, _ALONE = 0.6, 0.5, 2


def mistaken(text: str, own: Node, messages: Iterable[Node]) -> str:
    """The id of the message whose words a reply has, where that is not its own; else nothing."""
    said, mine = _words(text), _told(own.text)
    if not mine:
        return ""
    most, whose = max(_MOST, _share(said, mine) + _MORE), ""
    for message in messages:
        words = _told(message.text)
        if len((words - mine) & said) >= _ALONE and (share := _share(said, words)) >= most:
            most, whose = share, message.id
    return whose


def _share(said: frozenset[str], words: frozenset[str]) -> float:
    return len(words & said) / len(words)


@lru_cache(maxsize=8192)
def _told(message: str) -> frozenset[str]:
    return _words(re.sub(r"\{[^{}]*\}", " ", message))


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]{3,}", text.casefold())
    return frozenset(word[:6].rstrip("s") for word in found if word not in _COMMON)
