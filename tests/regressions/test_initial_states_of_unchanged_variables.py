"""Storm's simplification takes variables that no command changes for constants, and loses initial states."""

import importlib.util
from pathlib import Path

import pytest

from prover.formats.load import load_chain

PROGRAM = """dtmc
module m
  secret : [0..2];
  round : [1..1];
  seen : [0..2];
  [] seen=0 & round=1 -> (seen'=secret);
  [] seen=0 & round<1 -> (seen'=0) & (round'=round+1);
  [] seen>0 -> true;
endmodule
init seen=0 endinit
"""


@pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)
def test_all_secrets_are_there(tmp_path: Path) -> None:
    path = tmp_path / "m.prism"
    path.write_text(PROGRAM, encoding="utf-8")
    chain = load_chain(path, observe="seen", secret="secret")
    assert len(chain.relation) == 6
