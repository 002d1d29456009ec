"""Words on the arrows of pictures have room, bold ones too."""

from __future__ import annotations

import pytest

from prover.report.picture.graph import DrawnLine, DrawnNode, drawn_graph
from prover.report.picture.svg import text_width

WORDS = "out of the ordinary"


@pytest.mark.parametrize(("hot", "times"), [(False, 1.0), (True, 1.15)])
def test_words_on_loops_are_within_the_picture(hot: bool, times: float) -> None:
    drawn = drawn_graph([DrawnNode(("q",))], [DrawnLine(0, 0, (WORDS,), hot)], [0], "a loop")
    left, _, width, _ = map(float, drawn.get("viewBox", "").split())
    (text,) = (one for one in drawn.iter("text") if one.text == WORDS)
    assert float(text.get("x", "")) + times * text_width((WORDS,)) <= left + width
