"""The sweep itself: the places to ask at, here or on an executor, and the search for a bound."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from prover.certificate.schema import write_together
from prover.errors import BadInput, BadOptions, Fault, Unwritable, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.executors import finished
from prover.formats.load import Model
from prover.progress import Progress, silent
from prover.sweeps.answer import ParameterValues, Sweep, SweepPoint
from prover.sweeps.kept import Kept
from prover.sweeps.place import FunctionModels, MakeModel, PlaceFound, SweepPlace, SweepWork
from prover.sweeps.ranges import Ranges, ranges_of


def sweep(
    model: Callable[..., Model],
    over: Mapping[str, str | Iterable[Given]],
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    delta: Given | None = None,
    gap: Given | None = None,
    at_epsilon: Given | None = None,
    q: Given | None = None,
    adjacency: str | None = None,
    steps: int | None = None,
    at_most: Given | None = None,
    every: bool = False,
    certificates: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
    on_note: Callable[[str], None] | None = None,
    on_sweep: Callable[[Sweep], None] | None = None,
    executor: Executor | None = None,
) -> Sweep:
    """δ at ``alpha`` or ``epsilon``, or the least ε for ``delta``, of each of the models of a family.

    ``model`` makes a chain, a decision process or a program from the values of one or two parameters, which
    it gets by their names: integers if all values of the parameter are whole, else Fractions. ``over`` has
    these values, in increasing order, or a text: "0:10" are whole numbers, "0:1:11" are 11 evenly spaced
    ones. The other arguments of the question are those of ``prover.delta`` and ``prover.epsilon_for``.

    With ``at_most``, a search halves the range of the one parameter until it has two neighbouring values, at
    one of which the number is at most that while it is above at the other; both is proved. Other values are
    not computed, as nothing is assumed about how the number moves. With ``every`` all are.

    Certificates go into the folder ``certificates``, as soon as the stand-alone checker has accepted them.
    The file ``results`` keeps what is computed: points that it has are not computed again, unless their
    model has changed, which ``on_note`` hears. ``on_sweep`` is called after each place.

    An ``executor`` of processes, or of a cluster whose workers have one thread each, works at several places
    at once; ``model`` has to be what it can send. Numbers and certificates stay the same. A search with
    ``at_most`` asks at one place after the other. Where the executor fails, because a worker is lost, there
    is no point, and ``on_note`` hears why.

        >>> from prover.zoo import dining_cryptographers
        >>> found = sweep(dining_cryptographers, {"n": "2:6"}, alpha="1.0002", at_most="1/2500")
        >>> found.crossing
        (Fraction(3, 1), Fraction(4, 1))

    Raises BadOptions, BadValue, BadDocument, Unwritable, WrongArgument, and what the model and the questions
    raise.
    """
    must_be(Callable, model=model)
    given = {
        "source": source, "target": target, "alpha": alpha, "epsilon": epsilon, "delta": delta, "gap": gap,
        "at_epsilon": at_epsilon, "q": q, "adjacency": adjacency, "steps": steps,
    }  # fmt: skip
    return swept(
        FunctionModels(model),
        over,
        given,
        at_most,
        every=every,
        certificates=certificates,
        results=results,
        progress=progress,
        on_note=on_note,
        on_sweep=on_sweep,
        executor=executor,
    )


def swept(
    make: MakeModel,
    over: Mapping[str, str | Iterable[Given]],
    given: Mapping[str, Any],
    at_most: Given | None = None,
    *,
    every: bool = False,
    certificates: str | os.PathLike[str] | None = None,
    results: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
    on_note: Callable[[str], None] | None = None,
    on_sweep: Callable[[Sweep], None] | None = None,
    executor: Executor | None = None,
    at_once: int | None = None,
    apart: Callable[..., PlaceFound] | None = None,
) -> Sweep:
    """The same for models that ``make`` makes, and the arguments ``given`` of the question by their names.

    At most ``at_once`` places are handed out at a time; ``apart`` does the work where the executor cannot do
    it as it is. Raises what ``sweep`` raises.
    """
    ranges = ranges_of(over)
    if [given.get(name) for name in ("alpha", "epsilon", "delta")].count(None) != 2:
        raise BadOptions("a sweep needs one of alpha, epsilon and delta", code="no-question")
    bound = None if at_most is None else given_rational(at_most, "at_most", "bad-threshold", at_least=0)
    if bound is None and every:
        raise BadOptions("every goes with at_most; without it all values are computed anyway")
    if bound is not None and len(ranges) != 1:
        raise BadOptions("a search with a bound is over one parameter, not two", code="bad-range")
    folder = None if certificates is None else os.fspath(certificates)
    if folder is not None:
        try:
            Path(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise Unwritable(f"cannot be made: {error.strerror or error}", file=folder) from None
    work = SweepWork(make, given, bound, folder is not None)
    kept = Kept(None if results is None else os.fspath(results))
    run = _Run(work, ranges, folder, kept, progress, on_note or (lambda _: None))

    def so_far() -> Sweep:
        points = tuple(run.found[at] for at in sorted(run.found))
        return Sweep(ranges, work.question, points, bound, every)

    for _ in run.points(executor, at_once, apart, every=every or bound is None):
        if on_sweep is not None:
            on_sweep(so_far())
    return so_far()


PlaceOutcome = tuple[SweepPlace, Callable[[], PlaceFound]]


@dataclass(slots=True)
class _Run:
    """A sweep that is going on: ``found`` are the points so far."""

    work: SweepWork
    ranges: Ranges
    folder: str | None
    kept: Kept
    progress: Progress
    note: Callable[[str], None]
    found: dict[ParameterValues, SweepPoint] = field(default_factory=dict)
    wrong: dict[ParameterValues, BadInput] = field(default_factory=dict)

    def points(
        self,
        executor: Executor | None,
        at_once: int | None,
        apart: Callable[..., PlaceFound] | None,
        *,
        every: bool,
    ) -> Iterator[SweepPoint]:
        """Each point as soon as it is found and kept. If something is wrong with several places, the first
        of those is complained about.
        """
        lanes = [iter([at]) for at in product(*self.ranges.values())] if every else [self._search()]
        places = [self._places(lane) for lane in lanes]
        work = self.work.found if apart is None else partial(apart, self.work.found)
        with closing(
            self._here(places) if executor is None else _on(executor, work, places, at_once)
        ) as ended:
            for place, result in ended:
                try:
                    found = result()
                except BadInput as error:
                    self.wrong[place.at] = error
                    continue
                except Exception as error:
                    if executor is None or isinstance(error, Fault):
                        raise
                    why = ": ".join(filter(None, (type(error).__name__, str(error))))
                    self.note(f"there is no number at {place.text}: {why}")
                    continue
                yield self._keep(place, found)
                if executor is not None:
                    self.progress(f"places of {' and '.join(self.ranges)}", len(self.found), None)
        if self.wrong:
            raise self.wrong[min(self.wrong)]

    def _here(self, lanes: Iterable[Iterator[SweepPlace]]) -> Generator[PlaceOutcome, None, None]:
        """The places one after the other, each with what computes it in this process."""
        for lane in lanes:
            for place in lane:
                yield place, partial(self.work.found, place, self.progress)

    def _search(self) -> Iterator[ParameterValues]:
        """Where to ask next: at both ends, and then in the middle between two neighbours of those computed,
        one with a number that is at most the bound and one with a number above it.
        """
        (values,) = self.ranges.values()
        first, last = 0, len(values) - 1
        yield from dict.fromkeys([(values[first],), (values[last],)])
        here, there = self._holds(values[first]), self._holds(values[last])
        if here is None or there is None or here is there:
            return
        while last - first > 1:
            middle = (first + last) // 2
            yield (values[middle],)
            holds = self._holds(values[middle])
            if holds is None:
                return
            first, last = (middle, last) if holds is here else (first, middle)

    def _holds(self, value: Fraction) -> bool | None:
        """Whether the number at a value is at most the bound; None if that is open, or if there is none."""
        return self.found[value,].holds if (value,) in self.found else None

    def _places(self, lane: Iterator[ParameterValues]) -> Iterator[SweepPlace]:
        """The places of a lane, as long as nothing was wrong before them."""
        for at in lane:
            if self.wrong and at > min(self.wrong):
                return
            named = dict(zip(self.ranges, at, strict=True))
            text = ",".join(f"{name}={format_rational(value)}" for name, value in named.items())
            self.progress(text, len(self.found), None)
            values = {name: int(x) if _are_whole(self.ranges[name]) else x for name, x in named.items()}
            known = {key: (old, self._has_files(old, text)) for key, old in self.kept.at(text).items()}
            yield SweepPlace(at, text, values, known)

    def _keep(self, place: SweepPlace, found: PlaceFound) -> SweepPoint:
        """The point of a place, its certificates written and its number kept. Raises Unwritable."""
        for text in found.notes:
            self.note(text)
        if found.certificates:
            paths = dict(self._paths(place.text))
            write_together(
                [(paths[key], data) for key, data in found.certificates.items()], "the certificate"
            )
        if not found.point.kept:
            self.kept.add(found.question, place.text, found.point)
        self.found[place.at] = found.point
        return found.point

    def _paths(self, place: str) -> Iterator[tuple[str, Path]]:
        """Where the certificates of a place go, by their keys."""
        name = f"{place.replace('/', '_')}.cert"
        yield "certificate", Path(self.folder or ".", name)
        yield "certificate_lower", Path(self.folder or ".", f"{name}.lower")

    def _has_files(self, point: SweepPoint, place: str) -> bool:
        """Whether the certificates of a kept point are in the folder, if they are wanted."""
        wanted = [(path, point.certificates.get(key)) for key, path in self._paths(place)]
        there = [
            path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
            for path, digest in wanted
            if digest is not None
        ]
        return self.folder is None or (bool(there) and all(there))


def _on(
    executor: Executor,
    work: Callable[[SweepPlace], PlaceFound],
    lanes: list[Iterator[SweepPlace]],
    at_once: int | None,
) -> Generator[PlaceOutcome, None, None]:
    """The places that the executor is through with, each with its result."""
    with closing(finished(executor, work, lanes, at_once)) as ended:
        for _, place, future in ended:
            yield place, future.result


def _are_whole(values: ParameterValues) -> bool:
    return all(value.denominator == 1 for value in values)
