"""The picture of the README: the page that `toologue demo` writes, as a browser shows it. Needs chromium.

python -m bench.picture [--out FILE]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FILE = Path(__file__).parents[1] / "docs" / "report.png"
_WIDTH, _HEIGHT = 1100, 700


def main() -> None:
    """Make the demo, open its page, keep what is seen of it."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(prog="python -m bench.picture", description="The picture of the README.")
    parser.add_argument("--out", type=Path, default=FILE)
    out: Path = parser.parse_args().out
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        toologue = Path(sys.executable).with_name("toologue")
        subprocess.run(
            [toologue, "demo", "--out", "demo", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        page.goto((Path(folder) / "demo" / "report.html").as_uri())
        page.screenshot(path=out)
        browser.close()


if __name__ == "__main__":
    main()
