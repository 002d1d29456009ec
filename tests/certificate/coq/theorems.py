"""Claims that become theorems, by name: certificates of small chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import prover
from prover import zoo
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES
from tests.certificate.samples import DETOURS, MIRRORED_KERNEL, SEPARATORS, encode
from tests.certificate.unrolling_samples import PIN_EVENTS, PIN_EVENTS_BOTH

ALPHA = Fraction(6, 5)


def _alike_pair(chain: LabelledMarkovChain) -> tuple[str, str]:
    """Two states of one label."""
    named = list(zip(chain.states, chain.labels, strict=True))
    return next((s, t) for s, a in named for t, b in named if s < t and a == b)


def _random(states: int) -> LabelledMarkovChain:
    return zoo.random_chain(states=states)


def sample(name: str) -> Certificate:
    return Certificate(encode(ACCOUNT_SAMPLES[name]))


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
    "wait-attacker": lambda: prover.delta(zoo.wait(), alpha=ALPHA).certificate,
    "doors-attacker": lambda: prover.delta(zoo.doors(), alpha=ALPHA).certificate,
    "pins-attacker": lambda: prover.delta(zoo.pin_guessing(honest="9/10"), alpha=ALPHA).certificate,
    "grow-attacker": lambda: prover.delta(zoo.grow(), "s", "t", alpha=ALPHA, kind="lv").certificate,
}
"""Of kinds and models that the proofs cover."""
