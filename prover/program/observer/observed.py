"""What an observer learns of a program whose outputs do not tell its runs apart: bounds, and their proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from prover.certificate.schema import Certificate
from prover.program.adjacency import Adjacency
from prover.program.decision.blocks import Block
from prover.program.model import Edge, Program, out_edges
from prover.program.observer.bounds import BoundAbove, BoundBelow, above, at_starts, below, words_of
from prover.program.observer.certificates import (
    block_evidence,
    bound_of_runs,
    extremes_evidence,
    groups_evidence,
    last_evidence,
    merged_evidence,
    observer_certificate,
    words_certificate,
)
from prover.program.observer.extremes import Extremes
from prover.program.observer.faces import own_face
from prover.program.observer.families import leaking_words
from prover.program.observer.growth import WordFamily
from prover.program.observer.hidden_block import HiddenBlock
from prover.program.observer.last import LastSteps
from prover.program.observer.merging import Merged
from prover.program.observer.quotient import Quotient
from prover.program.observer.search import InputVector
from prover.program.observer.telling import Told
from prover.program.observer.words import Run, Word, is_bounded, runs_of, symbol
from prover.program.optimum.budget import Budget
from prover.program.optimum.transfer import scale_of
from prover.program.optimum.witness import Witness, longer, written_out
from prover.program.shifts import is_one_sided
from prover.progress import Progress, silent

MOST_STEPS = 250
"""The longest word of a run that is tried."""

FAR = (1, 2, 4)
"""How many times the inputs on the face of a run are tried."""


@dataclass(frozen=True, slots=True)
class Search:
    """Where lower bounds are searched: inputs from −``box`` to ``box``, outputs of up to ``longest`` steps.

    For programs without loops, outputs have any length. The output of the worst run is always tried.
    """

    box: int = 2
    longest: int = 5


@dataclass(frozen=True, slots=True)
class Observed:
    """lower·ε ≤ the observer's loss ≤ upper·ε.

    ``above`` are unions of runs that prove upper; None where what runs lose is the bound. ``below`` is a word
    that proves lower; None where that is 0. ``merged`` has transitions that look alike as one, where what its
    runs lose is the bound, ``extremes`` tables for which a hidden extreme is one step, and ``last`` those
    for which last steps that look alike are one. ``upper`` is None
    where none was found. ``words`` are words whose loss grows without bound; then both are None. ``told``
    are runs that numbers tell from all others: they lose lower, or more and more.
    """

    lower: Fraction | None
    upper: Fraction | None
    above: BoundAbove | None
    below: BoundBelow | None
    search: Search
    merged: Merged | Quotient | HiddenBlock | None = None
    extremes: Extremes | None = None
    last: LastSteps | None = None
    words: WordFamily | None = None
    told: Told | None = None


def worst_runs(
    program: Program, adjacency: Adjacency, run_bound: Fraction | None, witnesses: Sequence[Witness | None]
) -> tuple[list[Run], dict[Word, BoundBelow]]:
    """The runs of ``witnesses``, and what their words are known to lose, until that is the bound of runs.

    Nothing is said of words where runs have no bound, as words may have none either.
    """
    runs = [_run(own) for witness in witnesses for own in longer(witness) if _is_short(own)]
    more = [own for own in (_to_its_end(program, *own) for own in runs) if own not in runs]
    starts = () if run_bound is None else _starts(program, adjacency, [*runs, *more])
    return [run for run, _ in runs], at_starts(program, adjacency, starts, run_bound)


def attained(
    known: Mapping[Word, BoundBelow], run_bound: Fraction | None, search: Search | None
) -> Observed | None:
    """The answer, if some word loses as much as runs; else None."""
    for word in known.values():
        if word.lower == run_bound:
            return Observed(run_bound, run_bound, None, word if run_bound else None, search or Search())
    return None


def observe(
    program: Program,
    adjacency: Adjacency,
    run_bound: Fraction | None,
    of_words: tuple[Sequence[Run], Mapping[Word, BoundBelow], Sequence[Block]],
    search: Search | None = None,
    budget: Budget | None = None,
    *,
    spent: set[str],
    progress: Progress = silent,
) -> Observed:
    """Bounds of the observer's loss, where runs lose at most ``run_bound``, None where they have no bound.

    ``of_words`` are runs that lose much, what is known of their words, and runs whose loss grows. Budgets
    that ended the search are added to those that are ``spent``.
    """
    search, budget = search or Search(), budget or Budget()
    worst, known, family = of_words
    unions = above(program, adjacency, run_bound, worst, budget, spent, progress)
    upper = run_bound if unions is None else unions.upper
    if upper is None:
        progress("searching for outputs of unbounded loss", 0, None)
        if (leaking := leaking_words(program, adjacency, family, budget, spent)) is not None:
            return Observed(None, None, None, None, search, words=leaking)
        if any(map(is_one_sided, program.edges)):  # words may have infinite costs
            return Observed(Fraction(0), None, None, None, search)

    def words() -> Sequence[Word]:
        return words_of(_some_runs(program, search.longest, budget.listed, spent))

    found = below(program, adjacency, known, words, search.box, upper, budget, spent, progress)
    return Observed(Fraction(0) if found is None else found.lower, upper, unions, found, search)


def _starts(
    program: Program, adjacency: Adjacency, known: Sequence[tuple[Run, InputVector]]
) -> Iterator[tuple[Word, InputVector, InputVector]]:
    """The words of known runs, with inputs 0 and far ones, and the differences of the runs."""
    scale = scale_of(program.edges, adjacency)
    leaving = out_edges(program).items()
    hidden = {name for name, edges in leaving if len({symbol(edge) for edge in edges}) < len(edges)}
    for run, delta in known:
        yield run.word, (0,) * len(delta), delta
        face = own_face(run.edges, delta, hidden, scale)
        for times in FAR if face is not None and any(face) else ():
            yield run.word, tuple(times * own for own in face or ()), delta


def _some_runs(program: Program, longest: int, most: int, spent: set[str]) -> Sequence[Run]:
    """All runs of a bounded program; of others, or if these are too many, those up to a length."""
    bounded = is_bounded(program)
    runs = runs_of(program, most) if bounded else None
    if bounded and runs is None:
        spent.add("listed")
    while runs is None:
        runs = runs_of(program, most, longest)
        if runs is None:
            spent.add("listed")
        longest -= 1
    return runs


def _is_short(witness: Witness | None) -> TypeGuard[Witness]:
    return witness is not None and bool(witness.steps) and witness.length <= MOST_STEPS


def _run(witness: Witness) -> tuple[Run, tuple[int, ...]]:
    """The run of a witness with all turns of its loops, and its differences."""
    steps = list(written_out(witness))
    return Run(tuple(step.edge for step in steps)), tuple(step.delta for step in steps)


def _to_its_end(program: Program, run: Run, delta: InputVector) -> tuple[Run, InputVector]:
    """The run with what it does next in any case, which may show which run it is, but no numbers."""
    leaving, more = out_edges(program), list[Edge]()
    while len(cases := leaving.get((*run.edges, *more)[-1].target, ())) == 1:
        (edge,) = cases
        if edge.bounds or edge.discloses or edge in more:
            break
        more.append(edge)
    return Run((*run.edges, *more)), (*delta, *[0] * len(more))


def observed_certificate(
    program: Program, adjacency: Adjacency, found: Observed, of_runs: Sequence[Certificate | None]
) -> Certificate | None:
    """The certificate of what is observed; ``of_runs`` are those of what runs lose, of the program itself, of
    the smaller one, or of all programs of a hidden block.
    """
    if found.words is not None:
        return words_certificate(program, adjacency, found.words)
    if found.above is None and found.extremes is not None:
        evidence = extremes_evidence(found.extremes)
    elif found.above is None and found.last is not None:
        evidence = last_evidence(program, found.last)
    elif found.above is None:
        known = [bound_of_runs(own) for own in of_runs if own is not None and found.upper is not None]
        if isinstance(found.merged, HiddenBlock):
            evidence = block_evidence(found.merged, known)
        else:
            evidence = known[0] if known else {}
            if found.merged is not None and evidence:
                evidence |= merged_evidence(program, found.merged)
    else:
        evidence = groups_evidence(found.above)
    if found.upper is None and found.below is None:
        return of_runs[0]
    return observer_certificate(program, adjacency, found.below, found.upper, evidence)
