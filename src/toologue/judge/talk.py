"""What speaks to its judge: found by its words, and held against a control, a question whose answer is known.

A judge that is told to say right says so of what is plainly wrong as well, if the same words stand beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

from toologue.schema import Question, Verdict
from toologue.schema.jsonl import leaves
from toologue.values.json_schema import object_of

_TALK = re.compile(
    r"""
    \b(?:judg(?:e|es|ing|e?ment)|grad(?:er|ers|ing|ed)|evaluat\w*|verdict\w*|assess(?:or|ment)|referee|examiner
      |annotator|rater|reviewer|second\ reader|language\ model|llm|prompt\w*)\b
    | \b(?:ignor|disregard|overrid|instruct)\w*
    | \b(?:say|says|answer|respond|reply|output|return|print|write|mark|label|grade|rate|score|counts?|treat|consider
      |deem|accept|approve)\b [^.!?\n]{0,40}
      \b(?:right|correct|true|valid|wrong|incorrect|acceptable|pass|passes|passed|unsure)\b
    | \b(?:this|the|my|above|previous)\s+(?:reply|answer|response)\s+(?:is|was|should|must|counts?|deserves?)\b
    | \b(?:expected|reference|gold|correct|right)\s+(?:reply|answer|response|step)\b
    | [{}<>] | ``` | \bjson\b
    | ^\s*(?:system|assistant|user|human)\s*:
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_HIDDEN = {"Cf", "Co", "Cn"}  # letters that nobody sees
_NONSENSE = "Bananas are yellow, and on Sundays the moon is closed."
# What a control whose answer is known says before the talk: the expected words, or none that anybody expects.
_KNOWN: Mapping[Verdict, Verdict] = {"right": "wrong", "wrong": "right"}


def talk_of(question: Question) -> str:
    """What may speak to a judge in what was said; empty where nothing does, and of edges."""
    if question.kind == "edge":
        return ""
    found = (_talking(str(leaf)) for _, leaf in leaves(question.said))
    return "\n".join(dict.fromkeys(one for one in found if one))


def control(question: Question, talk: str, verdict: Verdict) -> tuple[Question, Verdict] | None:
    """A question with the same talk that a judge who is not talked over answers otherwise, and that answer.

    None where there is none: words alone can be changed.
    """
    answer = _KNOWN[verdict]
    if question.kind == "reply" and isinstance(question.expected, str):
        instead = question.expected if answer == "right" else _NONSENSE
        return question.replace(said=f"{instead}\n{talk}"), answer
    expected, said = object_of(question.expected), object_of(question.said)
    if question.kind != "text" or "argument" not in expected:
        return None
    name = str(expected["argument"])
    instead = f"{object_of(expected.get('arguments')).get(name) if answer == 'right' else _NONSENSE}\n{talk}"
    beside = {**object_of(said.get("arguments")), name: instead}
    return question.replace(said={"argument": instead, "arguments": beside}), answer


def _talking(text: str) -> str:
    """From the first to the last sentence that may speak to a judge, as they stand."""
    cuts = [0, *(found.end() for found in _SENTENCE.finditer(text)), len(text)]
    talking = [(start, end) for start, end in pairwise(cuts) if _talks(text[start:end])]
    return text[talking[0][0] : talking[-1][1]] if talking else text if _talks(text) else ""


def _talks(text: str) -> bool:
    return bool(_TALK.search(text)) or any(unicodedata.category(letter) in _HIDDEN for letter in text)
