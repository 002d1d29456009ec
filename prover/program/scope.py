"""What a procedure is for: noise with rates, of one rate, on no grid, tests without ties; or a refusal."""

from __future__ import annotations

from collections.abc import Iterator

from prover.errors import NotSupported, quoted
from prover.graphs import search
from prover.program.edge import Edge
from prover.program.errors import gaussian_noise
from prover.program.model import Program, out_edges, public_numbers, reachable, variables
from prover.program.noise import INFINITE, Gaussian
from prover.program.outputs import numbers_of


def discrete_noise() -> NotSupported:
    """Discrete noise is given to a procedure for Laplace noise."""
    return NotSupported(
        "the program has discrete noise; this question is answered only for Laplace noise",
        code="discrete-noise",
    )


class SeveralVariables(NotSupported):
    """A program of several variables is given to a procedure for one variable."""

    def __init__(self, names: tuple[str, ...], what: str) -> None:
        super().__init__(f"the program has {len(names)} variables; {what} supported for one variable only")


class TiesOfSeveral(NotSupported):
    """Tests <=, > or = of a program of several variables with discrete noise, where ties matter."""

    def __init__(self, state: str, tests: str) -> None:
        super().__init__(
            f"state {quoted(state)} compares by {tests}: with discrete noise and several variables, ties "
            "then decide which runs are possible, which is not supported; write < or >="
        )


def _gaussian_states(program: Program) -> Iterator[str]:
    for name, state in program.states.items():
        if isinstance(state.rate, Gaussian) or isinstance(state.rate_prime, Gaussian):
            yield name


def has_gaussian(program: Program) -> bool:
    """Whether a state of the program has Gaussian noise."""
    return any(True for _ in _gaussian_states(program))


def depends_on_epsilon(program: Program) -> bool:
    """Whether a number that is compared or output has noise of a rate, which is a multiple of ε."""
    states = reachable(program)
    edges = [edge for edge in program.edges if edge.source in states]
    compared = {variable for edge in edges for _, variable in edge.bounds}

    def uses_rates(edge: Edge) -> bool:
        used = edge.pinned or edge.bounds or not compared.isdisjoint(edge.assign)
        rates = () if isinstance(edge.noise, Gaussian) else edge.noise
        second = edge.primed and not isinstance(edge.noise_prime, Gaussian)
        return second or bool(used and any(rate != INFINITE for rate in rates))

    return any(map(uses_rates, edges))


def demand_rates(program: Program) -> None:
    """Raises NotSupported where a state of the program has Gaussian noise, which has no rate."""
    for name in _gaussian_states(program):
        raise gaussian_noise(name)


def demand_one_rate(program: Program) -> None:
    """Raises NotSupported where a state of the program has two rates, or infinite ones, or Gaussian noise."""
    demand_rates(program)
    for name, state in program.states.items():
        if state.rate is None:
            raise NotSupported(
                f"the noise of state {quoted(name)} has two rates, or is missing on a side; this question is "
                "answered only for one rate",
                code="two-rates",
            )


def demand_two_sides(program: Program) -> None:
    """Raises NotSupported where a state of the program has an infinite rate, or Gaussian noise."""
    demand_rates(program)
    for name, state in program.states.items():
        if INFINITE in state.rates:
            raise NotSupported(
                f"the noise of state {quoted(name)} is missing on a side; this question is answered only for "
                "noise on both sides",
                code="no-noise",
            )


def has_two_rates(program: Program) -> bool:
    """Whether some state has two rates, or infinite ones."""
    return any(state.rate is None for state in program.states.values())


def has_own_sensitivities(program: Program) -> bool:
    """Whether inputs of neighbours are farther apart at some states than at others."""
    return any(state.sensitivity is not None for state in program.states.values())


def is_scaled_by_epsilon(program: Program) -> bool:
    """Whether outputs have at ε the probabilities that they have at 1 on inputs times ε.

    That needs noise on the line, with finite rates, outputs without numbers, and public samples around one
    number (docs/theory_observer.md, *Losses between the two bounds*).
    """
    if program.noise.grid is not None or program.at_epsilon is not None or has_gaussian(program):
        return False
    edges = [edge for edge in program.edges if edge.source in reachable(program)]
    if any(INFINITE in edge.rates or numbers_of(edge.outputs) for edge in edges):
        return False
    return len({program.states[edge.source].mean for edge in edges if not edge.input}) < 2


def demand_placed(program: Program) -> None:
    """Raises NotSupported unless it is clear that some inputs make each run possible whose tests allow that.

    Samples of public states that lack noise on a side cannot be anywhere. It does no harm if they are neither
    tested nor stored; or if there is one variable and these do not compare, if all of them have noise on the
    same side, if no run takes two of them, or if every run begins with all of them, increasing numbers
    without noise (docs/theory_noise.md, Theorem 2). Gaussian noise is refused, too.
    """
    demand_rates(program)
    states = reachable(program)
    edges = [edge for edge in program.edges if edge.source in states]
    bare = [edge for edge in edges if INFINITE in (edge.left, edge.right)]
    bare = [edge for edge in bare if not edge.input or edge.fixed is not None]
    fixed = [edge for edge in bare if edge.guard or edge.assign]
    comparing = [edge for edge in fixed if edge.guard]
    if not fixed or (len(variables(program)) < 2 and not comparing):
        return
    if all(edge.right != INFINITE for edge in fixed) or all(edge.left != INFINITE for edge in fixed):
        return
    if program.noise.grid is None and {edge.source for edge in fixed} <= {*public_numbers(program)}:
        return
    if (second := _second_of(program, fixed)) is not None:
        raise NotSupported(
            f"state {quoted(comparing[0].source if comparing else second)} reads no input and has no "
            "noise on a side, and its sample is compared with another such sample: which runs are possible "
            "then depends on means, which is not supported",
            code="unplaced",
        )


def _second_of(program: Program, edges: list[Edge]) -> str | None:
    """The state of some of these edges that a run can come to after another one of them, if there is one."""
    leaving = out_edges(program)
    after = search(
        sorted({edge.target for edge in edges}),
        lambda state: [edge.target for edge in leaving.get(state, ())],
    )
    return next((edge.source for edge in edges if edge.source in after), None)


def demand_no_ties(program: Program) -> None:
    """Raises TiesOfSeveral where a reachable state tests by <=, > or =."""
    for name in sorted(reachable(program)):
        if any(
            relation in ("<=", ">", "=")
            for case in program.states[name].transitions
            for relation, _ in case.guard
        ):
            raise TiesOfSeveral(name, "<=, > or =")


def demand_clear_order(program: Program) -> None:
    """Raises TiesOfSeveral where a tie may decide which runs of several variables are possible.

    That is where a test is =, or where one transition has tests of both sides, and some of both that are not
    strict (docs/theory_noise.md, *Ties of several variables*).
    """
    for name in sorted(reachable(program)):
        for case in program.states[name].transitions:
            relations = {relation for relation, _ in case.guard}
            if "=" in relations:
                raise TiesOfSeveral(name, "=")
            if {"<=", ">="} <= relations:
                raise TiesOfSeveral(name, "<= and >= at once")
