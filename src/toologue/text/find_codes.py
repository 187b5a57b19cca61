"""Values of a closed or regular form in a text: numbers, enums, yes and no, months, addresses, ids, codes, secrets.

Candidates, not yet checked against the schema. An enum's values match by their words, in any case and spelled a little
wrong; a number is surer beside a word of the parameter's name ("party of 4" for `party_size`).
"""

from __future__ import annotations

import re
from typing import Any, cast

from toologue.text.names import Want
from toologue.text.numbers import amounts, whole
from toologue.text.spans import Found, Scene
from toologue.text.times import MONTH, MONTHS, WEEKDAYS, days, lengths, month_of
from toologue.text.tokens import stem, words_of

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NOT = re.compile(
    r"\b(?:not|no|without|don['’]?t|do\s+not|never|instead\s+of|rather\s+than|except)\s+(?:an?\s+|the\s+|\w+\s+)?$",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\b(?P<yes>yes|yeah|yep|yup|sure|true|definitely|absolutely|of\s+course|please\s+do|go\s+ahead|correct|"
    r"right|ok|okay|enabled?|turn(?:ed)?\s+on|switch(?:ed)?\s+on)\b"
    r"|\b(?P<no>no|nope|nah|false|not|don['’]?t|never|negative|disabled?|turn(?:ed)?\s+off|switch(?:ed)?\s+off)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"\b{MONTH}", re.IGNORECASE)
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400}
_MONEY = frozenset("amount price cost budget fee total pay payment salary balance rent fare money usd eur".split())
_DULL = frozenset(
    (
        "the of a an in to for and or is be number count min max minimum maximum how many size value total whether if"
    ).split()
)
_MOST_WORDS = 400


def enums(scene: Scene, want: Want) -> list[Found]:
    """The values of an enum (or a constant) that a text says."""
    listed = want.schema.get("enum")
    values: list[Any] = cast("list[Any]", listed) if isinstance(listed, list) else [want.schema.get("const")]
    words = list(WORD.finditer(scene.text))[:_MOST_WORDS]
    found: list[Found] = []
    for value in values:
        if isinstance(value, bool):
            found += [one for one in booleans(scene, want) if one.value is value]
        elif isinstance(value, int | float):
            found += [one for one in numbers(scene, want) if one.value == value]
        elif isinstance(value, str) and value.strip():
            found += _said(scene, want, value, words)
    return found


def booleans(scene: Scene, want: Want) -> list[Found]:
    """Yes or no: said so, or by the parameter's own word ("with a copy", "no copy")."""
    found: list[Found] = []
    for match in _YES.finditer(scene.text):
        weight = 0.85 if match.start() < 3 or len(scene.text) < 25 else 0.5
        weight -= 0.2 * (match[0].lower() == "not")
        found.append(_hit(scene, *match.span(), want, weight, match["yes"] is not None))
    for match in _naming(scene, want):
        denied = _NOT.search(scene.text, max(0, match.start() - 30), match.start())
        start = denied.start() if denied else match.start()
        found.append(_hit(scene, start, match.end(), want, 0.65 if denied else 0.6, denied is None))
    return sorted(found, key=lambda one: -one.score)


def numbers(scene: Scene, want: Want) -> list[Found]:
    """Numbers; where the parameter counts minutes, hours or seconds, lengths of time in that unit."""
    about = " ".join((*want.words, want.description))
    unit = next((size for word, size in _SECONDS.items() if re.search(rf"\b{word}s?\b", about, re.IGNORECASE)), 0)
    timely = unit and re.search(
        r"duration|minutes?|hours?|seconds?|length|long|days?", " ".join(want.words) or want.description, re.IGNORECASE
    )
    found: list[Found] = []
    for length in lengths(scene.text) if timely else ():
        count = length.long.total_seconds() / unit
        value = int(count) if count.is_integer() else round(count, 4)
        found.append(_hit(scene, length.start, length.end, want, 0.93, value))
    named = _naming(scene, want)
    for amount in amounts(scene.text):
        value = amount.value
        if isinstance(value, float) and want.kind == "integer":
            continue
        near = any(abs(match.start() - amount.end) <= 12 or abs(amount.start - match.end()) <= 8 for match in named)
        money = bool(amount.unit) and bool(_MONEY & {*want.words, *words_of(want.description)})
        score = 0.55 + 0.35 * (near or money) - 0.3 * scene.is_time(amount.start, amount.end)
        score -= 0.2 * (amount.text.lower() == "one")
        alone = len(scene.text.strip(" .!?,")) - len(amount.text) <= 8
        found.append(_hit(scene, amount.start, amount.end, want, score + 0.3 * (alone and not near), value))
    return sorted(found, key=lambda one: -one.score)


def months(scene: Scene, want: Want) -> list[Found]:
    """Months: their names, or their numbers for a parameter that is one; "this month" where now is known."""
    spans: list[tuple[int, int, int, float]] = []
    for match in _MONTH.finditer(scene.text):
        said = match["month"]
        sure = said[0].isupper() or said.lower() not in ("may", "march", "mar", "jan", "dec", "sep")
        spans.append((*match.span(), month_of(said) or 1, 0.95 if sure else 0.5))
    for day in days(scene.text, scene.now.date() if scene.now else None):
        if not any(day.start < end and start < day.end for start, end, _, _ in spans):
            sure = 0.8 if "month" in scene.text[day.start : day.end].lower() else 0.35
            spans.append((day.start, day.end, day.first.month, sure))
    numeric = want.schema.get("type") in ("integer", "number")
    return [
        _hit(scene, start, end, want, sure, number if numeric else MONTHS[number - 1])
        for start, end, number, sure in spans
    ]


def weekdays(scene: Scene, want: Want) -> list[Found]:
    """Weekdays by their names."""
    said = days(scene.text, scene.now.date() if scene.now else None)
    return [
        _hit(scene, day.start, day.end, want, 0.95 if day.kind == "weekday" else 0.4, WEEKDAYS[day.first.weekday()])
        for day in said
        if day.kind != "span"
    ]


def _said(scene: Scene, want: Want, value: str, words: list[re.Match[str]]) -> list[Found]:
    from rapidfuzz import fuzz

    parts = list(words_of(value) or (value.lower(),))
    found: list[Found] = []
    if len(value) <= 2:
        whole_words = re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", scene.text)
        return [_hit(scene, *match.span(), want, 0.8, value) for match in whole_words]
    target = " ".join(parts)
    for number in range(len(words) - len(parts) + 1):
        window = words[number : number + len(parts)]
        said = " ".join(match[0].lower() for match in window)
        same = said == target or list(map(stem, said.split())) == list(map(stem, parts))
        ratio = 100.0 if same else fuzz.ratio(said, target) if len(target) > 4 else 0.0
        if ratio >= 84:
            start, end = window[0].start(), window[-1].end()
            denied = _NOT.search(scene.text, max(0, start - 30), start)
            sure = (0.95 if said == target else 0.9 if ratio == 100 else 0.8 * ratio / 100) - (0.5 if denied else 0)
            found.append(_hit(scene, start, end, want, sure, value))
    return found


def _naming(scene: Scene, want: Want) -> list[re.Match[str]]:
    """Where the text uses the words of the parameter's name."""
    named = {stem(word) for word in want.words if word not in _DULL and len(word) > 2}
    return [match for match in WORD.finditer(scene.text) if stem(match[0].lower()) in named]


EMAIL = re.compile(r"(?<![\w.+-])[\w+-](?:[\w.+-]*[\w+-])?@[A-Za-z0-9](?:[\w-]*\w)?(?:\.[A-Za-z0-9](?:[\w-]*\w)?)+")
_PHONE = re.compile(r"(?<![\w.#$-])\+?\(?\d(?:[ ().\-/]{0,2}\d){6,14}(?!\w|[.:]\d)")
_URL = re.compile(
    r"\bhttps?://[^\s<>\"']+|(?<![@\w.])(?:www\.)?(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|co|uk|de|app|ai|"
    r"example)\b(?:/[^\s<>\"']*)?",
    re.IGNORECASE,
)
_UUID = re.compile(r"(?<![\w-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-])")
_ID = re.compile(r"(?<![\w@./-])#?(?P<id>(?=[\w-]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)(?![\w@]|-\w)")
_HEX_GROUPS = re.compile(r"[0-9a-f]{2,12}(?:-[0-9a-f]{2,12})+")
_CUED_ID = re.compile(
    r"\b(?:id|identifier|number|no\.?|code|reference|ref|sku|token|key)(?:\s+(?:is|of)\b|\s*[:=#])"
    r"?\s+[#\"'“]?(?P<id>[A-Za-z0-9][\w./-]*\w|\d)",
    re.IGNORECASE,
)
_SPOKEN_DIGITS = re.compile(r"(?<![\w@.#$-])\d(?:[ -]?\d){3,7}(?![\w@]|[.:-]\d)")
_BEFORE_A_CODE = re.compile(r"\b(?:code|pin|otp|it['’]?s|it\s+is|says|is)\b[^\d\n]{0,25}$", re.IGNORECASE)
_CALLED = re.compile(
    r"""(?: \buser\s?names?\b | \buser\s?id\b | \blogin\b | \bhandle\b | \b(?:the\s+)?user\b | \baccount\b
        | \blog(?:ged)?\s+(?:me\s+)?in\s+as\b | \bsign(?:ed)?\s+(?:me\s+)?in\s+as\b | \bI\s+go\s+by\b )
    (?: \s+(?: is | was | to\s+be | to | should\s+be | will\s+be | would\s+be | called | named | of )\b | \s*[:=] )?
    \s+["'“@]?(?P<name>[A-Za-z0-9][\w.-]*)""",
    re.IGNORECASE | re.VERBOSE,
)
_IS_THE_NAME = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]{2,})\s+is\s+(?:the|my)\s+(?:user\s?)?name\b")
_AT_NAME = re.compile(r"(?<![\w.@])@(?P<name>[A-Za-z0-9][\w.-]*\w|\w)")
_BRACKETED = re.compile(r"\(\s*@?(?P<name>[A-Za-z][\w.-]*)\s*\)")
_LOOKS_LIKE_NAME = re.compile(
    r"(?<![\w@./#&!$%+*=?~^-])(?P<name>(?=[\w.]*[_\d])[A-Za-z][A-Za-z\d]*(?:[._]?[A-Za-z\d]+)+)(?![\w@-])"
)
_SHE_IS = re.compile(
    r"\b(?:s?he['’]s|s?he\s+is|that['’]s|they['’]re|username's)\s+(?P<name>[a-z][\w.]{3,}\b)(?=[\s]*[.,;!?]|$)"
)
# How a user name is said, and how sure that is.
_USERNAMES = (
    (_CALLED, 0.92), (_IS_THE_NAME, 0.9), (_AT_NAME, 0.9), (_BRACKETED, 0.85), (_LOOKS_LIKE_NAME, 0.7), (_SHE_IS, 0.5),
)  # fmt: skip
_NOT_A_NAME = frozenset(
    (
        "is was and or the a an my me i you he she they it we to for with from name password account email phone "
        "please who that this there number id information info in on at of with's settings details not no by as "
        "has have been again now"
    ).split()
)
_AS_PASSWORD = re.compile(
    r"""(?: (?<=\s) | ^ )(?P<before>\S{5,})\s+(?: as | is | shall\s+be | will\s+be | should\s+be )\s+
        (?:the|my)\s+(?:new\s+)?password\b
    | \bmake\s+it\s+(?P<after>[^\s,]{5,})""",
    re.IGNORECASE | re.VERBOSE,
)
_LIKE_A_SECRET = re.compile(r"(?<!\S)(?=\S*[A-Za-z])(?=\S*[\d!#$%&*^+=?~])[^\s@]{6,}(?!\S)")
# Words joined by signs (`B-flat_forever`): a secret, perhaps, where one is asked for.
_JOINED = re.compile(r"(?<!\S)[^\W\d][^\s@]*[_.!+&$-][^\s@]*[^\s@,;:.!?](?!\S*\S@)")
_PLAIN_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")


def emails(scene: Scene, want: Want) -> list[Found]:
    """E-mail addresses."""
    return [_hit(scene, *match.span(), want, 0.95) for match in EMAIL.finditer(scene.text)]


def urls(scene: Scene, want: Want) -> list[Found]:
    """Links; where the schema wants a URI, with `https://` before those said without."""
    found: list[Found] = []
    for match in _URL.finditer(scene.text):
        said = match[0].rstrip(".,;:!?)")
        whole = said if "://" in said or want.schema.get("format") not in ("uri", "url") else f"https://{said}"
        score = 0.95 if "://" in match[0] else 0.8
        found.append(_hit(scene, match.start(), match.start() + len(said), want, score, whole))
    return found


def phones(scene: Scene, want: Want) -> list[Found]:
    """Phone numbers, in the form that the description shows: `ddd-ddd-dddd`, `(555) 010-0199`, `+15550100199`."""
    found: list[Found] = []
    for match in _PHONE.finditer(scene.text):
        said = match[0]
        digits = re.sub(r"\D", "", said)
        if re.fullmatch(r"\d{4}[-/.]\d\d?[-/.]\d\d?", said) or (scene.is_time(*match.span()) and len(digits) < 10):
            continue
        value = _formed(digits, said, f"{want.description} {want.schema.get('pattern', '')}")
        score = 0.95 if len(digits) in (10, 11) or said.startswith("+") else 0.7
        found.append(_hit(scene, *match.span(), want, score, value))
    return found


def ids(scene: Scene, want: Want) -> list[Found]:
    """Identifiers: groups of hex digits, letters with digits, numbers after "order", "number", "#"."""
    example = re.search(r"\b(?:like|e\.?g\.?,?|example:?|such as)\s+[\"'`]?([\w-]*\d[\w-]*)", want.description)
    nouns = [word for word in want.words if word not in ("id", "ids", "number", "code", "no", "new", "identifier")]
    cue = re.compile(rf"\b(?:{'|'.join(map(re.escape, nouns)) or 'id'})s?\b[^.!?\n]{{0,18}}$", re.IGNORECASE)
    found: list[Found] = []
    for match in _ID.finditer(scene.text):
        said = match["id"]
        timely = scene.is_time(*match.span("id"))
        near = bool(cue.search(scene.text, max(0, match.start() - 40), match.start()))
        lettered = _HEX_GROUPS.fullmatch(said) or re.search(r"[A-Za-z]", said)
        score = 0.85 if lettered else 0.55 if near else 0.25 if said.isdigit() and "#" not in match[0] else 0.3
        if example:
            score += 0.1 if _shape(said) == _shape(example[1]) else -0.15
        score += 0.1 * near + 0.05 * ("#" in match[0]) - 0.4 * timely
        found.append(_hit(scene, *match.span("id"), want, score))
    for match in _CUED_ID.finditer(scene.text):
        if re.search(r"\d", match["id"]) or match["id"].isupper():
            near = cue.search(scene.text, max(0, match.start("id") - 40), match.start("id"))
            found.append(_hit(scene, *match.span("id"), want, 0.8 if near else 0.7))
    return found


def uuids(scene: Scene, want: Want) -> list[Found]:
    """UUIDs."""
    return [_hit(scene, *match.span(), want, 0.95) for match in _UUID.finditer(scene.text)]


def symbols(scene: Scene, want: Want) -> list[Found]:
    """Short codes in capitals: tickers, currencies, airports."""
    found: list[Found] = []
    for match in re.finditer(r"(?<![\w'’])\$?(?P<code>[A-Z]{2,5}(?:[./-][A-Z]{1,5})?)(?![\w'’])", scene.text):
        score = 0.4 if match["code"] in ("OK", "AM", "PM", "TV", "ID") else 0.85
        found.append(_hit(scene, *match.span("code"), want, score))
    return found


def codes(scene: Scene, want: Want) -> list[Found]:
    """Verification codes: digits, surer after "code", or where as many as the description says."""
    said = re.search(r"\b(four|five|six|seven|eight|[4568])[- ]digits?\b", want.description, re.IGNORECASE)
    wanted = (whole(said[1]) if said else None) or 6
    found: list[Found] = []
    for match in _SPOKEN_DIGITS.finditer(scene.text):
        digits = re.sub(r"\D", "", match[0])
        cued = _BEFORE_A_CODE.search(scene.text, max(0, match.start() - 40), match.start())
        score = 0.6 + 0.3 * bool(cued) + (0.05 if len(digits) == wanted else -0.35 if said else -0.1)
        found.append(_hit(scene, *match.span(), want, score, digits))
    return found


def usernames(scene: Scene, want: Want) -> list[Found]:
    """User names: said to be one, `@x`, in brackets, or looking like one (`dee_drums`, `ann59`)."""
    text = scene.text
    found: list[Found] = []
    for pattern, score in _USERNAMES:
        for match in pattern.finditer(text):
            start, end = match.span("name")
            end = start + len(text[start:end].rstrip(".,;:!?-"))
            if text[start:end].lower() in _NOT_A_NAME or scene.is_time(start, end) or text[end : end + 1] == "@":
                continue
            weak = pattern is _CALLED and re.match(r"(?:the\s+)?(?:user|account)\b\s+\w", match[0], re.IGNORECASE)
            known_shape = not _PLAIN_WORD.fullmatch(text[start:end])
            found.append(_hit(scene, start, end, want, score - (0.3 if weak and not known_shape else 0)))
    return found


def passwords(scene: Scene, want: Want) -> list[Found]:
    """Passwords, character by character: called the new one, or looking like a secret."""
    old = not {"old", "current", "previous"}.isdisjoint(want.words)
    spans = [(match.span(match.lastgroup or 0), 5, 0.3 if old else 0.9) for match in _AS_PASSWORD.finditer(scene.text)]
    spans += [(match.span(), 5, 0.45) for match in _LIKE_A_SECRET.finditer(scene.text)]
    spans += [(match.span(), 8, 0.35) for match in _JOINED.finditer(scene.text)]
    found: list[Found] = []
    for span, shortest, score in spans:
        start, end = _bare(scene.text, *span)
        said = scene.text[start:end]
        plain = len(said) < shortest or _PLAIN_WORD.fullmatch(said) or _PHONE.fullmatch(said) or "://" in said
        if not plain and not scene.is_time(start, end):
            found.append(_hit(scene, start, end, want, score))
    return found


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Without what belongs to the sentence: points, commas, question marks, brackets and quotes around."""
    inner = text[start:end].lstrip("\"'“‘(`")
    return end - len(inner), end - len(inner) + len(inner.rstrip(".,;:?)\"'”’`"))


def _formed(digits: str, said: str, description: str) -> str:
    shown = re.search(
        r"\(?[dxX#n]{3}\)?[-. ]{0,2}[dxX#n]{3}[-. ]?[dxX#n]{4}|\(?\b\d{3}\)?[-. ]{1,2}\d{3}[-. ]\d{4}\b", description
    )
    core = digits[1:] if len(digits) == 11 and digits.startswith("1") else digits
    if shown and len(core) == 10:
        left = iter(core)
        return re.sub(r"[dxX#n\d]", lambda _: next(left, ""), shown[0])
    if re.search(r"E\.?164|\+1|international", description):
        if said.startswith("+") or len(digits) > 10:
            return f"+{digits}"
        return f"+1{digits}" if len(digits) == 10 else digits
    if re.search(r"digits only|only digits|no (?:dashes|spaces)|\^\\d|\[0-9\]", description):
        return digits
    if len(core) == 10 and not said.startswith("+"):
        return f"{core[:3]}-{core[3:6]}-{core[6:]}"
    return " ".join(said.split())


def _shape(said: str) -> str:
    """1a2b-3c4d and 5bff-dd80 have one shape."""
    if re.fullmatch(r"[0-9a-f-]+", said):
        return re.sub(r"[0-9a-f]", "x", said)
    return re.sub(r"[A-Za-z]", "a", re.sub(r"\d", "9", said))


def _hit(scene: Scene, start: int, end: int, want: Want, score: float, value: Any = None) -> Found:
    said = scene.text[start:end]
    return Found(said if value is None else value, start, end, said, want.kind, round(min(max(score, 0.05), 1.0), 4))
