"""Curves of δ as pictures, through matplotlib where that is installed."""

from __future__ import annotations

import importlib.util
import io
import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prover.errors import BadInput, shown
from prover.exact.rational import parse_rational

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Json = Mapping[str, Any]

FORMS = ("svg", "png")
_MOST_DIGITS = 1_000_000
_STEPS = 40  # that a line is drawn in where axes bend it
_LEAST = 1e-9  # below which no logarithm is taken
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
    form = "svg" if file == "-" else Path(file).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise UnknownPlot(file)
    return form


def picture(found: Json, form: str, *, log: bool = False, title: str | None = None) -> bytes:
    """The picture of a curve's JSON object as "svg" or "png"; the same curve gives the same bytes.

    Its axis is ε where that was given, and α otherwise, with ε above it; ``log`` asks for a logarithmic axis
    of δ, and ``title`` takes the place of the pair of states.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    metadata = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[form]
    # Without a fixed salt the names inside an SVG are random.
    with mpl.rc_context({"svg.hashsalt": "prover", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(7.2, 4.5), layout="constrained")
        axes = figure.add_subplot()
        _curves(axes, found, _title(found) if title is None else title, log=log)
        out = io.BytesIO()
        figure.savefig(out, format=form, metadata=metadata, dpi=150)
    return out.getvalue()


def _curves(axes: Axes, found: Json, title: str, *, log: bool) -> None:
    rows = found["rows"]
    by_epsilon = any(row["alpha"] is None for row in rows)
    alphas = [_place(row["alpha"] or row["alpha_upper"]) for row in rows]

    def across(points: Sequence[float]) -> list[float]:
        return [math.log(alpha) for alpha in points] if by_epsilon else list(points)

    for key, name, colour, marker, line in _BOUNDS:
        if any(row[key] is not None for row in rows) and not _covered(key, rows):
            values = [_place(row[key]) for row in rows]
            axes.plot(
                across(alphas), values, label=name, color=colour, marker=marker, linestyle=line, markersize=5
            )
    lower, upper = ([_place(row[key]) for row in rows] for key in ("lower", "upper"))
    name = "δ" if found["kind"] == "delta" else found["kind"]
    exact = found["breakpoints"] is not None
    # Chords of upper ends bound what is convex in α; chords of lower ends do not, so these are points.
    ends, corners = list(zip(alphas, upper, strict=True)), found["breakpoints"] or []
    path = _lines(ends, corners, bent=by_epsilon or log)
    axes.plot(across([alpha for alpha, _ in path]), [value for _, value in path], color=_ORANGE)
    axes.plot(across(alphas), upper, color=_ORANGE, marker="^", linestyle="", markersize=6)
    label = f"{name} (exact)" if exact else f"{name}, upper end"
    axes.plot([], [], color=_ORANGE, marker="^", markersize=6, label=label)
    if not exact:
        axes.plot(across(alphas), lower, color=_ORANGE, marker="v", linestyle="", label=f"{name}, lower end")
    _scales(axes, rows, by_epsilon=by_epsilon, log=log)
    axes.grid(visible=True, alpha=0.3)
    axes.set_title(title, fontsize=10)
    axes.legend()


def _scales(axes: Axes, rows: Sequence[Json], *, by_epsilon: bool, log: bool) -> None:
    axes.set_ylabel("δ and its bounds")
    axes.set_xlabel("ε" if by_epsilon else "α = exp(ε)")
    values = [_place(row[key]) for row in rows for key in ("upper", "ld", "bd") if row[key]]
    highest = max(values, default=1.0) or 1.0
    if log:  # 0 has no place there
        axes.set_yscale("log")
        axes.set_ylim(min([value for value in values if value > 0], default=highest) / 2, 2 * highest)
    else:
        axes.set_ylim(0, 1.08 * highest)
    if not by_epsilon and rows:
        above = axes.secondary_xaxis("top", functions=(_logarithms, _powers))
        above.set_xlabel("ε")


def _logarithms(alphas: Any) -> Any:
    import numpy as np

    return np.log(np.maximum(alphas, _LEAST))


def _powers(epsilons: Any) -> Any:
    import numpy as np

    return np.exp(epsilons)


def _lines(
    points: list[tuple[float, float]], breakpoints: Sequence[tuple[str, str]], *, bent: bool
) -> list[tuple[float, float]]:
    """What is linear in α between the points, and the breakpoints among them, where points of the grid alone
    would cut corners; with many more points where the axes bend straight lines.
    """
    corners = [(_place(alpha), _place(value)) for alpha, value in breakpoints]
    inside = [corner for corner in corners if points and points[0][0] < corner[0] < points[-1][0]]
    line = sorted([*points, *inside])
    if not bent:
        return line
    found = line[:1]
    for (left, high), (right, low) in itertools.pairwise(line):
        steps = [step / _STEPS for step in range(1, _STEPS + 1)]
        found += [(left + (right - left) * part, high + (low - high) * part) for part in steps]
    return found


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
