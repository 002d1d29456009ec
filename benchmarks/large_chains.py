#!/usr/bin/env python3
"""Chains of real size: dining cryptographers and random chains of 200 states, as whole processes.

    python benchmarks/large_chains.py

Prints for every job the seconds it took, its answer, the size of its certificate, and the seconds to check
it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent / "prover" / "certificate" / "check.py"
PROVER = [sys.executable, "-m", "prover.cli"]

DINERS = ["zoo", "dining-cryptographers"]
JOBS = [
    ("3 diners, all pairs, alpha 1", [*DINERS, "n=3"], ["--all-pairs", "--alpha", "1"]),
    ("3 diners, all pairs, alpha 6/5", [*DINERS, "n=3"], ["--all-pairs", "--alpha", "6/5"]),
    ("4 diners, all pairs, alpha 1", [*DINERS, "n=4"], ["--all-pairs", "--alpha", "1"]),
    ("4 diners, all pairs, alpha 6/5", [*DINERS, "n=4"], ["--all-pairs", "--alpha", "6/5"]),
    ("6 diners, one pair", [*DINERS, "n=6"], ["--from", "start(0)", "--to", "start(3)", "--alpha", "6/5"]),
    (
        "40 diners, one pair, upper bound",
        [*DINERS, "n=40"],
        ["--from", "start(0)", "--to", "start(20)", "--alpha", "6/5", "--bounds", "upper"],
    ),
    (
        "200 random states, all pairs, interval",
        ["zoo", "random-chain", "states=200"],
        ["--all-pairs", "--alpha", "6/5", "--max-bits", "100"],
    ),
    (
        "200 random states, all pairs, exact",
        ["zoo", "random-chain", "states=200"],
        ["--all-pairs", "--alpha", "6/5"],
    ),
]


def run(command: list[str], output: Path) -> float:
    """Seconds the command takes; exit status 3 (an interval) is fine."""
    began = time.perf_counter()
    with output.open("wb") as file:
        status = subprocess.run(command, check=False, stdout=file, stderr=subprocess.DEVNULL).returncode
    if status not in (0, 3):
        sys.exit(f"{command} ended with status {status}")
    return time.perf_counter() - began


def main() -> None:
    print("solve s  check s  certificate MB  job: answer")
    with tempfile.TemporaryDirectory() as folder:
        model, proof, answer = Path(folder, "m.json"), Path(folder, "m.cert"), Path(folder, "answer")
        for name, zoo, question in JOBS:
            run([*PROVER, *zoo], model)
            solving = run([*PROVER, "distance", str(model), *question, "--certificate", str(proof)], answer)
            first = answer.read_text(encoding="utf-8").splitlines()[0]
            checking = run([sys.executable, "-I", "-S", str(CHECKER), str(proof)], answer)
            if not answer.read_text(encoding="ascii").startswith("VERIFIED"):
                sys.exit(f"{name}: the certificate was rejected")
            print(
                f"{solving:7.2f}  {checking:7.2f}  {proof.stat().st_size / 1e6:14.2f}  {name}: {first[:70]}"
            )


if __name__ == "__main__":
    main()
