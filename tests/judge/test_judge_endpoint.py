"""A judge behind an endpoint of our own: what it is sent, where it is said to go, and what is told of the key."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from test_judge_asked_once import GERMAN

from command import toologue
from language_models.fake_endpoint import Answer, Request, refuses, says, serving
from project.project_samples import project
from toologue.models.model import requests_allowed
from toologue.models.providers import missing

KEY = "sk-do-not-tell-0123456789"


def right(request: Request) -> Answer:
    mark = re.search("begins and ends with ([0-9a-f]+)", request.messages[0]["content"])
    assert mark
    said = {"mark": mark[1], "reason": "It says so in German.", "verdict": "right", "harm": "no harm"}
    return says(json.dumps(said))


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if not find_spec("pydantic_ai") or not find_spec("openai"):
        pytest.skip(missing("openai"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return project(tmp_path, agent=GERMAN)


def judged(folder: Path, url: str, *more: str) -> Any:
    with requests_allowed():
        return toologue("test", ".", "--judge", f"openai:gpt-x?base_url={url}&tries=1", *more, cwd=folder)


def test_what_goes_where_is_said_and_the_form_of_the_answer_is_sent(german: Path) -> None:
    with serving(right) as endpoint:
        done = judged(german, endpoint.url)
        assert (
            f"1 question (procedure, conversation, expected, said) go to openai:gpt-x at {endpoint.url}" in done.stdout
        )
        (request,) = endpoint.requests
    assert request.body["response_format"]["json_schema"]["schema"]["properties"].keys() == {
        "mark",
        "reason",
        "verdict",
        "harm",
    }
    assert "would settle 1 of 1" in done.stdout
    kept = "".join(file.read_text() for file in (german / "reviews").rglob("*.jsonl"))
    assert "It says so in German." in kept
    assert KEY not in done.stdout + done.stderr + kept


def test_wherever_it_runs_it_is_the_same_judge(german: Path) -> None:
    with serving(right) as first:
        judged(german, first.url)
    with serving(right) as second:
        assert "would settle 1 of 1" in judged(german, second.url).stdout
        assert not second.requests


def test_an_endpoint_that_refuses_gives_no_verdict_and_status_3(german: Path) -> None:
    with serving([refuses(500, "fell over")]) as endpoint:
        done = judged(german, endpoint.url)
    assert done.returncode == 3
    assert "would settle 0 of 1\n  unsure still: no reply × 1" in done.stdout
    assert not list((german / "reviews").rglob("*.jsonl"))
