"""The library shows what its models show, as often: else a model is about something else."""

from pathlib import Path

import library
import pytest

from prover.testing import assert_shows

MODELS = Path(__file__).with_name("models.py")


@pytest.mark.parametrize("truth", [False, True])
def test_answer(truth):
    assert_shows(f"{MODELS}:answer", f"truth={truth}", lambda: [library.answer(truth)])


@pytest.mark.parametrize(("more", "people"), [(False, 1), (True, 2)])
def test_count(more, people):
    assert_shows(f"{MODELS}:count", f"more={more}", lambda: [library.count(people)])
