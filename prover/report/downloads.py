"""The certificates in a page that is read as text: nothing of it runs, and nothing is loaded."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser


def certificates_in(content: bytes) -> list[tuple[str, bytes]]:
    """The certificates that a page holds, each with its name."""
    reader = _Downloads()
    reader.feed(content.decode("utf-8", "replace"))
    reader.close()
    return reader.files


class _Downloads(HTMLParser):
    """The files that links of a page hold, by the names under which they are saved."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[tuple[str, bytes]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A link with data in it."""
        given = dict(attrs)
        kind, comma, data = (given.get("href") or "").partition(",")
        if tag == "a" and comma and kind.startswith("data:") and "download" in given:
            try:
                content = b64decode(data, validate=True)
            except ValueError:
                content = b""  # which checkers reject
            self.files.append((given["download"] or "", content))
