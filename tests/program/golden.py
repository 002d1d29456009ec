"""Small instances of the formulas about programs, kept as files in tests/golden/.

``python -m tests.program.golden`` writes the files anew; look at what has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from prover import zoo
from prover.program.smt.formulas import RunPath as Run
from prover.program.smt.formulas import encode

FOLDER = Path(__file__).resolve().parents[1] / "golden"


@dataclass(frozen=True, slots=True)
class Instance:
    """A formula about a program of the zoo, and what solvers have to say about it."""

    model: str
    problem: str
    status: str
    theta: Fraction | None = None
    paths: tuple[Run, ...] = ()
    adjacency: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The formula."""
        model = zoo.build_program(self.model, **self.parameters)
        return encode(
            model,
            self.problem,
            theta=self.theta,
            paths=self.paths,
            adjacency=self.adjacency,
            status=self.status,
        )


INSTANCES = {
    "privacy-horn-3": Instance("k-min-max", "privacy-horn", "sat", parameters={"k": "2"}),
    "privacy-horn-4": Instance("counterexample", "privacy-horn", "unsat", parameters={"shows": "sequence"}),
    "opt-cost-3": Instance("num-range", "opt-cost", "sat", Fraction(1), ((0, 1, 2, 3),)),
    "opt-cost-4": Instance(
        "k-min-max", "opt-cost", "unsat", Fraction(1, 2), ((0, 2, 4, 6),), "monotonic", {"k": "2"}
    ),
    "privacy-horn-5": Instance("lyu-5", "privacy-horn", "unsat"),
    "opt-cost-5": Instance(
        "noisy-max",
        "opt-cost",
        "sat",
        Fraction(2),
        ((0, 2, 5),),
        parameters={"n": "3", "noise": "exponential"},
    ),
    "privacy-2sat-1": Instance("svt", "privacy-2sat", "sat"),
    "privacy-2sat-2": Instance("violating-path-a", "privacy-2sat", "unsat"),
    "privacy-horn-1": Instance("numeric-sparse", "privacy-horn", "sat"),
    "privacy-horn-2": Instance("svt-star", "privacy-horn", "unsat"),
    "opt-cost-1": Instance("svt", "opt-cost", "sat", Fraction(5, 4), ((0, 1, 1, 2),)),
    "opt-cost-2": Instance(
        "numeric-sparse", "opt-cost", "unsat", Fraction(9, 8), (("q1", "q2", "q2", "q3"),), "one-differ"
    ),
    "approx-cost-1": Instance(
        "chain-of-tests", "approx-cost", "sat", Fraction(1), ((0, 1, 3),), parameters={"n": "2"}
    ),
    "approx-cost-2": Instance("numeric-sparse", "approx-cost", "unsat", Fraction(3, 2)),
    "relaxed-cost-1": Instance("svt", "relaxed-cost", "sat", Fraction(5, 4)),
    "relaxed-cost-2": Instance("leaking-pair", "relaxed-cost", "unsat", Fraction(100), ((0, 1, 2, 4),)),
    "shared-cost-1": Instance(
        "chain-of-tests", "shared-cost", "sat", Fraction(2, 3), ((0, 2), (0, 1, 3)), parameters={"n": "2"}
    ),
    "shared-cost-2": Instance("svt", "shared-cost", "unsat", Fraction(3, 2), ((0, 1, 2),)),
}


if __name__ == "__main__":
    for name, instance in INSTANCES.items():
        (FOLDER / f"{name}.smt2").write_text(instance.text(), encoding="utf-8")
