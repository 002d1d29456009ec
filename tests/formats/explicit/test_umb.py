"""UMB, the binary format that model checkers share."""

import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import NotInstalled
from prover.formats.convert import convert, save
from prover.formats.explicit.umb import _ats, umb_bytes
from prover.formats.explicit.writing import explicit_of
from prover.formats.load import load
from prover.zoo import dining_cryptographers, fig1, pin_checker, randomised_response
from tests.formats.explicit.made import DRN
from tests.refusals import refuses


def missing() -> str | None:
    """Why umbi cannot be used here."""
    try:
        _ats()
    except NotInstalled as error:
        return str(error)
    return None


with_umbi = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def numbered(chain: LabelledMarkovChain) -> LabelledMarkovChain:
    """The chain with numbers for names, all of one length or shorter than the next."""
    rows = enumerate(zip(chain.labels, chain.rows, strict=True))
    states = {str(s): (label, {str(t): p for t, p in row.items()}) for s, (label, row) in rows}
    return LabelledMarkovChain.of(states, [(str(s), str(t)) for s, t in chain.relation])


VALUED = LabelledMarkovChain.of(
    {
        "x=0,y=true": ("", {"x=1,y=true": Fraction(1, 2**62), "x=0,y=true": 1 - Fraction(1, 2**62)}),
        "x=1,y=true": ("a b,!", {"x=1,y=true": 1}),
    },
    [("x=0,y=true", "x=1,y=true")],
)


@with_umbi
@pytest.mark.parametrize(
    "chain",
    [*map(numbered, [fig1(), pin_checker(), dining_cryptographers(), randomised_response()]), VALUED],
    ids=range(5),
)
def test_round_trip(chain: LabelledMarkovChain, tmp_path: Path) -> None:
    save(chain, tmp_path / "m.umb")
    assert load(tmp_path / "m.umb", on_note=lambda _: None) == chain
    convert(tmp_path / "m.umb", tmp_path / "m.drn")
    assert load(tmp_path / "m.drn", on_note=lambda _: None) == chain


@with_umbi
def test_what_model_checkers_wrote_is_kept(tmp_path: Path) -> None:
    (tmp_path / "in.drn").write_text(DRN, encoding="utf-8")
    convert(tmp_path / "in.drn", tmp_path / "m.umb")
    convert(tmp_path / "m.umb", tmp_path / "out.drn")
    assert load(tmp_path / "out.drn") == load(tmp_path / "in.drn")


@with_umbi
def test_what_is_no_umb_file(tmp_path: Path) -> None:
    path = tmp_path / "m.umb"
    for content in (b"", b"{}", b"\x1f\x8b" + b"\0" * 100):
        path.write_bytes(content)
        with refuses("umb-refuses"):
            load(path)


@with_umbi
def test_what_has_no_place() -> None:
    with refuses("not-in-umb", match="names of states"):
        umb_bytes(explicit_of(fig1()))
    with refuses("not-in-umb", match="a relation"):
        umb_bytes(explicit_of(numbered(randomised_response(respondents=2))))
    many: dict[str, Any] = {
        "0": ("", {"0": Fraction(2**65, 2**65 + 1), "1": Fraction(1, 2**65 + 1)}),
        "1": ("", {"1": 1}),
    }
    with refuses("not-in-umb", match="64 bits"):
        umb_bytes(explicit_of(LabelledMarkovChain.of(many)))


@pytest.mark.parametrize("umbi", [None, ModuleType("umbi")])
def test_without_umbi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umbi: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "umbi", umbi)
    monkeypatch.setitem(sys.modules, "umbi.ats", umbi)
    path = tmp_path / "m.umb"
    path.write_bytes(b"x")
    with refuses("umb-missing", match=r"0\.2\.14 or later"):
        load(path)
    with refuses("umb-missing"):
        save(fig1(), path)
