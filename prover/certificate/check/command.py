"""The command: files in, verdicts out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from .demands import (
    Demands,
    NoSecrets,
    UnreadableModel,
    given_model,
    meet,
    observer_of,
    secrets_of,
    written_number,
)
from .reading import MAX_BYTES, Rejected
from .verdict import verified

Keep = Callable[[bytes], int]  # canonical bytes of a model; returns an exit status

USAGE = (
    "usage: check [--model MODEL.json] [--at-most D] [--epsilon-at-most E] [--from S --to T] [--adjacency A]"
    " [--at-epsilon X] [--q Q] [--steps N] [--untimed] [--silent LABEL]... [--extract OUT] FILE..."
)
VALUED = (
    "--model",
    "--at-most",
    "--epsilon-at-most",
    "--at-epsilon",
    "--q",
    "--steps",
    "--from",
    "--to",
    "--adjacency",
    "--silent",
    "--extract",
)


def main(argv: Sequence[str]) -> int:
    """Check the files; the exit status is 0, 1 or 2, the largest of theirs. The options stand before them."""
    options, paths = dict[str, list[str]](), list(argv)
    while len(paths) > 1 and paths[0] in (*VALUED, "--untimed"):
        option = paths.pop(0)
        given = options.setdefault(option, [])
        given += [paths.pop(0)] if option in VALUED else []
    try:
        demands = read_demands(options)
    except (OSError, ValueError, UnreadableModel) as error:
        print(f"cannot read the options: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 2
    targets = options.get("--extract", [])
    if not paths or paths[0].startswith("--") or (targets and len(paths) > 1):
        print(USAGE, file=sys.stderr)
        return 2
    return verdicts(paths, demands, partial(write_model, targets[-1]) if targets else None)


def read_demands(options: Mapping[str, Sequence[str]]) -> Demands:
    """If an option is given more than once, the last value counts. Raises UnreadableModel, ValueError, and
    the errors of opening the model."""
    last = {option: values[-1] for option, values in options.items() if values}
    model = None
    if "--model" in last:
        with open(last["--model"], "rb") as file:  # noqa: PTH123 (a path is only opened here)
            model = given_model(file.read())
    named = ("--at-most", "--epsilon-at-most", "--at-epsilon", "--q")
    numbers = {key: written_number(last[key]) for key in named if key in last}
    if any(n < 0 for n, _ in numbers.values()):
        raise UnreadableModel("a bound is negative")
    adjacency = last.get("--adjacency")
    if adjacency is not None:
        from .programs import CORNERS  # which claims about chains do not wait for

        if adjacency not in CORNERS:
            raise UnreadableModel(f"the adjacency is unknown; known are {', '.join(CORNERS)}")
    observer = observer_of(options.get("--silent", ()), untimed="--untimed" in options)
    secrets = secrets_of(last.get("--from"), last.get("--to"))
    at_most, epsilon_at_most, at_epsilon, q = map(numbers.get, named)
    steps = int(last["--steps"]) if "--steps" in last else None
    return Demands(model, at_most, epsilon_at_most, secrets, adjacency, observer, at_epsilon, steps, q)


class Said(NamedTuple):
    """The text about a file, with the exit status; a complaint if the file cannot be read."""

    path: str
    status: int
    text: str
    complaint: bool = False


def judged(path: str, demands: Demands, keep: Keep | None = None) -> Said:
    """The text about a file; the model is kept if the file is verified."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        return Said(path, 2, f"cannot read {json.dumps(path)}: {reason}", complaint=True)
    return decided(path, data, demands, keep)


def decided(path: str, data: bytes, demands: Demands, keep: Keep | None = None) -> Said:
    """The same about a content that is read already."""
    try:
        found = verified(data)
        meet(demands, found.claim, found.model)
    except Rejected as rejection:
        return Said(path, 1, f"REJECTED {rejection}")
    except NoSecrets:
        words = "its model relates no secrets that the bound could be about; give --from and --to"
        return Said(path, 2, f"cannot judge {json.dumps(path)}: {words}", complaint=True)
    return Said(path, 0 if keep is None else keep(found.model), f"VERIFIED {found.line}")


def verdicts(paths: Sequence[str], demands: Demands, keep: Keep | None = None) -> int:
    """Print the text about each file, and keep the models of the verified ones."""
    return printed((judged(path, demands, keep) for path in paths), named=len(paths) > 1)


def printed(verdicts: Iterable[Said], *, named: bool) -> int:
    """Print each text as soon as it is known; the largest exit status. ``named``: with the names of the
    files."""
    status = 0
    for said in verdicts:
        status = max(status, said.status)
        if said.complaint:
            print(said.text, file=sys.stderr)
            continue
        try:
            print(f"{said.text} ({json.dumps(said.path)})" if named else said.text, flush=True)
        except OSError as error:  # of a broken pipe, nobody reads on, but the status still tells
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                print(f"cannot write the verdict: {error.strerror}", file=sys.stderr)
                status = 2
    return status


def write_model(path: str, model: bytes) -> int:
    """Write the canonical bytes of the model to a new file."""
    try:
        with open(path, "xb") as file:  # noqa: PTH123
            file.write(model)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        print(f"cannot write {json.dumps(path)}: {reason}", file=sys.stderr)
        return 2
    return 0
