"""What pages and docstrings refer to exists: files, sections, and names of the public API."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import prover
from tests.sources import ROOT, SOURCES, nodes, relative

PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[a-z]*/README.md")})

FILE = re.compile(r"`([\w./-]+\.(?:py|toml|md|sh|smt2|jinja))`")
FOLDER = re.compile(r"`((?:prover|tests|docs|examples|encodings|benchmarks)/[\w/-]*)`")
LINK = re.compile(r"\]\((?=[^:\s]+\))([^)#]*)(?:#([^)]+))?\)")
SECTION = re.compile(r"docs/(\w+)\.md,\s+\*([^*]+)\*")
THEOREM = re.compile(r"docs/(\w+)\.md,\s+((?:Theorem|Lemma|Section) [\w.']*\w)")
PAGE = re.compile(r"docs/[\w/]+\.md")
PUBLIC = re.compile(r"`prover\.([a-z_]+)\b(?!\.)")


@cache
def repository() -> set[str]:
    """The paths of all files, and their ends: of prover/exact/linear.py also exact/linear.py."""
    folders = ("prover", "proofs", "tests", "docs", "examples", "encodings", "benchmarks", ".ci")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    paths += [path for path in ROOT.iterdir() if path.is_file()]
    parts = [path.relative_to(ROOT).parts for path in paths]
    return {"/".join(path[start:]) for path in parts for start in range(len(path))}


@cache
def headings(page: Path) -> list[str]:
    """The headings of a page, without their numbers."""
    found = re.findall(r"^#+ (?:[\d.]+ )?(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [heading.strip() for heading in found]


@cache
def anchors(page: Path) -> set[str]:
    """What links to the headings of a page end with."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@cache
def docstrings(path: Path) -> list[str]:
    """The strings of a module, each with its line breaks as spaces, so that references are whole."""
    strings = [node.value for node in nodes(path) if isinstance(node, ast.Constant)]
    return [" ".join(text.split()) for text in strings if isinstance(text, str) and "docs/" in text]


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_files_and_folders_that_a_page_names_exist(page: Path) -> None:
    text, known = page.read_text(encoding="utf-8"), repository()
    assert [name for name in FILE.findall(text) if name not in known] == []
    assert [name for name in FOLDER.findall(text) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for file, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(f"{file}#{anchor}")
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_functions_that_a_page_names_are_public(page: Path) -> None:
    names = PUBLIC.findall(page.read_text(encoding="utf-8"))
    assert [name for name in names if not hasattr(prover, name) and not is_module(name)] == []


def is_module(name: str) -> bool:
    return (ROOT / "prover" / name).is_dir() or (ROOT / "prover" / f"{name}.py").is_file()


def is_place(place: str, text: str) -> bool:
    """Whether a page has such a theorem, or a section of this number."""
    number = place.removeprefix("Section ")
    return place in text or re.search(rf"^#+ {re.escape(number)}[. ]", text, re.MULTILINE) is not None


def test_sections_that_docstrings_name_exist() -> None:
    missing = []
    for path in SOURCES:
        for text in docstrings(path):
            for page, section in SECTION.findall(text):
                target = ROOT / "docs" / f"{page}.md"
                if not target.is_file() or section not in headings(target):
                    missing.append(f"{relative(path)}: docs/{page}.md, *{section}*")
            for page, place in THEOREM.findall(text):
                target = ROOT / "docs" / f"{page}.md"
                if not target.is_file() or not is_place(place, target.read_text(encoding="utf-8")):
                    missing.append(f"{relative(path)}: docs/{page}.md, {place}")
    assert missing == []


def test_pages_that_docstrings_name_exist() -> None:
    named = {page for path in SOURCES for text in docstrings(path) for page in PAGE.findall(text)}
    assert len(named) >= 5
    assert {page for page in named if not (ROOT / page).is_file()} == set()


def linked_pages(page: Path) -> set[Path]:
    """The pages that a page links to."""
    files = (file for file, _ in LINK.findall(page.read_text(encoding="utf-8")))
    return {target for file in files if (target := (page.parent / file).resolve()).suffix == ".md"}


def test_the_front_page_leads_to_every_page() -> None:
    """The table of the front page names all pages of docs/; others are on the way."""
    named = linked_pages(ROOT / "README.md")
    assert [relative(page) for page in ROOT.glob("docs/*.md") if page not in named] == []
    reached, new = set[Path](), {ROOT / "README.md"}
    while new:
        reached |= new
        new = {target for page in new for target in linked_pages(page) if target.is_file()} - reached
    folders = ("docs", "encodings", "proofs", "examples", "benchmarks")
    pages = {*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))}
    pages -= set((ROOT / "docs" / "site").rglob("*.md"))  # which is of use to the site alone
    assert [relative(page) for page in sorted(pages - reached)] == []
