"""What one step of a run may shift its insample by, and what that costs, in fractions."""

from __future__ import annotations

from fractions import Fraction

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Edge


def differences_of(edge: Edge) -> tuple[int, ...]:
    """The differences Δ of a step's inputs that matter: all-differ, −1 and 1, and 0 at a public state."""
    return extreme_points(Adjacency.ALL_DIFFER, edge.input)


def allowed(edge: Edge, shift: int, stored: int) -> bool:
    """Whether a step may have this shift where the stored value it is compared with has shift ``stored``."""
    if edge.pinned and shift:
        return False
    return {"": True, "<": shift <= stored, ">=": shift >= stored, "=": shift == stored}[edge.relation]


def price(edge: Edge, delta: int, shift: int) -> Fraction:
    """|Δ−γ|·rate, and |Δ|·rate' where insampleprime is output."""
    cost = abs(delta - shift) * edge.rate
    if edge.primed and edge.rate_prime is not None:
        cost += abs(delta) * edge.rate_prime
    return cost


def nearest(edge: Edge, delta: int, stored: int) -> int | None:
    """The allowed shift that costs least with difference Δ; None if there is none."""
    if edge.pinned:
        shift = 0
    elif edge.relation == "<":
        shift = min(delta, stored)
    elif edge.relation == ">=":
        shift = max(delta, stored)
    elif edge.relation == "=":
        shift = stored
    else:
        shift = delta
    return shift if allowed(edge, shift, stored) else None


def worst_price(edge: Edge, shift: int) -> Fraction:
    """What a shift that does not depend on the inputs costs with the worst difference of theirs."""
    return max(price(edge, delta, shift) for delta in differences_of(edge))


def worst_leaf(edge: Edge, stored: int) -> Fraction | None:
    """What a step costs with the best shift for the worst difference; None if some difference allows none."""
    worst = Fraction(0)
    for delta in differences_of(edge):
        shift = nearest(edge, delta, stored)
        if shift is None:
            return None
        worst = max(worst, price(edge, delta, shift))
    return worst


def repeats_freely(edge: Edge, stored: int) -> bool:
    """Whether a step on a cycle that stores nothing can follow its inputs, whatever they are, at no cost."""
    if edge.input and edge.discloses:
        return False
    return {"": True, "<": stored == 1, ">=": stored == -1, "=": False}[edge.relation]
