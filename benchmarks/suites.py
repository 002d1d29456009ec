"""Reads public suites of models and asks prover about every one; prints what was answered and what was not.

    python benchmarks/suites.py FOLDER [PATTERN]

FOLDER holds copies of such suites, which are no part of this project:

    github.com/prismmodelchecker/prism-benchmarks    the benchmarks of PRISM
    github.com/TART-MSU/HyperProb                    models of hyperproperties, as are the two that follow
    github.com/carolinager/A-HyperProb
    github.com/oreohere/HyperOnMDP
    github.com/bhusalb/DiPAut                        threshold programs (.dipa)
    github.com/bhusalb/approximate-dp                programs without loops, of DiPApprox (.dip)

PATTERN chooses files by their names, such as "csma*". Needs prover on the path, and Storm for all but
the last two.

A line for each program: *answered* (with δ, or with ε of a threshold program), *open* (bounds when the time
was up), *refused* (what the prover says about the model, one sentence), or *failed* (anything else). Then how
many programs are refused for which reason. The exit status is 1 where one has failed.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

SECONDS = 60
"""How long the prover may work at a program; it stops itself, with the bounds that it has."""

EXTENSIONS = (".nm", ".pm", ".prism", ".jani", ".dipa", ".dip")

QUESTIONS = (
    ("coin[0-9]*.nm", "--secret coin1=[0,1],pc1=[1] --observe counter --const K=2"),
    ("csma_abst.nm", "--initial"),
    ("csma*.nm", "--secret cd1=[0..2],s1=[2] --observe b"),
    ("firewire_abst.nm", "--secret s=[1,2] --labels done"),
    ("firewire_dl.nm", "--secret s=[1,2] --observe y"),
    ("firewire*.nm", "--secret s1=[2,3] --observe w12,w21"),
    ("wlan*.nm", "--secret bc1=[0,1] --observe c1,c2,s1,s2"),
    ("zeroconf*.nm", "--secret n1=[0,1] --observe l"),
    ("phil*.nm", "--secret p1=[1,2] --observe p2"),
    ("thread_scheduler*.nm", "--secret h=[0,1] --observe f1,f2 --untimed"),
    ("th0[0-9].nm", "--secret h=[0,1] --labels terminated_l1,terminated_l2"),
    ("timing_attack_rewards*.nm", "--secret h1=[0,1],a1=[0] --observe e1"),
    ("timing_attack*.nm", "--secret h1=[0,1],a1=[0] --observe e1,c1"),
    ("password_leakage*.nm", "--secret h1=[0,1],a1=[0] --observe e1,c1"),
    ("acdb.nm", "--secret h --observe lineT1,lineT2"),
    ("tl.nm", "--secret b --observe j,fin"),
    (
        "crowds*.pm",
        "--secret lastSeen=[0,1],run=[true],launch=[false],runCount=[0] --observe observe0,observe1",
    ),
    ("synthesis*.nm", "--secret f --observe die"),
)
"""What is asked of files by their names, the first that fits: what is secret and seen. All others are asked
about all pairs of their initial states, with all propositions seen.
"""

PROGRAMS = (("new_nonpriv*", "8", "4"), ("svt*", "1/2", "31/25"), ("*", "1/2", "1/2"))
"""Of programs of DiPApprox, by their folders, the first that fits: their ε, and the ε at which the suite asks
whether δ is at most 1/100. Where all noise is Laplace noise, the question is the least ε with δ = 0.
"""


def main(folder: str, pattern: str = "*") -> int:
    """Ask about all programs below the folder; 1 where one has failed."""
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in EXTENSIONS and path.is_file() and fnmatch(path.name, pattern):
            outcome, words = asked(path)
            found[outcome] += 1
            reasons.update([words.partition(";")[0]] if outcome == "refused" else [])
            sys.stdout.write(f"{outcome:9}{path.relative_to(folder)}: {words}\n")
            sys.stdout.flush()
    counts = (f"{found[outcome]} {outcome}" for outcome in ("answered", "open", "refused", "failed"))
    sys.stdout.write(", ".join(counts) + "\n")
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        sys.stdout.write(f"{count:5} refused: {reason}\n")
    return 1 if found["failed"] else 0


def asked(path: Path) -> tuple[str, str]:
    """What became of the question about one program, in one word and in one line."""
    if path.suffix == ".dipa":
        return outcome_of(["prover", "privacy", str(path), "--timeout", str(SECONDS)], path, answers=(0, 1))
    if path.suffix == ".dip":
        return asked_as_function(path)
    view = next((options for name, options in QUESTIONS if fnmatch(path.name, name)), "--initial")
    command = ["prover", "delta", str(path), "--alpha", "1", "--refuse", "--timeout", str(SECONDS)]
    given = constants(path)
    command += [*view.split(), *(["--const", given] if given and "--const" not in view else [])]
    return outcome_of(command, path, answers=(0,))


def asked_as_function(path: Path) -> tuple[str, str]:
    """The same for a program of DiPApprox, which is written as a function first."""
    own, loss = next(rest for name, *rest in PROGRAMS if fnmatch(path.parent.name, name))
    made = subprocess.run(  # noqa: S603
        [sys.executable, str(Path(__file__).with_name("dip.py")), str(path), own],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        return "refused", made.stderr.strip()
    with TemporaryDirectory() as folder:
        function = Path(folder) / "program.py"
        function.write_text(made.stdout, encoding="utf-8")
        question = ["privacy"]
        if "gaussian(" in made.stdout:
            question = ["delta", "--at-epsilon", own, "--epsilon", loss, "--at-most", "1/100"]
        command = ["prover", *question, f"{function}:program", "--timeout", str(SECONDS)]
        return outcome_of(command, function, answers=(0, 1))


def outcome_of(command: list[str], path: Path, answers: tuple[int, ...]) -> tuple[str, str]:
    """What a command says about a program; ``answers`` are its exit statuses for an answer."""
    try:
        run = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=4 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "failed", f"it did not stop after {4 * SECONDS} seconds"
    said = (run.stdout + run.stderr).strip().splitlines() or [""]
    if run.returncode in answers and run.stdout:
        return "answered", said[0]
    if run.returncode == 3 and run.stdout:
        return "open", said[0]
    if run.returncode == 2 and len(said) == 1:
        return "refused", said[0].removeprefix("prover: ").removeprefix(f"{path}: ")
    return "failed", f"exit status {run.returncode}, {said[-1]}"


def constants(path: Path) -> str | None:
    """The first values that the suite gives to the constants of a program, in the file "models" beside it."""
    beside = path.parent / "models"
    lines = beside.read_text(encoding="utf-8").splitlines() if beside.is_file() else []
    for line in lines:
        words = line.lstrip("#").split()
        if words[:2] == [path.name, "-const"] and len(words) > 2:
            return words[2]
    return None


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
