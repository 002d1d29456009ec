"""The gallery's list: which mechanisms there are, where they come from, and what is declared of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from prover.errors import UnknownName, did_you_mean, in_file, quoted
from prover.exact.given import given_rational
from prover.formats.dipa import read_dipa
from prover.formats.strict_json import JsonValue, as_list, as_object, as_text
from prover.formats.toml import at, read_toml, whole
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.model import Program

INDEX = "gallery.toml"


@dataclass(frozen=True, slots=True)
class ListedStep:
    """Equal steps of a run, ``turns`` of them: what is seen, and what is read on each of two inputs."""

    output: str
    input: Fraction
    neighbour: Fraction
    turns: int


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A mechanism as a library writes it.

    ``program`` is the name of a file beside the list; its rates, and ``declared``, the loss that the library
    states, are multiples of ``unit``, which is written in the library's parameters. ``file`` of
    ``repository``, at ``commit``, is where the mechanism stands. ``steps`` are a run with two inputs that
    show a loss, where that is another one than is declared.
    """

    name: str
    title: str
    program: str
    adjacency: Adjacency
    unit: str
    declared: Fraction
    repository: str
    file: str
    commit: str
    parameters: str
    claim: str
    note: str
    steps: tuple[ListedStep, ...]

    def read(self) -> Program:
        """The program itself. Raises what ``read_dipa`` raises."""
        text = (folder() / self.program).read_text(encoding="utf-8")
        return read_dipa(text, self.program)


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
    "name", "title", "program", "adjacency", "unit", "declared", "repository", "file", "commit", "parameters",
    "claim",
)  # fmt: skip


def _entry(value: JsonValue, path: str) -> GalleryEntry:
    fields = as_object(value, path, _TEXTS, ("note", "steps"))
    text = {
        key: " ".join(as_text(found, f"{path}.{key}").split())
        for key, found in fields.items()
        if key != "steps"
    }
    steps = as_list(fields.get("steps", []), f"{path}.steps")
    with at(path):
        return GalleryEntry(
            name=text["name"],
            title=text["title"],
            program=text["program"],
            adjacency=given_adjacency(text["adjacency"]),
            unit=text["unit"],
            declared=given_rational(text["declared"], "the declared loss", "bad-declaration", at_least=0),
            repository=text["repository"],
            file=text["file"],
            commit=text["commit"],
            parameters=text["parameters"],
            claim=text["claim"],
            note=text.get("note", ""),
            steps=tuple(_step(step, f"{path}.steps[{place}]") for place, step in enumerate(steps)),
        )


def _step(value: JsonValue, path: str) -> ListedStep:
    fields = as_object(value, path, ("output",), ("input", "neighbour", "turns"))
    sides = []
    for side in ("input", "neighbour"):
        with at(f"{path}.{side}"):
            given = as_text(fields.get(side, "0"), f"{path}.{side}")
            sides.append(given_rational(given, f"the {side}", "bad-declaration"))
    turns = whole(fields["turns"], f"{path}.turns", "the number of turns") if "turns" in fields else 1
    return ListedStep(as_text(fields["output"], f"{path}.output"), sides[0], sides[1], turns)
