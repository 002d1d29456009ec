"""What random functions lose, by going through all of their runs, and what is found by reading them.

    python -m tests.language.brute_force KIND FIRST COUNT

On a grid the probabilities of what is seen are summed up, too; what is left out counts for the other input.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from prover.certificate.check import check
from prover.errors import NotSupported
from prover.language.errors import CodeError
from prover.language.files import function_in
from prover.language.written import Mechanism
from prover.program.privacy import privacy
from tests.certificate.registers_judge import followed_totals
from tests.language.functions_of_kinds import KINDS, function
from tests.language.grid_sums import most_measured
from tests.language.runs_of_functions import Run, is_told, least_of_classes, runs, worst

ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing")
TURNS = 2
"""How often a loop is gone through."""


@dataclass
class Compared:
    """What came of one function: a disagreement, or none, and how it was answered."""

    how: str
    wrong: str = ""
    seconds: float = 0.0


def compared(kind: str, seed: int) -> Compared:
    """What is said of a function of a kind, against all its runs."""
    random = Random(f"asked {kind} {seed}")
    made, adjacency = function(kind, seed), random.choice(ADJACENCIES)
    read = function_in(made.text.encode(), "f", "f.py")
    if not isinstance(read, Mechanism):
        return Compared("no mechanism", made.text)
    try:
        program = read.program({})
        answer = privacy(program, adjacency)
    except (CodeError, NotSupported):
        return Compared("refused")
    if answer.certificate is None:
        return Compared("without certificate", f"no certificate: {answer!r}")
    began = time.process_time()
    check(answer.certificate.data)
    seconds = time.process_time() - began
    found = list(runs(made.body, Run(), TURNS, made.noise != "laplace"))
    told = is_told(found)
    lost = max(worst(run, adjacency) for run in found)
    least = lost if told else least_of_classes(found, adjacency)
    lower, upper = answer.lower, answer.upper
    wrong = ""
    if answer.private is False:
        how = "not private, by sums" if answer.follows else "not private"
        if not made.has_loop:
            wrong = f"{lost} is lost, and the answer is {answer!r}"
        elif answer.follows and not _grows(json.loads(answer.certificate.data)):
            wrong = "totals do not grow as is said"
    else:
        how = "interval" if lower != upper else "exact" if told else "exact, hidden"
        if upper is not None and upper < least:
            wrong = f"{least} is lost, and at most {upper} is said to be"
        if lower is None or (lower > lost and not made.has_loop):
            wrong = f"{lost} is lost, and at least {lower} is said to be"
    if not wrong and upper is not None and made.noise != "laplace" and not made.has_loop and made.sites < 5:
        measured = most_measured(made, found, adjacency, random)
        how += ", measured"
        if measured > upper + Fraction(1, 10**9):
            wrong = f"{measured} is measured, and at most {upper} is said to be lost"
    return Compared(how, wrong and f"{kind} {seed}, {adjacency}: {wrong}\n{made.text}", seconds)


def _grows(proof: Any) -> bool:
    """Whether the totals of runs with 1, 2, 3 turns grow by the same, if one number is stored at a time."""
    cases = [case for state in proof["model"]["states"].values() for case in state["transitions"]]
    tests = [name for case in cases for _, name in case["guard"]]
    if len({*tests, *(name for case in cases for name in case["assign"])}) > 1:
        return True
    totals = followed_totals(proof["model"], proof["evidence"]["blocks"], 3)
    return totals is not None and totals[2] - totals[1] == totals[1] - totals[0] > 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(kind: str, first: int, count: int) -> int:
    """Compare functions, and print what came of them."""
    seen, slow, longest = Counter[str](), 0, 0.0
    for seed in range(first, first + count):
        one = compared(kind, seed)
        seen[one.how] += 1
        longest, slow = max(longest, one.seconds), slow + (one.seconds > 1 / 2)
        if one.wrong:
            seen["wrong"] += 1
            say(one.wrong)
    told = ", ".join(f"{many} {how}" for how, many in sorted(seen.items()))
    say(f"{kind} {first} to {first + count - 1}: {told}")
    say(f"Certificates took at most {longest:.2f} s to check, and {slow} more than half a second.")
    return 1 if seen["wrong"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"KIND is one of {', '.join(KINDS)}; FIRST and COUNT are numbers")
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
