"""The tables of docs/speed.md, from the recorded results.

    python benchmarks/speed.py [--measure] [--before COMMIT FOLDER] [--jobs N] [--repeat N]

With --measure two suites are run first (make bench-record), each into a file of its own that takes the place
of the recorded one when the suite is through. With --before a third suite is run, in which an older commit
does each job, too; FOLDER has its files (make bench-before). Without either the page is only written again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median

from prover import zoo
from prover.bench.group import Done, RowGroup, groups_of, jobs_of
from prover.bench.job import is_file
from prover.bench.ratios import SHORT, RatioChange, compare_ratios
from prover.bench.results import Results, read_results
from prover.bench.row import LIMITS, Row
from prover.bench.suite import read_suite

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent / "docs" / "speed.md"
SUITES = ("scaling", "engines")
"""Both are recorded together."""
HEADLINES = "headlines"
"""The suite that an older commit does, too."""
COMMITS = FOLDER / "results" / "headlines_commits.json"
"""Which commits these are: for "before" and "after", the short name and the date."""

_LONG = 0.5  # seconds from which an answer counts where certificates are compared with answers
_ENDED = {"timeout": "time"}
_NOTHING = "—"
_PROSE = 100  # characters in a line of prose


def main(arguments: Sequence[str]) -> int:
    """Measure if that is asked for, and write the tables into the page."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/speed.md.")
    parser.add_argument("--measure", action="store_true", help="Run both suites first.")
    parser.add_argument("--before", nargs=2, metavar=("COMMIT", "FOLDER"), help="Run an older commit, too.")
    parser.add_argument("--jobs", default="1", help="How many jobs run at once.")
    parser.add_argument("--repeat", default="1", help="How many runs there are of each job.")
    asked = parser.parse_args(arguments)
    if asked.measure:
        for name in SUITES:
            measure(FOLDER / f"{name}.toml", recorded(name), asked.jobs, asked.repeat)
    if asked.before:
        commit, folder = asked.before
        beside = folder, recorded(f"{HEADLINES}_before")
        measure(FOLDER / f"{HEADLINES}.toml", recorded(HEADLINES), asked.jobs, asked.repeat, beside)
        commits = {"before": _commit(commit), "after": _commit("HEAD")}
        COMMITS.write_text(json.dumps(commits, indent=2) + "\n", encoding="ascii")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def recorded(name: str) -> Path:
    """Where the results of a suite are kept."""
    return FOLDER / "results" / f"{name}.jsonl"


def measure(
    suite: Path, results: Path, jobs: str = "1", repeat: str = "1", beside: tuple[str, Path] | None = None
) -> None:
    """Run a suite; its results replace those that are recorded when it is through. So do those of the version
    that is in a folder ``beside``.
    """
    new = {results: results.with_suffix(".new")}
    command = ["bench", "run", str(suite), "--output", str(new[results]), "--force", "--jobs", jobs]
    command += ["--repeat", repeat]
    if beside is not None:
        folder, others = beside
        new[others] = others.with_suffix(".new")
        command += ["--beside", folder, str(new[others])]
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "prover.cli", *command], env={**os.environ, "PATH": paths}, check=False
    )
    if ended.returncode not in (0, 3):  # with 3 some jobs have no answer, and the tables say which
        sys.exit(f"{suite.name} ended with exit status {ended.returncode}; its rows are in {new[results]}")
    for place, written in new.items():
        written.replace(place)


def _commit(name: str) -> dict[str, str]:
    """The short name and the date of a commit."""
    command = ["git", "log", "-1", "--format=%h %cs", name]
    said = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return dict(zip(("commit", "date"), said.stdout.split(), strict=True))


def renewed(page: str) -> str:
    """The page with the tables of the recorded results between its marks."""
    results = [read_results(recorded(name)) for name in SUITES]
    headlines = recorded(f"{HEADLINES}_before"), recorded(HEADLINES)
    for name, lines in (
        ("run", _run(results)),
        ("scaling", _scaling(results[0])),
        ("engines", _engines(results[1])),
        ("before", _before(*map(read_results, headlines), json.loads(COMMITS.read_text(encoding="ascii")))),
        ("certificates", _certificates([row for found in results for row in found.rows])),
    ):
        begin, end = (f"<!-- {word} {name} -->" for word in ("begin", "end"))
        before, _, rest = page.partition(f"{begin}\n")
        _, _, after = rest.partition(end)
        page = "\n".join([f"{before}{begin}", *lines, f"{end}{after}"])
    return page


def _run(results: Sequence[Results]) -> Iterator[str]:
    """The machine and the limits of the measurements."""
    machine, versions = results[0].machine, results[0].versions
    jobs = [job for name in SUITES for job in read_suite(FOLDER / f"{name}.toml").jobs]
    seconds, memory = max(job.timeout for job in jobs), max(job.memory for job in jobs)
    rows = [row for found in results for row in found.rows]
    used = sum((row.cpu_seconds or 0) + (row.check_cpu_seconds or 0) for row in rows)
    done = jobs_of(rows).values()
    runs = median(len(job.runs) for job in done)
    times = "" if runs == 1 else f", of most of which there are {runs:g} runs,"
    yield from _lines(
        f"The tables are from {len(done)} jobs{times} on a machine with {machine['cores']} cores "
        f"({machine['processor']}, Python {versions['python']}), which took {used / 60:.0f} processor "
        f"minutes. A job may take {seconds:g} processor seconds for its answer, as many for the check, and "
        f"{memory:,} MiB."
    )


def _scaling(results: Results) -> Iterator[str]:
    yield "| family | model | seed | largest | answer | check | certificate | memory | growth | then |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for group in groups_of(results.rows):
        answered = [job for job in group.jobs if job.answered]
        if not group.jobs[0].row.size or not answered:
            continue
        last = answered[-1]
        cells = (
            group.family,
            last.row.model,
            _seed(last.row),
            f"{last.row.size:,}",
            *_cost(last),
            _growth(answered),
            _end(group, last),
        )
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "| family | question | seed | answer | check | certificate | memory |"
    yield "|---|---|---|---|---|---|---|"
    for group in groups_of(results.rows):
        for job in group.jobs:
            if not job.row.size:
                cost = _cost(job) if job.answered else (_ended(job), *[_NOTHING] * 3)
                yield f"| {' | '.join((group.family, _place(job.row)[1], _seed(job.row), *cost))} |"


def _cost(job: Done) -> tuple[str, str, str, str]:
    """The costs of the answer, of its check, of its certificate, and the memory."""
    written, memory = job.middle("certificate_bytes"), job.middle("peak_mib")
    return (
        _seconds(job.middle("cpu_seconds")) + _spread(job),
        _seconds(job.middle("check_cpu_seconds")),
        _NOTHING if written is None else _short(written / 1e6, "MB"),
        _NOTHING if memory is None else f"{memory:.0f} MiB",
    )


def _spread(job: Done) -> str:
    """The least and the largest time of the answer, where there are several that are not short."""
    ends = job.ends("cpu_seconds")
    if ends is None or ends[0] < 0.01:
        return ""
    least, most = (_short(end, "").strip() for end in ends)
    return f" ({least} to {most})"


def _growth(answered: Sequence[Done]) -> str:
    """How many times as long the last size takes as the one before it."""
    if len(answered) < 2:
        return _NOTHING
    before, last = (job.middle("cpu_seconds") or 0.0 for job in answered[-2:])
    return _NOTHING if before < 0.01 else f"×{last / before:.2g} from {answered[-2].row.size:,}"


def _end(group: RowGroup, last: Done) -> str:
    """The end of the family: a limit, at the next size; or there is none."""
    rest = group.jobs[group.jobs.index(last) + 1 :]
    return f"{_ended(rest[0])} at {rest[0].row.size:,}" if rest else "largest asked"


def _engines(results: Results) -> Iterator[str]:
    """Of a family that grows, the sizes that are the largest of one of its engines, or end it; else all."""
    engines = list(dict.fromkeys(row.engine for row in results.rows))
    yield f"| family | question | seed | {' | '.join(engines)} |"
    yield f"|---|---|---|{'---|' * len(engines)}"
    for family, found in groupby(groups_of(results.rows), key=lambda group: group.family):
        groups = list(found)
        kept = {size for one in groups for size in _kept(one)}
        jobs = {(_place(job.row), one.engine): job for one in groups for job in one.jobs}
        for place, row in sorted({_place(job.row): job.row for job in jobs.values()}.items()):
            if row.size in kept:
                cells = [_found(jobs[place, engine]) if (place, engine) in jobs else "" for engine in engines]
                yield f"| {' | '.join((family, _asked(row), _seed(row), *cells))} |"


def _kept(group: RowGroup) -> Iterator[int | None]:
    """The largest size with an exact answer, and the one after it; of questions without a size, all."""
    sizes = [job.row.size for job in group.jobs]
    last = max((place for place, job in enumerate(group.jobs) if job.status == "exact"), default=-1)
    yield from sizes[max(last, 0) : last + 2] if all(sizes) else sizes


def _asked(row: Row) -> str:
    """The part of a row that distinguishes it within its family."""
    return f"{row.model} {row.size:,}" if row.size else _place(row)[1]


def _place(row: Row) -> tuple[int, str]:
    """The size of a job, and the part that distinguishes it within its family."""
    asked = [*row.parameters.items(), *row.options.items()] if not row.size else []
    return row.size or 0, " ".join([row.name or row.model, *(f"{key}={value}" for key, value in asked)])


def _ended(job: Done) -> str:
    return _seconds(job.middle("cpu_seconds")) if job.answered else _ENDED.get(job.status, job.status)


def _found(job: Done) -> str:
    """How long an engine takes for the exact answer, or how it ends."""
    return job.status if job.status == "interval" else _ended(job)


def _before(before: Results, after: Results, commits: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """What an older version and this one take for the same questions."""
    found = compare_ratios(before, after)
    ratios = {(one.family, one.engine, one.what): one for one in found.ratios}
    was, now = (f"`{commits[which]['commit']}` ({commits[which]['date']})" for which in ("before", "after"))
    older, pairs, lost = jobs_of(before.rows), list[tuple[Done, Done]](), list[str]()
    for job, done in jobs_of(after.rows).items():
        if job in older and older[job].answered:
            pairs.append((older[job], done))
        else:
            lost.append(done.row.family)
    runs = median(len(done.runs) for _, done in pairs)
    times = "once" if runs == 1 else f"{runs:g} times"
    yield from _lines(
        f"Before is commit {was}, after is {now}; each did every job {times}."
        + "".join(_all(found.ratios, what) for what in ("answer", "check"))
        + (f" Before, these had no answer: {', '.join(lost)}." if lost else "")
    )
    yield ""
    yield "| family | question | seed | answer | ratio | check | ratio |"
    yield "|---|---|---|---|---|---|---|"
    for old, new in pairs:
        cells = [new.row.family, _asked(new.row), _seed(new.row)]
        for what, name in (("answer", "cpu_seconds"), ("check", "check_cpu_seconds")):
            both = [_seconds(job.middle(name)) for job in (old, new)]
            cells.append(_NOTHING if _NOTHING in both else " → ".join(both))
            cells.append(_ratio(ratios.get((new.row.family, new.row.engine, what))))
        yield f"| {' | '.join(cells)} |"


def _all(ratios: Sequence[RatioChange], what: str) -> str:
    """The median of the ratios of answers, or of checks, and the largest one."""
    found = [one for one in ratios if one.what == what]
    if not found:
        return ""
    last = max(found, key=lambda one: one.ratio)
    return (
        f" The median ratio of the {len(found)} {what}s that take {SHORT} s or more is "
        f"{median(one.ratio for one in found):.2f}; the largest is {last.ratio:.2f} ({last.family})."
    )


def _ratio(found: RatioChange | None) -> str:
    """The median over the runs, with the least and the most where there are several."""
    if found is None:
        return _NOTHING
    spread = f" ({found.least:.2f} to {found.most:.2f})" if found.runs > 1 else ""
    return f"{found.ratio:.2f}{spread}"


def _certificates(rows: Sequence[Row]) -> Iterator[str]:
    found = [
        (row.cpu_seconds, row.seconds, row.certificate_seconds, row.check_cpu_seconds)
        for row in rows
        if row.status not in LIMITS
    ]
    shares = [
        (written / took, checked / used)
        for used, took, written, checked in found
        if used and took and written is not None and checked is not None and used >= _LONG
    ]
    writing, checking = (median(share[k] for share in shares) for k in range(2))
    yield from _lines(
        f"Writing a certificate takes {writing:.2g} times as long as the whole answer, and checking it takes "
        f"{checking:.2g} times as long: medians of the {len(shares)} answers that take half a second or more."
    )


def _lines(prose: str) -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(prose, _PROSE, break_long_words=False, break_on_hyphens=False)


def _seed(row: Row) -> str:
    """The seed of a random model, that of the zoo where the suite names none."""
    known = {} if is_file(row.model) else zoo.parameters_of(row.model)
    return row.parameters.get("seed", known.get("seed", _NOTHING))


def _seconds(value: float | None) -> str:
    return _NOTHING if value is None else "< 0.01 s" if value < 0.01 else _short(value, "s")


def _short(value: float, unit: str) -> str:
    """Two digits of a number, and all of those before the point."""
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.2g} {unit}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
