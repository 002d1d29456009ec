"""Mechanisms: what an account composes, and where the laws of their losses come from.

Reference: docs/accounting.md, *What is claimed*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from prover.accounting.discrete_gaussian import DiscreteGaussian
from prover.accounting.distribution import LossDistribution, given_times
from prover.accounting.known import known_mechanism, written
from prover.accounting.least_epsilon import DEFAULT_DELTA
from prover.accounting.pairs import PairLoss
from prover.accounting.secret_losses import pair_losses, unexplored
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import must_be_whole
from prover.chain.secrets import ROUGH, Secrets
from prover.errors import must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.progress import MOST_SOON, Progress, after, silent

if TYPE_CHECKING:
    from prover.accounting.programs import ProgramLosses

DEFAULT_GAP = Fraction(1, 10**6)
COARSE = Fraction(1, 2)  # up to which δ of all runs is known first

AnyOutcome = TypeVar("AnyOutcome")


@dataclass(frozen=True)
class Mechanism:
    """A part of an account: a mechanism, and how many independent runs of it are seen.

    ``forward`` and ``backward`` have the pairs of secrets that may be meant, one for each different
    distribution. ``secrets`` are those of a chain, and ``known`` is the name of a known mechanism with its
    parameters. Where δ of a chain is only enclosed, ``width`` says how closely that was tried. ``losses`` are
    those of a threshold program. If it runs on Poisson samples, or on some of a ``fixed`` size, ``whole`` is
    the mechanism on all data, and ``rate`` how likely a person is in a sample. For every run one of the
    ``options`` is chosen, if there are some.
    """

    name: str
    times: int
    forward: tuple[PairLoss, ...]
    backward: tuple[PairLoss, ...]
    secrets: Secrets | None = None
    known: Mapping[str, str | int] | None = None
    width: Fraction = Fraction(0)
    losses: ProgramLosses | None = None
    whole: Mechanism | None = None
    rate: Fraction | None = None
    fixed: bool = False
    options: tuple[Mechanism, ...] = ()

    @property
    def discrete_gaussian(self) -> tuple[Fraction, int] | None:
        """σ of discrete Gaussian noise, and the integer by which inputs differ; None of other mechanisms."""
        if self.known is None or self.known["known"] != "discrete-gaussian":
            return None
        return Fraction(self.known["sigma"]), int(self.known["sensitivity"])

    @property
    def squared_shift(self) -> Fraction | None:
        """(Δ/σ)² of one number with Gaussian noise of standard deviation σ, also on the integers, for inputs
        that differ by up to Δ; None of other mechanisms, and of samples of a fixed size.
        """
        if self.fixed:
            return None
        if self.losses is not None:
            return self.losses.squared_shift
        noise = self.discrete_gaussian
        return None if noise is None else (noise[1] / noise[0]) ** 2

    @staticmethod
    def of(
        chain: LabelledMarkovChain,
        source: str | None = None,
        target: str | None = None,
        *,
        times: int = 1,
        name: str = "chain",
        gap: Given = DEFAULT_GAP,
        progress: Progress = silent,
        on_coarse: Callable[[Mechanism], None] | None = None,
    ) -> Mechanism:
        """A chain and two of its states; without states, any pair of its relation, the same in every run.

        Where words may lead to infinitely many belief pairs, the distribution is enclosed, so that δ of all
        the runs is known up to ``gap`` if that does not take too long; ``on_coarse`` is called with wider
        bounds before, where it takes many belief pairs. Raises UnknownName, BadOptions and BadValue.
        """
        must_be(LabelledMarkovChain, chain=chain)
        must_be_whole(chain)
        times, secrets = given_times(times), Secrets.of(chain, source, target, "lv")
        width = given_rational(gap, "the gap", "bad-question", at_least=0) / (2 * times)
        if on_coarse is not None:
            hear = on_coarse

            def tell(part: Secrets, width: Fraction) -> None:
                hear(Mechanism.of_secrets(part, width, times, name))

            rest = after(MOST_SOON, progress, lambda: tell(unexplored(secrets), COARSE / (2 * times)))
            progress = secrets.look_first(rest, lambda one: tell(one, max(width, ROUGH)), coarsely=True)
        return Mechanism.of_secrets(secrets, width, times, name, progress)

    @staticmethod
    def of_secrets(
        secrets: Secrets, width: Fraction, times: int = 1, name: str = "chain", progress: Progress = silent
    ) -> Mechanism:
        """Runs of a chain with these secrets; δ of a run is known up to ``width`` if that is not too long."""
        return Mechanism(name, times, *pair_losses(secrets, width, progress), secrets, width=width)

    @staticmethod
    def of_program(losses: ProgramLosses, *, times: int = 1, name: str = "program") -> Mechanism:
        """A threshold program: from above on all neighbouring inputs, each of which may depend on all outputs
        before it, and from below on the pair of inputs that was found, in every run.

        Raises BadValue.
        """
        from prover.accounting.programs import ProgramLosses

        must_be(ProgramLosses, losses=losses)
        forward = tuple(PairLoss(None, None, *own) for own in losses.bounds())
        backward = forward
        if losses.is_one_way:
            backward = tuple(PairLoss(None, None, *own) for own in losses.bounds(forward=False))
        return Mechanism(name, given_times(times), forward, backward, losses=losses)

    @staticmethod
    def of_known(
        known: str,
        parameters: Mapping[str, Given],
        *,
        times: int = 1,
        delta: Given = DEFAULT_DELTA,
        progress: Progress = silent,
    ) -> Mechanism:
        """A known mechanism, by its name in ``KNOWN``, and its parameters.

        Gaussian and Laplace noise are bounded sharply where so many runs have about this δ. Raises BadValue,
        and NotSupported for noise that is very wide or narrow.
        """
        times, kind = given_times(times), known_mechanism(known)
        numbers = kind.numbers(known, parameters)
        made = kind.make(**numbers)
        if isinstance(made, LossDistribution | DiscreteGaussian):
            laws = (made, None) if isinstance(made, LossDistribution) else (made.lower, made.upper)
            choice = (PairLoss(None, None, *laws),)
            return Mechanism(known, times, choice, choice, known={"known": known, **written(numbers)})
        from prover.accounting.programs import ProgramLosses

        program, at_epsilon = made
        losses = ProgramLosses.of(program, at_epsilon=at_epsilon, times=times, delta=delta, progress=progress)
        listed = [f"{key} = {format_rational(Fraction(own))}" for key, own in numbers.items()]
        return Mechanism.of_program(losses, times=times, name=", ".join([known, *listed]))

    @staticmethod
    def of_laws(
        p: Mapping[AnyOutcome, Given], q: Mapping[AnyOutcome, Given], *, times: int = 1, name: str = "laws"
    ) -> Mechanism:
        """Two laws on finitely many outcomes, from one secret and from the other. Raises BadValue."""
        times = given_times(times)
        loss = LossDistribution.of_laws(p, q)
        return Mechanism(name, times, (PairLoss(None, None, loss),), (PairLoss(None, None, loss.reverse),))
