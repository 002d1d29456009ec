(** * Answers about what an observer sees of a program with Laplace noise: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith Bool.
From Prover Require Import Decode.
From Prover.programs Require Import Program LaplaceObserver LaplaceClasses Cuttable.
From Prover.programs Require Classes Groups Last ObserverClaims.
Import ListNotations.

Lemma both_ways p start a v : (forall b, In b (Last.one_way a) -> seen_loss_at_most p start b v) -> seen_loss_at_most p start a v.
Proof.
  intro H. destruct a; try (apply H; now left). intros eps E ins ins' [B [A|A]]; [apply (H Increasing)|apply (H Decreasing)]; try assumption;
    (now split) || (cbn; tauto).
Qed.

(** Groups of runs, and last steps, bound the loss of the observer of runs that can be cut. *)
Theorem hidden_sound p start a v l : all_cuttable p start -> Groups.check_hidden p start a v l = true -> proper p /\ seen_loss_at_most p start a v.
Proof. intros C H. destruct (Groups.check_hidden_sound _ _ _ _ _ H) as [P G]. split; [exact P|]. now apply gathered_loss. Qed.
Theorem last_sound p start a v counted T : all_cuttable p start -> Last.check_last p start a v counted T = true ->
  proper p /\ seen_loss_at_most p start a v.
Proof.
  intros C H. destruct (Last.check_last_sound _ _ _ _ _ _ H) as [P G]. split; [exact P|]. apply both_ways. intros b I.
  apply gathered_loss; [exact P|now apply G|exact C].
Qed.

Definition with_variables {A} (r : reader A) : reader (list (list N) * A) := read vs from many (many Decode.state); read a from r; give (vs, a).
(** The loss of the observer is at most [v]: by groups of runs, and by last steps. *)
Theorem groups_upper p start a v l :
  (let e := decoded (with_variables (many ObserverClaims.level_of)) l in plain (fst e) start p && Groups.check_hidden p start a v (snd e)) = true ->
  proper p /\ seen_loss_at_most p start a v.
Proof. cbv zeta. intro H. apply andb_prop in H as [Pl H]. exact (hidden_sound _ _ _ _ _ (plain_cuttable _ _ _ Pl) H). Qed.
Theorem last_upper p start a v l :
  (let e := decoded (with_variables ObserverClaims.tables_of) l in plain (fst e) start p && Last.check_last p start a v (fst (snd e)) (snd (snd e))) = true ->
  proper p /\ seen_loss_at_most p start a v.
Proof. cbv zeta. intro H. apply andb_prop in H as [Pl H]. exact (last_sound _ _ _ _ _ _ (plain_cuttable _ _ _ Pl) H). Qed.
