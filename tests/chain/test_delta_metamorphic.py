"""What changes of a chain, and of α, do to δ; and that its certificates are reproducible."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from prover import zoo
from prover.chain.bisimulation import bisimilarity
from prover.chain.breakpoints import breakpoints
from prover.chain.distance import distance
from prover.chain.model import LabelledMarkovChain, quotient, restrict
from prover.chain.unrolling.answer import Delta
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.questions import delta
from tests.certified import proved
from tests.oracle import alike_pairs, lv_words
from tests.profiles import thinned
from tests.strategies import acyclic_chain, planted

F = Fraction
ROOT = Path(__file__).resolve().parents[2]
States = dict[str, tuple[str, dict[str, Fraction]]]
SEEDS = range(8)
ALPHAS = [F(1), F(21, 20), F(6, 5), F(3, 2), F(3)]


def given(chain: LabelledMarkovChain) -> States:
    """What the chain can be made of."""
    return {
        name: (label, {chain.states[t]: p for t, p in row.items()})
        for name, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    }


def example(seed: int) -> tuple[LabelledMarkovChain, tuple[str, str], Random]:
    """A chain whose runs end, or the PIN checker, with a pair of its states."""
    random = Random(seed)
    chain = acyclic_chain(random) if seed else zoo.build_chain("pin-checker")
    s, t = random.choice(alike_pairs(chain))
    return chain, (chain.states[s], chain.states[t]), random


def exact(chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction) -> Fraction:
    """lv, from the first state to the second."""
    found = delta(chain, *pair, alpha, kind="lv")
    proved(found.certificate)
    assert found.value is not None
    return found.value


@pytest.mark.parametrize("seed", SEEDS)
def test_names_do_not_matter(seed: int) -> None:
    chain, (s, t), random = example(seed)
    shuffled = list(chain.states)
    random.shuffle(shuffled)
    new = dict(zip(chain.states, (f"q{name}" for name in shuffled), strict=True))
    renamed = LabelledMarkovChain.of(
        {
            new[name]: (f"~{label}", {new[u]: p for u, p in row.items()})
            for name, (label, row) in given(chain).items()
        }
    )
    for alpha in ALPHAS:
        assert exact(chain, (s, t), alpha) == exact(renamed, (new[s], new[t]), alpha)


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_of_states_do_not_matter(seed: int) -> None:
    chain, pair, random = example(seed)
    states = given(chain)
    twice: States = {}
    for name, (label, row) in states.items():
        split: dict[str, Fraction] = {}
        for u, p in row.items():
            share = F(random.randint(0, 4), 4)
            split |= {u: share * p, f"{u}'": (1 - share) * p}
        twice[name] = twice[f"{name}'"] = (label, split)
    doubled = LabelledMarkovChain.of(twice)
    for alpha in ALPHAS:
        value = exact(chain, pair, alpha)
        assert exact(doubled, (pair[0], f"{pair[1]}'"), alpha) == value
        assert exact(doubled, (pair[0], f"{pair[0]}'"), alpha) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quotient_and_what_is_reachable_are_enough(seed: int) -> None:
    chain, (s, t), _ = example(seed)
    classes = bisimilarity(chain).classes
    first = {member: chain.states[c[0]] for c in classes for member in c}
    smaller = quotient(chain, classes)
    reached = restrict(chain, [chain.index(s), chain.index(t)])
    for alpha in ALPHAS:
        value = exact(chain, (s, t), alpha)
        assert exact(reached, (s, t), alpha) == value
        assert exact(smaller, (first[chain.index(s)], first[chain.index(t)]), alpha) == value


@pytest.mark.parametrize("seed", SEEDS)
def test_delta_falls_with_alpha_and_ld_is_above(seed: int) -> None:
    chain, pair, _ = example(seed)
    values = [exact(chain, pair, alpha) for alpha in ALPHAS]
    assert all(later <= earlier for earlier, later in pairwise(values))
    for alpha, value in zip(ALPHAS, values, strict=True):
        assert value <= distance(chain, *pair, alpha).upper


@pytest.mark.parametrize("seed", SEEDS)
def test_a_detour_to_all_states_weakens_the_secrets(seed: int) -> None:
    # From s' the run goes to s with probability p and to t otherwise, from t' the other way round.
    chain, (s, t), _ = example(seed)
    p = F(3, 4)
    mixed = LabelledMarkovChain.of(
        {**given(chain), "s'": ("new", {s: p, t: 1 - p}), "t'": ("new", {t: p, s: 1 - p})}
    )
    alone = {way: exact(chain, way, F(1)) for way in ((s, t), (t, s))}
    assert exact(mixed, ("s'", "t'"), F(1)) == (2 * p - 1) * alone[s, t]
    for alpha in ALPHAS:
        value = exact(mixed, ("s'", "t'"), alpha)
        assert value <= p * exact(chain, (s, t), alpha) + (1 - p) * exact(chain, (t, s), alpha)


@pytest.mark.parametrize("seed", range(1, 9))
def test_runs_that_end_may_as_well_go_on_alike(seed: int) -> None:
    chain, (s, t), random = example(seed)
    longer = planted(chain, random)
    known = breakpoints(longer, s, t, kind="lv").delta
    for alpha in ALPHAS:
        value = exact(chain, (s, t), alpha)
        assert exact(longer, (s, t), alpha) == value == known.value(alpha)
        assert lv_words(longer, alpha, longer.index(s), longer.index(t), 6) <= value


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(200), 200))
def test_random_runs_that_end_may_as_well_go_on_alike(seed: int) -> None:
    random = Random(seed)
    chain = acyclic_chain(random)
    longer = planted(chain, random)
    for s, t in alike_pairs(chain):
        pair, alpha = (chain.states[s], chain.states[t]), random.choice(ALPHAS)
        value = lv_words(chain, alpha, s, t, len(chain) + 1)
        assert exact(longer, pair, alpha) == value
        assert breakpoints(longer, *pair, kind="lv").delta.value(alpha) == value


PROOFS = """
import hashlib
from random import Random
from prover import zoo
from prover.questions import delta
from prover.chain.unrolling.refinement import UnrollingLimits
from tests.strategies import acyclic_chain, planted
models = {"dining-cryptographers": "1.0002", "randomised-response": "6/5", "pin-checker": 1}
for model, alpha in models.items():
    print(hashlib.sha256(delta(zoo.build_chain(model), alpha=alpha).certificate.data).hexdigest())
random = zoo.build_chain("random-chain", states="8", labels="2")
answer = delta(random, "s0", "s2", epsilon="1/10", limits=UnrollingLimits(nodes=700))
endless = delta(planted(acyclic_chain(Random(5)), Random(5)), "s0", "s1", 1)
assert b'"balanced"' in endless.certificate.data
for proof in (answer.certificate, answer.lower_certificate, endless.certificate):
    print(hashlib.sha256(proof.data).hexdigest())
"""


@pytest.mark.thorough
def test_certificates_are_the_same_in_every_process() -> None:
    # Hashes of texts differ from process to process: no order may depend on them.
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROOFS],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0])) == 6
    pin: Delta = delta(zoo.build_chain("pin-checker"), alpha=1, limits=UnrollingLimits(nodes=10_000))
    assert pin.certificate.sha256 in outputs[0]
