"""The slots of a wish, as words say them: places, kinds, times, sizes, order, output, texts.

Contract: a `Reader` reads one part of what was said, which asks for at most one operation; each of its methods gives
slots by name, where the words say something of them.

Example:
    >>> from toologue.agents.goal_templates.values import masked, read
    >>> words = "the five largest files, with their dates"
    >>> values = read(words)
    >>> reader = Reader(words, masked(words, values), values, "list")
    >>> reader.order(), reader.shown()
    ({'sort': 'Size', 'reverse': True, 'limit': 5}, {'show': ('Size', 'LastModified')})

Not covered: times of day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toologue.agents.goal_templates.lexicon import cue, says
from toologue.agents.goal_templates.values import KINDS, MONTHS, NUMBERS, Value, city, masked, number
from toologue.agents.goal_templates.wishes import EVERYWHERE

__all__ = ["Reader"]

_TRANSFERS = ("copy", "move", "rename", "merge", "compare")


_LARGEST = r"largest|biggest|heaviest|longest"


_NEWEST = (
    r"newest|latest|most recent(?:ly \w+)?|changed last|last changed|last modified|modified last|youngest|freshest"
)


_SORTS = (
    (_LARGEST, "Size", True),
    (r"smallest|lightest|shortest", "Size", False),
    (_NEWEST, "LastModified", True),
    (r"oldest|least recent(?:ly \w+)?|longest ago", "LastModified", False),
    (r"alphabetical(?:ly)?|(?:sorted |ordered )?by name|a to z|a-z", "Key", False),
    (r"(?:sort\w*|order\w*|rank\w*) (?:\w+ )?by (?:their )?size", "Size", False),
    (r"(?:sort\w*|order\w*|rank\w*) (?:\w+ )?by (?:their )?(?:date|age)", "LastModified", False),
)


_SUPERLATIVE = rf"(?:{_LARGEST}|smallest|{_NEWEST}|oldest)"


_ONE = re.compile(
    rf"\b(?:the|single|our|my|its) (?:single |very )?{_SUPERLATIVE}(?: (?:file|one|object|log|key|bucket|order|"
    rf"invoice|report|\w+ file)\b(?!s)|\W*$)"
    rf"|\bwhich (?:\S+ ){{0,6}}(?:is|was|has been) (?:the )?(?:\w+ )?(?:{_SUPERLATIVE}|changed last|the last)"
)


_TOP = re.compile(
    rf"(?P<a><number>) (?:{_SUPERLATIVE})|\b(?:top|first|last|only the|just the) (?P<b><number>)|"
    rf"(?P<c><number>) of them|(?P<d><number>) (?:is|are|will do)"
)


_RELATIONS = (
    (r"(?:not|n't|nobody|never)\b.{0,30}\bsince $", "<"),
    (r"\b(?:before|older than|prior to|earlier than)(?: the| of)? ?$", "<"),
    (r"\b(?:after|newer than|later than|past) ?$", ">"),
    (r"\b(?:since|from|as of|starting(?: in| from)?)(?: the)? ?$", ">="),
    (r"\b(?:until|up to|through|till|to the end of|by the end of) ?$", "<="),
    (r"\b(?:in|of|from|during|on|is|was|dated|for) ?$", "=="),
)


_CHANGED = re.compile(
    r"(?<!<)\b(?:chang|modif|touch|updat|edit|creat|writ|upload|add|dat(?:e|ing)|older|newer|since|before|"
    r"after|earlier|later|until)\w*"
)


_SIZE = (
    (r"(?:at least|or more|minimum)", ">="),
    (r"(?:at most|up to|no more than|maximum)", "<="),
    (r"(?:larger|bigger|over|more|greater|above|exceed\w*|heavier|longer)", ">"),
    (r"(?:smaller|less|under|below|fewer|lighter|shorter)", "<"),
)


_CONTAINS = re.compile(
    r"<quote>(?= (?:(?:somewhere )?in|as part of|inside) (?:\w+ )?(?:file ?)?(?:name|key)s?)|(?:name|key|"
    r"called|says?|containing|contains?|"
    r"with|include\w*|named)s?(?: \w+)? <quote>"
)


_CONTAINS_WORD = re.compile(
    r"\b(?:says?|contains?|containing|has|have|with|word) (?:the word )?(?!the\b|a\b|an\b|more\b|"
    r"less\b)(\w+)(?: \w+)? (?:somewhere|in (?:the|its|their) (?:file ?)?names?)\b"
)


_KIND = re.compile(
    rf"\b({'|'.join(sorted(KINDS, key=len, reverse=True))})(?:[ -](?:files?|ones?|exports?|documents?|"
    rf"objects?)\b|s\b)|\blog(?= files?)"
)


_WORDED_LOG = re.compile(r"\b(access|error) logs\b")


_BARE_KIND = re.compile(
    rf"^\W*(?:and|or|what about|how about|only|just|and what about)? ?(?:the )?({'|'.join(KINDS)})s?\W*$"
)


_STAYS = re.compile(r"\W*(?:we|i|you|they|can|should|must)? ?(?:keep|stay|remain|need)\b")


_OF_OURS = re.compile(r"\b(?:which|any|most|some) of (?:our|my|the) ([a-z]+s)\b")


_NOUN = re.compile(
    r"\b(?:list of (?:the|all|our|my)|list (?:all )?(?:the|our|my)|the(?: <date>)?|our(?: <date>)?|all the) ([a-z]+s)\b"
)


_ANY_CASE = re.compile(
    r"\b(?:any case|either case|upper ?case|lower ?case|whether|capitals?|don't miss|(?<!in )case)\b"
)
_SHOW_SIZE = re.compile(
    r"\b(?:(?:with|and|plus|their|the|by|include|including) (?:the |their |its )?(?:file )?sizes?|how (?:big|"
    r"large) (?:each|they|it|every)|sizes? (?:next|too|as well|beside|of each))\b"
)


_SHOW_DATE = re.compile(
    r"\b(?:(?:with|and|plus|their|the|include|including) (?:the |their |its )?(?:creation |change )?dates?|"
    r"when (?:each|they|it|every)|dates? (?:next|too|as well|beside|each|of)|when .{0,20}(?:created|made|"
    r"changed))\b"
)


_GROUP = (
    (r"\b(?:by|per|each|every|which|for each) (?:top[- ]?(?:level )?)?(?:folder|directory|prefix)\b", "folder"),
    (r"\b(?:by|per|each|every|for each|what) (?:file )?(?:type|extension|ending|kind|format)s?\b", "extension"),
    (r"\b(?:by|per|in each|in every|for each|for every|each) (?:of (?:my|our|the) )?buckets?\b", "bucket"),
)


_SAYING = re.compile(
    (
        r"\b(?:that says|saying|which says|with the (?:text|content|words?)|it should say|containing|reading|"
        r"that reads|content:)\W+(?P<body>[^\n]+?)\W*$"
    ),
    re.IGNORECASE,
)


_INTO = re.compile(r"\s+(?:to|in|into|and put it in)\s+(?:the bucket )?[\w-]+-[\w-]+$")
_MENTIONED = re.compile(r"\b(?:mention|contain|include)s?(?:ing)? (?:the word |the name )?([\w ]+?)\W*(?:$|\bin\b)")
_FLAT = re.compile(
    r"\b(?:no folders?|without (?:the |any )?folders?|just the (?:file ?)?names?|only the file ?names?|flat)\b"
)


_FOLDER = re.compile(r"\b(?:the |that |our )?([\w-]+) (?:sub)?folder\b|\bfolder (?:called |named )?([\w-]+)")


class Reader:
    """Reads the slots of one part, a kind at a time."""

    def __init__(self, part: str, mask: str, values: Sequence[Value], op: str):
        self._part, self._mask, self._values, self._op = part, mask, values, op

    def _before(self, value: Value) -> str:
        """The words before a value, with the earlier values masked."""
        return masked(self._part[: value.start], [one for one in self._values if one.end <= value.start]).lower()

    def _is(self, role: str, value: Value) -> bool:
        before = re.sub(r"<\w+>(?: and |, )$", "", self._before(value))
        return cue(role).search(before) is not None

    def places(self) -> dict[str, Any]:
        """Buckets, files, folders: what is worked on, where it goes, what is left out."""
        found: dict[str, Any] = {"without": (), "keys": (), "buckets": ()}
        buckets: list[str] = []
        transfers = self._op in _TRANSFERS or not self._op
        for one in self._values:
            target = transfers and self._is("target", one)
            if one.kind in ("key", "prefix", "ending") and self._is("except", one):
                found["without"] += (one.text,)
            elif one.kind == "bucket":
                if (self._op in ("copy", "move", "put") and target) or (target and buckets and self._op != "compare"):
                    found["to_bucket"] = one.text
                else:
                    buckets.append(one.text)
            elif one.kind == "key":
                renamed = self._op in ("", "put") and re.search(r"\b(?:call it|name it|as)\W*$", self._before(one))
                if (target and self._op in _TRANSFERS) or (renamed and self._op == ""):
                    found["to_key"] = one.text
                elif one.text not in found["keys"]:
                    found["keys"] += (one.text,)
            elif one.kind == "prefix":
                under = re.search(r"\bunder(?: \w+)?\s$", self._before(one)) and ("prefix" in found or found["keys"])
                to = (target and self._op in ("copy", "move", "rename")) or (under and self._op in ("copy", "move"))
                found["to_prefix" if to else "prefix"] = one.text
        return found | self._buckets(buckets)

    def _buckets(self, buckets: Sequence[str]) -> dict[str, Any]:
        if says("everywhere", self._mask):
            return {"bucket": EVERYWHERE, "without": tuple(buckets)} if not buckets else {"bucket": buckets[0]}
        if len(buckets) > 1 and self._op in ("region", "compare", "list", "count", "sum", "delete_bucket", "missing"):
            return {"bucket": buckets[0], "buckets": tuple(dict.fromkeys(buckets))}
        if len(buckets) > 1 and self._op == "copy":
            return {"bucket": buckets[0], "to_bucket": buckets[-1]}
        return {"bucket": buckets[-1]} if buckets else {}

    def kinds(self) -> dict[str, Any]:
        """What names end in, and hold; the folder that words name."""
        found: dict[str, Any] = {}
        endings = [one for one in self._values if one.kind == "ending" and not self._is("except", one)]
        bare = _BARE_KIND.match(self._mask)
        named = [KINDS[bare[1]]] if bare else [KINDS.get(match[1] or "log", "") for match in _KIND.finditer(self._mask)]
        logs = [
            f"{match[1]}.log" for match in _WORDED_LOG.finditer(self._mask) if not _STAYS.match(self._mask, match.end())
        ]
        out = re.search(r"\b(?:except|without|leave|skip|not|but not)\b[^,.]{0,20}\b(?:access|error) logs?", self._mask)
        if logs:
            found["without" if out else "suffixes"] = tuple(logs)
        elif named and self._op not in ("put", "append", "create_bucket"):
            found["suffixes"] = tuple(dict.fromkeys(named))
        if endings:
            texts = [one.text for one in endings]
            changes = self._op == "rename" or re.search(r"\b(?:make (?:it|them|that)|is better|instead)\b", self._mask)
            if changes:
                found["ending"] = texts[-1]
                if len(texts) > 1:
                    found["suffixes"] = tuple(texts[:-1])
            else:
                found["suffixes"] = tuple(texts)
        if found.get("suffixes") and _ANY_CASE.search(self._mask):
            found["any_case"] = True
        return found | self._contains() | self._whole()

    def _contains(self) -> dict[str, Any]:
        quotes = [one.text for one in self._values if one.kind == "quote"]
        if self._op in ("put", "append", "replace", "grep", "merge"):
            return {}
        if quotes and _CONTAINS.search(self._mask):
            return {"contains": (quotes[0],)}
        word = _CONTAINS_WORD.search(self._mask)
        return {"contains": (word[1],)} if word else {}

    def _whole(self) -> dict[str, Any]:
        found: dict[str, Any] = {"whole": True} if says("whole", self._mask) else {}
        folder = _FOLDER.search(self._mask)
        if folder and (name := folder[1] or folder[2]) not in _NO_FOLDER:
            found["values"] = {"folder": name}
        elif self._op and (noun := _OF_OURS.search(self._mask)) and noun[1] not in _GENERIC:
            found |= {"needs": ("prefix",), "values": {"noun": noun[1]}}
        elif self._op and (noun := _NOUN.search(self._mask)) and noun[1] not in _GENERIC:
            found["values"] = {"noun": noun[1]}
        if _FLAT.search(self._mask):
            found["flat"] = True
        return found

    def times(self) -> dict[str, Any]:
        """Comparisons with the date of change; a year that may be a folder stays in `values`."""
        moments: list[tuple[str, str]] = []
        loose: dict[str, str] = {}
        for one in (one for one in self._values if one.kind == "date"):
            before = self._before(one)
            if re.match(r"\W+no\b", self._part[one.end :].lower()):
                continue  # taken back in the same breath
            sign = next((sign for pattern, sign in _RELATIONS if re.search(pattern, before)), "==")
            onwards = re.match(r"\W*(?:on\b|onwards?|or later|and later|and newer)", self._part[one.end :].lower())
            if sign == ">=" and re.search(r"\bfrom $", before):
                sign = ">=" if onwards else "=="
            if sign != "==" or _CHANGED.search(self._mask) or re.search(r"\bevery\w+ from $", before):
                moments.append((sign, one.text))
            else:
                loose["year"] = one.text
        between = re.search(r"\bbetween <date> and <date>", self._mask)
        if between and len(moments) > 1:
            moments = [(">=", moments[0][1]), ("<=", moments[1][1])]
        return ({"moments": tuple(moments)} if moments else {}) | ({"year": loose["year"]} if loose else {})

    def sizes(self) -> dict[str, Any]:
        """Comparisons with the size."""
        found: list[tuple[str, int]] = []
        for one in (one for one in self._values if one.kind == "size"):
            around = f"{self._before(one)[-30:]} {self._part[one.end : one.end + 12].lower()}"
            sign = next((sign for pattern, sign in _SIZE if re.search(pattern, around)), "")
            found += [(sign, int(one.text))] if sign else []
        if not found and re.search(
            r"\bempty (?:file|object|one)s?\b|\b(?:files?|which|that|they) (?:are|is) empty\b", self._mask
        ):
            found = [("==", 0)]
        return {"sizes": tuple(found)} if found else {}

    def order(self) -> dict[str, Any]:
        """How it is sorted, and how many are wanted."""
        found: dict[str, Any] = {}
        for pattern, field, back in _SORTS:
            if re.search(rf"\b(?:{pattern})\b", self._mask):
                found = {
                    "sort": field,
                    "reverse": back or bool(re.search(r"\b(?:revers|descending|backwards)", self._mask)),
                }
                break
        numbers = [one.text for one in self._values if one.kind == "number"]
        top = _TOP.search(self._mask)
        if top and numbers and self._op != "merge":
            before = self._mask[: top.start()].count("<number>")
            found["limit"] = number(numbers[min(before, len(numbers) - 1)])
        elif (
            found
            and (_ONE.search(self._mask))
            and not re.search(r"(?:largest|newest|biggest|oldest) (?:first|at the top)", self._mask)
        ):
            found["limit"] = 1
        elif found.get("sort") == "Size" and re.search(r"\b(?:largest|biggest|smallest) (?:\w+s)\b", self._mask):
            found["needs"] = ("limit",)
        if self._op == "head":
            found |= {"reverse": bool(re.search(r"\b(?:last|bottom|final)\b", self._mask)), "sort": ""}
            found["limit"] = number(numbers[-1]) if numbers and re.search(r"<number>", self._mask) else 1
        return found

    def shown(self) -> dict[str, Any]:
        """What is told beside names, and what it is told by."""
        sized = _SHOW_SIZE.search(self._mask) or (self._op in ("list", "") and re.search(_LARGEST, self._mask))
        dated = _SHOW_DATE.search(self._mask) or re.search(r"\b(?:changed|modified) last\b|\bwhen\b", self._mask)
        show = (*(("Size",) if sized else ()), *(("LastModified",) if dated else ()))
        group = next((name for pattern, name in _GROUP if re.search(pattern, self._mask)), "")
        found: dict[str, Any] = {"show": show} if show else {}
        return found | ({"group": group} if group else {})

    def texts(self) -> dict[str, Any]:
        """What is written: bodies, replaced words, regions."""
        found: dict[str, Any] = {}
        quotes = [one.text for one in self._values if one.kind == "quote"]
        region = [one.text for one in self._values if one.kind == "region"]
        if region or self._op == "create_bucket":
            found["region"] = region[-1] if region else city(self._mask)
        if self._op == "replace" and len(quotes) > 1:
            found |= {"old": quotes[0], "new": quotes[1]}
        elif self._op == "grep" and quotes:
            found["old"] = quotes[0]
        elif self._op == "grep" and (word := _MENTIONED.search(self._mask)):
            found["old"] = word[1].strip()
        elif self._op in ("put", "append", "") and quotes:
            found["body"] = "\n".join(quotes) if "line" in self._mask and len(quotes) > 1 else quotes[-1]
        elif self._op in ("put", "append") and (saying := _SAYING.search(self._part)):
            found["body"] = _INTO.sub("", saying["body"])
        return found


_GENERIC = frozenset(
    [
        "files",
        "objects",
        "buckets",
        "logs",
        "folders",
        "ones",
        "names",
        "sizes",
        "dates",
        "others",
        "csvs",
        "keys",
        "contents",
        "lines",
        "rows",
        "bytes",
        "things",
        "regions",
        "copies",
        "words",
        "parts",
    ]
)
_SMALL = "the that this whole same a in each per by top which new every is and as my our to what"
_NO_FOLDER = frozenset((*NUMBERS, *MONTHS, *_SMALL.split()))
