"""Reports made by hand, with a conversation of each kind, and a parser that takes pages apart."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from toologue.report.view import Conversation, Report, RunView
from toologue.schema import AgentTurn, Call, Dialogue, Fault, Mismatch, Result, Score, Trace, UserTurn
from toologue.score.metric import totals

VOID = {"meta", "link", "input", "br", "hr", "img"}
NOT_IN_P = {"p", "div", "ul", "ol", "dl", "table", "details", "pre", "h1", "h2", "h3", "h4", "h5", "section", "article"}


class Page(HTMLParser):
    """A page taken apart: fails where tags do not balance, or where a browser would close a paragraph early."""

    def __init__(self, source: str):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.headings: list[int] = []
        self.feed(source)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not ("p" in self.open and tag in NOT_IN_P), f"<{tag}> inside a paragraph, line {self.getpos()}"
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: <{tag} {names}>"
        self.tags.append((tag, dict(attrs)))
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing, line {self.getpos()}"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>, line {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for _, attrs in self.tags if attribute in attrs]

    def of_class(self, name: str) -> int:
        return sum(name in (attrs.get("class") or "").split() for _, attrs in self.tags)


def call(api: str, *, value: Any = None, error: Fault | None = None, **arguments: Any) -> AgentTurn:
    return AgentTurn(acts=(Call(api=api, arguments=arguments),), results=(Result(value=value, error=error),))


def user(text: str) -> UserTurn:
    return UserTurn(text=text)


def words(text: str) -> AgentTurn:
    return AgentTurn(text=text)


GOLD = (
    user("When do I get up?"),
    call("FindAlarms", value={"alarms": []}),
    words("No alarm is set."),
    user("Then wake me at half past six."),
    call("AddAlarm", time="06:30:00", value={"alarm_id": "5bff"}),
    words("The alarm is set for 06:30."),
    user("Thanks"),
)


def dialogue(name: str, turns: Any = GOLD) -> Dialogue:
    return Dialogue(id=name, turns=turns, facts={"now": "2025-03-10 09:00:00"}, origin={"scenario": f"About {name}."})


def lived(
    gold: Dialogue, turns: Any, *, success: float | None, at: Any = (), state: Any = (), **trace: Any
) -> Conversation:
    """A conversation with the scores a grader gives."""
    rates = {"precision": (1, 2), "recall": (1, 2)} if success == 0 else {"precision": (2, 2), "recall": (2, 2)}
    scores = {
        name: Score(metric=name, dialogue=gold.id, counts={"hits": hits, "of": of}, value=hits / of)
        for name, (hits, of) in rates.items()
    }
    counts = {} if success is None else {"hits": success, "of": 1.0}
    scores["success"] = Score(metric="success", dialogue=gold.id, counts=counts, value=success, at=tuple(at))
    scores["bad call"] = Score(
        metric="bad call", dialogue=gold.id, counts={"hits": float(success == 0), "of": 2}, value=0
    )
    done = None if success is None else float(not state and success)
    scores["outcome"] = Score(metric="outcome", dialogue=gold.id, counts=counts, value=done, at=tuple(state))
    lived_as: dict[str, Any] = {"case": "", "dialogue": gold.id, "protocol": "forced", "agent": "a", **trace}
    return Conversation(gold, Trace(turns=tuple(turns), **lived_as), scores)


LATE = Mismatch(turn=4, act=0, field="arguments.time", expected="06:30:00", actual="07:30:00", why="compared as moment")
MISSING = Mismatch(
    turn=4,
    act=0,
    field="call",
    expected={"api": "AddAlarm", "arguments": {"time": "06:30:00"}},
    why="expected, not made",
)
STATE = Mismatch(turn=3, field="Alarm/ann/5bff.time", expected="06:30:00", actual="07:30:00")


def late(gold: Dialogue) -> Conversation:
    turns = (*GOLD[:4], call("AddAlarm", time="07:30:00", value={"alarm_id": "5bff"}), *GOLD[5:])
    return lived(gold, turns, success=0, at=[LATE], state=[STATE])


def missing(gold: Dialogue) -> Conversation:
    return lived(gold, (*GOLD[:4], words("Done!"), GOLD[6]), success=0, at=[MISSING])


def broken(gold: Dialogue) -> Conversation:
    fault = AgentTurn(error=Fault(type="ConnectionError", message="the endpoint hung up"))
    return lived(gold, (*GOLD[:1], fault), success=0, stop="error")


def view(name: str, conversations: list[Conversation], **facts: str) -> RunView:
    found = totals(score for conversation in conversations for score in conversation.scores.values())
    return RunView(name, {"agent": name, "protocol": "forced", **facts}, found, conversations)


def two_runs() -> Report:
    golds = [dialogue(name) for name in ("early-bird", "snooze", "hang-up", "silent", "passed-by-all")]
    one = [
        lived(golds[0], GOLD, success=1),
        late(golds[1]),
        broken(golds[2]),
        lived(golds[3], GOLD, success=None),
        lived(golds[4], GOLD, success=1),
    ]
    other = [missing(golds[0]), *(lived(gold, GOLD, success=1) for gold in golds[1:])]
    return Report(
        "Two runs", [view("first", one, seed="0"), view("second", other, seed="1")], command="toologue report"
    )


HOSTILE: Mapping[str, str] = {
    "script": "</script><script>alert(1)</script>",
    "style": "</style><img src=x onerror=alert(1)>",
    "attribute": "\" onmouseover='alert(1)' x=\"",
    "comment": "<!-- --> ]]> <![CDATA[",
    "template": "{{ 7 * 7 }}{% raw %}{# #}",
    "markup": "[bold red]no[/] \\[x]",
    "lines": "one\u2028two\u2029three\r\nfour",
    "control": "bell\a null\0 escape\x1b[2J\x9b31m",
    "turned": "\u202egnp.exe\u202c \u2066inner",
    "nobody": "not a character \uffff \ufeff",
}
