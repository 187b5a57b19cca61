"""The slots of a wish, as words say them: places, kinds, times, sizes, order, output, texts.

Contract: pure. `slots_of` reads one clause, which asks for at most one operation: tagged words (`vocabulary`) in which
every value stands as its kind, and these values. It gives slots by name, where the words say something of them; by
which words they do, cues.yaml says.

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
from functools import cache
from typing import Any

from toologue.agents.goal_templates.values import KINDS, MONTHS, NUMBERS, Value, city, number
from toologue.agents.goal_templates.vocabulary import cue, cues, says, words_of
from toologue.agents.goal_templates.wishes import EVERYWHERE

__all__ = ["has_noun", "slots_of"]

_WINDOW = 70
_RANKS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4}
_WRITES = ("put", "append", "replace", "create_bucket", "grep")
_FOR_SEVERAL = ("region", "compare", "list", "count", "sum", "delete_bucket", "missing", "common", "read", "exists")
_INSIDE = {"": "elliptic", "sum": "anything", "count": "anything", "average": "anything"} | dict.fromkeys(
    ("list", "read", "lines", "grep", "size"), "asks_inside"
)
"""The cue of what is asked about the inside of a file, by operation."""


def slots_of(text: str, values: Sequence[Value], op: str) -> dict[str, Any]:
    """The slots that a clause says something of."""
    reader = _Reader(text, values, op)
    slots: dict[str, Any] = {}
    for part in ("places", "buckets", "kinds", "names", "times", "sizes", "order", "content", "output", "texts"):
        slots |= getattr(reader, part)()
    loose = {name: slots.pop(name) for name in ("year", "month") if name in slots}
    return slots | ({"values": {**slots.get("values", {}), **loose}} if loose else {})


def has_noun(text: str) -> bool:
    """Whether a clause is about things that may be files: "our contracts"."""
    return bool(_first_noun(text))


class _Reader:
    """Reads a clause."""

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

    def _says(self, *names: str) -> bool:
        return any(says(name, self._text) for name in names)

    def _word(self, name: str) -> str:
        """The first word that a cue catches."""
        match = cue(name).search(self._text)
        return "" if match is None else next((one for one in match.groups() if one), "")

    def places(self) -> dict[str, Any]:
        """Files and folders: what is worked on, where it goes, what is left out."""
        found: dict[str, Any] = {"without": (), "keys": ()}
        for text, before, _ in self._each("key", "ending", "prefix"):
            if says("except", before) and not (self._op == "copy" and says("kept_copy", before)):
                found["without"] += (text,)
        for text, before, _ in self._each("key"):
            towards = (says("target", before) and not says("in_it", before)) or (self._op == "rename" and found["keys"])
            named = says("renamed", before) and (found["keys"] or self._op != "copy")
            if text in found["without"]:
                continue
            if (towards and self._op in ("copy", "move", "rename", "merge")) or (
                named and self._op in ("", "move", "copy", "merge")
            ):
                found["to_key"] = text
            elif text not in found["keys"]:
                found["keys"] += (text,)
        for text, before, after in self._each("prefix"):
            if text in found["without"]:
                continue
            to = says("target", before) and not says("in_folder_before", before)
            inside = says("near_folder", before) and ("prefix" in found or found["keys"])
            inside = inside and not (says("of_a_key", before) and says("to_a_key", after))
            away = to or inside or says("under_target", before)
            found["to_prefix" if away and self._op in ("copy", "move", "rename", "put") else "prefix"] = text
        return found

    def buckets(self) -> dict[str, Any]:
        """What buckets are for: a source and a target, several of a kind, or the one that all is about."""
        found: dict[str, Any] = {}
        left: list[str] = []
        transfers = self._op in ("copy", "move", "put")
        for text, before, _ in self._each("bucket"):
            if says("strong_target", before) and (transfers or (left and self._op == "")):
                found["to_bucket"] = text
            else:
                left.insert(0 if transfers and says("source", before) else len(left), text)
        if self._says("everywhere") and self._op != "missing":
            return found | ({"bucket": left[0]} if left else {"bucket": EVERYWHERE, "without": ()})
        if len(left) > 1:
            if self._op == "create_bucket" and not self._of("region"):
                return {"bucket": left[0], "region": left[1]}
            if "to_bucket" not in found and (
                self._op in ("copy", "move") or (self._op == "put" and self._says("from_bucket"))
            ):
                return {"bucket": left[0], "to_bucket": left[-1]}
            if self._op in _FOR_SEVERAL:
                return found | {"bucket": left[0], "buckets": tuple(dict.fromkeys(left))}
            if self._op == "put" and self._says("from_bucket"):
                return found | {"bucket": left[0]}
        return found | ({"bucket": left[-1]} if left else {})

    def kinds(self) -> dict[str, Any]:
        """What names end in."""
        found: dict[str, Any] = {}
        endings = [text for text, before, _ in self._each("ending") if not says("except", before)]
        kind, only = _kind_patterns()
        alone = only.match(self._text) if len(self._text) < 2 * _WINDOW else None
        named: dict[bool, list[str]] = {True: [], False: [KINDS[alone[1]]] if alone else []}
        for match in () if alone else kind.finditer(self._text):
            named[says("except", self._text[: match.start()])].append(KINDS[match[1] or match[2] or "log"])
        logs = tuple(
            f"{match[1]}.log"
            for match in cue("worded_log").finditer(self._text)
            if not cue("stays").match(self._text, match.end())
        )
        if named[True]:
            found["without"] = tuple(named[True])
        if logs:
            found["without" if self._says("no_logs") else "suffixes"] = logs
        elif named[False] and self._op not in ("put", "append", "create_bucket"):
            found["suffixes"] = tuple(dict.fromkeys(named[False]))
        if endings and (self._op == "rename" or self._says("changes_ending")):
            *those, found["ending"] = reversed(endings) if self._says("instead_of") else endings
            found |= {"suffixes": tuple(those)} if those else {}
        elif endings:
            found["suffixes"] = tuple(endings)
        return found | ({"any_case": True} if self._says("any_case") else {})

    def names(self) -> dict[str, Any]:
        """What names hold; the folder that words name."""
        found: dict[str, Any] = {"whole": True} if self._says("whole") else {}
        if self._op not in (*_WRITES, "merge", "read", "lines"):
            quotes, word = self._of("quote"), self._word("named_word") or self._word("counted_noun").rstrip("s")
            if (quotes and self._says("named")) or word:
                found["contains"] = (quotes[0] if quotes and self._says("named") else word,)
        folder, ours, noun = self._word("in_folder"), self._word("of_ours"), _first_noun(self._text)
        if folder and folder not in {*NUMBERS, *MONTHS, *words_of("no_folder")}:
            found["values"] = {"folder": folder}
        elif self._op and ours and ours not in words_of("generic_nouns"):
            found |= {"needs": ("prefix",), "values": {"noun": ours}}
        elif self._op and noun:
            found["values"] = {"noun": noun}
        return found | ({"flat": True} if self._says("flat") else {})

    def content(self) -> dict[str, Any]:
        """Words that are of no class, where it may be about what is in a file."""
        if self._op not in _INSIDE or not self._says(_INSIDE[self._op]):
            return {}
        words = (word.removesuffix("'s") for word in cue("a_word").findall(self._text) if word not in words_of("noise"))
        about, by = tuple(words), self._word("by_column")
        return ({"about": about} if about else {}) | ({"group": by} if by and by not in words_of("noise") else {})

    def times(self) -> dict[str, Any]:
        """Comparisons with the date of change; what may be a folder, or lacks its year, stays in `values`."""
        moments: list[tuple[str, str]] = []
        loose, dated = dict[str, str](), self._says("dated")
        for text, before, after in self._each("date"):
            if text.startswith("-") and not dated:
                loose["month"] = text
                continue
            if says("taken_back", after):
                continue
            if says("except", before) and "but" not in before:
                moments.append(("!=", text))
                continue
            sign = next((sign for pattern, sign in cues("relations") if pattern.search(before)), "==")
            if says("onwards", after):
                sign = ">="
            elif sign == ">=" and before.endswith("from "):
                sign = "=="
            if sign != "==" or dated or len(text) > 4 or says("every_from", before):
                moments.append((sign, text))
            else:
                loose["year"] = text
        if self._says("between") and len(moments) > 1:
            moments = [(">=", moments[0][1]), ("<=", moments[1][1])]
        if moments:
            loose.pop("month", None)
        return ({"moments": tuple(moments)} if moments and self._op not in _WRITES else {}) | loose

    def sizes(self) -> dict[str, Any]:
        """Comparisons with the size."""
        found: list[tuple[str, int]] = []
        for text, before, after in self._each("size"):
            around = f"{before[-30:]} {after[:14]}"
            found += [(sign, int(text)) for pattern, sign in cues("size_relations") if pattern.search(around)][:1]
        if not found and self._says("no_size"):
            found = [("==", 0)]
        return {"sizes": tuple(found)} if found else {}

    def order(self) -> dict[str, Any]:
        """How it is sorted, and how many are wanted."""
        numbers, top, rank = self._of("number"), cue("top").search(self._text), self._word("rank")
        if self._op == "head":
            few = 2 if self._says("couple") else 1
            return {"reverse": self._says("from_the_end"), "limit": number(numbers[-1]) if numbers else few}
        found: dict[str, Any] = {}
        for field, back in [(field, back) for pattern, field, back in cues("sorts") if pattern.search(self._text)][:1]:
            back = (back != self._says("reversed")) or self._says("back")
            found = {"sort": field, "reverse": back and not self._says("forward")}
        by = found.get("sort")
        if rank:
            found |= {"rank": _RANKS[rank], "limit": 1}
        elif top and numbers and self._op != "merge":
            place = self._text[: top.start()].count("<number>")
            found["limit"] = number(numbers[min(place, len(numbers) - 1)])
        elif by in ("Size", "LastModified") and self._says("superlative_one") and not self._says("superlative_many"):
            found["limit"] = 1
        elif by == "Size" and self._says("largest_many"):
            found["needs"] = ("limit",)
        if self._op in ("read", "lines") and self._of("key"):
            found = {key: value for key, value in found.items() if key not in ("sort", "rank", "needs")}
        return found

    def output(self) -> dict[str, Any]:
        """What is told beside names, and what it is told by."""
        single = self._says("superlative_one") and not self._says("superlative_many", "top")
        sized = self._says("show_size") or (self._op in ("list", "") and self._says("largest") and not single)
        show = (*(("Size",) if sized else ()), *(("LastModified",) if self._says("show_date", "changed_last") else ()))
        group = next((name for pattern, name in cues("groups") if pattern.search(self._text)), "")
        return ({"show": show} if show and not self._says("only_names") else {}) | ({"group": group} if group else {})

    def texts(self) -> dict[str, Any]:
        """What is written or looked for: bodies, replaced words, regions."""
        found: dict[str, Any] = {}
        quotes, regions = self._of("quote"), self._of("region")
        if regions or self._op == "create_bucket":
            found |= {"region": place} if (place := regions[-1] if regions else city(self._text)) else {}
        pair = cue("swapped_words").search(self._text)
        if self._op == "replace" and (len(quotes) > 1 or pair):
            found["old"], found["new"] = quotes[:2] if len(quotes) > 1 or pair is None else pair.groups()
        elif self._op in ("grep", "lines", "read", "count", "drop_lines") or (
            self._op == "" and self._says("line_with")
        ):
            found |= {"old": old} if (old := self._looked_for(quotes)) else {}
        elif self._op in ("put", "append", "") and quotes:
            found["body"] = "\n".join(quotes) if "#line" in self._text and len(quotes) > 1 else quotes[-1]
        if self._op in ("put", "copy", "create_bucket") and self._says("unless"):
            found["unless"] = True
        return found

    def _looked_for(self, quotes: Sequence[str]) -> str:
        """The text that lines or files are looked for with."""
        number = cue("with_number").search(self._text)
        if quotes and self._op:
            return quotes[0]
        if self._op == "drop_lines" and (crossed := self._word("crossed_off")):
            return crossed
        if number and self._op in ("lines", "read"):
            return self._of("number")[self._text[: number.start()].count("<number>")]
        if self._op in ("lines", "read", "") and (word := self._word("line_with")):
            return word
        word = self._word("mentioned").strip() if self._op in ("grep", "lines", "drop_lines") else ""
        return "" if word in words_of("generic_nouns") else word


@cache
def _kind_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Kinds of files in a clause; a clause that is nothing but a kind."""
    names, small = "|".join(sorted(KINDS, key=len, reverse=True)), cue("small").pattern
    noun = r"[ -](?:#files?|ones?|exports?|reports?|tables?)\b"
    kind = rf"\b({names})(?:{noun}|s\b)|(?<=est )({names})\b|\blogs?(?= #files?)|\b(logs)\b"
    return re.compile(kind), re.compile(rf"^(?:\W*{small}\b)*\W*({names})s?\W*(?:too|please|only)?\W*$")


def _first_noun(text: str) -> str:
    return next((match[1] for match in cue("noun").finditer(text) if match[1] not in words_of("generic_nouns")), "")
