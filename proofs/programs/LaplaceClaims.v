(** * Answers about programs with Laplace noise: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Laplace Table.
From Prover.programs Require Claims Corners.

(** The loss of a program with one variable is at most [v]. *)
Theorem laplace_upper p start a v l :
  (let t := Claims.tables_of l in check_table p start a v (fst t) (snd t)) = true -> proper p /\ Laplace.loss_at_most p start a v.
Proof. apply Corners.table_sound. Qed.
