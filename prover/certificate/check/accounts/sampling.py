"""Laws of mechanisms that run on a Poisson sample, from laws with and without one person (*Samples*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget, bits_of
from ..reading import BadEvidence, BadModel, Json, constant, demand, rational, record
from .endings import Atom, Law, Laws, added, mass_of


def sampled(
    sampling: Json, part: Mapping[str, Json], sides: tuple[Sequence[Laws], Sequence[Laws]], budget: Budget
) -> tuple[Sequence[Laws], Sequence[Laws]]:
    """One way round the first secret is with the person, the other way without."""
    fields = record(sampling, "kind rate")
    constant(fields["kind"], "poisson")
    rate = Fraction(*rational(fields["rate"]))
    demand(0 < rate <= 1, BadModel, "a rate is not between 0 and 1")
    demand("chain" not in part or "from" in part, BadModel, "a sample of a chain needs two secrets")
    differ = part.get("adjacency", "all-differ") in ("all-differ", "one-differ")
    demand(differ, BadModel, "a sample needs neighbours that may differ either way")
    forward, backward = sides
    return [both(laws, rate, True, budget) for laws in forward], [
        both(laws, rate, False, budget) for laws in backward
    ]


def both(laws: Laws, rate: Fraction, first: bool, budget: Budget) -> Laws:
    """The law from below, and the one from above; one object if they are the same."""
    lower, upper = laws
    below = mixed(lower, rate, first, budget)
    return below, below if lower is upper else mixed(upper, rate, first, budget)


def mixed(law: Law, rate: Fraction, first: bool, budget: Budget) -> Law:
    """P, or else Q, becomes (1 − γ) of the law without the person and γ of the one with the person."""
    size = 2 * bits_of(n for atom in law for x in (*atom, rate) for n in x.as_integer_ratio())
    budget.spend(16 * (len(law) + 1), size, size)
    seconds = [mass / ratio for ratio, mass in law]
    budget.denominator([q.denominator for q in seconds])
    rest = 1 - rate
    zero = 1 - sum(seconds, Fraction(0))
    demand(zero >= 0, BadEvidence, "more mass than 1 under the second secret")
    atoms: list[Atom] = []
    if first:
        ratios = [rest + rate * ratio for ratio, _ in law]
        atoms = [(ratio, ratio * q) for ratio, q in zip(ratios, seconds, strict=True)]
        atoms += [(rest, rest * zero)] if rest and zero else []
    else:
        atoms = [(ratio / (rest * ratio + rate), mass) for ratio, mass in law]
        budget.denominator([mass.denominator for _, mass in law])
        infinite = 1 - mass_of(law)
        atoms += [(1 / rest, infinite)] if rest and infinite else []
    budget.denominator([mass.denominator for _, mass in atoms])
    return added(atoms)
