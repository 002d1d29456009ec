"""Pages about the gallery: a table of all mechanisms, and one mechanism with all that is said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from prover.certificate.schema import Certificate
from prover.exact.rational import format_rational
from prover.gallery.index import GalleryEntry, folder
from prover.gallery.library import REPLAY, setup
from prover.gallery.proving import COUNTS, Proved
from prover.gallery.replayed import ran_lines
from prover.gallery.replaying import Ran
from prover.gallery.table import (
    about_every,
    code_line,
    compared,
    concerned,
    declared,
    for_every,
    independent,
    measured_lines,
    number,
    rates,
)
from prover.program.model import Program
from prover.report.certificate import LOWER_NAME, NAME, proof_section
from prover.report.code import with_code
from prover.report.document import (
    Facts,
    Listing,
    Page,
    PageBlock,
    PageCell,
    PageTable,
    Section,
    SortableTable,
    Text,
)
from prover.report.event import attack_lines
from prover.report.privacy import MOVES

_TITLE = "Declared and exact: mechanisms of public libraries"


def table_page(rows: Sequence[Proved], total: int, addresses: Mapping[str, str] | None = None) -> Page:
    """The page with a row for each mechanism that is proved by now, of ``total``.

    ``addresses`` are those of the pages of single mechanisms, where there are such pages.
    """
    counted = Counter(compared(row) for row in rows)
    heading = ("mechanism", "unit", "declared", "exact", "compared")
    keys: Sequence[Callable[[Proved], Any]] = (
        lambda row: row.entry.name,
        lambda row: row.entry.unit,
        lambda row: _size(row.entry.declared),
        lambda row: _size(row.lower),
        lambda row: compared(row),
    )
    orders = [[_cells(row, addresses or {}) for row in sorted(rows, key=key)] for key in keys]
    table = SortableTable("Mechanisms", heading, orders)
    return Page(
        _TITLE,
        "How private are they, exactly?",
        ", ".join(f"{count} {words}" for words, count in counted.items()) or "nothing is proved yet",
        ["Each number was proved now, and the stand-alone checker has accepted its certificate."],
        [Section("All mechanisms", [table]), *_formulas(rows)],
        notes=[] if len(rows) == total else [f"The time was up: {total - len(rows)} of {total} are missing."],
    )


def _formulas(rows: Sequence[Proved]) -> list[Section]:
    """The mechanisms for which a formula in a count is asked for."""
    cells = [(row.entry.name, *every) for row in rows if (every := for_every(row)) is not None]
    heading = ("mechanism", "declared", "proved", "compared")
    return [Section("For every count", [PageTable("Formulas in a count", heading, cells)])] if cells else []


def _size(number: Fraction | None) -> tuple[bool, Fraction]:
    """The place of a number in an order; None, the infinite one, is the last."""
    return number is None, number or Fraction(0)


def _cells(row: Proved, addresses: Mapping[str, str]) -> tuple[PageCell, *tuple[str, ...]]:
    name = row.entry.name
    cell = PageCell(name, row.entry.title, addresses.get(name, ""))
    return cell, row.entry.unit, declared(row), number(row), compared(row)


def row_page(row: Proved, ran: Ran | None = None) -> Page:
    """The page about one mechanism."""
    entry = row.entry
    facts = [
        ("Declared", f"{declared(row)} ({entry.unit})"),
        ("Exact", f"{number(row)} ({entry.unit})"),
        ("Compared", compared(row)),
        ("Declared at", _plain(entry.address)),
        ("in the words", entry.quote),
        ("Versions", concerned(entry)),
    ]
    if entry.adjacency is not None:
        neighbours = f"{entry.adjacency}: {MOVES[entry.adjacency]}, by the sensitivity at most"
        facts += [("Neighbouring inputs", neighbours), ("Rates", f"{rates(row)} ({entry.unit})")]
    more: list[PageBlock] = []
    if (every := for_every(row)) is not None and row.every is not None:
        formula, exact, how = every
        facts.append((f"For every {row.every.name}", f"declared {formula}; proved {exact} ({how})"))
        more += [Text(line) for line in about_every(row.every, entry.unit)]
    if entry.independent is not None:
        facts.append(("Independent number", independent(row, entry.independent)))
    if entry.reported:
        facts.append(("Reported", _plain(entry.reported)))
    sections = [
        *_written(entry),
        Section("Declared and exact", [Facts(facts), *more, Text(entry.parameters), *_texts(entry.note)]),
        *_shown(row),
        *_replayed(entry, ran),
        Section("What is not claimed", [Listing(_limits(row))]),
        _proofs(row),
        Section("Do it again", [Text(_commands(entry), "shell")]),
    ]
    page = Page(
        _TITLE, entry.title, f"{number(row)} ({entry.unit}), {compared(row)}", [entry.claim], sections
    )
    return replace(with_code(page, row.model), model="")


def _proofs(row: Proved) -> Section:
    """The certificates of the number, and of the formula in a count."""
    ends = zip(("the number", "the lower end"), row.certificates, (NAME, LOWER_NAME), strict=False)
    proofs = [(what, proof, name) for what, proof, name in ends]
    formula = None if row.every is None else row.every.certificate
    if formula is not None and row.every is not None:
        proofs.append((f"the formula in {row.every.name}", formula, "answer.every.cert"))
    made = [(what, partial(Certificate, proof.data)) for what, proof, _ in proofs]
    return proof_section(made, files=[name for *_, name in proofs])


def _written(entry: GalleryEntry) -> list[Section]:
    """The program, where it is no function, whose code is shown anyway."""
    if ":" in entry.program:
        return []
    text = (folder() / entry.program).read_text(encoding="utf-8").rstrip("\n")
    return [Section("The code", [Text(f"The program {entry.program}."), Text(text, "code")])]


def _plain(text: str) -> str:
    """The text with addresses as texts: pages lead nowhere else."""
    return text.replace("https://", "")


def _texts(text: str) -> list[PageBlock]:
    return [Text(text)] if text else []


def _shown(row: Proved) -> list[Section]:
    """The two inputs, or the secrets and outputs, that show a loss, and the same as code of the library."""
    blocks: list[PageBlock] = []
    if row.measured is not None:
        cells = [
            (step.output, format_rational(step.input), format_rational(step.neighbour), str(step.turns))
            for step in row.entry.steps
        ]
        caption = f"A run on two neighbouring inputs, with {row.entry.unit} = 1"
        blocks.append(PageTable(caption, ("output", "input", "neighbour", "turns"), cells, numbers=(1, 2, 3)))
        blocks.append(Text("\n".join(measured_lines(row.measured)), "code"))
    if row.attack is not None:
        blocks.append(Text("\n".join(attack_lines(row.attack)), "code"))
    if (code := row.entry.inputs) is not None:
        blocks += [Text(code_line(code)), Text(code.code, "code")]
    return [Section("Two inputs that show it", blocks)] if blocks else []


def _replayed(entry: GalleryEntry, ran: Ran | None) -> list[Section]:
    """The program that runs the library, and what it showed if it was run now."""
    if entry.library is None:
        return []
    code = (folder() / REPLAY / f"{entry.name}.py").read_text(encoding="utf-8").rstrip("\n")
    runs = "This program runs the library on the two inputs; prover gallery counts what it shows."
    asks = "This program asks the library, which computes numbers and runs no mechanism."
    blocks: list[PageBlock] = [
        Text(runs if "def release(" in code else asks),
        Text(code, "code"),
    ]
    if ran is not None:
        blocks.append(Text("\n".join(ran_lines(entry, ran)), "code"))
    return [Section("The library itself", blocks)]


def _limits(row: Proved) -> list[str]:
    entry = row.entry
    limits = [
        "Noise is ideal: nothing is said of samplers, of random number generators, or of floating-point "
        "arithmetic.",
        f"The model describes the source at commit {entry.commit}; versions that are not named may differ.",
    ]
    if isinstance(row.model, Program):
        limits.append("The number is the least one for all streams of queries with the stated sensitivity.")
        if row.every is not None and row.every.formula is not None:
            limits.append(
                f"For {row.every.name} above {max(row.every.values)} the formula is about a program in which "
                "a block is repeated. That the code is this program was not checked there."
            )
    else:
        limits.append("The number is for the inputs and parameters that are named.")
    return limits


def _commands(entry: GalleryEntry) -> str:
    lines = [f"prover gallery {entry.name} --certificate found.cert", "prover verify found.cert"]
    if entry.every is not None:
        const = f" --const {entry.constants}" if entry.constants else ""
        first, last = COUNTS
        lines += [
            f"prover privacy examples/gallery/{entry.program}{const} --adjacency {entry.adjacency} "
            f"--open {entry.every.count}={first}:{last} --certificate every.cert",
            "prover verify every.cert",
        ]
    if entry.library is not None:
        lines += setup(entry.name, entry.library).split(" && ")
    return "\n".join(lines)
