"""Programs on which known methods fail, and the published one with a private threshold, as test data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from prover.program.model import Program, State, Test, Transition
from prover.program.noise import Gaussian, Rate
from prover.program.outputs import Outputs

BELOW: tuple[Test, ...] = (("<", "x"),)
ABOVE: tuple[Test, ...] = ((">=", "x"),)
TRUE: tuple[Test, ...] = ()


def step(guard: tuple[Test, ...], target: str, output: Outputs = "o", assign: bool = False) -> Transition:
    """A transition of a program with the one variable x."""
    return Transition(guard, ("x",) if assign else (), output, target)


def state(
    *transitions: Transition,
    rate: Fraction | Gaussian | int | str = 1,
    rate_prime: Fraction | Gaussian | int | str | None = None,
    input: bool = True,
) -> State:
    """A state with means 0; transitions that are given twice count once."""
    first, second = (
        noise if noise is None or isinstance(noise, Gaussian) else Fraction(noise)
        for noise in (rate, rate_prime)
    )
    mean_prime = None if rate_prime is None else Fraction(0)
    return State(input, first, Fraction(0), second, mean_prime, tuple(dict.fromkeys(transitions)))


def program(states: Mapping[str, State]) -> Program:
    """The program whose initial state is the first one."""
    return Program(next(iter(states)), states)


def rated(model: Program, **rates: Sequence[Rate]) -> Program:
    """The program with two rates, to the left and to the right, at the states that are named."""
    states = {
        name: replace(state, rate=None, rate_left=rates[name][0], rate_right=rates[name][1])
        if name in rates
        else state
        for name, state in model.states.items()
    }
    return replace(model, states=states)


def numeric_sparse_with_insample() -> Program:
    """Not private (a path that violates privacy, type c), but the printed constraint graph, which has no
    vertex for 0, calls it private."""
    return program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False, rate="1/4"),
            "q1": state(step(BELOW, "q1", "obot"), step(ABOVE, "q2", "insample"), rate="1/2"),
        }
    )


def disclosing_cycle(output: str = "insample") -> Program:
    """Not private, but the printed constraint graph, which bounds nothing here, calls it private."""
    return program(
        {
            "q0": state(step(TRUE, "q1", "oinput", assign=True), input=False),
            "q1": state(step(TRUE, "q1", output), rate_prime=1),
        }
    )


def two_branches() -> Program:
    """Private with opt 2, but the union of the constraint graphs of its branches says no.

    One branch forces the stored shift to 1, the other to -1; no run takes both.
    """
    return program(
        {
            "q0": state(step(TRUE, "q1", "oinput", assign=True)),
            "q1": state(step(BELOW, "q2", "obot"), step(ABOVE, "q3", "otop")),
            "q2": state(step(BELOW, "q2", "obot")),
            "q3": state(step(ABOVE, "q3", "otop")),
        }
    )


def published_numeric_sparse(private_threshold: bool = False) -> Program:
    """Numeric sparse with the rates 4/9, 2/9 and 1/9: opt is 1, and 13/9 if the threshold is private."""
    return program(
        {
            "q0": state(step(TRUE, "q1", "oinput", assign=True), input=private_threshold, rate="4/9"),
            "q1": state(
                step(BELOW, "q1", "obot"), step(ABOVE, "q2", "insampleprime"), rate="2/9", rate_prime="1/9"
            ),
        }
    )
