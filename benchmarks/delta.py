#!/usr/bin/env python3
"""The true δ: how long finding and checking it take, and how narrow the intervals become.

    python benchmarks/delta.py

Every job is a fresh process: the PIN checker, dining cryptographers over their relation, and random chains,
whose intervals never close exactly. Prints for every job the seconds and the peak memory it took, the size of
its certificate, the seconds to check it, and its answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent / "prover" / "certificate" / "check.py"
PROVER = [sys.executable, "-m", "prover.cli"]

DINERS = "dining-cryptographers"
RANDOM = "random-chain"
JOBS = [
    (["pin-checker"], ["--alpha", "11/10"]),
    (["pin-checker"], ["--epsilon", "0.1"]),
    (["randomised-response", "answers=2", "respondents=2"], ["--alpha", "36/25"]),
    ([DINERS, "n=2"], ["--alpha", "1.0002"]),
    ([DINERS, "n=5"], ["--alpha", "1.0002"]),
    ([DINERS, "n=11"], ["--alpha", "1.0002"]),
    ([DINERS, "n=40"], ["--alpha", "6/5", "--from", "start(0)", "--to", "start(20)", "--gap", "1/1000"]),
    ([RANDOM, "states=8", "labels=2"], ["--alpha", "6/5", "--from", "s0", "--to", "s2"]),
    ([RANDOM, "states=20"], ["--alpha", "6/5", "--from", "s00", "--to", "s01", "--gap", "1/10000"]),
    ([RANDOM, "states=200"], ["--alpha", "6/5", "--from", "s000", "--to", "s006", "--gap", "1/100"]),
]


def measured(command: list[str], output: Path) -> tuple[float, float]:
    """Seconds that the command takes, and its peak memory in MiB; exit status 3 (an interval) is fine."""
    began = time.perf_counter()
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"{command} failed")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main() -> None:
    print("solve s  peak MiB  certificate MB  check s  job: answer")
    with tempfile.TemporaryDirectory() as folder:
        model, proof, output = Path(folder, "m.json"), Path(folder, "m.cert"), Path(folder, "answer")
        for zoo, question in JOBS:
            measured([*PROVER, "zoo", *zoo], model)
            command = [*PROVER, "delta", str(model), *question, "--json", "--certificate", str(proof)]
            solving, peak = measured(command, output)
            answer = json.loads(output.read_text(encoding="utf-8"))
            checking, _ = measured([sys.executable, "-I", "-S", str(CHECKER), str(proof)], output)
            if not output.read_text(encoding="ascii").startswith("VERIFIED"):
                sys.exit(f"{zoo}: the certificate was rejected")
            shown = answer["value"] or " .. ".join(decimal(answer[side]) for side in ("lower", "upper"))
            print(
                f"{solving:7.2f}  {peak:8.0f}  {proof.stat().st_size / 1e6:14.2f}  {checking:7.2f}  "
                f"{' '.join([*zoo, *question])}: {shown[:60]}",
                flush=True,
            )


def decimal(text: str) -> str:
    """A rational with nine decimals, for people."""
    top, _, bottom = text.partition("/")
    return f"{int(top) / int(bottom or 1):.9f}"


if __name__ == "__main__":
    main()
