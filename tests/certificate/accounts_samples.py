"""Certificates of compositions and of profiles that the checker accepts."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from prover.accounting.account import Questions, account
from prover.accounting.certificates import certificate_of
from prover.accounting.choosing import one_of
from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.accounting.profile_certificates import certificate_of_profile, profile_certificate
from prover.accounting.sampling import fixed_size_sampled, poisson_sampled
from prover.chain.arguments import Slope
from prover.chain.breakpoints import breakpoints_of
from prover.chain.collapsing.collapse import collapse
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import curve
from prover.chain.secrets import Secrets
from prover.chain.unrolling import word_graph
from prover.zoo import pin_checker, randomised_response

Json = Any
F = Fraction


def steps() -> LabelledMarkovChain:
    """Secrets s, t, u: two labels one after the other, states that are bisimilar, ways that meet again."""
    end = {x: (x, {x: F(1)}) for x in "xyz"}
    states = end | {
        "m": ("b", {"x": F(1, 3), "y": F(2, 3)}),
        "n": ("b", {"x": F(1, 2), "z": F(1, 2)}),
        "o": ("b", {"x": F(1, 2), "z": F(1, 2)}),
        "s": ("a", {"m": F(1, 2), "n": F(1, 4), "y": F(1, 4)}),
        "t": ("a", {"m": F(1, 4), "o": F(1, 4), "y": F(1, 2)}),
        "u": ("a", {"m": F(1, 2), "o": F(1, 2)}),
    }
    return LabelledMarkovChain.of(states, [("s", "t"), ("t", "u")])


def murky() -> LabelledMarkovChain:
    """After the first label what is to come still depends on which state it was."""
    end = {x: (x, {x: F(1)}) for x in "xy"}
    states = end | {
        "m": ("b", {"x": F(2, 3), "y": F(1, 3)}),
        "n": ("b", {"x": F(1, 3), "y": F(2, 3)}),
        "s": ("a", {"m": F(1, 2), "n": F(1, 4), "y": F(1, 4)}),
        "t": ("a", {"m": F(1, 8), "n": F(1, 2), "y": F(3, 8)}),
    }
    return LabelledMarkovChain.of(states, [("s", "t")])


def composed(parts: list[Mechanism], alpha: str, *, exact: bool = True, **options: Any) -> Json:
    slope = Slope.of_alpha(F(alpha))
    found = account(parts, Questions((slope,)), exact=exact, **options)
    return json.loads(certificate_of(found, slope, upper=True).data)


def of_orders(parts: list[Mechanism], *orders: str) -> Json:
    return json.loads(divergences(parts, orders).certificate.data)


def of_epsilon(*, upper: bool) -> Json:
    slope = Slope.of_epsilon(F(1, 2))
    found = account([Mechanism.of_known("randomised-response", {"q": "1/2"}, times=3)], Questions((slope,)))
    return json.loads(certificate_of(found, slope, upper=upper).data)


def profiled(chain: LabelledMarkovChain, source: str | None, target: str | None, kind: str) -> Json:
    secrets = Secrets.of(chain, source, target, kind)
    return json.loads(certificate_of_profile(secrets, breakpoints_of(secrets).delta).data)


def mechanisms() -> list[Mechanism]:
    return [
        Mechanism.of_known("discrete-laplace", {"q": "1/2", "bound": 2}),
        Mechanism.of_known("approximate", {"alpha": "3/2", "delta": "1/10"}),
        Mechanism.of_known("randomised-response", {"q": "2/3", "values": 4}),
    ]


def opened(number: int) -> AbstractContextManager[Any]:
    """Only so many belief pairs are looked into."""
    return patch.multiple(word_graph, MOST_NODES=0, MOST_CYCLIC_NODES=0, MOST_OPENED=number)


def composed_in_part(chain: LabelledMarkovChain, *pair: str) -> Json:
    with opened(1):
        return composed([Mechanism.of(chain, *pair, times=2)], "9/8", exact=False, gap="1/9")


def at_points(
    chain: LabelledMarkovChain, source: str | None, target: str | None, kind: str, number: int = 1
) -> Json:
    with opened(number):
        found = curve(chain, source, target, ["1", "5/4", "2"], kind=kind, bounds=False, provable=True)
        return json.loads(profile_certificate(chain, found).data)


def losing() -> LabelledMarkovChain:
    """Runs that come to m are lost with probability 1/10."""
    end = {x: (x, {x: F(1)}) for x in ("x", "y", "lost")}
    states = end | {
        "m": ("b", {"y": F(9, 10), "lost": F(1, 10)}),
        "s": ("a", {"x": F(1, 2), "m": F(1, 2)}),
        "t": ("a", {"x": F(1, 4), "m": F(3, 4)}),
    }
    return replace(LabelledMarkovChain.of(states, [("s", "t")]), lost="lost")


def waiting() -> CollapsedChain:
    """Secrets that wait, unseen, before something is seen; and whom they wait for."""
    end = {x: (x, {x: F(1)}) for x in "xy"}
    states = end | {
        "s": ("a", {"s": F(1, 2), "x": F(1, 4), "w": F(1, 4)}),
        "t": ("a", {"w": F(1, 3), "x": F(1, 3), "y": F(1, 3)}),
        "w": ("a", {"w": F(1, 3), "x": F(1, 3), "y": F(1, 3)}),
    }
    return collapse(LabelledMarkovChain.of(states, [("s", "t")]), untimed=True)


LAWS = Mechanism.of_laws({0: "1/2", 1: "1/3", 2: "1/6"}, {0: "1/4", 1: "1/2", 3: "1/4"}, times=2)

ACCOUNT_SAMPLES: dict[str, Json] = {
    "composition of a relation": composed([Mechanism.of(steps(), times=2)], "5/4"),
    "composition of a pair and laws": composed([Mechanism.of(steps(), "s", "u"), LAWS], "11/10"),
    "composition of known mechanisms": composed(mechanisms(), "6/5"),
    "composition of many runs": composed(
        [Mechanism.of_known("randomised-response", {"q": "1/2", "values": 3}, times=9), LAWS], "4/3"
    ),
    "composition of samples": composed(
        [
            poisson_sampled(LAWS, "1/3"),
            poisson_sampled(
                Mechanism.of_known("approximate", {"alpha": "3", "delta": "1/10"}, times=2), "1/2"
            ),
            poisson_sampled(Mechanism.of(steps(), "s", "u"), "1/4"),
        ],
        "11/10",
    ),
    "composition of samples of a fixed size": composed(
        [
            fixed_size_sampled(
                Mechanism.of_known("approximate", {"alpha": "3", "delta": "1/10"}, times=2), "1/3"
            ),
            fixed_size_sampled(Mechanism.of_known("discrete-laplace", {"q": "2/3", "sensitivity": 2}), "1/2"),
        ],
        "11/10",
        exact=False,
        gap="1/50",
    ),
    "composition of samples of all": composed(
        [poisson_sampled(Mechanism.of_known("randomised-response", {"q": "1/2"}, times=3), 1)], "5/4"
    ),
    "composition of noise on a grid": composed(
        [Mechanism.of_known("discrete-laplace", {"q": "3/4", "sensitivity": 2}, times=3), LAWS],
        "5/4",
        exact=False,
        gap="1/50",
    ),
    "composition of discrete Gaussian noise": composed(
        [
            Mechanism.of_known("discrete-gaussian", {"sigma": "2/3", "sensitivity": 2}),
            poisson_sampled(Mechanism.of_known("discrete-gaussian", {"sigma": "1/2"}), "1/3"),
        ],
        "5/4",
        exact=False,
        gap="1/50",
    ),
    "composition on a grid": composed(
        [Mechanism.of(steps(), "s", "t", times=2)], "9/8", exact=False, gap="1/9"
    ),
    "composition on halved grids": composed(
        [Mechanism.of_known("discrete-laplace", {"q": "3/4", "sensitivity": 2}, times=5), LAWS, LAWS],
        "5/4",
        exact=False,
        gap="1/50",
    ),
    "composition at an epsilon": of_epsilon(upper=True),
    "composition at an epsilon, from below": of_epsilon(upper=False),
    "composition of an open graph": composed_in_part(murky(), "s", "t"),
    "composition of open graphs": composed_in_part(murky()),
    "profile at points": at_points(murky(), None, None, "tv"),
    "profile at points, one way": at_points(murky(), "s", "t", "lv"),
    "profile at points, of a chain that is cut": at_points(losing(), None, None, "tv"),
    "composition of what an observer sees": composed([Mechanism.of(waiting(), times=2), LAWS], "9/8"),
    "profile of what an observer sees": profiled(waiting(), "s", "t", "tv"),
    "profile of a relation": profiled(steps(), None, None, "tv"),
    "profile one way": profiled(steps(), "s", "u", "lv"),
}

ACCOUNT_SAMPLES |= {
    "composition of mechanisms that are chosen": composed(
        [
            Mechanism.of_known("randomised-response", {"q": "1/2"}),
            one_of(
                [
                    Mechanism.of_known("randomised-response", {"q": "2/3"}),
                    Mechanism.of_known("approximate", {"alpha": 1, "delta": "1/10"}),
                ],
                times=2,
            ),
        ],
        "2",
    ),
    "composition of chains that are chosen": composed(
        [
            one_of([Mechanism.of(steps()), replace(LAWS, times=1)], times=2),
            poisson_sampled(LAWS, "1/3"),
        ],
        "11/10",
    ),
}

with opened(1):
    OPEN_RUNS = Mechanism.of(murky(), times=2, gap="1/9")
    OPEN_MOMENTS = of_orders([OPEN_RUNS], "2")

SLANTED = Mechanism.of_laws({0: "1/2", 1: "1/2"}, {0: "1/4", 1: "3/4"}, times=2)

ACCOUNT_SAMPLES |= {
    "moments of what cannot be seen": of_orders([Mechanism.of(steps()), LAWS], "2", "inf"),
    "moments of a relation and laws": of_orders(
        [Mechanism.of(murky(), times=2), poisson_sampled(SLANTED, "1/3")], "3/2", "2", "inf"
    ),
    "moments of mechanisms that are chosen": of_orders(
        [
            Mechanism.of_known("randomised-response", {"q": "1/2"}, times=2),
            one_of([Mechanism.of_known("discrete-laplace", {"q": "2/3"}), Mechanism.of(murky())], times=2),
        ],
        "3",
        "7/2",
    ),
    "moments of an open graph": OPEN_MOMENTS,
}

CYCLIC_SAMPLES: dict[str, Json] = {
    "profile of runs in circles": profiled(pin_checker(), "0", "1", "tv"),
    "composition of runs in circles": composed([Mechanism.of(pin_checker(), "0", "1", times=2)], "11/10"),
    "profile at points, in circles": at_points(pin_checker(), "0", "1", "tv", 3),
    "profile of answers": profiled(randomised_response(answers=2), None, None, "tv"),
}
