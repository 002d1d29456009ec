"""Pages about the gallery: the table, and one mechanism with its code, inputs, limits and proof."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest

from prover.gallery.index import gallery
from prover.gallery.page import row_page, table_page
from prover.gallery.proving import Proved
from prover.report.certificate import embedded
from prover.report.document import Text, html
from prover.report.downloads import certificates_in
from tests.commands import FORKS, prover
from tests.gallery.proved import proved_already
from tests.report.pages import read_page, whole_text

pytestmark = pytest.mark.filterwarnings(FORKS)


def written(tmp_path: Path, *arguments: str) -> str:
    path = tmp_path / "page.html"
    with nullcontext() if arguments else proved_already():
        run = prover("gallery", *arguments, "--html", path)
    assert (run.status, run.err) == (0, "")
    text = path.read_text(encoding="utf-8")
    read_page(text)
    return text


def test_the_table_is_there_in_the_order_of_each_column(tmp_path: Path) -> None:
    text = written(tmp_path)
    tables = dict(re.findall(r'id="by-(\d)">(.*?)</table>', text, re.DOTALL))
    assert list(tables) == ["1", "2", "3", "4", "0"]  # the one that is shown unless asked is the last
    for column, table in tables.items():
        names = re.findall(r'<th scope="row">([^<]+)<', table)
        assert sorted(names) == sorted(entry.name for entry in gallery())
        (place,) = (
            place for place, head in enumerate(table.split('<th scope="col"')[1:]) if "aria-sort" in head
        )
        assert place == int(column)
        if column == "0":
            assert names == sorted(names)
        cells = re.findall(r'<th scope="row">.*?</th>(.*?)</tr>', table)
        exact = [re.findall(r"<td>(.*?)</td>", row)[2] for row in cells]
        if column == "3":
            assert [number for number in exact if number != "not private"] == sorted(
                (number for number in exact if number != "not private"), key=Fraction
            )
            assert exact[-1] == "not private"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "opendp-laplace-threshold",
            ["more than declared", "make_laplace_threshold(counts", "2 or more", "issues/2922", "#L155"],
        ),
        ("hands-on-above-threshold-monotonic", ["3/2", "neighbour", "not yet reported", "monotonic"]),
        ("relm-above-threshold", ["as declared", "the maximum privacy loss", "floating-point"]),
    ],
)
def test_a_mechanism_has_a_page_with_its_proof(name: str, words: list[str], tmp_path: Path) -> None:
    text = written(tmp_path, name, "--certificate", str(tmp_path / "found.cert"))
    assert [word for word in words if word not in text] == []
    assert f"prover gallery {name} --certificate found.cert" in text
    assert sha256((tmp_path / "found.cert").read_bytes()).hexdigest() in text


def test_a_page_has_the_command_that_proves_its_formula_again(
    rows: Mapping[str, Proved], tmp_path: Path
) -> None:
    row = rows["relm-sparse-indicator-monotonic"]
    page = row_page(row)
    assert row.every is not None
    assert row.every.certificate is not None
    data = row.every.certificate.data
    assert [name for name, _ in certificates_in(html(page).encode())] == ["answer.cert", "answer.every.cert"]
    assert embedded(page)[1] == data
    lines = [block.text for block in page.sections[-1].blocks if isinstance(block, Text)]
    (command,) = (line for line in lines[0].splitlines() if line.startswith("prover privacy "))
    *arguments, name = command.split()[1:]
    assert (arguments[-1], name) == ("--certificate", "every.cert")
    assert prover(*arguments, tmp_path / name).status == 0
    assert (tmp_path / name).read_bytes() == data
    others = "For count above 4 the formula is about a program in which a block is repeated."
    assert others in whole_text(html(page))
    assert others not in whole_text(html(row_page(rows["sampcert-sparse"])))


def test_the_table_has_formulas_below_it(rows: Mapping[str, Proved]) -> None:
    shown = whole_text(html(table_page([*rows.values()], len(rows))))
    assert "hands-on-sparse-vector 2·count·(1/s) exactly 2·count·(1/s) for every count >= 2 as decl" in shown


def test_a_page_is_about_one_mechanism_or_all() -> None:
    names = [entry.name for entry in gallery()[:2]]
    run = prover("gallery", *names, "--html", "page.html")
    assert (run.status, "one NAME, or none" in run.err) == (2, True)
    assert not Path("page.html").exists()
