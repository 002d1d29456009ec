"""Laws of mechanisms that run on samples: Poisson samples, from laws with and without one person, and samples
of a fixed size, from laws with other data of one person (*Samples*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget, bits_of
from ..reading import BadEvidence, BadModel, Json, constant, demand, rational, record
from .endings import Atom, Law, Laws, added, corners_below, key_of, law_of_corners, mass_of


def sampled(
    sampling: Json, part: Mapping[str, Json], sides: tuple[Sequence[Laws], Sequence[Laws]], budget: Budget
) -> tuple[Sequence[Laws], Sequence[Laws]]:
    """One way round the first secret is with the person, the other way without."""
    fixed, rate = read_sampling(sampling, part)
    forward, backward = sides
    if fixed:
        same = [*map(key_of, forward)] == [*map(key_of, backward)]
        demand(same, BadModel, "a sample of a fixed size needs a pair that is as likely the other way round")
    mix = of_fixed_size if fixed else both
    return [mix(laws, rate, True, budget) for laws in forward], [
        mix(laws, rate, False, budget) for laws in backward
    ]


def read_sampling(sampling: Json, part: Mapping[str, Json]) -> tuple[bool, Fraction]:
    """Whether samples have a fixed size, and their rate."""
    fields = record(sampling, "kind rate")
    fixed = fields["kind"] == "fixed-size"
    constant(fields["kind"], "fixed-size" if fixed else "poisson")
    rate = Fraction(*rational(fields["rate"]))
    demand(0 < rate <= 1, BadModel, "a rate is not between 0 and 1")
    demand("chain" not in part or "from" in part, BadModel, "a sample of a chain needs two secrets")
    differ = part.get("adjacency", "all-differ") in ("all-differ", "one-differ")
    demand(differ, BadModel, "a sample needs neighbours that may differ either way")
    return fixed, rate


def of_fixed_size(laws: Laws, rate: Fraction, first: bool, budget: Budget) -> Laws:
    """From below all others have the data of one of the two, as on a Poisson sample."""
    lower, upper = laws
    return mixed(lower, rate, first, budget), replaced(upper, rate, budget)


def replaced(law: Law, rate: Fraction, budget: Budget) -> Law:
    """Of the largest convex function that is not above what bounds δ at some places."""
    size = bits_of(n for atom in law for x in (*atom, rate) for n in x.as_integer_ratio())
    gains = sorted(((ratio, mass, mass / ratio) for ratio, mass in law if ratio > 1), reverse=True)
    common = [mass.denominator for _, mass in law], [q.denominator for _, _, q in gains]
    long = 4 * size + sum(budget.denominator(own).bit_length() for own in common)
    budget.spend(64 * (len(law) + 2), long, long)
    total = 1 - mass_of(law)
    points, p, q = list[tuple[Fraction, Fraction]](), total, Fraction(0)
    for ratio, mass, second in gains:  # from the last knot to 1
        points.append((1 - rate + rate * ratio, rate * (p - ratio * q)))
        p, q = p + mass, q + second
    points.append((Fraction(1), rate * (p - q)))
    mirrored = [(1 / knot, 1 - 1 / knot + value / knot) for knot, value in points[:-1]]
    return law_of_corners(corners_below([*mirrored, *reversed(points)]))


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
