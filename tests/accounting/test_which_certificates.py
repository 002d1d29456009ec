"""The table of docs/accounting.md: which certificates an account has."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.accounting.account import Questions
from prover.accounting.certificates import certifiable, proofs_of
from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.chain.arguments import given_slope
from tests.commands import ROOT

SAMPLES: dict[str, tuple[str, dict[str, str | int]]] = {
    "chains, `one_of`, other known mechanisms": ("randomised-response", {"q": "1/2"}),
    "`discrete-gaussian`": ("discrete-gaussian", {"sigma": 2}),
    "`gaussian`": ("gaussian", {"sigma": 2}),
    "`laplace`, models with noise": ("laplace", {"scale": 2}),
}
ASKED = {
    "`alpha`": Questions((given_slope("delta", "6/5", None),)),
    "`epsilon`": Questions((given_slope("delta", None, "1/5"),)),
    "`delta`": Questions((), (Fraction(1, 100),)),
}


def table() -> dict[str, dict[str, str]]:
    """The cells of the rows, by their first cells and by the names of columns."""
    lines = (ROOT / "docs" / "accounting.md").read_text(encoding="utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("| mechanisms | `alpha` |"))
    head, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[start : start + 6]]
    return {first: dict(zip(head[1:], cells, strict=True)) for first, *cells in rows}


@pytest.mark.parametrize("name", SAMPLES)
def test_an_account_has_the_certificates_of_the_table(name: str) -> None:
    known, parameters = SAMPLES[name]
    part, written = Mechanism.of_known(known, parameters), {}
    for asked, questions in ASKED.items():
        found = certifiable([part], questions, gap="1/100")
        assert found.why is None
        written[asked] = proofs_of(found.account, questions)
    written["`--order`"] = divergences([part], [2]).make_certificates()
    files = {
        asked: ", ".join(file for file, proof in zip(("FILE", "FILE.lower"), both, strict=True) if proof)
        for asked, both in written.items()
    }
    assert files == table()[name]
