"""One job: one question about one model, asked of one engine, once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from prover import zoo
from prover.bench.tool import Tool
from prover.chain.model import LabelledMarkovChain
from prover.formats.load import Model, as_seen, load
from prover.formats.reading import COLLAPSING, Reading

TOOL = "tool:"
"""What the engine of a job begins with that is a tool."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to ask, of whom, and within which limits (seconds, and MiB of memory).

    ``model`` is a name of the zoo, or a file in ``folder``, that of the suite; ``reading`` are options about
    what is seen of it. ``size`` is how large the
    model is, in families that grow. ``run`` counts repetitions from 1. ``expected`` is a rational or "inf";
    answers of tools may be off by ``tolerance``.
    """

    suite: str
    family: str
    name: str
    model: str
    parameters: Mapping[str, str]
    reading: Mapping[str, Any]
    question: str
    options: Mapping[str, str]
    engine: str
    size: int | None
    expected: str | None
    expected_reason: str | None
    tolerance: str
    timeout: float
    memory: int
    run: int
    folder: str
    tool: Tool | None

    @property
    def identity(self) -> str:
        """What tells the job apart from others, whatever its limits, its suite's name and its folder."""
        asked = [self.family, self.name, self.model, sorted(self.parameters.items()), self.question]
        read = [sorted(self.reading.items())] if self.reading else []
        asked = [*asked, sorted(self.options.items()), self.engine, *read]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]

    @property
    def given(self) -> dict[str, str]:
        """The parameters of the model, and how it is read, as texts."""
        return {**self.parameters, **{name: _text(value) for name, value in self.reading.items()}}

    @property
    def title(self) -> str:
        """The job in a few words."""
        given = " ".join(f"{name}={value}" for name, value in self.given.items())
        return " ".join(filter(None, (self.family, self.name or given, f"({self.engine})")))


def encoded(job: Job) -> str:
    """The job as JSON."""
    return json.dumps(asdict(job))


def decoded(text: str) -> Job:
    """The job that ``encoded`` wrote."""
    fields: dict[str, Any] = json.loads(text)
    if fields["tool"] is not None:
        fields["tool"] = Tool(**{**fields["tool"], "statuses": tuple(fields["tool"]["statuses"])})
    return Job(**fields)


def is_file(model: str) -> bool:
    """Whether a model is a file rather than a name of the zoo."""
    return Path(model).suffix != ""


def build_model(model: str, parameters: Mapping[str, str], reading: Mapping[str, Any], folder: str) -> Model:
    """The model of a job; raises what ``load`` and ``zoo.build`` raise, and BadOptions."""
    if is_file(model):
        if "secret_pairs" in reading:
            reading = {**reading, "secret_pairs": Path(folder, reading["secret_pairs"])}
        return load(Path(folder, model), on_note=lambda _: None, **reading)
    built, options = zoo.build(model, **parameters), Reading.of(**reading)
    options.only(COLLAPSING if isinstance(built, LabelledMarkovChain) else (), "a model of the zoo")
    return as_seen(built, options)


def placeholders(job: Job, model: str) -> dict[str, str]:
    """What a job fills into the command of a tool."""
    return {**job.parameters, **job.options, "model": model, "suite": job.folder}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ",".join(value)
