"""Writing certificates: canonical bytes of a claim, the model it is about, and the evidence.

docs/certificates.md specifies the format. This file knows only the form of evidence; the modules that write
evidence know its meaning. The checker uses nothing of this file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from prover.errors import BadInput, BeyondLimit, Unwritable
from prover.exact.rational import format_rational, rational_or_null
from prover.views import Lined

Json = dict[str, Any]
"""An object of a certificate."""

FORMAT = "prover-certificate"
VERSION = 1
MAX_DIGITS = 100_000
"""The most digits of a number in a certificate."""

MAX_BYTES = 256 * 2**20
MAX_VALUES = 10_000_000
"""The most bytes, and commas and opening brackets, of a certificate (docs/certificates.md, Section 1)."""


class TooMuchWork(BeyondLimit):
    """Checking the certificate would take more work than checkers spend on a file of its size."""

    def __init__(self) -> None:
        super().__init__(
            "the certificate would take more work to check than checkers spend on a file of its size"
        )


class TooLarge(TooMuchWork):
    """The certificate would have more bytes, or more values, than checkers read."""

    def __init__(self) -> None:
        BadInput.__init__(self, "the certificate would be larger than the files that checkers read")


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(Lined):
    """The bytes of a certificate.

    >>> import prover
    >>> from prover.zoo import pin_checker
    >>> prover.distance(pin_checker(), "0", "1", "11/10").certificate.sha256
    'ac996dc4086522b19d6c17c56040f87716922f3cda2c4346ca118b9d19865974'
    """

    data: bytes

    @property
    def headline(self) -> str:
        """Its size and its SHA-256, in a line."""
        return f"{len(self.data):,} bytes, SHA-256 {self.sha256}"

    @property
    def sha256(self) -> str:
        """The identity of the certificate, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all, once the stand-alone checker has accepted it.

        Raises Unwritable, and TooMuchWork if this takes more work than checkers spend on a file of its size.
        """
        from prover.certificate.acceptance import accept

        accept(self.data)
        write_whole(path, self.data, "the certificate")


def write_whole(path: str | os.PathLike[str], data: bytes, what: str) -> None:
    """Write a file whole or not at all. Raises Unwritable, as ``write_together`` does."""
    write_together([(path, data)], what)


def write_together(files: Sequence[tuple[str | os.PathLike[str], bytes]], what: str) -> None:
    """Write all files whole or none: each into a neighbour first; these take the names when all are there.

    Raises Unwritable (no such folder, no permission, full disk …), which calls the files ``what``; what stood
    at the paths is then untouched, unless the system fails between two changes of name.
    """
    with contextlib.ExitStack() as left:
        ready: list[tuple[Path, Path, str | os.PathLike[str]]] = []
        for path, data in files:
            with _unwritable(path, what):
                place = Path(path)
                if place.exists() and not place.is_file():  # a device or a pipe cannot be replaced
                    place.write_bytes(data)
                    continue
                target = Path(os.path.realpath(place))  # the file that a link leads to, not the link
                ready.append((_neighbour(target, data, left), target, path))
        for neighbour, target, path in ready:
            with _unwritable(path, what):
                neighbour.replace(target)


def _neighbour(target: Path, data: bytes, left: contextlib.ExitStack) -> Path:
    """A new file with these bytes beside ``target``, which goes with ``left`` unless it is renamed before."""
    handle, name = tempfile.mkstemp(prefix=".prover.", dir=target.parent)
    neighbour = Path(name)
    left.callback(_remove, neighbour)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    neighbour.chmod(0o666 & ~_umask())
    return neighbour


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def _unwritable(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unwritable(f"cannot write {what}: {reason}", file=str(path)) from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class TransitionOfModel(Protocol):
    """The parts of a transition of a threshold program that are written."""

    @property
    def guard(self) -> Sequence[tuple[str, str]]: ...
    @property
    def assign(self) -> Sequence[str]: ...
    @property
    def output(self) -> object: ...
    @property
    def target(self) -> str: ...


class GaussianOfModel(Protocol):
    """Gaussian noise of a threshold program."""

    @property
    def sigma(self) -> Fraction: ...


class StateOfModel(Protocol):
    """The parts of a state of a threshold program that are written."""

    @property
    def input(self) -> bool: ...
    @property
    def rate(self) -> Fraction | GaussianOfModel | None: ...
    @property
    def rate_left(self) -> Fraction | str | None: ...
    @property
    def rate_right(self) -> Fraction | str | None: ...
    @property
    def mean(self) -> Fraction: ...
    @property
    def rate_prime(self) -> Fraction | GaussianOfModel | None: ...
    @property
    def mean_prime(self) -> Fraction | None: ...
    @property
    def sensitivity(self) -> Fraction | None: ...
    @property
    def transitions(self) -> Sequence[TransitionOfModel]: ...


class NoiseOfModel(Protocol):
    """The parts of the noise of a threshold program, and of its inputs, that are written."""

    @property
    def kind(self) -> str: ...
    @property
    def grid(self) -> Fraction | None: ...
    @property
    def sensitivity(self) -> Fraction: ...
    @property
    def unrounded(self) -> bool: ...


class ProgramOfModel(Protocol):
    """The parts of a threshold program that are written."""

    @property
    def initial(self) -> str: ...
    @property
    def states(self) -> Mapping[str, StateOfModel]: ...
    @property
    def final(self) -> Iterable[str]: ...
    @property
    def noise(self) -> NoiseOfModel: ...


def encode(claim: Mapping[str, Any], model: Mapping[str, Any], evidence: Mapping[str, Any]) -> Certificate:
    """The certificate of a claim about a model, in canonical form.

    Raises TooLarge.
    """
    document = {"claim": claim, "evidence": evidence, "format": FORMAT, "model": model, "version": VERSION}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    if len(text) > MAX_BYTES or sum(map(text.count, ",[{")) > MAX_VALUES:
        raise TooLarge
    return Certificate(text.encode("ascii"))


def model_bytes(model: Mapping[str, Any]) -> bytes:
    """The canonical bytes of a model in its canonical JSON form; their SHA-256 is its identity."""
    return json.dumps(model, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def chain_model(
    states: Sequence[str],
    labels: Sequence[str],
    rows: Sequence[Mapping[int, Fraction]],
    relation: Sequence[tuple[int, int]],
) -> Json:
    """The canonical JSON form of a labelled Markov chain: lowest terms, sorted, no empty relation."""
    model: Json = {
        "type": "labelled-markov-chain",
        "version": 1,
        "states": {
            name: {"label": label, "next": _row_model(states, row)}
            for name, label, row in zip(states, labels, rows, strict=True)
        },
    }
    if relation:
        model["relation"] = [[states[s], states[t]] for s, t in relation]
    return model


def process_model(
    states: Sequence[str],
    labels: Sequence[str],
    rows: Sequence[Mapping[str, Mapping[int, Fraction]]],
    relation: Sequence[tuple[int, int]],
) -> Json:
    """The canonical JSON form of a labelled Markov decision process; ``rows`` have those of every action, and
    of the action "" where there is nothing to choose.
    """
    only = [choices[""] if list(choices) == [""] else {} for choices in rows]
    model = chain_model(states, labels, only, relation) | {"type": "labelled-markov-decision-process"}
    for name, choices in zip(states, rows, strict=True):
        if "" not in choices:
            state = model["states"][name]
            del state["next"]
            state["actions"] = {action: _row_model(states, row) for action, row in choices.items()}
    return model


def _row_model(states: Sequence[str], row: Mapping[int, Fraction]) -> dict[str, str]:
    return {states[t]: format_rational(p) for t, p in row.items()}


def program_model(program: ProgramOfModel) -> Json:
    """The canonical JSON form of a threshold program: lowest terms, states sorted, transitions in order.

    Defaults are left out: no declared final states, Laplace noise, grid 1 of discrete noise, sensitivity 1,
    rounded inputs, one rate, noise that is not Gaussian, the same sensitivity everywhere.
    """
    model: Json = {
        "type": "threshold-program",
        "version": 1,
        "initial": program.initial,
        "states": {name: _state_model(state) for name, state in sorted(program.states.items())},
    }
    if declared := sorted(program.final):
        model["final"] = declared
    noise = program.noise
    if noise.grid is not None:
        model["noise"] = noise.kind
    for key, number in (("grid", noise.grid), ("sensitivity", noise.sensitivity)):
        if number is not None and number != 1:
            model[key] = format_rational(number)
    return model | ({"inputs": "unrounded"} if noise.unrounded else {})


def _state_model(state: StateOfModel) -> Json:
    written = {
        "input": state.input,
        "rate": _rate(state.rate),
        "mean": format_rational(state.mean),
        "rate_prime": _rate(state.rate_prime),
        "mean_prime": rational_or_null(state.mean_prime),
        "transitions": [_transition_model(transition) for transition in state.transitions],
    }
    for key, noise in (("sigma", state.rate), ("sigma_prime", state.rate_prime)):
        if noise is not None and not isinstance(noise, Fraction):
            written[key] = format_rational(noise.sigma)
    for key, rate in (("rate_left", state.rate_left), ("rate_right", state.rate_right)):
        if rate is not None:
            written[key] = rate if isinstance(rate, str) else format_rational(rate)
    if state.sensitivity is not None:
        written["sensitivity"] = format_rational(state.sensitivity)
    return written


def _rate(noise: Fraction | GaussianOfModel | None) -> str | None:
    """A rate; null if there is none."""
    return format_rational(noise) if isinstance(noise, Fraction) else None


def _transition_model(transition: TransitionOfModel) -> Json:
    return {
        "guard": [list(test) for test in transition.guard],
        "assign": list(transition.assign),
        "output": _output_model(transition.output),
        "to": transition.target,
    }


def _output_model(output: object) -> Any:
    """A text; a gap as {"gap": variable}; several outputs as a list."""
    if isinstance(output, tuple):
        return [_output_model(part) for part in output]
    return output if isinstance(output, str) else {"gap": getattr(output, "variable", None)}
