"""δ of any system: of a chain, of a process in which an attacker chooses, or of a threshold program; and the
attacks on a program that have the largest advantage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import overload

from prover.chain.arguments import alpha_or_epsilon, given_slope
from prover.chain.delta import DEFAULT_GAP
from prover.chain.delta import delta as delta_of_system
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import System
from prover.chain.unrolling.answer import Delta, InteractiveDelta
from prover.chain.unrolling.refinement import Limits, UnrollingLimits
from prover.errors import BadOptions, must_be
from prover.exact.given import LARGEST_EPSILON, Given, given_rational
from prover.program.adjacency import Adjacency
from prover.program.answer import Privacy
from prover.program.attack.at_epsilon import only_at
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.program.profiles.delta import ProgramDelta, delta_of_program
from prover.program.profiles.lists import delta_of_lists
from prover.program.profiles.over_inputs import program_question
from prover.program.profiles.pair import delta_of_pair
from prover.program.profiles.pair_answer import PairDelta
from prover.program.profiles.public import GAP
from prover.progress import Progress, silent

PAIR_BITS = 60
"""To which e^ε is known where both ends are to meet."""


@overload
def delta(
    program: Program,
    /,
    *,
    alpha: Given | None = None,
    epsilon: Given | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    gap: Given | None = None,
    progress: Progress = silent,
    on_interval: Callable[[ProgramDelta], None] | None = None,
) -> ProgramDelta: ...


@overload
def delta(
    program: Program,
    /,
    *,
    alpha: Given | None = None,
    epsilon: Given | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    inputs: Sequence[Given],
    neighbour: Sequence[Given],
    progress: Progress = silent,
) -> PairDelta: ...


@overload
def delta(
    program: Program,
    /,
    *,
    alpha: Given | None = None,
    epsilon: Given | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int,
    values: Sequence[Given],
    progress: Progress = silent,
) -> PairDelta: ...


@overload
def delta(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    against: Iterable[str] | None = None,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Delta], None] | None = None,
) -> Delta: ...


@overload
def delta(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    against: Iterable[str] | None = None,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta: ...


def delta(
    chain: System | Program,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given | None = None,
    kind: str = "tv",
    at_most: Given | None = None,
    open_loop: bool = False,
    against: Iterable[str] | None = None,
    limits: UnrollingLimits | Limits | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    inputs: Sequence[Given] | None = None,
    neighbour: Sequence[Given] | None = None,
    values: Sequence[Given] | None = None,
    progress: Progress = silent,
    on_interval: Callable[..., None] | None = None,
) -> Delta | InteractiveDelta | PairDelta | ProgramDelta:
    """δ at α = e^ε ≥ 1: the largest P[E | s] − α·P[E | t] over all events E.

    *Of a Markov chain or a decision process* s and t are two of its states, in both directions, or all pairs
    of its relation: ``prover.chain.delta.delta`` says what the arguments mean.

    *Of a threshold program* s and t are any two neighbouring inputs of any length, which may also be chosen
    by what was output before. ``at_epsilon`` > 0 is the ε that its rates are multiples of, needless where
    all noise is Gaussian; with discrete noise ``q`` = e^(−ε·unit) may stand in its place (docs/attacks.md,
    *Rational probabilities*). ``adjacency`` is that of ``prover.privacy``. With ``steps`` the inputs have at
    most so many numbers. The answer lies between what one pair of inputs proves, which was searched for, and
    what a closed profile table proves. If all that is stored is a constant, and outputs distinguish the
    transitions, it is at most ``gap`` wide (10^-5 unless given; 10^-6 for chains), or as narrow as a table
    that can be checked allows; inputs may then depend on what was output. ``on_interval`` is called with
    intervals on the way. With ``inputs`` and ``neighbour``, two equally long lists of numbers, s and t are
    these two only, in both orders, and the interval is at most 10^-12 wide, or with ``q`` a single number
    unless this is very long; with increasing or decreasing adjacency s is the first of them. With ``values``
    s and t are any two neighbouring lists of exactly ``steps`` of these numbers, in this order, and the
    interval is at most 10^-12 wide, too.

        >>> from fractions import Fraction
        >>> from prover.zoo import pin_checker, svt
        >>> delta(pin_checker(), "0", "1", "11/10").value
        Fraction(3791, 75090)
        >>> answer = delta(svt(), at_epsilon=1, epsilon="1/2")
        >>> Fraction("0.05") < answer.lower < answer.upper < Fraction("0.151")
        True

    Raises BadOptions, BadValue, UnknownName, NotSupported, WrongArgument.

    Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md; docs/theory_profiles.md, Theorem 1.
    """
    if not isinstance(chain, Program):
        if any(given is not None for given in (at_epsilon, q, adjacency, steps, inputs, neighbour, values)):
            raise BadOptions(
                "at_epsilon, q, adjacency, steps, inputs, neighbour and values are for threshold programs",
                code="not-a-program",
            )
        return delta_of_system(
            chain,
            source,
            target,
            alpha,
            epsilon=epsilon,
            gap=DEFAULT_GAP if gap is None else gap,
            kind=kind,
            at_most=at_most,
            open_loop=open_loop,
            against=against,
            limits=limits,
            progress=progress,
            on_interval=on_interval,
        )
    given = (source, target, against, limits)
    if any(one is not None for one in given) or open_loop or kind != "tv":
        raise BadOptions(
            "source, target, kind, open_loop, against and limits are for chains and decision processes",
            code="not-a-system",
        )
    asked = program_question(chain, at_epsilon, q, adjacency, steps)
    if alpha is None and epsilon is None:
        raise alpha_or_epsilon()
    if inputs is not None or neighbour is not None:
        if inputs is None or neighbour is None or steps is not None or values is not None:
            raise BadOptions("inputs and neighbour go together, without steps and values", code="no-pair")
        must_be(Sequence, inputs=inputs, neighbour=neighbour)
        exact = given_slope("delta", alpha, epsilon, PAIR_BITS)
        lists = ([given_rational(x, "an input", "bad-inputs") for x in read] for read in (inputs, neighbour))
        return delta_of_pair(
            chain,
            asked.adjacency,
            asked.at_epsilon,
            (exact.upper, exact.lower),
            *lists,
            epsilon=exact.epsilon,
            q=asked.q,
            progress=progress,
        )
    if values is not None:
        if asked.steps is None:
            raise BadOptions("values go with steps, how many numbers inputs have", code="no-lists")
        must_be(Sequence, values=values)
        exact = given_slope("delta", alpha, epsilon, PAIR_BITS)
        return delta_of_lists(
            chain,
            asked.adjacency,
            asked.at_epsilon,
            (exact.upper, exact.lower),
            [given_rational(x, "a value", "bad-values") for x in values],
            asked.steps,
            epsilon=exact.epsilon,
            q=asked.q,
            progress=progress,
        )
    slope = given_slope("delta", alpha, epsilon)
    return delta_of_program(
        chain,
        asked.adjacency,
        asked.at_epsilon,
        slope.upper,
        slope.lower,
        epsilon=slope.epsilon,
        steps=asked.steps,
        q=asked.q,
        gap=given_rational(GAP if gap is None else gap, "the gap", "bad-gap", at_least=0),
        progress=progress,
        on_interval=on_interval or (lambda _: None),
    )


def advantages(
    program: Program,
    answer: Privacy | None = None,
    *,
    epsilon: Given | None = None,
    adjacency: str = Adjacency.ALL_DIFFER,
    progress: Progress = silent,
    on_found: Callable[[tuple[ProgramDelta, ...]], None] | None = None,
) -> tuple[ProgramDelta, ...]:
    """How bad attacks on a threshold program can be: δ at α = 1, and at e^ε′ for half of its exact ε.

    The noise is that of ``epsilon``, 1 unless it is given. If the program is c·ε-differentially private, ε′
    is half of c·ε (1000 at most), for the least c that is proved; else ε′ is ε itself. ``attack`` of each
    answer is the pair of inputs with the largest P[E | x] − α·P[E | y], of those found, and its event E.
    ``answer`` is the answer of ``privacy``, if it is known; its adjacency is used. ``on_found`` is called
    with the first answer while the second is being computed.

        >>> from prover.zoo import svt
        >>> [answer.factor for answer in advantages(svt(), adjacency="one-differ")]
        ['1', 'e^(1/4)']

    Raises BadValue, NotSupported if profile tables do not apply, and the errors of ``privacy``.

    Reference: docs/attacks.md, *The largest advantage*.
    """
    must_be(Program, program=program)
    epsilon = only_at(program, epsilon, None)
    at = given_rational(
        1 if epsilon is None else epsilon, "epsilon", "bad-number", more_than=0, at_most=LARGEST_EPSILON
    )
    known = privacy(program, adjacency, progress=progress) if answer is None else answer
    other = at if known.upper is None else min(known.upper * at / 2, Fraction(LARGEST_EPSILON))
    found: tuple[ProgramDelta, ...] = ()
    for exponent in sorted({Fraction(0), other}):
        if found and on_found is not None:
            on_found(found)
        answered = delta(
            program,
            at_epsilon=at,
            alpha=None if exponent else 1,
            epsilon=exponent or None,
            adjacency=str(known.adjacency),
            progress=progress,
        )
        found = (*found, answered)
    return found
