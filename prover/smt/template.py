"""The formulas of the papers: the templates in encodings/, filled in."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

ENDING = ".smt2"


def templates() -> Traversable:
    """The folder of templates: in an installed wheel inside the package, otherwise in the repository."""
    inside = files("prover") / "encodings"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "encodings"


def render(problem: str, **values: Any) -> str:
    """The formula of a problem, as SMT-LIB 2 text, with the given values in its template.

    Templates are SMT-LIB 2 with Jinja2: ``;%`` begins a line of instructions, ``{{ }}`` encloses a value. A
    value that the template needs and that is not given is a jinja2.UndefinedError.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701  formulas, not web pages
        undefined=StrictUndefined,
        line_statement_prefix=";%",
        line_comment_prefix=";#",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = (templates() / f"{problem}{ENDING}").read_text(encoding="utf-8")
    return environment.from_string(text).render(**values)


def number(value: Any) -> str:
    """A rational number as an SMT-LIB 2 term of sort Real."""
    top, bottom = value.numerator, value.denominator
    size = f"{abs(top)}.0" if bottom == 1 else f"(/ {abs(top)}.0 {bottom}.0)"
    return f"(- {size})" if top < 0 else size
