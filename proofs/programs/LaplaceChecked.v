(** * What the proved program decides about a program with noise on a grid holds for Laplace noise, too, from above *)
From Coq Require Import List NArith ZArith.
From Prover Require Import Checked.
From Prover.programs Require Import Program Laplace.
From Prover.programs Require Corners.

Theorem laplace_checked p start a v e : check (LossAtMost p start a v) e = true -> proper p /\ Laplace.loss_at_most p start a v.
Proof. destruct e; try discriminate. apply Corners.parts_sound. Qed.
