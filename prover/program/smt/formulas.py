"""Questions about threshold programs as formulas in SMT-LIB 2: what goes into the templates of encodings/.

Steps are numbered along a run or a looping branch, transitions as in the program. privacy-horn and opt-cost
are for any number of variables, the formulas about looping branches for one; all but opt-cost are for
adjacency all-differ (docs/formulas.md, *Threshold programs*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from prover.errors import BadOptions, BadValue, Fault, NotSupported
from prover.exact.given import Given, given_rational
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.branches import Branch, looping_branches
from prover.program.conditions import require_plain
from prover.program.errors import unknown_adjacency
from prover.program.graph import components
from prover.program.model import Edge, Program, variables
from prover.program.optimum.weighed import constraints
from prover.program.order_graph import blocked_step, order_graph
from prover.program.scope import SeveralVariables, demand_one_rate, demand_placed
from prover.program.shifts import cost, is_one_sided, outright
from prover.program.smt.horn import horn_script
from prover.program.smt.paths import branch_of, leaking_components, run_along, run_on
from prover.smt.template import render, unknown_problem
from prover.smt.two_sat import BranchStep, branch_script

PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "privacy-horn": "is the program private? (all looping branches together, as Horn clauses)",
        "privacy-2sat": "is the looping branch along PATH private? (as 2-SAT)",
        "opt-cost": "does the run PATH lose at least THETA under every coupling?",
        "approx-cost": "does the looping branch along PATH have constant shifts of cost at most THETA?",
        "relaxed-cost": "does the looping branch along PATH have relaxed shifts of cost at most THETA?",
        "shared-cost": "does every strategy that the branches along several PATHs share cost at least THETA?",
    }
)
"""The problems and what they ask."""

ANY_VARIABLES = ("privacy-horn", "opt-cost")
"""The problems about programs of any number of variables; the others follow one stored value."""

_WITH_THETA = ("opt-cost", "approx-cost", "relaxed-cost", "shared-cost")
_WITH_ADJACENCY = ("opt-cost",)

RunPath = Sequence[int | str]


def unneeded_option(problem: str, option: str) -> BadOptions:
    """An option is given that the problem has no use for."""
    return BadOptions(f"{problem} has no use for {option}; leave it out", code="unneeded-option")


def encode(
    program: Program,
    problem: str,
    *,
    theta: Given | None = None,
    adjacency: str | None = None,
    paths: Sequence[RunPath] = (),
    status: str | None = None,
) -> str:
    """The formula of a problem (one of ``PROBLEMS``) as SMT-LIB 2 text; see its heading for what sat means.

    A path is given as for ``run_along``. privacy-2sat, approx-cost and relaxed-cost are about the looping
    branch along it, and need no path if the program has only one branch; opt-cost is about the run itself.
    ``status``, sat or unsat, is put into the heading. Raises SeveralVariables, NotSupported, UnknownName,
    BadOptions, BadValue, TooManyBranches, and the errors of ``run_along``. Where noise has two rates, or is
    missing on a side, only privacy-horn and opt-cost are supported; the others raise NotSupported where
    means matter.
    """
    if problem not in PROBLEMS:
        raise unknown_problem(problem, PROBLEMS)
    if problem not in ANY_VARIABLES and len(names := variables(program)) > 1:
        raise SeveralVariables(names, f"{problem} is")
    if problem not in ANY_VARIABLES:
        demand_one_rate(program)
    demand_placed(program)
    require_plain(program, "formulas are")
    limit = _checked_theta(problem, theta)
    if adjacency is not None and problem not in _WITH_ADJACENCY:
        raise unneeded_option(problem, "an adjacency")
    if problem == "privacy-horn":
        if paths:
            raise unneeded_option(problem, "a path")
        return horn_script(order_graph(program), status)
    if problem == "opt-cost":
        run = run_along(program, _only(problem, paths))
        if (place := blocked_step(program, run)) is not None:
            raise BadValue(
                f"step {place} of the path, transition {run[place].number}, is impossible: its tests "
                "contradict what the tests before it say of the stored values",
                code="blocked-step",
            )
        return run_formula(run, limit, adjacency or Adjacency.ALL_DIFFER, status)
    if problem == "shared-cost":
        if not paths:
            raise BadOptions(
                "shared-cost is about several looping branches: give a path for each", code="missing-path"
            )
        return _shared_cost([branch_of(program, run_along(program, path)) for path in paths], limit, status)
    return branch_formula(program, _only_branch(program, problem, paths), problem, limit, status)


def branch_formula(
    program: Program, branch: Branch, problem: str, theta: Fraction, status: str | None = None
) -> str:
    """The formula of privacy-2sat, which has no threshold, of approx-cost or relaxed-cost for a branch."""
    if problem != "privacy-2sat":
        return render(problem, steps=_branch_rows(program, branch), theta=theta, status=status)
    number = components(program).number
    return branch_script(
        [
            BranchStep(
                place.edge.relation,
                place.edge.assigns,
                place.edge.output,
                place.edge.input,
                number[place.edge.source] if place.on_cycle else None,
            )
            for place in branch.steps
        ],
        status,
    )


def _checked_theta(problem: str, theta: Given | None) -> Fraction:
    if problem not in _WITH_THETA:
        if theta is not None:
            raise unneeded_option(problem, "theta")
        return Fraction(0)
    if theta is None:
        raise BadOptions(
            f"{problem} compares a cost with a threshold: give theta, a rational such as 5/4",
            code="missing-theta",
        )
    return given_rational(theta, "theta", "bad-theta", at_least=0)


def _only(problem: str, paths: Sequence[RunPath]) -> RunPath:
    if not paths:
        raise BadOptions(
            f"{problem} is about one run: give a path from the initial state", code="missing-path"
        )
    if len(paths) > 1:
        raise unneeded_option(problem, "a second path")
    return paths[0]


def _only_branch(program: Program, problem: str, paths: Sequence[RunPath]) -> Branch:
    if paths:
        return branch_of(program, run_along(program, _only(problem, paths)))
    found = looping_branches(program)
    if len(found) > 1:
        path = ",".join(str(edge.number) for edge in run_on(program, found[0]))
        raise BadOptions(
            f"{problem} is about one looping branch, and the program has several; give a path along it"
            f" (transitions or states), such as {path}",
            code="missing-path",
        )
    return found[0]


def _words(edge: Edge, *, on_cycle: bool = False, naming: bool = False) -> str:
    """A transition in plain ASCII words, for the comments of a formula; ``naming``: with its variables."""
    parts = [f"{edge.source!a} -> {edge.target!a}"]
    for relation, name in edge.guard:
        parts.append(f"tests {relation}{f' {name!a}' if naming else ''}")
    if edge.assigns:
        parts.append(" ".join(["assigns", *(ascii(name) for name in edge.assign if naming)]))
    if edge.discloses:
        parts.append(f"outputs {edge.output}")
    if not edge.input:
        parts.append("public")
    if on_cycle:
        parts.append("on a cycle")
    return ", ".join(parts)


def _prime(edge: Edge) -> Fraction:
    """The rate of what is output of a second sample."""
    if not edge.primed:
        return Fraction(0)
    if edge.rate_prime is None:
        raise Fault(f"transition {edge.number} outputs a second sample that its state does not take")
    return edge.rate_prime


def _outright(edge: Edge) -> Fraction:
    """The rate of what is output of the samples themselves, which no shift spares."""
    return (edge.rate if edge.pinned else 0) + _prime(edge)


def _shown(edge: Edge, delta: int, enough: Fraction) -> Fraction:
    """What a difference costs by the samples that are output; in place of an infinite cost ``enough``."""
    own = cost(edge, delta, 0) if edge.pinned else Fraction(0)
    return enough if own is None else own + outright(edge, delta)


def _along(edges: Sequence[Edge]) -> Iterator[tuple[int, Edge, int | None]]:
    """Places, edges, and the last place before each where something is stored."""
    at: int | None = None
    for index, edge in enumerate(edges):
        yield index, edge, at
        if edge.assigns:
            at = index


def _row(place: int, edge: Edge, at: int | None) -> dict[str, Any]:
    """What all formulas about costs need to know of a step."""
    return {
        "place": place,
        "number": edge.number,
        "input": edge.input,
        "assigns": edge.assigns,
        "relation": edge.relation,
        "at": at if edge.relation else None,
        "pinned": edge.pinned,
        "rate": edge.rate,
        "outright": _outright(edge),
    }


def run_formula(
    run: Sequence[Edge], theta: Fraction, adjacency: str = Adjacency.ALL_DIFFER, status: str | None = None
) -> str:
    """The formula of opt-cost for a run. Raises UnknownName."""
    if adjacency not in ADJACENCIES:
        raise unknown_adjacency(adjacency, ADJACENCIES)
    demands = constraints(run)
    names = {name for edge in run for name in (*edge.assign, *(name for _, name in edge.guard))}
    rows: list[dict[str, Any]] = []
    for index, (edge, own) in enumerate(zip(run, demands, strict=True)):
        earlier = [k for k in range(index) if run[k].input] if adjacency == Adjacency.ONE_DIFFER else []
        rows.append(
            {
                "place": index,
                "number": edge.number,
                "words": _words(edge, naming=len(names) > 1),
                "input": edge.input,
                "pinned": edge.pinned,
                "left": edge.left if isinstance(edge.left, Fraction) else None,
                "right": edge.right if isinstance(edge.right, Fraction) else None,
                "rising": _shown(edge, 1, theta),
                "falling": _shown(edge, -1, theta),
                "multipliers": [f"{index}.{k}" if len(own) > 1 else f"{index}" for k in range(len(own))],
                "loads": [],
                "earlier_inputs": earlier,
            }
        )
    for row, own in zip(rows, demands, strict=True):
        for name, (low, high) in zip(row["multipliers"], own, strict=True):
            rows[low]["loads"].append(f"lambda.{name}")
            rows[high]["loads"].append(f"(- lambda.{name})")
    two = any(edge.left != edge.right or is_one_sided(edge) for edge in run)
    return render("opt-cost", steps=rows, two_rates=two, theta=theta, adjacency=adjacency, status=status)


def _branch_rows(program: Program, branch: Branch) -> list[dict[str, Any]]:
    """The steps of a branch; ``constant`` and ``leaf`` are what one costs at worst, whatever the shifts."""
    parts = components(program)
    leaking = leaking_components(parts, branch)
    rows = []
    for (i, edge, at), place in zip(_along(branch.edges), branch.steps, strict=True):
        rows.append(
            _row(i, edge, at)
            | {
                "words": _words(edge, on_cycle=place.on_cycle),
                "free": place.repeats,
                "discloses": place.on_cycle and edge.input and edge.discloses,
                "leaks": place.on_cycle and bool(edge.guard) and parts.number[edge.source] in leaking,
                "constant": edge.input * (edge.rate + _prime(edge)),
                "leaf": edge.input * ((edge.pinned) * edge.rate + _prime(edge)),
            }
        )
    return rows


def _shared_cost(given: Sequence[Branch], theta: Fraction, status: str | None) -> str:
    for k, branch in enumerate(given):
        if branch.is_hopeless:
            raise NotSupported(
                f"the branch along path {k} has a leaking or disclosing cycle: every strategy costs too much",
                code="endless-branch",
            )
    branches = list(dict.fromkeys(given))
    steps: dict[int, dict[str, Any]] = {}
    orders: dict[tuple[int, int], dict[str, Any]] = {}
    for branch in branches:
        for (i, edge, at), place in zip(_along(branch.edges), branch.steps, strict=True):
            if not place.repeats:
                steps[edge.number] = _row(i, edge, at)
            if edge.relation and at is not None:
                stored = branch.edges[at].number
                row = {
                    "test": edge.number,
                    "stored": stored,
                    "relation": edge.relation,
                    "free": place.repeats,
                }
                orders[edge.number, stored] = row
    return render(
        "shared-cost",
        branches=[[place.edge.number for place in branch.steps if not place.repeats] for branch in branches],
        steps=[steps[number] for number in sorted(steps)],
        orders=[orders[pair] for pair in sorted(orders)],
        theta=theta,
        status=status,
    )
