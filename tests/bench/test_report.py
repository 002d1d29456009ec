"""Reports: tables, and pages that stand by themselves, also in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from prover.bench.report import page, tables
from prover.bench.results import Results
from tests.bench.made import results, row
from tests.waiting import GUARD

pytestmark = pytest.mark.thorough

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
VOID = {"meta", "circle", "path", "rect", "br"}
LINKS = ("href", "src", "srcset", "action", "data", "poster", "background", "xlink:href")


class Page(HTMLParser):
    """Reads a page; keeps what its tags are, those still open, and what is said where."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.said: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open:
            self.said.append((self.open[-1], data.strip()))


def growing() -> Results:
    """Two engines on a family that grows, one of which meets its limit, and a family of single jobs."""
    rows = [
        row(
            family="grows", engine=engine, size=size, parameters={"n": str(size)}, job=f"{engine}{size}",
            cpu_seconds=0.001 * size**2, status="timeout" if engine == "lp" and size == 100 else "exact",
        )
        for engine in ("auto", "lp")
        for size in (10, 100)
    ]  # fmt: skip
    odd = row(
        family="<script>alert(1)</script>", name="a & b", job="x", status="wrong", error="the answer is < 1"
    )
    inf = row(family="single", value="inf", lower="inf", upper="inf", reason="leaking pair", job="y")
    wide = row(family="single", status="interval", value=None, lower="0", upper="inf", job="z", name="wide")
    return results(*rows, odd, inf, wide)


class TestTables:
    def test_columns_without_numbers_are_left_out(self) -> None:
        text = tables(results(row(rounds=None, pairs=12345)))
        assert "rounds" not in text
        assert "12,345" in text

    def test_values(self) -> None:
        text = tables(growing())
        assert "inf (leaking pair)" in text
        assert "[0, inf]" in text
        table = row(status="interval", value=None, lower=None, upper=None, width="1/1000")
        assert "width 1.0e-03" in tables(results(table))
        long = row(status="interval", value=None, lower="1234567/3703701", upper="1/2")
        assert "[0.333333, 0.5]" in tables(results(long))
        assert "a & b (auto): the answer is < 1" in text

    def test_the_head(self) -> None:
        first, second, *_ = tables(growing()).splitlines()
        assert first == "small: 7 rows: 4 exact, 1 interval, 1 timeout, 1 wrong"
        assert second == "P, 2 cores, 1000 MiB, prover 0"

    def test_runs_are_put_together(self) -> None:
        text = tables(results(*(row(run=k, cpu_seconds=s) for k, s in ((1, 1.0), (2, 2.0), (3, 9.0)))))
        assert text.count("svt") == 1
        assert "2.000" in text


class TestPages:
    def test_tags_are_closed(self) -> None:
        found = Page(page(growing()))
        assert found.open == []
        assert {"html", "head", "body", "h1", "table", "svg"} <= set(found.tags)

    def test_nothing_from_elsewhere(self) -> None:
        text = page(growing())
        found = Page(text)
        assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & set(found.tags)
        assert [name for name, _ in found.attributes if name in LINKS or name.startswith("on")] == []
        assert not re.search(r"@import|url\(", text)

    def test_names_are_escaped(self) -> None:
        found = Page(page(growing()))
        assert ("h2", "<script>alert(1)</script>") in found.said

    def test_plots_of_families_that_grow_only(self) -> None:
        found = Page(page(growing()))
        assert found.tags.count("svg") == 3
        texts = [text for tag, text in found.said if tag == "text"]
        assert [texts.count(name) for name in ("auto", "lp", "a limit was reached")] == [3, 3, 1]
        words = [text for tag, text in found.said if tag == "li"]
        assert "auto, size 100: 10." in words
        assert "lp, size 100: a limit was reached." in words

    def test_what_is_wrong_is_said_first(self) -> None:
        assert 'class="answer bad"' in page(growing())
        assert 'class="answer bad"' not in page(results(row()))

    def test_every_row_is_there(self) -> None:
        found = Page(page(growing()))
        assert found.tags.count("tr") == 3 + 7

    def test_no_rows(self) -> None:
        assert "no rows" in page(results())

    def test_the_same_again(self) -> None:
        assert page(growing()) == page(growing())


def test_a_browser_shows_it(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser is installed: none of {', '.join(BROWSERS)}")
    path = tmp_path / "page.html"
    path.write_text(page(growing()), encoding="utf-8")
    command = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    shown = subprocess.run(
        [*command, "--dump-dom", path.as_uri()],
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD,
        check=True,
    )
    found = Page(shown.stdout)
    assert found.tags.count("svg") == 3
    assert found.tags.count("tr") == 10
    picture = tmp_path / "page.png"
    subprocess.run(
        [*command, "--window-size=412,900", f"--screenshot={picture}", path.as_uri()],
        capture_output=True, timeout=GUARD, check=True,
    )  # fmt: skip
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10_000
