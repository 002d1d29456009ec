(** * The table of a checked upper bound is pre-fixed: so it bounds ld, too *)
From Coq Require Import List NArith ZArith QArith Qminmax Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Least.
Import ListNotations.
Open Scope Q_scope.

(** Couplings move between states of the chain. *)
Definition check_moves (c : chain) (rows : list urow) : bool :=
  let m := prepare c in forallb (fun r => forallb (fun '(i, j, _) => PM.mem i m && PM.mem j m) (moves r)) rows.

Section Table.
  Variables (c : chain) (alpha : Q) (D : positive) (rows : list urow).
  Hypothesis Hu : check_upper c alpha D rows = true.
  Hypothesis Hm : check_moves c rows = true.
  Let m := prepare c.
  Let u := value m (utable rows) (Zpos D).
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).
  Definition entry (s t : N) : Q := inject_Z (value (prepare c) (utable rows) (Zpos D) (key s) (key t)) / inject_Z (Zpos D).

  Lemma value_pos i j : (0 <= u i j)%Z.
  Proof.
    unfold u, value. destruct (_ =? _)%positive; [easy|]. destruct (PM.find i m) as [x|] eqn:Ex; [|easy]. destruct (PM.find j m) as [y|] eqn:Ey; [|easy].
    destruct (_ =? _)%N; [|easy]. destruct (get i j (utable rows)) as [v|] eqn:E; [|easy].
    apply get_utable in E as (r & Hr & <- & <- & <-). destruct (parts c alpha D rows Hu) as (_ & _ & H). specialize (H _ Hr). unfold check_urow in H.
    fold m in H. rewrite Ex, Ey in H. apply andb_prop in H as [H _]. apply andb_prop in H as [_ H]. now apply Z.leb_le in H.
  Qed.

  (** The moves of a row as a coupling between states. *)
  Definition spread_out (L : positive) (w : list zmove) : list move :=
    map (fun '(i, j, z) => (unkey i, unkey j, inject_Z z / inject_Z (Zpos L))) w.

  (** What is left behind, as the gain of a function that is 1 where something is left. *)
  Definition left_at (w : list move) (s t k : N) : Q := if Qlt_le_dec 0 (rest c alpha w s t k) then 1 else 0.
  Lemma left_01 w s t k : 0 <= left_at w s t k /\ left_at w s t k <= 1.
  Proof. unfold left_at. destruct (Qlt_le_dec _ _); lra. Qed.
  Lemma left_sum w s t : coupling c w -> In s (states c) -> In t (states c) ->
    sum (map (fun k => Qmax 0 (rest c alpha w s t k)) (states c)) ==
    mean c s (left_at w s t) - alpha * mean c t (left_at w s t)
    - sum (map (fun x => amount x * (left_at w s t (src x) - alpha * left_at w s t (dst x))) w).
  Proof.
    intros Hw Hs Ht. destruct (parts c alpha D rows Hu) as (M & _).
    rewrite (duality c alpha (model_sound c M) w s t (left_at w s t) Hw Hs Ht).
    rewrite (sum_ext (states c) (fun k => Qmax 0 (rest c alpha w s t k)) (fun k => left_at w s t k * rest c alpha w s t k)); [ring|].
    intros k _. unfold left_at. destruct (Qlt_le_dec 0 _) as [P|P].
    - rewrite Q.max_r by lra. ring.
    - rewrite Q.max_l by assumption. ring.
  Qed.

  Lemma row_cost r s t : In r rows -> us r = key s -> ut r = key t -> In s (states c) -> In t (states c) ->
    coupling c (spread_out (scale r) (moves r)) /\
    Distance.cost c alpha entry (spread_out (scale r) (moves r)) s t <= inject_Z (uval r) / inject_Z (Zpos D).
  Proof.
    intros Hr Es Et Hs Ht. destruct (parts c alpha D rows Hu) as (M & _ & H). specialize (H _ Hr). unfold check_urow in H. rewrite Es, Et in H. fold m u an ad in H.
    destruct (PM.find (key s) m) as [x|] eqn:Ex; [|discriminate]. destruct (PM.find (key t) m) as [y|] eqn:Ey; [|discriminate].
    apply in_prepare in Ex as (x' & Ix & -> & _ & Nx), Ey as (y' & Iy & -> & _ & Ny). rewrite unkey_key in Nx, Ny.
    apply andb_prop in H as [H B]. apply andb_prop in H as [H _]. apply andb_prop in H as [H HB]. apply andb_prop in H as [_ HA].
    apply Z.eqb_eq in HA, HB. unfold bounded in B. apply andb_prop in B as [Pos B]. apply Z.leb_le in B. rewrite forallb_forall in Pos.
    assert (PL := inject_pos (scale r)). assert (PD := inject_pos D). assert (PA : 0 < inject_Z ad) by reflexivity.
    set (w := spread_out (scale r) (moves r)).
    assert (Hw : coupling c w).
    { intros mv I. unfold w, spread_out in I. apply in_map_iff in I as (((i, j), z) & <- & I). unfold amount, src, dst. cbn [fst snd].
      specialize (Pos _ I). cbn beta iota in Pos. apply Z.leb_le in Pos. rewrite Zle_Qle in Pos. change (inject_Z 0) with 0 in Pos. split.
      - apply Qle_shift_div_l; [assumption|]. lra.
      - unfold check_moves in Hm. rewrite forallb_forall in Hm. specialize (Hm _ Hr). rewrite forallb_forall in Hm. specialize (Hm _ I). cbn beta iota in Hm.
        apply andb_prop in Hm as [Mi Mj]. apply PM.mem_2 in Mi as [xi Fi], Mj as [xj Fj]. apply PM.find_1, find_label in Fi as [_ Fi], Fj as [_ Fj]. now split. }
    split; [exact Hw|]. unfold Distance.cost. rewrite (left_sum w s t Hw Hs Ht). set (f := left_at w s t).
    assert (G := evt_gains (addw an ad (moves r) (addl (ad * ks r) (nums (prep x')) (addl (- (an * kt r)) (nums (prep y')) Leaf)))
      (fun k => f (unkey k)) (fun k => left_01 w s t (unkey k))).
    unfold check_model in M. rewrite forallb_forall in M.
    destruct (prep_spec _ _ f (M _ Ix)) as [Px _], (prep_spec _ _ f (M _ Iy)) as [Py _].
    rewrite evt_addw, !evt_addl in G. cbn [evt] in G. rewrite <- Px, <- Py, inject_Z_opp, !inject_Z_mult in G.
    assert (A := times_den alpha). fold an ad in A. rewrite <- A in G.
    apply (f_equal inject_Z) in HA, HB. rewrite inject_Z_mult in HA, HB.
    assert (Wo : worth an ad (fun k => f (unkey k)) (moves r) ==
                 inject_Z ad * inject_Z (Zpos (scale r)) * sum (map (fun x => amount x * (f (src x) - alpha * f (dst x))) w)).
    { unfold w. clearbody f. clear - A PL. induction (moves r) as [|[[i j] z] l IH]; cbn [worth fold_right spread_out map].
      - rewrite sum_nil. ring.
      - rewrite sum_cons. unfold worth, spread_out in IH. rewrite IH. unfold amount at 2, src at 2, dst at 2. cbn [fst snd]. rewrite <- A. field. lra. }
    assert (Co : inject_Z (Upper.cost u (moves r)) == inject_Z (Zpos (scale r)) * inject_Z (Zpos D) * sum (map (fun x => amount x * entry (src x) (dst x)) w)).
    { unfold w. clear - PL PD. induction (moves r) as [|[[i j] z] l IH]; cbn [Upper.cost fold_right spread_out map].
      - rewrite sum_nil. change (inject_Z 0) with 0. ring.
      - rewrite sum_cons, inject_Z_plus, inject_Z_mult. unfold Upper.cost, spread_out in IH. rewrite IH. unfold amount at 2, src at 2, dst at 2, entry at 2. cbn [fst snd].
        rewrite !key_unkey. fold m u. field. split; lra. }
    assert (Mx : mean c s f == sum (map (fun kp => snd kp * f (fst kp)) (snd x'))) by (unfold mean, next; now rewrite Nx).
    assert (My : mean c t f == sum (map (fun kp => snd kp * f (fst kp)) (snd y'))) by (unfold mean, next; now rewrite Ny).
    rewrite Zle_Qle, inject_Z_plus, !inject_Z_mult in B. rewrite Co in B. rewrite Wo, <- Mx, <- My in G.
    set (L := inject_Z (Zpos (scale r))) in *. set (d := inject_Z (Zpos D)) in *. set (a := inject_Z ad) in *. set (v := inject_Z (uval r)) in *.
    set (g := inject_Z (gains _)) in *. set (C := sum (map (fun x => amount x * entry (src x) (dst x)) w)) in *.
    set (K := sum (map (fun x => amount x * (f (src x) - alpha * f (dst x))) w)) in *. set (X := mean c s f) in *. set (Y := mean c t f) in *.
    assert (G' : a * L * (X - alpha * Y - K) <= g).
    { eapply Qle_trans; [|exact G]. rewrite <- HA at 1.
      assert (E : a * (inject_Z (ks r) * inject_Z (Zpos (den (prep x')))) * (X - alpha * Y - K) ==
        a * inject_Z (ks r) * (inject_Z (Zpos (den (prep x'))) * X) - a * (inject_Z (ks r) * inject_Z (Zpos (den (prep x')))) * (alpha * Y)
        - a * (inject_Z (ks r) * inject_Z (Zpos (den (prep x')))) * K) by ring.
      rewrite E, HA. clear E. apply Qle_lteq. right. rewrite <- HB at 1. ring. }
    clear - B G' PL PD PA. clearbody L d a v g C K X Y. apply Qle_shift_div_l; [assumption|].
    assert (d * (a * L * (X - alpha * Y - K)) <= d * g) by nra.
    assert (P : 0 < a * L) by nra. assert (a * L * ((C + (X - alpha * Y - K)) * d) <= a * L * v) by lra. nra.
  Qed.

  Theorem table_prefixed : prefixed c alpha entry.
  Proof.
    destruct (parts c alpha D rows Hu) as (M & _ & H). assert (PD := inject_pos D). intros s t Hs Ht. unfold entry at 1 2 4. fold m u.
    assert (P := value_pos (key s) (key t)). rewrite Zle_Qle in P. change (inject_Z 0) with 0 in P.
    split; [apply Qle_shift_div_l; lra|].
    assert (K : u (key s) (key t) = if (s =? t)%N then 0%Z else if (label c s =? label c t)%N then match get (key s) (key t) (utable rows) with Some v => v | None => Zpos D end else Zpos D).
    { unfold u, value. destruct (N.eqb_spec s t) as [->|Hne]; [now rewrite Pos.eqb_refl|].
      destruct (Pos.eqb_spec (key s) (key t)) as [E|]; [now apply key_inj in E|]. unfold m. now rewrite (prepare_complete c s Hs), (prepare_complete c t Ht). }
    assert (One : inject_Z (Zpos D) / inject_Z (Zpos D) == 1) by (field; easy). split.
    - intro L. rewrite K. destruct (N.eqb_spec s t) as [->|]; [easy|]. destruct (N.eqb_spec (label c s) (label c t)); [easy|]. rewrite One. apply Qle_refl.
    - intros L Hne. rewrite K. destruct (N.eqb_spec s t); [easy|]. destruct (N.eqb_spec (label c s) (label c t)); [|easy].
      destruct (get (key s) (key t) (utable rows)) as [v|] eqn:E.
      + apply get_utable in E as (r & Hr & Es & Et & <-). destruct (row_cost r s t Hr Es Et Hs Ht) as [A B].
        exists (spread_out (scale r) (moves r)). now split.
      + exists []. assert (Hw : coupling c []) by (intros ? []). split; [exact Hw|]. unfold Distance.cost. rewrite (left_sum [] s t Hw Hs Ht). cbn [map]. rewrite !sum_nil, One.
        destruct (mean_bounds c s (left_at [] s t) M (left_01 [] s t)), (mean_bounds c t (left_at [] s t) M (left_01 [] s t)).
        assert (A1 := alpha_1 c alpha D rows Hu). set (X := mean c s _) in *. set (Y := mean c t _) in *. clearbody X Y. nra.
  Qed.
End Table.

(** ld is at most delta for every pair of R. *)
Definition check_ld_at_most (c : chain) (alpha delta : Q) (R : list (N * N)) (D : positive) (rows : list urow) : bool :=
  check_close c alpha delta R D rows && check_moves c rows.

Lemma entry_at_most c D rows delta s t : at_most c D rows delta (s, t) = true -> entry c D rows s t <= delta.
Proof.
  unfold at_most. intro Hv. apply Z.leb_le in Hv. cbn [fst snd] in Hv.
  unfold entry. set (v := value _ _ _ _ _) in *. clearbody v. apply Qle_shift_div_r; [reflexivity|].
  destruct delta as [a b]. unfold Qle. cbn [Qmult inject_Z Qnum Qden] in *. rewrite Pos.mul_1_r in *. lia.
Qed.

Theorem ld_at_most_sound c alpha delta R D rows : check_ld_at_most c alpha delta R D rows = true ->
  markov c /\ forall s t, In (s, t) R -> ld_at_most c alpha delta s t /\ close c alpha delta s t.
Proof.
  unfold check_ld_at_most. intro H. apply andb_prop in H as [H Hm]. destruct (close_sound _ _ _ _ _ _ H) as [M Cl]. split; [exact M|].
  intros s t Hst. split; [|now apply Cl]. unfold check_close in H. apply andb_prop in H as [Hu Hv]. exists (entry c D rows).
  split; [now apply table_prefixed|]. rewrite forallb_forall in Hv. now apply entry_at_most, (Hv (s, t)).
Qed.

(** Each row has one of the other direction with the same value. *)
Definition check_symmetric (rows : list urow) : bool :=
  let d := utable rows in
  forallb (fun r => match get (us r) (ut r) d, get (ut r) (us r) d with Some v, Some v' => (v =? v')%Z | _, _ => false end) rows.

Lemma entry_symmetric c D rows : check_symmetric rows = true -> symmetric (entry c D rows).
Proof.
  unfold check_symmetric. rewrite forallb_forall. intros H s t. unfold entry, value.
  rewrite (Pos.eqb_sym (key t)). destruct (key s =? key t)%positive; [reflexivity|].
  destruct (PM.find (key s) (prepare c)) as [x|], (PM.find (key t) (prepare c)) as [y|]; try reflexivity.
  rewrite (N.eqb_sym (lab y)). destruct (lab x =? lab y)%N; [|reflexivity].
  destruct (get (key s) (key t) (utable rows)) as [v|] eqn:E.
  - assert (I := E). apply get_utable in I as (r & Hr & Es & Et & _). specialize (H r Hr). rewrite Es, Et, E in H.
    destruct (get (key t) (key s) (utable rows)) as [v'|]; [|discriminate]. apply Z.eqb_eq in H as ->. reflexivity.
  - destruct (get (key t) (key s) (utable rows)) as [v'|] eqn:E'; [|reflexivity].
    apply get_utable in E' as I. destruct I as (r & Hr & Es & Et & _). specialize (H r Hr). rewrite Es, Et, E', E in H. discriminate.
Qed.

(** bd is at most delta for every pair of R. *)
Definition check_bd_at_most (c : chain) (alpha delta : Q) (R : list (N * N)) (D : positive) (rows : list urow) : bool :=
  check_ld_at_most c alpha delta R D rows && check_symmetric rows.

Theorem bd_at_most_sound c alpha delta R D rows : check_bd_at_most c alpha delta R D rows = true ->
  markov c /\ forall s t, In (s, t) R -> bd_at_most c alpha delta s t /\ close c alpha delta s t.
Proof.
  unfold check_bd_at_most. intro H. apply andb_prop in H as [H Sy]. destruct (ld_at_most_sound _ _ _ _ _ _ H) as [M L]. split; [exact M|].
  intros s t Hst. destruct (L s t Hst) as [_ Cl]. split; [|exact Cl].
  unfold check_ld_at_most in H. apply andb_prop in H as [H Hm]. unfold check_close in H. apply andb_prop in H as [Hu Hv]. exists (entry c D rows).
  split; [now apply table_prefixed|]. split; [now apply entry_symmetric|]. rewrite forallb_forall in Hv. now apply entry_at_most, (Hv (s, t)).
Qed.
