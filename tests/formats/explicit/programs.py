"""Small programs of the PRISM language and JANI."""

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
