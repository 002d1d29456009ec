"""A file that `convert` wrote was refused: commas within names of states were counted as values."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput
from prover.formats import strict_json
from prover.formats.strict_json import read_json
from tests.commands import prover as command
from tests.refusals import refuses

LONG = ",".join(f"x{place}=0" for place in range(3000))


def chain(states: int) -> LabelledMarkovChain:
    names = [f"{LONG},y={number}" for number in range(states)]
    half = Fraction(1, 2)
    rows = {
        name: (f"a{number % 2}", {name: half, names[number - 1]: half}) for number, name in enumerate(names)
    }
    return LabelledMarkovChain.of(rows, [(names[0], names[1])])


def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MAX_VALUES", 1000)
    path, model = tmp_path / "long.json", chain(10)
    prover.save(model, path)
    assert path.read_text().count(",") > 10_000
    assert prover.load(path) == model
    assert command("convert", path, tmp_path / "again.json").status == 0
    assert (tmp_path / "again.json").read_text() == path.read_text()


def test_commas_between_values_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MAX_VALUES", 3)
    assert read_json(r'["a,b,c,d", "\",\\", ",,,", ""]') == ["a,b,c,d", '",\\', ",,,", ""]
    for text in (r'[1, 2, 3, 4, "\\"]', r'["\\", "\"", 3, 4, 5]', '[1, 2, 3, 4, "'):
        with refuses("too-many-values"):
            read_json(text)


def test_what_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = chain(5), tmp_path / "large.json"
    for limit in ("MAX_BYTES", "MAX_VALUES"):
        with monkeypatch.context() as patch:
            patch.setattr(strict_json, limit, 5)
            with pytest.raises(BadInput, match=r"too (large|many)"):
                prover.save(model, path)
    assert not path.exists()
