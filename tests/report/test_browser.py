"""Pages in a real browser, where one is installed: nothing is wider than a phone, and something is drawn."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import prover
from prover.zoo import dining_cryptographers, leaking_pair, num_range, pin_checker
from tests.waiting import GUARD

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
PHONE = 390

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is installed")


def survey() -> prover.LabelledMarkovChain:
    """Answers to a survey, from secrets whose names fill much of a line."""
    return prover.LabelledMarkovChain.of(
        {
            "truth=False": ("start", {"no": "2/3", "yes": "1/3"}),
            "truth=True": ("start", {"no": "1/3", "yes": "2/3"}),
            "no": ("no", {"no": 1}),
            "yes": ("yes", {"yes": 1}),
        },
        [("truth=False", "truth=True")],
    )


PAGES: dict[str, Callable[[], str]] = {
    "delta": lambda: prover.delta(pin_checker(), alpha="11/10").to_html(),
    "diners": lambda: prover.delta(dining_cryptographers(), epsilon="1/1000", gap="1/10").to_html(),
    "survey": lambda: prover.delta(survey(), alpha="6/5").to_html(),
    "distance": lambda: prover.distance(pin_checker(), "0", "1", "11/10").to_html(),
    "table": lambda: prover.distances(pin_checker(), "11/10").to_html(),
    "epsilon": lambda: prover.epsilon_for(pin_checker(), "0", "1", "1/100").to_html(),
    "curve": lambda: prover.curve(pin_checker(), "0", "1", ["1", "11/10", "5/4"]).to_html(),
    "yes": lambda: prover.privacy(num_range()).to_html(),
    "no": lambda: prover.privacy(leaking_pair()).to_html(),
}

# Of pages in a frame as wide as a phone: the width, the least letters, what is drawn, the highest name.
_LOOK = """
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, found = [page.documentElement.scrollWidth];
    const texts = [...page.querySelectorAll("p, li, td, dd, summary")].filter(one => one.textContent.trim());
    found.push(Math.min(...texts.map(one => parseFloat(frame.contentWindow.getComputedStyle(one).fontSize))));
    found.push(Math.min(...[...page.querySelectorAll("svg")].map(one => one.getBoundingClientRect().height)));
    const ink = frame.contentWindow.getComputedStyle(page.documentElement).color;
    const names = [...page.querySelectorAll(".who")].map(one => one.getBoundingClientRect().height);
    found.push(Math.max(0, ...names));
    document.body.append(`${frame.name}: ${found.map(Math.round).join(" ")} ${ink};`);
  }
});
"""


def browse(folder: Path, *options: str) -> str:
    """What the browser has made of the file, with a profile of its own; two would wait for a common one."""
    command = [BROWSER or "", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    command.append(f"--user-data-dir={folder.parent / (folder.name + '-profile')}")
    file = f"file:{'/' * 2}{folder / 'frames.html'}"
    run = subprocess.run([*command, *options, file], capture_output=True, timeout=GUARD, check=True)
    return run.stdout.decode()


def frames(folder: Path) -> None:
    """A page with all pages in frames."""
    framed = "".join(
        f'<iframe name="{name}" width="{PHONE}" height="800" srcdoc="{html.escape(make())}"></iframe>'
        for name, make in PAGES.items()
    )
    text = f"<!doctype html><meta charset=utf-8><body>{framed}<script>{_LOOK}</script>"
    (folder / "frames.html").write_text(text, encoding="utf-8")


def test_pages_fit_on_a_phone(tmp_path: Path) -> None:
    frames(tmp_path)
    light = browse(tmp_path, "--dump-dom")
    found = {name: numbers for name, *numbers in re.findall(r"(\w+): (\d+) (\d+) (\d+) (\d+) rgb", light)}
    assert found.keys() == PAGES.keys()
    for name, (width, letters, height, name_height) in found.items():
        assert int(width) <= PHONE, name
        assert int(letters) >= 13, name
        assert int(height) >= 60, name
        assert int(name_height) <= 30, f"{name}: a secret's name takes two lines"


@pytest.mark.slow
def test_there_is_a_dark_side(tmp_path: Path) -> None:
    frames(tmp_path)
    dark = browse(tmp_path, "--dump-dom", "--blink-settings=preferredColorScheme=0")
    inks = re.findall(r"\d+ rgb\((\d+), (\d+), (\d+)\);", dark)
    assert len(inks) == len(PAGES)
    assert all(min(map(int, ink)) > 200 for ink in inks)
