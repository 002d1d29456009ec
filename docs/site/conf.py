"""How Sphinx makes a site of the pages of this repository: ``make docs``.

Pages are read where they stand, from the root of the repository on, so that links between them lead to the
same places as elsewhere. Only what is of use to the site alone stands in this folder. The README is the
front page; ``contents.md`` says in which order the others follow.
"""

import importlib
import importlib.util
import inspect
import itertools
import logging
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

import prover
from prover.errors import BadInput
from prover.gallery.index import gallery
from prover.gallery.page import row_page, table_page
from prover.gallery.proving import prove
from prover.report.document import site_part

HERE = Path(__file__).resolve().parent
NOT_LOADED = {"prover.claims.plugin"}  # pytest loads it, which need not be installed here; it has no errors
ADDRESS = r"(?<![\w/.;])github\.com(/[\w.#-]*\w)+"
"""An address in the text of a page, which leads nowhere by itself; one of a module in code is none."""
logging.getLogger("traitlets").setLevel(logging.WARNING)  # each notebook that is run

project = "prover"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_click"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**",
    "encodings/README.md",
    "proofs/README.md",
    "examples/notebooks/*.ipynb",
]
exclude_patterns = ["docs/site/contents.md"]

highlight_language = "text"  # of blocks that do not say what they are in
smartquotes = False
myst_heading_anchors = 6
nb_execution_mode = "force"  # notebooks are kept without results
nb_execution_in_temp = True
nb_execution_raise_on_error = True

autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 90
autodoc_member_order = "bysource"
nitpick_ignore_regex = [  # what is no class of ours, or stands for any
    ("py:class", r"(collections|concurrent|decimal|flint|fractions|nx|os)\..*"),
    ("py:class", r"prover\..*\.(AnyState|T|Value)"),
    ("py:class", r"prover\.program\.(edge\.Edge|state\.State)|prover\.exact\.real_rate\.RatePart"),
    (
        "py:class",
        r"Given|GivenDistances|RunPath|(prover\.views\.)?SourceCode",
    ),  # types of arguments and fields
]

html_theme = "furo"
html_title = "prover"
html_extra_path = ["extra"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False


class NamesOfFolders(SphinxPostTransform):
    """A link to a file that is no page leads to a copy of it; one to a folder becomes the name it shows."""

    default_priority = 5  # before links are resolved

    def run(self, **_: Any) -> None:
        for link in list(self.document.findall(pending_xref)):
            page = Path(self.env.doc2path(link.get("refdoc", self.env.docname)))
            if link["reftype"] == "myst" and (page.parent / link["reftarget"]).is_dir():
                link.replace_self(link[0].deepcopy())


def with_contents(_: Sphinx, page: str, text: list[str]) -> None:
    """The front page with the list of all others, which stands beside every page."""
    if page == root_doc:
        text[0] += "\n\n" + (HERE / "contents.md").read_text(encoding="utf-8")


@cache
def errors() -> dict[str, set[type[BadInput]]]:
    """All errors about input by their names."""
    for module in pkgutil.walk_packages(prover.__path__, "prover."):
        if not module.name.endswith(".__main__") and module.name not in NOT_LOADED:
            importlib.import_module(module.name)
    found: dict[str, set[type[BadInput]]] = {}
    todo = BadInput.__subclasses__()
    while todo:
        error = todo.pop()
        found.setdefault(error.__name__, set()).add(error)
        todo += error.__subclasses__()
    return found


def with_errors(_: Sphinx, page: str, text: list[str]) -> None:
    """The list of the errors, with what their docstrings say."""
    if page == "docs/site/api/errors":
        for name, classes in sorted(errors().items()):
            text[0] += f"\n.. _error-{name}:\n\n{name}\n"
            for one in sorted(classes, key=lambda error: error.__module__):
                text[0] += textwrap.indent(f"{inspect.getdoc(one)} ({one.__module__})\n\n", "   ")


def without_constructor(_: Sphinx, what: str, name: str, *__: object) -> tuple[str, str] | None:
    """Classes are shown without the arguments of constructors: functions make answers, not users."""
    return ("", "") if what == "class" and name != "prover.Grid" else None


def with_links(_: Sphinx, __: str, name: str, *given: Any) -> None:
    """Docstrings with links where they name pages, modules that have what they speak of, and errors."""
    lines, raising, last = given[-1], False, name.rpartition(".")[2]
    for number, line in enumerate(lines):
        raising = bool(line) and (raising or "aises " in line)
        if line.lstrip().startswith((">>> ", "... ")):
            continue
        line = re.sub(r"(?<![`/])docs/(\w+)\.md", r":doc:`docs/\1.md </docs/\1>`", line)
        line = re.sub(r"(?<![`\w])prover(\.[a-z_]+){2,}", partial(linked_module, last), line)
        if raising:
            line = re.sub(r"(?<![`.])\b[A-Z]\w+\b", linked_error, line)
        lines[number] = line


def linked_module(last: str, found: re.Match[str]) -> str:
    """The name of a module as a link to what it has of this name, if it has anything."""
    if importlib.util.find_spec(found[0]) and hasattr(importlib.import_module(found[0]), last):
        return f":func:`{found[0]} <{found[0]}.{last}>`"
    return found[0]


def linked_error(word: re.Match[str]) -> str:
    """The name of an error as a link to what it means, and any other word as it is."""
    return f":ref:`{word[0]} <error-{word[0]}>`" if word[0] in errors() else word[0]


def with_blocks(_: Sphinx, __: object, lines: list[str]) -> None:
    """Help texts with code where they have lines that are not to be wrapped, which come as lines of verse."""
    text = []
    for is_verse, block in itertools.groupby(lines, key=lambda line: line.startswith("| ")):
        verse = [line.removeprefix("| ") for line in block]
        if not is_verse:
            text += verse
        elif verse[0] == "Examples:":
            text += [
                "Examples:",
                "",
                ".. code-block:: console",
                "",
                *("   $ " + line.strip() for line in verse[1:]),
            ]
        else:
            text += [".. code-block:: text", "", *("   " + line for line in verse)]
    lines[:] = text


def gallery_pages(_: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """The table of the gallery and a page for each mechanism, as `prover gallery --html` writes them."""
    rows = [prove(entry) for entry in gallery()]
    addresses = {row.entry.name: f"{row.entry.name}.html" for row in rows}
    pages = {"index": table_page(rows, len(rows), addresses)}
    pages |= {row.entry.name: row_page(row) for row in rows}
    for name, page in pages.items():
        body = site_part(replace(page, file=f"{name}.html"))
        body = re.sub(ADDRESS, r'<a href="https://\g<0>">\g<0></a>', body)
        yield f"docs/gallery/{name}", {"title": page.question, "body": body}, "page.html"


def with_gallery(_: Sphinx, page: str, text: list[str]) -> None:
    """The page about the gallery with a link to the pages that ``gallery_pages`` makes."""
    if page == "docs/gallery":
        link = '<p><a href="gallery/index.html">The table, and a page for each mechanism</a></p>'
        before, heading, after = text[0].partition("## See all of them\n")
        text[0] = f"{before}{heading}\n```{{raw}} html\n{link}\n```\n{after}"


def setup(app: Sphinx) -> None:
    app.add_lexer("dipa", TextLexer)
    app.add_post_transform(NamesOfFolders)
    app.connect("source-read", with_contents)
    app.connect("source-read", with_errors)
    app.connect("source-read", with_gallery)
    app.connect("html-collect-pages", gallery_pages)
    app.connect("autodoc-process-signature", without_constructor)
    app.connect("autodoc-process-docstring", with_links)
    app.connect("sphinx-click-process-description", with_blocks)
