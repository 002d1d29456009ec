(** * All pairs: a matrix of values, between a table from below and one from above *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Least Lower Prefixed.
Import ListNotations.
Open Scope Q_scope.

(** For every pair, the table from below is at least the matrix, and the one from above exceeds it by no more than the width. For bd both
    tables are symmetric. *)
Definition check_matrix (c : chain) (alpha width : Q) (values : list (list Q)) (D : positive) (rows : list urow) (D' : positive)
    (rows' : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  let m := prepare c in let u := utable rows in let l := lrows rows' in
  check_upper c alpha D rows && check_moves c rows && implb both (check_symmetric rows)
  && check_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D') rows' splitters both
  && forallb (fun s => forallb (fun t => let v := in_matrix values s t in
       Qle_bool v (lvalue (Zpos D') m l (key s) (key t) # D')
       && Qle_bool (value m u (Zpos D) (key s) (key t) # D) (v + width)) (states c)) (states c).

Section Matrix.
  Variables (c : chain) (alpha width : Q) (values : list (list Q)) (D D' : positive) (rows : list urow) (rows' : list lrow).
  Variables (splitters : list (list N)) (both : bool).
  Hypothesis H : check_matrix c alpha width values D rows D' rows' splitters both = true.

  Lemma matrix_parts : check_upper c alpha D rows = true /\ check_moves c rows = true /\ (both = true -> check_symmetric rows = true) /\
    check_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D') rows' splitters both = true /\
    forall s t, In s (states c) -> In t (states c) ->
      in_matrix values s t <= dl c D' rows' s t /\ entry c D rows s t <= in_matrix values s t + width.
  Proof.
    unfold check_matrix in H. repeat rewrite andb_true_iff in H. destruct H as ((((U & M) & S) & L) & F). rewrite forallb_forall in F.
    repeat split; try assumption.
    - intros ->. exact S.
    - specialize (F s H0). rewrite forallb_forall in F. specialize (F t H1). apply andb_prop in F as [F _]. apply Qle_bool_iff in F.
      now rewrite Qmake_Qdiv in F.
    - specialize (F s H0). rewrite forallb_forall in F. specialize (F t H1). apply andb_prop in F as [_ F]. apply Qle_bool_iff in F.
      now rewrite Qmake_Qdiv in F.
  Qed.

  Lemma matrix_markov : markov c.
  Proof. destruct matrix_parts as (U & _). destruct (parts c alpha D rows U) as [M _]. exact (model_sound c M). Qed.

  Lemma matrix_close s t : In s (states c) -> In t (states c) -> close c alpha (in_matrix values s t + width) s t.
  Proof.
    intros Hs Ht n E. destruct matrix_parts as (U & _ & _ & _ & V). destruct (V s t Hs Ht) as [_ B].
    assert (G := upper_sound c alpha D rows U n E (key s) (key t)). rewrite !unkey_key in G.
    eapply Qle_trans; [|apply Qplus_le_r; exact B]. unfold entry. set (u := inject_Z (value _ _ _ _ _)) in *.
    assert (P := inject_pos D). set (d := inject_Z (Zpos D)) in *. apply (Qmult_le_l _ _ d P).
    setoid_replace (d * (alpha * prob c n t E + u / d)) with (d * (alpha * prob c n t E) + u) by (field; lra). exact G.
  Qed.

  Lemma matrix_below d s t : prefixed c alpha d -> (both = true -> symmetric d) -> In s (states c) -> In t (states c) -> in_matrix values s t <= d s t.
  Proof.
    intros Pd Sd Hs Ht. destruct matrix_parts as (_ & _ & _ & L & V). destruct (V s t Hs Ht) as [A _].
    eapply Qle_trans; [exact A|]. now apply (lower_sound c alpha D' rows' splitters both L d Pd Sd).
  Qed.

  Lemma matrix_above s t : In s (states c) -> In t (states c) ->
    exists d, prefixed c alpha d /\ (both = true -> symmetric d) /\ d s t <= in_matrix values s t + width.
  Proof.
    intros Hs Ht. destruct matrix_parts as (U & M & S & _ & V). exists (entry c D rows).
    split; [now apply table_prefixed|]. split; [intro B; now apply entry_symmetric, S|]. now apply V.
  Qed.
End Matrix.

Theorem ld_matrix_sound c alpha width values D rows D' rows' splitters :
  check_matrix c alpha width values D rows D' rows' splitters false = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) ->
    ld_at_least c alpha (in_matrix values s t) s t /\ ld_at_most c alpha (in_matrix values s t + width) s t /\
    close c alpha (in_matrix values s t + width) s t.
Proof.
  intro H. split; [now apply matrix_markov in H|]. intros s t Hs Ht. repeat split.
  - intros d Pd. now apply (matrix_below _ _ _ _ _ _ _ _ _ _ H).
  - destruct (matrix_above _ _ _ _ _ _ _ _ _ _ H s t Hs Ht) as (d & Pd & _ & B). now exists d.
  - now apply (matrix_close _ _ _ _ _ _ _ _ _ _ H).
Qed.

Theorem bd_matrix_sound c alpha width values D rows D' rows' splitters :
  check_matrix c alpha width values D rows D' rows' splitters true = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) ->
    bd_at_least c alpha (in_matrix values s t) s t /\ bd_at_most c alpha (in_matrix values s t + width) s t /\
    close c alpha (in_matrix values s t + width) s t.
Proof.
  intro H. split; [now apply matrix_markov in H|]. intros s t Hs Ht. repeat split.
  - intros d Pd Sd. now apply (matrix_below _ _ _ _ _ _ _ _ _ _ H).
  - destruct (matrix_above _ _ _ _ _ _ _ _ _ _ H s t Hs Ht) as (d & Pd & Sd & B). exists d. auto.
  - now apply (matrix_close _ _ _ _ _ _ _ _ _ _ H).
Qed.
