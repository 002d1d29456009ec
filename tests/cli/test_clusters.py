"""Questions about very many pairs that are ended before they are done: clusters bound all of them at once."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain import ahead, delta, dispatch, privacy_profile, secrets
from prover.chain.ld import clusters
from prover.chain.unrolling.refinement import enclose
from tests.commands import FORKS, answer, prover, verdicts, zoo

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

LOST = 1 - Fraction(49, 50) ** 3
ROUNDING = Fraction(1, 2**40)
SOON = ("--timeout", "5")


@pytest.fixture
def diners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain that counts as large, with pairs that count as many; and whatever comes later does not end."""

    def endless(*_: Any, **__: Any) -> None:
        time.sleep(1_000)

    path = zoo(tmp_path, "dining-cryptographers", "n=4")
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)
    monkeypatch.setattr(secrets, "_LARGE", 1)
    monkeypatch.setattr(clusters, "MANY_STATES", 1)
    monkeypatch.setattr(clusters, "MANY_QUERIES", 2)
    monkeypatch.setattr(ahead, "Nearby", endless)
    monkeypatch.setattr(delta, "enclose", _first_only(enclose, endless))
    monkeypatch.setattr(privacy_profile, "ending_bounds", endless)
    return path


def _first_only(found: Any, endless: Any) -> Any:
    """Of a part of the secrets an unrolling is made, and of all it does not end."""

    def instead(merged: Any, *arguments: Any, **options: Any) -> Any:
        return (endless if merged.looked is None else found)(merged, *arguments, **options)

    return instead


def is_lost(upper: str) -> bool:
    return LOST <= Fraction(upper) <= LOST + ROUNDING


@pytest.mark.parametrize("options", [(), ("--kind", "bd"), ("--bounds", "upper")])
def test_distances(diners: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: Any) -> None:
    monkeypatch.setattr(ahead, "one_event", time.sleep)
    found = answer(tmp_path, diners, "--alpha", "6/5", *options, *SOON, status=3)
    assert is_lost(found["upper"])
    path = tmp_path / "answer.cert"
    assert json.loads(path.read_bytes())["evidence"]["upper"]["clusters"]
    assert verdicts(path).status == 0


def test_delta(diners: Path, tmp_path: Path) -> None:
    path = tmp_path / "delta.cert"
    run = prover("delta", diners, "--alpha", "6/5", "--json", "--certificate", path, *SOON)
    assert run.status == 3
    found = json.loads(run.out)
    assert is_lost(found["upper"])
    assert found["upper_from"] == "ld"
    assert json.loads(path.read_bytes())["claim"]["upper"] == found["upper"]
    assert verdicts(path).status == 0


def test_curves(diners: Path) -> None:
    run = prover("curve", diners, "--alpha", "1:2:3", "--json", *SOON)
    assert run.status == 3
    assert all(is_lost(point["upper"]) for point in json.loads(run.out)["rows"])
    assert "at all points" not in run.err


def test_pages_say_whose_lower_end_is_the_largest(diners: Path, tmp_path: Path) -> None:
    """Of which pair the distance, or δ, is the largest is known where both ends are one number."""
    for command, words in (("distance", "Largest lower end from"), ("delta", "Largest lower end for")):
        page = tmp_path / f"{command}.html"
        assert prover(command, diners, "--alpha", "6/5", "--html", page, *SOON).status == 3
        assert words in page.read_text()
