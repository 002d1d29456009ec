"""Pages as browsers read them: what they would load, what they say, what is left to be escaped."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from tests.commands import CHECKER

_VOID = {"meta", "br", "img", "link", "input", "hr"}
_ADDRESS = {"src", "href", "xlink:href", "srcset", "action", "formaction", "poster", "background", "data"}


@dataclass
class Read:
    """What a page holds: its elements, addresses, texts, pictures without words, what is not closed, ids."""

    elements: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.read = Read()
        self.shell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.read.elements.append(tag)
        values = dict(attrs)
        self.read.addresses += [value or "" for name, value in attrs if name in _ADDRESS]
        self.read.places += [f"#{value}" for name, value in attrs if name == "id"]
        self.read.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.shell = tag == "pre" and values.get("class") == "shell"
        if tag == "svg":
            self.read.pictures.append(values.get("aria-label") or "")
        if tag not in _VOID:
            self.read.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.read.elements.append(tag)
        self.read.addresses += [value or "" for name, value in attrs if name in _ADDRESS]

    def handle_endtag(self, tag: str) -> None:
        assert self.read.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.read.open:
            self.read.text.append(data)
        if self.shell and self.read.open[-1] == "pre":
            self.read.commands += data.splitlines()


def read_page(page: str) -> Read:
    """The page, read; it loads nothing, runs nothing, and has words for every picture."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    read = reader.read
    assert read.open == []
    elsewhere = {address for address in read.addresses if not address.startswith("data:")}
    assert elsewhere <= set(read.places)
    assert len(read.places) == len(set(read.places))
    assert read.handlers == []
    assert (
        set(read.elements) & {"script", "img", "iframe", "object", "embed", "link", "base", "form"} == set()
    )
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page)
    assert all(read.pictures)
    assert page.count("<figcaption>") == page.count("<figure>") == len(read.pictures)
    return read


def whole_text(page: str) -> str:
    """All that is written on a page, in a line."""
    return " ".join(" ".join(read_page(page).text).split())


def embedded(page: str) -> list[bytes]:
    """The files in a page."""
    return [base64.b64decode(data) for data in re.findall(r";base64,([A-Za-z0-9+/=]+)\"", page)]


def check_as_told(page: str, folder: Path) -> list[str]:
    """What the checker prints if one does as the page says, with this Python and the checker as a folder."""
    (folder / "PAGE.html").write_text(page, encoding="utf-8")
    said = []
    for line in read_page(page).commands:
        command = line.replace("python3", sys.executable).replace("checker.pyz", str(CHECKER))
        run = subprocess.run(command, cwd=folder, shell=True, capture_output=True, text=True, check=True)  # noqa: S602
        said += run.stdout.splitlines()
    return said
