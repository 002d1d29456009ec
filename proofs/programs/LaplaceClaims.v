(** * Answers about programs with Laplace noise: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Laplace Parts.
From Prover.programs Require Claims Corners.

(** The loss of a program is at most [v]. *)
Theorem laplace_upper p start a v l :
  (let t := Claims.parts_of l in check_parts p start a v (fst t) (snd t)) = true -> proper p /\ Laplace.loss_at_most p start a v.
Proof. apply Corners.parts_sound. Qed.
