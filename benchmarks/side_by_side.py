"""The tables of docs/others.md: python benchmarks/side_by_side.py [--measure [--dipaut]]

With --measure benchmarks/others.toml is run first, with what that suite needs; with --dipaut, too, the prover
and DiPAut are asked about DiPAut's own files. Without, the page is only written again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from prover.bench.compare import contradict
from prover.bench.group import Done, RowGroup, groups_of
from prover.bench.results import Results, read_results

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent / "docs" / "others.md"
RESULTS = FOLDER / "results"
SUITE = FOLDER / "others.toml"
RECORDED = RESULTS / "others.jsonl"
VERSIONS = RESULTS / "others_versions.json"
OWN_FILES = RESULTS / "dipaut.jsonl"

PACKAGES = ("stormpy", "scipy", "networkx", "dp-accounting", "z3-solver", "python-flint")
CLONES = ("DiPAut", "Explainability")
"""Folders in the one that the variable OTHERS names."""

OURS = "auto"
_ENDED = {"timeout": "time"}
_SHORT = 0.05
"""Seconds: where both take less, there is no ratio."""


def main(arguments: Sequence[str]) -> int:
    """Measure if that is asked for, and write the tables into the page."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/others.md.")
    parser.add_argument("--measure", action="store_true", help="Run the suite first.")
    parser.add_argument("--dipaut", action="store_true", help="Ask about the files of DiPAut, too.")
    asked = parser.parse_args(arguments)
    if asked.measure:
        run(SUITE, RECORDED)
        VERSIONS.write_text(json.dumps(versions(), indent=1) + "\n", encoding="utf-8")
        if asked.dipaut:
            suite = Path(os.environ["OTHERS"], "dipaut.toml")
            suite.write_text(own_files(suite.parent), encoding="utf-8")
            run(suite, OWN_FILES)
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def run(suite: Path, results: Path) -> None:
    """Run a suite; its results replace those that are recorded when it is through."""
    new = results.with_suffix(".new")
    command = [
        sys.executable,
        "-m",
        "prover.cli",
        "bench",
        "run",
        str(suite),
        "--output",
        str(new),
        "--force",
    ]
    ended = subprocess.run(command, check=False)  # noqa: S603
    if ended.returncode not in (0, 3):  # with 3 some jobs have no answer, and the tables say which
        sys.exit(f"{suite.name} ended with exit status {ended.returncode}; its rows are in {new}")
    new.replace(results)


def versions() -> dict[str, str]:
    """The versions of the other programs, as far as they are installed; of clones their commits."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    for name in CLONES:
        command = [
            "git",
            "-C",
            str(Path(os.environ.get("OTHERS", "."), name)),
            "log",
            "-1",
            "--format=%h of %cs",
        ]
        said = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if said.returncode == 0:
            found[name] = said.stdout.strip()
    return found


def own_files(folder: Path) -> str:
    """A suite that asks the prover and DiPAut whether the program in each file of DiPAut is private."""
    files = [path.relative_to(folder) for path in sorted(folder.glob("DiPAut/examples/*/*.dipa"))]
    jobs = [
        f"    {{name = {json.dumps(path.stem)}, model = {json.dumps(path.as_posix())}}}," for path in files
    ]
    tool = SUITE.read_text(encoding="utf-8").split("[tool.dipaut]\n")[1].split("\n\n")[0]
    return "\n".join(
        [
            'name = "dipaut"',
            "[tool.dipaut]",
            tool.replace("{suite}", str(FOLDER)),
            "[[family]]",
            'name = "files of DiPAut"',
            'question = "decide"',
            f'engines = ["{OURS}", "tool:dipaut"]',
            "job = [",
            *jobs,
            "]",
        ]
    )


def renewed(page: str) -> str:
    """The page with the tables of the recorded results between its marks."""
    results = read_results(RECORDED)
    known = json.loads(VERSIONS.read_text(encoding="utf-8"))
    families = list(dict.fromkeys(row.family for row in results.rows))
    parts = {
        "versions": list(_versions(results, known)),
        "errors": list(_errors(results)),
        "files": list(_files(read_results(OWN_FILES))),
    }
    parts |= {family: list(_family(results, family)) for family in families}
    for name, lines in parts.items():
        begin, end = (f"<!-- {word} {name} -->" for word in ("begin", "end"))
        before, _, rest = page.partition(f"{begin}\n")
        _, _, after = rest.partition(end)
        page = "\n".join([f"{before}{begin}", *lines, f"{end}{after}"])
    return page


def _versions(results: Results, known: Mapping[str, str]) -> Iterator[str]:
    yield "| program | version |"
    yield "|---|---|"
    yield f"| machine | {results.machine['processor']}, {results.machine['cores']} cores |"
    yield f"| Python | {results.versions['python']} |"
    for name, found in known.items():
        yield f"| {name} | {found} |"


def _family(results: Results, family: str) -> Iterator[str]:
    """For each size what each one takes, and how many times as long as the prover."""
    found = [group for group in groups_of(results.rows) if group.family == family]
    groups = sorted(found, key=lambda group: group.engine != OURS)
    yield f"| {' | '.join(['size', *(_name(group.engine) for group in groups)])} |"
    yield f"|{'---|' * (len(groups) + 1)}"
    jobs = [{job.row.size: job for job in group.jobs} for group in groups]
    for size in sorted({size for known in jobs for size in known if size is not None}):
        cells = [_cell(known.get(size), jobs[0].get(size)) for known in jobs]
        yield f"| {' | '.join([f'{size:,}', *cells])} |"


def _name(engine: str) -> str:
    return {OURS: "prover", "linear": "Z3, linear", "nonlinear": "Z3, nonlinear", "horn": "Z3, Horn"}.get(
        engine, engine.removeprefix("tool:")
    )


def _cell(job: Done | None, ours: Done | None) -> str:
    """The seconds of a job, and their ratio to those of the prover; or how it has ended."""
    if job is None:
        return ""
    if not job.answered or (job.status == "interval" and job.row.engine in ("linear", "nonlinear")):
        return _ENDED.get(job.status, job.status)
    took = job.middle("cpu_seconds") or 0.0
    used = None if ours is None or not ours.answered else ours.middle("cpu_seconds")
    told = _short(took)
    if job.row.engine == OURS or used is None or max(took, used) < _SHORT:
        return told
    ratio = took / max(used, 1e-6)
    return f"{told} (×{ratio:.2g})" if ratio < 100 else f"{told} (×{round(ratio, -1):.0f})"


def _short(seconds: float) -> str:
    return "< 0.01 s" if seconds < 0.01 else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _errors(results: Results) -> Iterator[str]:
    """For each other program, how far its answers are from those of the prover."""
    yield "| program | question | answers | largest error | stops |"
    yield "|---|---|---|---|---|"
    groups = groups_of(results.rows)
    exact = {
        (group.family, job.row.size): job for group in groups if group.engine == OURS for job in group.jobs
    }
    for group in groups:
        if group.engine == OURS:
            continue
        answered = [job for job in group.jobs if job.answered]
        off = [_off(job, exact.get((group.family, job.row.size))) for job in answered]
        known = [one for one in off if one is not None]
        largest = "—" if not known else "0" if max(known) == 0 else f"{max(known):.1e}"
        yield f"| {_name(group.engine)} | {group.family} | {len(answered)} | {largest} | {_stops(group)} |"


def _off(job: Done, ours: Done | None) -> float | None:
    """How far an answer is from that of the prover, of intervals how far apart they are; None if unknown."""
    if ours is None or not ours.answered:
        return None
    bounds = [row_end for row in (job.row, ours.row) for row_end in (row.lower, row.upper)]
    if None in bounds:
        return None
    low, high, least, most = (float(Fraction(str(bound))) for bound in bounds)
    return max(0.0, low - most, least - high)


def _stops(group: RowGroup) -> str:
    """The size at which growth has ended, and why; or there is none."""
    last = group.jobs[-1]
    if last.answered and not (last.status == "interval" and last.row.engine in ("linear", "nonlinear")):
        return "largest asked"
    return f"{_ENDED.get(last.status, last.status)} at {last.row.size:,}"


def _files(results: Results) -> Iterator[str]:
    """What became of the files of DiPAut."""
    ours, theirs = ({job.row.model: job for job in group.jobs} for group in groups_of(results.rows))
    both = [(ours[file], theirs[file]) for file in ours if ours[file].answered and theirs[file].answered]
    other = [one.row.name for one, two in both if contradict(one.row, two.row)]
    seconds = [sum(job.middle("cpu_seconds") or 0 for job in side) for side in zip(*both, strict=True)]
    yield from textwrap.wrap(
        f"Of {len(ours)} files the prover answers {sum(job.answered for job in ours.values())}, and DiPAut "
        f"{sum(job.answered for job in theirs.values())}. Those that both answer take the prover "
        f"{seconds[0]:.2g} s in all, and DiPAut {seconds[1]:.2g} s. About {len(other)} the answers differ: "
        f"{', '.join(other)}.",
        100,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
