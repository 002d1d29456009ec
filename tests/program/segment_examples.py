"""Single segments, made from a few numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from prover.program.branches import Branch, BranchEdge
from prover.program.model import Edge

Rate = Fraction | int | str


def assignment(rate: Rate = 1, relation: str = "", *, input: bool = True, output: str = "o") -> BranchEdge:
    """A step that stores its insample."""
    guard = ((relation, "x"),) if relation else ()
    both = Fraction(rate)
    return BranchEdge(Edge(0, "q0", "q1", input, (both, both), None, guard, ("x",), output, guard))


def leaf(
    relation: str, rate: Rate = 1, *, loops: bool = False, output: str = "o", number: int = 1
) -> BranchEdge:
    """A step that stores nothing; different numbers are different transitions."""
    guard = ((relation, "x"),) if relation else ()
    name, both = f"q{number}", Fraction(rate)
    target = name if loops else f"q{number + 1}"
    return BranchEdge(
        Edge(number, name, target, True, (both, both), Fraction(1), guard, (), output, guard), loops
    )


def segment(first: BranchEdge, *others: BranchEdge) -> Branch:
    """A segment of these places."""
    return Branch((first, *others))


def comparing(first: BranchEdge, below: Iterable[Rate], above: Iterable[Rate]) -> Branch:
    """A segment with tests of these rates."""
    leaves = [leaf("<", rate) for rate in below] + [leaf(">=", rate) for rate in above]
    return Branch((first, *leaves))
