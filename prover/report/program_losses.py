"""What accounts say of threshold programs: what the upper and the lower ends of an answer are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prover.accounting.mechanism import Mechanism
from prover.errors import short_name
from prover.exact.rational import format_rational
from prover.exact.readable import brief
from prover.report.document import PageBlock, PageTable, Section, Text
from prover.report.tables import aligned

if TYPE_CHECKING:
    from prover.accounting.programs import ProgramLosses
    from prover.program.profiles.composed import PairLaw

UPPER = (
    "Upper ends hold for all neighbouring inputs of the mechanisms, also if each input is chosen after the "
    "outputs before it."
)
LOWER = "Lower ends are proved by these inputs, the same in every run:"
_NONE = "no inputs are known that reveal anything; this does not prove that there are none."
_UNSEEN = "upper ends do not use an exact epsilon, which would be for who does not see that a run stops."
_APART = "The two ends come from different proofs and need not meet."
_HEADING = ("inputs x", "inputs y")
_SEQUENTIAL = (
    "Runs of threshold programs follow one another: none begins before the one before it has ended.",
    "All runs are about the same two neighbours. The inputs of a run may depend on all outputs before it; "
    "between the two neighbours they differ as the adjacency allows. If it is monotonic, they differ the "
    "same way in all runs of a mechanism.",
)


def named_program(name: str, losses: ProgramLosses) -> str:
    """A threshold program for people: its name, its noise, and its neighbours."""
    from prover.program.scope import depends_on_epsilon
    from prover.report.program_delta import noise_text

    noise = f" at {noise_text(losses, 'epsilon')}" if depends_on_epsilon(losses.program) else ""
    limit = f", {losses.length}" if losses.length else ""
    return f"{short_name(name)}{noise}, {losses.adjacency}{limit}"


def ends_lines(mechanisms: Sequence[Mechanism], upper: str = UPPER, lower: str = LOWER) -> list[str]:
    """What the ends of intervals are about, where there are programs."""
    if all(part.losses is None for part in mechanisms):
        return []
    rows = [row for name, pair in _pairs(mechanisms) for row in _rows(name, pair)]
    width = max((len(row) for row in rows), default=0)
    listed = aligned([(*row, *[""] * (width - len(row))) for row in rows]) if rows else []
    proved = [lower, *(line.rstrip() for line in listed)] if rows else []
    return ["", upper, *proved, *_left_out(mechanisms), _APART]


def ends_section(mechanisms: Sequence[Mechanism], upper: str = UPPER, lower: str = LOWER) -> list[Section]:
    """The same on a page, with the inputs as tables."""
    if all(part.losses is None for part in mechanisms):
        return []
    tables: list[PageBlock] = []
    for name, pair in _pairs(mechanisms):
        rows = list(zip(*_texts(pair), strict=True))
        tables.append(PageTable(f"The two inputs of {name}, in the order of reading", _HEADING, rows, (0, 1)))
    proved: list[PageBlock] = [Text(lower), *tables] if tables else []
    others = [Text(line) for line in _left_out(mechanisms)]
    return [Section("Upper and lower ends", [Text(upper), *proved, *others, Text(_APART)])]


def _left_out(mechanisms: Sequence[Mechanism]) -> list[str]:
    """Which programs the lower ends leave out, and of which the upper ends do not use an exact ε."""
    from prover.program.scope import has_gaussian

    programs = [(short_name(part.name), part.losses) for part in mechanisms if part.losses is not None]
    below = dict.fromkeys(name for name, own in programs if own.pair is None)
    above = dict.fromkeys(
        name for name, own in programs if own.private is None and not has_gaussian(own.program)
    )
    return [f"{name}: {_NONE}" for name in below] + [f"{name}: {_UNSEEN}" for name in above]


def program_sections(mechanisms: Sequence[Mechanism], most: int) -> list[Section]:
    """Pictures of the first programs, those last that only show one number."""
    from prover.program.profiles.scope import one_number
    from prover.report.automaton import program_picture

    programs = [(part.name, part.losses) for part in mechanisms if part.losses is not None]
    programs.sort(key=lambda own: one_number(own[1].program) is not None)
    return [
        Section(
            f"The mechanism {named_program(name, losses)}",
            program_picture(losses.program, "The program.", (), ()),
        )
        for name, losses in programs[:most]
    ]


def assumed(mechanisms: Sequence[Mechanism]) -> list[str]:
    """What is assumed of runs and inputs."""
    from prover.program.answer import assumption

    programs = [(part.name, part.losses) for part in mechanisms if part.losses is not None]
    own = [f"{short_name(name)}: {assumption(losses.program)}." for name, losses in programs]
    return [*_SEQUENTIAL, *dict.fromkeys(own)] if own else []


def losses_json(part: Mechanism) -> dict[str, Any]:
    """What JSON has of a program beside its name."""
    if part.losses is None:
        return {}
    from prover.report.program_delta import question_json

    pair = part.losses.pair
    inputs = (
        None
        if pair is None
        else [[format_rational(x) for x in read] for read in (pair.inputs, pair.neighbour)]
    )
    return {
        **question_json(str(part.losses.adjacency), part.losses.noise, part.losses.steps),
        "steps": part.losses.steps,
        "inputs": inputs,
    }


def _pairs(mechanisms: Sequence[Mechanism]) -> list[tuple[str, PairLaw]]:
    found = [(part.name, part.losses) for part in mechanisms if part.losses is not None]
    return [(short_name(name), own.pair) for name, own in found if own.pair is not None]


def _texts(pair: PairLaw) -> Sequence[Sequence[str]]:
    return [[brief(x) for x in read] for read in (pair.inputs, pair.neighbour)]


def _rows(name: str, pair: PairLaw) -> list[tuple[str, ...]]:
    first, second = _texts(pair)
    return [(f"  {name}", "x", *first), ("", "y", *second)]
