"""An upper bound of an observer's loss: runs in groups, each of which is treated as one run.

The runs of a group have one word, make their steps with the same noise, exclude each other, decide ties as if
one row of the steps did, and have together all linear extensions of an order: so one of them happens exactly
if the samples keep this order. The loss of this event is bounded like the loss of a program which draws the
samples one after the other and compares them as in the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial, prod

from ..budget import Budget
from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    BadModel,
    Json,
    Ratio,
    RuleBroken,
    at,
    demand,
    record,
    typed,
)
from ..variables.orders import defined
from ..variables.shifts import nodes_rule
from .ladders import ladder_rule
from .samples import START, Pair, Samples, closed, read_order, read_run, tested_pairs

Run = tuple[Transition, ...]
RUN_BITS = 512  # of memory that a step, or a variable, of a run counts
Known = Mapping[Run, Samples]  # of listed runs, and of the run without steps


def groups_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """The groups have all runs of the program, each once, and none loses more than `upper`."""
    defined(program)
    demand(all(t.bounds == t.tests for t in program.transitions), BadModel, "a gap is output")
    keys = "nodes order runs sequence", "cones rungs runs"
    entries = [record(entry, keys["cones" in typed(entry, dict)]) for entry in typed(value, list)]
    groups = [[read_run(program, run) for run in typed(entry["runs"], list)] for entry in entries]
    known = all_samples(program, [run for runs in groups for run in runs])
    if not program.plain:
        tie_orders(program, groups)
    for number, (entry, runs) in enumerate(zip(entries, groups, strict=True)):
        with at("group", number):
            demand(len(runs) > 0, BadEvidence, "there are no runs")
            if "cones" in entry:
                aligned(program, runs, known)
                ladder_rule(program, adjacency, runs, [known[run].below for run in runs], entry, upper)
                continue
            order = read_order(entry["order"], len(runs[0]))
            one_order(program, runs, known, order)
            sequence = [typed(step, int) for step in typed(entry["sequence"], list)]
            demand(sorted(sequence) == list(range(len(runs[0]))), BadEvidence, "not a sequence of all steps")
            single = program_of_one_run(program, runs[0], order, sequence)
            for way, nodes in by_way(adjacency, entry["nodes"]).items():
                nodes_rule(single, way, nodes, upper)


def by_way(adjacency: str, nodes: Json) -> Mapping[str, Json]:
    return record(nodes, "decreasing increasing") if adjacency == "monotonic" else {adjacency: nodes}


def all_samples(program: Program, runs: Sequence[Run]) -> Known:
    """The order of the samples of each run; no run of positive probability is missing or repeated."""
    widest = max(len(leaving) for leaving in program.by_state.values())
    program.budget.spend(sum((len(run) + 8) * (len(run) + widest * 8) for run in runs))
    names = len(program.variables)
    program.budget.fit(sum((len(run) + names) * (len(run) + RUN_BITS) for run in runs), 1)
    known: dict[Run, Samples] = {(): START}
    for run in sorted(runs, key=len):
        demand(run not in known, BadEvidence, "a run is listed twice")
        demand(run[:-1] in known, BadEvidence, "a run is listed, but one of its beginnings is not")
        after = known[run[:-1]].then(run[-1])
        if after is None:
            raise BadEvidence("the run has probability 0")
        known[run] = after
    for run, samples in known.items():
        for t in program.leaving(run[-1].to if run else program.initial):
            complete = (*run, t) in known or samples.between(t.tests) is None
            demand(complete, BadEvidence, "a possible run is in no group")
    return known


def tie_orders(program: Program, groups: Sequence[Sequence[Run]]) -> None:
    """For each group there is a row of the steps that decides ties as all tests of its runs do."""
    demand(not any("=" in t.written for t in program.transitions), BadModel, "a test is =")
    for runs in groups:
        steps = max(map(len, runs), default=0)
        program.budget.spend((steps + 1) * sum(1 + len(t.tests) for run in runs for t in run))
        below = closed(sorted(set().union(*map(tie_arcs, runs))), steps)
        demand(not any(below[k] >> k & 1 for k in range(steps)), RuleBroken, "no row decides all ties")


def tie_arcs(run: Run) -> set[Pair]:
    """For each test of a run its two steps, first the one that comes first if their samples are equal."""
    pairs, home = set[Pair](), dict[str, int]()
    for i, t in enumerate(run):
        for sign, (_, name) in zip(t.written, t.tests, strict=True):
            pairs.add((home[name], i) if sign in ("<", ">=") else (i, home[name]))
        home.update(dict.fromkeys(t.stored, i))
    return pairs


def one_order(program: Program, runs: Sequence[Run], known: Known, order: Sequence[Pair]) -> None:
    """The runs are those whose samples keep the order."""
    if len(runs) == 1:
        demand({*order} == tested_pairs(runs[0]), RuleBroken, "the order is not that of the run's tests")
        return
    aligned(program, runs, known)
    program.budget.spend(len(runs) * len(order))
    for run in runs:
        below = known[run].below
        demand(all(below[b] >> a & 1 for a, b in order), RuleBroken, "a run does not obey the order")
    parts = sum(linear_extensions(program.budget, known[run].below) for run in runs)
    every = linear_extensions(program.budget, closed(order, len(runs[0])))
    demand(parts == every, RuleBroken, "the runs do not have all linear extensions of the order")


def aligned(program: Program, runs: Sequence[Run], known: Known) -> None:
    """The runs make their steps with the same noise, exclude each other, and output no sample."""
    for steps in zip(*runs, strict=False):
        demand(len({noise(t) for t in steps}) == 1, RuleBroken, "the steps of two runs differ")
        demand(not steps[0].pinned, RuleBroken, "a step outputs insample")
    demand(len({len(run) for run in runs}) == 1, RuleBroken, "the runs have different lengths")
    widest = max(len(leaving) for leaving in program.by_state.values())
    program.budget.spend(len(runs) * len(runs[0]) * widest)
    exclusive(runs, known)


def noise(t: Transition) -> tuple[object, ...]:
    """The values that must be the same at a step of all runs."""
    mean, second = t.means
    return (
        t.takes_input,
        t.left,
        t.right,
        mean,
        t.seen,
        t.pinned,
        (t.rate_prime, second) if t.primed else None,
    )


def exclusive(runs: Sequence[Run], known: Known) -> None:
    """No samples lead to two of the runs: where these part, no sample passes the tests of both steps."""
    following: dict[Run, set[Transition]] = {}
    for run in runs:
        for n, t in enumerate(run):
            following.setdefault(run[:n], set()).add(t)
    for begun, steps in following.items():
        for s, t in combinations(steps, 2):
            demand(known[begun].between((*s.tests, *t.tests)) is None, RuleBroken, "two runs overlap")


def linear_extensions(budget: Budget, below: Sequence[int]) -> int:
    """How many ways there are to put the steps in a row so that each comes after those below it."""
    n = len(below)
    budget.spend(n * n, n * n.bit_length())
    if is_forest(below):
        return factorial(n) // prod(under.bit_count() + 1 for under in below)
    ways = {0: 1}  # by the set of steps that are placed
    for _ in range(n):
        budget.spend(n * len(ways), n * n.bit_length())
        longer: dict[int, int] = {}
        for placed, count in ways.items():
            for step, under in enumerate(below):
                if not placed >> step & 1 and not under & ~placed:
                    with_it = placed | 1 << step
                    longer[with_it] = longer.get(with_it, 0) + count
        ways = longer
    return sum(ways.values())


def is_forest(below: Sequence[int]) -> bool:
    """Of any two steps with a common step below them, one is below the other."""
    return all(
        below[a] >> b & 1 or below[b] >> a & 1 or not below[a] & below[b]
        for a in range(len(below))
        for b in range(a)
    )


def program_of_one_run(program: Program, run: Run, order: Sequence[Pair], sequence: Sequence[int]) -> Program:
    """A program that makes the run's steps in the sequence; each stores its sample, and tests those before it
    as the order says."""
    place = {step: k for k, step in enumerate(sequence)}
    tests: list[list[tuple[str, str]]] = [[] for _ in sequence]
    for a, b in order:
        if place[a] < place[b]:
            tests[place[b]].append((">=", f"x{place[a]}"))
        else:
            tests[place[a]].append(("<", f"x{place[b]}"))
    transitions = [
        run[step]._replace(
            number=k,
            source=f"{k}",
            to=f"{k + 1}",
            tests=tuple(tests[k]),
            stored=(f"x{k}",),
            bounds=tuple(tests[k]),
        )
        for k, step in enumerate(sequence)
    ]
    states = {t.source: [t] for t in transitions}
    names = {f"x{k}" for k in range(len(sequence))}
    return Program("0", states, set(states), transitions, program.budget, states, names)
