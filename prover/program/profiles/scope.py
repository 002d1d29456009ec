"""Which programs have profile tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from prover.errors import NotSupported, quoted
from prover.program.edge import Edge
from prover.program.graph import components
from prover.program.model import Program, out_edges, reachable, variables
from prover.program.noise import INFINITE, Gaussian
from prover.program.profiles.shifts import parts_of
from prover.program.scope import demand_no_ties, has_own_sensitivities

_LEAST, _MOST = Fraction(1, 10**12), Fraction(10**5)  # rates
_LARGE = 200  # transitions


def demand_tables(program: Program) -> None:
    """Raises NotSupported where the steps of a program are none that profile tables know.

    They know noise of one rate or on one side, and states that either have one transition
    without a guard or compare with < and >= (on a grid also <= and >); in loops without storing or
    releasing what is compared.
    """
    if len(variables(program)) > 1 and has_own_sensitivities(program):
        raise NotSupported(
            "bounds on delta of several variables are for the same sensitivity of all states",
            code="several-sensitivities",
        )
    if len(variables(program)) > 1:
        demand_no_ties(program)
    leaving = out_edges(program)
    parts = components(program)
    for state in sorted(reachable(program)):
        why = _obstacle(leaving[state], again=any(map(parts.holds, leaving[state])))
        if why is not None:
            raise NotSupported(f"state {quoted(state)} {why}", code="no-profile-table")
    parts_of(program, 1)


def one_number(program: Program) -> Edge | None:
    """The only transition of a program that reads an input, shows it with noise that is the same on both
    sides and not on a grid, beside at most a letter, and ends; None of other programs.
    """
    first, *others = out_edges(program)[program.initial]
    if others or first.guard or first.target in program.states or program.noise.is_discrete:
        return None
    alone = first.input and first.pinned and not first.primed and not first.gaps
    same = isinstance(first.noise, Gaussian) or (first.left == first.right != INFINITE)
    return first if alone and same else None


def demand_moderate(program: Program, at_epsilon: Fraction) -> None:
    """Raises NotSupported where a scale of noise, or a mean, is very large or small compared with how far
    inputs differ: bounds are found in floating point before they are proved.
    """
    for name, leaving in out_edges(program).items():
        state, edge = program.states[name], leaving[0]
        scales = [*_rates(edge, at_epsilon)]
        scales += [rate * edge.sensitivity for rate in scales if edge.sensitivity != 1]
        farthest = max(abs(state.mean), abs(state.mean_prime or state.mean)) / program.noise.sensitivity
        if not (all(_LEAST <= scale <= _MOST for scale in scales) and farthest <= 1 / _LEAST):
            raise NotSupported(
                f"the noise or the mean of state {quoted(name)} is very large or very small, compared "
                "with how far inputs differ; bounds on delta are for scales of noise from 10^-5 to 10^12 and "
                "means up to 10^12",
                code="not-moderate",
            )


def is_moderate(program: Program, at_epsilon: Fraction) -> bool:
    """Whether no scale of noise and no mean is very large or small."""
    try:
        demand_moderate(program, at_epsilon)
    except NotSupported:
        return False
    return True


def is_searched(program: Program, at_epsilon: Fraction) -> bool:
    """Whether short inputs are searched for where a program has no table: it is not large, and moderate."""
    return not is_large(program) and is_moderate(program, at_epsilon)


def is_large(program: Program) -> bool:
    """Whether a program has so many transitions that its table may take long."""
    return len(program.edges) > _LARGE


def _rates(edge: Edge, at_epsilon: Fraction) -> Iterator[Fraction]:
    """The finite rates at ε, and 1/σ of Gaussian noise, of both samples."""
    for noise in (edge.noise, edge.noise_prime):
        if isinstance(noise, Gaussian):
            yield 1 / noise.sigma
        else:
            rates = noise if isinstance(noise, tuple) else (noise,)
            yield from (rate * at_epsilon for rate in rates if isinstance(rate, Fraction))


def obstacle_of(program: Program) -> NotSupported | None:
    """Why a program has no profile table; None if its steps are some that these know."""
    try:
        demand_tables(program)
    except NotSupported as why:
        return why
    return None


def has_tables(program: Program) -> bool:
    """Whether the steps of a program are some that profile tables know."""
    return obstacle_of(program) is None


def _obstacle(leaving: Sequence[Edge], *, again: bool) -> str | None:
    """Why a state is none that tables know; whether runs may come to it ``again``."""
    first = leaving[0]
    if not isinstance(first.noise, Gaussian) and first.left != first.right and INFINITE not in first.noise:
        return "has noise with two different finite rates; bounds on delta are for one rate"
    why = unclear(leaving)
    if why is None and again and any(edge.guard and (edge.assigns or edge.pinned) for edge in leaving):
        why = (
            "stores or outputs a sample that it also compares, in a loop; bounds on delta are for programs "
            "that do one of the two there"
        )
    return why


def unclear(leaving: Sequence[Edge]) -> str | None:
    """Why a state is none that takes one of its transitions by comparing with one variable; None if it is."""
    first = leaving[0]
    if any(len(edge.bounds) > 1 for edge in leaving) or len({v for e in leaving for _, v in e.bounds}) > 1:
        return "compares with several variables; bounds on delta are for states that compare with one"
    if any(edge.gaps for edge in leaving):
        return "outputs a gap; bounds on delta are for letters and samples"
    if len(leaving) == 1 and not first.guard:
        return None
    if len({edge.relation for edge in leaving}) < len(leaving) or not all(edge.guard for edge in leaving):
        return "has guards that do not exclude each other; bounds on delta are for < and >="
    if any(edge.relation == "=" for edge in leaving):
        return "has a test =; bounds on delta are for <, <=, > and >="
    if {edge.written[0][0] for edge in leaving} in ({"<", ">"}, {"<=", ">="}):
        return "has guards of which none or both hold at a tie; bounds on delta are for < and >=, or <= and >"
    return None
