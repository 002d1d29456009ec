"""Threshold programs of the papers: the sparse vector technique, its variants, and programs that leak.

The algorithms called after Lyu, Su and Li are those of their *Understanding the Sparse Vector Technique for
Differential Privacy*. The states are q1, q2, …, with q1 the initial one; the last one is final. Means are 0
and the variable is x. A threshold that takes no input is *public*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from prover.chain.model import Number
from prover.program.model import Program, State, Transition
from prover.program.noise import DISCRETE_LAPLACE, INFINITE, Noise
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, outputs_text
from prover.zoo.parameters import BadParameter, check_choice, check_size, number, positive

_MOST_STEPS = 10_000
_MOST_BLOCKS = 100

_QUARTER = Fraction(1, 4)
_HALF = Fraction(1, 2)
_ONE = Fraction(1)


def svt() -> Program:
    """The sparse vector technique: answers are below the public threshold, until one is not. Loss 5/4."""
    return program_of([_threshold(_QUARTER, 2), _comparison(_HALF, below=(2, "obot"), above=(3, "otop"))])


def svt_discrete(sensitivity: Number = "1", grid: Number = "1") -> Program:
    """The sparse vector technique with geometric noise on a grid. Loss 5/4 times the sensitivity.

    The grid divides the sensitivity.
    """
    noise = Noise(DISCRETE_LAPLACE, positive("grid", grid), positive("sensitivity", sensitivity))
    return replace(svt(), noise=noise)


def svt_gap() -> Program:
    """The sparse vector technique that also outputs how far the answer is above the threshold. Loss 5/4."""
    above = Transition(((">=", "x"),), (), ("otop", Gap("x")), "q3")
    below = Transition((("<", "x"),), (), "obot", "q2")
    return program_of([_threshold(_QUARTER, 2), drawing(_HALF, [below, above])])


def numeric_sparse(output: str = INSAMPLE_PRIME) -> Program:
    """The sparse vector technique that ends with a number: the first answer that is not below the threshold.

    With ``output=insampleprime`` the answer gets fresh noise of rate 1/2 (loss 7/4), with ``output=insample``
    the noise it was compared with: then the loss is unbounded.
    """
    check_choice("output", output, (INSAMPLE_PRIME, INSAMPLE))
    prime = _HALF if output == INSAMPLE_PRIME else None
    sparse = _comparison(_HALF, below=(2, "obot"), above=(3, output), rate_prime=prime)
    return program_of([_threshold(_QUARTER, 2), sparse])


def lyu_1(c: int = 1) -> Program:
    """Algorithm 1 of Lyu, Su and Li: c answers may reach the threshold, which is drawn once. Loss 1."""
    check_size("c", c, _MOST_STEPS)
    return _copies(c, _HALF, Fraction(1, 4 * c))


def lyu_2(c: int = 1) -> Program:
    """Algorithm 2 of Lyu, Su and Li: as 1, with a new threshold after each such answer. Loss 1."""
    check_size("c", c, _MOST_STEPS)
    states = []
    for index in range(2, 2 * c + 2, 2):
        states.append(_threshold(Fraction(1, 2 * c), index))
        states.append(_comparison(Fraction(1, 4 * c), below=(index, "obot"), above=(index + 1, "otop")))
    return program_of(states)


def lyu_3(c: int = 1) -> Program:
    """Algorithm 3 of Lyu, Su and Li: the compared numbers are output. Not private."""
    check_size("c", c, _MOST_STEPS)
    return _copies(c, _HALF, Fraction(1, 2 * c), INSAMPLE)


def lyu_4(c: int = 1) -> Program:
    """Algorithm 4 of Lyu, Su and Li: the noise of answers does not grow with c. Loss (1 + 6c)/4."""
    check_size("c", c, _MOST_STEPS)
    return _copies(c, _QUARTER, Fraction(3, 4))


def lyu_5(c: int = 1) -> Program:
    """Algorithm 5 of Lyu, Su and Li: no noise on the answers, and no cut-off. Not private.

    ``c`` changes nothing; it is there because the other algorithms have it.
    """
    check_size("c", c, _MOST_STEPS)
    cases = _comparison(_ONE, below=(2, "obot"), above=(2, "otop")).transitions
    noiseless = State(True, None, Fraction(0), None, None, cases, INFINITE, INFINITE)
    return program_of([_threshold(_HALF, 2), noiseless])


def lyu_6(c: int = 1) -> Program:
    """Algorithm 6 of Lyu, Su and Li: any number of answers may reach the threshold. Not private.

    There is no cut-off, so that ``c`` changes nothing; it is there because the other algorithms have it.
    """
    check_size("c", c, _MOST_STEPS)
    return program_of([_threshold(_HALF, 2), _comparison(_HALF, below=(2, "obot"), above=(2, "otop"))])


def numeric_svt(n: int = 1) -> Program:
    """Numeric sparse ``n`` times over with one public threshold. The loss is 1 for every n."""
    check_size("n", n, _MOST_STEPS)
    return _copies(n, Fraction(1, 3), Fraction(1, 6 * n), INSAMPLE_PRIME, Fraction(1, 3 * n))


def svt_star() -> Program:
    """Answers below the threshold, until one is not, then answers that are not, until one is. Not private."""
    return program_of(
        [
            _threshold(_QUARTER, 2),
            _comparison(_HALF, below=(2, "obot"), above=(3, "otop")),
            _comparison(_HALF, below=(4, "obot"), above=(3, "otop")),
        ]
    )


def leaking_cycle() -> Program:
    """A cycle compares each value with the one it stored a turn before, and so reveals falling sequences."""
    loop = Transition((("<", "x"),), ("x",), "obot", "q2")
    leave = Transition(((">=", "x"),), (), "otop", "q3")
    return program_of([_threshold(_QUARTER, 2), drawing(_HALF, [loop, leave])])


def leaking_pair() -> Program:
    """A cycle below the threshold, then a cycle that is not below an even higher one."""
    loop = Transition((("<", "x"),), (), "obot", "q2")
    rise = Transition(((">=", "x"),), ("x",), "otop", "q3")
    return program_of(
        [
            _threshold(_QUARTER, 2),
            drawing(_HALF, [loop, rise]),
            _comparison(_HALF, below=(4, "obot"), above=(3, "otop")),
        ]
    )


def disclosing_cycle() -> Program:
    """A cycle outputs a number for every input that it reads."""
    sparse = _comparison(_HALF, below=(2, INSAMPLE_PRIME), above=(3, "otop"), rate_prime=_HALF)
    return program_of([_threshold(_QUARTER, 2), sparse])


def violating_path_a(mirror: str = "no") -> Program:
    """The threshold is given away, then a cycle is not below it, or with ``mirror=yes`` below it."""
    return _mirrored(
        mirror,
        [
            drawing(_QUARTER, [Transition((), ("x",), INSAMPLE, "q2")], input=False),
            _comparison(_HALF, below=(3, "obot"), above=(2, "otop")),
        ],
    )


def violating_path_b(mirror: str = "no") -> Program:
    """A number below the threshold is given away, then a cycle is not below it; or the mirror image."""
    return _mirrored(
        mirror,
        [
            _threshold(_QUARTER, 2),
            _comparison(_HALF, below=(3, INSAMPLE), above=(4, "otop")),
            _comparison(_HALF, below=(4, "obot"), above=(3, "otop")),
        ],
    )


def violating_path_c(mirror: str = "no") -> Program:
    """A cycle is below the threshold, then a number that is not is given away; or the mirror image."""
    return _mirrored(
        mirror,
        [
            _threshold(_QUARTER, 2),
            _comparison(_HALF, below=(2, "obot"), above=(3, "otop")),
            _comparison(_HALF, below=(4, "obot"), above=(4, INSAMPLE)),
        ],
    )


def chain_of_tests(n: int = 5) -> Program:
    """``n`` different tests in a row against a private threshold, while they say below. Loss 1 for n > 2."""
    check_size("n", n, _MOST_STEPS)
    end = n + 2
    start = drawing(_QUARTER, [Transition((), ("x",), "oinput", "q2")])
    tests = [_comparison(_QUARTER, below=(index + 1, "obot"), above=(end, "otop")) for index in range(2, end)]
    return program_of([start, *tests])


def partition(weights: str = "3,1,1,2,2,1") -> Program:
    """A straight line whose loss reaches the sum of its rates iff the weights split into two equal halves.

    The weights a_1, …, a_m are positive; the rates are B, a_1, …, a_m, B with B = 1 + Σ a_k, and every step
    assigns and, but for the first, is not below the step before. So the cost is NP-hard (Theorem D).
    """
    wanted = f"positive numbers with commas between them, at most {_MOST_STEPS} of them"
    given = weights.split(",")
    rates = [number("weights", weight, wanted) for weight in given[: _MOST_STEPS + 1]]
    if len(rates) > _MOST_STEPS or min(rates) <= 0:
        raise BadParameter("weights", weights, wanted)
    border = sum(rates, Fraction(1))
    start = drawing(border, [Transition((), ("x",), "oinput", "q2")])
    steps = [
        drawing(rate, [Transition(((">=", "x"),), ("x",), "otop", f"q{index}")])
        for index, rate in enumerate([*rates, border], start=3)
    ]
    return program_of([start, *steps])


def sharing_pair(tests: int = 2) -> Program:
    """One first step, then only tests below, or only tests above. Loss 2, with shared shifts 1 + tests.

    The best shift of the first step depends on which branch the run takes after it.
    """
    check_size("tests", tests, _MOST_STEPS)
    end = 2 * tests + 1
    below, above = [*range(3, tests + 2), end], [*range(tests + 2, end), end]
    tail = [
        drawing(_ONE, [Transition(((relation, "x"),), (), output, f"q{target}")])
        for relation, output, targets in (("<", "obot", below[1:]), (">=", "otop", above[1:]))
        for target in targets
    ]
    start = drawing(_ONE, [Transition((), ("x",), "oinput", "q2")])
    return program_of([start, _comparison(_ONE, below=(below[0], "obot"), above=(above[0], "otop")), *tail])


def sharing_family(n: int = 2) -> Program:
    """A line of n blocks, each of which may end in a cycle. Loss 4n for n > 1, with shared shifts 2n² + 2n.

    A block draws a threshold, replaces it by a value that is not below, and finds n values that are not below
    that. Instead of the first of these there may be one below, and then any number of them.
    """
    check_size("n", n, _MOST_BLOCKS)
    line = list(_line(n, ends=True))
    loops = range(len(line) + 1, len(line) + n + 1)
    below = [Transition((("<", "x"),), (), "obot", f"q{place}") for place in loops]
    return program_of([*line, *(drawing(_ONE, [loop]) for loop in below)])


def sharing_member(n: int = 2, k: int = 0) -> Program:
    """One of n + 1 programs that share transitions: apart they cost 4n for n > 1, together 2n² + 2n.

    Number 0 is a line of n blocks: draw a threshold, replace it by a value that is not below, find n values
    that are not below that. Number k > 0 draws a threshold, finds any number of values below, and then
    replaces the threshold as block k does: that transition is shared.
    """
    check_size("n", n, _MOST_BLOCKS)
    if not 0 <= k <= n:
        raise BadParameter("k", k, f"between 0 and n = {n}")
    line = list(_line(n, ends=False))
    if k == 0:
        return program_of(line)
    start, shared = f"q{len(line) + 1 + k}", (k - 1) * (n + 2) + 2
    below = Transition((("<", "x"),), (), "obot", f"q{shared}")
    replace_it = line[shared - 1].transitions
    threshold = drawing(_ONE, [Transition((), ("x",), "oinput", f"q{shared}")])
    return ending(start, {start: threshold, f"q{shared}": drawing(_ONE, [below, *replace_it])})


def _line(n: int, *, ends: bool) -> Iterator[State]:
    """n blocks of n + 2 states; with ``ends`` the first test of block k may lead to state n(n + 2) + k."""
    size = n * (n + 2)
    final = size + n + 1 if ends else size + 1
    for block in range(1, n + 1):
        place = (block - 1) * (n + 2) + 1
        yield drawing(_ONE, [Transition((), ("x",), "oinput", f"q{place + 1}")])
        yield drawing(_ONE, [Transition(((">=", "x"),), ("x",), "otop", f"q{place + 2}")])
        for target in range(place + 3, place + 3 + n):
            after = f"q{target if target <= size else final}"
            cases = [Transition(((">=", "x"),), (), "otop", after)]
            if ends and target == place + 3:
                cases.insert(0, Transition((("<", "x"),), (), "obot", f"q{size + block}"))
            yield drawing(_ONE, cases)


def program_of(states: Iterable[State]) -> Program:
    """The program of the states q1, q2, …, of which the first one is initial."""
    return ending("q1", {f"q{index}": state for index, state in enumerate(states, start=1)})


def ending(initial: str, states: Mapping[str, State]) -> Program:
    """The program with all targets that have no entry declared final."""
    targets = {transition.target for state in states.values() for transition in state.transitions}
    return Program(initial, states, frozenset(targets - states.keys()))


def drawing(
    rate: Fraction,
    transitions: Sequence[Transition],
    *,
    input: bool = True,
    rate_prime: Fraction | None = None,
) -> State:
    """A state whose samples have these rates, and means of 0."""
    mean_prime = None if rate_prime is None else Fraction(0)
    return State(input, rate, Fraction(0), rate_prime, mean_prime, tuple(transitions))


def _threshold(rate: Fraction, target: int) -> State:
    """A public state that stores its noise."""
    return drawing(rate, [Transition((), ("x",), "oinput", f"q{target}")], input=False)


def _comparison(
    rate: Fraction, below: tuple[int, str], above: tuple[int, str], rate_prime: Fraction | None = None
) -> State:
    """An input state that compares with x and stores nothing; a case is its target and its output."""
    cases = [
        Transition(((relation, "x"),), (), output, f"q{target}")
        for relation, (target, output) in (("<", below), (">=", above))
    ]
    return drawing(rate, cases, rate_prime=rate_prime)


def _copies(
    count: int, threshold: Fraction, rate: Fraction, output: str = "otop", prime: Fraction | None = None
) -> Program:
    """A public threshold, and then ``count`` states that answers below it do not leave."""
    tests = [
        _comparison(rate, below=(index, "obot"), above=(index + 1, output), rate_prime=prime)
        for index in range(2, count + 2)
    ]
    return program_of([_threshold(threshold, 2), *tests])


def _mirrored(mirror: str, states: list[State]) -> Program:
    """The program, with ``mirror=yes`` with < and >= exchanged, and obot and otop with them."""
    check_choice("mirror", mirror, ("no", "yes"))
    if mirror == "no":
        return program_of(states)
    other = {"<": ">=", ">=": "<", "obot": "otop", "otop": "obot"}

    def mirrored(transition: Transition) -> Transition:
        guard = tuple((other[relation], variable) for relation, variable in transition.guard)
        output = other.get(outputs_text(transition.output), transition.output)
        return replace(transition, guard=guard, output=output)

    return program_of(
        replace(state, transitions=tuple(map(mirrored, reversed(state.transitions)))) for state in states
    )
