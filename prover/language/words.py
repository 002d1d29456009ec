"""The words of the language as Python functions, for runs of mechanisms and protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from prover.errors import NotSupported
from prover.exact.real import real_number, whole_part

Value = TypeVar("Value")

Numeric = Fraction | int | float | str


class Query(float):
    """The type of a parameter that is one private input."""


class Queries:
    """The type of a parameter that is the stream of private queries; one called ``queries`` needs no type."""


class Runtime(Protocol):
    """What draws and sees while a function runs."""

    def draw(
        self,
        noise: str,
        center: Any,
        rate: Numeric | None = None,
        scale: Numeric | None = None,
        sigma: Numeric | None = None,
    ) -> Any: ...

    def unbounded(self, word: str, center: int, q: Numeric) -> int: ...

    def flip(self, probability: Numeric) -> bool: ...

    def choose(
        self, values: Sequence[Value] | Mapping[Value, Numeric], weights: Sequence[Numeric] | None
    ) -> Value: ...

    def count(self, word: str, *given: Numeric) -> int: ...

    def ask(self, options: Sequence[Value]) -> Value: ...

    def see(self, value: Any) -> None: ...


RUNNING: ContextVar[Runtime | None] = ContextVar("RUNNING", default=None)


def laplace(center: Any, rate: Numeric | None = None, scale: Numeric | None = None) -> Any:
    """The center plus Laplace noise, of density ∝ ``e^(-rate·ε·|z|)``.

    The center is a query or a public number. Give the ``rate`` > 0, a multiple of ε, or ``scale`` = 1/rate;
    ``rate="inf"`` means no noise.

        >>> import prover
        >>> @prover.mechanism
        ... def is_above(query: Query):
        ...     see("above" if laplace(query, rate="1/2") >= 0 else "below")
        >>> prover.privacy(is_above())
        <Privacy: private: exactly (1/2)·ε (no smaller multiple holds)>

    Raises NotSupported where no mechanism runs.
    """
    return _running("laplace").draw("laplace", center, rate, scale)


def discrete_laplace(
    center: Any, rate: Numeric | None = None, scale: Numeric | None = None, q: Numeric | None = None
) -> Any:
    """A whole center plus two-sided geometric noise, P(z) ∝ ``e^(-rate·ε·|z|)``.

    The center is a query or a public number. Give the ``rate`` > 0, a multiple of ε, or ``scale`` = 1/rate;
    ``rate="inf"`` means no noise. In protocols: ``q``, in (0, 1), with
    P(z) = (1 − q)/(1 + q)·q^|z|.

        >>> import prover
        >>> @prover.mechanism
        ... def is_above(query: Query):
        ...     see("above" if discrete_laplace(query, rate="1/2") >= 0 else "below")
        >>> prover.privacy(is_above())
        <Privacy: private: exactly (1/2)·ε (no smaller multiple holds)>

    Raises NotSupported where no mechanism runs.
    """
    if q is not None:
        return _running("discrete_laplace").unbounded("discrete_laplace", center, q)
    return _running("discrete_laplace").draw("discrete_laplace", center, rate, scale)


def exponential(center: Any, rate: Numeric | None = None, scale: Numeric | None = None) -> Any:
    """The center plus exponential noise, which is at least 0, of density ∝ ``e^(-rate·ε·z)``.

    The center is a query or a public number. Give the ``rate`` > 0, a multiple of ε, or ``scale`` = 1/rate;
    ``rate="inf"`` means no noise.

        >>> import prover
        >>> @prover.mechanism
        ... def larger(first: Query, second: Query):
        ...     score = exponential(first, rate="1/2")
        ...     see("second" if exponential(second, rate="1/2") > score else "first")
        >>> prover.privacy(larger())
        <Privacy: private: exactly ε (no smaller multiple holds)>

    Raises NotSupported where no mechanism runs.
    """
    return _running("exponential").draw("exponential", center, rate, scale)


def geometric(
    center: Any, rate: Numeric | None = None, scale: Numeric | None = None, q: Numeric | None = None
) -> Any:
    """A whole center plus one-sided geometric noise, which is at least 0: P(z) ∝ ``e^(-rate·ε·z)``.

    The center is a query or a public number. Give the ``rate`` > 0, a multiple of ε, or ``scale`` = 1/rate;
    ``rate="inf"`` means no noise. In protocols: ``q``, in (0, 1), with
    P(z) = (1 − q)·q^z.

        >>> import prover
        >>> @prover.mechanism
        ... def larger(first: Query, second: Query):
        ...     score = geometric(first, rate="1/2")
        ...     see("second" if geometric(second, rate="1/2") > score else "first")
        >>> prover.privacy(larger())
        <Privacy: private: exactly ε (no smaller multiple holds)>

    Raises NotSupported where no mechanism runs.
    """
    if q is not None:
        return _running("geometric").unbounded("geometric", center, q)
    return _running("geometric").draw("geometric", center, rate, scale)


def gaussian(center: Any, sigma: Numeric) -> Any:
    """The center plus Gaussian noise, of density ∝ ``e^(-z²/(2·sigma²))``, whatever ε is.

    The center is a query or a public number. ``sigma`` > 0 is the standard deviation, in units of queries.

        >>> import prover
        >>> @prover.mechanism
        ... def is_above(query: Query):
        ...     see("above" if gaussian(query, sigma=4) >= 0 else "below")
        >>> is_above.run([0], seed=1)
        ['above']

    Raises NotSupported where no mechanism runs.
    """
    return _running("gaussian").draw("gaussian", center, sigma=sigma)


def flip(probability: Numeric = "1/2") -> bool:
    """A coin that is True with this probability, a number in [0, 1].

    >>> import prover
        >>> @prover.protocol
        ... def survey(truth: bool):
        ...     see("yes" if truth == flip("2/3") else "no")
        >>> str(prover.delta(survey.chain(), alpha="6/5").value)
        '4/15'

    Raises NotSupported where no protocol runs.
    """
    return _running("flip").flip(probability)


def choose(
    values: Sequence[Value] | Mapping[Value, Numeric], weights: Sequence[Numeric] | None = None
) -> Value:
    """One of the values, with probabilities in proportion to the weights; without them, all equally likely.

    Weights are at least 0, and not all are 0. ``choose({"red": "1/3", "blue": "2/3"})`` gives each value its
    probability; these add up to 1.

        >>> import prover
        >>> @prover.protocol
        ... def paint(green: bool):
        ...     see(choose(("red", "blue", "green"), (1, 1, 2)) if green else choose(("red", "blue")))
        >>> str(prover.delta(paint.chain(), alpha=1).value)
        '1/2'

    Raises NotSupported where no protocol runs.
    """
    return _running("choose").choose(values, weights)


def binomial(n: int, p: Numeric) -> int:
    """How many of n coins are True, each with probability p, in [0, 1]; n is a whole number up to 10,000.

        >>> import prover
        >>> @prover.protocol
        ... def shuffled(mine: bool):
        ...     see(binomial(9, "1/4") + (1 if flip("3/4" if mine else "1/4") else 0))
        >>> str(prover.delta(shuffled.chain(), alpha=2).value)
        '19683/1048576'

    Raises NotSupported where no protocol runs.
    """
    return _running("binomial").count("binomial", n, p)


def hypergeometric(population: int, marked: int, drawn: int) -> int:
    """How many of ``drawn`` different members of a population are marked, all members being equally likely.

    The population has at most 10,000 members; ``marked`` of them are marked.

        >>> import prover
        >>> @prover.protocol
        ... def sample(mine: bool):
        ...     see(hypergeometric(10, 3 + mine, 2))
        >>> str(prover.delta(sample.chain(), alpha=1).value)
        '2/15'

    Raises NotSupported where no protocol runs.
    """
    return _running("hypergeometric").count("hypergeometric", population, marked, drawn)


def floor(number: Numeric) -> int:
    """The largest whole number that is not above a number, which may be a text with e^(…) of rationals.

    It is exact. So code can have tables that are rounded to b bits.

        >>> floor("2^8*e^(-1/2)"), floor("-7/2")
        (155, -4)

    Raises BadValue, BeyondLimit.
    """
    return whole_part(real_number(number) if isinstance(number, str) else Fraction(number))


def ask(*options: Any) -> Any:
    """One of the options, or of the items of a single tuple: the attacker sees them all, and chooses.

    >>> import prover
        >>> @prover.protocol
        ... def guess(high: bool):
        ...     asked = ask("is it high", "nothing")
        ...     if asked == "is it high":
        ...         see("yes" if high == flip("2/3") else "no")
        >>> str(prover.delta(guess.system(), alpha=1).value)
        '1/3'

    Raises NotSupported in simulated runs, which have no attacker, and where no protocol runs.
    """
    return _running("ask").ask(options)


def see(value: Any) -> None:
    """Add a letter (a string, a whole number, a truth value) or a drawn number to the output.

    >>> import prover
        >>> @prover.protocol
        ... def leak(secret: bool):
        ...     see(secret)
        >>> str(prover.delta(leak.chain(), alpha=1).value)
        '1'

    Raises NotSupported where no mechanism and no protocol runs.
    """
    _running("see").see(value)


def _running(word: str) -> Runtime:
    runtime = RUNNING.get()
    if runtime is None:
        raise NotSupported(
            f"{word}() works only inside mechanisms and protocols; call .run of these",
            code="outside-a-run",
        )
    return runtime
