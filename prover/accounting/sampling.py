"""Mechanisms that run on a Poisson sample of the people in their data, or on one of a fixed size.

Reference: docs/accounting.md, *Samples*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from prover.accounting.distribution import LossDistribution
from prover.accounting.mechanism import Mechanism
from prover.accounting.pairs import PairLoss
from prover.errors import BadOptions, must_be
from prover.exact.given import Given, given_rational
from prover.program.adjacency import Adjacency


def poisson_sampled(mechanism: Mechanism, rate: Given) -> Mechanism:
    """The mechanism where each person is in its data with probability ``rate`` only, in each run anew.

    The first secret is the one with a person's data, the second the one without; neighbouring inputs may be
    either.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "1/3"})
        >>> [str(atom.ratio) for atom in poisson_sampled(coin, "1/2").forward[0].loss.atoms]
        ['2/3', '2']

    Raises BadValue, and BadOptions for chains without two named secrets, for inputs that only rise or fall,
    and for one of several mechanisms.
    """
    share = _sampling_rate(mechanism, rate)
    forward = tuple(
        _sampled(choice, lambda loss: loss.poisson_sampled(share)) for choice in mechanism.forward
    )
    backward = tuple(
        _sampled(choice, lambda loss: loss.reverse.poisson_sampled(share).reverse)
        for choice in mechanism.backward
    )
    return replace(mechanism, forward=forward, backward=backward, whole=mechanism, rate=share)


def fixed_size_sampled(mechanism: Mechanism, rate: Given) -> Mechanism:
    """The mechanism on random samples of a fixed size, a part ``rate`` of all people, in each run anew, for
    neighbours of which one person's data are replaced.

    From above it holds for all mechanisms of which all neighbours are dominated by the pair; from below where
    all others have the data of one of the two.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "1/3"})
        >>> [str(atom.ratio) for atom in fixed_size_sampled(coin, "1/2").forward[0].most.atoms]
        ['1/2', '1', '2']

    Raises BadValue, and BadOptions where ``poisson_sampled`` does, and for a pair that is not as likely the
    other way round.
    """
    sampled = poisson_sampled(mechanism, rate)
    share = _sampling_rate(mechanism, rate)
    if [choice.kind for choice in mechanism.forward] != [choice.kind for choice in mechanism.backward]:
        raise BadOptions(
            "a sample of a fixed size needs a pair of secrets that is as likely the other way round: one "
            "person's data are replaced by any other data",
            code="bad-sampling",
        )
    forward, backward = (
        tuple(
            replace(choice, upper=one.most.fixed_size_sampled(share))
            for choice, one in zip(side, whole, strict=True)
        )
        for side, whole in (
            (sampled.forward, mechanism.forward),
            (sampled.backward, mechanism.backward),
        )
    )
    return replace(sampled, forward=forward, backward=backward, fixed=True)


def _sampling_rate(mechanism: Mechanism, rate: Given) -> Fraction:
    """The rate that was given, if there may be samples."""
    must_be(Mechanism, mechanism=mechanism)
    share = given_rational(rate, "rate", "bad-mechanism", more_than=0, at_most=1)
    if mechanism.options:
        raise BadOptions("samples are those of each mechanism that may be chosen", code="bad-sampling")
    if mechanism.secrets is not None and not mechanism.secrets.named:
        raise BadOptions(
            "a sample needs from and to: the secret with a person's data, and the one without",
            code="bad-sampling",
        )
    losses = mechanism.losses
    if losses is not None and losses.adjacency not in (Adjacency.ALL_DIFFER, Adjacency.ONE_DIFFER):
        raise BadOptions(
            "a sample needs neighbours that may differ either way: all-differ or one-differ",
            code="bad-sampling",
        )
    return share


def _sampled(choice: PairLoss, sampled: Callable[[LossDistribution], LossDistribution]) -> PairLoss:
    upper = None if choice.upper is None else sampled(choice.upper)
    return replace(choice, loss=sampled(choice.loss), upper=upper)
