"""The names of what can be asked about chains, and of what computes it: one list of each."""

from __future__ import annotations

from typing import Literal, TypeVar

Kind = Literal["ld", "lgd", "bd", "kernel", "bisimilarity"]
"""The distances that bound δ, and the relations of what is at distance 0: see ``prover.distance``."""

DeltaKind = Literal["tv", "lv"]
"""δ itself, both ways round or one way: see ``prover.delta``."""

Engine = Literal["lp", "linear", "nonlinear"]
"""Linear programs, or formulas that Z3 answers: linear ones, or those of the papers."""

RELATIONS: tuple[Kind, ...] = ("kernel", "bisimilarity")
"""The kinds whose distance is 0 or 1."""

KINDS: tuple[Kind, ...] = ("ld", "lgd", "bd", *RELATIONS)
DELTA_KINDS: tuple[DeltaKind, ...] = ("tv", "lv")
ALL_KINDS: tuple[Kind | DeltaKind, ...] = ("ld", "lgd", "bd", "lv", "tv", *RELATIONS)

AUTO: Literal["auto"] = "auto"
"""The engine that is best for the question."""

FORMULA_ENGINES: tuple[Engine, ...] = ("linear", "nonlinear")
ENGINES: tuple[Engine | Literal["auto"], ...] = (AUTO, "lp", *FORMULA_ENGINES)

BOUNDS = ("both", "upper")
"""The sides of an interval that can be asked for."""

RELATED = ("one", "both", "some")
"""How pairs of secrets of a product can be related: see ``prover.product``."""

Name = TypeVar("Name", bound=str)


def known_name(given: object, names: tuple[Name, ...]) -> Name | None:
    """The name that was given, if it is one of these."""
    return next((name for name in names if name == given), None)
