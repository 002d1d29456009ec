"""Threshold programs whose outputs hide the run: who won, but not in which order the others lost.

The states are q1, q2, …, with q1 the initial one; a final state comes after the last. Means are 0.
"""

from __future__ import annotations

from fractions import Fraction

from prover.chain.model import Number
from prover.program.model import Program, State, Test, Transition
from prover.program.noise import INFINITE, LAPLACE, Rate
from prover.program.outputs import Gap
from prover.zoo.parameters import BadParameter, check_choice, check_size, positive
from prover.zoo.programs import drawing, ending

_MOST_CANDIDATES = 40
_MOST_HIDDEN = 40
_MOST_TOP = 4
EXPONENTIAL, DOWNWARDS = "exponential", "exponential-down"

Best = tuple[tuple[int, str], ...]
"""The largest candidates so far, the largest first, each with the variable that holds its noisy value."""


def noisy_max(
    n: int = 4, top: int = 1, rate: Number = "1/2", noise: str = LAPLACE, gap: str = "no"
) -> Program:
    """Report noisy max: the output says which of n noisy values is the largest. The loss is 2·rate.

    With top=2 it is said which are the two largest, and so on: 4·rate for n above 3. If all values move in
    one direction it is half of that. With noise=exponential noise is never below 0: 2·rate as well, with
    top=1; with noise=exponential-down it is never above 0: 2·(n − 1)·rate, with top=1. Values are
    read one after the other, with the output o; the last step says who won. With gap=yes it is also said by
    how much the largest is above the second, 2·rate again; the program looks at one candidate, which it reads
    last, and says whether it won, and by how much: with another winner names are others, and nothing else.
    """
    check_choice("noise", noise, (LAPLACE, EXPONENTIAL, DOWNWARDS))
    check_size("n", n, _MOST_CANDIDATES)
    if not 1 <= top <= min(_MOST_TOP, n):
        raise BadParameter("top", top, f"between 1 and {_MOST_TOP}, and no more than n")
    own = positive("rate", rate)
    check_choice("gap", gap, ("no", "yes"))
    if gap == "yes":
        return _with_gap(n, top, own, noise)
    layers: list[list[Best]] = [[()]]
    for k in range(1, n):
        after = [best for before in layers[-1] for _, _, best in _cases(before, k, top)]
        layers.append(list(dict.fromkeys(after)))
    names = {(k, best): None for k, layer in enumerate(layers, start=1) for best in layer}
    number_of = {key: f"q{index}" for index, key in enumerate(names, start=1)}
    final = f"q{len(number_of) + 1}"
    states = {}
    for (k, before), name in number_of.items():
        transitions = []
        for guard, assign, best in _cases(before, k, top):
            output = "o" if k < n else "".join(f"w{candidate}" for candidate, _ in best)
            transitions.append(Transition(guard, assign, output, number_of.get((k + 1, best), final)))
        states[name] = _leaning(own, noise, transitions)
    return ending("q1", states)


def _with_gap(n: int, top: int, rate: Fraction, noise: str) -> Program:
    """The last of n candidates: whether it wins, and by how much."""
    if n < 2 or top != 1:
        raise BadParameter("gap", "yes", "no, where there are not two candidates, or top is above 1")
    states = {"q1": _leaning(rate, noise, [Transition((), ("x",), "o", "q2")])}
    for k in range(2, n):
        cases = [Transition((("<", "x"),), (), "o", f"q{k + 1}")]
        cases.append(Transition(((">=", "x"),), ("x",), "o", f"q{k + 1}"))
        states[f"q{k}"] = _leaning(rate, noise, cases)
    lost = Transition((("<", "x"),), (), "lost", f"q{n + 1}")
    won = Transition(((">=", "x"),), (), ("won", Gap("x")), f"q{n + 1}")
    states[f"q{n}"] = _leaning(rate, noise, [lost, won])
    return ending("q1", states)


def _cases(best: Best, new: int, top: int) -> list[tuple[tuple[Test, ...], tuple[str, ...], Best]]:
    """Where the new candidate can stand among the best: the tests, what is stored, and the best after it."""
    full = len(best) == top
    free = best[-1][1] if full else "xyzw"[len(best)]
    cases: list[tuple[tuple[Test, ...], tuple[str, ...], Best]] = []
    for index in range(len(best) + 1):
        guard: list[Test] = [("<", best[index - 1][1])] if index else []
        guard += [(">=", best[index][1])] if index < len(best) else []
        if index == top:
            cases.append((tuple(guard), (), best))
        else:
            longer = (*best[:index], (new, free), *best[index:])
            cases.append((tuple(guard), (free,), longer[:top]))
    return cases


def hidden_exit(rate: Number = "1/3", query: Number = "1/6") -> Program:
    """Values between two private thresholds, until one is not; all answers look alike. The loss is 4·rate.

    An observer who sees that the run stops learns more, 5/3 in place of 4/3 with the rates that are given.
    These are example_25 of DiPAut with means 0, and example_27 with rate=1/2 (loss 2, and 7/3).
    """
    own, asked = positive("rate", rate), positive("query", query)
    states = {}
    for name, variable, after in (("q1", "x", "q2"), ("q2", "y", "q3")):
        states[name] = drawing(own, [Transition((), (variable,), "oinput", after)])
    inside = Transition(((">=", "x"), ("<", "y")), (), "o", "q3")
    above = Transition(((">=", "x"), (">=", "y")), (), "o", "q4")
    below = Transition((("<", "x"), ("<", "y")), (), "o", "q4")
    return ending("q1", {**states, "q3": drawing(asked, [inside, above, below])})


def hidden_xor(n: int = 2, threshold: Number = "1", rate: Number = "2") -> Program:
    """The output says only whether an odd number of n values reaches a public threshold, drawn once.

    The loss of an observer is not known exactly; no multiple of ε is exact for n = 2.
    """
    check_size("n", n, _MOST_HIDDEN)
    own = positive("rate", rate)
    start = drawing(positive("threshold", threshold), [Transition((), ("x",), "oinput", "q2")], input=False)
    states = {"q1": start}
    for k in range(1, n + 1):
        for odd in range(1 if k == 1 else 2):
            transitions = []
            for relation, above in (("<", 0), (">=", 1)):
                parity = (odd + above) % 2
                output = "o" if k < n else ("even", "odd")[parity]
                target = f"q{2 * k + 1 + parity}" if k < n else f"q{2 * n + 1}"
                transitions.append(Transition(((relation, "x"),), (), output, target))
            states[f"q{2 * k - 1 + odd}" if k > 1 else "q2"] = drawing(own, transitions)
    return ending("q1", states)


def _leaning(rate: Fraction, noise: str, transitions: list[Transition]) -> State:
    if noise == LAPLACE:
        return drawing(rate, transitions)
    sides: tuple[Rate, Rate] = (INFINITE, rate) if noise == EXPONENTIAL else (rate, INFINITE)
    return State(True, None, Fraction(0), None, None, tuple(transitions), *sides)
