"""Hypothesis strategies shared by the tests: threshold programs of many shapes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from prover.program.errors import InvalidProgram
from prover.program.model import Program, State, Test, Transition
from prover.program.noise import Gaussian
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME

RATES = [Fraction(rate) for rate in ("1/4", "1/3", "1/2", "1", "1", "3/2", "2", "3")]

END = "end"
"""The final state."""


@st.composite
def programs(
    draw: DrawFn,
    min_states: int = 2,
    max_states: int = 5,
    variables: int = 1,
    deterministic: bool | None = None,
    distinct: bool | None = None,
    gaussian: bool = False,
) -> Program:
    """A program with states q0, q1, …, the first of which is initial, and perhaps the final state ``END``.

    A third of the programs is a straight line, a third has loops at single states, and a third has any
    cycles, seldom through the initial state. Every fifth state takes no input. Each fourth transition assigns
    and each eighth outputs a number. ``deterministic`` and ``distinct`` say whether all programs are
    deterministic and output distinct, or many are not; where they are None, some are not. With several
    ``variables`` guards test up to two of them. Where ``gaussian`` is true, each fourth program has samples
    of Gaussian noise, about every second one.
    """
    size = draw(st.integers(min_states, max_states))
    # Choices drawn one by one would be simple and alike most of the time.
    random = Random(draw(st.integers(0, 2**32)))
    names = [f"q{k}" for k in range(size)]
    known = ["x", "y", "z"][:variables]
    shape = random.choice(["line", "loops", "any"])
    overlap = random.random() < 0.2 if deterministic is None else not deterministic
    equal = random.random() < 0.2 if distinct is None else not distinct
    states = {}
    for k, name in enumerate(names[1:], start=1):
        input = random.random() < 0.8
        guards = _guards(random, known, overlap) if input else [()] * random.choice([1, 1, 1 + overlap])
        prime = random.random() < 0.5
        outputs = _outputs(random, len(guards), prime, equal)
        states[name] = _state(
            random,
            input,
            prime,
            [
                Transition(guard, _assignment(random, known, 0.25), output, _target(random, names, k, shape))
                for guard, output in zip(guards, outputs, strict=True)
            ],
        )
    # Some variables may be assigned later, but only where every path does so before it tests them.
    output = random.choice(["start"] * 6 + [INSAMPLE, INSAMPLE_PRIME])
    for assigned in (_assignment(random, known, 1), tuple(known)):
        start = Transition(
            (), assigned, output, random.choice(names[1:2] * 4 + names[1:]) if size > 1 else END
        )
        states["q0"] = _state(random, random.random() < 0.5, output == INSAMPLE_PRIME, [start])
        try:
            made = Program("q0", states)
            return with_gaussian(made, random) if gaussian and random.random() < 0.25 else made
        except InvalidProgram as error:
            if error.code != "undefined-variable":
                raise
    raise RuntimeError("the initial state assigns every variable")


def with_gaussian(program: Program, random: Random) -> Program:
    """The program with Gaussian noise for about every second sample."""

    def noise(rate: Fraction | Gaussian | None) -> Fraction | Gaussian | None:
        return rate if rate is None or random.random() < 0.5 else Gaussian(random.choice(RATES))

    states = {
        name: replace(state, rate=noise(state.rate), rate_prime=noise(state.rate_prime))
        for name, state in program.states.items()
    }
    return replace(program, states=states)


def _state(random: Random, input: bool, prime: bool, transitions: list[Transition]) -> State:
    means = [Fraction(0)] * 4 + [Fraction(-1, 2), Fraction(3)]
    return State(
        input,
        random.choice(RATES),
        random.choice(means),
        random.choice(RATES) if prime else None,
        random.choice(means) if prime else None,
        tuple(dict.fromkeys(transitions)),
    )


def _guards(random: Random, known: list[str], overlap: bool) -> list[tuple[Test, ...]]:
    variable = random.choice(known)
    below, above = (("<", variable),), ((">=", variable),)
    guards: list[tuple[Test, ...]] = random.choice(
        [[below, above], [below, above], [above, below], [below], [above], [()]]
    )
    if overlap and random.random() < 0.6:
        guards = [*guards, random.choice([below, above, ()])]
    if len(known) > 1:
        others = [other for other in known if other != variable]
        guards = [
            (*guard, (random.choice(["<", ">="]), random.choice(others))) if random.random() < 0.4 else guard
            for guard in guards
        ]
    return guards


def _outputs(random: Random, count: int, prime: bool, equal: bool) -> list[str]:
    if equal and random.random() < 0.6:
        return [random.choice(["o", INSAMPLE, INSAMPLE_PRIME if prime else "p"]) for _ in range(count)]
    outputs = [f"o{'abc'[k]}" for k in range(count)]
    if random.random() < 0.25:
        number = INSAMPLE_PRIME if prime and random.random() < 0.5 else INSAMPLE
        outputs[random.randrange(count)] = number
    return outputs


def _assignment(random: Random, known: list[str], chance: float) -> tuple[str, ...]:
    if random.random() >= chance:
        return ()
    return tuple(sorted(random.sample(known, random.randint(1, len(known)))))


def _target(random: Random, names: list[str], place: int, shape: str) -> str:
    forward = [*names[place + 1 : place + 2], *names[place + 1 :], END]
    if shape == "loops" and random.random() < 0.4:
        return names[place]
    if shape == "any" and random.random() < 0.5:
        return random.choice(names[1:] * 3 + names[:1])
    return random.choice(forward)
