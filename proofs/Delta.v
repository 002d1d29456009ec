(** * Claims about delta itself *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Quotient Unrolling.
Import ListNotations.
Open Scope Q_scope.

(** Evidence: the quotient that it is about, if it is not the chain itself; a table of couplings; the nodes, with a number below 1 by which
    heights fall; and which nodes are the roots of which pairs. *)
Record unrolled := {
  quotient : option (chain * list N);
  denominator : positive; couplings : list urow;
  fall : Q; unrolling : list (positive * node); roots : list (N * N * positive) }.

Definition base (c : chain) (e : unrolled) : chain := match quotient e with Some b => fst b | None => c end.
Definition place (e : unrolled) (s : N) : N := match quotient e with Some b => class (snd b) s | None => s end.

Definition is_root (q : node) (s t : N) : bool :=
  match xs q, ys q with
  | [(i, 1%Z)], [(j, 1%Z)] => (i =? key s)%positive && (j =? key t)%positive
  | _, _ => false
  end.
(** Some root of the pair has this property. *)
Definition root_with (e : unrolled) (p : node -> bool) (s t : N) : bool :=
  let nodes := of_list (unrolling e) in
  existsb (fun r => (fst (fst r) =? s)%N && (snd (fst r) =? t)%N &&
             match PM.find (snd r) nodes with Some q => is_root q s t && p q | None => false end) (roots e).

Definition check_unrolled (c : chain) (alpha : Q) (e : unrolled) : bool :=
  match quotient e with Some b => check_quotient c (fst b) (snd b) | None => true end
  && check_nodes (base c e) alpha (denominator e) (couplings e) (fall e) (unrolling e).

(** Every pair of R gains at most delta. *)
Definition check_delta_at_most (c : chain) (alpha delta : Q) (R : list (N * N)) (e : unrolled) : bool :=
  check_unrolled c alpha e
  && forallb (fun st => inside c (fst st) && inside c (snd st) &&
       let s := place e (fst st) in let t := place e (snd st) in
       if at_most (base c e) (denominator e) (couplings e) delta (s, t) then true
       else root_with e (fun q => Qle_bool (up q) delta) s t) R.

(** The pair (s, t) gains delta. *)
Definition check_delta_at_least (c : chain) (alpha delta : Q) (s t : N) (e : unrolled) : bool :=
  check_unrolled c alpha e && inside c s && inside c t
  && (Qle_bool delta 0 || (negb (label c s =? label c t)%N && Qle_bool delta 1)
      || root_with e (fun q => Qle_bool delta (low q)) (place e s) (place e t)).

Section Claims.
  Variables (c : chain) (alpha : Q) (e : unrolled).
  Hypothesis He : check_unrolled c alpha e = true.

  Lemma unrolled_parts : check_nodes (base c e) alpha (denominator e) (couplings e) (fall e) (unrolling e) = true.
  Proof. unfold check_unrolled in He. now apply andb_prop in He. Qed.

  Lemma same_prob n s E : inside c s = true -> prob c n s E == prob (base c e) n (place e s) E.
  Proof.
    intro Hs. apply Nat.ltb_lt in Hs. unfold check_unrolled in He. unfold base, place in *. destruct (quotient e) as [[b l]|]; [|reflexivity].
    apply andb_prop in He as [H _]. apply quotient_prob; [exact H|now apply in_states].
  Qed.

  Lemma chain_ok : check_model c = true.
  Proof.
    assert (N := unrolled_parts). unfold check_unrolled in He. unfold base in *. destruct (quotient e) as [[b l]|].
    - apply andb_prop in He as [H _]. now apply (quotient_models c b l).
    - now apply model_ok in N.
  Qed.

  Lemma root_gain p s t : root_with e p s t = true -> exists k q, PM.find k (of_list (unrolling e)) = Some q /\ p q = true /\
    forall n E, gain (base c e) alpha n q E == prob (base c e) n s E - alpha * prob (base c e) n t E.
  Proof.
    unfold root_with. intro H. apply existsb_exists in H as (((s', t'), k) & _ & H). cbn [fst snd] in H.
    apply andb_prop in H as [_ H]. destruct (PM.find k _) as [q|] eqn:F; [|discriminate]. apply andb_prop in H as [R P].
    exists k, q. repeat split; try assumption. intros n E. unfold gain, total, is_root in *.
    destruct (xs q) as [|[i [|[?|?|]|?]] [|? ?]]; try discriminate. destruct (ys q) as [|[j [|[?|?|]|?]] [|? ?]]; try discriminate.
    apply andb_prop in R as [Ri Rj]. apply Pos.eqb_eq in Ri as ->, Rj as ->. unfold ev. cbn [fold_right fst snd]. rewrite !unkey_key.
    change (inject_Z 1) with 1. ring.
  Qed.

  Lemma from_above delta R : forallb (fun st => inside c (fst st) && inside c (snd st) &&
       let s := place e (fst st) in let t := place e (snd st) in
       if at_most (base c e) (denominator e) (couplings e) delta (s, t) then true
       else root_with e (fun q => Qle_bool (up q) delta) s t) R = true -> forall s t, In (s, t) R -> close c alpha delta s t.
  Proof.
    intros H s t Hst n E. rewrite forallb_forall in H. specialize (H _ Hst). cbn [fst snd] in H.
    apply andb_prop in H as [H U]. apply andb_prop in H as [Is It]. cbv zeta in U.
    rewrite (same_prob n s E Is), (same_prob n t E It). assert (N := unrolled_parts).
    destruct (at_most _ _ _ _ _) eqn:A.
    - assert (K : check_close (base c e) alpha delta [(place e s, place e t)] (denominator e) (couplings e) = true).
      { unfold check_close. cbn [forallb]. rewrite A. cbn [andb]. rewrite andb_true_r. now apply (node_parts _ _ _ _ _ _ N). }
      apply close_sound in K as [_ K]. apply (K _ _ (or_introl eq_refl)).
    - destruct (root_gain _ _ _ U) as (k & q & F & P & G). apply Qle_bool_iff in P.
      assert (B := nodes_upper _ _ _ _ _ _ N n k q E F). rewrite G in B. lra.
  Qed.

  Lemma first_label s t : inside c s = true -> inside c t = true -> label c s <> label c t ->
    exists E, prob c 1 s E == 1 /\ prob c 1 t E == 0.
  Proof.
    intros Is It L. exists (fun w => match w with a :: _ => (a =? label c s)%N | [] => false end). apply Nat.ltb_lt in Is, It.
    assert (M := model_sound c chain_ok). cbn [prob]. rewrite N.eqb_refl. destruct (N.eqb_spec (label c t) (label c s)); [congruence|]. split.
    - destruct (M s Is) as [<- _]. apply sum_ext. intros; ring.
    - rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|intros; ring].
  Qed.

  Lemma from_below delta s t : inside c s = true -> inside c t = true ->
    (Qle_bool delta 0 || (negb (label c s =? label c t)%N && Qle_bool delta 1)
      || root_with e (fun q => Qle_bool delta (low q)) (place e s) (place e t)) = true -> needed c alpha delta s t.
  Proof.
    intros Is It H eta Heta. apply orb_prop in H as [H|H]; [apply orb_prop in H as [H|H]|].
    - apply Qle_bool_iff in H. exists 1%nat, (fun _ => false). rewrite !prob_never. lra.
    - apply andb_prop in H as [L H]. apply Qle_bool_iff in H. apply negb_true_iff, N.eqb_neq in L.
      destruct (first_label s t Is It L) as (E & Ps & Pt). exists 1%nat, E. rewrite Ps, Pt. lra.
    - destruct (root_gain _ _ _ H) as (k & q & F & P & G). apply Qle_bool_iff in P. assert (N := unrolled_parts).
      destruct (node_parts _ _ _ _ _ _ N) as (_ & R0 & R1 & _).
      assert (Hh : 0 <= height q).
      { assert (C := ok _ _ _ _ _ _ N k q F). unfold check_node in C. cbv zeta in C. apply andb_prop in C as [_ C]. unfold height.
        destruct (sort q) as [unit w|s' h|s']; try apply Qle_refl. do 4 apply andb_prop in C as [C _]. apply andb_prop in C as [_ C]. now apply Qle_bool_iff. }
      destruct (power_vanishes (fall e) (height q) eta R0 R1 Hh Heta) as (n & Hn).
      destruct (nodes_lower _ _ _ _ _ _ N n k q F) as (E & HE). rewrite G in HE.
      exists (S n), E. rewrite (same_prob (S n) s E Is), (same_prob (S n) t E It). lra.
  Qed.
End Claims.

Theorem delta_at_most_sound c alpha delta R e : check_delta_at_most c alpha delta R e = true ->
  markov c /\ forall s t, In (s, t) R -> close c alpha delta s t.
Proof.
  unfold check_delta_at_most. intro H. apply andb_prop in H as [He H]. split.
  - apply model_sound, (chain_ok c alpha e He).
  - now apply from_above with e.
Qed.

Theorem delta_at_least_sound c alpha delta s t e : check_delta_at_least c alpha delta s t e = true ->
  markov c /\ needed c alpha delta s t.
Proof.
  unfold check_delta_at_least. intro H. apply andb_prop in H as [H B]. apply andb_prop in H as [H It]. apply andb_prop in H as [He Is]. split.
  - apply model_sound, (chain_ok c alpha e He).
  - now apply from_below with e.
Qed.
