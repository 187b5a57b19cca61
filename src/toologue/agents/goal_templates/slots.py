"""The slots of a wish, as words say them: places, kinds, times, sizes, order, output, texts.

Contract: pure. `slots_of` reads one clause, which asks for at most one operation: tagged words (`vocabulary`) in which
every value stands as its kind, and these values. It gives slots by name, where the words say something of them.

Example:
    >>> from toologue.agents.goal_templates.values import masked, read
    >>> words = "show the five largest files, with their dates"
    >>> slots = slots_of("#list the <number> largest #files, with their #date", tuple(read(words)), "list")
    >>> slots["sort"], slots["reverse"], slots["limit"], slots["show"]
    ('Size', True, 5, ('Size', 'LastModified'))

Not covered: times of day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toologue.agents.goal_templates.values import KINDS, MONTHS, NUMBERS, Value, city, number
from toologue.agents.goal_templates.vocabulary import cue, cues, says, words_of
from toologue.agents.goal_templates.wishes import EVERYWHERE

__all__ = ["has_noun", "slots_of"]

_TRANSFERS = ("copy", "move", "rename", "merge", "put", "")
_CONTENT = ("count", "sum", "average", "list", "read", "lines", "grep", "size", "")
_WRITES = ("put", "append", "replace", "create_bucket", "grep")
_WINDOW = 70
_RANKS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4}
_KIND_NAMES = "|".join(sorted(KINDS, key=len, reverse=True))
_KIND = re.compile(
    rf"\b({_KIND_NAMES})(?:[ -](?:#files?|ones?|exports?|reports?|tables?)\b|s\b)|(?<=est )({_KIND_NAMES})\b|\blogs?(?= #files?)|\b(logs)\b"
)
_SMALL = "and|or|what about|how about|only|just|also|now|the|same|for|please"
_ALONE = re.compile(rf"^(?:\W*(?:{_SMALL})\b)*\W*({_KIND_NAMES})s?\W*(?:too|please|only)?\W*$")
_SMALL_WORDS = "the that this whole same a in each by per top which new every is and as my our to what temporary"
_NO_FOLDER = frozenset((*NUMBERS, *MONTHS, *_SMALL_WORDS.split()))


def slots_of(text: str, values: Sequence[Value], op: str) -> dict[str, Any]:
    """The slots that a clause says something of."""
    reader = _Reader(text, values, op)
    slots: dict[str, Any] = {}
    for read_some in (
        reader.places,
        reader.kinds,
        reader.names,
        reader.times,
        reader.sizes,
        reader.order,
        reader.content,
        reader.output,
        reader.texts,
    ):
        slots |= read_some()
    loose = {name: slots.pop(name) for name in ("year", "month") if name in slots}
    return slots | ({"values": {**slots.get("values", {}), **loose}} if loose else {})


class _Reader:
    """Reads a clause; `befores` are the words before each value."""

    def __init__(self, text: str, values: Sequence[Value], op: str):
        self._text, self._values, self._op = text, values, op
        starts = [match.start() for match in re.finditer(r"<\w+>", text)]
        self._befores = [text[max(0, start - _WINDOW) : start] for start in starts]
        self._afters = [text[start : start + _WINDOW].partition(">")[2] for start in starts]

    def _each(self, *kinds: str) -> Iterator[tuple[str, str, str]]:
        """(value, words before it, words after it)."""
        for one, before, after in zip(self._values, self._befores, self._afters, strict=False):
            if one.kind in kinds:
                yield one.text, before, after

    def _of(self, kind: str) -> list[str]:
        return [text for text, _, _ in self._each(kind)]

    def _has(self, pattern: str) -> bool:
        return re.search(pattern, self._text) is not None

    def places(self) -> dict[str, Any]:
        """Buckets, files, folders: what is worked on, where it goes, what is left out."""
        found: dict[str, Any] = {"without": (), "keys": (), "buckets": ()}
        for text, before, _ in self._each("key", "ending", "prefix"):
            if _ends("except", before) and not (self._op == "copy" and re.search(r"#keep (?:a |it )?$", before)):
                found["without"] += (text,)
        for text, before, _ in self._each("key"):
            renamed = says("renamed", before)
            towards = (_ends("target", before) and not re.search(r"\bin (?:the |#file )*$", before)) or (
                self._op == "rename" and found["keys"]
            )
            if text in found["without"]:
                continue
            if (towards and self._op in ("copy", "move", "rename", "merge")) or (
                renamed and self._op in ("", "move", "copy", "merge") and (found["keys"] or self._op != "copy")
            ):
                found["to_key"] = text
            elif text not in found["keys"]:
                found["keys"] += (text,)
        for text, before, after in self._each("prefix"):
            if text in found["without"]:
                continue
            to = _ends("target", before) and not re.search(r"\bin (?:the )?(?:#folder )?$", before)
            under = re.search(r"\b(?:to|into) (?:the |our )?<bucket>,? (?:but )?(?:under|in|into|below|inside)(?: a)?(?: #folder)? $", before)
            of_key = re.search(r"<key> (?:in|under|from|inside) (?:the )?$", before) and re.search(r" (?:to|as|into) <key>", after)
            near = re.search(r"\b(?:in|under|inside)(?: \w+)?(?: #folder)? $", before)
            inside = not of_key and (under or (near and ("prefix" in found or found["keys"])))
            found["to_prefix" if (to or inside) and self._op in ("copy", "move", "rename", "put") else "prefix"] = text
        return found | self._buckets()

    def _buckets(self) -> dict[str, Any]:
        """What buckets are for: a source and a target, several of a kind, or the one that all is about."""
        found: dict[str, Any] = {}
        left: list[str] = []
        for text, before, _ in self._each("bucket"):
            strong = says("strong_target", before)
            source = says("source", before)
            if (strong and self._op in ("copy", "move", "put")) or (strong and left and self._op == ""):
                found["to_bucket"] = text
            elif source and self._op in ("copy", "move", "put"):
                left.insert(0, text)
            else:
                left.append(text)
        if says("everywhere", self._text) and self._op != "missing":
            return found | ({"bucket": EVERYWHERE, "without": tuple(left)} if not left else {"bucket": left[0]})
        several = len(left) > 1
        if several and self._op in ("copy", "move") and "to_bucket" not in found:
            return {"bucket": left[0], "to_bucket": left[-1]}
        if several and self._op in (
            "region",
            "compare",
            "list",
            "count",
            "sum",
            "delete_bucket",
            "missing",
            "common",
            "read",
            "exists",
        ):
            return found | {"bucket": left[0], "buckets": tuple(dict.fromkeys(left))}
        if several and self._op == "put" and self._has(r"\bfrom <bucket>"):
            return (
                {"bucket": left[0], "to_bucket": left[-1]} if "to_bucket" not in found else found | {"bucket": left[0]}
            )
        return found | ({"bucket": left[-1]} if left else {})

    def kinds(self) -> dict[str, Any]:
        """What names end in."""
        found: dict[str, Any] = {}
        endings = [text for text, before, _ in self._each("ending") if not _ends("except", before)]
        alone = _ALONE.match(self._text) if len(self._text) < 2 * _WINDOW else None
        kinds = [] if alone else list(_KIND.finditer(self._text))
        spared = [match for match in kinds if _ends("except", self._text[: match.start()])]
        named = [KINDS[alone[1]]] if alone else [KINDS[match[1] or match[2] or "log"] for match in kinds if match not in spared]
        if spared:
            found["without"] = tuple(KINDS[match[1] or match[2] or "log"] for match in spared)
        logs = [
            f"{match[1]}.log"
            for match in cue("worded_log").finditer(self._text)
            if not cue("stays").match(self._text, match.end())
        ]
        out = self._has(r"(?:\b(?:except|without|leave|not|but not)\b|#keep)[^,.]{0,20}\b(?:access|error|deploy) logs?")
        if logs:
            found["without" if out else "suffixes"] = tuple(logs)
        elif named and self._op not in ("put", "append", "create_bucket"):
            found["suffixes"] = tuple(dict.fromkeys(named))
        if endings and (self._op == "rename" or says("changes_ending", self._text)):
            if self._has(r"(?:rather than|instead of|not|from) <ending>\W*$"):
                endings.reverse()
            found["ending"] = endings[-1]
            found |= {"suffixes": tuple(endings[:-1])} if len(endings) > 1 else {}
        elif endings:
            found["suffixes"] = tuple(endings)
        if cue("any_case").search(self._text):
            found["any_case"] = True
        return found

    def names(self) -> dict[str, Any]:
        """What names hold; the folder that words name."""
        found: dict[str, Any] = {"whole": True} if says("whole", self._text) else {}
        if self._op not in _WRITES and self._op not in ("merge", "read", "lines"):
            quotes = self._of("quote")
            word = cue("named_word").search(self._text)
            if quotes and cue("named").search(self._text):
                found["contains"] = (quotes[0],)
            elif word:
                found["contains"] = (word[1],)
        folder, ours, noun = (
            cue("in_folder").search(self._text),
            cue("of_ours").search(self._text),
            _first_noun(self._text),
        )
        if folder and (name := folder[1] or folder[2]) not in _NO_FOLDER:
            found["values"] = {"folder": name}
        elif self._op and ours and ours[1] not in words_of("generic_nouns"):
            found |= {"needs": ("prefix",), "values": {"noun": ours[1]}}
        elif self._op and noun:
            found["values"] = {"noun": noun}
        return found | ({"flat": True} if cue("flat").search(self._text) else {})

    def content(self) -> dict[str, Any]:
        """Words that are of no class, where it may be about what is in a file."""
        if self._op not in _CONTENT:
            return {}
        said = {"": "elliptic", "sum": "anything", "count": "anything", "average": "anything"}.get(self._op, "asks_inside")
        if not cue(said).search(self._text):
            return {}
        words = re.findall(r"(?<![#@<\w'-])[a-z][a-z'-]+(?![>\w])", self._text)
        about = tuple(word.removesuffix("'s") for word in words if word not in words_of("noise"))
        by = cue("by_column").search(self._text)
        return ({"about": about} if about else {}) | ({"group": by[1]} if by and by[1] not in words_of("noise") else {})

    def times(self) -> dict[str, Any]:
        """Comparisons with the date of change; a year that may be a folder stays in `values`."""
        moments: list[tuple[str, str]] = []
        loose, month, dated = "", "", bool(cue("dated").search(self._text))
        for text, before, after in self._each("date"):
            if text.startswith("-") and not dated:
                month = text
                continue
            if re.match(r"\W+no\b", after):
                continue  # taken back in the same breath
            if _ends("except", before) and "but" not in before:
                moments.append(("!=", text))
                continue
            sign = next((sign for pattern, sign in cues("relations") if pattern.search(before)), "==")
            onwards = re.match(r"\W*(?:on\b|onwards?|or later|and later|and newer)", after)
            if sign == ">=" and re.search(r"\bfrom $", before):
                sign = ">=" if onwards else "=="
            sign = ">=" if onwards else sign
            if sign != "==" or dated or len(text) > 4 or re.search(r"\bevery\w+ from $", before):
                moments.append((sign, text))
            else:
                loose = text
        if self._has(r"\bbetween <date> and <date>") and len(moments) > 1:
            moments = [(">=", moments[0][1]), ("<=", moments[1][1])]
        found: dict[str, Any] = {"moments": tuple(moments)} if moments and self._op not in _WRITES else {}
        return found | ({"year": loose} if loose else {}) | ({"month": month} if month and not moments else {})

    def sizes(self) -> dict[str, Any]:
        """Comparisons with the size."""
        found: list[tuple[str, int]] = []
        for text, before, after in self._each("size"):
            around = f"{before[-30:]} {after[:14]}"
            found += [
                (sign, int(text))
                for sign in [next((sign for pattern, sign in cues("size_relations") if pattern.search(around)), "")]
                if sign
            ]
        if not found and self._has(
            r"\bempty (?:#files?|ones?)\b|(?:#files?|\bwhich|\bthat|\bthey) (?:are|is) (?:\w+ )?empty\b|\bno #content\b|\bnothing (?:\w+ )?in (?:it|them)\b|\b(?:zero|no|without) #size\b|\b(?:zero|<number>)-#?bytes?\b"
        ):
            found = [("==", 0)]
        return {"sizes": tuple(found)} if found else {}

    def order(self) -> dict[str, Any]:
        """How it is sorted, and how many are wanted."""
        found: dict[str, Any] = {}
        for pattern, field, back in cues("sorts"):
            if pattern.search(self._text):
                back = not back if re.search(r"\b(?:revers|backwards|other way)", self._text) else back
                found = {
                    "sort": field,
                    "reverse": (back or bool(cue("back").search(self._text))) and not cue("forward").search(self._text),
                }
                break
        numbers, top, rank = self._of("number"), cue("top").search(self._text), cue("rank").search(self._text)
        if rank:
            found |= {"rank": _RANKS[rank[1]], "limit": 1}
        elif top and numbers and self._op != "merge":
            place = self._text[: top.start()].count("<number>")
            found["limit"] = number(numbers[min(place, len(numbers) - 1)])
        elif (
            found.get("sort") in ("Size", "LastModified")
            and self._superlative()
            and not cue("superlative_many").search(self._text)
        ):
            found["limit"] = 1
        elif found.get("sort") == "Size" and cue("largest_many").search(self._text):
            found["needs"] = ("limit",)
        if self._op in ("head", "read", "lines") and (self._of("key") or self._op == "head"):
            found = {key: value for key, value in found.items() if key not in ("sort", "rank", "needs")}
        if self._op == "head":
            found["reverse"] = self._has(r"\b(?:last|bottom|final)\b")
            found["limit"] = number(numbers[-1]) if numbers else 2 if self._has(r"couple of #lines") else 1
        return found

    def _superlative(self) -> bool:
        return says("superlative_one", self._text)

    def output(self) -> dict[str, Any]:
        """What is told beside names, and what it is told by."""
        largest = self._op in ("list", "") and says("largest", self._text) and not (
            self._superlative() and not any(cue(name).search(self._text) for name in ("superlative_many", "top"))
        )
        sized = cue("show_size").search(self._text) or largest
        dated = cue("show_date").search(self._text) or self._has(r"#changed last\b|\blast (?:thing|#file|one)(?: that)?(?: was)? #changed\b")
        show = (*(("Size",) if sized else ()), *(("LastModified",) if dated else ()))
        only = self._has(r"\b(?:just|only) (?:the |their )?names\b|\bnames only\b|\bwithout (?:the )?#(?:size|date)")
        group = next((name for pattern, name in cues("groups") if pattern.search(self._text)), "")
        found: dict[str, Any] = {"show": show} if show and not only else {}
        return found | ({"group": group} if group else {})

    def texts(self) -> dict[str, Any]:
        """What is written or looked for: bodies, replaced words, regions."""
        found: dict[str, Any] = {}
        quotes, regions = self._of("quote"), self._of("region")
        if regions or self._op == "create_bucket":
            found["region"] = regions[-1] if regions else city(self._text)
        if self._op == "replace" and len(quotes) > 1:
            found |= {"old": quotes[0], "new": quotes[1]}
        elif self._op == "replace" and (pair := cue("swapped_words").search(self._text)):
            found |= {"old": pair[1], "new": pair[2]}
        elif self._op in ("grep", "lines", "read", "count", "drop_lines"):
            word = cue("mentioned").search(self._text) if self._op in ("grep", "lines", "drop_lines") else None
            number, line = cue("with_number").search(self._text), cue("line_with").search(self._text)
            if quotes:
                found["old"] = quotes[0]
            elif number and self._op in ("lines", "read"):
                found["old"] = self._of("number")[self._text[: number.start()].count("<number>")]
            elif self._op == "drop_lines" and (crossed := cue("crossed_off").search(self._text)):
                found["old"] = crossed[1]
            elif line and self._op in ("lines", "read"):
                found["old"] = line[1]
            elif word and word[1] not in words_of("generic_nouns"):
                found["old"] = word[1].strip()
        elif self._op == "" and (line := cue("line_with").search(self._text)):
            found["old"] = line[1]
        elif self._op in ("put", "append", "") and quotes:
            found["body"] = "\n".join(quotes) if "#line" in self._text and len(quotes) > 1 else quotes[-1]
        if self._op in ("put", "copy", "create_bucket") and says("unless", self._text):
            found["unless"] = True
        return found


def _first_noun(text: str) -> str:
    return next((match[1] for match in cue("noun").finditer(text) if match[1] not in words_of("generic_nouns")), "")


def has_noun(text: str) -> bool:
    """Whether a clause is about things that may be files: "our contracts"."""
    return bool(_first_noun(text))


def _ends(name: str, before: str) -> bool:
    """Whether a cue stands right before a value."""
    return cue(name).search(before) is not None
