"""How varied texts are: values masked, distinct n-grams, self-BLEU, entropy.

    masked      a text without its values: what a call gave or a customer told becomes ◇, other numbers 0. Two texts
                that differ in a name or a sum alone are then one
    distinct    different n-grams over all n-grams (Li et al. 2016): 1 where nothing is said twice
    self_bleu   the mean BLEU-4 of each text against all others (Zhu et al. 2018): 1 where every text stands twice
    entropy     bits; `evenness` is its share of the most that so many outcomes can have

Contract: pure, of token n-grams, exact, and linear in the length of all texts: what an n-gram counts at most in the
*other* texts is the highest count of all, or the second highest for the text that holds the highest. Texts of fewer
than four tokens have n-grams up to their own length; an order without any match counts 0.1 matches (NLTK's first
smoothing); the brevity penalty takes the nearest length of another text, of two the shorter. None where there is
nothing to compare.

Example:
    >>> masked("It left on 3 May, Ms Roe.", ["Ms Roe", "3 May"])
    'It left on ◇, ◇.'
    >>> round(distinct(["a b a", "a c"], 1), 2), distinct(["a b a", "a c"], 2)
    (0.6, 1.0)
    >>> self_bleu(["how do you do", "how do you do"]), self_bleu(["one"])
    (1.0, None)
    >>> entropy([2, 2]), evenness([3, 1]) < evenness([2, 2])
    (1.0, True)

Not covered: what texts mean; two wordings of one thing count as different.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import exp, log, log2

_TOKEN = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
_NUMBER = re.compile(r"\b(?:[\w.+-]+@[\w.-]*\w|(?=[\w-]*\d)[\w-]+(?:[.,:]\d+)*)")
_ORDERS, _SMOOTH = 4, 0.1
Gram = tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Words and marks, in small letters."""
    return _TOKEN.findall(text.casefold())


def masked(text: str, values: Iterable[str]) -> str:
    """A text without these values, e-mail addresses and numbers."""
    for value in sorted({value for value in values if len(value) > 1}, key=lambda value: (-len(value), value)):
        text = _without(text, value)
    return _NUMBER.sub("0", text)


def distinct(texts: Iterable[str], size: int) -> float | None:
    """The share of n-grams of this size that are different."""
    found, total = set[Gram](), 0
    for text in texts:
        grams = list(_grams(tokens(text), size))
        found.update(grams)
        total += len(grams)
    return len(found) / total if total else None


def self_bleu(texts: Iterable[str]) -> float | None:
    """How alike texts are, from 0 to 1."""
    cut = [words for text in texts if (words := tokens(text))]
    if len(cut) < 2:
        return None
    most = _most(cut)
    lengths = sorted(map(len, cut))
    return sum(_bleu(words, most, lengths) for words in cut) / len(cut)


def entropy(counts: Iterable[int]) -> float:
    """The entropy of a distribution that is given as counts, in bits."""
    held = [count for count in counts if count]
    total = sum(held)
    return sum(count / total * log2(total / count) for count in held)


def evenness(counts: Iterable[int]) -> float | None:
    """Entropy over the entropy of as many draws that are all different; None for fewer than two draws."""
    held = list(counts)
    total = sum(held)
    return entropy(held) / log2(total) if total > 1 else None


def _without(text: str, value: str) -> str:
    """◇ for a value wherever it stands by itself, in whatever case. A pattern would have to be compiled for each."""
    folded, wanted = (one.lower() if len(one.lower()) == len(one) else one for one in (text, value))
    kept, start, at = list[str](), 0, folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        alone = not any(sign.isalnum() or sign == "_" for sign in (text[max(at - 1, 0) : at] + text[end : end + 1]))
        if alone:
            kept += (text[start:at], "◇")
            start = end
        at = folded.find(wanted, end if alone else at + 1)
    return "".join((*kept, text[start:]))


def _grams(words: Sequence[str], size: int) -> Iterator[Gram]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def _most(cut: Iterable[Sequence[str]]) -> dict[Gram, tuple[int, int]]:
    """How often each n-gram stands in one text: the highest count, and the second highest."""
    most: dict[Gram, tuple[int, int]] = {}
    for words in cut:
        for size in range(1, _ORDERS + 1):
            for gram, count in Counter(_grams(words, size)).items():
                first, second = most.get(gram, (0, 0))
                most[gram] = (count, first) if count > first else (first, max(second, count))
    return most


def _bleu(words: Sequence[str], most: dict[Gram, tuple[int, int]], lengths: Sequence[int]) -> float:
    """BLEU of one text against all others."""
    orders = range(1, min(_ORDERS, len(words)) + 1)
    logs = 0.0
    for size in orders:
        matched = 0
        for gram, count in Counter(_grams(words, size)).items():
            first, second = most[gram]
            matched += min(count, second if count == first else first)
        logs += log((matched or _SMOOTH) / (len(words) - size + 1))
    return _brevity(len(words), lengths) * exp(logs / len(orders))


def _brevity(length: int, lengths: Sequence[int]) -> float:
    """The penalty for being shorter than the other text whose length is nearest. `lengths` are sorted."""
    place = bisect_left(lengths, length)
    others = [*lengths[max(0, place - 1) : place], *lengths[place + 1 : place + 2]]
    nearest = min(others, key=lambda other: (abs(other - length), other))
    return min(1.0, exp(1 - nearest / length))
