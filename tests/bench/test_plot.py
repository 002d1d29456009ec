"""Plots: where points are, what stands at the axes, and texts that cannot break out."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from prover.bench.plot import Series, log_plot
from prover.report.picture.chart import power_text

LINE = Series("line", ((1.0, 0.01), (10.0, 1.0), (100.0, 100.0)))


def drawn(*series: Series) -> ElementTree.Element:
    return ElementTree.fromstring(log_plot(series, "size", "seconds"))  # noqa: S314  it is ours


def test_a_power_law_is_a_straight_line() -> None:
    (line,) = drawn(LINE).findall("polyline")
    (x1, y1), (x2, y2), (x3, y3) = (
        [float(c) for c in point.split(",")] for point in line.attrib["points"].split()
    )
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2)
    assert x1 < x2
    assert y1 > y2


def test_everything_is_inside() -> None:
    picture = drawn(LINE, Series("far", ((0.003, 5e7),), missed=(1e6,)))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for circle in picture.findall("circle"):
        assert 0 <= float(circle.attrib["cx"]) <= width
        assert 0 <= float(circle.attrib["cy"]) <= height
    assert len(picture.findall("circle")) == 4
    assert len(picture.findall("path")) == 1


def test_marks_of_long_axes_are_powers_of_ten() -> None:
    texts = [label.text for label in drawn(LINE).findall("text")]
    assert {"1", "10", "100", "0.01", "0.1", "size", "seconds"} <= set(texts)


def test_axes_end_at_round_numbers() -> None:
    texts = [label.text for label in drawn(Series("one", ((3.0, 70.0), (18.0, 90.0)))).findall("text")]
    assert texts == ["2", "5", "10", "20", "50", "100", "size", "seconds"]


@pytest.mark.parametrize(
    ("factor", "decade", "text"),
    [
        (1, 0, "1"), (5, 4, "50,000"), (1, 5, "10⁵"), (2, -1, "0.2"), (1, -3, "0.001"), (2, -4, "2·10⁻⁴"),
        (1, 12, "10¹²"),
    ],
)  # fmt: skip
def test_ticks(factor: int, decade: int, text: str) -> None:
    assert power_text(factor, decade) == text


def test_a_single_point() -> None:
    assert len(drawn(Series("one", ((5.0, 5.0),))).findall("circle")) == 1


def test_dashes_and_colours_tell_series_apart() -> None:
    lines = drawn(LINE, Series("other", LINE.points, 1, dashed=True)).findall("polyline")
    assert [("stroke-dasharray" in line.attrib) for line in lines] == [False, True]
    assert len({line.attrib["stroke"] for line in lines}) == 2


def test_names_are_escaped() -> None:
    text = log_plot([Series('<b>"&', LINE.points)], "<i>", "<u>")
    assert not re.search("<[biu]>", text)
    ElementTree.fromstring(text)  # noqa: S314  it is ours
