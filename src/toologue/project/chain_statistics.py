"""The figures of a dataset of chains: as data, and beside those of ToolDial's own."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from toologue.schema import Noun
from toologue.values.json_schema import list_of

Row = tuple[str, str, str]
# Why something becomes no conversation: what that means, and what helps.
WHYS: Mapping[str, tuple[str, str]] = {
    "not chosen": ("another edge between the two APIs is better", "nothing is lost"),
    "again": ("a second edge between two APIs", "nothing is lost"),
    "not checked": ("the edge was not tried", "run `graph check` over all edges"),
    "not valid": ("the edge does not hold when it is executed", "say in the documents what ids are ids of"),
    "unknown api": ("the graph names an API that the documents lack", "build the graph from these documents"),
    "unknown entity": ("the graph names a field that the documents lack", "build the graph from these documents"),
    "users know it": (
        "the source would find what users know anyway, such as a name",
        "nothing: the target is asked alone",
    ),
    "users do not know it": ("an API alone needs an id or a code, which users do not know", "add an API that finds it"),
    "the source takes it": ("the source needs the same value", "add an API that finds it by something people know"),
    "another's id": (
        "the id is that of another thing than the source is about",
        "name the field after its thing: `hotelId`",
    ),
    "the source writes": ("looking a value up would change something", "add a read-only search"),
    "the source has the answer": ("the source says already all that the target would", "let the target return more"),
    "asks for a secret": ("a password, a key or a token is a parameter", "leave such operations out (`--exclude`)"),
    "asks for too much": (
        "more than 4 things would have to be asked for",
        "make parameters optional, or give defaults",
    ),
    "cannot be said": ("a required parameter is an object or a list", "give it fields of plain types"),
    "no words for it": ("a parameter's name and description give no words", "describe the parameter"),
    "nothing to say for it": (
        "a parameter's words give no value that people would say",
        "give `example` or `enum`, and a description",
    ),
    "asks twice": ("source and target ask for the same", "nothing is lost"),
    "nothing left to ask": ("nothing is asked of the user", "nothing: there is no dialogue in it"),
    "nothing to choose by": ("nothing tells the things of a list apart", "return a name in each row"),
    "nothing to find it by": (
        "nobody could say which thing is meant",
        "let the source search by a name, a place or a date",
    ),
    "no sequence": ("no sequence of actions fits the pair", "nothing is lost"),
    "the target writes": ("the last call changes something, and an answer is wanted", "nothing: chains read"),
    "the source answers with an error": ("the source failed", "mend its document, or give `example` values"),
    "the target answers with an error": ("the target failed", "mend its document, or give `example` values"),
    "no value to hand over": ("the source's result lacks the value", "mark it `required` in the response"),
    "no choice": (
        "a list came back with one thing, or with things nobody can tell apart",
        "`minItems: 2`, and a name in each row",
    ),
    "results disagree": ("results contradict what was asked, or each other", "give `example` responses that agree"),
    "nothing to answer with": (
        "the result has nothing that people would be told",
        "describe the fields of the response",
    ),
    "nobody wants it": ("a model said that nobody would want it so (`--uses`)", "nothing is lost"),
    "no example": ("none of the model's examples stood (`--uses`)", "`apis enrich` again, with another model"),
    "foreign": ("the API is described in another language than English", "describe it in English"),
    "technical": ("the API is about itself: a health check, a log-in", "nothing is lost"),
    "wordless": ("the API tells nothing that people would ask for", "name the fields in plain words"),
    "no query to confirm": (
        "no first message is found that leaves no doubt which API is meant",
        "plainer summaries, that differ",
    ),
    "no query to suggest": (
        "no first message is found that leaves a doubt between APIs",
        "more APIs, of the same subject",
    ),
    "no query to clarify": ("no first message is found that leaves all open", "more APIs"),
    "no natural answer": ("nothing in the result answers the wish as people say it", "name the fields in plain words"),
    "between two splits": ("the two APIs of a pair are in different splits", "another `--ratio`"),
    "nearly repeats another": ("users would say nearly the same as in another conversation", "more APIs"),
    "no words from the model": ("the writer gave no words", "the same command again"),
}


class ChainStatistics(Noun):
    """The figures of a dataset. `turns` are messages that are seen; `most_used`, `rarest` and `repeats` are shares.

    `pairs`: of a source and a target; `alone`: APIs that are called without a source.
    """

    splits: dict[str, int]
    dialogues: int
    turns: int
    turns_per_dialogue: float | None
    user_messages: int
    agent_messages: int
    actions: dict[str, int]
    agent_actions: int
    states: int
    sequences: dict[str, int]
    categories: dict[str, int]
    pairs: int
    alone: int
    most_used: float
    rarest: float
    apis: int
    repeats: float
    documents: int
    edges: int
    dropped: dict[str, dict[str, int]]
    made: dict[str, JsonValue]


def compared(said: ChainStatistics) -> list[Row]:
    """(what, here, in the paper): tables 2 and 11 to 13, and section 3.4 of ToolDial."""
    mean = said.turns_per_dialogue
    papers = ("8,859", "1,086", "1,166")
    return [
        *((name, f"{number:,}", paper) for (name, number), paper in zip(said.splits.items(), papers, strict=True)),
        ("dialogues", f"{said.dialogues:,}", "11,111"),
        ("turns", f"{said.turns:,}", "99,476"),
        ("turns per dialogue", "–" if mean is None else f"{mean:.2f}", "8.95"),
        ("action sequences", str(len(said.sequences)), "23"),
        ("rarest sequence", f"{said.rarest:.1%}", "–"),
        ("pairs of APIs", f"{said.pairs:,}", "–"),
        ("APIs without a source", f"{said.alone:,}", "–"),
        ("most used of both", f"{said.most_used:.1%}", "–"),
        ("APIs that are called", f"{said.apis:,}", "–"),
        ("near-duplicates, dropped", f"{said.repeats:.1%}", "–"),
    ]


def lacking(said: ChainStatistics) -> list[str]:
    """What a dataset lacks, a line each: conversations, whole splits, with what helps."""
    told: list[str] = []
    if not said.dialogues:
        whys = [(n, why) for counts in said.dropped.values() for why, n in counts.items()]
        told = [f"no conversation was made: {n:,} × {why}: {reason_words(why)}" for n, why in sorted(whys)[::-1][:3]]
    ratio = list_of(said.made.get("ratio")) or [1] * len(said.splits)
    for (split, number), share in zip(said.splits.items(), ratio, strict=True) if said.dialogues else ():
        if share and not number:
            told.append(
                f"the split {split} is empty: APIs that belong together stay in one; give more APIs, or a --ratio"
            )
    return told


def reason_words(why: str) -> str:
    """A reason in plain words, with what helps; rules that a conversation broke are said as they are."""
    meaning, helps = WHYS.get(why, ("", ""))
    return f"{meaning}; {helps}" if meaning else why
