"""Threshold programs of several variables: ranges, least and largest, and the programs that refute shortcuts.

The states are q1, q2, …, with q1 the initial one; a final state comes after the last. Means are 0. The rates
are such that the larger programs cost about 1.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from prover.program.model import Program, State, Test, Transition
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from prover.zoo.parameters import check_choice, check_size
from prover.zoo.programs import drawing, program_of

_MOST_INPUTS = 1_000
_MOST_RANGES = 1_000
_MOST_LEVELS = 8

BOUNDED = ("branches", "overwriting", "equal", "stored-range")
UNBOUNDED = ("sequence", "range-between", "names", "sample-above", "reassigned")
"""What the counterexamples show, as their parameter; of the latter the loss is unbounded."""

GuardedCase = tuple[tuple[Test, ...], tuple[str, ...], str, int]
"""Guard, assignment, output, and the number of the target."""


def k_min_max(k: int = 3, hidden: str = "no") -> Program:
    """The least and the largest of k noisy values; then values between them, until one is not. Loss below 1.

    It is 1/2 + (1 + ⌊k/2⌋)/(2k) for k > 1. With hidden=yes the outputs do not show which values these are:
    1/2 + 1/k.
    """
    check_size("k", k, _MOST_INPUTS)
    check_choice("hidden", hidden, ("no", "yes"))
    shown = "ccc" if hidden == "yes" else "abc"
    reading, asking = Fraction(1, 4 * k), Fraction(1, 4)
    states = [_state(reading, ((), ("max", "min"), "o", 2))]
    for index in range(2, k + 1):
        cases: list[GuardedCase] = [
            (_below("min"), ("min",), shown[0], index + 1),
            (_above("max"), ("max",), shown[1], index + 1),
            (_above("min") + _below("max"), (), shown[2], index + 1),
        ]
        states.append(_state(reading, *cases))
    inside: GuardedCase = (_above("min") + _below("max"), (), "in", k + 1)
    leave: list[GuardedCase] = [(_below("min"), (), "lo", k + 2), (_above("max"), (), "hi", k + 2)]
    return program_of([*states, _state(asking, inside, *leave)])


def m_range(m: int = 3) -> Program:
    """Two public thresholds for each of m ranges; then values in each in turn, round and round. Loss 1.

    It ends with the first value that is outside the range whose turn it is.
    """
    check_size("m", m, _MOST_RANGES)
    names = [f"{side}{k}" for k in range(1, m + 1) for side in "lu"]
    states = [_public(Fraction(1, 4 * m), name, index) for index, name in enumerate(names, start=2)]
    first, final = 2 * m + 1, 3 * m + 1
    for k in range(m):
        low, high = names[2 * k : 2 * k + 2]
        inside: GuardedCase = (_above(low) + _below(high), (), "in", first + (k + 1) % m)
        leave: list[GuardedCase] = [(_below(low), (), "lo", final), (_above(low, high), (), "hi", final)]
        states.append(_state(Fraction(1, 4), inside, *leave))
    return program_of(states)


def num_range(output: str = INSAMPLE_PRIME) -> Program:
    """Values between two public thresholds until one is not, and that one as a number.

    With ``output=insampleprime`` the number gets fresh noise of rate 1/2 (loss 5/4), with ``output=insample``
    the noise it was compared with: then the loss is unbounded.
    """
    check_choice("output", output, (INSAMPLE_PRIME, INSAMPLE))
    low: GuardedCase = (_below("low"), (), output, 4)
    high: GuardedCase = (_above("low", "high"), (), "otop", 4)
    inside: GuardedCase = (_above("low") + _below("high"), (), "in", 3)
    numeric = _state(Fraction(1, 4), inside, low, high, prime=output == INSAMPLE_PRIME)
    return program_of([_public(Fraction(1, 8), "low", 2), _public(Fraction(1, 8), "high", 3), numeric])


def two_range(middle: str = "fresh") -> Program:
    """Values between the first two of three public thresholds; then, after one above, between the last two.

    It ends with the first value that is in neither range. With ``middle=fresh`` the second threshold is drawn
    once more before the second range (loss 2), with ``middle=kept`` it is not: then the loss is unbounded,
    for one sample is compared with again and again first from below, and then from above.
    """
    check_choice("middle", middle, ("fresh", "kept"))
    quarter = Fraction(1, 4)
    second = 6 if middle == "fresh" else 5
    final = second + 1
    first: list[GuardedCase] = [
        (_above("u") + _below("v"), (), "in", 4),
        (_below("u"), (), "lo", final),
        (_above("u", "v") + _below("w"), (), "next", 5),
        (_above("u", "v", "w"), (), "hi", final),
    ]
    last: list[GuardedCase] = [
        (_above("v") + _below("w"), (), "in", second),
        (_below("v"), (), "lo", final),
        (_above("v", "w"), (), "hi", final),
    ]
    drawn = [_public(quarter, name, index) for index, name in enumerate("uvw", start=2)]
    again = [_public(quarter, "v", 6)] if middle == "fresh" else []
    return program_of([*drawn, _state(quarter, *first), *again, _state(quarter, *last)])


def nested_thresholds(n: int = 3) -> Program:
    """Values below a threshold until one is not, which is the next threshold; n in all. Loss 1 for n > 1.

    At the end one more value is compared with all n, the first one being the least.
    """
    check_size("n", n, _MOST_LEVELS)
    rate = Fraction(1, 2 * n + 2)
    names = [f"x{k}" for k in range(1, n + 1)]
    states = [_state(rate, ((), ("x1",), "o", 2))]
    for index, (name, after) in enumerate(pairwise(names), start=2):
        loop: GuardedCase = (_below(name), (), "obot", index)
        states.append(_state(rate, loop, (_above(name), (after,), "otop", index + 1)))
    final = n + 2
    cases: list[GuardedCase] = [
        (_above(*names[:k]) + _below(*names[k : k + 1]), (), f"o{k}", final) for k in range(n + 1)
    ]
    return program_of([*states, _state(rate, *cases)])


def levels(k: int = 2) -> Program:
    """An alarm of k levels, each with a public threshold: values below one until one is not. Loss 1.

    All thresholds are drawn before the first value; after a value that is not below one of them values are
    compared with the next one.
    """
    check_size("k", k, _MOST_RANGES)
    names = [f"x{level}" for level in range(1, k + 1)]
    drawn = [_public(Fraction(1, 2 * k), name, index) for index, name in enumerate(names, start=2)]
    asked = []
    for index, name in enumerate(names, start=k + 1):
        stay: GuardedCase = (_below(name), (), "below", index)
        asked.append(_state(Fraction(1, 4 * k), stay, (_above(name), (), "above", index + 1)))
    return program_of([*drawn, *asked])


def streams(m: int = 2) -> Program:
    """Values of m streams in turn, each below a public threshold of its stream, until one is not. Loss 1."""
    check_size("m", m, _MOST_RANGES)
    names = [f"x{stream}" for stream in range(1, m + 1)]
    drawn = [_public(Fraction(1, 2 * m), name, index) for index, name in enumerate(names, start=2)]
    asked = []
    for k, name in enumerate(names):
        following: GuardedCase = (_below(name), (), "below", m + 1 + (k + 1) % m)
        asked.append(_state(Fraction(1, 4), following, (_above(name), (), "above", 2 * m + 1)))
    return program_of([*drawn, *asked])


def counterexample(shows: str = "branches") -> Program:
    """A smallest program on which one shortcut of the decision for several variables fails.

    Bounded, but unbounded by the shortcut: ``branches`` (demands of different branches never meet),
    ``overwriting`` (the loop of the second demand overwrites the first sample), ``equal`` (the least and the
    largest are one sample), ``stored-range`` (a range that stores and outputs its value). Unbounded, but
    bounded by the shortcut: ``sequence`` (both loops, then a range), ``range-between`` (both values stored
    before both loops, the range between them), ``names`` (two names of one sample), ``sample-above``
    (a sample above another, both in loops), ``reassigned`` (a token goes on where
    its variable gets a new value).
    """
    check_choice("shows", shows, BOUNDED + UNBOUNDED)
    v, u, w, x, y, z = ((_below(name), _above(name)) for name in "vuwxyz")
    v_to_w, v_to_z, u_to_v = v[1] + w[0], v[1] + z[0], u[1] + v[0]
    between = _above("min") + _below("max")
    in_x0_x1 = _above("x0") + _below("x1")
    lists: dict[str, list[list[GuardedCase]]] = {
        "branches": [
            *_stored("v", "w"),
            [(v[0], (), "a", 4), (v[1], (), "b", 5)],
            [(v[0], (), "a", 4), (v[1], (), "b", 6)],
            [(w[1], (), "a", 5), (w[0], (), "b", 6)],
            [(v_to_w, (), "in", 7)],
        ],
        "overwriting": [
            *_stored("v", "u"),
            [(u[0], (), "a", 3), (u[1], (), "b", 4)],
            [(v[1], (), "a", 5)],
            [(v[1], (), "a", 6), (v[0], (), "b", 7)],
            [((), ("u",), "a", 4)],
            [(u_to_v, (), "in", 8)],
        ],
        "equal": [
            [((), ("max", "min"), "o", 2)],
            [(_above("max"), ("max",), "a", 3), (_below("min"), ("min",), "b", 3)],
            [(between, (), "in", 3), (_below("min"), (), "a", 4), (_above("max"), (), "b", 4)],
        ],
        "stored-range": [
            *_stored("x0", "x1"),
            [(in_x0_x1, ("x1",), INSAMPLE, 4), (_above("x1"), (), "a", 4)],
            [(_below("x0"), (), "a", 5), (_above("x0"), (), "b", 4)],
        ],
        "sequence": [
            *_stored("v", "w"),
            [(v[0], (), "a", 3), (v[1], (), "b", 4)],
            [(w[1], (), "a", 4), (w[0], (), "b", 5)],
            [(v_to_w, (), "in", 6)],
        ],
        "range-between": [
            *_stored("v", "w"),
            [(v_to_w, (), "in", 4), (w[1], (), "a", 3)],
            [(v[0], (), "a", 4), (v[1], (), "b", 5)],
        ],
        "names": [
            [((), ("x", "y"), "o", 2)],
            [(x[0], (), "a", 2), (y[1], (), "b", 2)],
        ],
        "sample-above": [
            *_stored("x"),
            [(x[1], ("y",), "a", 3)],
            [(x[0], (), "a", 3), (x[1], (), "b", 4)],
            [(y[1], (), "a", 4)],
        ],
        "reassigned": [
            *_stored("v", "z"),
            [(z[1], ("y",), "a", 4)],
            [(v[0], (), "a", 4), (v_to_z, ("z",), "b", 5)],
            [(y[1], (), "a", 5)],
        ],
    }
    doubled = {"stored-range": 4}  # the state of rate 2
    return program_of(
        _state(2 if doubled.get(shows) == index else 1, *cases)
        for index, cases in enumerate(lists[shows], start=1)
    )


def _below(*names: str) -> tuple[Test, ...]:
    return tuple(("<", name) for name in names)


def _above(*names: str) -> tuple[Test, ...]:
    return tuple((">=", name) for name in names)


def _state(rate: Fraction | int, *cases: GuardedCase, takes_input: bool = True, prime: bool = False) -> State:
    transitions = [Transition(guard, assign, output, f"q{target}") for guard, assign, output, target in cases]
    rate_prime = Fraction(1, 2) if prime else None
    return drawing(Fraction(rate), transitions, input=takes_input, rate_prime=rate_prime)


def _public(rate: Fraction, name: str, after: int) -> State:
    """The state that draws a public threshold, and the number of the state after it."""
    return _state(rate, ((), (name,), "o", after), takes_input=False)


def _stored(*names: str) -> list[list[GuardedCase]]:
    """The cases of states that store one sample in each variable."""
    return [[((), (name,), "o", index)] for index, name in enumerate(names, start=2)]
