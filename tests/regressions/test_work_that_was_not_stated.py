"""Certificates that said too little of the work of checking them, and were rejected though they were true.

It was left out where one mechanism tells its secrets apart for certain, so δ is 1 whatever the others do,
and where several pairs of secrets have a law without a graph: bisimilar ones, and ones of different labels.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.accounting.account import Questions, account
from prover.accounting.certificates import certificate_of
from prover.accounting.mechanism import Mechanism
from prover.accounting.profile_certificates import profile_certificate
from prover.certificate.check import check
from prover.chain.arguments import Slope
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import curve
from prover.zoo import pin_checker
from tests.profiles import examples
from tests.strategies import chains, ending_chains

F = Fraction
APART = Mechanism.of_laws({"x": 1}, {"y": 1})
COIN = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=3)
PARTS = [
    APART,
    COIN,
    Mechanism.of_known("approximate", {"alpha": 2, "delta": "1/4"}),
    Mechanism.of_laws({"x": "1/3", "y": "2/3"}, {"y": "1/2", "z": "1/2"}, times=2),
    Mechanism.of(pin_checker(), "0", "1", gap="1/100"),
]


@pytest.mark.parametrize("parts", [*permutations(PARTS[:3], 2), *permutations(PARTS, 3)])
def test_compositions(parts: tuple[Mechanism, ...]) -> None:
    slope = Slope.of_alpha(F(3, 2))
    found = account(parts, Questions((slope,), ()), gap="1/10")
    line = check(certificate_of(found, slope, upper=True).data)
    assert line.startswith("composition alpha=3/2 ")
    assert APART not in parts or " value=1 " in line


ENDS = {"x": ("x", {"x": 1}), "y": ("y", {"y": 1})}
STATES = {
    "s": ("a", {"x": 1}), "t": ("a", {"x": 1}), "u": ("a", {"x": "1/2", "y": "1/2"}), "v": ("b", {"x": 1}),
    "w": ("b", {"x": 1}), **ENDS,
}  # fmt: skip


@pytest.mark.parametrize(
    "related", ["st", "st su tu", "sv", "sv sw tv tw", "st vw", "ss", "st su tu uv vw sv tv"]
)
@pytest.mark.parametrize("kind", ["tv", "lv"])
def test_profiles(related: str, kind: str) -> None:
    relation = [(pair[0], pair[1]) for pair in related.split()]
    chain = LabelledMarkovChain.of(STATES, relation)  # type: ignore[arg-type]
    found = curve(chain, alphas=[1, 2], kind=kind, bounds=False, provable=True)
    assert check(profile_certificate(chain, found).data).startswith("profile relation maximum of=")


@given(chains(related=True, max_states=5) | ending_chains(), st.randoms(use_true_random=False))
@examples(12)
def test_random_chains(chain: LabelledMarkovChain, random: Random) -> None:
    names = random.sample(chain.states, 2)
    for pair in ((None, None), (names[0], names[1])):
        epsilons = random.sample(["0", "1/3", "ln 2", "7/2"], 2)
        found = curve(chain, *pair, epsilons=epsilons, bounds=False, provable=True, gap="1/10")
        check(profile_certificate(chain, found).data)
    slope = random.choice([Slope.of_alpha(F(5, 4)), Slope.of_epsilon(F(1, 3))])
    parts = [Mechanism.of(chain, times=random.randint(1, 2), gap="1/10"), random.choice(PARTS)]
    whole = account(parts, Questions((slope,), ()), gap="1/10")
    for upper in (True, False):
        check(certificate_of(whole, slope, upper=upper).data)
