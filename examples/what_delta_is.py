"""Draws what δ is: the survey of the front page, whose attack is to hear one answer.

    python examples/what_delta_is.py docs/what_delta_is.svg

Who is asked tells the truth with probability 2/3. Every number in the picture comes from the answer of
`prover delta`; the same answer is drawn as the same bytes.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import prover
from prover.report.picture.bars import Bar, Compared, drawn_bars
from prover.report.picture.svg import svg_file

SURVEY = f"{Path(__file__).parent}/mechanisms/protocols.py:survey"
ALPHA = Fraction(6, 5)
WORDS = {"truth=True": "yes", "truth=False": "no"}


def draw(file: str) -> None:
    """Write the picture."""
    answer = prover.delta(prover.load(SURVEY), alpha=ALPHA)
    if answer.attack is None or answer.value is None:
        raise SystemExit("nothing tells the two apart")
    truth, untruth = (WORDS[secret] for secret in (answer.attack.source, answer.attack.target))
    chance, other = answer.attack.from_probability, answer.attack.to_probability
    heard = answer.attack.words[0].labels[-1]
    silent = {"yes": "no", "no": "yes"}[heard]
    rows = [
        (f'"{heard}" is heard', chance, other),
        (f'"{silent}" is heard', 1 - chance, 1 - other),
    ]
    compared = [
        Compared(
            what,
            Bar(f"if the truth is {truth}: {p}", p),
            Bar(f"if the truth is {untruth}, times {ALPHA}: {ALPHA} · {q} = {ALPHA * q}", ALPHA * q),
        )
        for what, p, q in rows
    ]
    excess = f"what sticks out is δ = {answer.value}"
    drawn = drawn_bars(compared, excess, "What δ is, in a survey of randomised response")
    words = [f"{one.what}: {one.first.words}; {one.second.words}." for one in compared]
    Path(file).write_bytes(svg_file(drawn, [*words, f"Marked: {excess}."]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.svg")
    draw(sys.argv[1])
