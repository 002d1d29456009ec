"""Charts and bars: where things are drawn, checked against the numbers that they stand for."""

from __future__ import annotations

import re
from fractions import Fraction as F
from xml.etree.ElementTree import Element

import pytest

from prover.report.picture.bars import Bar, Compared, drawn_bars
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart, power_text


def paths(drawn: Element, look: str) -> list[list[tuple[float, float]]]:
    """The points of all lines of this look, without those of the legend."""
    found = [part.get("d", "") for part in drawn.iter("path") if part.get("class") == look]
    lines = [[tuple(map(float, point.split())) for point in re.split("[ML]", line)[1:]] for line in found]
    return [[(x, y) for x, y in line] for line in lines[:-1]]


def chart(points: list[tuple[float, float]], floor: float) -> Element:
    return drawn_chart(Chart("a title", "x", "y", [ChartSeries("a line", points)], floor=floor))


def labels(drawn: Element) -> list[str]:
    return [part.text or "" for part in drawn.iter("text") if part.get("text-anchor") == "end"]


def test_a_logarithmic_axis() -> None:
    drawn = chart([(0, 1), (1, 0.1), (2, 0.01), (3, 1e-5)], 1e-5)
    (line,) = paths(drawn, "curve")
    heights = [y for _, y in line]
    decade = heights[1] - heights[0]
    assert heights[2] - heights[1] == pytest.approx(decade, abs=0.01)
    assert heights[3] - heights[2] == pytest.approx(3 * decade, abs=0.01)
    assert {"10⁻⁵", "0.1", "1"} <= set(labels(drawn))


def test_what_is_below_the_floor_is_left_out() -> None:
    (first, second) = paths(chart([(0, 1), (1, 0.5), (2, 0), (3, 0), (4, 0.5), (5, 1)], 0.1), "curve")
    across = first[1][0] - first[0][0]
    # From 1/2 to 0 the line meets 1/10 after 4/5 of the way.
    assert first[2][0] - first[1][0] == pytest.approx(0.8 * across, abs=0.01)
    assert second[1][0] - second[0][0] == pytest.approx(0.8 * across, abs=0.01)
    assert first[2][1] == second[0][1] == max(y for _, y in [*first, *second])
    assert paths(chart([(0, 1), (1, 0), (2, 0)], 0.5), "curve")[0][-1][0] < across * 2 + first[0][0]
    assert paths(chart([(0, 0)], 0.5), "curve") == []


def test_one_height_is_in_an_axis_of_a_decade() -> None:
    drawn = chart([(0, 0.2), (1, 0.2)], 0.2)
    assert set(labels(drawn)) >= {"0.1", "1"}


def test_the_name_of_the_axis_is_within_the_picture() -> None:
    def begin(name: str) -> tuple[str | None, str | None]:
        drawn = drawn_chart(Chart("a title", "x", name, [ChartSeries("", [(0, 0), (1, 1)])]))
        (text,) = (part for part in drawn.iter("text") if part.text == name)
        return text.get("x"), text.get("text-anchor")

    assert begin("δ")[1] == "end"
    assert begin("the loss between two neighbours") == ("0", "start")


def test_bars_are_as_long_as_they_say() -> None:
    one = Compared("seen", Bar("first", F(2, 3)), Bar("second", F(2, 5)))
    other = Compared("not", Bar("first", F(1, 3)), Bar("second", F(4, 5)))
    assert (one.excess, other.excess) == (F(4, 15), F(0))
    drawn = drawn_bars([one, other], "together 4/15", "a title")
    by_look = {
        look: [part for part in drawn.iter("rect") if part.get("class") == look and part.get("width") != "10"]
        for look in ("track", "share", "rest", "beyond")
    }
    whole = float(by_look["track"][0].get("width", ""))

    def shares(look: str) -> list[float]:
        return [float(part.get("width", "")) / whole for part in by_look[look]]

    assert shares("share") == pytest.approx([2 / 3, 1 / 3])
    assert shares("rest") == pytest.approx([2 / 5, 4 / 5])
    assert shares("beyond") == pytest.approx([4 / 15])
    assert float(by_look["beyond"][0].get("x", "")) / whole == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("factor", "decade", "text"),
    [
        (1, 0, "1"), (5, 4, "50,000"), (1, 5, "10⁵"), (2, -1, "0.2"), (1, -3, "0.001"), (2, -4, "2·10⁻⁴"),
        (1, 12, "10¹²"),
    ],
)  # fmt: skip
def test_ticks(factor: int, decade: int, text: str) -> None:
    assert power_text(factor, decade) == text
