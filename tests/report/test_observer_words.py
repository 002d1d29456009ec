"""What is said of observers who do not see the run."""

from __future__ import annotations

from prover.program.privacy import privacy
from prover.report.observer import observer_text
from prover.zoo import k_min_max
from tests.program.observer_examples import silent_pair


def test_runs_lose_as_much_together_where_other_inputs_are_needed() -> None:
    """Some of these runs lose less, so it is not said of all."""
    text = observer_text(privacy(k_min_max(6, hidden="yes")))
    assert "the runs with the output (o, c, c, c, c, c, in, in, in, in, lo) together lose as much" in text
    assert "the largest learns no more" in text


def test_all_runs_lose_as_much_where_none_are() -> None:
    text = observer_text(privacy(silent_pair()))
    assert text == "This does not matter here: all runs with the output (o, o, first) lose as much."
