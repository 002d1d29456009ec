(** * What the proved program decides about a program with noise on a grid holds for Laplace noise, too, from above *)
From Coq Require Import List NArith ZArith.
From Prover Require Import Checked.
From Prover.programs Require Import Program Laplace.
From Prover.programs Require Corners LaplaceObserver LaplaceObserverClaims.

Theorem laplace_checked p start a v e : check (LossAtMost p start a v) e = true -> proper p /\ Laplace.loss_at_most p start a v.
Proof. destruct e; try discriminate. apply Corners.parts_sound. Qed.

(** So it is with what an observer sees, where the runs of the program can be cut. *)
Theorem laplace_seen_checked p start a v e cut : check (LossSeenAtMost p start a v) e = true -> check (CanBeCut p start) cut = true ->
  proper p /\ LaplaceObserver.seen_loss_at_most p start a v.
Proof.
  intros H C. apply check_sound in C. destruct e; try discriminate.
  - now apply (LaplaceObserverClaims.hidden_sound p start a v l).
  - now apply (LaplaceObserverClaims.last_sound p start a v counted nodes).
Qed.
