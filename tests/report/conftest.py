"""Fixtures: a report, a renderer, a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from report_samples import Page, two_runs

from toologue.report.view import Report


@pytest.fixture
def report() -> Report:
    """Two runs over five conversations: passed, late, missing, broken, unscored."""
    return two_runs()


@pytest.fixture
def render(tmp_path: Path) -> Callable[[Report], Page]:
    """Writes a page, reads it back and takes it apart."""
    from toologue.report.page import write_page

    def rendered(report: Report) -> Page:
        write_page(tmp_path / "report.html", report)
        return Page((tmp_path / "report.html").read_text(encoding="utf-8"))

    return rendered


@pytest.fixture(scope="module")  # not longer: while playwright runs, no other test on this worker can use asyncio
def browser() -> Iterator[Any]:
    """Debian's chromium, if there is one and playwright can drive it."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="SKIPPED: no browser test ran, playwright is not installed"
    )
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("SKIPPED: no browser test ran, there is no chromium (apt-get install chromium)")
    args = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*args.split(), "--no-first-run"])
        yield browser
        browser.close()
