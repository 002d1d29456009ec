#!/usr/bin/env python3
"""All distances ld of random chains, exact and with certificate: how long solving and checking take.

    python benchmarks/random_chains.py 20 50 100

For every size a fresh process solves the chain of the zoo (degree 3, 3 labels, seed 1) at alpha = 6/5,
writes the certificate, and checks it with the stand-alone checker. Each size is run three times; medians
are printed.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent / "prover" / "certificate" / "check.py"
RUNS = 3


def seconds_of(command: list[str], output: Path | None = None) -> float:
    began = time.perf_counter()
    with (output or Path("/dev/null")).open("wb") as file:
        subprocess.run(command, check=True, stdout=file)
    return time.perf_counter() - began


def main(sizes: list[str]) -> None:
    prover = [sys.executable, "-m", "prover.cli"]
    print("states  solve s  check s  check/solve  certificate MB  peak MiB so far")
    with tempfile.TemporaryDirectory() as folder:
        model, proof = Path(folder, "chain.json"), Path(folder, "chain.cert")
        for size in sizes:
            seconds_of([*prover, "zoo", "random-chain", f"states={size}"], model)
            solve = [
                *prover,
                "distance",
                str(model),
                "--all-pairs",
                "--alpha",
                "6/5",
                "--certificate",
                str(proof),
            ]
            check = [sys.executable, "-I", "-S", str(CHECKER), str(proof)]
            solving = statistics.median(seconds_of(solve) for _ in range(RUNS))
            checking = statistics.median(seconds_of(check) for _ in range(RUNS))
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            megabytes = proof.stat().st_size / 1e6
            print(
                f"{size:>6}  {solving:7.2f}  {checking:7.2f}  {checking / solving:11.2f}"
                f"  {megabytes:14.1f}  {peak:15.0f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:] or ["20", "50", "100"])
