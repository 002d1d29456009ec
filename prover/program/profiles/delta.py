"""δ of a threshold program, for all neighbouring inputs: between a pair of inputs and a profile table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.exact.readable import factor_text, readable, readable_interval
from prover.program.adjacency import Adjacency
from prover.program.conditions import indistinct_states
from prover.program.model import Program
from prover.program.profiles.above import LARGEST, Detail, closed_tables, found_or_not
from prover.program.profiles.below import Below, delta_below, few_inputs, without_table
from prover.program.profiles.bounds import Above
from prover.program.profiles.epsilon import from_pure, pure_epsilon
from prover.program.profiles.over_inputs import OverInputs
from prover.program.profiles.policy import Policy
from prover.program.profiles.public import is_public, narrowed
from prover.program.profiles.pure import PureBounds, pure_bounds, says_little
from prover.program.profiles.scope import obstacle_of
from prover.program.profiles.streams import Losing, losing_loop
from prover.progress import Progress, silent
from prover.views import Bounded


@dataclass(frozen=True, slots=True, repr=False)
class ProgramDelta(OverInputs, Bounded):
    """lower ≤ δ ≤ upper for a threshold program whose noise is that of ``at_epsilon``, where δ is the largest
    P[E | x] − α·P[E | y] over all neighbouring inputs x, y of any length and all events E; if ``steps`` is
    not None, of at most so many numbers.

    With ε, ``alpha`` is None; the upper end holds at ``alpha_upper`` ≤ e^ε and the lower one at
    ``alpha_lower`` ≥ e^ε. ``attack`` is the pair of inputs behind the lower end, None where that is 0.
    It is a policy where inputs have to be chosen by what was output.
    ``certificate`` is the evidence for the upper end, None where that is 1, and ``lower_certificate`` that
    for the lower end. ``searched`` says whether inputs have been searched for. ``losing`` is a state
    whose loop makes δ = 1 for inputs of every length, and what it does; None where there is none, or none is
    found. Then ``lower_certificate`` proves no more than the inputs of ``attack`` do.
    With ``q`` the noise is that where e^(−ε·``unit``) is q, and ``at_epsilon`` that ε, rounded up.

        >>> import prover
        >>> from prover.zoo import svt
        >>> answer = prover.delta(svt(), at_epsilon=1, alpha="3/2", adjacency="one-differ")
        >>> answer.lower <= answer.upper < Fraction(1, 10)
        True
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    epsilon: Fraction | None
    alpha_upper: Fraction
    alpha_lower: Fraction
    lower: Fraction
    upper: Fraction
    attack: Below | Policy | None
    searched: bool
    losing: Losing | None
    table: Above | None = field(repr=False, compare=False)
    q: Fraction | None = None
    public: bool = False
    """Whether all that is stored is public, so that more work would bring both ends together."""
    pure: Fraction | None = None
    """The bound of δ by the exact ε alone, where no inputs were found or outputs hide the run, and this is
    less than ``upper``."""
    obstacle: str | None = None
    """Why no table can be made, if that is so."""

    @property
    def alpha(self) -> Fraction | None:
        """α, if it is rational."""
        return self.alpha_upper if self.epsilon is None else None

    @property
    def factor(self) -> str:
        """α for people."""
        return factor_text(self.alpha, self.epsilon)

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for the upper end."""
        return None if self.table is None else self.table.certificate

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for the lower end."""
        return None if self.attack is None else self.attack.certificate

    @property
    def headline(self) -> str:
        """The bounds in a line."""
        name = f"delta_{self.factor} over {self.inputs_text}"
        if self.value is not None:
            return f"{name} = {readable(self.value)}"
        low, high = readable_interval(self.lower, self.upper)
        return f"{low} <= {name} <= {high}"


def delta_of_program(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha_upper: Fraction,
    alpha_lower: Fraction,
    *,
    epsilon: Fraction | None = None,
    steps: int | None = None,
    q: Fraction | None = None,
    gap: Fraction,
    progress: Progress = silent,
    on_interval: Callable[[ProgramDelta], None] = lambda _: None,
) -> ProgramDelta:
    """δ at α for all neighbouring inputs: from above by the exact ε of the program and by a table, then from
    below by a pair of inputs; if ``steps`` is given, of at most so many numbers.

    Where all that is stored is public, tables have ever more knots and lines, and policies are read off from
    them, until both ends are at most ``gap`` apart, or a table would take too long to check.
    With discrete noise ``q`` may be e^(−ε·unit), and then ``at_epsilon`` is that ε, rounded up.
    ``on_interval`` is called with bounds on the way. Where there is no table, the lower end is that of inputs
    all the same, of large programs of few inputs. Raises NotSupported where nothing is proved at all.

    Reference: docs/theory_profiles.md, Theorems 1, 6 and 7.
    """
    obstacle = obstacle_of(program)
    losing = losing_loop(program, adjacency) if steps is None and obstacle is None else None
    public = obstacle is None and is_public(program) and alpha_lower <= LARGEST
    about = program, adjacency, at_epsilon

    def answer(
        table: Above | None, attack: Below | Policy | None, *, done: bool, alone: Fraction | None = None
    ) -> ProgramDelta:
        lower = Fraction(0) if attack is None else attack.lower
        table = None if table is None or table.upper == 1 else replace(table, epsilon=epsilon)
        upper = Fraction(1) if table is None else table.upper
        return ProgramDelta(
            *about,
            steps,
            epsilon,
            alpha_upper,
            alpha_lower,
            lower if losing is None else Fraction(1),
            upper,
            None if attack is None else replace(attack, epsilon=epsilon),
            done,
            losing,
            table,
            q,
            public,
            None if alone is None or alone >= upper else alone,
            None if obstacle is None else str(obstacle),
        )

    @cache
    def few_found() -> Below | None:
        return few_inputs(*about, [alpha_lower], steps, progress, q)[0]

    def tell(bounds: PureBounds | None) -> None:
        few = few_found() if says_little(program, bounds) else None
        table = None if bounds is None else bounds.at(alpha_upper)
        if few is not None or (table is not None and table.upper < 1):
            on_interval(answer(table, few, done=False))

    if losing is not None:
        on_interval(answer(None, None, done=False))
        return answer(None, delta_below(*about, alpha_lower, steps, progress, q), done=False)
    known, ratios = pure_bounds(*about, steps, q, progress, tell)
    table = None if ratios is None else ratios.at(alpha_upper)
    if table is not None and table.upper == 0:
        return answer(table, None, done=True)
    tell(ratios)
    few = few_found() if says_little(program, ratios) else None
    tables, known_obstacle = None, obstacle is not None
    if obstacle is None:
        progress("closing a profile table", 0, None)
        detail = Detail(public=public)
        tables, obstacle = found_or_not(lambda: closed_tables(*about, [alpha_upper], steps, q, detail))
    if tables is None:
        if known_obstacle:
            few = few_found()
            if few is not None:
                on_interval(answer(table, few, done=False))
            few = without_table(*about, alpha_lower, few, steps, progress, q)
        if obstacle is not None and table is None and few is None:
            raise obstacle
        return answer(table, few, done=True)
    table = better(table, tables.at(alpha_upper))
    on_interval(answer(table, few, done=False))
    attack = None
    if public and table.upper < 1:
        for narrower, attack in narrowed(tables, (alpha_upper, alpha_lower), gap, progress):
            table = better(table, narrower)
            on_interval(answer(table, attack, done=attack is not None))
    attack = attack or delta_below(*about, alpha_lower, steps, progress, q) or few
    if attack is not None and not indistinct_states(program):
        return answer(table, attack, done=True)
    on_interval(answer(table, attack, done=True))
    pure = pure_epsilon(*about, progress, known)[1]
    private = pure is not None and epsilon is not None and pure <= epsilon
    alone = Fraction(0) if private else from_pure(pure, alpha_upper, adjacency)
    return answer(table, attack, done=True, alone=alone)


def better(one: Above | None, other: Above) -> Above:
    """What proves less at an α; the other one where both prove the same."""
    return one if one is not None and one.upper < other.upper else other
