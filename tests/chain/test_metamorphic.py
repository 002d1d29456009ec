"""What changes of a chain do to its distances, as far as theory says; and that answers are reproducible."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.chain.bisimulation import bisimilarity
from prover.chain.distance import distance, distances
from prover.chain.model import LabelledMarkovChain, quotient, restrict
from tests import oracle
from tests.certified import verified
from tests.chain.problems import full, solved
from tests.strategies import absorbed_chains, alphas, chains, outside_problems

F = Fraction
some = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
few = settings(some, max_examples=settings().max_examples // 4)
any_chains = st.one_of(chains(), absorbed_chains(6), outside_problems().map(lambda problem: problem[0]))
Given = dict[str, tuple[str, dict[str, Fraction]]]
Distances = Mapping[tuple[str, str], Fraction]
ROOT = Path(__file__).resolve().parents[2]


def given_form(chain: LabelledMarkovChain) -> Given:
    """What the chain can be made of."""
    return {
        name: (label, {chain.states[t]: p for t, p in row.items()})
        for name, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    }


def ld(chain: LabelledMarkovChain, alpha: Fraction) -> Distances:
    return verified(distances(chain, alpha)).lower


# The same chain


@some
@given(any_chains, alphas(), st.randoms(use_true_random=False))
def test_names_do_not_matter(chain: LabelledMarkovChain, alpha: Fraction, random: Random) -> None:
    # New names are sorted in another way, so that all indices change.
    shuffled = list(chain.states)
    random.shuffle(shuffled)
    new = dict(zip(chain.states, (f"q{name}" for name in shuffled), strict=True))
    labels = {label: f"label {label}" for label in chain.labels}
    renamed = LabelledMarkovChain.of(
        {
            new[s]: (labels[label], {new[t]: p for t, p in row.items()})
            for s, (label, row) in given_form(chain).items()
        }
    )
    before, after = ld(chain, alpha), ld(renamed, alpha)
    assert {(new[s], new[t]): value for (s, t), value in before.items()} == after


@some
@given(chains(related=True), alphas(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(
    chain: LabelledMarkovChain, alpha: Fraction, random: Random
) -> None:
    states = list(given_form(chain).items())
    random.shuffle(states)
    shuffled: Given = {}
    for name, (label, row) in states:
        entries = list(row.items())
        random.shuffle(entries)
        shuffled[name] = (label, dict(entries))
    relation = [
        (chain.states[s], chain.states[t]) for s, t in chain.relation if s < t or random.random() < 0.5
    ]
    relation = [pair if random.random() < 0.5 else (pair[1], pair[0]) for pair in relation]
    relation += [(chain.states[s], chain.states[s]) for s, t in chain.relation if s == t]
    random.shuffle(relation)
    again = LabelledMarkovChain.of(shuffled, relation)
    assert again == chain
    for kind in ("ld", "kernel"):
        first, second = distances(chain, alpha, kind=kind), distances(again, alpha, kind=kind)
        assert first.certificate.data == second.certificate.data
        assert verified(distance(again, alpha=alpha, kind=kind)) == distance(chain, alpha=alpha, kind=kind)
    assert (
        distances(chain, kind="bisimilarity").certificate == distances(again, kind="bisimilarity").certificate
    )


DIGESTS = """
import hashlib
from prover import zoo
from prover.chain.distance import KINDS, distances
models = {"dining-cryptographers": "1.0002", "randomised-response": "6/5", "pin-checker": "1"}
for model, alpha in models.items():
    for kind in KINDS:
        answer = distances(zoo.build_chain(model), None if kind == "bisimilarity" else alpha, kind=kind)
        print(hashlib.sha256(answer.certificate.data).hexdigest())
        if kind in ("ld", "bd"):
            short = distances(zoo.build_chain(model), alpha, kind=kind, max_bits=2)
            print(hashlib.sha256(short.certificate.data).hexdigest())
"""


@pytest.mark.thorough
def test_certificates_are_the_same_in_every_process() -> None:
    # Hashes of texts differ from process to process: no order may depend on them.
    outputs = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    digests = outputs[0].split()
    assert len(digests) == len(set(digests)) == 21
    pin = distances(zoo.build_chain("pin-checker"), "1", kind="ld").certificate.data
    assert hashlib.sha256(pin).hexdigest() in digests


# More states, fewer states


@few
@given(any_chains, alphas(), st.data())
def test_a_copy_of_a_state_changes_nothing(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    # It is bisimilar to its original, and with its distances the old table is a fixed point again.
    states = given_form(chain)
    name = data.draw(st.sampled_from(chain.states))
    copied = ld(LabelledMarkovChain.of({**states, "copy": states[name]}), alpha)
    original = {s: name if s == "copy" else s for s, _ in copied}
    before = ld(chain, alpha)
    assert copied == {(s, t): before[original[s], original[t]] for s, t in copied}


@some
@given(any_chains, alphas(), st.data())
def test_more_states_can_only_lower_distances(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    # The newcomer enters old states and is not entered itself.
    states, random = given_form(chain), Random(data.draw(st.integers(0, 2**32)))
    successors = random.sample(chain.states, min(3, len(chain)))
    weights = [random.randint(1, 5) for _ in successors]
    row = {t: F(w, sum(weights)) for t, w in zip(successors, weights, strict=True)}
    more = ld(LabelledMarkovChain.of({**states, "new": (random.choice(chain.labels), row)}), alpha)
    assert all(more[pair] <= value for pair, value in ld(chain, alpha).items())


@some
@given(any_chains, alphas(), st.data())
def test_taking_out_unreachable_states_can_only_raise_distances(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.sampled_from(range(len(chain))), min_size=1, max_size=2))
    smaller = restrict(chain, kept)
    whole = ld(chain, alpha)
    assert all(value >= whole[pair] for pair, value in ld(smaller, alpha).items())


@some
@given(any_chains, alphas())
def test_the_quotient_is_at_least_as_near(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    # Potentials that are constant on classes are allowed in the chain. At α = 1 nothing is lost either way.
    classes = bisimilarity(chain).classes
    first = {s: members[0] for members in classes for s in members}
    merged, apart = quotient(chain, classes), ld(chain, alpha)
    nearer = ld(merged, alpha)
    for s, t in product(range(len(chain)), repeat=2):
        quotient_value = nearer[chain.states[first[s]], chain.states[first[t]]]
        value = apart[chain.states[s], chain.states[t]]
        assert quotient_value <= value
        assert alpha > 1 or quotient_value == value


@few
@given(any_chains, alphas(), st.data())
def test_a_transition_split_between_two_copies(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    # Mass that has to move between bisimilar copies fills α times as much, so distances may grow; they do not
    # fall below those of the quotient, which the split does not change.
    states = given_form(chain)
    name, entering = data.draw(st.sampled_from(chain.states)), data.draw(st.sampled_from(chain.states))
    label, row = states[entering]
    assume(name in row)
    share = data.draw(st.sampled_from([F(1, 2), F(1, 3), F(9, 10)]))
    split = {**row, name: row[name] * share, "copy": row[name] * (1 - share)}
    copied = {**states, "copy": states[name]}
    after = ld(LabelledMarkovChain.of({**copied, entering: (label, split)}), alpha)
    merged = quotient(chain, bisimilarity(chain).classes)
    least = ld(merged, alpha)
    for (s, t), value in least.items():
        assert value <= after[s, t]
        if alpha == 1:
            assert value == after[s, t]


def test_splitting_a_transition_can_raise_a_distance() -> None:
    # α = 6/5. Together, u has room for 27/50. Split, u keeps 27/100, and 23/100 has to move to its copy v,
    # which has room for 27/100 / α = 9/40 only.
    sinks: Given = {"u": ("u", {"u": F(1)}), "v": ("u", {"v": F(1)}), "z": ("z", {"z": F(1)})}
    first: Given = {"s": ("a", {"u": F(1, 2), "z": F(1, 2)}), **sinks}
    together: Given = {**first, "t": ("a", {"u": F(9, 20), "z": F(11, 20)})}
    split: Given = {**first, "t": ("a", {"u": F(9, 40), "v": F(9, 40), "z": F(11, 20)})}
    assert ld(LabelledMarkovChain.of(together), F(6, 5))["s", "t"] == 0
    chain = LabelledMarkovChain.of(split)
    assert ld(chain, F(6, 5))["s", "t"] == F(23, 100) - F(9, 40) == F(1, 200)
    assert ld(quotient(chain, bisimilarity(chain).classes), F(6, 5))["s", "t"] == 0


# Other values of α, other quantities


@few
@given(st.one_of(absorbed_chains(5), outside_problems().map(lambda p: p[0])), alphas(), alphas(), st.data())
def test_events_gain_no_more_than_the_distance(
    chain: LabelledMarkovChain, first: Fraction, second: Fraction, data: st.DataObject
) -> None:
    # lv falls with α and is at most ld at every α: rounding α down stays sound.
    smaller, larger = sorted([first, second])
    s, t = data.draw(st.sampled_from([*oracle.alike_pairs(chain), (0, 0)]))
    gained = oracle.lv_words(chain, larger, s, t, data.draw(st.integers(1, 6)))
    pair = chain.states[s], chain.states[t]
    assert gained <= ld(chain, larger)[pair]
    assert gained <= ld(chain, smaller)[pair]


@some
@given(any_chains)
def test_at_one_it_is_a_pseudometric(chain: LabelledMarkovChain) -> None:
    d = ld(chain, F(1))
    for s, t, u in product(chain.states, repeat=3):
        assert d[s, t] == d[t, s]
        assert d[s, u] <= d[s, t] + d[t, u]


@some
@given(any_chains, alphas())
def test_kernel_bisimilarity_and_distance_agree(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    d = ld(chain, alpha)
    kernel = verified(distances(chain, alpha, kind="kernel")).lower
    bisimilar = verified(distances(chain, kind="bisimilarity")).lower
    assert kernel == {pair: F(value > 0) for pair, value in d.items()}
    assert all(kernel[pair] <= value for pair, value in bisimilar.items())


@few
@given(any_chains, alphas())
def test_both_names_of_the_distance(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    least, greatest = (verified(distances(chain, alpha, kind=kind)) for kind in ("ld", "lgd"))
    assert least.lower == greatest.lower
    assert least.certificate.data.replace(b'"kind":"ld"', b'"kind":"lgd"') == greatest.certificate.data


@pytest.mark.slow
@settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(chains(min_states=6, max_weight=1000), alphas())
def test_distances_are_fixed_points_that_vanish_on_the_kernel(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    d = full(chain, solved(chain, alpha).table)
    assert oracle.gamma(chain, alpha, d) == d
    related, _ = oracle.skewed_kernel(chain, alpha)
    assert related == {(s, t) for s, row in enumerate(d) for t, value in enumerate(row) if value == 0}
