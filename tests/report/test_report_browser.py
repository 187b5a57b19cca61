"""The page in a real browser: without scripts, on a phone, in the dark, on paper."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from report_samples import GOLD, HOSTILE, call, dialogue, late, lived, two_runs, view, words

from toologue.report.page import write_page
from toologue.report.view import Report
from toologue.schema import AgentTurn, Fault

CONTRAST = """() => {
  const numbers = text => (text.match(/[\\d.]+/g) || []).map(Number)
  const light = ([r, g, b]) => { const f = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4
    return .2126 * f(r) + .7152 * f(g) + .0722 * f(b) }
  const ground = element => { for (let e = element; e; e = e.parentElement) {
    const c = numbers(getComputedStyle(e).backgroundColor)
    if (c.length == 3 || c[3] > 0) return c } return [255, 255, 255] }
  const poor = []
  for (const element of document.querySelectorAll("body *")) {
    if (![...element.childNodes].some(n => n.nodeType == 3 && n.textContent.trim())) continue
    if (!element.checkVisibility()) continue
    const style = getComputedStyle(element)
    const [one, two] = [light(numbers(style.color)), light(ground(element))].sort((a, b) => b - a)
    const ratio = (one + .05) / (two + .05)
    if (ratio < 4.5) poor.push([element.className, element.textContent.slice(0, 30), ratio])
  }
  return poor
}"""
WIDTHS = "() => [document.documentElement.scrollWidth, window.innerWidth]"
OPEN_ALL = "() => document.querySelectorAll('details').forEach(e => e.open = true)"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with everything on it: two runs, and a conversation of hostile and unbreakable texts."""
    report = two_runs()
    bad = " ".join(HOSTILE.values()) + "x" * 400
    turns = (*GOLD[:3], GOLD[3], call("Add" + "x" * 90, **{"y" * 90: bad}, value={"z" * 200: [bad]}), words(bad))
    fault = AgentTurn(error=Fault(type="cap", message=bad))
    hostile = lived(dialogue("w" * 120), (*turns, fault), success=0, at=late(dialogue("a")).scores["success"].at)
    runs = [view(run.name, [*run.conversations, hostile], **run.facts) for run in report.runs]
    file = tmp_path_factory.mktemp("page") / "report.html"
    write_page(file, Report(report.title, runs, command=report.command, notes=[bad]))
    return file.as_uri()


@contextmanager
def opened(browser: Any, url: str, *, width: int = 1400, **context: Any) -> Iterator[Any]:
    """The page in a tab. Fails where the console complains or anything but the page is asked for."""
    complaints: list[str] = []
    with browser.new_context(viewport={"width": width, "height": 900}, **context) as tab:
        page = tab.new_page()
        page.set_default_timeout(3000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url == url or complaints.append(request.url))
        page.goto(url)
        yield page
    assert not complaints


def rows(page: Any) -> list[str]:
    """The names in the table of conversations, as far as they are seen."""
    return [row.inner_text() for row in page.locator("tr.conv:visible th").all() if "w" * 9 not in row.inner_text()]


def choose(page: Any, *labels: str) -> None:
    for label in labels:
        page.locator(".filter label", has_text=label).click()


def test_filters_work_without_scripts(browser: Any, url: str) -> None:
    with opened(browser, url, java_script_enabled=False) as page:
        assert rows(page) == ["early-bird", "snooze", "hang-up", "silent", "passed-by-all"]
        choose(page, "Failed")
        assert rows(page) == ["early-bird", "snooze", "hang-up"]
        assert page.locator("article:visible h3").first.inner_text() == "early-bird"
        choose(page, "Passed")
        assert rows(page) == ["passed-by-all"]
        choose(page, "second")
        assert rows(page) == ["snooze", "hang-up", "silent", "passed-by-all"]
        choose(page, "Unscored")
        assert rows(page) == []
        assert page.get_by_text("No conversation is like this.").is_visible()
        choose(page, "any run")
        assert rows(page) == ["silent"]
        assert not page.get_by_text("No conversation is like this.").is_visible()


def test_filters_follow_the_keyboard(browser: Any, url: str) -> None:
    with opened(browser, url, java_script_enabled=False) as page:
        page.locator("#show-all").focus()
        page.keyboard.press("ArrowRight")
        assert rows(page) == ["early-bird", "snooze", "hang-up"]


def test_a_link_opens_the_transcript_at_the_first_difference(browser: Any, url: str) -> None:
    with opened(browser, url, java_script_enabled=False) as page:
        difference = page.locator("#d1-0")
        assert not difference.is_visible()
        page.locator("a.short", has_text="Round 2, AddAlarm: time").first.click()
        difference.wait_for(state="visible")
        assert "First difference" in difference.inner_text()
        assert 0 <= difference.bounding_box()["y"] < 900


def test_transcripts_open_by_a_click(browser: Any, url: str) -> None:
    with opened(browser, url, java_script_enabled=False) as page:
        body = page.locator("#t0-0")
        assert not body.is_visible()
        page.locator("details:has(#t0-0) > summary").click()
        body.wait_for(state="visible")
        assert "Then wake me at half past six." in body.inner_text()


@pytest.mark.parametrize("width", [390, 360])
def test_a_phone_never_scrolls_sideways(browser: Any, url: str, width: int) -> None:
    with opened(browser, url, width=width) as page:
        page.evaluate(OPEN_ALL)
        scroll, inner = page.evaluate(WIDTHS)
        assert (scroll, inner) == (width, width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Any, url: str, scheme: str) -> None:
    with opened(browser, url, color_scheme=scheme) as page:
        page.evaluate(OPEN_ALL)
        assert page.evaluate(CONTRAST) == []


def test_colours_can_be_chosen_without_scripts(browser: Any, url: str) -> None:
    with opened(browser, url, java_script_enabled=False, color_scheme="light") as page:
        ground = "() => getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(ground)
        page.locator(".theme label", has_text="Dark").click()
        assert page.evaluate(ground) != light
        page.locator(".theme label", has_text="Light").click()
        assert page.evaluate(ground) == light


def test_paper_shows_what_failed_and_clips_nothing(browser: Any, url: str) -> None:
    with opened(browser, url, width=700, color_scheme="dark") as page:
        page.locator(".theme label", has_text="Dark").click()
        page.emulate_media(media="print")
        assert page.locator("#d1-0").is_visible()
        assert not page.locator("#t0-0").is_visible()  # passed: the summary is enough
        assert not page.locator(".filter").is_visible()
        assert page.evaluate(WIDTHS) == [700, 700]
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("() => [...document.querySelectorAll('table')].every(t => t.scrollWidth <= 700)")


def test_the_page_is_small(tmp_path: Path) -> None:
    golds = [dialogue(f"c{i}", GOLD * 4) for i in range(14)]
    runs = [view(f"run {n}", [lived(gold, GOLD * 4, success=0) for gold in golds]) for n in range(3)]
    write_page(tmp_path / "report.html", Report("", runs))
    assert (tmp_path / "report.html").stat().st_size < 1_000_000
