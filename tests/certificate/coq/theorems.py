"""Claims that become theorems, by name: certificates of small chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import prover
from prover import zoo
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.gallery.index import gallery
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES, CYCLIC_SAMPLES, LAWS, SLANTED, composed, steps
from tests.certificate.collapsing_samples import DELAY, SILENT, START
from tests.certificate.noise_samples import BOTH_SIDES, OWN, TIES, VANISHING
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.profile_samples import SHOWN_ON_GRID, short_table
from tests.certificate.program_samples import SVT_EPSILON
from tests.certificate.samples import DETOURS, MIRRORED_KERNEL, SEPARATORS, encode
from tests.certificate.unrolling_samples import PIN_EVENTS, PIN_EVENTS_BOTH
from tests.certificate.variables_samples import VARIABLES_SAMPLES

ALPHA = Fraction(6, 5)

ALIKE = LabelledMarkovDecisionProcess.of(
    {
        "s": ("c", {"l": {"g": "3/8", "h": "3/8", "b": "1/4"}, "r": {"b": "1"}}),
        "t": ("c", {"l": {"g": "1/4", "b": "3/4"}, "r": {"h": "1/8", "b": "7/8"}}),
        "g": ("g", {"l": {"g": "1"}, "r": {"h": "1/2", "s": "1/2"}}),
        "h": ("g", {"l": {"h": "1"}, "r": {"g": "1/2", "s": "1/2"}}),
        "b": ("b", {"l": {"b": "1"}}),
    },
    relation=[("s", "t")],
)
"""g and h are bisimilar under all actions."""

CIRCLES = LabelledMarkovChain.of(
    {
        "s": ("a", {"s": "1/2", "w": "1/4", "u": "1/8", "z": "1/8"}),
        "t": ("a", {"u": "1/2", "w": "1/4", "z": "1/4"}),
        "u": ("a", {"u": "1/2", "w": "1/2"}),
        "w": ("a", {"w": 1}),
        "y": ("b", {"w": 1}),
        "z": ("b", {"s": "1/3", "y": "2/3"}),
    },
    relation=[("s", "t"), ("w", "s")],
)
"""Runs come to w, which nothing leaves, with its label and with another one."""

SOME_ALIKE = LabelledMarkovChain.of(
    {
        "s": ("a", {"x": "1/2", "y": "1/2"}),
        "t": ("a", {"x": "1/2", "z": "1/2"}),
        "u": ("a", {"x": "1/3", "y": "2/3"}),
        "x": ("b", {"x": 1}),
        "y": ("c", {"y": 1}),
        "z": ("c", {"y": 1}),
    },
    relation=[("s", "t"), ("s", "u")],
)
"""Runs from s and from t look alike."""


def _alike_pair(chain: LabelledMarkovChain) -> tuple[str, str]:
    """Two states of one label."""
    named = list(zip(chain.states, chain.labels, strict=True))
    return next((s, t) for s, a in named for t, b in named if s < t and a == b)


def _random(states: int) -> LabelledMarkovChain:
    return zoo.random_chain(states=states)


def sample(name: str) -> Certificate:
    return Certificate(encode(ACCOUNT_SAMPLES[name]))


def answers(times: int) -> Certificate:
    """Of a composition of answers of randomised response, and two that tell the secret by chance."""
    answer = Mechanism.of_known("randomised-response", {"q": "1/2", "values": 3}, times=times)
    telling = Mechanism.of_known("approximate", {"alpha": "3/2", "delta": "1/10"}, times=2)
    return Certificate(encode(composed([answer, telling], "4/3")))


def _loss(program: Program, adjacency: str = "all-differ") -> Certificate:
    """Of the program with noise on a grid."""
    noise = program.noise if program.noise.is_discrete else Noise(DISCRETE_LAPLACE)
    found = prover.privacy(replace(program, noise=noise), adjacency=adjacency).certificate
    assert found is not None
    return found


def _laplace(program: Program, adjacency: str) -> Certificate:
    found = prover.privacy(program, adjacency=adjacency).certificate
    assert found is not None
    return found


def of_gallery(name: str) -> Program:
    found = next(entry.read() for entry in gallery() if entry.name == name)
    assert isinstance(found, Program)
    return found


def on_a_grid(sample: Mapping[str, Any], **more: str) -> Certificate:
    """The certificate with the same noise on a grid, which obeys the same rules."""
    return Certificate(encode({**sample, "model": sample["model"] | {"noise": DISCRETE_LAPLACE} | more}))


def _profile(program: Program, adjacency: str, q: str | None = None) -> Certificate:
    """A table of few knots that bounds delta."""
    noise = program.noise if program.noise.is_discrete else Noise(DISCRETE_LAPLACE)
    return Certificate(encode(short_table(replace(program, noise=noise), adjacency, q=q)))


CERTIFICATES: Mapping[str, Callable[[], Certificate]] = {
    "pin-ld": lambda: prover.distance(zoo.pin_checker(), alpha=ALPHA).certificate,
    "pin-bd": lambda: prover.distance(zoo.pin_checker(), alpha=ALPHA, kind="bd").certificate,
    "random-bd": lambda: (
        prover.distance(_random(12), *_alike_pair(_random(12)), alpha=ALPHA, kind="bd").certificate
    ),
    "diners-bd": lambda: prover.distance(zoo.dining_cryptographers(n=2), alpha=ALPHA, kind="bd").certificate,
    "pin-delta": lambda: prover.delta(zoo.pin_checker(), alpha=ALPHA).certificate,
    "pin-delta-1": lambda: prover.delta(zoo.pin_checker(), alpha=1).certificate,
    "survey-ld": lambda: prover.distance(zoo.randomised_response(respondents=2), alpha=ALPHA).certificate,
    "survey-delta": lambda: prover.delta(zoo.randomised_response(respondents=2), alpha=ALPHA).certificate,
    "diners-ld": lambda: prover.distance(zoo.dining_cryptographers(n=3), alpha=ALPHA).certificate,
    "diners-delta": lambda: prover.delta(zoo.dining_cryptographers(n=3), alpha=1).certificate,
    "random-ld": lambda: prover.distance(_random(20), *_alike_pair(_random(20)), alpha=ALPHA).certificate,
    "random-delta": lambda: (
        prover.delta(_random(20), *_alike_pair(_random(20)), alpha=ALPHA, gap=Fraction(1, 20)).certificate
    ),
    "detours": lambda: Certificate(encode(DETOURS)),
    "pin-events-ld": lambda: Certificate(encode(PIN_EVENTS)),
    "pin-events-bd": lambda: Certificate(encode(PIN_EVENTS_BOTH)),
    "pin-lgd": lambda: prover.distance(zoo.pin_checker(), alpha=ALPHA, kind="lgd").certificate,
    "pin-ld-1": lambda: prover.distance(zoo.pin_checker(), alpha=1).certificate,
    "diners-ld-1": lambda: prover.distance(zoo.dining_cryptographers(n=3), alpha=1).certificate,
    "random-ld-1": lambda: prover.distance(_random(20), *_alike_pair(_random(20)), alpha=1).certificate,
    "random-bd-1-all-pairs": lambda: prover.distances(_random(8), alpha=1, kind="bd").certificate,
    "survey-1-all-pairs": lambda: (
        prover.distances(zoo.randomised_response(respondents=2), alpha=1).certificate
    ),
    "random-all-pairs": lambda: prover.distances(_random(12), alpha=ALPHA).certificate,
    "random-bd-all-pairs": lambda: prover.distances(_random(8), alpha=ALPHA, kind="bd").certificate,
    "pin-bd-all-pairs": lambda: prover.distances(zoo.pin_checker(), alpha=ALPHA, kind="bd").certificate,
    "upper-all-pairs": lambda: prover.distances(_random(6), alpha=ALPHA, bounds="upper").certificate,
    "short-all-pairs": lambda: prover.distances(_random(9), alpha=ALPHA, max_bits=20).certificate,
    "fig1-kernel": lambda: prover.distance(zoo.fig1(), "s0", "s1", "3/2", kind="kernel").certificate,
    "diners-kernel": lambda: (
        prover.distances(zoo.dining_cryptographers(n=2), alpha="3/2", kind="kernel").certificate
    ),
    "pin-kernel": lambda: prover.distance(zoo.pin_checker(), alpha=1, kind="kernel").certificate,
    "ranks-kernel": lambda: Certificate(encode(MIRRORED_KERNEL)),
    "walk-kernel": lambda: Certificate(encode(SEPARATORS)),
    "pin-distinct": lambda: prover.distance(zoo.pin_checker(), kind="bisimilarity").certificate,
    "diners-bisimilar": lambda: (
        prover.distances(zoo.dining_cryptographers(n=2), kind="bisimilarity").certificate
    ),
    "ring-bisimilar": lambda: (
        prover.distance(zoo.herman_ring(), "00000", "11111", kind="bisimilarity").certificate
    ),
    "points-curve": lambda: sample("profile at points, one way"),
    "relation-curve": lambda: sample("profile of a relation"),
    "delay-seen": lambda: Certificate(encode(DELAY)),
    "start-seen": lambda: Certificate(encode(START)),
    "silent-seen": lambda: Certificate(encode(SILENT)),
    "points-seen": lambda: sample("profile of what an observer sees"),
    "crowds-seen": lambda: (
        prover.delta(prover.collapse(zoo.crowds(members=3, rounds=2), ["end"]), alpha=ALPHA).certificate
    ),
    "circles-seen": lambda: prover.distance(prover.collapse(CIRCLES), "s", "t", ALPHA).certificate,
    "wait-attacker": lambda: prover.delta(zoo.wait(), alpha=ALPHA).certificate,
    "doors-attacker": lambda: prover.delta(zoo.doors(), alpha=ALPHA).certificate,
    "pins-attacker": lambda: prover.delta(zoo.pin_guessing(honest="9/10"), alpha=ALPHA).certificate,
    "grow-attacker": lambda: prover.delta(zoo.grow(), "s", "t", alpha=ALPHA, kind="lv").certificate,
    "survey-merged": lambda: (
        prover.distance(zoo.randomised_response(respondents=2), alpha=ALPHA, merge=True).certificate
    ),
    "crowds-merged": lambda: (
        prover.distance(zoo.crowds(members=3, rounds=2), alpha=ALPHA, kind="bd", merge=True).certificate
    ),
    "merged-attacker": lambda: prover.delta(ALIKE, alpha=ALPHA).certificate,
    "doors-process-ld": lambda: prover.distance(zoo.doors(), alpha=ALPHA).certificate,
    "alike-process-bd": lambda: prover.distance(ALIKE, alpha=1, kind="bd").certificate,
    "alike-process-bisimilar": lambda: prover.distance(ALIKE, "g", "h", kind="bisimilarity").certificate,
    "wait-process-distinct": lambda: prover.distance(zoo.wait(), kind="bisimilarity").certificate,
    "doors-process-bisimilar": lambda: prover.distances(zoo.doors(), kind="bisimilarity").certificate,
    "answers-composition": lambda: answers(9),
    "known-composition": lambda: sample("composition of known mechanisms"),
    "samples-composition": lambda: Certificate(
        encode(composed([LAWS, poisson_sampled(SLANTED, "1/3")], "11/10"))
    ),
    "epsilon-composition": lambda: sample("composition at an epsilon, from below"),
    "relation-composition": lambda: sample("composition of a relation"),
    "chain-composition": lambda: sample("composition of a pair and laws"),
    "alike-composition": lambda: Certificate(encode(composed([Mechanism.of(SOME_ALIKE, times=2)], "1"))),
    "apart-composition": lambda: Certificate(
        encode(composed([Mechanism.of(steps(), "x", "y"), LAWS], "11/10"))
    ),
    "circles-composition": lambda: Certificate(encode(CYCLIC_SAMPLES["composition of runs in circles"])),
    "survey-composition": lambda: Certificate(
        encode(composed([Mechanism.of(zoo.randomised_response(respondents=2), times=3), LAWS], "6/5"))
    ),
    "svt-loss": lambda: _loss(zoo.svt_discrete(sensitivity=3)),
    "svt-one-differs": lambda: _loss(zoo.lyu_4(c=2), "one-differ"),
    "svt-monotonic": lambda: _loss(zoo.svt_discrete(sensitivity=3, grid=Fraction(1, 2)), "monotonic"),
    "svt-decreasing": lambda: _loss(zoo.svt(), "decreasing"),
    "numeric-loss": lambda: _loss(zoo.numeric_sparse()),
    "gap-loss": lambda: _loss(zoo.svt_gap()),
    "tests-loss": lambda: _loss(zoo.chain_of_tests()),
    "ties-loss": lambda: on_a_grid(TIES),
    "upwards-loss": lambda: on_a_grid(BOTH_SIDES),
    "own-loss": lambda: on_a_grid(OWN, grid="1/4"),
    "largest-loss": lambda: on_a_grid(VARIABLES_SAMPLES["least and largest"]),
    "range-one-differs": lambda: on_a_grid(VARIABLES_SAMPLES["range, one differs"], grid="1/2"),
    "parts-loss": lambda: on_a_grid(VARIABLES_SAMPLES["two parts"]),
    "linked-loss": lambda: on_a_grid(VARIABLES_SAMPLES["linked by a gap"]),
    "vanishing-never": lambda: on_a_grid(VANISHING),
    "repeated-never": lambda: _loss(zoo.lyu_6(), "monotonic"),
    "shown-never": lambda: _loss(zoo.disclosing_cycle()),
    "one-differs-never": lambda: _loss(zoo.lyu_5(), "one-differ"),
    "climbing-never": lambda: _loss(zoo.leaking_cycle()),
    "climbing-increasing-never": lambda: _loss(zoo.leaking_cycle(), "increasing"),
    "shown-delta": lambda: Certificate(encode(SHOWN_ON_GRID)),
    "svt-delta": lambda: _profile(zoo.svt_discrete(sensitivity=2), "all-differ"),
    "svt-delta-monotonic": lambda: _profile(zoo.svt_discrete(sensitivity=2), "monotonic", "1/2"),
    "levels-delta": lambda: _profile(zoo.levels(), "one-differ", "1/2"),
    "max-seen": lambda: _loss(zoo.noisy_max(n=4)),
    "max-monotonic-seen": lambda: _laplace(zoo.noisy_max(n=3), "monotonic"),
    "strict-seen": lambda: Certificate(encode(OBSERVER_SAMPLES["a union, with strict tests"])),
    "flip-seen": lambda: _laplace(of_gallery("relm-permute-and-flip"), "all-differ"),
    "exit-seen": lambda: _loss(zoo.hidden_exit()),
    "exit-monotonic-seen": lambda: _laplace(zoo.hidden_exit(), "monotonic"),
    "laplace-range": lambda: Certificate(encode(VARIABLES_SAMPLES["range, monotonic"])),
    "laplace-parts": lambda: _laplace(zoo.m_range(m=3), "one-differ"),
    "laplace-top": lambda: _laplace(zoo.noisy_max(n=3, top=2), "all-differ"),
    "laplace-loss": lambda: Certificate(encode(SVT_EPSILON)),
    "laplace-gap": lambda: _laplace(zoo.svt_gap(), "monotonic"),
    "laplace-second": lambda: _laplace(zoo.numeric_sparse(), "one-differ"),
    "laplace-both-sides": lambda: Certificate(encode(BOTH_SIDES)),
    "laplace-own": lambda: Certificate(encode(OWN)),
}
"""Of kinds and models that the proofs cover."""
