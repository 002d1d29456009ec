"""Tables of profiles of programs with noise on a grid, as `proofs/programs/Spots.v` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from prover.certificate.coq.model import rational
from prover.certificate.coq.parts import Fields
from prover.certificate.coq.programs import (
    ADJACENCIES,
    CoqProgram,
    finite_rates,
    model_text,
    program_of,
    reads_of,
    refuse_model,
)
from prover.certificate.coq.sentences import EVIDENCE, MODEL, TheoremTexts, defined, not_covered, theorem
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.ways import numbers_of, rates_of
from prover.errors import NotSupported
from prover.exact.exponential import exponential

BITS = 120
"""Of the numbers between which e^(−ε·unit) lies."""

VALUES_A_SECOND = 2000
"""Of profiles, which Coq computes."""

MOST_VALUES = 400_000
"""Beyond which Coq would need more than a few minutes."""

MODES = {"all-differ": 0, "increasing": 1, "decreasing": 2, "one-differ": 3}
"""Of `proofs/programs/ProfileClaims.v`, at the beginning."""

USED = 4
"""Where the input that differs has been read."""

CoqCell = tuple[int, Sequence[tuple[int, bool, int]]]
"""Up to which difference, and the anchors: knots, each with a shift, or with an offset if True."""


@dataclass(frozen=True, slots=True)
class CoqProfiles:
    """The table of a certificate for one direction of differences. Lengths are in steps of the grid."""

    program: CoqProgram
    adjacency: str
    table: Fields

    @property
    def knots(self) -> Sequence[int]:
        found: Sequence[int] = self.table["knots"]
        return found

    def length(self, multiple: str) -> int:
        """Of a multiple of the sensitivity."""
        return int(Fraction(multiple) * self.program.reach)

    def state(self, node: Fields) -> Fields:
        found: Fields = self.program.model["states"][node["state"]]
        return found

    def shifts(self, node: Fields) -> Mapping[int, tuple[int, int]]:
        """The intervals of a node, by the numbers of variables."""
        names, written = self.program.variables, node["shifts"]
        named: Fields = written if isinstance(written, dict) else dict.fromkeys(names, written)
        return {names.index(v): (self.length(low), self.length(high)) for v, (low, high) in named.items()}

    def ways(self, node: Fields) -> Sequence[tuple[int, int]]:
        """Between which numbers inputs may differ."""
        reach = reads_of(self.state(node), self.program.grid, self.program.reach)
        still, both = (0, 0), (-reach, reach)
        if reach == 0:
            return [still]
        if self.adjacency == "one-differ":
            return [still, both] if node.get("open", False) else [still]
        return [{"all-differ": both, "increasing": (0, reach), "decreasing": (-reach, 0)}[self.adjacency]]

    def cells(self, node: Fields) -> Sequence[Sequence[CoqCell]]:
        """For each way; where a certificate has none, and no test, the sample is not moved if it is output,
        and otherwise moved with the input."""
        (way, *others) = self.state(node)["transitions"]
        if others or way["guard"]:
            return []
        if "cells" in node:
            return [[self._cell(cell) for cell in cells] for cells in node["cells"]]
        offset = not numbers_of(way)
        return [[(high, [(knot, offset, 0) for knot in self.knots[1:]])] for _, high in self.ways(node)]

    def _cell(self, cell: Fields) -> CoqCell:
        anchors = [(self.knots[k], kind == "offset", self.length(by)) for k, kind, by in cell["anchors"]]
        return self.length(cell["until"]), anchors

    def moves(self, node: Fields) -> Iterator[int]:
        """How far noise is moved: where a sample is drawn by each anchor, and otherwise at the ends."""
        drawn = self.cells(node)
        for (low, _), cells in zip(self.ways(node), drawn, strict=False):
            first = low
            for until, anchors in cells:
                for _, offset, by in anchors:
                    yield from [by] if offset else range(by - until, by - first + 1)
                first = until + 1
        if not drawn:
            ((_, name),) = self.state(node)["transitions"][0]["guard"]
            least, most = self.shifts(node)[self.program.variables.index(name)]
            yield from (end for low, high in self.ways(node) for end in (least - high, most - low))

    def values(self) -> int:
        """How many values of profiles Coq computes."""
        return sum(
            (2 + abs(move)) * (1 if self.cells(node) else 2 * len(self.knots))
            for node in self.table["nodes"]
            for move in self.moves(node)
        )


def profile_theorems(whole: Fields) -> tuple[list[str], TheoremTexts]:
    """`Model.v` and the theorem of a certificate that the checker has accepted.

    Raises NotSupported if the proofs do not cover its claim."""
    claim, tables = whole["claim"], tables_of(whole)
    if sum(own.values() for own in tables) > MOST_VALUES:
        raise NotSupported("the tables have so many values that Coq would need too long", code="not-in-coq")
    program = tables[0].program
    low, high = _between(claim, program.unit, tables)
    points = "; ".join(
        "({}#{}, {}#{})".format(*alpha.as_integer_ratio(), *upper.as_integer_ratio())
        for point in claim.get("points", [claim])
        for alpha, upper in [(Fraction(point["alpha"]), Fraction(point["upper"]))]
    )
    said = f"{MODEL} {program.start}%N {ADJACENCIES[claim['adjacency']]} {rational(low)} {rational(high)}"
    answer = theorem(
        "at_most",
        "No event gains more than delta at alpha, for these pairs of numbers.",
        f"proper {MODEL} /\\ forall alpha delta, In (alpha, delta) [{points}] ->\n"
        f"  delta_at_most {said} alpha delta",
        f"profile_upper {said} [{points}] {EVIDENCE}.profiles",
    )
    numbers = listed([MODES[own.adjacency], *_numbers(own)] for own in tables)
    return list(model_text(program)), ([defined("profiles", literal(numbers))], [answer])


def seconds(whole: Fields) -> int:
    """That Coq needs to compute with the tables of a certificate, roughly."""
    return sum(own.values() for own in tables_of(whole)) // VALUES_A_SECOND


def tables_of(whole: Fields) -> Sequence[CoqProfiles]:
    """The tables of a certificate that the checker has accepted.

    Raises NotSupported for what `proofs/programs/Spots.v` says nothing about."""
    model, claim, evidence = whole["model"], whole["claim"], whole["evidence"]
    if "noise" not in model:
        raise not_covered("delta of programs with noise that is not on a grid")
    if "steps" in claim:
        raise not_covered("delta of programs that read a bounded number of inputs")
    refuse_model(model, claim)
    program = program_of(model, _unit(model))
    sides = evidence if claim["adjacency"] == "monotonic" else {claim["adjacency"]: evidence}
    found = [CoqProfiles(program, adjacency, table) for adjacency, table in sides.items()]
    for own in found:
        for node in own.table["nodes"]:
            _refuse(own, node)
    return found


def _refuse(own: CoqProfiles, node: Fields) -> None:
    state = own.state(node)
    ways = state["transitions"]
    if state["rate_prime"] is not None:
        raise not_covered("delta of programs with second samples")
    if any(way["guard"] and (way["assign"] or numbers_of(way)) for way in ways):
        raise not_covered("delta of programs that test a sample and keep it")
    left, right = rates_of(state)
    if (left != right or left == "inf") and (ways[0]["guard"] or any(own.moves(node))):
        raise not_covered("delta of programs where noise that is moved is one-sided or no noise")
    initial = node["state"] == own.program.model["initial"]
    if initial and any(low > 0 or high < 0 for low, high in own.shifts(node).values()):
        raise not_covered("tables of delta that begin with a shift")


def _unit(model: Fields) -> Fraction:
    """The largest number of which all rates are multiples."""
    rates = finite_rates(model)
    whole = lcm(*(rate.denominator for rate in rates))
    return Fraction(gcd(*(int(rate * whole) for rate in rates)) or 1, whole)


def _between(claim: Fields, unit: Fraction, tables: Sequence[CoqProfiles]) -> tuple[Fraction, Fraction]:
    """Rationals between which e^(−ε·unit) is, so close to it that the table proves its claim for both."""
    if "q" in claim:
        return Fraction(claim["q"]), Fraction(claim["q"])
    low, high = (1 / bound for bound in reversed(exponential(Fraction(claim["at_epsilon"]) * unit, BITS)))
    regions = [region for own in tables for region in own.table["regions"]]
    near = all(Fraction(r["bound"]) * low ** int(Fraction(r["exponent"]) / unit) >= 1 for r in regions)
    if not near or high >= 1:
        raise not_covered("tables of delta for such an epsilon")
    return low, high


def _numbers(own: CoqProfiles) -> Iterator[int]:
    """As `proofs/programs/ProfileClaims.v` reads them. At alpha = 0 a profile counts as 1."""
    yield from listed([knot] for knot in own.knots[1:])
    yield from listed(_node(own, node) for node in own.table["nodes"])


def _node(own: CoqProfiles, node: Fields) -> Iterator[int]:
    yield own.program.states.index(node["state"])
    used = own.adjacency == "one-differ" and not node.get("open", False)
    yield USED if used else MODES[own.adjacency]
    yield from listed([v, *ends] for v, ends in own.shifts(node).items())
    yield from listed([value] for value in node["values"][1:])
    yield from listed(
        listed(
            [until, *listed([knot, int(offset), by] for knot, offset, by in anchors)]
            for until, anchors in cells
        )
        for cells in own.cells(node)
    )
