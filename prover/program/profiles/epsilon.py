"""The least ε for a δ, of a threshold program and all neighbouring inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from math import exp, inf

from prover.certificate.schema import Certificate
from prover.errors import NotSupported, abbreviated, quoted
from prover.exact.epsilon_bounds import DIGITS, EpsilonBounds
from prover.exact.exponential import exponential
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.exact.readable import brief
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.gaps import completed, ends_are_told
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.program.profiles.above import LARGEST, closed_tables, found_or_not
from prover.program.profiles.below import Below, enclosed, few_steps, pattern_for, search_for
from prover.program.profiles.bounds import Above
from prover.program.profiles.objectives import gain_at
from prover.program.profiles.over_inputs import OverInputs
from prover.program.profiles.pure import FARTHEST, PureBounds, pure_bounds, says_little
from prover.program.profiles.scope import is_moderate, is_searched, obstacle_of
from prover.program.profiles.search import FoundInputs, InputSearch
from prover.program.profiles.streams import losing_loop
from prover.progress import Progress, silent

_REACHES = (1, 3, 8)  # ε up to which tables are sharp, one after the other
_BITS = 60  # to which e^ε is known
_ROUNDS = 20
_PATTERNS = 4  # rounds, where outputs hide the run
_NEWTON = 200
_COARSE = 1e-12  # what inputs gain whose α floats know well
_BETTER = 1.0001  # how much larger α has to be for another round
_PARTS = (1.0, 0.999, 0.99, 0.95, 0.9, 0.7, 0.4)  # of the way to the α that was found in floats
_STEP = Fraction(1, 10**9)
_DIGITS = (12, 20, 30, 50)  # of a lower bound of δ, until it is above the allowed one


@dataclass(frozen=True, slots=True, repr=False)
class ProgramEpsilon(OverInputs, EpsilonBounds):
    """Bounds of the least ε = ln α with δ at most ``delta``, for a threshold program whose noise is that of
    ``at_epsilon``, and all its neighbouring inputs; if ``steps`` is not None, of at most so many numbers.

    δ > ``delta`` at every α from 1 up to ``alpha_lower``, if that is not 1, as the inputs of ``attack`` show,
    and δ ≤ ``delta`` from ``alpha_upper`` on, which is None if no such α was found. ``pure`` is an ε for
    which δ is 0, where no table proves less; ``obstacle`` says why no table can be made, if that is so.

        >>> import prover
        >>> from prover.zoo import svt
        >>> answer = prover.epsilon_for(svt(), at_epsilon=1, delta="1/10", steps=2)
        >>> answer.lower < answer.upper < Fraction("0.7")
        True
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    q: Fraction | None
    delta: Fraction
    alpha_lower: Fraction
    alpha_upper: Fraction | None
    attack: Below | None
    searched: bool
    pure: Fraction | None
    obstacle: str | None
    table: Above | None = field(repr=False, compare=False)
    privacy: Privacy | None = field(repr=False, compare=False)

    @property
    def upper(self) -> Fraction | None:
        """An ε with δ at most ``delta``: a decimal of 12 digits, or ``pure``."""
        return EpsilonBounds.upper.__get__(self) if self.pure is None else self.pure

    def is_at_most(self, threshold: Fraction) -> bool | None:
        """Whether the least ε is at most a number; None if the ends do not tell."""
        if self.pure is not None and self.pure <= threshold:
            return True
        return EpsilonBounds.is_at_most(self, threshold)

    @property
    def losing(self) -> None:
        """A loop that makes δ = 1 for every ε: none, as such programs are refused."""

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for the upper end: that of ``prover.privacy`` where ``pure`` is the upper end."""
        found = self.table if self.privacy is None else self.privacy
        return None if found is None else found.certificate

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence that δ is above ``delta`` at ``alpha_lower``, if that is not 1."""
        return None if self.attack is None else self.attack.certificate

    @property
    def headline(self) -> str:
        """The answer in a line."""
        name = f"the least epsilon with delta <= {abbreviated(format_rational(self.delta))}"
        name += f" over {self.inputs_text}"
        low = decimal_text(self.lower, DIGITS)
        if self.upper is None:
            return f"{name} is at least {low}; no such epsilon was found"
        if self.upper == 0:
            return f"{name} is 0"
        high = decimal_text(self.upper, DIGITS) if self.pure is None else brief(self.pure)
        return f"{name} is at least {low} and at most {high}, rounded outward"


def epsilon_of_program(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    delta: Fraction,
    *,
    steps: int | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
    on_interval: Callable[[ProgramEpsilon], None] = lambda _: None,
) -> ProgramEpsilon:
    """The least ε at which δ of all neighbouring inputs is at most ``delta``: from above by a table or, if
    that is less, by the exact ε of the program; then from below by pairs of inputs.

    ``on_interval`` is called with upper bounds alone, first by the exact ε. Where there is neither an exact ε
    nor a table, inputs give a lower end all the same, few inputs of large programs. Raises NotSupported where
    nothing is proved at all.

    Reference: docs/theory_profiles.md, Theorems 1 and 7.
    """
    about = program, adjacency, at_epsilon
    obstacle = obstacle_of(program)
    if obstacle is None:
        refuse_losing(program, adjacency, steps)

    def answer(
        table: Above | None,
        attack: Below | None = None,
        *,
        done: bool = False,
        exact: tuple[Privacy, Fraction, Fraction] | None = None,
    ) -> ProgramEpsilon:
        return ProgramEpsilon(
            *about,
            steps,
            q,
            delta,
            Fraction(1) if attack is None else attack.alpha,
            exact[2] if exact is not None else None if table is None else table.alpha,
            attack,
            done,
            None if exact is None else exact[1],
            None if obstacle is None else str(obstacle),
            table if exact is None else None,
            None if exact is None else exact[0],
        )

    @cache
    def few_inputs() -> Below | None:
        moderate = is_moderate(program, at_epsilon)
        return _below(*about, delta, steps, q, progress, few=True) if moderate else None

    def tell(bounds: PureBounds) -> None:
        on_interval(answer(bounds.for_delta(delta), few_inputs() if says_little(program, bounds) else None))

    known, ratios = pure_bounds(*about, steps, q, progress, tell)
    table = None if ratios is None else ratios.for_delta(delta)
    if table is not None and table.alpha == 1:
        return answer(table, done=True)
    if table is not None:
        on_interval(answer(table))
    few = few_inputs() if says_little(program, ratios) else None
    if few is not None:
        on_interval(answer(table, few))
    searched = is_searched(program, at_epsilon)
    if obstacle is None:
        progress("closing a profile table", 0, None)
        closed, obstacle = found_or_not(lambda: _above(*about, delta, steps, q))
        table = min((one for one in (closed, table) if one is not None), key=_factor, default=None)
        searched = obstacle is None
    else:
        few = few_inputs()
    exact = None
    sharper = ratios is None or delta == 0 or not adjacency.is_symmetric
    if table is None or (table.alpha > 1 and sharper):
        found, pure = pure_epsilon(*about, progress, known)
        most = None if pure is None else exponential(pure, _BITS)[1]
        if found is not None and pure is not None and most is not None:
            exact = (found, pure, decimal_above(most, DIGITS))
            exact = exact if table is None or most <= table.alpha else None
    if few is not None or table is not None or exact is not None:
        on_interval(answer(table, few, exact=exact))
    below = (_below(*about, delta, steps, q, progress) if searched else None) or few
    if obstacle is not None and table is None and exact is None and below is None:
        raise obstacle
    return answer(table, below, done=True, exact=exact)


def _factor(found: Above) -> Fraction:
    return found.alpha


def refuse_losing(program: Program, adjacency: Adjacency, steps: int | None) -> None:
    """Raises NotSupported where a loop makes δ = 1 at every α."""
    losing = losing_loop(program, adjacency) if steps is None else None
    if losing is not None:
        raise NotSupported(
            f"the loop at state {quoted(losing.state)} makes delta 1 for every epsilon; ask for --steps N, "
            "in Python steps=N",
            code="losing-loop",
        )


def pure_epsilon(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    progress: Progress,
    known: Privacy | None = None,
) -> tuple[Privacy | None, Fraction | None]:
    """What is known of the exact ε of a program if its observer sees that a run stops, and a bound of it up
    to ``FARTHEST``; ``known`` is the answer about a program without gaps and neighbours either way, if there
    is one.
    """
    first = program.is_unfolded_first
    whole = program if first else completed(program)
    if known is None or not adjacency.is_symmetric:
        try:
            known = privacy(whole, str(adjacency), progress=progress)
        except NotSupported:
            return None, None
    told = known.conditions.output_distinction or (not first and ends_are_told(whole))
    if known.conditions.stopping_tells or not told:
        return None, None
    pure = None if known.upper is None else known.upper * at_epsilon
    return known, None if pure is None or pure > FARTHEST else pure


def from_pure(pure: Fraction | None, alpha: Fraction, adjacency: Adjacency) -> Fraction | None:
    """What an ε alone bounds δ at α by, rounded up; None without an ε.

    It is (e^ε − α)/(1 + e^ε), the δ of randomised response; or, where ε is a bound in one direction only,
    1 − α/e^ε, that of an event which is certain on one of the inputs.
    """
    if pure is None:
        return None
    most = exponential(pure, _BITS)[1]
    other = most + 1 if adjacency.is_symmetric else most
    return decimal_above(max(Fraction(0), (most - alpha) / other), DIGITS)


def _above(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    bound: Fraction,
    steps: int | None,
    q: Fraction | None,
) -> Above | None:
    """δ ≤ ``bound`` at the least α for which tables prove it, one of which has a knot there."""
    asked = [Fraction(exp(reach)).limit_denominator(1_000) for reach in _REACHES]
    found: Above | None = None
    while asked:
        tables = closed_tables(program, adjacency, at_epsilon, asked[:1], steps, q)
        alpha, asked = tables.first_at_most(bound), asked[1:]
        if alpha is not None:
            asked = [alpha] if found is None else []
            found = Above(tables, alpha, bound) if found is None or alpha < found.alpha else found
    return found


def _below(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    bound: Fraction,
    steps: int | None,
    q: Fraction | None,
    progress: Progress,
    *,
    few: bool = False,
) -> Below | None:
    """δ > ``bound`` at the largest α for which inputs that were found prove it; None if they do at none.

    With ``few``, inputs have at most two numbers. Where floats are too coarse for so small a bound, inputs
    that gain more are looked at, too.
    """
    most = few_steps(steps) if few else steps
    search = search_for(program, adjacency, at_epsilon, most, progress)

    def gains(one: FoundInputs, alpha: Fraction) -> Below | None:
        return enclosed(search.simulation, adjacency, at_epsilon, alpha, one, q)

    proved = [
        _proved(partial(gains, one), alpha, bound)
        for aim in sorted({float(bound), max(float(bound), _COARSE)})
        for one, alpha in _searched(search, aim)
    ]
    pair = max((own for own in proved if own is not None), key=lambda own: own.alpha, default=None)
    hidden, alpha = pair is None and not few, Fraction(1)
    for _ in range(_PATTERNS if hidden else 0):
        pattern = pattern_for(search, at_epsilon, alpha, steps, q)
        other = None if pattern is None else _proved(partial(gains, pattern), float(alpha), bound)
        if other is None or (pair is not None and other.alpha <= pair.alpha * _BETTER):
            break
        pair, alpha = other, other.alpha
    return None if pair is None else replace(pair, steps=steps)


def _searched(search: InputSearch, bound: float) -> list[tuple[FoundInputs, float]]:
    """The inputs with the largest α at which they gain more than ``bound``, in floats, and that α.

    For given inputs α is the limit of Newton's method, which comes from the left. Then the inputs are changed
    so that they gain more there, and so on; and once more from the first beginnings on.
    """
    found, largest, is_last = search.fresh(gain_at(1.0)), 1.0, search.is_coarse
    best: list[tuple[FoundInputs, float]] = []
    for number in range(_ROUNDS):
        search.progress("inputs for larger factors", number, None)
        root, k = max(((_root(search, one, bound), k) for k, one in enumerate(found)), default=(0.0, 0))
        is_better = root > largest * (_BETTER if best else 1)
        if is_better:
            largest = min(root, float(LARGEST))
            best = [(found[k], largest)]
        if root >= LARGEST or (is_last and not is_better):
            break
        is_last = is_last or not is_better
        found = (partial(search.improved, found) if is_better else search.fresh)(gain_at(largest))
    return best


def _proved(gains: Callable[[Fraction], Below | None], found: float, bound: Fraction) -> Below | None:
    """What inputs prove: ``gains`` says what they gain at an α; ``found`` is that where floats end."""
    pair: Below | None = None
    for part in _PARTS:
        pair = pair or _best(gains(decimal_below(Fraction(1 + (found - 1) * part), DIGITS)), bound)
    while pair is not None:
        other = _best(gains(pair.alpha), bound)
        if other is None or other.alpha <= pair.alpha + _STEP:
            break
        pair = other
    return pair


def _best(pair: Below | None, bound: Fraction) -> Below | None:
    """The event of a pair of inputs at the largest α for which it gains more than ``bound``, nearly."""
    if pair is None:
        return None
    p, q = pair.probabilities
    alpha = decimal_below((p - bound) / q, DIGITS) - _STEP if q > 0 else LARGEST
    gains = (decimal_below(p - alpha * q, digits) for digits in _DIGITS)  # in as few digits as show it
    lower = next((gain for gain in gains if gain > bound), None)
    return replace(pair, alpha=alpha, lower=lower) if alpha > 1 and lower is not None else None


def _root(search: InputSearch, one: FoundInputs, bound: float) -> float:
    """The α at which inputs gain so much, 1 if they do not gain more anywhere, infinite if everywhere."""
    p, q = search.laws(one)
    alpha = 1.0
    for _ in range(_NEWTON):
        chosen = p > alpha * q
        gain, loss = float(p[chosen].sum()) - bound, float(q[chosen].sum())
        if gain <= 0:
            break
        if loss == 0:
            return inf
        following = gain / loss
        if following <= alpha * (1 + 1e-12):
            break
        alpha = following
    return alpha
