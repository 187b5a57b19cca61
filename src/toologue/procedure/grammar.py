"""The words of a procedure, taken apart and turned to the customer: who is meant, what is asked, why.

    an ask     [somebody] for NOUN | whether, if, why, from which … CLAUSE   [, because|since|as CLAUSE] [: CLAUSE]
               them to DO SOMETHING   [, because|since|as CLAUSE] [: CLAUSE]
               [somebody] QUESTION, reading it back: VALUES
    a say      that CLAUSE[, that CLAUSE] [, and that CLAUSE] [: CLAUSE] | anything else

In procedures they, them, their are the customer, we and our the company; "they" are things where these were named
before, and something is done to them ("8 euros are unpaid, and they have to be paid"). Everything here is total: what
has no such form comes back as it was written. What a step shows in braces passes through untouched: words first, then
values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.procedure.course import evaluate
from toologue.schema import Step
from toologue.text.verbalize import fill_values

_SHOWN = r"\{[^{}]*\}"
_YOU = {"they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourself"}
_ME = {
    "they": "I", "them": "me", "their": "my", "theirs": "mine", "themselves": "myself",
    "we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves",
}  # fmt: skip
_PERSONS = re.compile(rf"{_SHOWN}|\b(?:they (?P<be>are|were)|(?P<word>{'|'.join(_ME)}))\b(?!-)", re.IGNORECASE)
_CUSTOMER = re.compile(r"\bthe customer['’]s\b", re.IGNORECASE)

_BRACES = re.compile(r"\{([^{}]*)\}")
_SAY = re.compile(r"^say:?\s+", re.IGNORECASE)
# "they" that are things: "8 euros are open: they have to be paid", "the number and the date, since they do not match".
_SEVERAL = r"\b[a-z]+[^\W\dsui]s"
_THINGS = re.compile(
    rf"{_SEVERAL} (?:[^\s,:]+ ){{0,3}}(?:are|were|have|stay|remain)\b.*?\b(?P<done>they) (?:still |all |both |then )*"
    r"(?:(?:have|need|are|were) (?:not |still |first )*(?:to be |being )?"
    r"|(?:must|can|cannot|shall|should|will) (?:not )?be )"
    r"(?:\w+ed|paid|sent|made|taken|given|held|kept|bought|lost|found)\b"
    rf"|(?:{_SEVERAL}|\bthe [^,:]+? and (?:the )?[^,:]+)\b.*?\b(?P<fit>they) (?:(?:do|did) not |both )?"
    r"(?:match|differ|agree|expire|overlap)\b"
)
_BEGINS = re.compile(rf"(?:Ask\s+)?(?:(?P<who>{_SHOWN}|the customer|them)\s+)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_FOR = "about|at|by|for|from|in|of|on|since|to|until|under|with"
_FOR_WHICH = re.compile(rf"(?:{_FOR})\b", re.IGNORECASE)
_WHICH = rf"(?:(?:{_FOR}) )?(?:why|when|how|which|what|who|whose|whom|where)"
_QUESTION = re.compile(rf"(?:whether|if|{_WHICH})\b", re.IGNORECASE)
_AND_FOR = re.compile(rf"(,? and) for (?!{_WHICH}\b)(?=\S)")
_COLON = re.compile(rf"(?:{_SHOWN}|\"[^\"]*\"|[^:{{}}\"])*?(?=: )")
_REASON = re.compile(r",? (because|since) |, (as) (?!well|soon|long|far|much|many|if|though)")
_BACK = re.compile(r",? (?:and )?read(?:ing)? (?:it|that|this|them) back$")
_THAT = re.compile(r",? and that |, that |; that ")
_SPOKEN = {"wish": "we wish", "thank": "we thank", "apologise": "we apologise", "apologize": "we apologise"}
_WE_DO = re.compile(rf",? and ({'|'.join(_SPOKEN)})\b")

_MODAL = r"may|might|can|could|should|would|will|shall|must"
_BE = r"is|are|was|were"
_REGULAR = "mean suit need want fit work look include belong help know remember live use".split()
_VERBS = {"has": "have", "still has": "still have", "matches": "match", **{f"{verb}s": verb for verb in _REGULAR}}
_YOU_DO = re.compile(r"you (?:(still|already|really|also|now|ever|just) )?([a-z]+)\b(.*)", re.DOTALL)
_WE_DO_IT = re.compile(rf"(we) ({_MODAL}|{_BE}) (.+)", re.DOTALL)
_IT_DOES = re.compile(rf"(?P<who>.+?) (?P<verb>{_MODAL}|{_BE}|{'|'.join(_VERBS)}) (?P<rest>.+)", re.DOTALL)
_PAST = re.compile(
    r"(?:\w*[^e]ed|got|paid|had|did|went|saw|bought|sent|took|made|found|lost|knew|came|left|kept|told|wrote|gave|meant"
    r"|chose|thought|no|not|never|neither|both|all)$"
)
_DONE = re.compile(
    r"\s*(?:(?:already|ever|just|not|never|since|also) )?(?:\w+ed|been|had|got|seen|made|paid|sent|taken|found|lost|"
    r"done|gone|come|bought|told|given|written|kept|left|turned|heard|read|spoken|chosen|tried)\b"
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|you|we|I|where|when)\b")
_ARTICLE = rf"(?:the|an?|another|your|our|one|both|some|two|\d[\d.,]*|{_SHOWN})"
_CHOICE = re.compile(
    rf"whether you (?:want|prefer|would like|would prefer|would rather have) ({_ARTICLE} [^,]+? or {_ARTICLE} [^,]+)"
)
_ACTION = re.compile(r"whether we (?:may|should|shall|can|could) ([^,:]+)")
_OFFER = re.compile(
    r"whether (?:we |to |you (?:want|prefer|would|like|agree)\b"
    r"|.*\b(?:should|would|suits?|better|best|is (?:fine|all right))\b)"
)


_ENDS = {"is": "s", "are": "re", "am": "m"}
_SHORT = re.compile(
    rf"{_SHOWN}|(?<!\bas )(?<!\bthan )(?<!\bwhat )(?<!\bhow )(?<!\bwhere )"
    r"\b(?!(?:there|that) are)(?P<who>it|there|that|we|you|I) (?P<be>is|are|am)(?= \w)"
    r"|\b(?P<verb>do|does|did|is|are|was|were|could|would|should|have|has) not(?= \w)|\b(?P<can>can(?= ?not \w)) ?not"
    r"|\b(?P<will>w)ill not(?= \w)",
    re.IGNORECASE,
)


_Link = Literal["because", "since", "as"]


class Asking(NamedTuple):
    """What an ask says, turned to the customer. One of `noun`, `question`, `deed`, `words` is there.

    `who` is spoken to by what it shows. `reason` follows `link` (because, since, as), `note` a colon; `back` is read
    back to the customer.
    """

    who: str = ""
    noun: str = ""
    question: str = ""
    deed: str = ""
    words: str = ""
    reason: str = ""
    link: _Link = "because"
    note: str = ""
    back: str = ""

    @property
    def asked(self) -> str:
        """What is asked: as it follows "tell me", or, of a deed, "could you"."""
        return self.noun or self.question or self.deed

    @property
    def listed(self) -> str:
        """What may list several things: "the day and the time", "from which day and for how long"."""
        return self.noun or self.deed or self.words or (self.question if _FOR_WHICH.match(self.question) else "")


class Saying(NamedTuple):
    """What is said, as main clauses without capital and full stop. `facts`: each may follow "that"."""

    statements: tuple[str, ...]
    facts: bool = True


def to_you(text: str) -> str:
    """The words, said to the customer they are about."""
    return _turn_persons(text, _YOU, {"are": "you are", "were": "you were"})


def to_me(text: str) -> str:
    """The words, said by the customer they are about to the company."""
    return _turn_persons(text, _ME, {"are": "I am", "were": "I was"})


def contracted(text: str) -> str:
    """The words as people speak: it's, don't, can't."""

    def short(found: re.Match[str]) -> str:
        if found["who"]:
            return f"{found['who']}'{_ENDS[found['be'].lower()]}"
        if found["verb"]:
            return f"{found['verb']}n't"
        return f"{found['can']}'t" if found["can"] else f"{found['will']}on't" if found["will"] else found[0]

    return _SHORT.sub(short, text)


@lru_cache(maxsize=4096)
def asking(text: str) -> Asking:
    """What an ask says."""
    begins = _BEGINS.fullmatch(_strip_end(text))
    assert begins, "the pattern takes every text"
    who, rest = begins["who"] or "", to_you(begins["rest"])
    head, note = _split_colon(rest)
    read_back = ""
    if back := _BACK.search(head):
        head, read_back, note = head[: back.start()], note, ""
    head, link, reason = _split_reason(head)
    given = Asking(who if who.startswith("{") else "", reason=reason, link=link, note=note, back=read_back)
    wanted = head.startswith("for ") and not _QUESTION.match(head)
    question = re.sub(r"(,? and) for (?=\S)", r"\1 ", head) if wanted else _AND_FOR.sub(r"\1 ", head)
    if wanted:
        return given._replace(noun=question.removeprefix("for "))
    if who and (deed := question.removeprefix("to ")) != question:
        return given._replace(deed=deed)
    if found := _QUESTION.match(question):
        opening = "whether" if found[0].lower() == "if" else found[0].lower()
        return given._replace(question=opening + question[found.end() :])
    return Asking(given.who, words=f"{rest}?" if rest and text.rstrip().endswith("?") else rest)


@lru_cache(maxsize=4096)
def saying(text: str) -> Saying:
    """What a say or an end says."""
    text = re.sub(r"^(?:Say\b|say\b)[\s,:]*", "", _strip_end(to_you(text)))
    text = _WE_DO.sub(lambda found: f", and {_SPOKEN[found[1]]}", text)
    facts = text.startswith("that ")
    if facts:
        parts = _THAT.split(text.removeprefix("that "))
    else:
        first, _, rest = text.partition(" ")
        parts = [f"{_SPOKEN[first.lower()]} {rest}" if first.lower() in _SPOKEN and rest else text]
    return Saying(tuple(piece for part in parts for piece in _split_colon(part) if piece), facts)


def disputed_fact(text: str) -> str:
    """The statement in an ask or a say that somebody may see otherwise, as it may follow "that"; empty without one."""
    ask, said = asking(text), saying(text)
    fact = ask.reason or ask.note if ask.asked else said.statements[0] if said.facts and said.statements else ""
    return f"this{fact[4:]}" if fact.startswith("that ") else fact


def direct(question: str) -> str | None:
    """An indirect yes-or-no question as a direct one, without its mark; None where that may go wrong."""
    clause = question.removeprefix("whether ")
    if clause == question:
        return None
    if clause.startswith("to "):
        return f"{'Would you rather' if ' or ' in clause else 'Should we'} {clause[3:]}"
    if found := _WE_DO_IT.fullmatch(clause):
        return f"{found[2].capitalize()} we {found[3]}"
    if found := _YOU_DO.fullmatch(clause):
        return _do_you(found[1] or "", found[2], found[3])
    found = _IT_DOES.fullmatch(clause)
    if found is None:
        return None
    who, verb, rest = found["who"], found["verb"], found["rest"]
    if verb in _VERBS:
        done = verb == "has" and _DONE.match(rest)
        return f"Has {who} {rest}" if done else f"Does {who} {_VERBS[verb]} {rest}"
    beyond_first = who.partition(" ")[2] if who.split()[0] in ("that", "which") else who
    return None if _RELATIVE.search(beyond_first) else f"{verb.capitalize()} {who} {rest}"


def options(question: str) -> str | None:
    """The noun phrases that a question offers, joined by "or"; None where it offers none."""
    found = _CHOICE.fullmatch(question)
    return found[1] if found else None


def action(question: str) -> str | None:
    """What a question wants to be allowed to do, as it follows "to"; None where it asks for no such thing."""
    found = _ACTION.fullmatch(question)
    return found[1].removesuffix(" now") if found else None


def is_offer(question: str) -> bool:
    """Whether yes would accept something. Else it states a fact."""
    return _OFFER.match(question) is not None


def _turn_persons(text: str, words: dict[str, str], with_be: dict[str, str]) -> str:
    text = _CUSTOMER.sub("their", text)
    things = {found.start(found.lastgroup or 0) for found in _THINGS.finditer(text)}

    def turn(found: re.Match[str]) -> str:
        if found.start() in things:
            return found[0]
        if found["be"]:
            said = with_be[found["be"].lower()]
        elif found["word"]:
            said = words.get(found["word"].lower(), found["word"])
        else:
            return found[0]
        return said[0].upper() + said[1:] if found[0][0].isupper() and found[0].lower() != said.lower() else said

    return _PERSONS.sub(turn, text)


def _strip_end(text: str) -> str:
    return re.sub(r"[\s.;,:?]+$", "", " ".join(text.split()))


def _split_colon(text: str) -> tuple[str, str]:
    found = _COLON.match(text)
    return (text[: found.end()], text[found.end() + 2 :].strip()) if found else (text, "")


def _split_reason(text: str) -> tuple[str, _Link, str]:
    found = _REASON.search(text)
    if found is None or not found.start():
        return text, "because", ""
    return text[: found.start()], cast("_Link", found[1] or found[2]), text[found.end() :]


def _do_you(adverb: str, verb: str, rest: str) -> str | None:
    between = f"{adverb} " if adverb else ""
    if re.fullmatch(f"{_MODAL}|are|were", verb):
        return f"{verb.capitalize()} you {between}{rest.strip()}"
    if verb == "have" and _DONE.match(rest):
        return f"Have you {between}{rest.strip()}"
    return None if _PAST.match(verb) else f"Do you {between}{verb}{rest}"


def verbalize_step(step: Step, values: Mapping[str, JsonValue]) -> str:
    """Return the agent's words for a step, plain and always the same; what has no value yet is "not known"."""
    if step.kind == "ask":
        ask = asking(step.text)
        if ask.words:
            question = _sentence(ask.words)
        elif ask.deed:
            question = f"Could you please {ask.deed}?"
        elif ask.noun:
            question = f"Could you tell me {ask.noun}?"
        else:
            straight = direct(ask.question) or f"Could you tell me {ask.question}"
            question = f"{straight}: {ask.back}?" if ask.back else f"{straight}?"
        if ask.who:
            question = f"{ask.who}, {question[:1].lower()}{question[1:]}"
        text = " ".join(filter(None, [question, _sentence(ask.reason), _sentence(ask.note)]))
    else:
        *most, last = saying(_SAY.sub("", step.text)).statements or ("",)
        text = _sentence(f"{', '.join(most)}, and {last}" if most else last)
    return fill_values(text, {one: evaluate(one, values) for one in map(str.strip, _BRACES.findall(text))})


def _sentence(words: str) -> str:
    words = words.strip()
    return words and words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")
