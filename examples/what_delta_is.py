"""Draws what δ is, for the survey of the front page, in which an attack is a single answer.

    python examples/what_delta_is.py docs/what_delta_is.svg

A person says the truth with probability 2/3. Every number in the picture comes from the answer of
`prover delta`; the same answer gives the same bytes.
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
        raise SystemExit("the survey has no attack")
    truth, untruth = (WORDS[secret] for secret in (answer.attack.source, answer.attack.target))
    chance, other = answer.attack.from_probability, answer.attack.to_probability
    said = answer.attack.words[0].labels[-1]
    opposite = {"yes": "no", "no": "yes"}[said]
    rows = [
        (f'The person says "{said}"', chance, other),
        (f'The person says "{opposite}"', 1 - chance, 1 - other),
    ]
    compared = [
        Compared(
            what,
            Bar(f"if the truth is {truth}: {p}", p),
            Bar(f"if the truth is {untruth}, times {ALPHA}: {ALPHA} · {q} = {ALPHA * q}", ALPHA * q),
        )
        for what, p, q in rows
    ]
    excess = f"the part above α·P[E | t] is δ = {answer.value}"
    drawn = drawn_bars(compared, excess, "What δ is, in a survey of randomised response")
    words = [f"{one.what}: {one.first.words}; {one.second.words}." for one in compared]
    Path(file).write_bytes(svg_file(drawn, [*words, f"Marked: {excess}."]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.svg")
    draw(sys.argv[1])
