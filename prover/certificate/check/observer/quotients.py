"""A smaller program with the same outputs: the states, transitions and tests that it stands for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations

from ..programs import Program, Transition, read_program
from ..reading import BadEvidence, BadModel, Json, Malformed, RuleBroken, at, demand, record, typed
from ..variables.orders import defined, live_variables

OPPOSITE = {"<": ">=", ">=": "<"}


def quotient(program: Program, value: Json) -> Program:
    """The smaller program, if its words are as likely as those of the program, on all inputs."""
    fields = record(value, "model states transitions")
    with at("quotient"):
        small = read_program(fields["model"], program.budget)
        demand(program.plain and small.plain and small.even, BadModel, "ties, or inputs that are not rounded")
        demand(small.noise == program.noise, BadModel, "the image has other noise")
        for own in (program, small):
            defined(own)
            plain = all(t.bounds == t.tests and not (t.pinned and t.primed) for t in own.transitions)
            demand(plain, BadModel, "a transition outputs a gap, or both insample and insampleprime")
        states, images = typed(fields["states"], dict), typed(fields["transitions"], list)
        demand(states.keys() == set(program.reached), BadEvidence, "not exactly the reached states")
        known = all(typed(image, str) in small.states for image in states.values())
        demand(known, BadEvidence, "the image of a state is not a state")
        demand(states[program.initial] == small.initial, BadEvidence, "the initial state has another image")
        demand(len(images) == len(program.transitions), BadEvidence, "not one image for each transition")
        live = live_variables(small)
        widest = max(len(own) for p in (program, small) for own in p.by_state.values())
        program.budget.spend(8 * len(program.transitions) * widest)
        standing: dict[tuple[str, int], list[Transition]] = {}
        for t, image in zip(program.transitions, images, strict=True):
            with at("transition", t.number):
                if t.source not in program.reached:
                    demand(image is None, BadEvidence, "a transition that no run reaches has an image")
                    continue
                demand(0 <= typed(image, int) < len(small.transitions), Malformed, "unknown transition")
                to = small.transitions[image].to
                ends = t.to not in states and to not in small.states
                demand(ends or states.get(t.to) == to, BadEvidence, "the image leads to another state")
                stands_for(t, small.transitions[image], states, live.get(to, ()))
                standing.setdefault((t.source, image), []).append(t)
        for state, image in states.items():
            leaving = small.leaving(image)
            quiet = len(leaving) == 1 and is_quiet(leaving[0], live.get(leaving[0].to, ()))
            for t in program.leaving(state):
                demand(quiet or noise(t) == noise(leaving[0]), RuleBroken, "the image has other noise")
            for t in leaving:
                parts = standing.get((state, t.number), [])
                demand(is_parted(t, parts), RuleBroken, "the tests of the parts do not make up the image's")
    return small


def stands_for(t: Transition, image: Transition, states: Json, live: Collection[str]) -> None:
    """The transition has the outputs of its image, and assigns the same live variables."""
    demand(image.source == states[t.source], BadEvidence, "the image leaves another state")
    shows = (t.seen, t.pinned, t.primed) == (image.seen, image.pinned, image.primed)
    demand(shows, RuleBroken, "the image has other outputs")
    second = not t.primed or (t.rate_prime, t.means[1]) == (image.rate_prime, image.means[1])
    demand(second, RuleBroken, "the image has another second sample")
    stores = {*t.stored} & {*live} == {*image.stored} & {*live}
    demand(stores, RuleBroken, "the image assigns other variables")


def is_quiet(t: Transition, live: Collection[str]) -> bool:
    """Whether the sample makes no difference."""
    return not t.tests and t.seen[1] == 0 and not {*t.stored} & {*live}


def noise(t: Transition) -> tuple[object, ...]:
    """How a state draws its first sample."""
    return t.takes_input, t.left, t.right, t.means[0]


def is_parted(image: Transition, parts: Sequence[Transition]) -> bool:
    """Whether a sample passes the tests of the image iff it passes those of exactly one of the parts.

    They have the tests of the image and more, no two hold at once, and there are so many that one does.
    """
    share = sum(
        Fraction(1, 2 ** (len(t.tests) - len(image.tests))) for t in parts if len(t.tests) >= len(image.tests)
    )
    within = all({*image.tests} <= {*t.tests} for t in parts)
    apart = all(any((OPPOSITE[r], v) in b.tests for r, v in a.tests) for a, b in combinations(parts, 2))
    return within and apart and share == 1
