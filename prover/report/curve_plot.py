"""Curves of δ as pictures, through matplotlib where that is installed."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prover.errors import BadInput, shown
from prover.exact.rational import parse_rational

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Json = Mapping[str, Any]

SUFFIXES = (".svg", ".png")
_MOST_DIGITS = 1_000_000
_BLUE, _RED, _ORANGE = "#1f77b4", "#d62728", "#ff7f0e"
_BOUNDS = (
    # key, name, colour, marker, style of the line: as in Fig. 4(b) of the CONCUR 2019 paper
    ("bd", "bd", _BLUE, "o", "-"),
    ("ld", "ld", _RED, "s", "-"),
    ("ld_least", "least ld at smaller α", _RED, "", ":"),
)


class UnknownPlot(BadInput):
    """The name of a file for a curve does not end in .svg or .png."""

    def __init__(self, file: str) -> None:
        super().__init__("a curve is drawn to a .svg or .png file", file=file)


class NoMatplotlib(BadInput):
    """A curve is to be drawn, and matplotlib is not installed."""

    def __init__(self, file: str) -> None:
        message = "drawing needs matplotlib, which is not installed: install the extra, privacy-prover[plot]"
        super().__init__(message, file=file)


def check_plot(file: str) -> None:
    """Refuse early what cannot be drawn; raises UnknownPlot and NoMatplotlib."""
    form_of(file)
    if importlib.util.find_spec("matplotlib") is None:
        raise NoMatplotlib(file)


def form_of(file: str) -> str:
    """The form of picture, "svg" or "png", that the name of a file asks for; - is an SVG.

    Raises UnknownPlot.
    """
    suffix = ".svg" if file == "-" else Path(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise UnknownPlot(file)
    return suffix[1:]


def picture(found: Json, form: str) -> bytes:
    """The picture of a curve's JSON object as "svg" or "png"; the same curve gives the same bytes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    metadata = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[form]
    # Without a fixed salt the names inside an SVG are random.
    with mpl.rc_context({"svg.hashsalt": "prover", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(7.2, 4.5), layout="constrained")
        axes = figure.add_subplot()
        _curves(axes, found)
        out = io.BytesIO()
        figure.savefig(out, format=form, metadata=metadata, dpi=150)
    return out.getvalue()


def _curves(axes: Axes, found: Json) -> None:
    rows = found["rows"]
    alphas = [_place(row["alpha"]) for row in rows]
    for key, name, colour, marker, line in _BOUNDS:
        if any(row[key] is not None for row in rows) and not _covered(key, rows):
            values = [_place(row[key]) for row in rows]
            axes.plot(alphas, values, label=name, color=colour, marker=marker, linestyle=line, markersize=5)
    lower, upper = ([_place(row[key]) for row in rows] for key in ("lower", "upper"))
    name = "δ" if found["kind"] == "delta" else found["kind"]
    if found["breakpoints"] is not None:
        _exact_curve(axes, list(zip(alphas, upper, strict=True)), found["breakpoints"], f"{name} (exact)")
    else:
        # Chords of upper ends bound a convex function; chords of lower ends do not, so these are points.
        axes.plot(alphas, upper, color=_ORANGE, marker="^", markersize=6, label=f"{name}, upper end")
        axes.plot(alphas, lower, color=_ORANGE, marker="v", linestyle="", label=f"{name}, lower end")
    axes.set_xlabel("α = exp(ε)")
    axes.set_ylabel("δ and its bounds")
    highest = max(
        (_place(row[key]) for row in rows for key in ("upper", "ld", "bd") if row[key]), default=1.0
    )
    axes.set_ylim(0, 1.08 * (highest or 1.0))
    axes.grid(visible=True, alpha=0.3)
    axes.set_title(_title(found), fontsize=10)
    axes.legend()


def _exact_curve(
    axes: Axes, points: list[tuple[float, float]], breakpoints: Sequence[tuple[str, str]], name: str
) -> None:
    """Straight lines between the breakpoints are exact; points of the grid alone would cut corners."""
    corners = [(_place(alpha), _place(value)) for alpha, value in breakpoints]
    inside = [corner for corner in corners if points and points[0][0] < corner[0] < points[-1][0]]
    line = sorted([*points, *inside])
    axes.plot([alpha for alpha, _ in line], [value for _, value in line], color=_ORANGE)
    at, values = [alpha for alpha, _ in points], [value for _, value in points]
    axes.plot(at, values, color=_ORANGE, marker="^", linestyle="", markersize=6)
    axes.plot([], [], color=_ORANGE, marker="^", markersize=6, label=name)


def _covered(key: str, rows: list[Json]) -> bool:
    """Whether a line would lie on another one."""
    return key == "ld_least" and all(row["ld_least"] == row["ld"] for row in rows)


def _title(found: Json) -> str:
    if found["from"] is None:
        return "the largest of the relation"
    arrow = "and" if found["kind"] == "delta" else "to"
    # A dollar sign would begin a formula.
    return shown(f"{found['from']} {arrow} {found['to']}").replace("$", r"\$")


def _place(text: str) -> float:
    return float(_rational(text))


def _rational(text: str) -> Fraction:
    return parse_rational(text, _MOST_DIGITS)
