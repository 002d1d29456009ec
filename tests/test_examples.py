"""The scripts of examples/: they run, and what they claim holds by the oracle."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prover.chain.model import LabelledMarkovChain
from prover.program.privacy import privacy
from prover.zoo import svt
from tests import oracle
from tests.formats.documents import read_chain
from tests.program.automata import optimum
from tests.scripts import module_at
from tests.waiting import GUARD

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "examples" / "two_fixed_points.py"
PICTURE = ROOT / "examples" / "loss_against_t.py"
F = Fraction


@pytest.fixture(scope="module")
def script() -> Any:
    return module_at(SCRIPT)


def run(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *options],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=GUARD, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("states", ["4", pytest.param("5", marks=pytest.mark.slow)])
def test_the_search_for_two_fixed_points(states: str) -> None:
    printed = run("--seconds", "2", "--seed", "3", "--states", states)
    lines = printed.splitlines()
    assert lines[0].startswith("Counterexample at alpha = 4/3, confirmed exactly:")
    assert "bd is 7267/240944" in lines[0]
    assert "\nSearched " in printed
    for found in printed.split("\n\nAnother one ")[1:]:
        assert len(read_chain(found.partition("\n")[2].partition("\n\nSearched")[0])) == int(states)


def fixed_points(
    script: Any, chain: LabelledMarkovChain, alpha: Fraction, pairs: list[tuple[int, int]]
) -> tuple[oracle.Table, oracle.Table] | None:
    """bd by the oracle and the second fixed point of the script, which the oracle confirms."""
    second = script.second_fixed_point(chain, alpha, pairs)
    if second is None:
        return None
    d = oracle.bd(chain, alpha)
    values = {order: v for (s, t), v in second.values.items() for order in ((s, t), (t, s))}
    other = oracle.table(chain, values)
    assert oracle.gamma_symmetric(chain, alpha, other) == other
    assert all((other[s][t] == 0) == (d[s][t] == 0) for s, t in oracle.alike_pairs(chain))
    assert {d[s][t] for s, t in pairs} == {second.supporting}
    assert {other[s][t] for s, t in pairs} == {second.raised}
    assert max(other[s][t] - d[s][t] for s, t in oracle.alike_pairs(chain)) == second.gap > 0
    return d, other


def test_the_counterexample_has_two_fixed_points(script: Any) -> None:
    chain, alpha, pairs = script.counterexample()
    found = fixed_points(script, chain, alpha, pairs)
    assert found is not None
    assert found[0] != found[1]
    assert found[1][0][1] == F(1, 23)


def test_the_counterexample_by_hand() -> None:
    # All tables are symmetric with 0 on the diagonal. The couplings show K ≤ upper in both directions, so bd
    # is at most 1/30 on A, B. The potentials show lower ≤ K in one direction, so some fixed point is
    # at least 1/25 on A, B. Off the diagonal bd is not 0, as ld is not, so both vanish where bd does.
    rows = {
        "A": {"D": F(127, 148), "z": F(21, 148)},
        "B": {"A": F(9, 37), "D": F(21, 37), "z": F(7, 37)},
        "C": {"A": F(445, 1036), "C": F(3, 7), "z": F(21, 148)},
        "D": {"A": F(529, 592), "z": F(63, 592)},
    }
    alpha = F(4, 3)

    def table(near: Fraction, ac: Fraction, bd: Fraction, ad: Fraction) -> dict[str, Fraction]:
        half = {"AB": near, "BC": near, "CD": near, "AC": ac, "BD": bd, "AD": ad}
        far = {state + "z": F(1) for state in "ABCD"}
        return half | {pair[::-1]: value for pair, value in half.items()} | far

    def balance(pair: str) -> dict[str, Fraction]:
        x, y = rows[pair[0]], rows[pair[1]]
        return {k: x.get(k, F(0)) - alpha * y.get(k, F(0)) for k in "ABCDz"}

    upper = table(F(1, 30), F(1, 8), F(1, 5), F(1, 4))
    couplings = {
        "AB": {"BA": F(20, 111), "CB": F(5, 37), "DC": F(15, 148)},
        "BA": {"AB": F(9, 37), "BC": F(12, 37), "CD": F(16, 37)},
        "BC": {"BA": F(64, 259), "CB": F(48, 259), "DC": F(21, 37)},
        "CB": {"AC": F(15, 148), "AD": F(1, 259), "CD": F(146, 259)},
        "CD": {"BA": F(4, 7), "CB": F(3, 7)},
        "DC": {"AB": F(3989, 12432), "BC": F(3989, 9324)},
        "AC": {"DA": F(445, 1036), "DC": F(3, 7)},
        "CA": {"AD": F(445, 1036), "CD": F(3, 7)},
        "BD": {"CA": F(85, 148), "DA": F(81, 592), "DC": F(255, 592)},
        "DB": {"AD": F(21, 37), "Az": F(1, 592)},
        "AD": {"CA": F(21, 148), "DA": F(445, 592), "DC": F(63, 592)},
        "DA": {"AD": F(127, 148), "Az": F(21, 592)},
    }
    assert sorted(couplings) == sorted(pair for pair in upper if "z" not in pair)
    for pair, w in couplings.items():
        left = balance(pair)
        for arc, weight in w.items():
            left[arc[0]] -= weight
            left[arc[1]] += alpha * weight
        cost = sum(weight * upper[arc] for arc, weight in w.items())
        assert cost + sum(max(F(0), rest) for rest in left.values()) <= upper[pair]

    c = F(1, 25)
    lower = table(c, F(1, 9), F(1, 8), F(1, 4))
    one, two, three = c, c + alpha * c, c + alpha * c + alpha**2 * c
    potentials = {
        "BA": {"A": three, "B": two, "C": one},
        "BC": {"B": one, "C": two, "D": three},
        "CD": {"B": one, "C": two, "D": one},
        "AC": {"A": F(3, 16), "B": F(2, 7), "C": F(69, 200), "D": F(1, 2)},
        "BD": {"A": F(3, 16), "B": F(2, 7), "C": F(69, 200), "D": F(1, 2), "z": F(1)},
        "DA": {"A": F(1), "B": F(3, 4), "C": F(3, 4), "D": F(9, 16)},
    }
    for pair, given in potentials.items():
        f = {k: given.get(k, F(0)) for k in "ABCDz"}
        assert all(0 <= value <= 1 for value in f.values())
        for i in "ABCD":
            for j in set("ABCD") - {i}:
                assert f[i] <= lower[i + j] + alpha * f[j], (pair, i, j)
        assert sum(f[k] * b for k, b in balance(pair).items()) >= lower[pair], pair
    assert upper["AB"] < lower["AB"]
    assert {pair for order in potentials for pair in (order, order[::-1])} == set(couplings)
    chain = LabelledMarkovChain.of(
        {"z": ("z", {"z": F(1)})} | {name: ("a", row) for name, row in rows.items()}
    )
    ranks = oracle.removal_ranks(oracle.Operator(chain, alpha))
    assert ranks.keys() >= set(oracle.alike_pairs(chain))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_designs_make_neighbours_support_each_other(script: Any, size: int) -> None:
    dice, numbers = random.Random(size), np.random.default_rng(size)
    found = 0
    while found < 6:
        design = script.Design.sample(size, dice)
        for chain in design.corners(2, numbers):
            keys = {(min(pair), max(pair)): pair for pair in design.directions}
            chosen = {p: keys.get((min(p), max(p)), p) for p in oracle.alike_pairs(chain)}
            ranks = oracle.removal_ranks(oracle.Operator(chain, design.alpha, chosen))
            assert ranks.keys().isdisjoint(design.directions)
            assert chain.states[-1] == "end"
            found += 1


def test_chains_of_one_fixed_point(script: Any) -> None:
    chain, _, pairs = script.counterexample()
    assert fixed_points(script, chain, F(3, 2), pairs) is None
    dice, numbers = random.Random(1), np.random.default_rng(1)
    tried = 0
    while tried < 20:
        design = script.Design.sample(4, dice)
        for found in design.corners(4, numbers):
            tried += fixed_points(script, found, design.alpha, list(design.directions)) is None


def test_the_picture_of_losses_shows_what_is_so() -> None:
    """Each curve rises towards what its run costs, and the highest cost is the optimum."""
    picture = module_at(PICTURE)
    program = svt()
    for turns, limit in picture.TURNS.items():
        path = picture.run_of(program, turns)
        deltas = [int(read) for read in picture.inputs(path, F(1))]
        assert optimum(list(zip(path, deltas, strict=True))) == F(limit)
        losses = [picture.measured(program, turns, F(t)).loss for t in (0, 1, 8)]
        assert losses[0][1] < losses[1][0] <= losses[1][1] < losses[2][0] <= losses[2][1] < F(limit)
        assert F(limit) - losses[2][0] < F(1, 30)
    assert max(map(F, picture.TURNS.values())) == F(picture.OPTIMUM) == privacy(program).epsilon


def test_the_costs_in_the_picture_of_sharing() -> None:
    together, apart = module_at(ROOT / "examples" / "sharing_penalty.py").costs(4)
    assert (together, apart) == ([4, 12, 24, 40], [2, 8, 12, 16])
