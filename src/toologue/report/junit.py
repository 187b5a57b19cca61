"""JUnit XML: what a CI server shows. One suite per run, one case per conversation.

Contract: a conversation that stopped in a time-out or an error is an `error`, one that did not pass a `failure` whose
text lists every difference. One without a score is `skipped`; so is an unsure one, with the type "unsure" and what is
unsure as its text, since servers know no fourth verdict, and show neither red nor green for this one. Facts and totals
are properties of the suite; a total's value takes what is unsure for wrong, `.best` for right, and `.decided` says in
how many conversations nothing is. The file is valid XML 1.0 whatever the data holds, and is written as a stream, in one
step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring
from xml.sax.saxutils import quoteattr

from toologue.limits import legible
from toologue.report.view import Conversation, Report, RunView, Status
from toologue.report.words import broken_words, cut, error_counts, findings, headline, located, stop_words
from toologue.schema.jsonl import replacing

Verdict = Literal["passed", "failure", "error", "skipped"]
_MOST = 50
_VERDICTS: Mapping[Status, Verdict] = {
    "failed": "failure",
    "unsure": "skipped",
    "unscored": "skipped",
    "passed": "passed",
}
_LONGEST = 300


def write_junit(file: Path, report: Report) -> None:
    """Write the report as JUnit XML, replacing the file in one step."""
    counts = [Counter[str](_verdict(conversation) for conversation in run.all) for run in report.runs]
    every = sum(counts, Counter[str]())
    with replacing(file) as stream:
        stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        stream.write(_opening("testsuites", report.title, every).encode())
        for run, count in zip(report.runs, counts, strict=True):
            stream.write(_opening("testsuite", run.name, count).encode())
            properties = Element("properties")
            values = [(f"fact.{name}", value) for name, value in run.facts.items()]
            values += [("broken", words)] if (words := broken_words(run.faults)) else []
            for total in run.totals:
                name = f"total.{total.metric}"
                values += [(name, _number(total.value)), (f"{name}.best", _number(total.best))]
                values += [(f"{name}.n", f"{total.n}"), (f"{name}.unscored", f"{total.unscored}")]
                values += [(f"{name}.decided", f"{total.n - total.open}")]
                if total.low is not None and total.high is not None:
                    values += [(f"{name}.low", _number(total.low)), (f"{name}.high", _number(total.high))]
            for name, value in values:
                SubElement(properties, "property", name=legible(name), value=legible(value))
            stream.write(_line(properties))
            for case in _cases(run):
                stream.write(_line(case))
            stream.write(b"</testsuite>\n")
        stream.write(b"</testsuites>\n")


def _verdict(conversation: Conversation) -> Verdict:
    return "error" if conversation.broke else _VERDICTS[conversation.status]


def _opening(tag: str, name: str, counts: Counter[str]) -> str:
    rest = f'failures="{counts["failure"]}" errors="{counts["error"]}" skipped="{counts["skipped"]}"'
    return f'<{tag} name={quoteattr(legible(name))} tests="{counts.total()}" {rest}>\n'


def _line(element: Element) -> bytes:
    return tostring(element, encoding="utf-8", xml_declaration=False) + b"\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _cases(run: RunView) -> Iterator[Element]:
    trials = any(conversation.trace.trial for conversation in run.all)
    for conversation in run.all:
        name = f"{conversation.gold.id} (trial {conversation.trace.trial + 1})" if trials else conversation.gold.id
        case = Element("testcase", classname=legible(run.name), name=legible(name))
        verdict = _verdict(conversation)
        if verdict != "passed":
            unsure = verdict == "skipped" and conversation.status == "unsure"
            kind = {"type": "unsure" if unsure else conversation.trace.stop} if unsure or verdict == "error" else {}
            detail = SubElement(case, verdict, {"message": headline(conversation), **kind})
            if verdict != "skipped" or unsure:
                detail.text = "\n".join(_details(conversation))
        yield case


def _details(conversation: Conversation) -> Iterator[str]:
    """Everything that went wrong, a line each: the stop, error types, calls, then the state of the world."""
    if stop := stop_words(conversation):
        yield stop
    if errors := error_counts(conversation):
        yield "Error types: " + ", ".join(f"{name} × {count}" for name, count in errors)
    found = findings(conversation)
    yield from (cut(finding.line, _LONGEST) for finding in found[:_MOST])
    if len(found) > _MOST:
        yield f"… {len(found) - _MOST} more differences"
    verdict, outcome = conversation.verdict, conversation.scores.get("outcome")
    if verdict and verdict.at and outcome:  # else the findings are those of the outcome
        for mismatch in outcome.at[:_MOST]:
            yield "State: " + cut(located(conversation, mismatch, outcome=True).line, _LONGEST)
