"""Distances against every attacker: values, theorems by brute force, strategies, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest
from flint import fmpq

import prover
from prover.certificate.verification import verify
from prover.chain import dispatch as engine
from prover.chain.bisimulation import bisimilarity, numbers_of
from prover.chain.distance import distance, distances
from prover.chain.distance import distance as chain_distance
from prover.chain.distance import distances as chain_distances
from prover.chain.ld.options.improvement import Improved, first_choice, guided_choice, improve
from prover.chain.ld.options.problem import explore
from prover.chain.ld.options.removal import lower_evidence
from prover.chain.ld.skew_bisimulation import Allowed, Blocked, free_coupling
from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.exact.refinement import TooLong
from prover.zoo import build
from tests import interactive_distances_oracle as slow
from tests import oracle
from tests.interactive_oracle import gain, random_processes
from tests.refusals import refuses

ALPHAS = (Fraction(1), Fraction(6, 5), Fraction(2))
NARROW = Fraction(1, 2**20)

# docs/theory_interactive.md, Examples: at α = 1, 6/5 and 2, from s to t and from t to s
VALUES = {
    "wait": (("1/2", "1/2"), ("1/2", "2/5"), ("1/2", "0")),
    "grow": (("1", "1"),) * 3,
    "two-doors": (("1/2", "1/2"), ("9/20", "9/20"), ("1/4", "1/4")),
    "adaptive-response": (("3/4", "3/4"), ("29/40", "29/40"), ("5/8", "5/8")),
    "adaptive-response memoised=no": (("1", "1"),) * 3,
    "password-timing": (("1", "1"),) * 3,
}


def process_of(text: str) -> LabelledMarkovDecisionProcess:
    name, *parameters = text.split()
    model = build(name, **dict(parameter.split("=") for parameter in parameters))
    assert isinstance(model, LabelledMarkovDecisionProcess)
    return model


def circling() -> LabelledMarkovDecisionProcess:
    """At α = 1 strategy improvement goes round for ever here, if mass may take several arcs."""
    return LabelledMarkovDecisionProcess.of(
        {
            "0": ("b", {"x": {"2": "1"}, "y": {"0": "1/2", "1": "1/2"}}),
            "1": ("b", {"x": {"1": "1"}, "y": {"1": "3/4", "3": "1/4"}}),
            "2": ("b", {"x": {"2": "1"}, "y": {"2": "1"}}),
            "3": ("a", {"x": {"0": "1"}, "y": {"2": "1/4", "0": "3/4"}}),
        }
    )


def three_arcs() -> LabelledMarkovDecisionProcess:
    """At α = 1 pairs support each other by mass of sum 3/2 here, and yet the distances are right."""
    return LabelledMarkovDecisionProcess.of(
        {
            "s": ("c", {"i": "1/2", "e": "1/2"}),
            "t": ("c", {"j": "1/2", "e": "1/2"}),
            "i": ("b", {"x": {"s": "1"}, "y": {"win": "1/2", "lose": "1/2"}}),
            "k": ("b", {"x": {"t": "1"}, "y": {"win": "1/3", "lose": "2/3"}}),
            "l": ("b", {"x": {"s": "1"}, "y": {"win": "1/6", "lose": "5/6"}}),
            "j": ("b", {"x": {"t": "1"}, "y": {"lose": "1"}}),
            "e": ("e", {"e": "1"}),
            "win": ("win", {"win": "1"}),
            "lose": ("lose", {"lose": "1"}),
        }
    )


def solved(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, *, symmetric: bool = False, guided: bool = True
) -> Improved:
    problem = explore(process, alpha, oracle.alike_pairs(process.skeleton), symmetric=symmetric)
    return improve(problem, guided_choice(problem) if guided else first_choice(problem))


def table_of(process: LabelledMarkovDecisionProcess, found: Improved) -> oracle.Table:
    values = {pair: found.table.value(pair) for pair in oracle.alike_pairs(process.skeleton)}
    return oracle.table(process.skeleton, values)


@pytest.mark.parametrize("text", VALUES)
def test_values_of_the_page(text: str) -> None:
    process = process_of(text)
    for alpha, expected in zip(ALPHAS, VALUES[text], strict=True):
        table = distances(process, alpha)
        assert (table["s", "t"].value, table["t", "s"].value) == tuple(map(Fraction, expected))
        assert "attackers=all" in verify(table.certificate)
        answer = distance(process, "s", "t", alpha, kind="bd")
        assert answer.value == max(map(Fraction, expected))
        assert f"value={answer.value} attackers=all" in verify(answer.certificate)


@pytest.mark.parametrize(
    ("count", "symmetric"),
    [
        (5, False),
        (5, True),
        pytest.param(2_000, False, marks=pytest.mark.slow),
        pytest.param(500, True, marks=pytest.mark.slow),
    ],
)
def test_the_least_fixed_point(count: int, symmetric: bool) -> None:
    """An exact fixed point, not below iteration from 0, and near to it or the least by removal."""
    for number, process in enumerate(random_processes(count, seed=11, ends=False)):
        alpha = ALPHAS[number % 3]
        d = table_of(process, solved(process, alpha, symmetric=symmetric))
        assert slow.step(process, alpha, d, symmetric) == d
        below = slow.value_iteration(process, alpha, 12, symmetric)
        gaps = [d[s][t] - below[s][t] for s, t in oracle.alike_pairs(process.skeleton)]
        assert min(gaps) >= 0
        if not symmetric and (max(gaps) > Fraction(1, 100) or len(gaps) <= 2):
            assert slow.is_least(process, alpha, d)


@pytest.mark.parametrize("count", [5, pytest.param(2_000, marks=pytest.mark.slow)])
def test_the_best_of_all_choices(count: int) -> None:
    """For α > 1 the largest of the distances of all choices of an action a pair; at most six pairs."""
    small = (
        process
        for process in random_processes(100 * count, seed=12, ends=False)
        if len(oracle.alike_pairs(process.skeleton)) <= (2 if count < 100 else 4)
    )
    for number, process in zip(range(count), small, strict=False):
        alpha = ALPHAS[1 + number % 2]
        assert table_of(process, solved(process, alpha)) == slow.best_of_all_choices(process, alpha)


@pytest.mark.parametrize("count", [12, pytest.param(2_000, marks=pytest.mark.slow)])
def test_what_choices_prove_from_below(count: int) -> None:
    """Tables that a choice does not lower, and in which no pairs support each other by it, are not above ld;
    others may be.
    """
    random, proved, above = Random(16), 0, 0
    small = (p for p in random_processes(100 * count, seed=16, ends=False) if len(p) <= 4)
    for number, process in zip(range(count), small, strict=False):
        alpha = ALPHAS[number % 3]
        d = table_of(process, solved(process, alpha))
        alike = oracle.alike_pairs(process.skeleton)
        choice = {pair: random.choice(process.menu(pair[0])) for pair in alike}
        guessed = slow.below_by_choice(process, alpha, choice, random.choice([1, 2, 12]))
        is_below = all(guessed[s][t] <= d[s][t] for s, t in alike)
        if slow.is_proved(process, alpha, guessed, choice):
            assert is_below
            proved += any(guessed[s][t] > 0 for s, t in alike)
        above += not is_below
    assert proved > 0
    assert above > 0 or count < 100


@pytest.mark.parametrize("count", [10, pytest.param(2_000, marks=pytest.mark.slow)])
def test_strategy_improvement_ends(count: int) -> None:
    """From any choice, in exact arithmetic from the start; at α = 1 both directions are the same."""
    most = 0
    for process in random_processes(count, seed=13, ends=False):
        for alpha in ALPHAS:
            found, unguided = solved(process, alpha), solved(process, alpha, guided=False)
            assert unguided.table == found.table
            most = max(most, unguided.effort["strategies"])
            lower_evidence(found)
            if alpha == 1:
                assert table_of(process, solved(process, alpha, symmetric=True)) == table_of(process, found)
    assert most > 1


@pytest.mark.parametrize("count", [20, pytest.param(2_000, marks=pytest.mark.slow)])
def test_no_attacker_exceeds_it(count: int) -> None:
    for number, process in enumerate(random_processes(count, seed=14, ends=number_is_even(count))):
        alpha, (s, t) = ALPHAS[number % 3], (process.index("s0"), process.index("s1"))
        answer = distance(process, "s0", "s1", alpha)
        assert gain(process, s, t, alpha, 3) <= answer.upper
        verify(answer.certificate)


def number_is_even(number: int) -> bool:
    return number % 2 == 0


def test_several_arcs_at_alpha_1_go_round_for_ever() -> None:
    """Strategy improvement with couplings of several arcs, from every choice; the prover's ends."""
    process, alpha = circling(), Fraction(1)
    alike = oracle.alike_pairs(process.skeleton)

    @cache
    def after(chosen: tuple[str, ...]) -> tuple[str, ...]:
        """Of every pair the action that is largest for the table of a choice, where it is larger."""
        d, better = slow.under(process, alpha, dict(zip(alike, chosen, strict=True))), []
        for (s, t), own in zip(alike, chosen, strict=True):
            gains = {action: slow.lift(process, alpha, d, (s, t), action) for action in "xy"}
            largest = max("xy", key=gains.__getitem__)
            better.append(largest if gains[largest] > d[s][t] else own)
        return tuple(better)

    for chosen in product("xy", repeat=len(alike)):
        seen, now = set(), chosen
        while now not in seen:
            seen.add(now)
            now = after(now)
        assert after(now) != now


def test_distances_where_several_arcs_mislead() -> None:
    for process in (circling(), three_arcs()):
        for alpha in (Fraction(1), Fraction(6, 5)):
            found = solved(process, alpha, guided=False)
            d = table_of(process, found)
            assert slow.step(process, alpha, d) == d
            assert slow.is_least(process, alpha, d)
            assert "attackers=all" in verify(distances(process, alpha).certificate)
    assert {n for row in table_of(circling(), solved(circling(), Fraction(1))) for n in row} == {0, 1}


def test_removal_by_mass_that_counts_twice_gets_stuck() -> None:
    """Couplings of several arcs, whatever the sum of their weights, would not prove these distances."""
    assert set(stuck(circling(), direct=False)) == {(0, 1), (0, 2), (1, 0), (2, 0)}
    process = three_arcs()
    left = {(process.states[i], process.states[j]) for i, j in stuck(process, direct=False)}
    assert left == {
        (a, b) for x, y in (("s", "t"), ("i", "k"), ("k", "l"), ("l", "j")) for a, b in ((x, y), (y, x))
    }
    assert stuck(circling(), direct=True) == stuck(process, direct=True) == []


def stuck(process: LabelledMarkovDecisionProcess, *, direct: bool) -> list[Pair]:
    """What removal leaves at α = 1."""
    found, stays = solved(process, Fraction(1)), list[Pair]()
    values: Mapping[Pair, object] = found.table.numerators
    for value in {v for v in values.values() if v != 0}:
        left = {pair for pair in found.problem.options if values[pair] == value}
        while left:
            arcs = Allowed(left, direct=direct)
            gone = {
                pair
                for pair in left
                for option, moved in found.moved[pair].items()
                if moved.cost == value
                and isinstance(free_coupling(found.problem.options[pair][option], arcs, fmpq(1)), Blocked)
            }
            if not gone:
                stays += sorted(left)
                break
            left -= gone
    return sorted(stays)


def test_one_action_is_a_chain() -> None:
    process = LabelledMarkovDecisionProcess.of(
        {
            "s": ("a", {"go": {"s": "1/2", "win": "1/4", "lose": "1/4"}}),
            "t": ("a", {"go": {"t": "1/2", "lose": "1/2"}}),
            "win": ("win", {"win": "1"}),
            "lose": ("lose", {"lose": "1"}),
        },
        [("s", "t")],
    )
    chain = process.as_chain()
    for kind in ("ld", "bd", "lgd", "kernel"):
        found = prover.distance(process, alpha="6/5", kind=kind)
        expected = chain_distance(chain, alpha="6/5", kind=kind)
        assert found == expected
        assert found.certificate.data == expected.certificate.data
    assert prover.distances(process, 2).certificate == chain_distances(chain, 2).certificate


@pytest.mark.parametrize("count", [6, pytest.param(500, marks=pytest.mark.slow)])
def test_one_action_has_the_distances_of_the_chain(count: int) -> None:
    """The engine of processes itself, where nothing is chosen."""
    for number, process in enumerate(random_processes(count, seed=15, ends=False)):
        alpha, chain = ALPHAS[number % 3], process.under["x"]
        only = LabelledMarkovDecisionProcess(dict.fromkeys(process.menus, ("x",)), {"x": process.under["x"]})
        pairs = oracle.alike_pairs(chain)
        for kind in ("ld", "bd"):
            problem = explore(only, alpha, pairs, symmetric=kind == "bd")
            found = improve(problem, first_choice(problem))
            expected = chain_distances(chain, alpha, kind=kind).lower
            for s, t in pairs:
                key = (min(s, t), max(s, t)) if kind == "bd" else (s, t)
                assert found.table.value(key) == expected[chain.states[s], chain.states[t]]


def test_the_public_names_take_both_kinds() -> None:
    process = process_of("two-doors")
    answer = prover.distance(process, alpha=2)
    assert answer.headline == "max ld_2 = ld_2(s, t) = 1/4 (0.25)"
    assert (answer.engine, answer.chain) == ("strategies", process)
    assert "<title>" in answer.to_html()
    table = prover.distances(process, epsilon="1/2")
    assert table["s", "t"].epsilon == Fraction(1, 2)
    assert table["s", "t"].certificate == table.certificate
    assert "<title>" in table["s", "t"].to_html()
    assert "<table" in table.to_html()
    assert "<=exp(1/2)" in verify(table.certificate)


def test_curves_have_distances_beside_delta() -> None:
    found = prover.curve(process_of("adaptive-response"), "s", "t", ["1", "2"], kind="lv")
    assert [(str(point.upper), str(point.ld), str(point.bd)) for point in found] == [
        ("1/2", "3/4", "3/4"),
        ("7/16", "5/8", "5/8"),
    ]
    without = prover.curve(process_of("wait"), alphas=[2], bounds=False)
    assert [(point.ld, point.bd) for point in without] == [(None, None)]
    both = prover.curve(process_of("wait"), "t", "s", ["6/5"]).points[0]
    assert (both.upper, both.ld) == (Fraction(1, 2), Fraction(1, 2))


def test_what_is_refused() -> None:
    process = process_of("wait")
    for kind in ("lgd", "kernel"):
        with refuses("not-interactive", match=f"kind {kind} is for chains"):
            prover.distance(process, "s", "t", 2, kind=kind)
    with refuses("unknown-kind"):
        prover.distance(process, "s", "t", 2, kind="lv")
    with refuses("unfit-merge"):
        prover.distance(process, "s", "t", kind="bisimilarity", merge=True)
    for options in ({"bounds": "upper"}, {"max_bits": 9}, {"engine": "linear"}):
        with refuses("not-interactive", match=f"{next(iter(options))} is for distances of chains"):
            prover.distance(process, "s", "t", 2, **options)
    assert prover.distance(process, "s", "t", 2, merge=False, engine="auto").value == Fraction(1, 2)


def finest(process: LabelledMarkovDecisionProcess) -> tuple[tuple[int, ...], ...]:
    """The classes of bisimilarity, split by what every action enters until nothing splits."""
    place: list[object] = list(process.labels)
    while True:
        keys = []
        for s in range(len(process)):
            into = dict[tuple[str, object], Fraction]()
            for action in process.menu(s):
                for t, p in process.row(s, action).items():
                    into[action, place[t]] = into.get((action, place[t]), Fraction(0)) + p
            keys.append((place[s], frozenset(into.items())))
        finer = [keys.index(key) for key in keys]
        if len(set(finer)) == len(set(place)):
            members = [tuple(s for s in range(len(process)) if finer[s] == first) for first in finer]
            return tuple(dict.fromkeys(members))
        place = list(finer)


@pytest.mark.parametrize("count", [10, pytest.param(1_000, marks=pytest.mark.slow)])
def test_bisimilarity_under_all_actions(count: int) -> None:
    for process in random_processes(count, seed=17, ends=False):
        found = bisimilarity(process)
        assert found.classes == finest(process)
        place, table = numbers_of(found.classes), distances(process, kind="bisimilarity")
        for (s, t), value in table.lower.items():
            assert value == (place[process.index(s)] != place[process.index(t)])
        verify(table.certificate)
        merged, plain = distances(process, 2, merge=True), distances(process, 2)
        assert all(merged.upper[pair] <= plain.upper[pair] for pair in plain.upper)
        verify(merged.certificate)


def test_numbers_beyond_what_certificates_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*_: object, **__: object) -> None:
        raise TooLong("too long")

    monkeypatch.setattr(engine, "improve", too_long)
    answer = distance(process_of("wait"), "s", "t", 2)
    assert Fraction(1, 2) - NARROW < answer.lower < Fraction(1, 2) < answer.upper < Fraction(1, 2) + NARROW
    assert f"lower={answer.lower} upper={answer.upper}" in verify(answer.certificate)
