"""The formulas of the papers: the templates in encodings/, filled in."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prover.errors import UnknownName, quoted
from prover.exact.rational import format_rational

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jinja2 import Template

ENDING = ".smt2"


def unknown_problem(problem: str, known: Iterable[str]) -> UnknownName:
    """A formula is asked for that there is no template of."""
    return UnknownName(
        f"unknown problem {quoted(problem)}; the problems are {', '.join(known)}", code="unknown-problem"
    )


def templates() -> Traversable:
    """The folder of templates: in an installed wheel inside the package, otherwise in the repository."""
    from importlib.resources import files

    inside = files("prover") / "encodings"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "encodings"


def names() -> tuple[str, ...]:
    """The problems that have a template, in code point order."""
    found = (entry.name for entry in templates().iterdir())
    return tuple(sorted(name.removesuffix(ENDING) for name in found if name.endswith(ENDING)))


def render(problem: str, **values: object) -> str:
    """The formula of a problem, as SMT-LIB 2 text, with the given values in its template.

    Templates are SMT-LIB 2 with Jinja2: ``;%`` begins a line of instructions, ``{{ }}`` encloses a value,
    which the filter ``number`` writes as a term; the filters ``added`` and ``conjoined`` join the terms that
    they enclose. A value that the template needs and that is not given is a jinja2.UndefinedError.
    """
    return _template(problem).render(**values)


@cache
def _template(problem: str) -> Template:
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
    environment.filters |= {"number": number, "added": added, "conjoined": conjoined}
    text = (templates() / f"{problem}{ENDING}").read_text(encoding="utf-8")
    return environment.from_string(text)


def number(value: Any) -> str:
    """A rational number as an SMT-LIB 2 term of sort Real."""
    top, bottom = (format_rational(Fraction(part)) for part in (value.numerator, value.denominator))
    above = f"(- {top.removeprefix('-')}.0)" if value < 0 else f"{top}.0"
    return above if bottom == "1" else f"(/ {above} {bottom}.0)"


def added(terms: str) -> str:
    """The sum of the terms, of sort Real, that stand in a text one after the other; there may be none."""
    return _joined("+", [term for term in _split(terms) if term != "0.0"] or ["0.0"])


def conjoined(terms: str) -> str:
    """The conjunction of the terms, of sort Bool, that stand in a text one after the other."""
    return _joined("and", _split(terms) or ["true"])


def _split(terms: str) -> list[str]:
    found: list[str] = []
    depth = 0
    for word in terms.split():
        if depth:
            found[-1] += f" {word}"
        else:
            found.append(word)
        depth += word.count("(") - word.count(")")
    return found


def _joined(operator: str, terms: list[str]) -> str:
    # SMT-LIB has no sums and conjunctions of one term.
    return terms[0] if len(terms) == 1 else f"({operator} {' '.join(terms)})"
