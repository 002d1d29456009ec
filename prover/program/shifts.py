"""What one step of a run may shift its insample by, and what that costs, in fractions.

The tests of a step leave its shift a *window*, from the largest shift of what it has to be above to the least
of what it has to be below. A window is empty if its first number is the larger one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from prover.errors import Fault
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Edge

Shift = int | Fraction
"""A shift, in units of the sensitivity; an integer unless states have sensitivities of their own."""

ShiftWindow = tuple[int, int]
"""The least and the largest shift that tests allow, among −1, 0 and 1."""

ANYTHING: ShiftWindow = (-1, 1)
"""The window of a step without tests."""


def differences_of(edge: Edge, adjacency: str = Adjacency.ALL_DIFFER) -> tuple[int, ...]:
    """The differences Δ of a step's inputs that matter: with all-differ −1 and 1, and 0 at a public state.

    Where registers decide it there is one.
    """
    return extreme_points(adjacency, edge.input) if edge.fixed is None else (edge.fixed,)


def layers_of(edge: Edge, delta: int, adjacency: str) -> tuple[tuple[int, int], ...]:
    """The layers before and after a step with a difference: with one-differ 1 once an input has differed."""
    if adjacency != Adjacency.ONE_DIFFER:
        return ((0, 0),)
    return ((0, 0), (1, 1)) if delta == 0 else ((0, 1),) if edge.input else ((1, 1),)


def window(edge: Edge, stored: Mapping[str, int]) -> ShiftWindow:
    """The window of a step where the stored values have these shifts."""
    lowest = max((stored[name] for relation, name in edge.bounds if relation != "<"), default=-1)
    highest = min((stored[name] for relation, name in edge.bounds if relation != ">="), default=1)
    return lowest, highest


def allowed(edge: Edge, shift: int, within: ShiftWindow) -> bool:
    """Whether a step may have this shift where its tests leave it a window."""
    return within[0] <= shift <= within[1] and not (edge.pinned and shift)


def cost(edge: Edge, delta: int, shift: Shift) -> Fraction | None:
    """(γ−Δ)⁺·right + (Δ−γ)⁺·left, None where that is infinite (docs/theory_noise.md, Theorem 2).

    Δ is ``delta`` times the sensitivity of the edge.
    """
    difference = delta * edge.sensitivity
    if shift == difference:
        return Fraction(0)
    rate = edge.right if shift > difference else edge.left
    return abs(difference - shift) * rate if isinstance(rate, Fraction) else None


def price(edge: Edge, delta: int, shift: Shift) -> Fraction:
    """What a shift costs, and |Δ|·rate' where insampleprime is output. Raises Fault if that is infinite."""
    own = cost(edge, delta, shift)
    if own is None:
        raise Fault(f"shift {shift} costs infinitely much at transition {edge.number}")
    return own + outright(edge, delta)


def outright(edge: Edge, delta: int) -> Fraction:
    """What the second sample costs where it is output, |Δ|·rate'."""
    if not edge.primed or edge.rate_prime is None:
        return Fraction(0)
    return abs(delta) * edge.sensitivity * edge.rate_prime


def largest_rate(edge: Edge) -> Fraction:
    """The largest of the finite rates of insample; 0 if both are infinite."""
    finite = [rate for rate in edge.rates if isinstance(rate, Fraction)]
    return max(finite[:1] if finite and finite[0] is finite[-1] else finite, default=Fraction(0))


def is_one_sided(edge: Edge) -> bool:
    """Whether insample has no noise on one side of 0, so that some shifts cost infinitely much."""
    left, right = edge.rates
    return isinstance(left, str) or isinstance(right, str)


def nearest(edge: Edge, delta: int, within: ShiftWindow) -> int | None:
    """The allowed shift that costs least with difference Δ; None if there is none."""
    shift = 0 if edge.pinned else min(max(delta, within[0]), within[1])
    return shift if allowed(edge, shift, within) else None


def worst_price(edge: Edge, shift: int) -> Fraction:
    """What a shift that does not depend on the inputs costs with the worst difference of theirs."""
    return max(price(edge, delta, shift) for delta in differences_of(edge))


def worst_leaf(edge: Edge, within: ShiftWindow) -> Fraction | None:
    """What a step costs with the best shift for the worst difference; None if some difference allows none."""
    worst = Fraction(0)
    for delta in differences_of(edge):
        shift = nearest(edge, delta, within)
        if shift is None:
            return None
        worst = max(worst, price(edge, delta, shift))
    return worst


def repeats_freely(edge: Edge, within: ShiftWindow) -> bool:
    """Whether a step on a cycle that stores nothing can follow its inputs, whatever they are, at no cost."""
    return within == ANYTHING and not (edge.input and edge.discloses)
