"""What a page consists of, and how it becomes HTML: templates fill in texts, and escape all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from jinja2 import Environment


PAGE = "PAGE.html"
"""What commands on a page call it, where it has no name of its own."""

_FRAGMENT = "prover-shown"
"""The class of parts of other pages."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; ``look`` is "" or "claim", "quiet"; "code" and "shell", for commands, keep their lines."""

    text: str
    look: str = ""
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Listing:
    """Paragraphs with bullets."""

    items: Sequence[str]
    kind: str = "listing"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what they stand for."""

    rows: Sequence[tuple[str, str]]
    kind: str = "facts"


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of a table that leads to an ``address``, where there is one, with ``more`` in a line below."""

    text: str
    more: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of cells below a heading; ``numbers`` are the columns of numbers; if ``hidden`` it is folded."""

    caption: str
    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    hidden: bool = False
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class SortableTable:
    """A table whose headings sort it: ``orders`` has the same rows in the order of each column.

    The first column has what the rows are about. No script is needed: each heading leads to the table in its
    order, and one of them is shown at a time.
    """

    caption: str
    heading: Sequence[str]
    orders: Sequence[Sequence[tuple[PageCell, *tuple[str, ...]]]]
    numbers: Sequence[int] = ()
    kind: str = "sortable"


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, what it is, and the same in words for whoever does not see it."""

    drawn: Element
    caption: str
    words: Sequence[str]
    kind: str = "figure"

    @property
    def svg(self) -> str:
        """The picture as text."""
        from prover.report.picture.svg import svg_text

        return svg_text(self.drawn)

    @property
    def width(self) -> str:
        """How wide it is, in pixels."""
        return self.drawn.get("width", "0")


@dataclass(frozen=True, slots=True)
class PageBranch:
    """A node of a tree: a heading, lines of text, bars of lengths from 0 to 1 with their names, and branches.

    ``marked`` is what is said of a node that stands out, None of others.
    """

    heading: str
    lines: Sequence[str] = ()
    bars: Sequence[tuple[str, str, float]] = ()
    marked: str | None = None
    branches: Sequence[PageBranch] = ()


@dataclass(frozen=True, slots=True)
class PageTree:
    """A tree of what may happen."""

    root: PageBranch
    kind: str = "tree"


@dataclass(frozen=True, slots=True)
class Download:
    """A file within the page: its name, and its bytes in base64."""

    name: str
    data: str
    kind: str = "download"


PageBlock = Text | Listing | Facts | PageTable | SortableTable | Figure | PageTree | Download


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page."""

    heading: str
    blocks: Sequence[PageBlock]


LOOKS: Mapping[bool | None, str] = {True: "good", False: "bad", None: ""}
"""How pages look by whether what was asked holds."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page about one answer: the question in words, the answer in a line, what it means, and all the rest.

    ``verdict`` is "good" or "bad" where something was asked to hold, else "".
    """

    title: str
    question: str
    answer: str
    meaning: Sequence[str]
    sections: Sequence[Section]
    verdict: str = ""
    notes: Sequence[str] = ()
    """What has to be said about the reading of the model."""
    model: str = ""
    """What the model is called, if it has a name."""
    file: str = PAGE
    """What the page itself is called, in its commands."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is said of one answer. Its text, its page, and the beginning of the page that notebooks show are
    renderings of it.

    ``lines`` are those of the text; ``systems`` are those whose code is shown, where they were written as
    code. Lines and sections are made when they are wanted only, as pictures and proofs take work; the
    ``opening`` takes none.
    """

    lines: Callable[[], Sequence[str]]
    title: str
    question: str
    answer: str
    meaning: Sequence[str]
    opening: Callable[[], Sequence[Section]]
    before: Callable[[], Sequence[Section]] = tuple
    after: Callable[[], Sequence[Section]] = tuple
    verdict: str = ""
    systems: Sequence[object] = ()

    @property
    def text(self) -> str:
        """The answer for people, as text."""
        return "\n".join(self.lines())

    def summary(self) -> Page:
        """The beginning of the page."""
        return Page(self.title, self.question, self.answer, self.meaning, self.opening(), self.verdict)

    def page(self) -> Page:
        """The page, without the code of the systems."""
        begun = self.summary()
        return replace(begun, sections=[*self.before(), *begun.sections, *self.after()])


def html(page: Page) -> str:
    """The page as a text of its own. The same page is the same text."""
    from shlex import quote

    from prover.report.picture.svg import looks

    return (
        _templates()
        .get_template("page.html")
        .render(page=page, style=f"{looks()}{_style()}", file=quote(page.file))
    )


def fragment(page: Page) -> str:
    """A page, without its title, as a part of another one, such as a notebook."""
    return _templates().get_template("fragment.html").render(page=page, style=_scoped_looks())


def site_part(page: Page) -> str:
    """A page in full, with its headings, as the contents of a page of a site."""
    return _templates().get_template("site.html").render(page=page, style=_scoped_looks(), file=page.file)


def picture_fragment(drawn: Element | None, caption: str, words: Sequence[str]) -> str:
    """A picture, or what is said in its place, as a part of another page."""
    figure = None if drawn is None else Figure(drawn, caption, words)
    template = _templates().get_template("picture.html")
    return template.render(figure=figure, caption=caption, style=_scoped_looks())


def _scoped_looks() -> str:
    """Looks that change nothing outside of the fragment."""
    from prover.report.picture.svg import looks

    return looks().replace(":root", f".{_FRAGMENT}").replace(".picture ", f".{_FRAGMENT} .picture ")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("prover.report", "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def _style() -> str:
    from importlib import resources

    return resources.files("prover.report").joinpath("templates", "page.css").read_text(encoding="utf-8")
