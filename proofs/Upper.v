(** * Upper bounds: tables with couplings

    If every pair of a table has a coupling that costs no more than the table says, then the table bounds what any event gains. *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

Definition zmove := (positive * positive * Z)%type.

(** A tree without what a coupling moves, in multiples of alpha's denominator [ad]; [an] is its numerator. *)
Definition addw (an ad : Z) (w : list zmove) (t : tree) : tree :=
  fold_left (fun t '(i, j, z) => acc i (- (ad * z)) (acc j (an * z) t)) w t.
Definition cost (u : positive -> positive -> Z) (w : list zmove) : Z :=
  fold_right (fun '(i, j, z) a => (z * u i j + a)%Z) 0%Z w.

(** The vector b gains at most v / D, with u / D for what has been moved. *)
Definition bounded (an ad D : Z) (u : positive -> positive -> Z) (b : tree) (w : list zmove) (v : Z) : bool :=
  (forallb (fun '(_, _, z) => 0 <=? z) w && (ad * cost u w + D * gains (addw an ad w b) <=? v))%Z.

(** A row: a pair, its value, and a coupling. The probabilities of the two states, times [scale], are their integers times [ks], [kt]. *)
Record urow := { us : positive; ut : positive; uval : Z; scale : positive; ks : Z; kt : Z; moves : list zmove }.

Definition table := PM.t (PM.t Z).
Definition put (s t : positive) (v : Z) (d : table) : table :=
  PM.add s (PM.add t v (match PM.find s d with Some m => m | None => PM.empty _ end)) d.
Definition get (s t : positive) (d : table) : option Z :=
  match PM.find s d with Some m => PM.find t m | None => None end.
Definition utable (rows : list urow) : table := fold_right (fun r d => put (us r) (ut r) (uval r) d) (PM.empty _) rows.

(** The value of a pair in multiples of 1 / D: 0 for one state, D where nothing is known. *)
Definition value (m : PM.t prow) (d : table) (D : Z) (i j : positive) : Z :=
  if (i =? j)%positive then 0 else
  match PM.find i m, PM.find j m with
  | Some x, Some y => if (lab x =? lab y)%N then match get i j d with Some v => v | None => D end else D
  | _, _ => D
  end.

Definition check_urow (m : PM.t prow) (u : positive -> positive -> Z) (an ad D : Z) (r : urow) : bool :=
  match PM.find (us r) m, PM.find (ut r) m with
  | Some x, Some y =>
      ((lab x =? lab y)%N && (ks r * Zpos (den x) =? Zpos (scale r)) && (kt r * Zpos (den y) =? Zpos (scale r))
       && (0 <=? uval r)
       && bounded an ad D u (addl (ad * ks r) (nums x) (addl (- (an * kt r)) (nums y) Leaf)) (moves r)
            (ad * Zpos (scale r) * uval r))%Z
  | _, _ => false
  end.

Definition check_upper (c : chain) (alpha : Q) (D : positive) (rows : list urow) : bool :=
  let m := prepare c in let d := utable rows in
  check_model c && (Zpos (Qden alpha) <=? Qnum alpha)%Z
  && forallb (check_urow m (value m d (Zpos D)) (Qnum alpha) (Zpos (Qden alpha)) (Zpos D)) rows.

(** ** Soundness *)

Lemma get_put s t v d i j : get i j (put s t v d) = if ((i =? s) && (j =? t))%positive then Some v else get i j d.
Proof.
  unfold get, put. destruct (Pos.eqb_spec i s) as [->|Hi]; cbn [andb].
  - rewrite PM.gss. destruct (Pos.eqb_spec j t) as [->|Hj]; [now rewrite PM.gss|].
    rewrite PM.gso by assumption. destruct (PM.find s d); [reflexivity|now rewrite PM.gempty].
  - now rewrite PM.gso by assumption.
Qed.

Lemma get_utable rows i j v : get i j (utable rows) = Some v -> exists r, In r rows /\ us r = i /\ ut r = j /\ uval r = v.
Proof.
  induction rows as [|r rows IH]; cbn [utable fold_right].
  - unfold get. now rewrite PM.gempty.
  - rewrite get_put. destruct (Pos.eqb_spec i (us r)) as [->|]; cbn [andb].
    + destruct (Pos.eqb_spec j (ut r)) as [->|].
      * intros [= <-]. exists r. repeat split. now left.
      * intro H. destruct (IH H) as (r' & ? & ?). exists r'. split; [now right|assumption].
    + intro H. destruct (IH H) as (r' & ? & ?). exists r'. split; [now right|assumption].
Qed.

(** What the moves of a coupling are worth for a function f. *)
Definition worth (an ad : Z) (f : positive -> Q) (w : list zmove) : Q :=
  fold_right (fun '(i, j, z) a => inject_Z z * (inject_Z ad * f i - inject_Z an * f j) + a) 0 w.

Lemma evt_addw an ad w f : forall t, evt f (addw an ad w t) == evt f t - worth an ad f w.
Proof.
  induction w as [|[[i j] z] w IH]; intro t; cbn [addw fold_left worth fold_right].
  - ring.
  - unfold addw in IH. rewrite IH, !evt_acc, inject_Z_opp, !inject_Z_mult. unfold worth. ring.
Qed.

Section Bound.
  Variables (an ad D : Z) (u : positive -> positive -> Z) (f : positive -> Q).
  Hypothesis f_01 : forall k, 0 <= f k /\ f k <= 1.
  Hypothesis f_u : forall i j, inject_Z D * (inject_Z ad * f i - inject_Z an * f j) <= inject_Z ad * inject_Z (u i j).

  Lemma worth_cost w : forallb (fun '(_, _, z) => (0 <=? z)%Z) w = true ->
    inject_Z D * worth an ad f w <= inject_Z ad * inject_Z (cost u w).
  Proof.
    induction w as [|[[i j] z] w IH]; intro H; cbn [cost worth fold_right forallb] in *.
    - change (inject_Z 0) with 0. lra.
    - apply andb_prop in H as [Hz H]. specialize (IH H). apply Z.leb_le in Hz. rewrite Zle_Qle in Hz. change (inject_Z 0) with 0 in Hz.
      rewrite inject_Z_plus, inject_Z_mult. specialize (f_u i j). fold (cost u w). fold (worth an ad f w).
      set (S := worth an ad f w) in *. clearbody S.
      set (x := inject_Z ad * f i - inject_Z an * f j) in *. clearbody x. nra.
  Qed.

  Theorem bounded_sound b w v : 0 <= inject_Z D -> bounded an ad D u b w v = true -> inject_Z D * evt f b <= inject_Z v.
  Proof.
    unfold bounded. intros D0 H. apply andb_prop in H as [Hw H]. apply Z.leb_le in H.
    rewrite Zle_Qle, inject_Z_plus, !inject_Z_mult in H.
    assert (W := worth_cost w Hw). assert (G := evt_gains (addw an ad w b) f f_01). rewrite evt_addw in G.
    set (S := worth an ad f w) in *. set (g := inject_Z (gains _)) in *. clearbody S g.
    assert (inject_Z D * (evt f b - S) <= inject_Z D * g) by nra. lra.
  Qed.
End Bound.

Section Table.
  Variables (c : chain) (alpha : Q) (D : positive) (rows : list urow).
  Hypothesis Hc : check_upper c alpha D rows = true.
  Let m := prepare c.
  Let u := value m (utable rows) (Zpos D).
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).

  Lemma parts : check_model c = true /\ (ad <= an)%Z /\ forall r, In r rows -> check_urow m u an ad (Zpos D) r = true.
  Proof.
    unfold check_upper in Hc. apply andb_prop in Hc as [H H2]. apply andb_prop in H as [H0 H1].
    apply Z.leb_le in H1. rewrite forallb_forall in H2. auto.
  Qed.

  Lemma alpha_eq : inject_Z ad * alpha == inject_Z an.
  Proof. exact (times_den alpha). Qed.
  Lemma alpha_1 : 1 <= alpha.
  Proof. destruct parts as (_ & H & _). unfold an, ad in H. destruct alpha as [a b]; unfold Qle; cbn in *. lia. Qed.

  (** One more step: an inequality between all values of f becomes one between their means. *)
  Lemma row_step r f : In r rows -> (forall k, 0 <= f k /\ f k <= 1) ->
    (forall i j, inject_Z (Zpos D) * f (unkey i) <= inject_Z (Zpos D) * (alpha * f (unkey j)) + inject_Z (u i j)) ->
    inject_Z (Zpos D) * mean c (unkey (us r)) f <= inject_Z (Zpos D) * (alpha * mean c (unkey (ut r)) f) + inject_Z (uval r).
  Proof.
    intros Hr Hf Hu. destruct parts as (H0 & _ & H). specialize (H _ Hr). unfold check_urow in H.
    destruct (PM.find (us r) m) as [x|] eqn:Ex; [|discriminate].
    destruct (PM.find (ut r) m) as [y|] eqn:Ey; [|discriminate].
    apply in_prepare in Ex as (x' & Ix & -> & _ & Nx), Ey as (y' & Iy & -> & _ & Ny).
    apply andb_prop in H as [H B]. apply andb_prop in H as [H _]. apply andb_prop in H as [H HB]. apply andb_prop in H as [_ HA].
    apply Z.eqb_eq in HA, HB.
    unfold check_model in H0. rewrite forallb_forall in H0.
    destruct (prep_spec _ _ f (H0 _ Ix)) as [Px _], (prep_spec _ _ f (H0 _ Iy)) as [Py _].
    unfold mean, next. rewrite Nx, Ny.
    set (X := sum (map _ (snd x'))) in *. set (Y := sum (map _ (snd y'))) in *.
    assert (PA : inject_Z ad > 0) by apply inject_pos.
    apply (bounded_sound an ad (Zpos D) u (fun k => f (unkey k)) (fun k => Hf (unkey k))) in B; [| |easy].
    2: { intros i j. specialize (Hu i j). rewrite <- alpha_eq.
         set (a := inject_Z ad) in *. set (d := inject_Z (Zpos D)) in *. clearbody a d. nra. }
    rewrite !evt_addl in B. cbn [evt] in B. rewrite <- Px, <- Py, inject_Z_opp, !inject_Z_mult in B.
    apply (f_equal inject_Z) in HA, HB. rewrite inject_Z_mult in HA, HB. fold an ad in B. rewrite <- alpha_eq in B.
    assert (PL := inject_pos (scale r)).
    set (L := inject_Z (Zpos (scale r))) in *. set (d := inject_Z (Zpos D)) in *. set (a := inject_Z ad) in *. set (v := inject_Z (uval r)) in *.
    assert (B' : d * (a * L * X - a * L * alpha * Y) <= a * L * v).
    { rewrite <- HA at 1. rewrite <- HB at 1.
      match goal with |- d * ?e <= _ => setoid_replace e with
        (a * inject_Z (ks r) * (inject_Z (Zpos (den (prep x'))) * X) +
         (- (a * alpha * inject_Z (kt r)) * (inject_Z (Zpos (den (prep y'))) * Y) + 0)) by ring end.
      exact B. }
    clear - B' PL PA. clearbody v L d a X Y. assert (0 < a * L) by nra.
    assert (a * L * (d * X - (d * (alpha * Y) + v)) <= 0) by lra. nra.
  Qed.

  (** No event gains more than the table says. *)
  Theorem upper_sound n E i j :
    inject_Z (Zpos D) * prob c n (unkey i) E <= inject_Z (Zpos D) * (alpha * prob c n (unkey j) E) + inject_Z (u i j).
  Proof.
    destruct parts as (H0 & _ & H). assert (A1 := alpha_1). assert (PD := inject_pos D). set (d := inject_Z (Zpos D)) in *.
    assert (triv : forall n E i j, d * prob c n (unkey i) E <= d * (alpha * prob c n (unkey j) E) + d).
    { intros n' E' i' j'. destruct (prob_bounds c H0 n' (unkey i') E'), (prob_bounds c H0 n' (unkey j') E').
      set (p := prob c n' (unkey i') E') in *. set (q := prob c n' (unkey j') E') in *. clearbody p q.
      assert (0 <= alpha * q) by nra. nra. }
    assert (refl : forall n E i, d * prob c n (unkey i) E <= d * (alpha * prob c n (unkey i) E) + inject_Z 0).
    { intros n' E' i'. change (inject_Z 0) with 0. destruct (prob_bounds c H0 n' (unkey i') E').
      set (p := prob c n' (unkey i') E') in *. clearbody p. assert (p <= alpha * p) by nra. nra. }
    assert (base : forall E v, (0 <= v)%Z -> d * prob c 0 0%N E <= d * (alpha * prob c 0 0%N E) + inject_Z v).
    { intros E' v Hv. rewrite Zle_Qle in Hv. change (inject_Z 0) with 0 in Hv. cbn. destruct (E' []); nra. }
    revert E i j. induction n as [|n IH]; intros E i j; unfold u, value.
    all: destruct (Pos.eqb_spec i j) as [->|Hij]; [apply refl|].
    all: destruct (PM.find i m) as [x|] eqn:Ex; [|apply triv]; destruct (PM.find j m) as [y|] eqn:Ey; [|apply triv];
      destruct (N.eqb_spec (lab x) (lab y)) as [Hl|]; [|apply triv];
      destruct (get i j (utable rows)) as [v|] eqn:Eg; [|apply triv];
      apply get_utable in Eg as (r & Hr & <- & <- & <-).
    - apply (base E). specialize (H _ Hr). unfold check_urow in H. rewrite Ex, Ey in H.
      apply andb_prop in H as [H _]. apply andb_prop in H as [_ H]. now apply Z.leb_le.
    - apply in_prepare in Ex as (x' & _ & -> & _ & Nx), Ey as (y' & _ & -> & _ & Ny).
      assert (Hlab : label c (unkey (us r)) = label c (unkey (ut r))) by (unfold label; rewrite Nx, Ny; exact Hl).
      cbn [prob]. rewrite <- Hlab.
      apply (row_step r (fun k => prob c n k (fun w => E (label c (unkey (us r)) :: w))) Hr).
      + intro k. apply prob_bounds, H0.
      + intros i j. apply IH.
  Qed.
End Table.

(** ** Claims *)

(** The value of a pair is at most delta. *)
Definition at_most (c : chain) (D : positive) (rows : list urow) (delta : Q) : N * N -> bool :=
  let m := prepare c in let u := utable rows in
  fun st => (value m u (Zpos D) (key (fst st)) (key (snd st)) * Zpos (Qden delta) <=? Qnum delta * Zpos D)%Z.

Definition check_close (c : chain) (alpha delta : Q) (R : list (N * N)) (D : positive) (rows : list urow) : bool :=
  check_upper c alpha D rows && forallb (at_most c D rows delta) R.

Theorem close_sound c alpha delta R D rows : check_close c alpha delta R D rows = true ->
  markov c /\ forall s t, In (s, t) R -> close c alpha delta s t.
Proof.
  unfold check_close. intro H. apply andb_prop in H as [H Hv]. rewrite forallb_forall in Hv.
  split; [apply model_sound; now destruct (parts c alpha D rows H)|].
  intros s t Hst n E. specialize (Hv _ Hst). apply Z.leb_le in Hv. cbn [fst snd] in Hv.
  assert (U := upper_sound c alpha D rows H n E (key s) (key t)). rewrite !unkey_key in U.
  set (v := value _ _ _ _ _) in *. clearbody v.
  assert (inject_Z v <= inject_Z (Zpos D) * delta).
  { destruct delta as [a b]. unfold Qle. cbn [Qmult inject_Z Qnum Qden] in *. rewrite Pos.mul_1_l. lia. }
  assert (PD := inject_pos D). nra.
Qed.
