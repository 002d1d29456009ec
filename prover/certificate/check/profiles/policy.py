"""A policy: δ of a threshold program from below, if both neighbours' inputs are chosen by what was output.

Its nodes are questions: the next input of both. All that is stored is a constant, so the probability of every
answer is known, and that of an event is summed up from the last question to the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..noise import Gaussian
from ..programs import Program, Transition
from ..reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    TooLarge,
    at,
    demand,
    items,
    rational,
    record,
    typed,
    written,
)
from ..variables.orders import defined
from .inputs import MOST_BITS, plain_state
from .lattice import Lattice
from .nodes import Nodes
from .pieces import Enclosure, Law, Stored
from .scale import read_scale
from .sums import Exponentials, longest

Held = Mapping[str, int]
"""The numbers of the transitions that stored the variables."""


@dataclass(slots=True)
class Node:
    """A question: on every way to it the same state, and numbers that the same transitions stored; and how
    many inputs were read before at most, and how many of them differed."""

    state: str
    held: Held
    read: int
    differed: int


class Policy:
    """What is known at each node, and the probability of the event from there on: at least on the inputs, and
    at most on the neighbour's, in multiples of 2^-bits."""

    def __init__(
        self, program: Program, claim: Mapping[str, Json], entries: Sequence[Json], bits: int
    ) -> None:
        self.program, self.entries, self.bits, self.whole = program, entries, bits, 1 << bits
        self.adjacency, self.most = claim["adjacency"], claim.get("steps")
        self.scale, self.grid = read_scale(program, claim), program.noise[1]
        self.exponentials = Exponentials(bits, program.budget)
        self.lattice = None if self.grid is None else Lattice(self.scale, self.grid, bits)
        self.nodes: dict[int, Node] = {0: Node(program.initial, {}, 0, 0)}
        self.answers: list[Sequence[Sequence[Enclosure]]] = []  # of each node, on either input
        self.after: list[Sequence[int | bool]] = []
        self.known: dict[str, Enclosure] = {}
        self.signs: set[bool] = set()  # whether the neighbour's inputs are larger, where they differ

    def read(self) -> None:
        """Every node, each before those that follow it."""
        for index, entry in enumerate(self.entries):
            with at("node", index):
                demand(index in self.nodes, BadEvidence, "a node that nothing leads to")
                self.question(index, entry)
        rising, falling = True in self.signs, False in self.signs
        wrong = {"increasing": falling, "decreasing": rising, "monotonic": rising and falling}
        demand(not wrong.get(self.adjacency, False), BadClaim, "inputs that differ otherwise")

    def question(self, place: int, entry: Json) -> None:
        """The inputs and answers of a node, and the nodes that it leads to."""
        node, program = self.nodes[place], self.program
        fields, leaving = record(entry, "after", "inputs"), program.leaving(node.state)
        demand(len(leaving) > 0, BadEvidence, "a question where runs have ended")
        program.budget.spend(8 * (len(leaving) + len(program.variables)))
        plain_state(program, node.state)
        ties = {t.written for t in leaving} in ({("<",), (">",)}, {("<=",), (">=",)})
        demand(not ties, BadModel, "guards of which none or both hold at a tie")
        demand(all(t.seen[1] == 0 for t in leaving), BadModel, "a number that is output")
        first, inputs = leaving[0], (Fraction(0), Fraction(0))
        demand(("inputs" in fields) == first.takes_input, Malformed, "inputs that are not read, or none")
        if first.takes_input:
            inputs = self.inputs(first, fields["inputs"])
        read, differed = node.read + first.takes_input, node.differed + (inputs[0] != inputs[1])
        demand(self.most is None or read <= self.most, BadClaim, "more inputs than the claim allows")
        demand(self.adjacency != "one-differ" or differed < 2, BadClaim, "inputs that differ otherwise")
        held, targets = node.held, [t.to for t in leaving]
        if first.tests:
            demand(not any(t.assigns for t in leaving), BadModel, "a sample that is tested and stored")
            self.answers.append([self.passed(first, held, x) for x in inputs])
            targets += [""] * (len(leaving) == 1)
        else:
            self.answers.append([[(self.whole, self.whole)]] * 2)
            constant = not first.takes_input and first.noise == (None, None)
            demand(constant or not first.assigns, BadModel, "what is stored is not a constant")
            held = {**held, **dict.fromkeys(first.stored, first.number)}
        after = items(fields["after"], len(targets))
        for to, own in zip(targets, after, strict=True):
            if type(own) is not bool:
                known = to != "" and place < typed(own, int) < len(self.entries)
                demand(known, BadEvidence, "no such node after this one")
                self.arrive(own, Node(to, held, read, differed))
        self.after.append(after)

    def inputs(self, t: Transition, value: Json) -> tuple[Fraction, Fraction]:
        """The next input of both, as near as its state demands."""
        x, y = (Fraction(*rational(number)) for number in items(value, 2))
        long = longest([x, y])
        self.program.budget.spend(8, long, long)
        demand(abs(x - y) <= t.reach * self.program.noise[0], BadClaim, "inputs too far apart")
        if self.grid is not None and self.program.rounded:
            whole = (x / self.grid).denominator == (y / self.grid).denominator == 1
            demand(whole, BadClaim, "inputs off the grid")
        if x != y:
            self.signs.add(x < y)
        return x, y

    def arrive(self, number: int, node: Node) -> None:
        """One more way to a node."""
        known = self.nodes.setdefault(number, node)
        same = known.state == node.state and known.held == node.held
        demand(same, BadEvidence, "a node at different states, or with numbers stored elsewhere")
        known.read, known.differed = max(known.read, node.read), max(known.differed, node.differed)

    def passed(self, t: Transition, held: Held, x: Fraction) -> Sequence[Enclosure]:
        """The probabilities that a test of a sample around an input is passed, and that it is not."""
        ((relation, name),) = t.tests
        drawn = self.program.transitions[held[name]]
        key = f"{t.number} {drawn.number} {written(*x.as_integer_ratio())}"
        if key not in self.known:
            self.known[key] = self.chance(t, relation, drawn, t.means[0] + x)
        low, high = self.known[key]
        return [(low, high), (self.whole - high, self.whole - low)]

    def chance(self, t: Transition, relation: str, drawn: Transition, center: Fraction) -> Enclosure:
        """The probability that a test against a constant is passed."""
        budget, level, at_least = self.program.budget, drawn.means[0], relation == ">="
        if self.lattice is not None:
            return self.lattice.chance((drawn, level), [(t, center)])
        fixed, sensitivity = Law(level, None, None), self.program.noise[0]
        if isinstance(t.noise, Gaussian):
            law = Law(center, None, None, t.noise.sigma * sensitivity)
            nodes = Nodes(fixed, [law], 1, None, self.exponentials, budget, {})
            return nodes.total(nodes.tested(nodes.one(), law, at_least=at_least))
        factor = (self.scale.epsilon or Fraction(0)) / sensitivity
        left, right = (None if rate is None else rate * factor for rate in t.noise)
        law = Law(center, left, right)
        unit = budget.denominator([rate.denominator for rate in (left, right) if rate is not None])
        stored = Stored(fixed, [center], unit, self.exponentials, budget)
        return stored.total(stored.tested(stored.one(), law, at_least=at_least))

    def event(self) -> Enclosure:
        """The probability of the event: at least on the inputs, and at most on the neighbour's."""
        values: list[Enclosure] = [(0, 0)] * len(self.after)
        for place in reversed(range(len(self.after))):
            after, (one, other) = self.after[place], self.answers[place]
            self.program.budget.spend(8 * len(after), self.bits, self.bits)
            low = high = 0
            for own, (least, _), (_, most) in zip(after, one, other, strict=True):
                then = (self.whole * own, self.whole * own) if type(own) is bool else values[own]
                low, high = low + least * then[0], high + most * then[1]
            values[place] = low >> self.bits, -(-high >> self.bits)
        return values[0]


def policy_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """The probability of the event on the inputs exceeds α times that on the neighbour's by `lower`."""
    fields = record(evidence, "bits nodes")
    bits, entries = typed(fields["bits"], int), typed(fields["nodes"], list)
    demand(0 < bits <= MOST_BITS, TooLarge, f"not from 1 to {MOST_BITS} bits")
    demand(len(entries) > 0, BadEvidence, "no node")
    if len(program.variables) > 1:
        defined(program)
    program.budget.keep(6 * len(entries), bits)
    policy = Policy(program, claim, entries, bits)
    policy.read()
    more, less = policy.event()
    alpha, lower = Fraction(*rational(claim["alpha"])), Fraction(*rational(claim["lower"]))
    demand(lower * policy.whole <= more - alpha * less, ClaimOpen, "the policy gains less")
