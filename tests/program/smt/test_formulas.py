"""Formulas about the costs of programs against the definitions, the engines, and published values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from random import Random
from typing import Any

import pytest

from prover import zoo
from prover.program.adjacency import POLYTOPES
from prover.program.branches import looping_branches
from prover.program.decision.boundedness import decide
from prover.program.model import Edge, Program, Transition
from prover.program.optimum.measure import measure
from prover.program.scope import SeveralVariables
from prover.program.smt.formulas import ANY_VARIABLES, PROBLEMS, branch_formula, encode
from prover.program.smt.paths import run_on
from prover.program.strategies.sharing import cost_of_branches
from prover.smt.solver import SAT, UNSAT, solve
from prover.smt.template import names
from tests.profiles import thinned
from tests.program import several_examples
from tests.program.automata import optimum, random_program
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import differences, runs, straight_line
from tests.refusals import refuses
from tests.smt.round_trip import is_kept
from tests.smt.second_opinion import confirm, other_solvers

pytestmark = pytest.mark.thorough

HUGE = Fraction(10**9)


def holds(script: str) -> bool:
    """What Z3 says: whether the formula is satisfiable. It is confirmed where it can be."""
    found = solve(script)
    assert found.status in (SAT, UNSAT)
    assert confirm(script, found).confirmed is (found.status == SAT or bool(other_solvers()))
    return found.status == SAT


def unit(model: Program) -> Fraction:
    """A number that all costs of runs are multiples of."""
    rates = [rate for edge in model.edges for rate in (edge.rate, edge.rate_prime) if rate is not None]
    return Fraction(1, lcm(*(rate.denominator for rate in rates)))


def path(run: Sequence[Edge]) -> list[int | str]:
    return [edge.number for edge in run]


class TestOptCost:
    @pytest.mark.family
    @pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
    def test_it_is_the_cost_of_a_run(self, adjacency: str) -> None:
        for seed in thinned(range(25)):
            random = Random(seed)
            model = straight_line(random, random.randint(1, 5))
            run = model.edges
            best = max(optimum(list(zip(run, deltas, strict=True))) for deltas in differences(run, adjacency))

            def at(theta: Fraction, model: Program = model) -> bool:
                return holds(
                    encode(model, "opt-cost", theta=theta, adjacency=adjacency, paths=[path(model.edges)])
                )

            assert at(best), seed
            assert not at(best + unit(model) / 1000), seed

    @pytest.mark.parametrize(
        "seeds", [range(16), pytest.param(range(16, 100), marks=pytest.mark.slow)], ids=["few", "many"]
    )
    def test_the_costliest_run_of_a_program_costs_its_epsilon(self, seeds: range) -> None:
        checked = 0
        for seed in thinned(seeds):
            model = random_program(seed, largest=4)
            cost = measure(model)
            if cost.upper is None or cost.witness is None or cost.witness.length > 4:
                continue
            longest = list(runs(model, cost.witness.length))[1:]
            if 0 < len(longest) <= 20:
                checked += 1
                found = [
                    holds(encode(model, "opt-cost", theta=cost.upper, paths=[path(run)])) for run in longest
                ]
                assert any(found), seed
                more = cost.upper + unit(model)
                assert not any(
                    holds(encode(model, "opt-cost", theta=more, paths=[path(run)])) for run in longest
                )
        assert checked > 0

    @pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
    def test_it_is_the_cost_of_a_run_of_several_variables(self, adjacency: str) -> None:
        checked = double = 0
        for seed in thinned(range(16)):
            model = several_examples.random_program(Random(seed))
            run = max(several_examples.runs(model, 4), key=lambda run: sum(len(edge.guard) for edge in run))
            if len(run) < 2 or not any(edge.guard for edge in run):
                continue
            checked += 1
            double += any(len(edge.guard) > 1 for edge in run)
            best = max(
                several_examples.price(run, deltas)
                for deltas in product(
                    *(several_examples.DIFFERENCES[adjacency] if edge.input else (0,) for edge in run)
                )
                if adjacency != "one-differ" or sum(map(abs, deltas)) <= 1
            )
            exact = Fraction(round(best))  # all rates are whole numbers, and so are costs
            assert abs(best - exact) < 1e-6
            one = [path(run)]
            assert holds(encode(model, "opt-cost", theta=exact, adjacency=adjacency, paths=one)), seed
            above = exact + Fraction(1, 1000)
            assert not holds(encode(model, "opt-cost", theta=above, adjacency=adjacency, paths=one)), seed
        assert checked > 1
        assert double > 0

    @pytest.mark.parametrize(("weights", "splits"), [("3,1,1,2,2,1", True), ("1,1,4", False), ("5", False)])
    def test_it_decides_whether_weights_split_into_halves(self, weights: str, splits: bool) -> None:
        model = zoo.build_program("partition", weights=weights)  # Theorem D
        rates = sum((edge.rate for edge in model.edges), Fraction(0))
        assert holds(encode(model, "opt-cost", theta=rates, paths=[path(model.edges)])) is splits

    @pytest.mark.slow
    def test_turns_of_a_cycle_count(self) -> None:
        model = zoo.build_program("svt")
        costs = []
        for turns in range(4):
            run: list[int | str] = [0, *[1] * turns, 2]
            steps = range(1, 9)
            costs.append(
                max(
                    Fraction(k, 4)
                    for k in steps
                    if holds(encode(model, "opt-cost", theta=Fraction(k, 4), paths=[run]))
                )
            )
        assert costs == [Fraction(1, 4), Fraction(1), Fraction(5, 4), Fraction(5, 4)]


class TestBranchCosts:
    @pytest.mark.parametrize("problem", ["approx-cost", "relaxed-cost"])
    def test_they_are_the_costs_of_the_costliest_branch(self, problem: str) -> None:
        checked = several = 0
        for seed in thinned(range(40)):
            model = random_program(seed)
            cost = measure(model)
            found = cost.approx if problem == "approx-cost" else cost.relaxed
            branches = looping_branches(model)
            if found is None or len(branches) > 8:
                continue
            checked += 1
            several += len(branches) > 1
            assert all(holds(branch_formula(model, branch, problem, found)) for branch in branches), seed
            less = found - unit(model) / 1000
            assert not all(holds(branch_formula(model, branch, problem, less)) for branch in branches), seed
        assert checked > 3
        assert several > 0

    @pytest.mark.parametrize("problem", ["approx-cost", "relaxed-cost"])
    def test_no_strategy_is_good_for_a_branch_that_is_not_private(self, problem: str) -> None:
        checked = 0
        for seed in thinned(range(25)):
            model = random_program(seed)
            branches = looping_branches(model)[:2]
            for branch in branches:
                private = holds(branch_formula(model, branch, "privacy-2sat", HUGE))
                assert holds(branch_formula(model, branch, problem, HUGE)) is private, seed
                checked += not private
        assert checked > 2


class TestPrivacy:
    def test_both_formulas_agree_with_the_decision(self) -> None:
        for seed in thinned(range(30)):
            model = random_program(seed, largest=4)
            private = decide(model).bounded
            assert holds(encode(model, "privacy-horn")) is private
            branches = [path(run_on(model, branch)) for branch in looping_branches(model)]
            if all(branches):
                answers = [holds(encode(model, "privacy-2sat", paths=[branch])) for branch in branches]
                assert all(answers) is private, seed

    def test_a_program_of_one_branch_needs_no_path(self) -> None:
        assert not holds(encode(zoo.build_program("violating-path-a"), "privacy-2sat"))
        assert holds(encode(zoo.build_program("svt"), "privacy-2sat"))


def fan(tests: int) -> Program:
    """Two straight lines that share their first transition: so many tests <, or so many >=."""
    states = {"q0": state(step(TRUE, "q1", assign=True))}
    states["q1"] = state(step(BELOW, "l1", "ol"), step(ABOVE, "g1", "og"))
    for name, guard in (("l", BELOW), ("g", ABOVE)):
        for k in range(1, tests):
            states[f"{name}{k}"] = state(step(guard, f"{name}{k + 1}"))
    return program(states)


def penalty(n: int) -> tuple[Program, list[list[int | str]]]:
    """A line of n segments of a step true, a step >= that assigns, and n tests >=; and n lines with a loop <
    that each share a step >= with it. All begin with a public step that costs nothing.
    """
    begins = [step(TRUE, f"loop{k}", f"o{k}", assign=True) for k in range(1, n + 1)]
    states = {"q": state(step(TRUE, "s1", assign=True), input=False)}
    line: list[int | str] = ["q"]
    for k in range(1, n + 1):
        states[f"s{k}"] = state(step(TRUE, f"t{k}", assign=True), *(begins if k == 1 else []))
        states[f"t{k}"] = state(step(ABOVE, f"leaf{k}.1", assign=True))
        states[f"loop{k}"] = state(step(BELOW, f"loop{k}"), step(TRUE, f"t{k}", "on"))
        leaves = [f"leaf{k}.{j}" for j in range(1, n + 1)]
        for leaf, following in zip(leaves, [*leaves[1:], f"s{k + 1}"], strict=True):
            states[leaf] = state(step(ABOVE, following))
        line += [f"s{k}", f"t{k}", *leaves]
    loops: list[list[int | str]] = [["q", "s1", f"loop{k}", f"t{k}", f"leaf{k}.1"] for k in range(1, n + 1)]
    return program(states), [[*line, f"s{n + 1}"], *loops]


class TestSharedCost:
    @pytest.mark.parametrize(("tests", "cost"), [(1, 2), (2, 3), (3, 4)])
    def test_two_lines_that_share_their_first_step(self, tests: int, cost: int) -> None:
        model = fan(tests)
        both = [path(run_on(model, branch)) for branch in looping_branches(model)]
        assert len(both) == 2

        def at(theta: Fraction, *paths: list[int | str]) -> bool:
            return holds(encode(model, "shared-cost", theta=theta, paths=paths))

        assert at(Fraction(cost), *both)
        assert not at(cost + Fraction(1, 1000), *both)
        for one in both:
            assert at(Fraction(2), one)
            assert not at(Fraction(2001, 1000), one)

    @pytest.mark.parametrize(
        ("n", "shared", "alone"), [(1, 4, 2), (2, 12, 8), pytest.param(3, 24, 12, marks=pytest.mark.slow)]
    )
    def test_the_penalty_of_sharing_is_quadratic(self, n: int, shared: int, alone: int) -> None:
        model, paths = penalty(n)

        def at(theta: Fraction | int, paths: list[list[int | str]]) -> bool:
            return holds(encode(model, "shared-cost", theta=Fraction(theta), paths=paths))

        assert at(shared, paths)
        assert not at(shared + Fraction(1, 1000), paths)
        assert at(alone, paths[:1])
        assert not at(alone + Fraction(1, 1000), paths[:1])

    def test_shared_shifts_need_not_be_integers(self) -> None:
        model = zoo.build_program("chain-of-tests", n="2")
        paths = [[0, 2], [0, 1, 3]]
        assert holds(encode(model, "shared-cost", theta=Fraction(2, 3), paths=paths))
        assert not holds(encode(model, "shared-cost", theta=Fraction(67, 100), paths=paths))

        def cost(shift: int) -> int:
            """For difference −1 at the first step, and the worst differences elsewhere."""
            return (1 + shift) + max(1 + shift, 2 * (1 - shift))

        assert min(map(cost, (-1, 0, 1))) * Fraction(1, 4) == Fraction(3, 4)

    def test_of_one_line_it_is_the_optimum(self) -> None:
        for seed in thinned(range(12)):
            model = straight_line(Random(seed), 5)
            cost = measure(model).upper
            assert cost is not None
            line = [path(model.edges)]
            assert holds(encode(model, "shared-cost", theta=cost, paths=line)), seed
            more = cost + unit(model) / 1000
            assert not holds(encode(model, "shared-cost", theta=more, paths=line)), seed

    def test_branches_of_random_programs_share_what_the_search_finds(self) -> None:
        checked = costlier = 0
        for seed in range(60):
            model = random_program(seed, largest=4)
            branches = looping_branches(model)
            if not 1 < len(branches) < 5 or any(branch.is_hopeless for branch in branches):
                continue
            found = cost_of_branches(branches)
            paths = [path(run_on(model, branch)) for branch in branches]
            if found.value is None:
                assert found.is_infinite, seed
                assert holds(encode(model, "shared-cost", theta=HUGE, paths=paths)), seed
                continue
            checked += 1
            costlier += found.separate is not None and found.value > found.separate
            assert holds(encode(model, "shared-cost", theta=found.value, paths=paths)), seed
            assert not holds(encode(model, "shared-cost", theta=found.value + NEAR, paths=paths)), seed
        assert checked > 5
        assert costlier > 0

    def test_leaking_and_disclosing_cycles_are_refused(self) -> None:
        for name in ("leaking-cycle", "disclosing-cycle"):
            model = zoo.build_program(name)
            with refuses("endless-branch", match="path 0 has a leaking or disclosing cycle"):
                encode(model, "shared-cost", theta=Fraction(1), paths=[[0, 2]])

    def test_a_branch_without_good_shifts_costs_more_than_everything(self) -> None:
        model = zoo.build_program("violating-path-a")
        path: list[int | str] = [0, 1]
        assert holds(encode(model, "shared-cost", theta=HUGE, paths=[path]))


NEAR = Fraction(1, 10**6)


class TestRefusals:
    @pytest.mark.parametrize(
        ("problem", "options", "error", "words"),
        [
            (
                "bd-threshold",
                {},
                "unknown-problem",
                'unknown problem "bd-threshold"; the problems are privacy-horn',
            ),
            ("opt-cost", {"paths": [[0]]}, "missing-theta", "give theta"),
            ("opt-cost", {"theta": Fraction(-1, 2), "paths": [[0]]}, "bad-theta", "not -1/2"),
            ("opt-cost", {"theta": 0.5, "paths": [[0]]}, "bad-theta", "not a float"),
            ("opt-cost", {"theta": Fraction(1)}, "missing-path", "about one run"),
            ("opt-cost", {"theta": Fraction(1), "paths": [[0], [0]]}, "unneeded-option", "a second path"),
            (
                "opt-cost",
                {"theta": Fraction(1), "paths": [[0]], "adjacency": "near"},
                "unknown-adjacency",
                "the adjacencies are all-differ",
            ),
            ("shared-cost", {"theta": Fraction(1)}, "missing-path", "a path for each"),
            ("privacy-horn", {"theta": Fraction(1)}, "unneeded-option", "no use for theta"),
            ("privacy-horn", {"paths": [[0]]}, "unneeded-option", "no use for a path"),
            ("privacy-2sat", {"adjacency": "increasing"}, "unneeded-option", "no use for an adjacency"),
            (
                "privacy-2sat",
                {},
                "missing-path",
                "several; give a path along it (transitions or states), such as 0,",
            ),
        ],
    )
    def test_what_does_not_fit(self, problem: str, options: dict[str, Any], error: str, words: str) -> None:
        with refuses(error) as caught:
            encode(zoo.build_program("chain-of-tests"), problem, **options)
        assert words in str(caught.value)

    @pytest.mark.parametrize("problem", sorted(set(PROBLEMS) - set(ANY_VARIABLES)))
    def test_branches_have_one_variable(self, problem: str) -> None:
        with pytest.raises(
            SeveralVariables, match=f"2 variables; {problem} is supported for one variable only"
        ):
            encode(zoo.num_range(), problem, theta=Fraction(1))

    def test_an_impossible_run(self) -> None:
        model = zoo.k_min_max(2)  # after the first input both variables are the same sample
        encode(model, "opt-cost", theta=Fraction(1), paths=[[0, 1, 4]])
        with refuses("blocked-step", match="step 1 of the path, transition 3, is impossible"):
            encode(model, "opt-cost", theta=Fraction(1), paths=[[0, 3, 4]])


class TestText:
    def test_every_problem_has_a_template(self) -> None:
        assert set(PROBLEMS) <= set(names())

    def test_names_of_states_are_harmless(self) -> None:
        name = 'q\n(assert false)|"ü'
        model = program({name: state(step(TRUE, name, assign=True))})
        for problem in PROBLEMS:
            theta = (
                None
                if problem.startswith("privacy")
                else Fraction(problem in ("approx-cost", "relaxed-cost"))
            )
            paths = [] if problem == "privacy-horn" else [[0]]
            script = encode(model, problem, theta=theta, paths=paths)
            assert script.isascii()
            assert "\n(assert false)" not in script
            assert solve(script).status == SAT

    def test_names_of_variables_are_harmless(self) -> None:
        names = ('x\n(assert false)|"ü', "x|")
        tested = Transition((("<", names[0]), (">=", names[1])), (), "o", "r")
        model = program(
            {
                "q": state(Transition((), names[:1], "o", "p")),
                "p": state(Transition((), names[1:], "o", "r")),
                "r": state(tested),
            }
        )
        for script in (
            encode(model, "privacy-horn"),
            encode(model, "opt-cost", theta=Fraction(0), paths=[[1, 0, 2]]),
        ):
            assert script.isascii()
            assert "\n(assert false)" not in script
            assert solve(script).status == SAT

    def test_pysmt_keeps_every_formula(self) -> None:
        model = zoo.build_program("numeric-sparse")
        assert is_kept(encode(model, "privacy-horn"))
        assert is_kept(encode(model, "privacy-2sat"))
        assert is_kept(encode(zoo.num_range(), "privacy-horn"))
        assert is_kept(encode(zoo.num_range(), "opt-cost", theta=Fraction(1), paths=[[0, 1, 2, 3]]))
        for problem in set(PROBLEMS) - {"privacy-horn", "privacy-2sat"}:
            assert is_kept(encode(model, problem, theta=Fraction(7, 4), paths=[[0, 1, 1, 2]])), problem
