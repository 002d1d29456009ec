"""The gallery's list: which mechanisms there are, where they come from, and what is declared of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, get_args

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadValue, UnknownName, did_you_mean, in_file, quoted
from prover.exact.given import given_rational
from prover.formats.dipa import read_dipa
from prover.formats.strict_json import JsonValue, as_list, as_object, as_text
from prover.formats.toml import at, read_toml, whole
from prover.language.files import function_in, model_in
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.model import Program

INDEX = "gallery.toml"

NOT_PRIVATE = "not private"
"""What a list declares of a mechanism that is private with no number."""

GalleryQuestion = Literal["epsilon", "delta", "alpha"]
"""The loss of a threshold program; δ of a chain at one α; the least α = e^ε at which δ of a chain is 0."""


@dataclass(frozen=True, slots=True)
class ListedStep:
    """Equal steps of a run, ``turns`` of them: what is seen, and what is read on each of two inputs."""

    output: str
    input: Fraction
    neighbour: Fraction
    turns: int


@dataclass(frozen=True, slots=True)
class Library:
    """What runs a mechanism: a package of the registry, and its first and last version that is concerned."""

    name: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class LibraryInputs:
    """Two neighbouring inputs as code of the library's own ``language``, which nothing here runs."""

    language: str
    code: str


@dataclass(frozen=True, slots=True)
class EveryCount:
    """A ``count`` among the parameters of a mechanism, and what is declared for every value of it.

    That is ``constant`` + ``each`` · count, as a multiple of the unit; both are None if the library states
    that there is no number.
    """

    count: str
    constant: Fraction | None
    each: Fraction | None


@dataclass(frozen=True, slots=True)
class Independent:
    """A number that was found without the prover, at most ``error`` from the exact one.

    It is what the entry's run loses, where one is listed, and the number that is asked for elsewhere; of a
    mechanism that is not private, a loss, or None if it is infinite. ``how`` says how it was found.
    """

    how: str
    number: Fraction | None
    error: Fraction | None
    written: str


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A mechanism as a library writes it.

    ``program`` is the name of a file beside the list, or of a function in one, FILE.py:NAME, with values for
    its ``constants``. Rates of a threshold program, and ``declared``, are multiples of ``unit``, which is
    written in the library's parameters. ``declared`` is what the library states about the number that
    ``question`` asks for, None if it states that there is none; ``alpha`` is where δ is asked for. Chains
    have no ``adjacency``: their secrets are the neighbouring data. ``line`` of ``file`` in ``repository``, at
    ``commit``, is where the number is declared, by the words ``quote``. ``reported`` says where a finding is
    known, or was looked for. ``steps`` are a run of a threshold program with two inputs that show a loss.
    The ``library`` can be run; elsewhere ``versions`` says in words which ones are concerned, and ``inputs``
    are two inputs as one would give them to it. ``independent`` is a second number. ``every`` is a count of a
    threshold program for whose values the number is a formula.
    """

    name: str
    title: str
    program: str
    constants: str
    question: GalleryQuestion
    adjacency: Adjacency | None
    alpha: Fraction | None
    unit: str
    declared: Fraction | None
    repository: str
    file: str
    line: int
    commit: str
    quote: str
    parameters: str
    claim: str
    note: str
    reported: str
    steps: tuple[ListedStep, ...]
    library: Library | None
    versions: str
    inputs: LibraryInputs | None
    independent: Independent | None
    every: EveryCount | None

    @property
    def address(self) -> str:
        """Where the line that declares the number is shown."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.file}#L{self.line}"

    def read(self, more: str = "") -> Program | LabelledMarkovChain:
        """The model itself, with ``more`` constants. Raises BadValue, and what ``read_dipa`` and ``model_in``
        raise."""
        file, _, function = self.program.partition(":")
        content = (folder() / file).read_bytes()
        if not function:
            return read_dipa(content.decode("utf-8"), file)
        constants = ",".join(filter(None, (self.constants, more)))
        model = model_in(function_in(content, function, file), constants, None)
        if not isinstance(model, Program | LabelledMarkovChain):
            raise BadValue(f"{self.program} asks its attacker", code="bad-declaration")
        return model


def folder() -> Traversable:
    """Where the list and its programs are: in a wheel inside the package, otherwise in the repository."""
    inside = files("prover") / "gallery" / "examples"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "examples" / "gallery"


def gallery() -> tuple[GalleryEntry, ...]:
    """All mechanisms, in the order of the list.

    Raises BadDocument, BadValue, UnknownName: the list is at fault.
    """
    with in_file(INDEX):
        text = (folder() / INDEX).read_text(encoding="utf-8")
        document = as_object(read_toml(text), "$", ("mechanism",))
        listed = as_list(document["mechanism"], "$.mechanism")
        return tuple(_entry(item, f"$.mechanism[{place}]") for place, item in enumerate(listed))


def chosen(names: Sequence[str]) -> tuple[GalleryEntry, ...]:
    """The mechanisms of these names, in the order of the list, or all if none is named.

    Raises UnknownName, and what ``gallery`` raises.
    """
    entries = gallery()
    known = [entry.name for entry in entries]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UnknownName(
                f"the gallery has no mechanism {quoted(name)}; {hint}it has {', '.join(known)}",
                code="unknown-mechanism",
            )
    return tuple(entry for entry in entries if not names or entry.name in names)


_TEXTS = (
    "name", "title", "program", "unit", "declared", "repository", "file", "commit", "quote", "parameters",
    "claim",
)  # fmt: skip
_OPTIONAL = ("adjacency", "alpha", "constants", "note", "question", "reported", "versions")
_PARTS = ("steps", "library", "inputs", "independent", "every")


def _entry(value: JsonValue, path: str) -> GalleryEntry:
    fields = as_object(value, path, (*_TEXTS, "line"), (*_OPTIONAL, *_PARTS))
    text = {
        key: " ".join(as_text(fields[key], f"{path}.{key}").split())
        for key in (*_TEXTS, *_OPTIONAL)
        if key in fields
    }
    steps = as_list(fields.get("steps", []), f"{path}.steps")
    with at(path):
        question = _question(text)
        return GalleryEntry(
            name=text["name"],
            title=text["title"],
            program=text["program"],
            constants=text.get("constants", ""),
            question=question,
            adjacency=given_adjacency(text["adjacency"]) if question == "epsilon" else None,
            alpha=_number(text["alpha"], "alpha", 1) if question == "delta" else None,
            unit=text["unit"],
            declared=_declared(text["declared"], question),
            repository=text["repository"],
            file=text["file"],
            line=whole(fields["line"], f"{path}.line", "the line"),
            commit=text["commit"],
            quote=text["quote"],
            parameters=text["parameters"],
            claim=text["claim"],
            note=text.get("note", ""),
            reported=text.get("reported", ""),
            steps=tuple(_step(step, f"{path}.steps[{place}]") for place, step in enumerate(steps)),
            library=_library(fields["library"], f"{path}.library") if "library" in fields else None,
            versions=text.get("versions", ""),
            inputs=_inputs(fields["inputs"], f"{path}.inputs") if "inputs" in fields else None,
            independent=_independent(fields["independent"], f"{path}.independent")
            if "independent" in fields
            else None,
            every=_every(fields["every"], f"{path}.every", text) if "every" in fields else None,
        )


def _library(value: JsonValue, path: str) -> Library:
    fields = as_object(value, path, ("name", "first", "last"))
    return Library(**{key: as_text(text, f"{path}.{key}") for key, text in fields.items()})


def _inputs(value: JsonValue, path: str) -> LibraryInputs:
    fields = as_object(value, path, ("language", "code"))
    texts = {key: as_text(text, f"{path}.{key}").strip("\n") for key, text in fields.items()}
    return LibraryInputs(**texts)


def _independent(value: JsonValue, path: str) -> Independent:
    fields = as_object(value, path, ("how",), ("number", "error"))
    text = {key: as_text(given, f"{path}.{key}") for key, given in fields.items()}
    with at(path):
        if text.keys() == {"how"}:
            return Independent(text["how"], None, None, "infinite")
        number, error = (_number(text.get(key, ""), f"the {key}", 0) for key in ("number", "error"))
        return Independent(text["how"], number, error, f"{text['number']} ± {text['error']}")


def _every(value: JsonValue, path: str, about: dict[str, str]) -> EveryCount:
    """A formula is declared just where a number is; raises BadValue."""
    declared = () if about["declared"] == NOT_PRIVATE else ("constant", "each")
    fields = as_object(value, path, ("count", *declared))
    text = {key: as_text(given, f"{path}.{key}") for key, given in fields.items()}
    with at(path):
        numbers = [_number(text[key], f"the {key}", 0) for key in declared]
    if "adjacency" not in about or ":" not in about["program"]:
        raise BadValue("every count needs a function of a threshold program", code="bad-declaration")
    return EveryCount(text["count"], *(numbers or (None, None)))


def _question(text: dict[str, str]) -> GalleryQuestion:
    """What is asked, with just the keys that this question needs; raises BadValue."""
    needs = {"epsilon": {"adjacency"}, "delta": {"alpha"}, "alpha": set[str]()}
    asked = text.get("question", "epsilon")
    questions: tuple[GalleryQuestion, ...] = get_args(GalleryQuestion)
    for question in questions:
        if asked == question:
            if needs[question] != text.keys() & {"adjacency", "alpha"}:
                wanted = " and ".join(needs[question]) or "neither adjacency nor alpha"
                raise BadValue(f"the question {asked} needs {wanted}", code="bad-declaration")
            return question
    raise BadValue(f"there is no question {quoted(asked)}", code="bad-declaration")


def _declared(text: str, question: GalleryQuestion) -> Fraction | None:
    least = 1 if question == "alpha" else 0
    return None if text == NOT_PRIVATE else _number(text, "the declared number", least)


def _number(text: str, what: str, least: int) -> Fraction:
    return given_rational(text, what, "bad-declaration", at_least=least)


def _step(value: JsonValue, path: str) -> ListedStep:
    fields = as_object(value, path, ("output",), ("input", "neighbour", "turns"))
    sides = []
    for side in ("input", "neighbour"):
        with at(f"{path}.{side}"):
            given = as_text(fields.get(side, "0"), f"{path}.{side}")
            sides.append(given_rational(given, f"the {side}", "bad-declaration"))
    turns = whole(fields["turns"], f"{path}.turns", "the number of turns") if "turns" in fields else 1
    return ListedStep(as_text(fields["output"], f"{path}.output"), sides[0], sides[1], turns)
