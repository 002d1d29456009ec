"""The site of the documentation (docs/site) leaves out no page and no public name, and its links hold."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import prover
import prover.language
import prover.zoo
from prover.gallery.index import gallery
from tests.report.test_browser import BROWSER, PHONE, browse
from tests.waiting import GUARD

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
LISTED = "add it to docs/site/contents.md, which orders the pages of the site"
LOADING = {"audio", "embed", "iframe", "img", "link", "script", "source", "video"}
"""Elements whose addresses a browser loads at once."""


def pages() -> set[str]:
    """What the site has pages of, besides the front page, as paths without their endings."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/notebooks/*.ipynb")]
    found += [*ROOT.glob("docs/schemas/*.md"), *SITE.glob("*.rst"), SITE / "api" / "index.rst"]
    found += [ROOT / "encodings" / "README.md", ROOT / "proofs" / "README.md"]
    return {path.relative_to(ROOT).with_suffix("").as_posix() for path in found} - {"README"}


def documented(directive: str) -> Counter[str]:
    """The names that the pages of the API reference document with a directive."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SITE.glob("api/*.rst")))
    return Counter(re.findall(rf"^\.\. {directive}:: ([\w.]+)$", text, re.MULTILINE))


def test_every_page_is_in_the_contents_once() -> None:
    text = (SITE / "contents.md").read_text(encoding="utf-8")
    listed = re.findall(r"^[\w/.-]+$", text, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert pages() - set(listed) == set(), LISTED
    assert set(listed) - pages() == set()


def test_every_part_of_the_reference_is_listed() -> None:
    text = (SITE / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (\w+)$", text, re.MULTILINE))
    assert listed == {path.stem for path in SITE.glob("api/*.rst")} - {"index"}


def test_every_public_name_is_documented_once() -> None:
    of_kind = {kind: documented(f"auto{kind}") for kind in ("function", "class", "exception")}
    everything = sum(of_kind.values(), Counter[str]())
    assert max(everything.values()) == 1
    public = {f"prover.{name}" for name in prover.__all__}
    public |= {f"prover.language.{name}" for name in set(prover.language.__all__) - set(prover.__all__)}
    assert public - set(everything) == set(), "add it to a page of docs/site/api"
    for name in filter(str.islower, prover.__all__):  # delta speaks of prover.chain.delta: of the delta there
        text = re.sub(r">>> .*", "", getattr(prover, name).__doc__ or "")
        for module in re.findall(r"(?<![`\w])prover(?:\.[a-z_]+){2,}", text):
            if importlib.util.find_spec(module) and hasattr(importlib.import_module(module), name):
                assert f"{module}.{name}" in everything, "add it to a page of docs/site/api"
    for kind, names in of_kind.items():
        for name in names:
            module, _, last = name.rpartition(".")
            thing = getattr(importlib.import_module(module), last)
            is_error = isinstance(thing, type) and issubclass(thing, BaseException)
            expected = "exception" if is_error else "class" if isinstance(thing, type) else "function"
            assert kind == expected, name


def test_every_model_of_the_zoo_is_public() -> None:
    # What is, its page shows.
    models = {
        name
        for name, thing in vars(prover.zoo).items()
        if inspect.isfunction(thing) and thing.__module__.startswith("prover.zoo.")
    }
    assert models - {"whole_number"} <= set(prover.zoo.__all__)


def test_the_site_is_made_without_the_packages_of_tests() -> None:
    # For its list of errors conf.py loads all modules but those it names.
    found = re.search(r"^NOT_LOADED = (.*?)(  #.*)?$", (SITE / "conf.py").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    modules = [module.name for module in pkgutil.walk_packages(prover.__path__, "prover.")]
    left_out = ast.literal_eval(found[1])
    assert left_out <= {*modules}
    wanted = [name for name in modules if name not in left_out and not name.endswith(".__main__")]
    load = "import importlib, sys; sys.modules.update(pytest=None, hypothesis=None)"
    load += "\nfor name in sys.argv[1:]: importlib.import_module(name)"
    subprocess.run([sys.executable, "-c", load, *wanted], cwd=ROOT, check=True)


def test_every_schema_is_shown() -> None:
    text = (SITE / "schemas.rst").read_text(encoding="utf-8")
    shown = re.findall(r"^\.\. literalinclude:: /docs/schemas/(\S+)$", text, re.MULTILINE)
    headings = re.findall(r"^(\S+\.json)\n-+$", text, re.MULTILINE)
    assert shown == headings == sorted(path.name for path in ROOT.glob("docs/schemas/*.json"))


class Addresses(HTMLParser):
    """The places of a page that links can lead to, and where its own lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src", "srcset", "data", "xlink:href") and value:
                (self.loaded if tag in LOADING else self.links).append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    environment = {
        **os.environ,
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PATH": str(SITE / "jupyter"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "sphinx", "--quiet", "--nitpicky", "--fail-on-warning", "--keep-going"]
    places = [str(SITE), "--doctree-dir", str(folder / "doctrees"), str(ROOT), str(folder / "site")]
    run = subprocess.run(
        [*command, "--conf-dir", *places],
        env=environment, capture_output=True, text=True, timeout=GUARD, cwd=ROOT, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder / "site"


needs_generator = pytest.mark.skipif(
    importlib.util.find_spec("furo") is None, reason="only make docs installs the generator"
)


@pytest.mark.slow
@needs_generator
def test_links_of_the_site_lead_somewhere_and_nothing_is_loaded_from_outside(site: Path) -> None:
    read = {path.resolve(): Addresses(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(read) > len(pages())
    assert {site.resolve() / "docs" / "gallery" / f"{entry.name}.html" for entry in gallery()} <= read.keys()
    assert [dead for page in read for dead in dead_links(page, read)] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()[\s\"']*(?:https?:)?//", styles) == []


@pytest.mark.slow
@needs_generator
@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_pages_of_the_site_fit_on_a_phone(site: Path) -> None:
    shown = [page for page in sorted(pages()) if page.count("/") < 2] + ["docs/site/api/chain_questions"]
    shown += ["docs/gallery/index", "docs/gallery/opendp-laplace-threshold"]
    frames = "".join(f'<iframe src="{page}.html" width="{PHONE}" height="800"></iframe>' for page in shown)
    text = f"<!doctype html><meta charset=utf-8><body>{frames}<script>{_WIDTHS}</script>"
    (site / "frames.html").write_text(text, encoding="utf-8")
    options = ("--allow-file-access-from-files", "--disable-web-security")
    widths = re.findall(r"wide:(\d+)", browse(site, "--dump-dom", *options))
    assert [page for page, width in zip(shown, widths, strict=True) if int(width) > PHONE] == []


_WIDTHS = """
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe"))
    document.body.append(` wide:${frame.contentDocument.documentElement.scrollWidth}`);
});
"""


def dead_links(page: Path, read: dict[Path, Addresses]) -> Iterator[str]:
    """Links of a page to nothing, and what it loads from elsewhere."""
    own = read[page]
    for address in [*own.links, *own.loaded]:
        parts = urlsplit(address)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            if address in own.loaded:
                yield f"{page.name} loads {address}"
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        known = read[target].places if target in read else {""}
        if not target.is_file() or (target in read and unquote(parts.fragment) not in known):
            yield f"{page.name}: {address}"
