"""Tables ``[[mechanism]]`` of files for ``prover account``: each says which mechanism runs, and how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from prover.accounting.choosing import one_of
from prover.accounting.known import NOISE, known_mechanism
from prover.accounting.least_epsilon import DEFAULT_DELTA
from prover.accounting.mechanism import DEFAULT_GAP, Mechanism
from prover.accounting.sampling import fixed_size_sampled, poisson_sampled
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadValue, NotSupported
from prover.formats.load import load_program, not_a_system, read_at, read_model
from prover.formats.losses_json import read_losses
from prover.formats.reading import Reading
from prover.formats.strict_json import JsonValue, as_list, as_members, as_object, as_text
from prover.formats.toml import at, reading_option, scalar, whole
from prover.program.adjacency import given_adjacency
from prover.program.model import Program
from prover.program.scope import depends_on_epsilon
from prover.progress import Progress, silent

_OF_PROGRAMS = ("at_epsilon", "q", "adjacency", "steps")
_SAMPLED = ("sampling", "rate", "neighbours")
_NEIGHBOURS = {"poisson": "add or remove", "fixed size": "replace"}
_ROUNDED = {
    True: "losses are rounded up (pessimistic). Only upper ends hold for its mechanism.",
    False: "losses are rounded down (optimistic). Only lower ends hold for its mechanism.",
}


@dataclass(frozen=True, slots=True)
class MechanismTable:
    """A mechanism as the file writes it: the path of a model, the name of a known mechanism, or several
    ``options``.
    """

    path: str
    model: str | None
    reading: Mapping[str, Any]
    source: str | None
    target: str | None
    known: str | None
    parameters: Mapping[str, str]
    times: int
    is_program: bool = False
    at_epsilon: str | None = None
    q: str | None = None
    adjacency: str = "all-differ"
    steps: int | None = None
    rate: str | None = None
    fixed: bool = False
    options: tuple[MechanismTable, ...] = ()
    most: bool = False
    losses: str | None = None

    @property
    def has_two_ends(self) -> bool:
        """Whether the lower end of an answer has a certificate of its own."""
        return self.is_program or self.fixed or self.known in NOISE

    def mechanism(
        self,
        on_note: Callable[[str], None] | None = None,
        progress: Progress = silent,
        gap: Fraction = DEFAULT_GAP,
        delta: Fraction | None = None,
        on_coarse: Callable[[Mechanism], None] | None = None,
    ) -> Mechanism:
        """The mechanism itself, enclosed for this gap if need be; reads the model. ``delta`` is one that is
        asked about, and ``on_coarse`` hears of what ``Mechanism.of`` and ``ProgramLosses.of``
        find on the way.

        Raises NotSupported, and what ``read_model``, ``load_program``, ``Mechanism.of`` and
        ``ProgramLosses.of`` raise.
        """
        whole = self._whole(on_note, progress, gap, delta, on_coarse if self.rate is None else None)
        if self.rate is None:
            return whole
        with at(self.path):
            return (fixed_size_sampled if self.fixed else poisson_sampled)(whole, self.rate)

    def _whole(
        self,
        on_note: Callable[[str], None] | None,
        progress: Progress,
        gap: Fraction,
        delta: Fraction | None,
        on_coarse: Callable[[Mechanism], None] | None,
    ) -> Mechanism:
        """The mechanism on all data."""
        if self.options:
            listed = [option.mechanism(on_note, progress, gap, delta) for option in self.options]
            with at(self.path):
                return one_of(listed, times=self.times)
        with at(self.path):
            if self.known is not None:
                wanted = delta or DEFAULT_DELTA
                return Mechanism.of_known(
                    self.known, self.parameters, times=self.times, delta=wanted, progress=progress
                )
            if self.losses is not None:
                rounded, name = read_losses(self.losses), Path(self.losses).name
                if on_note is not None:
                    on_note(f"{name}: {_ROUNDED[rounded.pessimistic]}")
                return rounded.mechanism(times=self.times, name=name)
            model = self.model or ""
            if self.is_program:
                read = partial(load_program, model, on_note=on_note)
                const, epsilon = self.reading.get("const"), self.at_epsilon
                program = read_at(lambda const: read(const=const), const, epsilon)[0]
                return self._of_program(program, progress, delta or DEFAULT_DELTA, on_coarse)
            chain = read_model(model, Reading.of(**self.reading), on_note)
            if isinstance(chain, Program):
                if depends_on_epsilon(chain) or {self.source, self.target} != {None}:
                    raise not_a_system(model, chain)
                return self._of_program(chain, progress, delta or DEFAULT_DELTA, on_coarse)
            if not isinstance(chain, LabelledMarkovChain):
                raise NotSupported(
                    "an attacker chooses actions in this model, so outputs have no fixed probabilities; for "
                    'a bound, give its epsilon and delta (prover delta) as known = "approximate"; for the '
                    "exact answer, compose the models (prover compose)",
                    code="no-law",
                )
            name = Path(model).name
            return Mechanism.of(
                chain,
                self.source,
                self.target,
                times=self.times,
                name=name,
                gap=gap,
                progress=progress,
                on_coarse=on_coarse,
            )

    def _of_program(
        self,
        program: Program,
        progress: Progress,
        delta: Fraction,
        on_coarse: Callable[[Mechanism], None] | None,
    ) -> Mechanism:
        from prover.accounting.programs import ProgramLosses

        def made(losses: ProgramLosses) -> Mechanism:
            return Mechanism.of_program(losses, times=self.times, name=Path(self.model or "").name)

        return made(
            ProgramLosses.of(
                program,
                at_epsilon=self.at_epsilon,
                q=self.q,
                adjacency=self.adjacency,
                times=self.times,
                delta=delta,
                steps=self.steps,
                progress=progress,
                on_bounds=None if on_coarse is None else lambda losses: on_coarse(made(losses)),
            )
        )


def read_mechanism(value: JsonValue, path: str, folder: Path) -> MechanismTable:
    """A mechanism that runs so many times, or as often as fits."""
    fields = as_members(value, path)
    if fields.get("times") != "most":
        return _sampled(value, path, folder)
    once = {key: item for key, item in fields.items() if key != "times"}
    return replace(_sampled(once, path, folder), most=True)


def _sampled(value: JsonValue, path: str, folder: Path) -> MechanismTable:
    """A mechanism, perhaps on samples."""
    fields = as_members(value, path)
    given = {key: scalar(fields[key], f"{path}.{key}") for key in _SAMPLED if key in fields}
    part = _part({key: item for key, item in fields.items() if key not in _SAMPLED}, path, folder)
    if not given:
        return part
    kind = given.get("sampling", "")
    known = _NEIGHBOURS.get(kind)
    if known is None or given.get("neighbours", known) != known or "rate" not in given:
        raise NotSupported(
            'samples have a rate, and sampling = "poisson" with neighbours = "add or remove" (one of two has '
            'the data of one person more), or sampling = "fixed size" with neighbours = "replace" (one '
            "person has other data). Others are not answered",
            path=path,
            code="bad-sampling",
        )
    return replace(part, rate=given["rate"], fixed=kind != "poisson")


def _part(value: JsonValue, path: str, folder: Path) -> MechanismTable:
    fields = as_members(value, path)
    times = whole(fields["times"], f"{path}.times", "the number of runs") if "times" in fields else 1
    if "one_of" in fields:
        as_object(value, path, ("one_of",), ("times",))
        listed = as_list(fields["one_of"], f"{path}.one_of")
        options = tuple(_sampled(item, f"{path}.one_of[{k}]", folder) for k, item in enumerate(listed))
        return MechanismTable(path, None, {}, None, None, None, {}, times, options=options)
    if "losses" in fields:
        as_object(value, path, ("losses",), ("times",))
        losses = str(folder / as_text(fields["losses"], f"{path}.losses"))
        return MechanismTable(path, None, {}, None, None, None, {}, times, losses=losses)
    if ("model" in fields) == ("known" in fields):
        raise BadValue(
            'a mechanism has either a "model", the path of a file, or a "known" name, or "one_of", a list, '
            'or "losses", the path of a file',
            path=path,
            code="bad-mechanism",
        )
    if "known" in fields:
        parameters = {
            key: scalar(item, f"{path}.{key}")
            for key, item in fields.items()
            if key not in ("known", "times")
        }
        name = as_text(fields["known"], f"{path}.known")
        with at(f"{path}.known"):
            known_mechanism(name)
        return MechanismTable(path, None, {}, None, None, name, parameters, times)
    reading_names = Reading.names()
    if not fields.keys().isdisjoint(_OF_PROGRAMS):
        return _program(value, path, folder, times)
    as_object(value, path, ("model",), ("times", "from", "to", *reading_names))
    reading = {
        key: reading_option(item, f"{path}.{key}") for key, item in fields.items() if key in reading_names
    }
    source, target = (
        as_text(fields[key], f"{path}.{key}") if key in fields else None for key in ("from", "to")
    )
    model = str(folder / as_text(fields["model"], f"{path}.model"))
    return MechanismTable(path, model, reading, source, target, None, {}, times)


def _program(value: JsonValue, path: str, folder: Path, times: int) -> MechanismTable:
    """A threshold program, with the ε that its rates are multiples of, or with q."""
    fields = as_object(value, path, ("model",), ("times", "const", *_OF_PROGRAMS))
    reading = {"const": reading_option(fields["const"], f"{path}.const")} if "const" in fields else {}
    model = str(folder / as_text(fields["model"], f"{path}.model"))
    noise, q = (
        scalar(fields[key], f"{path}.{key}") if key in fields else None for key in ("at_epsilon", "q")
    )
    steps = whole(fields["steps"], f"{path}.steps", "the number of inputs") if "steps" in fields else None
    table = MechanismTable(path, model, reading, None, None, None, {}, times, True, noise, q, steps=steps)
    if "adjacency" not in fields:
        return table
    with at(f"{path}.adjacency"):
        named = given_adjacency(as_text(fields["adjacency"], f"{path}.adjacency"))
    return replace(table, adjacency=str(named))
