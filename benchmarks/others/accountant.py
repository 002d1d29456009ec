"""The least ε of many runs of a chain whose runs have one output, by dp_accounting, as α = e^ε.

    python benchmarks/others/accountant.py MODEL.json DELTA TIMES

The outputs under the first two secrets of the relation become privacy loss distributions, one rounded in
favour of privacy and one against it, so that ε lies between the two answers. The larger one of both
directions is asked for, as the prover is. Its grid has steps of 10⁻⁵.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from time import process_time

from dp_accounting.pld import privacy_loss_distribution

STEP = 1e-5
"""The step of the grid of losses."""


def main(path: str, delta: str, times: str) -> None:
    """Print bounds of e^ε, and the processor seconds without reading."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    states = document["states"]
    laws = [
        {states[to]["label"]: math.log(_number(chance)) for to, chance in states[secret]["next"].items()}
        for secret in document["relation"][0]
    ]
    began = process_time()
    ends = []
    for pessimistic in (False, True):
        found = [
            privacy_loss_distribution.from_two_probability_mass_functions(
                one, other, pessimistic_estimate=pessimistic, value_discretization_interval=STEP
            )
            .self_compose(int(times))
            .get_epsilon_for_delta(_number(delta))
            for one, other in (laws, laws[::-1])
        ]
        ends.append(math.exp(max(found)))
    seconds = process_time() - began
    sys.stdout.write(f"lower = {ends[0]!r} upper = {ends[1]!r} seconds = {seconds:.6f}\n")


def _number(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
