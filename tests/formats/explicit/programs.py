"""Small programs of the PRISM language and JANI, and how processes are read in these tests."""

from typing import Any

from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.load import load


def load_process(source: object, **view: Any) -> LabelledMarkovDecisionProcess:
    """The model of a file, or of a library, in which an attacker chooses."""
    model = load(source, **view)
    assert isinstance(model, LabelledMarkovDecisionProcess)
    return model


COIN = """dtmc
const double p;
module coin
  secret : bool;
  face : [0..2];
  [] face=0 & !secret -> 1/2 : (face'=1) + 1/2 : (face'=2);
  [] face=0 & secret -> p : (face'=1) + 1-p : (face'=2);
endmodule
init face=0 endinit
label "heads" = face=1;
label "tails" = face=2;
"""

LOOK = """mdp
module look
  s : [0..1];
  x : [0..2];
  [look] x=0 & s=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);
  [look] x=0 & s=1 -> 1/3 : (x'=1)&(s'=0) + 2/3 : (x'=2)&(s'=0);
  [wait] x=0 -> true;
  [stay] x=2 -> true;
endmodule
init x=0 endinit
"""
