(** * The check as OCaml: what stands for Coq's numbers

    Whoever trusts the program trusts this page, Coq's extraction, OCaml and Zarith. Coq's [positive], [N] and [Z] are Zarith's integers: the
    library [ExtrOcamlZBigInt] says so, and which functions of Zarith stand for which of Coq. A few more are here. *)
From Coq Require Import NArith ZArith Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
From Prover Require Import Checked.

Extract Inductive positive => "Big_int_Z.big_int"
 [ "(fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))" "Big_int_Z.mult_int_big_int 2" "Big_int_Z.unit_big_int" ] "Fast.pos".
Extract Constant Pos.gcd => "Big_int_Z.gcd_big_int".
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extract Constant Pos.leb => "Big_int_Z.le_big_int".
Extract Constant Pos.ltb => "Big_int_Z.lt_big_int".
Extract Constant N.eqb => "Big_int_Z.eq_big_int".
Extract Constant N.leb => "Big_int_Z.le_big_int".
Extract Constant N.ltb => "Big_int_Z.lt_big_int".
Extract Constant Z.leb => "Big_int_Z.le_big_int".
Extract Constant Z.ltb => "Big_int_Z.lt_big_int".

Extraction "checks.ml" check_all.
