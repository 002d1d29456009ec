"""Random threshold programs in which all that is stored is a constant, and every test is of an input."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from prover.program.model import Program, State, Transition
from prover.program.noise import Gaussian, Noise

SCALES = ("1/4", "1/2", "1", "2")


def constant(number: Fraction, target: str, variables: tuple[str, ...] = ("x",)) -> State:
    """A state that stores a number."""
    return State(
        False,
        None,
        number,
        None,
        None,
        (Transition((), variables, "go", target),),
        rate_left="inf",
        rate_right="inf",
    )


def compared(
    rate: Fraction | Gaussian | None,
    below: str | None,
    above: str | None,
    mean: Fraction = Fraction(0),
    sides: tuple[Fraction | str | None, ...] = (None, None),
    relations: tuple[str, str] = ("<", ">="),
    variable: str = "x",
) -> State:
    """A state that compares an input; without one of both targets runs stop there."""
    cases = [
        Transition(((relation, variable),), (), output, target)
        for relation, output, target in zip(relations, ("no", "yes"), (below, above), strict=True)
        if target is not None
    ]
    return State(True, rate, mean, None, None, tuple(cases), *sides)  # type: ignore[arg-type]


def below_then_above(rate: Fraction) -> Program:
    """Answers below a limit until one is not, then above it until one is not."""
    return Program(
        "limit",
        {
            "limit": constant(Fraction(0), "first"),
            "first": compared(rate, "first", "second"),
            "second": compared(rate, "end", "second"),
        },
    )


def random_public(seed: int, *, grid: bool = False) -> Program:
    """Up to three tests, of which transitions lead anywhere, of all kinds of noise."""
    random = Random(seed)
    tests = [f"t{k}" for k in range(random.randint(1, 3))]
    states = {"limit": constant(Fraction(random.randint(-1, 1)), "t0")}
    for name in tests:
        targets: list[str | None] = [random.choice([*tests, "again", "end", "end"]) for _ in range(2)]
        if random.random() < 0.2:
            targets[random.randrange(2)] = None
        rate: Fraction | Gaussian | None = Fraction(random.choice(SCALES))
        sides: tuple[Fraction | str | None, ...] = (None, None)
        kind = random.random()
        if kind < 0.2:
            rate, sides = None, random.choice([("inf", rate), (rate, "inf")])
        elif kind < 0.4 and not grid:
            rate = Gaussian(Fraction(random.choice(SCALES)))
        relations = random.choice([("<", ">="), ("<=", ">")] if grid else [("<", ">=")])
        below, above = targets
        states[name] = compared(rate, below, above, Fraction(random.randint(-1, 1)), sides, relations)
    if any(case.target == "again" for own in states.values() for case in own.transitions):
        states["again"] = constant(Fraction(random.randint(-1, 1)), random.choice(tests))
    return Program("limit", states, noise=Noise("discrete-laplace") if grid else Noise())
