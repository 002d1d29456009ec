"""Pictures of privacy loss distributions."""

from __future__ import annotations

from pathlib import Path

import prover

COIN = prover.LossDistribution.randomised_response("1/2")


def test_a_picture_of_a_composition(tmp_path: Path) -> None:
    drawn = COIN.repeat(20).plot()
    assert "δ as ε grows" in str(drawn)
    assert str(drawn) == str(COIN.repeat(20).plot())
    drawn.write(tmp_path / "coin.svg")
    assert (tmp_path / "coin.svg").read_text(encoding="utf-8") == str(drawn)
    assert "At ε = 0, δ is at most " in drawn._repr_html_()
    assert "At ε = 17, δ is at most 0." in drawn._repr_html_()


def test_a_picture_of_what_is_enclosed() -> None:
    drawn = prover.EnclosedLossDistribution.of(COIN, prover.Grid(50)).repeat(3).plot()
    assert "δ, in the band" in str(drawn)
    assert 'class="band"' in str(drawn)


def test_a_picture_of_what_no_epsilon_hides() -> None:
    assert "δ" in str(prover.LossDistribution.discrete_laplace("3/4", bound=3).plot())
