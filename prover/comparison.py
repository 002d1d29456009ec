"""Answers computed once more by other libraries: a second opinion for small models (docs/formulas.md).

A certificate proves an answer; this looks for mistakes in what the certificate, its checker and the engines
have in common. Distances are recomputed by SymPy from the optimal couplings; privacy is decided once more by
networkx on the implication graphs of the looping branches, and the loss of the worst run is found as a flow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import lcm
from typing import TYPE_CHECKING, Any

from prover.certificate.expansion import written_out
from prover.certificate.schema import MAX_DIGITS, Certificate
from prover.errors import Fault, NotSupported
from prover.exact.rational import format_rational, parse_rational

if TYPE_CHECKING:
    from prover.chain.answer import Distance
    from prover.chain.model import Pair
    from prover.program.answer import Privacy
    from prover.program.branches import Branch
    from prover.program.decision.blocks import RunStep
    from prover.program.model import Program
    from prover.program.optimum.witness import Witness

MOST_UNKNOWNS = 400
"""The most unknowns of a linear system that is solved once more."""
MOST_PLACES = 10_000
"""The most steps that looping branches may have together, to be looked at once more."""
MOST_STEPS = 5_000
"""The most steps of a run whose cost is computed once more."""

_Literal = tuple[int, int, bool]
_ZERO = -1  # the node of a flow that stands for the shift 0


@dataclass(frozen=True, slots=True)
class Crosscheck:
    """An agreement: ``library`` found each ``value`` again; ``compared`` names the value and its source."""

    library: str
    compared: str
    value: Fraction | bool

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, bool) else format_rational(self.value)
        return f"{self.library} agrees: {self.compared} is {value}"


def crosscheck(answer: Distance | Privacy) -> tuple[Crosscheck, ...]:
    """The values that other libraries find for an answer, if they agree. Raises Fault if they do not.

    The message of the fault has the model, the claim and both values. Raises NotSupported for answers
    that are not exact, other kinds than ld, lgd, bd and privacy, and models that are too large.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> print(*crosscheck(prover.distance(pin_checker(), "0", "1", alpha="11/10")))
        SymPy agrees: ld from the optimal couplings of 2 pairs is 412/7791
    """
    from prover.chain.answer import Distance
    from prover.program.answer import Privacy

    if isinstance(answer, Distance):
        return (_of_distance(answer),)
    if isinstance(answer, Privacy):
        return _of_privacy(answer)
    raise NotSupported(f"answers of type {type(answer).__name__} cannot be cross-checked")


def _document(certificate: Certificate) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(certificate.data)
    return document


def _disagreement(
    library: str, what: str, found: object, claimed: object, document: Mapping[str, Any]
) -> Fault:
    return Fault(
        f"{library} disagrees on {what}: it finds {found}, and the answer says {claimed}; "
        f"claim {json.dumps(document['claim'])}; model {json.dumps(document['model'])}"
    )


def _text(value: Fraction | None) -> str:
    return "no number" if value is None else format_rational(value)


def _of_distance(answer: Distance) -> Crosscheck:
    if answer.value is None:
        raise NotSupported("the distance is enclosed, not exact; only exact ones can be cross-checked")
    document = _document(answer.certificate)
    if document["model"]["type"] != "labelled-markov-chain":
        raise NotSupported("distances where an attacker chooses cannot be cross-checked")
    if "quotient" in document["claim"]:
        raise NotSupported(
            "the distance is that of a quotient; only those of whole chains can be cross-checked"
        )
    if "exact" not in document["evidence"]:
        raise NotSupported(f"the certificate of a {answer.kind} has no table of optimal couplings")
    system = _System.of(document)
    claim, model = document["claim"], document["model"]
    names = model["relation"] if claim["scope"] == "relation" else [[claim["from"], claim["to"]]]
    index = {name: k for k, name in enumerate(sorted(model["states"]))}
    asked = [(index[s], index[t]) for s, t in names]
    values = system.solved(asked)
    found = max(system.constant(p) if system.is_constant(p) else values[system.row_of(p)] for p in asked)
    what = f"{answer.kind} from the optimal couplings of {len(values)} pairs"
    if found != answer.value:
        raise _disagreement("SymPy", what, _text(found), _text(answer.value), document)
    return Crosscheck("SymPy", what, found)


@dataclass(frozen=True, slots=True)
class _System:
    """The equations d = ω·d + H of a table of optimal couplings; for bd unordered pairs, smaller index first.

    ``couplings`` gives each pair of equal label the direction in which its coupling goes, and the coupling.
    """

    alpha: Fraction
    labels: tuple[str, ...]
    rows: tuple[Mapping[int, Fraction], ...]
    couplings: Mapping[Pair, tuple[Pair, Mapping[Pair, Fraction]]]
    symmetric: bool

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> _System:
        """What a certificate of ld, lgd or bd says, read anew."""
        states = document["model"]["states"]
        names = sorted(states)
        index = {name: k for k, name in enumerate(names)}
        rows = [
            {index[to]: parse_rational(text) for to, text in states[name]["next"].items()} for name in names
        ]
        couplings = {}
        for row in written_out(document["evidence"])["exact"]["rows"]:
            i, j = row["pair"]
            listed = row[row["direction"]] if "direction" in row else row["coupling"]
            coupling = {(k, m): parse_rational(text, MAX_DIGITS) for k, m, text in listed}
            couplings[i, j] = ((j, i) if row.get("direction") == "backward" else (i, j), coupling)
        alpha = parse_rational(document["claim"]["alpha"])
        labels = tuple(states[name]["label"] for name in names)
        return cls(alpha, labels, tuple(rows), couplings, document["claim"]["kind"] == "bd")

    def row_of(self, pair: Pair) -> Pair:
        """The pair of the row for this one."""
        return (min(pair), max(pair)) if self.symmetric else pair

    def is_constant(self, pair: Pair) -> bool:
        """Whether the pair has a known value: its labels differ, or it has no row."""
        return self.row_of(pair) not in self.couplings or self.labels[pair[0]] != self.labels[pair[1]]

    def constant(self, pair: Pair) -> Fraction:
        """That value: 0 for equal states, else 1."""
        return Fraction(pair[0] != pair[1])

    def equation(self, pair: Pair) -> tuple[dict[Pair, Fraction], Fraction]:
        """The coefficients of the unknowns, and the constant, of what d(pair) equals."""
        (s, t), coupling = self.couplings[pair]
        left = {k: self.rows[s].get(k, Fraction(0)) - self.alpha * self.rows[t].get(k, Fraction(0))
                for k in self.rows[s].keys() | self.rows[t].keys()}  # fmt: skip
        terms: dict[Pair, Fraction] = {}
        total = Fraction(0)
        for (k, m), weight in coupling.items():
            left[k] = left.get(k, Fraction(0)) - weight
            left[m] = left.get(m, Fraction(0)) + self.alpha * weight
            if self.is_constant((k, m)):
                total += weight * self.constant((k, m))
            else:
                terms[self.row_of((k, m))] = terms.get(self.row_of((k, m)), Fraction(0)) + weight
        return terms, total + sum(max(Fraction(0), rest) for rest in left.values())

    def solved(self, asked: list[Pair]) -> dict[Pair, Fraction]:
        """The least solution, for the pairs that those asked for depend on."""
        equations: dict[Pair, tuple[dict[Pair, Fraction], Fraction]] = {}
        waiting = [self.row_of(pair) for pair in asked if not self.is_constant(pair)]
        while waiting:
            pair = waiting.pop()
            if pair not in equations:
                equations[pair] = self.equation(pair)
                waiting.extend(equations[pair][0])
        if len(equations) > MOST_UNKNOWNS:
            raise NotSupported(f"{len(equations)} equations are more than {MOST_UNKNOWNS}")
        positive = {pair for pair, (_, constant) in equations.items() if constant}
        while more := {
            p for p, (terms, _) in equations.items() if p not in positive and terms.keys() & positive
        }:
            positive |= more
        values = dict.fromkeys(equations, Fraction(0))
        values |= _solved({pair: equations[pair] for pair in sorted(positive)})
        for pair, (terms, constant) in equations.items():
            if values[pair] != constant + sum(weight * values[other] for other, weight in terms.items()):
                raise Fault(f"SymPy's solution is none: the equation of the pair {pair} does not hold")
        return values


def _solved(equations: Mapping[Pair, tuple[Mapping[Pair, Fraction], Fraction]]) -> dict[Pair, Fraction]:
    """The solution of d = ω·d + H by SymPy; what is no unknown is 0."""
    from sympy import QQ
    from sympy.polys.matrices import DomainMatrix

    def rational(value: Fraction | int) -> Any:
        return QQ(value.numerator, value.denominator)

    if not equations:
        return {}
    order = {pair: k for k, pair in enumerate(equations)}
    size = len(order)
    matrix = [[rational(int(row == column)) for column in range(size)] for row in range(size)]
    right = []
    for (terms, constant), row in zip(equations.values(), matrix, strict=True):
        right.append([rational(constant)])
        for pair, weight in terms.items():
            if pair in order:
                row[order[pair]] -= rational(weight)
    solution = DomainMatrix(matrix, (size, size), QQ).lu_solve(DomainMatrix(right, (size, 1), QQ))
    numbers = [row[0] for row in solution.to_list()]
    return {
        pair: Fraction(int(q.numerator), int(q.denominator)) for pair, q in zip(order, numbers, strict=True)
    }


def _of_privacy(answer: Privacy) -> tuple[Crosscheck, ...]:
    from prover.formats.program_json import program_from_json
    from prover.formats.strict_json import read_json
    from prover.program.model import variables
    from prover.program.shifts import is_one_sided

    proof = answer.certificate
    claimed = answer.runs.bounded
    if claimed is None or proof is None:
        raise NotSupported("whether the program is private is not known")
    document = _document(proof)
    program = program_from_json(read_json(json.dumps(document["model"])))
    if len(names := variables(program)) > 1:
        raise NotSupported(
            f"the program has {len(names)} variables; only those of one variable can be cross-checked"
        )
    checks: list[Crosscheck] = []
    one_sided = any(map(is_one_sided, program.edges))
    if not one_sided:  # else steps demand something even if they are taken once
        branches, private = _private_branches(program)
        what = f"whether it is private, from the implication graphs of its looping branches ({branches}),"
        # Privacy under all-differ implies privacy under every other adjacency, but not the other way round.
        tells = private or answer.adjacency == "all-differ"
        if tells and private is not claimed:
            raise _disagreement("networkx", what, private, claimed, document)
        checks += [Crosscheck("networkx", what, private)] if tells else []
    loss = answer.runs.exact
    if loss is not None and answer.witness is not None and answer.witness.length <= MOST_STEPS:
        cost = _run_cost(answer.witness)
        what = f"the loss of the worst run, from a flow along its {answer.witness.length} steps,"
        if cost != loss:
            raise _disagreement("networkx", what, _text(cost), _text(loss), document)
        checks.append(Crosscheck("networkx", what, cost))
    if not checks:
        where = "where noise is on one side only" if one_sided else f"for adjacency {answer.adjacency}"
        raise NotSupported(f"{where} no other library can check this answer")
    return tuple(checks)


def _private_branches(program: Program) -> tuple[int, bool]:
    """How many looping branches there are, and whether all are private (adjacency all-differ)."""
    from prover.program.branches import TooManyBranches, looping_branches

    try:
        branches = looping_branches(program, MOST_PLACES)
    except TooManyBranches as error:
        raise NotSupported(str(error)) from None
    return len(branches), all(map(_is_private, branches))


def _is_private(branch: Branch) -> bool:
    """Whether shifts exist that are good for a looping branch: 2-SAT, by the implication graph.

    A literal (i, bound, truth) says whether the shift of step i is at least the bound, 0 or 1. The clauses
    can be satisfied if and only if no literal and its opposite imply each other.
    """
    import networkx

    if branch.is_hopeless:
        return False
    graph = networkx.DiGraph()

    def imply(first: _Literal, second: _Literal) -> None:
        graph.add_edge(first, second)
        graph.add_edge((*second[:2], not second[2]), (*first[:2], not first[2]))

    def demand(literal: _Literal) -> None:
        imply((*literal[:2], not literal[2]), literal)

    stored = 0
    for i, place in enumerate(branch.steps):
        edge = place.edge
        imply((i, 1, True), (i, 0, True))
        if edge.pinned:
            demand((i, 0, True))
            demand((i, 1, False))
        if edge.relation:
            for low, high in _ordered(edge.relation, i, stored):
                for bound in (0, 1):
                    imply((low, bound, True), (high, bound, True))
                if place.on_cycle:
                    level = int(edge.input)
                    demand((stored, level, True) if high == stored else (stored, 1 - level, False))
        if edge.assigns:
            stored = i
    circles = networkx.strongly_connected_components(graph)
    return not any((i, bound, not truth) in circle for circle in circles for i, bound, truth in circle)


def _run_cost(witness: Witness) -> Fraction:
    """The least cost of shifts for a run and differences: the dual, a circulation of least cost.

    Multipliers flow along the orders of the guards, from the lower shift to the upper one; what a step
    receives or hands out more than that, at most its rate on that side, goes to or comes from a node that
    stands for 0, and gains or costs Δ. Steps that output insample are that node.
    """
    import networkx

    steps = list(_taken(witness))
    sides = [rate for step in steps for rate in (step.edge.left, step.edge.right)]
    unit = lcm(*(rate.denominator for rate in sides if isinstance(rate, Fraction)))
    graph = networkx.MultiDiGraph()
    graph.add_node(_ZERO)
    outright = Fraction(0)
    stored: int = _ZERO
    for i, step in enumerate(steps):
        edge, delta = step.edge, step.delta
        node = _ZERO if edge.pinned else i
        ways = ((_ZERO, i, -delta, edge.left), (i, _ZERO, delta, edge.right))
        for source, target, weight, rate in ways:
            most = {"capacity": int(rate * unit)} if isinstance(rate, Fraction) else {}
            if node != _ZERO:
                graph.add_edge(source, target, weight=weight, **most)
            elif weight < 0 and isinstance(rate, Fraction):  # the shift 0 is on the other side of Δ
                outright += rate * abs(delta)
        if edge.primed and edge.rate_prime is not None:
            outright += edge.rate_prime * abs(delta)
        if edge.relation:
            for low, high in _ordered(edge.relation, node, stored):
                graph.add_edge(low, high, weight=0)
        if edge.assigns:
            stored = node
    gain, _ = networkx.network_simplex(graph)
    return outright - Fraction(gain, unit)


def _ordered(relation: str, own: int, stored: int) -> list[tuple[int, int]]:
    """Which shift is at most which other one."""
    pairs = {"<": [(own, stored)], ">=": [(stored, own)], "=": [(own, stored), (stored, own)]}
    return pairs[relation]


def _taken(witness: Witness) -> Iterator[RunStep]:
    """All steps of a run, those of repeated stretches again and again."""
    steps = iter(witness.steps)
    for length, count in witness.turns:
        yield from list(islice(steps, length)) * count
