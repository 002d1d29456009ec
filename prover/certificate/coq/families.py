"""Runs with multipliers as `proofs/programs/Runs.v` reads one, and families of runs as
`proofs/programs/Families.v` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from prover.certificate.coq.runs import CoqStep, run_of
from prover.certificate.coq.samples import samples_of
from prover.certificate.coq.tokens import listed


def run_numbers(
    steps: Sequence[CoqStep], states: Sequence[str], unit: Fraction, grid: Fraction
) -> Iterator[int]:
    """The inputs that are read, with their differences, and the steps; multipliers as multiples of unit."""
    draws = [sample.draw for sample in samples_of(steps, [(range(len(steps)), False)], grid)]
    yield from listed(
        [states.index(step.name), step.difference, draw]
        for step, draw in zip(steps, draws, strict=True)
        if step.state["input"]
    )
    yield from listed(
        [
            step.number,
            0 if step.state["input"] else draw,
            *(n for part in (step.tests, step.shows) for n in listed([int(x / unit)] for x in part)),
        ]
        for step, draw in zip(steps, draws, strict=True)
    )


def family_numbers(
    model: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], unit: Fraction
) -> Iterator[int]:
    """The blocks, with the multipliers of their steps for n turns: a number, and what each turn adds.

    Raises NotSupported if no samples are found with which the runs can be taken."""
    once, twice = run_of(model, blocks), run_of(model, blocks, 2)
    again = [block["kind"] == "repeat" for block in blocks]
    ends = list(accumulate((len(block["steps"]) for block in blocks), initial=0))
    parts = [range(*ends[i : i + 2]) for i in range(len(blocks))]
    walk = [i for part, repeated in zip(parts, again, strict=True) for i in [*part] * (1 + repeated)]
    place = {i: k for k, i in reversed([*enumerate(walk)])}
    grid = Fraction(model.get("grid", "1"))
    samples = samples_of(once, list(zip(parts, again, strict=True)), grid)

    def link(i: int) -> Iterator[int]:
        step, later, sample = once[i], twice[place[i]], samples[i]
        yield from (step.number, 0 if step.state["input"] else sample.draw)
        for one, two in ((step.tests, later.tests), (step.shows, later.shows)):
            yield from listed(
                [int((2 * x - y) / unit), int((y - x) / unit)] for x, y in zip(one, two, strict=True)
            )
        yield from (step.difference, sample.draw, sample.turn, sample.whole)

    yield from listed(
        [int(repeated), *listed(link(i) for i in part)] for part, repeated in zip(parts, again, strict=True)
    )
