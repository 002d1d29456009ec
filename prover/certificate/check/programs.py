"""Threshold programs, and tables of facts by which their loss is bounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .budget import Budget
from .reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    constant,
    demand,
    items,
    positive,
    rational,
    record,
    typed,
)

# The differences Δ of input states that suffice for upper bounds, the loss being convex in Δ, and the others;
# those of monotonic are all ≥ 0 or all ≤ 0
CORNERS = {
    "all-differ": (-1, 1),
    "one-differ": (-1, 0, 1),
    "increasing": (0, 1),
    "decreasing": (-1, 0),
    "monotonic": (-1, 0, 1),
}

STATE = "input mean mean_prime rate rate_prime transitions"
CASE = "assign guard output to"


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition with what its state says: tests are pairs of "<" or ">=" and a variable."""

    number: int
    source: str
    to: str
    takes_input: bool
    rate: Fraction
    rate_prime: Fraction
    tests: tuple[tuple[str, str], ...]
    stored: tuple[str, ...]
    output: str

    @property
    def guard(self) -> str:
        """Where there is one variable: "", "<" or ">="."""
        return self.tests[0][0] if self.tests else ""

    @property
    def assigns(self) -> bool:
        return bool(self.stored)


@dataclass(frozen=True, slots=True)
class Program:
    initial: str
    states: Collection[str]
    reached: Collection[str]  # the states that runs come to
    transitions: Sequence[Transition]
    budget: Budget
    by_state: Mapping[str, Sequence[Transition]]
    variables: Collection[str]  # of reached states

    def leaving(self, state: str) -> Sequence[Transition]:
        """The transitions of a state, in order; none if it is final."""
        return self.by_state.get(state, ())


def read_program(model: Json, budget: Budget) -> Program:
    fields = record(model, "initial states type version", "final")
    constant(fields["type"], "threshold-program")
    constant(fields["version"], 1)
    states, variables, transitions = typed(fields["states"], dict), set[str](), list[Transition]()
    initial = typed(fields["initial"], str)
    if "final" in fields:
        final = [typed(name, str) for name in typed(fields["final"], list)]
        ascending(final, Malformed, "final states")
        demand(len(final) > 0, Malformed, "no final states")
        demand(states.keys().isdisjoint(final), BadModel, "a final state that goes on")
    reached = reached_states(states, initial)
    for place, name in enumerate(sorted(states)):
        with at(f"state {place}"):
            state = record(states[name], STATE)
            takes_input, prime = typed(state["input"], bool), state["rate_prime"]
            demand((prime is None) == (state["mean_prime"] is None), Malformed, "half a second sample")
            rates = (
                Fraction(*positive(state["rate"])),
                Fraction(*(0, 1) if prime is None else positive(prime)),
            )
            for mean in ("mean",) if prime is None else ("mean", "mean_prime"):
                rational(state[mean])
            cases = [record(entry, CASE) for entry in typed(state["transitions"], list)]
            demand(len(cases) > 0, BadModel, "no transition")
            for case in cases:
                tests = [items(test, 2) for test in typed(case["guard"], list)]
                stored = [typed(variable, str) for variable in typed(case["assign"], list)]
                demand(len(set(stored)) == len(stored), BadModel, "a variable stored twice")
                demand(takes_input or not tests, BadModel, "a guard without input")
                demand(all(test[0] in ("<", ">=") for test in tests), Malformed, "unknown guard")
                guard = tuple((typed(test[0], str), typed(test[1], str)) for test in tests)
                different = len({variable for _, variable in guard}) == len(guard)
                demand(different, BadModel, "two tests of one variable")
                if name in reached:
                    variables.update(stored, (variable for _, variable in guard))
                output, to = typed(case["output"], str), typed(case["to"], str)
                demand(output != "insampleprime" or prime is not None, BadModel, "no second sample")
                number = len(transitions)
                transitions.append(
                    Transition(number, name, to, takes_input, *rates, guard, tuple(stored), output)
                )
    by_state: dict[str, list[Transition]] = {}
    for t in transitions:
        by_state.setdefault(t.source, []).append(t)
    first = by_state.get(initial, [])
    demand(len(first) == 1 and first[0].assigns and not first[0].guard, BadModel, "no initialisation")
    return Program(initial, states, reached, transitions, budget, by_state, variables)


def reached_states(states: Mapping[str, Json], initial: str) -> set[str]:
    """The states that transitions lead to from the initial one, itself included."""
    reached = {initial} & states.keys()
    waiting = list(reached)
    while waiting:
        cases = typed(record(states[waiting.pop()], STATE)["transitions"], list)
        new = {typed(record(case, CASE)["to"], str) for case in cases} & states.keys() - reached
        reached |= new
        waiting += new
    return reached


def loss_rule(program: Program, claim: Mapping[str, Json]) -> None:
    """What an observer learns is what runs lose, or where a bound is only from above at most that.

    The observer knows the run if the outputs of each state's transitions are different, and at most one of
    them is a number. Claims of a bound from above need no such knowledge.
    """
    loss = typed(claim.get("loss", "runs"), str)
    demand(loss in ("observer", "runs"), Malformed, "unknown loss")
    if loss == "runs" or claim["kind"] == "private" or claim.get("lower") == "0":
        return
    outputs: dict[str, set[str]] = {}
    for n, t in enumerate(program.transitions):
        if t.source in program.reached:
            seen = outputs.setdefault(t.source, set())
            output = "number" if t.output in ("insample", "insampleprime") else f"letter {t.output}"
            demand(output not in seen, BadClaim, f"the output of transition {n} tells no observer the run")
            seen.add(output)


CONTRARY = {"hi0": {"lo1"}, "hi1": {"lo0", "lo1"}, "lo0": {"hi1"}, "lo1": {"hi0", "hi1"}}


def private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """No cycle discloses or leaks, and the facts are closed and free of contradiction."""
    demand(claim["adjacency"] == "all-differ", BadClaim, "the adjacency is not all-differ")
    fields = record(evidence, "components facts")
    component, facts = typed(fields["components"], dict), dict[str, set[str]]()
    demand(program.initial in component, BadEvidence, "the initial state has no component")
    demand(component.keys() <= set(program.states), BadEvidence, "a component of no state")
    demand(all(typed(number, int) >= 0 for number in component.values()), Malformed, "a negative component")
    for state, words in typed(fields["facts"], dict).items():
        demand(state in component and len(typed(words, list)) > 0, BadEvidence, "facts of no state, or none")
        demand(all(typed(word, str) in CONTRARY for word in words), Malformed, "unknown fact")
        ascending(words, BadEvidence, "facts")
        facts[state] = set(words)
    reached = [t for t in program.transitions if t.source in component]
    for t in reached:
        if t.to in program.states:
            demand(t.to in component, BadEvidence, "a reachable state has no component")
            demand(component[t.source] <= component[t.to], RuleBroken, "a transition to a lower component")
    inside = {t: component.get(t.to) == component[t.source] for t in reached}
    storing = {component[t.source] for t in reached if inside[t] and t.assigns}
    for n, t in enumerate(program.transitions):
        if t.source in component:
            with at(f"transition {n}"):
                private_rule(t, inside[t], component[t.source] in storing, facts, t.to in program.states)


def private_rule(
    t: Transition, inside: bool, storing: bool, facts: Mapping[str, set[str]], goes_on: bool
) -> None:
    """One transition discloses nothing, does not leak, adds no contradiction, and hands its facts on."""
    real = t.output in ("insample", "insampleprime")
    demand(not (inside and t.takes_input and real), RuleBroken, "a disclosing cycle")
    demand(not (inside and t.takes_input and storing and t.guard), RuleBroken, "a leaking cycle")
    side, added = {"<": "lo", ">=": "hi", "": ""}[t.guard], set[str]()
    if side:
        added |= {f"{side}1"} if inside else set()
        added |= {f"{side}0"} if t.output == "insample" else set()
    old = facts.get(t.source, set())
    free = not any(CONTRARY[fact] & (old | added) for fact in added)
    demand(free, RuleBroken, "facts that contradict each other")
    after = old | added
    if t.assigns:
        kept = {">=": ("lo0", "lo1"), "<": ("hi0", "hi1"), "": ()}[t.guard]
        after = after.intersection(kept) | ({"lo0", "hi0"} if t.output == "insample" else set())
    demand(not goes_on or after <= facts.get(t.to, set()), RuleBroken, "facts that are not handed on")
