"""Values with a shape of their own: addresses, phone numbers, links, ids, codes, user names, passwords.

Contract: pure and total; every function gives the candidates of a text, not yet checked against the schema. Passwords
and ids keep their characters; sentence punctuation after them is dropped.

Example:
    >>> from toologue.text.kinds import wants
    >>> from toologue.text.spans_found import scene_of
    >>> said = scene_of("Call me at (415) 555-0199, my password is Teal-9!, order #A-1047.", None)
    >>> [found.value for found in phones(said, wants({}, "phone", "Phone, written ddd-ddd-dddd")[0])]
    ['415-555-0199']
    >>> [found.value for found in passwords(said, wants({}, "password")[0]) if found.score > 0.5]
    ['Teal-9!']
    >>> max(ids(said, wants({}, "order_id")[0]), key=lambda found: found.score).value
    'A-1047'

Not covered: national phone formats beyond digit groups (`phonenumbers` weighs 48 MB and knows ten-digit numbers no
better), international domain names.
"""

from __future__ import annotations

import re

from toologue.text.kinds import Want
from toologue.text.spans_found import Found, Scene

_EMAIL = re.compile(r"(?<![\w.+-])[\w+-](?:[\w.+-]*[\w+-])?@[A-Za-z0-9](?:[\w-]*\w)?(?:\.[A-Za-z0-9](?:[\w-]*\w)?)+")
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
_BEFORE_A_SECRET = re.compile(
    r"""(?: ^ | [.!?]\s+ )(?P<name>[a-z][a-z0-9_.]{4,})(?: \s+here )?\s*[,/]\s+
    (?= \S*[\d!#$%&*^+=?~_-] | (?:the\s+|my\s+)?password\b )""",
    re.VERBOSE,
)
_LOOKS_LIKE_NAME = re.compile(
    r"(?<![\w@./#&!$%+*=?~^-])(?P<name>(?=[\w.]*[_\d])[A-Za-z][A-Za-z\d]*(?:[._]?[A-Za-z\d]+)+)(?![\w@-])"
)
_I_AM = re.compile(
    r"""\b(?: [Ii]\s+am | [Ii]['’]?m | [Ii]t\s+is | here\s+is | log\s+me\s+in,? | let\s+me\s+in[.,]? )\s+
    (?P<name>[a-z][a-z0-9_.]{3,})(?= \s*(?: [,;/] | \.(?:\s|$) | $ | and\b | with\b ) )""",
    re.VERBOSE,
)
_SHE_IS = re.compile(
    r"\b(?:s?he['’]s|s?he\s+is|that['’]s|they['’]re|username's)\s+(?P<name>[a-z][\w.]{3,}\b)(?=[\s]*[.,;!?]|$)"
)
_USERNAMES = (
    (_CALLED, 0.92), (_IS_THE_NAME, 0.9), (_AT_NAME, 0.9), (_BRACKETED, 0.85), (_BEFORE_A_SECRET, 0.75),
    (_LOOKS_LIKE_NAME, 0.7), (_I_AM, 0.65), (_SHE_IS, 0.5),
)  # fmt: skip
"""How a user name is said, and how sure that is."""
_NOT_NAMES = (
    "is was and or the a an my me i you he she they it we to for with from name password account email "
    "phone please who that this there number id information info in on at of with's settings details not "
    "no by as has have been again now"
)
_NOT_A_NAME = frozenset(_NOT_NAMES.split())
_NOT_A_SECRET = frozenset({"reset", "change", "changed", "wrong", "too", "back"})
_PASSWORD_CUE = re.compile(
    r"\b(?P<which>new|old|current|existing|temporary)?\s*(?:password|passwd|pass\s?word|pw|pwd|pass|passcode|"
    r"passphrase)\b"
    r"(?:\s+(?:for\s+(?:it|that|the\s+account|my\s+account|this)|there))?"
    r"(?P<link>\s+(?:is|was|should\s+be|will\s+be|would\s+be|to\s+be|to|as|of|from)(?:\s+(?:still|now))?\b|"
    r"\s*['’]s\b|\s*[:=])?\s*",
    re.IGNORECASE,
)
_SECRET = (
    r"(?:\"(?P<double>[^\"\n]+)\"|“(?P<curly>[^”\n]+)”|(?<!\w)'(?P<single>[^'\n]+)'(?!\w)|"
    r"`(?P<tick>[^`\n]+)`|(?P<plain>\S+))"
)
_SECRET_HERE = re.compile(_SECRET)
_CHANGED = re.compile(rf"\b(?:from\s+(?P<old>\S+)\s+)?(?P<to>to|with)\s+{_SECRET}", re.IGNORECASE)
_AS_PASSWORD = re.compile(
    r"""(?: (?<=\s) | ^ )(?P<before>\S{5,})\s+(?: as | is | shall\s+be | will\s+be | should\s+be )\s+
        (?:the|my)\s+(?:new\s+)?password\b
    | \bmake\s+it\s+(?P<after>[^\s,]{5,})""",
    re.IGNORECASE | re.VERBOSE,
)
_LIKE_A_SECRET = re.compile(r"(?<!\S)(?=\S*[A-Za-z])(?=\S*[\d!#$%&*^+=?~])[^\s@]{6,}(?!\S)")
_JOINED = re.compile(r"(?<!\S)[^\W\d][^\s@]*[_.!+&$-][^\s@]*[^\s@,;:.!?](?!\S*\S@)")
"""Words joined by signs (`B-flat_forever`): a secret, perhaps, where one is asked for."""
_PLAIN_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")


def emails(scene: Scene, want: Want) -> list[Found]:
    """E-mail addresses."""
    found: list[Found] = []
    for match in _EMAIL.finditer(scene.text):
        found.append(_hit(scene, *match.span(), want, 0.95))
    return found


def urls(scene: Scene, want: Want) -> list[Found]:
    """Links; where the schema wants a URI, with `https://` before those said without."""
    found: list[Found] = []
    for match in _URL.finditer(scene.text):
        said = match[0].rstrip(".,;:!?)")
        whole = said if "://" in said or want.schema.get("format") not in ("uri", "url") else f"https://{said}"
        found.append(
            _hit(scene, match.start(), match.start() + len(said), want, 0.95 if "://" in match[0] else 0.8, whole)
        )
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
        score = 0.55 if near else 0.3
        if _HEX_GROUPS.fullmatch(said) or re.search(r"[A-Za-z]", said):
            score = 0.85
        if said.isdigit() and not near and "#" not in match[0]:
            score = 0.25
        if example:
            score += 0.1 if _shape(said) == _shape(example[1]) else -0.15
        score += 0.1 * near + 0.05 * ("#" in match[0]) - 0.4 * timely
        found.append(_hit(scene, *match.span("id"), want, score))
    for match in _CUED_ID.finditer(scene.text):
        if re.search(r"\d", match["id"]) or match["id"].isupper():
            found.append(
                _hit(
                    scene,
                    *match.span("id"),
                    want,
                    0.8 if cue.search(scene.text, max(0, match.start("id") - 40), match.start("id")) else 0.7,
                )
            )
    return found


def uuids(scene: Scene, want: Want) -> list[Found]:
    """UUIDs."""
    return [_hit(scene, *match.span(), want, 0.95) for match in _UUID.finditer(scene.text)]


def symbols(scene: Scene, want: Want) -> list[Found]:
    """Short codes in capitals: tickers, currencies, airports."""
    found: list[Found] = []
    for match in re.finditer(r"(?<![\w'’])\$?(?P<code>[A-Z]{2,5}(?:[./-][A-Z]{1,5})?)(?![\w'’])", scene.text):
        found.append(
            _hit(scene, *match.span("code"), want, 0.4 if match["code"] in ("OK", "AM", "PM", "TV", "ID") else 0.85)
        )
    return found


def codes(scene: Scene, want: Want) -> list[Found]:
    """Verification codes: digits said after "code", or as many digits as the description says."""
    counts = {"four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "4": 4, "5": 5, "6": 6, "8": 8}
    said = re.search(r"\b(four|five|six|seven|eight|[4568])[- ]digits?\b", want.description, re.IGNORECASE)
    wanted = counts[said[1].lower()] if said else 0
    found: list[Found] = []
    for match in _SPOKEN_DIGITS.finditer(scene.text):
        digits = re.sub(r"\D", "", match[0])
        cued = re.search(
            r"\b(?:code|pin|otp|it['’]?s|it\s+is|says|is)\b[^\d\n]{0,25}$",
            scene.text[max(0, match.start() - 40) : match.start()],
            re.IGNORECASE,
        )
        score = 0.6 + 0.3 * bool(cued) + (0.05 if len(digits) == (wanted or 6) else -0.35 if wanted else -0.1)
        found.append(_hit(scene, *match.span(), want, score, digits))
    for match in re.finditer(
        r"\bcode(?:\s+is\b|\s*:)?\s+(?P<code>(?=\S*\d)[A-Za-z0-9]{4,10})\b", scene.text, re.IGNORECASE
    ):
        found.append(_hit(scene, *match.span("code"), want, 0.85))
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
    """Passwords, character by character; of an old and a new one, the one that the parameter means."""
    new = bool({"new", "updated"} & set(want.words)) or "from now on" in want.description
    old = bool({"old", "current", "previous"} & set(want.words))
    found = _cued(scene, want, new=new, old=old) + _changed(scene, want, new=new, old=old)
    spans = [(match.span(match.lastgroup or 0), 5, 0.3 if old else 0.9) for match in _AS_PASSWORD.finditer(scene.text)]
    spans += [(match.span(), 5, 0.45) for match in _LIKE_A_SECRET.finditer(scene.text)]
    spans += [(match.span(), 8, 0.35) for match in _JOINED.finditer(scene.text)]
    for span, shortest, score in spans:
        start, end = _bare(scene.text, *span)
        said = scene.text[start:end]
        plain = len(said) < shortest or _PLAIN_WORD.fullmatch(said) or _PHONE.fullmatch(said) or "://" in said
        if not plain and not scene.is_time(start, end):
            found.append(_hit(scene, start, end, want, score))
    return [one for one in found if one.score > 0.1 and one.start < one.end]


def _cued(scene: Scene, want: Want, *, new: bool, old: bool) -> list[Found]:
    """What follows "password", with "new" or "old" before it."""
    found: list[Found] = []
    for cue in _PASSWORD_CUE.finditer(scene.text):
        match = _SECRET_HERE.match(scene.text, cue.end())
        which, link = (cue["which"] or "").lower(), (cue["link"] or "").strip().lower()
        if match is None or link == "from":
            continue
        is_new, is_old = which == "new" or link == "to", which in ("old", "current", "existing")
        wrong, right = (new and is_old) or (old and is_new), (new and is_new) or (old and is_old)
        score = (0.9 if link else 0.75) + (0.05 if right else -0.5 if wrong else 0)
        found += _secret(scene, match, want, score if link or _odd(match) else score - 0.6)
    return found


def _changed(scene: Scene, want: Want, *, new: bool, old: bool) -> list[Found]:
    """What is changed "from X to Y"."""
    found: list[Found] = []
    doubt = 0 if "password" in scene.text.lower() else 0.3
    for match in _CHANGED.finditer(scene.text):
        if match["old"]:
            start, end = _bare(scene.text, *match.span("old"))
            found.append(_hit(scene, start, end, want, (0.9 if old else 0.3) - doubt))
        if (_odd(match) or match["old"]) and not old:
            found += _secret(scene, match, want, (0.9 if new else 0.55) - doubt)
    return found


def _odd(match: re.Match[str]) -> bool:
    """Whether it does not look like a word of a sentence: quoted, or with capitals inside, digits, signs."""
    if match["plain"] is None:
        return True
    return not re.fullmatch(r"[A-Za-z]?[a-z]*(?:['’][a-z]+)?[.,;:!?]*", match["plain"])


def _secret(scene: Scene, match: re.Match[str], want: Want, score: float) -> list[Found]:
    group = next(name for name in ("double", "curly", "single", "tick", "plain") if match[name] is not None)
    start, end = match.span(group)
    if group == "plain":
        start, end = _bare(scene.text, start, end)
        if _EMAIL.fullmatch(scene.text, start, end):
            return []
        if scene.text[start:end].lower() in _NOT_A_NAME | _NOT_A_SECRET:
            return []
    return [_hit(scene, start, end, want, score)] if start < end else []


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Without what belongs to the sentence: points, commas, question marks, brackets and quotes around."""
    while start < end and text[start] in "\"'“‘(`":
        start += 1
    while start < end and (text[end - 1] in ".,;:?)\"'”’`" or text[start:end].endswith("...")):
        end -= 1
    return start, end


def _formed(digits: str, said: str, description: str) -> str:
    shown = re.search(
        r"\(?[dxX#n]{3}\)?[-. ]{0,2}[dxX#n]{3}[-. ]?[dxX#n]{4}|\(?\b\d{3}\)?[-. ]{1,2}\d{3}[-. ]\d{4}\b", description
    )
    core = digits[1:] if len(digits) == 11 and digits.startswith("1") else digits
    if shown and len(core) == 10:
        left = iter(core)
        return re.sub(r"[dxX#n\d]", lambda _: next(left, ""), shown[0])
    if re.search(r"E\.?164|\+1|international", description):
        return (
            f"+{digits}" if said.startswith("+") or len(digits) > 10 else f"+1{digits}" if len(digits) == 10 else digits
        )
    if re.search(r"digits only|only digits|no (?:dashes|spaces)|\^\\d|\[0-9\]", description):
        return digits
    return (
        f"{core[:3]}-{core[3:6]}-{core[6:]}" if len(core) == 10 and not said.startswith("+") else " ".join(said.split())
    )


def _shape(said: str) -> str:
    """1a2b-3c4d and 5bff-dd80 have one shape."""
    return (
        re.sub(r"[0-9a-f]", "x", said)
        if re.fullmatch(r"[0-9a-f-]+", said)
        else re.sub(r"[A-Za-z]", "a", re.sub(r"\d", "9", said))
    )


def _hit(scene: Scene, start: int, end: int, want: Want, score: float, value: str | None = None) -> Found:
    said = scene.text[start:end]
    return Found(said if value is None else value, start, end, said, want.kind, round(min(max(score, 0.05), 1.0), 4))
