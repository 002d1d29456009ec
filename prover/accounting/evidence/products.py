"""How certificates of compositions multiply laws, and how much work that is (docs/certificates.md, 3.8)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from prover.accounting.account import Account
from prover.accounting.adaptive import AdaptiveComposition
from prover.accounting.bounded import BoundedComposition
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.evidence.work import adaptive_work, exact_work
from prover.accounting.grid import Grid
from prover.accounting.lattice import coprime_basis
from prover.accounting.refining import powers_work
from prover.accounting.sums import EnclosedComposition, ExactComposition
from prover.accounting.tradeoff import TradeOff
from prover.accounting.units import MOST_WORK, bits_of, operation
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Json
from prover.errors import Fault

_CLOSE = Fraction(1, 2**58)  # within this, leading bits need not tell ratios from α
_OPERATIONS = 128  # of an α, or of the errors of a vertex, on a grid


def method_of(found: Account, alpha: Fraction, *, upper: bool = True) -> Json:
    """How the laws are multiplied, and the work of that and of δ at α; of those from above, or from below,
    where these have different exact products. Raises TooMuchWork."""
    grid = found.grid
    adaptive = [one for one in found.compositions if isinstance(one, AdaptiveComposition)]
    if adaptive:
        return {"adaptive": _spendable(sum(adaptive_work(one, alpha) for one in adaptive))}
    if grid is None:

        def near(one: ExactComposition | EnclosedComposition) -> int:
            return one.above(alpha * (1 - _CLOSE)) - one.above(alpha * (1 + _CLOSE)) + 1

        return _exactly(found, alpha, near, upper=upper)
    return _on_grid(found, grid, grid_work(found, grid))


def _exactly(
    found: Account,
    alpha: Fraction,
    near: Callable[[ExactComposition | EnclosedComposition], int],
    *,
    upper: bool,
) -> Json:
    """By sums, where so many ratios of a composition are too near to α for their leading bits."""
    times = [part.times for part in found.mechanisms]
    rows = [[choice.most if upper else choice.loss for choice in row] for row in found.choices]
    ratios = (atom.ratio for row in rows for loss in row for atom in loss.atoms)
    basis = coprime_basis(n for ratio in ratios for n in ratio.as_integer_ratio())
    work = 0
    for row, both in zip(rows, found.compositions, strict=True):
        one = both.side(upper=upper) if isinstance(both, BoundedComposition) else both
        if isinstance(one, ExactComposition | EnclosedComposition):
            work += exact_work(list(zip(row, times, strict=True)), basis, alpha, near(one))
    return {"basis": [str(b) for b in basis], "sums": _spendable(work)}


def _on_grid(found: Account, grid: Grid, work: int) -> Json:
    limits: Json = {"digits": grid.digits, "steps": grid.steps, "tail": str(grid.tail)}
    if any(grid.halvings):
        limits["halvings"] = list(grid.halvings)
    return {"grid": {**limits, "work": _spendable(work, room(found))}}


def method_of_errors(found: Account, lower: TradeOff, upper: TradeOff, *, above: bool = True) -> Json:
    """How the laws are multiplied where tests of their products are compared with two functions, and the work
    of that; of those from above, or from below, as ``method_of`` does. Raises TooMuchWork."""
    if found.grid is None:
        return _exactly(found, Fraction(1), lambda one: 4 * len(one.p), upper=above)
    grid = found.grid
    slopes = [abs(b - y) / (a - x) for (x, y), (a, b) in pairwise(lower.vertices)]
    numbers = [max(fall, 1 / fall) for fall in slopes if fall]
    long = 2 * grid.unit.bit_length() + 70
    work = grid_work(found, grid) + len(found.choices) * _OPERATIONS * (
        sum(operation(bits_of(alpha), long) for alpha in numbers)
        + sum(operation(max(map(bits_of, vertex)), long) for vertex in upper.vertices)
    )
    return _on_grid(found, grid, work)


def grid_work(found: Account, grid: Grid) -> int:
    """The units of both sides of all products on the grid."""
    products = [one for one in found.compositions if isinstance(one, EnclosedLossDistribution)]
    if any(one.work is None for one in products):
        raise Fault("a composition whose work was not counted")
    return powers_work(grid) + sum(sum(one.work or ()) for one in products)


def _spendable(work: int, most: int = MOST_WORK) -> int:
    """So many units, which no checker refuses to spend. Raises TooMuchWork."""
    if work > most:
        raise TooMuchWork
    return work


def has_noise(found: Account) -> bool:
    """Whether there are programs, or discrete Gaussian noise."""
    return found.has_programs or any(part.discrete_gaussian for part in found.mechanisms)


def room(found: Account) -> int:
    """The units that are left for products, where noise is checked, too."""
    return MOST_WORK // 2 if has_noise(found) else MOST_WORK
