"""Certificates about observers of outputs that do not tell the run, as the prover writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.model import Program
from prover.program.noise import Noise
from prover.program.observer.certificates import block_evidence, bound_of_runs, observer_certificate
from prover.program.observer.hidden_block import hidden_block
from prover.program.outputs import Gap
from prover.program.privacy import privacy
from prover.zoo import hidden_xor, noisy_max
from tests.program.observer_examples import (
    alike,
    all_the_same,
    becoming_impossible,
    dressed_up,
    endless_xor,
    hidden_extreme,
    hidden_failures,
    hidden_largest,
    hidden_min_max,
    hidden_turn,
    keeping_unseen,
    known_extremes,
    leaving_a_range,
    leaving_unseen,
    on_a_grid,
    random_indistinct,
    silent_pair,
    two_thresholds,
)
from tests.program_examples import ABOVE, BELOW, step

Json = Any


def observed(program: Any, adjacency: str = "all-differ") -> Json:
    found = privacy(program, adjacency).certificate
    return None if found is None else json.loads(found.data)


def from_above(program: Program, adjacency: str = "all-differ") -> Json:
    """The certificate without the word of the bound from below, which is long for slow judges."""
    found = observed(program, adjacency)
    del found["evidence"]["word"]
    return {**found, "claim": {**found["claim"], "lower": "0"}}


def made_of_observer(seed: int) -> Json:
    """A certificate about a random program whose outputs do not tell runs apart."""
    random = Random(seed)
    return observed(random_indistinct(random), random.choice(sorted(ADJACENCIES)))


def blocked(program: Program, adjacency: str = "all-differ") -> Json:
    """The certificate of the bound by a hidden block only, whether it is the least or not."""
    block = hidden_block(program, few=0)
    if block is None:
        raise ValueError("the program has no hidden block")
    answers = [privacy(own, adjacency) for own in block.programs]
    bounds = [bound_of_runs(own.certificate) for own in answers if own.certificate is not None]
    evidence = block_evidence(block, bounds)
    upper = max(own.runs.upper for own in answers if own.runs.upper is not None)
    return json.loads(observer_certificate(program, Adjacency(adjacency), None, upper, evidence).data)


OBSERVER_SAMPLES: Mapping[str, Json] = {
    "hidden xor": observed(hidden_xor()),
    "noisy max": observed(noisy_max(2)),
    "a hidden maximum": observed(noisy_max(4, gap="yes")),
    "a hidden minimum, one differs": observed(hidden_extreme(2), "one-differ"),
    "two alike": observed(alike()),
    "two alike, with gaps": observed(alike(("o", Gap("x")))),
    "a silent pair, monotonic": observed(silent_pair(), "monotonic"),
    "a union, with strict tests": observed(on_a_grid(keeping_unseen())),
    "a union": made_of_observer(61),
    "merged": observed(leaving_unseen(step(BELOW, "end", "c"), step(ABOVE, "end", "c"))),
    "merged, with strict tests": observed(
        on_a_grid(leaving_unseen(step(BELOW, "end", "c"), step(ABOVE, "end", "c")))
    ),
    "words of an endless xor": observed(endless_xor()),
    "words with two blocks in turns": observed(hidden_turn()),
    "words of several variables, monotonic": observed(two_thresholds(), "monotonic"),
    "words that become impossible": observed(becoming_impossible(), "one-differ"),
    "a quotient": observed(dressed_up()),
    "a quotient of a quiet program": observed(all_the_same(), "monotonic"),
    "a silent pair, one differs": observed(silent_pair(), "one-differ"),
    "last steps": from_above(leaving_a_range()),
    "last steps, monotonic": from_above(leaving_a_range(), "monotonic"),
    "a ladder": observed(hidden_failures()),
    "a ladder on a grid": observed(replace(hidden_failures(), noise=Noise("discrete-laplace"))),
    "a hidden block": blocked(hidden_min_max(2)),
    "a hidden block of two kinds": blocked(hidden_min_max(3, public=1), "one-differ"),
    "a hidden largest, monotonic": blocked(hidden_largest(3), "monotonic"),
    "the index of the largest": blocked(noisy_max(3)),
    "the index of the largest, with noise upwards": blocked(noisy_max(3, noise="exponential")),
    "the least and the largest, known": blocked(known_extremes()),
}
