"""Programs whose outputs do not tell runs apart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from random import Random

from prover.program.conditions import conditions
from prover.program.model import Program, State, Test, Transition
from prover.program.noise import INFINITE, Noise, Rate
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, Outputs
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


def alike(output: Outputs = "o") -> Program:
    """Two transitions with the same output."""
    start = state(step(TRUE, "q1", assign=True), rate=Fraction(1, 8), input=False)
    tests = step(BELOW, "end", output), step(ABOVE, "end", output)
    return program({"q0": start, "q1": state(*tests, rate=Fraction(1, 8))})


def endless_xor() -> Program:
    """In every turn a fresh threshold, and whether the answers to two questions are different."""
    same, differ = "same", "differ"
    first = state(step(TRUE, "q1", assign=True), rate=1, input=False)
    last = [step(BELOW, "q0", same), step(ABOVE, "q0", differ)]
    turned = [step(BELOW, "q0", differ), step(ABOVE, "q0", same)]
    second = state(step(BELOW, "q2"), step(ABOVE, "q3"), rate=2)
    return program({"q0": first, "q1": second, "q2": state(*last, rate=2), "q3": state(*turned, rate=2)})


def hidden_min_max(
    k: int, rate: Fraction | None = None, query: Fraction = Fraction(1, 4), *, public: int = 0
) -> Program:
    """The least and the largest of k noisy values, the last ones ``public``; nobody sees which these are.

    Then values between them, until one is not.
    """
    inside: tuple[Test, ...] = ((">=", "min"), ("<", "max"))
    states = {"q1": state(Transition((), ("max", "min"), "r", "q2"), rate=rate or Fraction(1, 4 * k))}
    for place in range(2, k + 1):
        after = f"q{place + 1}"
        cases = (((("<", "min"),), ("min",)), (((">=", "max"),), ("max",)), (inside, ()))
        read = [Transition(guard, assign, "r", after) for guard, assign in cases]
        own = (rate or Fraction(1, 4 * k)) * (1 if place <= k - public else 2)
        states[f"q{place}"] = state(*read, rate=own, input=place <= k - public)
    leave = [((("<", "min"),), "below"), (((">=", "min"), (">=", "max")), "above")]
    last = [Transition(guard, (), seen, "end") for guard, seen in leave]
    states[f"q{k + 1}"] = state(Transition(inside, (), "between", f"q{k + 1}"), *last, rate=query)
    return program(states)


def hidden_largest(k: int) -> Program:
    """The largest of k noisy values, nobody sees which that is; then one value, and whether it is larger."""
    states = {"q1": state(step(TRUE, "q2", assign=True), rate=Fraction(1, 2))}
    for place in range(2, k + 1):
        cases = step(ABOVE, f"q{place + 1}", assign=True), step(BELOW, f"q{place + 1}")
        states[f"q{place}"] = state(*cases, rate=Fraction(1, 2))
    last = state(step(ABOVE, "end", "above"), step(BELOW, "end", "below"), rate=Fraction(1, 4))
    return program({**states, f"q{k + 1}": last})


def known_extremes(k: int = 3, *, tell: bool = True) -> Program:
    """Whether the first of k values is the least, then one of two queries; states know more than is seen.

    With ``tell`` which query it is depends on whether the last value is the largest.
    """

    def name(place: int, low: int, high: int) -> str:
        return f"q{place}" if place < 3 else f"q{place}_{low}{high}"

    states = {"q1": state(Transition((), ("max", "min"), "r", "q2"), rate=1)}
    before = [(0, 0)]
    for place in range(1, k):
        after: list[tuple[int, int]] = []
        for low, high in before:
            cases = []
            new: tuple[tuple[tuple[Test, ...], tuple[str, ...], tuple[int, int]], ...] = (
                ((("<", "min"),), ("min",), (place, high)),
                (((">=", "max"),), ("max",), (low, place)),
                (((">=", "min"), ("<", "max")), (), (low, high)),
            )
            for guard, assign, own in new[: 2 + (place > 1)]:
                to = name(place + 2, *own)
                if place == k - 1:
                    to = "seen" if tell and own[1] == place else "last"
                letter = "r" if place < k - 1 else "first" if own[0] == 0 else "other"
                cases.append(Transition(guard, assign, letter, to))
                after.append(own)
            states[name(place + 1, low, high)] = state(*cases, rate=1)
        before = sorted({*after})
    for where, variable in (("seen", "max"), ("last", "min")):
        tests = ((("<", variable),), "below"), (((">=", variable),), "above")
        states[where] = state(*(Transition(guard, (), seen, "end") for guard, seen in tests), rate=2)
    if not tell:
        del states["seen"]
    return program(states)


def hidden_turn() -> Program:
    """A leaking pair, below the threshold and then above it; nobody sees when it turns round."""
    tests = step(BELOW, "q1", "a"), step(ABOVE, "q2", "a")
    return program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(*tests),
            "q2": state(step(ABOVE, "q2", "b"), step(BELOW, "end", "c")),
        }
    )


def two_thresholds() -> Program:
    """Numbers below the lower of two public thresholds, then above it; nobody sees when it turns round."""
    first = Transition((), ("x",), "o", "q1")
    second = [Transition(((">=", "x"),), ("y",), "o", "q2"), Transition((("<", "x"),), (), "o", "q0")]
    inside = Transition(((">=", "x"), ("<", "y")), (), "a", "q3")
    others = [Transition((("<", "x"),), (), "a", "q2"), Transition(((">=", "y"),), (), "a", "q3")]
    last = [Transition(((">=", "x"),), (), "b", "q3"), Transition((("<", "x"),), (), "c", "end")]
    return program(
        {
            "q0": state(first, input=False),
            "q1": state(*second, input=False),
            "q2": state(inside, *others),
            "q3": state(*last),
        }
    )


def all_the_same() -> Program:
    """Whatever is drawn, one letter is seen for ever."""
    tests = step(BELOW, "q0"), step(ABOVE, "q1")
    return program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(*tests)})


def dressed_up() -> Program:
    """Numbers below a threshold for ever; in which of two equal states, and what is stored as y, nobody sees.

    At first there is a test, both sides of which store and go elsewhere.
    """
    below, above = (("<", "x"),), ((">=", "x"),)

    def tests(there: str) -> State:
        return state(Transition(below, ("y",), "below", there), Transition(above, (), "above", "end"))

    nested = [
        Transition((*below, ("<", "y")), ("y",), "o", "q1"),
        Transition((*below, (">=", "y")), (), "o", "q2"),
        Transition(above, (), "o", "q2"),
    ]
    return program(
        {
            "q0": state(Transition((), ("x", "y"), "o", "q3"), input=False),
            "q1": tests("q2"),
            "q2": tests("q1"),
            "q3": state(*nested),
        }
    )


def becoming_impossible() -> Program:
    """A number without noise is not below another one for ever; the other test looks the same."""
    found = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2", "a"), step(ABOVE, "q3", "a")),
            "q2": state(step(BELOW, "end", "b"), step(ABOVE, "end", "c")),
            "q3": state(step(ABOVE, "end", "b"), step(BELOW, "end", "c")),
        }
    )
    states = {
        name: replace(own, rate=None, rate_left=INFINITE, rate_right=INFINITE)
        for name, own in found.states.items()
    }
    return replace(found, states=states)


def silent_pair() -> Program:
    """Who is the largest of three is said only if it is the first."""
    first = state(step(TRUE, "q1", "o", assign=True))
    second = state(step(BELOW, "q2", "o"), step(ABOVE, "q3", "o", assign=True), rate=Fraction(1, 2))
    third = state(step(BELOW, "end", "first"), step(ABOVE, "end", "another"), rate=1)
    other = state(step(TRUE, "end", "another"), rate=1)
    return program({"q0": first, "q1": second, "q2": third, "q3": other})


def leaving_unseen(*last: Transition) -> Program:
    """Below a threshold for as long as values are; the step that leaves looks like the others."""
    loop = step(BELOW, "q1", "a"), step(ABOVE, "q2", "a")
    return program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(*loop), "q2": state(*last)})


def leaving_a_range(rate: Fraction = Fraction(1, 3), query: Fraction = Fraction(1, 6)) -> Program:
    """Two noisy thresholds; inputs between them go on, those above both or below both end, all look alike.

    With 1/3 it is example_25, with 1/2 example_27 of DiPAut.
    """
    both: tuple[tuple[Test, ...], ...] = tuple(
        ((one, "low"), (other, "high")) for one, other in ((">=", "<"), (">=", ">="), ("<", "<"))
    )
    cases = [Transition(own, (), "in", to) for own, to in zip(both, ("test", "end", "end"), strict=True)]
    low, high = (
        State(True, rate, Fraction(mean), None, None, (Transition((), (name,), "draw", after),))
        for name, mean, after in (("low", 0, "high"), ("high", 10, "test"))
    )
    return Program("draw", {"draw": low, "high": high, "test": state(*cases, rate=query)})


def hidden_failures() -> Program:
    """Whether an input is in a range with noisy ends, and not on which side it is otherwise."""
    inside = Transition(((">=", "low"), ("<", "high")), (), "inside", "end")
    below = Transition((("<", "low"),), (), "outside", "end")
    above = Transition(((">=", "low"), (">=", "high")), (), "outside", "end")
    ends = [
        state(Transition((), (name,), "draw", to), rate=Fraction(1, 4), input=False)
        for name, to in (("low", "q1"), ("high", "q2"))
    ]
    return program({"q0": ends[0], "q1": ends[1], "q2": state(inside, below, above, rate=Fraction(1, 2))})


def between_extremes(k: int) -> Program:
    """Whether a number is between the least and the largest of k hidden ones."""
    found = hidden_min_max(k, Fraction(1, 2), Fraction(1))
    name = f"q{k + 1}"
    inside, *outside = found.states[name].transitions
    cases = replace(inside, target="end"), *(replace(own, output="outside") for own in outside)
    return replace(found, states={**found.states, name: replace(found.states[name], transitions=cases)})


def hidden_extreme(seed: int, most: int = 4) -> Program:
    """Steps that keep the larger value, or the smaller one, and show nothing, between others that do."""
    random = Random(f"extreme {seed}")
    count = random.randint(2, most)
    states = {"q0": state(step(TRUE, "q1", assign=True), rate=random.choice([1, 2]))}
    for k in range(1, count + 1):
        last = k == count
        target = "end" if last else f"q{k + 1}"
        above, below = step(ABOVE, target), step(BELOW, target)
        if not last and (k == 1 or random.random() < 0.6):
            larger, smaller = (replace(test, assign=("x",)) for test in (above, below))
            cases = random.choice([(larger, below), (above, smaller)])
        else:
            cases = (replace(above, output="a"), replace(below, output=random.choice(["b", INSAMPLE])))
        states[f"q{k}"] = state(*cases, rate=random.choice([1, 2]), input=random.random() < 0.8)
    return program(states)


def random_indistinct(random: Random, most: int = 4, loops: bool = False) -> Program:
    """A random program of up to so many states; outputs do not tell its transitions apart."""
    while True:
        found = _random(random, random.randint(2, most), loops)
        if not conditions(found).output_distinction:
            return found


def random_endless(random: Random, names: tuple[str, ...]) -> Program:
    """A program with loops whose outputs do not tell runs apart, that stores in so many variables."""
    while True:
        found = _endless(random, names)
        if not conditions(found).output_distinction:
            return found


def _endless(random: Random, names: tuple[str, ...]) -> Program:
    size = random.randint(2, 4)
    states = {}
    for k in range(size):
        takes_input, name = random.random() < 0.8, random.choice(names)
        guards: tuple[tuple[Test, ...], ...] = ((),)
        if k and takes_input and random.random() < 0.85:
            guards = ((("<", name),), ((">=", name),))
        cases = []
        for guard in guards:
            target = random.randint(0, size)
            number = random.choice((INSAMPLE, INSAMPLE_PRIME))
            output = random.choice("ab") if random.random() < 0.9 else number
            some = (random.choice(names),) if random.random() < 0.3 else ()
            to = f"q{target}" if target < size else random.choice(("end", "over"))
            cases.append(Transition(guard, some if k else names, output, to))
        rate = Fraction(random.choice((1, 1, 2, 3)), random.choice((1, 2)))
        mean = Fraction(0)
        states[f"q{k}"] = State(takes_input, rate, mean, Fraction(1), mean, tuple(dict.fromkeys(cases)))
    return Program("q0", states)


def leaning(random: Random, found: Program) -> Program:
    """The program with two rates at some states, of which some are infinite."""
    rates: tuple[Rate, ...] = (Fraction(1, 2), Fraction(1), Fraction(2), INFINITE)
    states = {
        name: replace(own, rate=None, rate_left=random.choice(rates), rate_right=random.choice(rates))
        if random.random() < 0.7
        else own
        for name, own in found.states.items()
    }
    return Program(found.initial, states)


def tied(random: Random, found: Program) -> Program:
    """The program with discrete noise; at some states the smaller sample wins ties."""
    return on_a_grid(found, {name for name in found.states if random.random() < 0.7})


def on_a_grid(found: Program, strict: Collection[str] | None = None) -> Program:
    """The program with discrete noise; at all states, or at the given ones, the smaller sample wins ties."""
    later = {"<": "<=", ">=": ">"}
    states = {
        name: replace(
            own,
            transitions=tuple(
                replace(t, guard=tuple((later[relation], v) for relation, v in t.guard))
                for t in own.transitions
            ),
        )
        if strict is None or name in strict
        else own
        for name, own in found.states.items()
    }
    return Program(found.initial, states, noise=Noise("discrete-laplace"))


def keeping_unseen() -> Program:
    """The larger of two values is kept, and nothing is shown; the two transitions do not merge."""
    last = state(step(BELOW, "end", "o"), step(ABOVE, "end", "o", assign=True), rate=2)
    return Program("q0", {"q0": state(step((), "q1", assign=True)), "q1": last})


def showing(random: Random, found: Program) -> Program:
    """The program with the gap to x among some outputs of letters."""
    states = {
        name: replace(
            own,
            transitions=tuple(
                replace(t, output=(t.output, Gap("x")))
                if t.output in ("a", "b") and name != found.initial and random.random() < 0.3
                else t
                for t in own.transitions
            ),
        )
        for name, own in found.states.items()
    }
    return Program(found.initial, states)


def _random(random: Random, size: int, loops: bool) -> Program:
    states = {}
    for k in range(size):
        takes_input = random.random() < (0.8 if k else 0.5)
        guards = ((("<", "x"),), ((">=", "x"),)) if k and takes_input and random.random() < 0.85 else ((),)
        cases = []
        for guard in guards:
            least = k if loops and k and random.random() < 0.2 else k + 1
            target = random.randint(least, size)
            number = random.choice((INSAMPLE, INSAMPLE_PRIME))
            output = random.choice("ab") if random.random() < 0.9 else number
            assign = ("x",) if not k or random.random() < 0.3 else ()
            cases.append(Transition(guard, assign, output, f"q{target}" if target < size else "end"))
        rate = Fraction(random.choice((1, 1, 2, 3)), random.choice((1, 2)))
        prime, mean = Fraction(1), Fraction(0)
        distinct = tuple(dict.fromkeys(cases))
        states[f"q{k}"] = State(takes_input, rate, mean, prime, mean, distinct)
    return Program("q0", states)
