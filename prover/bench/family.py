"""Families of a suite: jobs that belong together, listed or growing, and what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from prover.bench.job import TOOL, Job, build_model, is_file
from prover.bench.question import QUESTIONS, JobQuestion
from prover.bench.result import INFINITE
from prover.bench.tool import ALWAYS, Tool, check_placeholders
from prover.chain.kinds import AUTO
from prover.errors import BadDocument, NotSupported, UnknownName, quoted
from prover.exact.rational import format_rational, parse_rational
from prover.formats.reading import Reading
from prover.formats.strict_json import (
    JsonObject,
    JsonValue,
    as_list,
    as_object,
    as_rational,
    as_text,
    missing_key,
)
from prover.formats.toml import at, out_of_range, scalar, scalars, texts, whole
from prover.program.model import Program
from prover.zoo import UnknownParameter, parameters_of

_LIMITS = ("timeout", "memory", "repeat")
_READING = Reading.names()
_ASKED = (
    "model",
    "parameters",
    *_READING,
    "question",
    "options",
    "engines",
    "expected",
    "reason",
    "tolerance",
)


@dataclass(frozen=True, slots=True)
class JobLimits:
    """Seconds and MiB of one run, and how many runs there are of each job."""

    timeout: float = 60.0
    memory: int = 2048
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Setting:
    """What all families of a suite share."""

    suite: str
    folder: str
    tools: Mapping[str, Tool]
    limits: JobLimits


@dataclass(frozen=True, slots=True)
class Lane:
    """Jobs that are done one after the other. A lane that grows ends when one of its jobs meets a limit."""

    jobs: tuple[Job, ...]
    grows: bool


def read_limits(table: JsonObject, path: str, outer: JobLimits | None = None) -> JobLimits:
    """The limits that a table sets, the others as ``outer`` has them."""
    limits = outer or JobLimits()
    if "timeout" in table:
        limits = replace(limits, timeout=_duration(table["timeout"], f"{path}.timeout"))
    if "memory" in table:
        limits = replace(limits, memory=whole(table["memory"], f"{path}.memory", "a memory limit in MiB"))
    if "repeat" in table:
        limits = replace(limits, repeat=whole(table["repeat"], f"{path}.repeat", "a number of runs"))
    return limits


def read_family(value: JsonValue, setting: Setting, path: str) -> Iterator[Lane]:
    """The lanes of a family: one for each engine for its jobs with a size, else one for each job and engine.

    Jobs with a size come from ``grow``, or are listed, each with its own.
    """
    family = as_object(value, path, ("name",), ("about", *_LIMITS, *_ASKED, "grow", "job"))
    as_text(family.get("about", ""), f"{path}.about")
    if "grow" in family and "job" in family:
        raise BadDocument(
            "a family either grows or lists its jobs; leave out one of the two",
            path=path,
            code="grows-and-lists",
        )
    own = replace(setting, limits=read_limits(family, path, setting.limits))
    if "grow" in family:
        yield from _growing(family, own, path)
        return
    jobs = as_list(family["job"], f"{path}.job") if "job" in family else [{}]
    if not jobs:
        raise no_jobs("job", f"{path}.job")
    sized: dict[str, list[Job]] = {}
    for index, job in enumerate(jobs):
        where = f"{path}.job[{index}]" if "job" in family else path
        given = as_object(job, where, (), ("name", "size", *_LIMITS, *_ASKED))
        size = whole(given["size"], f"{where}.size", "a size") if "size" in given else None
        limits = replace(own, limits=read_limits(given, where, own.limits))
        query = _Query.of(family, path, given, where)
        query.check_model(setting.folder)
        for engine in query.engines:
            runs = runs_of(query.job(limits, engine, size), limits.limits.repeat)
            if size is None:
                yield Lane(runs, grows=False)
            else:
                sized.setdefault(engine, []).extend(runs)
    for growing in sized.values():
        yield Lane(tuple(growing), grows=True)


def _growing(family: JsonObject, setting: Setting, path: str) -> Iterator[Lane]:
    where = f"{path}.grow"
    grow = as_object(family["grow"], where, ("parameter", "values"), ("sizes",))
    parameter = as_text(grow["parameter"], f"{where}.parameter")
    values = [
        scalar(value, f"{where}.values[{index}]")
        for index, value in enumerate(as_list(grow["values"], f"{where}.values"))
    ]
    if not values:
        raise no_jobs("value", f"{where}.values")
    sizes = _sizes(grow, values, where)
    steps = [_Query.of(family, path, {"parameters": {parameter: value}}, where) for value in values]
    steps[0].check_model(setting.folder)
    for engine in steps[0].engines:
        jobs: list[Job] = []
        for step, size in zip(steps, sizes, strict=True):
            jobs += runs_of(step.job(setting, engine, size), setting.limits.repeat)
        yield Lane(tuple(jobs), grows=True)


def _sizes(grow: JsonObject, values: list[str], path: str) -> list[int]:
    if "sizes" in grow:
        where = f"{path}.sizes"
        given = as_list(grow["sizes"], where)
        if len(given) != len(values):
            raise BadDocument(
                f"there are {len(given)} sizes for {len(values)} values; give one for each",
                path=where,
                code="sizes-do-not-match",
            )
        return [whole(size, f"{where}[{index}]", "a size") for index, size in enumerate(given)]
    for index, value in enumerate(values):
        if not (value.isascii() and value.isdigit()):
            raise BadDocument(
                f"value {quoted(value)} is not a whole number; give its size with sizes",
                path=(f"{path}.values[{index}]"),
                code="no-sizes",
            )
    return [int(value) for value in values]


def runs_of(job: Job, count: int) -> tuple[Job, ...]:
    """The job so many times."""
    return tuple(replace(job, run=run) for run in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class _Query:
    """What a job asks: what its family says, and over it what the job itself says."""

    fields: JsonObject
    path: str
    family: str

    @classmethod
    def of(cls, family: JsonObject, family_path: str, job: JsonObject, path: str) -> _Query:
        fields: JsonObject = {key: family[key] for key in _ASKED if key in family}
        for key, value in job.items():
            if key in ("parameters", "options") and key in fields:
                over: JsonObject = {**scalars(value, f"{path}.{key}")}
                fields[key] = {**scalars(fields[key], f"{family_path}.{key}"), **over}
            else:
                fields[key] = value
        for key in ("model", "question"):
            if key not in fields:
                raise missing_key(key, path)
        return cls(fields, path, as_text(family["name"], f"{family_path}.name"))

    def text(self, key: str, default: str = "") -> str:
        return as_text(self.fields.get(key, default), f"{self.path}.{key}")

    @property
    def parameters(self) -> dict[str, str]:
        return scalars(self.fields.get("parameters", {}), f"{self.path}.parameters")

    @property
    def reading(self) -> dict[str, Any]:
        """How the model is read; raises BadOptions."""
        given: dict[str, Any] = {name: self.fields[name] for name in _READING if name in self.fields}
        with at(self.path):
            Reading.of(**given)
        return given

    @property
    def engines(self) -> list[str]:
        found = texts(self.fields.get("engines", [AUTO]), f"{self.path}.engines")
        if not found:
            raise no_jobs("engine", f"{self.path}.engines")
        return found

    @property
    def question(self) -> JobQuestion:
        name = self.text("question")
        if name not in QUESTIONS:
            raise UnknownName(
                f"there is no question {quoted(name)}; the questions are {', '.join(tuple(QUESTIONS))}",
                path=(f"{self.path}.question"),
                code="unknown-question",
            )
        return QUESTIONS[name]

    @property
    def options(self) -> dict[str, str]:
        found = scalars(self.fields.get("options", {}), f"{self.path}.options")
        known = self.question.options
        for name, text in found.items():
            where = f"{self.path}.options.{name}"
            if name not in known:
                raise UnknownName(
                    f"{self.question.name} has no option {quoted(name)}; its options are "
                    f"{', '.join(tuple(known))}",
                    path=(f"{self.path}.options"),
                    code="unknown-option",
                )
            with at(where):
                known[name](name, text)
        return found

    def check_model(self, folder: str) -> None:
        """Build the model, and ask whether the question makes sense for it."""
        name = self.text("model")
        with at(f"{self.path}.model"):
            if is_file(name) and self.parameters:
                raise UnknownParameter(name, min(self.parameters), ())
            model = build_model(name, self.parameters, self.reading, folder)
        question = self.question
        if not isinstance(model, question.kind):
            wanted = "threshold program" if question.kind is Program else "Markov chain"
            raise NotSupported(
                f"{question.name} is a question about a {wanted}, which this model is not",
                path=(f"{self.path}.model"),
                code="wrong-model",
            )
        with at(f"{self.path}.options"):
            question.check(model, self.options)

    def job(self, setting: Setting, engine: str, size: int | None) -> Job:
        """The first run of the job with one engine."""
        name, parameters, options = self.text("model"), self.parameters, self.options
        if not is_file(name):
            with at(f"{self.path}.parameters"):
                known = parameters_of(name)
                for parameter in parameters:
                    if parameter not in known:
                        raise UnknownParameter(name, parameter, tuple(known))
        tool = self.tool(engine, setting.tools)
        if tool is not None:
            fills = {*ALWAYS, *parameters, *options}
            check_placeholders(tool, fills, f"$.tool.{tool.name}.command")
        return Job(
            suite=setting.suite,
            family=self.family,
            name=self.text("name"),
            model=name,
            parameters=parameters,
            reading=self.reading,
            question=self.question.name,
            options=options,
            engine=engine,
            size=size,
            expected=self.expected(),
            expected_reason=self.text("reason") or None,
            tolerance=self.number("tolerance", "0"),
            timeout=setting.limits.timeout,
            memory=setting.limits.memory,
            run=1,
            folder=setting.folder,
            tool=tool,
        )

    def tool(self, engine: str, tools: Mapping[str, Tool]) -> Tool | None:
        """The tool that is meant by an engine, or None if it is one of ours."""
        named = {TOOL + name: tool for name, tool in tools.items()}
        known = self.question.engines
        if engine not in known and engine not in named:
            raise UnknownName(
                f"{self.question.name} has no engine {quoted(engine)}; here it has "
                f"{', '.join((*known, *named))}",
                path=(f"{self.path}.engines"),
                code="unknown-engine",
            )
        return named.get(engine)

    def expected(self) -> str | None:
        """The value that is expected, in lowest terms, or "inf"."""
        if "expected" not in self.fields:
            return None
        if self.question.is_table:
            raise NotSupported(
                f"the answer of {self.question.name} is a table, so no single value can be expected",
                path=(f"{self.path}.expected"),
                code="nothing-to-expect",
            )
        if self.fields["expected"] == INFINITE:
            return INFINITE
        return self.number("expected", "")

    def number(self, key: str, default: str) -> str:
        where = f"{self.path}.{key}"
        with at(where):
            return format_rational(parse_rational(scalar(self.fields.get(key, default), where)))


def _duration(value: JsonValue, path: str) -> float:
    """A number of seconds; raises BadDocument, BadValue and what ``parse_rational`` raises."""
    seconds = as_rational(value, path)
    if not 0 < seconds <= 10**9:
        raise out_of_range("a time limit", str(value), "more than 0 seconds and at most 1000000000", path)
    return float(seconds)


def no_jobs(what: str, path: str) -> BadDocument:
    """A suite has no family, or a family no job."""
    return BadDocument(f"there is no {what} here; a suite has at least one", path=path, code="no-jobs")
