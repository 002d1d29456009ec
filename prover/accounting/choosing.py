"""One of several mechanisms, chosen in every run after the outputs of all runs before it.

Reference: docs/accounting.md, *One of several mechanisms*.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod

from prover.accounting.distribution import LossDistribution, given_times
from prover.accounting.mechanism import Mechanism
from prover.accounting.pairs import MOST_CHOICES, PairLoss
from prover.errors import BadValue, BeyondLimit, NotSupported, must_be

MOST_OPTIONS = 20


def one_of(options: Sequence[Mechanism], *, times: int = 1) -> Mechanism:
    """A part of an account that is one of these mechanisms, in every run another one perhaps.

    Whoever runs them chooses after the outputs of all runs before; the two secrets of each mechanism stay the
    same.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "2/3"})
        >>> leaky = Mechanism.of_known("approximate", {"alpha": 1, "delta": "1/10"})
        >>> one_of([coin, leaky], times=2).name
        'randomised-response or approximate'

    Raises BadValue, BeyondLimit, and NotSupported for mechanisms whose distributions are only enclosed.
    """
    must_be(Sequence, options=options)
    listed = tuple(options)
    must_be(Mechanism, **{f"option_{k}": option for k, option in enumerate(listed)})
    if not 2 <= len(listed) <= MOST_OPTIONS:
        raise BadValue(
            f"one_of lists 2 to {MOST_OPTIONS} mechanisms, and here {len(listed)}", code="bad-mechanism"
        )
    if any(option.times != 1 or option.options for option in listed):
        raise BadValue(
            "a mechanism that may be chosen runs once, and is none that chooses itself", code="bad-mechanism"
        )
    if any(choice.upper is not None for option in listed for choice in (*option.forward, *option.backward)):
        raise NotSupported(
            "mechanisms that are chosen need distributions that are known exactly: chains with finitely many "
            "belief pairs, and known mechanisms with finitely many likelihood ratios",
            code="only-enclosed",
        )
    sides = ([option.forward for option in listed], [option.backward for option in listed])
    number = max(prod(map(len, side)) for side in sides)
    if number > MOST_CHOICES:
        raise BeyondLimit(
            f"pairs of secrets have {number:,} different combinations, more than {MOST_CHOICES:,}; name from "
            "and to",
            code="too-many-choices",
        )
    forward, backward = (tuple(_choice(row) for row in product(*side)) for side in sides)
    return Mechanism(
        " or ".join(o.name for o in listed), given_times(times), forward, backward, options=listed
    )


def _choice(row: Sequence[PairLoss]) -> PairLoss:
    losses = tuple(choice.loss for choice in row)
    return PairLoss(None, None, losses[0], dominating(losses), losses)


def dominating(losses: Sequence[LossDistribution]) -> LossDistribution:
    """The distribution whose δ is the largest of these at every α.

    >>> coin, leaky = LossDistribution.randomised_response("2/3"), LossDistribution.approximate(1, "1/10")
    >>> [str(atom.ratio) for atom in dominating([coin, leaky]).atoms]
    ['4/5', '5/4']
    """
    knots = sorted({Fraction(0), *(atom.ratio for loss in losses for atom in loss.atoms)})
    knots.append(knots[-1] + 1)  # from the last ratio on all are constant
    heights = [[loss.delta(alpha) for alpha in knots] for loss in losses]
    places = set(knots)
    for k, (start, end) in enumerate(pairwise(knots)):
        for one, other in combinations(heights, 2):
            before, after = one[k] - other[k], one[k + 1] - other[k + 1]
            if before * after < 0:  # lines that cross
                places.add(start + (end - start) * before / (before - after))
    points = ((alpha, max(loss.delta(alpha) for loss in losses)) for alpha in sorted(places))
    return LossDistribution.of_profile(points)
