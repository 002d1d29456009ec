"""How Sphinx makes a site of the pages of this repository: ``make docs``.

Pages are read where they stand, from the root of the repository on, so that links between them lead to the
same places as elsewhere. Only what is of use to the site alone stands in this folder. The README is the
front page; ``contents.md`` says in which order the others follow.
"""

import itertools
import logging
import re
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

HERE = Path(__file__).resolve().parent
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
    ("py:class", r"(collections|decimal|fractions|nx|os)\..*"),
    ("py:class", r"prover\..*\.(State|T|Value)"),
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


def without_constructor(_: Sphinx, what: str, name: str, *__: object) -> tuple[str, str] | None:
    """Classes are shown without the arguments of constructors, which nobody calls: functions make answers."""
    return ("", "") if what == "class" and name != "prover.Grid" else None


def with_links_to_pages(*given: Any) -> None:
    """Docstrings with links where they name pages."""
    lines = given[-1]
    lines[:] = [re.sub(r"(?<![`/])docs/(\w+)\.md", r":doc:`docs/\1.md </docs/\1>`", line) for line in lines]


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


def setup(app: Sphinx) -> None:
    app.add_lexer("dipa", TextLexer)
    app.add_post_transform(NamesOfFolders)
    app.connect("source-read", with_contents)
    app.connect("autodoc-process-signature", without_constructor)
    app.connect("autodoc-process-docstring", with_links_to_pages)
    app.connect("sphinx-click-process-description", with_blocks)
