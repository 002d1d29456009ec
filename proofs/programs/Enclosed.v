(** * Tails of noise in integers, and their polygons *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Tails Profiles.
Import ListNotations.
Open Scope Q_scope.

(** x, x a / c, ..., rounded down or up each time. *)
Fixpoint downs (a c x : Z) (n : nat) : list Z := match n with O => [] | S n => x :: downs a c (x * a / c) n end%Z.
Fixpoint ups (a c x : Z) (n : nat) : list Z := match n with O => [] | S n => x :: ups a c (- (- (x * a) / c)) n end%Z.
Definition top (e : Q) : Z := Qnum e.
Definition bottom (e : Q) : Z := Zpos (Qden e).
(** P (N >= i) for i = 0, ..., n, as multiples of 1 / WHOLE, for all ratios between el and eh. *)
Definition lows (el eh : Q) (n : Z) : list Z :=
  (WHOLE * bottom eh / (top eh + bottom eh) :: downs (top el) (bottom el) (WHOLE * top el / (top el + bottom el)) (Z.to_nat n))%Z.
Definition highs (el eh : Q) (n : Z) : list Z :=
  (- (- (WHOLE * bottom el) / (top el + bottom el)) :: ups (top eh) (bottom eh) (- (- (WHOLE * top eh) / (top eh + bottom eh))) (Z.to_nat n))%Z.
Definition at_index (l : list Z) (i : Z) : Z := nth (Z.to_nat i) l 0%Z.

(** The groups of a draw that is moved by n, 0 or not, and their masses under both laws. *)
Definition larger (l h : list Z) (n j : Z) : Z :=
  (if j =? 0 then at_index h 0 else if j <? n then at_index h j - at_index l (j + 1) else at_index h n)%Z.
Definition smaller (l h : list Z) (n j : Z) : Z :=
  (if j =? 0 then at_index l 0 else if j <? n then Z.max 0 (at_index l j - at_index h (j + 1)) else at_index l n)%Z.
Definition groups (el eh : Q) (n : Z) : list (Z * Z) :=
  let l := lows el eh n in let h := highs el eh n in map (fun j => (larger l h n j, smaller l h n (n - j)))%Z (indices n).
(** The vertices around all pairs of a tail and of the tail that is n further. *)
Definition vertices (el eh : Q) (n : Z) : list (Z * Z) :=
  let l := lows el eh n in
  ((0, 0) :: (WHOLE, WHOLE) :: map (fun i => (WHOLE - at_index l i, at_index l (n + 1 - i))) (map (Z.add 1) (indices (n - 1))))%Z.

Lemma quotient_below a c : (0 < c)%Z -> inject_Z (a / c) * inject_Z c <= inject_Z a.
Proof. intro C. rewrite <- inject_Z_mult. apply inject_le. assert (H := Z.mul_div_le a c C). lia. Qed.
Lemma quotient_above a c : (0 < c)%Z -> inject_Z a <= inject_Z (- (- a / c)) * inject_Z c.
Proof. intro C. rewrite <- inject_Z_mult. apply inject_le. assert (H := Z.mul_div_le (- a) c C). lia. Qed.
Lemma fraction e : e * inject_Z (bottom e) == inject_Z (top e).
Proof. unfold bottom, top. destruct e as [a c]. unfold Qeq, Qmult, inject_Z. cbn. rewrite ?Pos.mul_1_r, ?Z.mul_1_r. reflexivity. Qed.

Section Enclosed.
  Variables (q : Q) (d : Z) (el eh : Q).
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Hypothesis D : (0 < d)%Z.
  Hypothesis El : 0 < el.
  Hypothesis Low : el <= q ^ d.
  Hypothesis High : q ^ d <= eh.
  Let e := q ^ d.
  Let t := at_least q d.
  Let W := inject_Z WHOLE.

  Lemma step i : t (i + 1) == t i * e.
  Proof. unfold t, at_least. rewrite e_power by assumption. fold e. assert (E := e_pos q d q0). fold e in E. field. lra. Qed.
  Lemma bottom_pos x : 0 < inject_Z (bottom x).
  Proof. change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. easy. Qed.
  Lemma down_sound a : 0 <= inject_Z a -> inject_Z (a * top el / bottom el) <= inject_Z a * e /\ (0 <= a * top el / bottom el)%Z.
  Proof.
    intro A. assert (Qb := quotient_below (a * top el) (bottom el) eq_refl). rewrite inject_Z_mult, <- fraction in Qb.
    assert (B := bottom_pos el). split.
    - apply (Qmult_le_r _ _ _ B). apply Qle_trans with (1 := Qb). assert (L : el <= e) by exact Low. set (b := inject_Z (bottom el)) in *. set (x := inject_Z a) in *. clearbody b x.
      assert (x * el <= x * e) by nra. nra.
    - apply Z.div_pos; [|easy]. assert (0 <= top el)%Z. { apply Z.lt_le_incl. assert (T := fraction el). assert (0 < inject_Z (top el)) by (rewrite <- T; now apply Qmult_lt_0_compat).
        change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
      assert (0 <= a)%Z by (change 0 with (inject_Z 0) in A; now rewrite <- Zle_Qle in A). nia.
  Qed.
  Lemma up_sound a : 0 <= inject_Z a -> inject_Z a * e <= inject_Z (- (- (a * top eh) / bottom eh)).
  Proof.
    intro A. assert (Qb := quotient_above (a * top eh) (bottom eh) eq_refl). rewrite inject_Z_mult, <- fraction in Qb.
    assert (B := bottom_pos eh). apply (Qmult_le_r _ _ _ B). apply Qle_trans with (2 := Qb). assert (L : e <= eh) by exact High.
    set (b := inject_Z (bottom eh)) in *. set (x := inject_Z a) in *. clearbody b x. assert (x * e <= x * eh) by nra. nra.
  Qed.
  Lemma downs_sound n : forall x i0, (0 <= x)%Z -> inject_Z x <= W * t i0 -> forall i, (i < n)%nat ->
    (0 <= nth i (downs (top el) (bottom el) x n) 0)%Z /\ inject_Z (nth i (downs (top el) (bottom el) x n) 0%Z) <= W * t (i0 + Z.of_nat i).
  Proof.
    assert (E := e_pos q d q0). fold e in E.
    induction n as [|n IH]; intros x i0 X0 B [|i] L; try lia; cbn [downs nth]; [rewrite Z.add_0_r; now split|].
    destruct (down_sound x (inject_0 _ X0)) as [P P0]. replace (i0 + Z.of_nat (S i))%Z with (i0 + 1 + Z.of_nat i)%Z by lia. apply IH; [exact P0| |lia].
    rewrite step. apply Qle_trans with (1 := P). nra.
  Qed.
  Lemma ups_sound n : forall x i0, W * t i0 <= inject_Z x -> forall i, (i < n)%nat -> W * t (i0 + Z.of_nat i) <= inject_Z (nth i (ups (top eh) (bottom eh) x n) 0%Z).
  Proof.
    assert (E := e_pos q d q0). fold e in E.
    induction n as [|n IH]; intros x i0 B [|i] L; try lia; cbn [ups nth]; [now rewrite Z.add_0_r|].
    assert (X0 : 0 <= inject_Z x). { apply Qle_trans with (2 := B). assert (P := at_least_pos q d q0 i0). fold t in P. assert (0 < W) by reflexivity. nra. }
    assert (P := up_sound x X0). replace (i0 + Z.of_nat (S i))%Z with (i0 + 1 + Z.of_nat i)%Z by lia. apply IH; [|lia].
    rewrite step. apply Qle_trans with (2 := P). nra.
  Qed.

  Lemma first_low : (0 <= WHOLE * top el / (top el + bottom el))%Z /\ inject_Z (WHOLE * top el / (top el + bottom el)) <= W * t 1.
  Proof.
    assert (T : (0 < top el)%Z). { assert (F := fraction el). assert (0 < inject_Z (top el)) by (rewrite <- F; apply Qmult_lt_0_compat; [exact El|apply bottom_pos]).
      change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
    assert (B : (0 < bottom el)%Z) by easy. split; [apply Z.div_pos; [|lia]; assert (0 < WHOLE)%Z by easy; nia|].
    assert (Qb := quotient_below (WHOLE * top el) (top el + bottom el) ltac:(lia)). rewrite inject_Z_plus, inject_Z_mult, <- fraction in Qb. fold W in Qb.
    assert (B' := bottom_pos el). assert (E := e_pos q d q0). fold e in E. unfold t, at_least. fold e. change (e ^ 1) with e. assert (L : el <= e) by exact Low.
    setoid_replace (W * (e / (1 + e))) with (W * e / (1 + e)) by (field; lra). apply Qle_shift_div_l; [lra|].
    assert (W0 : 0 < W) by reflexivity. set (x := inject_Z (_ / _)) in *. set (b := inject_Z (bottom el)) in *. clearbody x b W.
    assert (Y : x * (el + 1) <= W * el). { apply (Qmult_le_r _ _ b B'). lra. }
    assert (X1 : x <= W). { apply Qnot_lt_le. intro X. nra. }
    destruct (Qlt_le_dec x 0); [nra|]. assert (x * (e - el) <= W * (e - el)) by nra. lra.
  Qed.
  Lemma first_high : W * t 1 <= inject_Z (- (- (WHOLE * top eh) / (top eh + bottom eh))).
  Proof.
    assert (E := e_pos q d q0). fold e in E. assert (L : e <= eh) by exact High.
    assert (T : (0 < top eh)%Z). { assert (F := fraction eh). assert (0 < inject_Z (top eh)) by (rewrite <- F; apply Qmult_lt_0_compat; [lra|apply bottom_pos]).
      change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
    assert (B : (0 < bottom eh)%Z) by easy.
    assert (Qb := quotient_above (WHOLE * top eh) (top eh + bottom eh) ltac:(lia)). rewrite inject_Z_plus, inject_Z_mult, <- fraction in Qb. fold W in Qb.
    assert (B' := bottom_pos eh). unfold t, at_least. fold e. change (e ^ 1) with e.
    setoid_replace (W * (e / (1 + e))) with (W * e / (1 + e)) by (field; lra). apply Qle_shift_div_r; [lra|].
    assert (W0 : 0 < W) by reflexivity. set (x := inject_Z (- _)) in *. set (b := inject_Z (bottom eh)) in *. clearbody x b W.
    assert (Y : W * eh <= x * (eh + 1)). { apply (Qmult_le_r _ _ b B'). lra. }
    assert (X1 : 0 < x) by nra. destruct (Qlt_le_dec x W) as [X|X]; [|nra]. assert (x * (eh - e) <= W * (eh - e)) by nra. lra.
  Qed.
  Lemma zeroth : (0 <= WHOLE * bottom eh / (top eh + bottom eh))%Z /\ inject_Z (WHOLE * bottom eh / (top eh + bottom eh)) <= W * t 0.
  Proof.
    assert (E := e_pos q d q0). fold e in E. assert (L : e <= eh) by exact High.
    assert (T : (0 < top eh)%Z). { assert (F := fraction eh). assert (0 < inject_Z (top eh)) by (rewrite <- F; apply Qmult_lt_0_compat; [lra|apply bottom_pos]).
      change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
    assert (B : (0 < bottom eh)%Z) by easy. split; [apply Z.div_pos; [|lia]; assert (0 < WHOLE)%Z by easy; nia|].
    assert (Qb := quotient_below (WHOLE * bottom eh) (top eh + bottom eh) ltac:(lia)). rewrite inject_Z_plus, inject_Z_mult, <- fraction in Qb. fold W in Qb.
    assert (B' := bottom_pos eh). unfold t, at_least. fold e. change (e ^ 0) with 1.
    setoid_replace (W * (1 / (1 + e))) with (W / (1 + e)) by (field; lra). apply Qle_shift_div_l; [lra|].
    assert (W0 : 0 < W) by reflexivity. set (x := inject_Z (_ / _)) in *. set (b := inject_Z (bottom eh)) in *. clearbody x b W.
    assert (Y : x * (eh + 1) <= W). { apply (Qmult_le_r _ _ b B'). lra. }
    destruct (Qlt_le_dec x 0); nra.
  Qed.
  Lemma zeroth_high : W * t 0 <= inject_Z (- (- (WHOLE * bottom el) / (top el + bottom el))).
  Proof.
    assert (E := e_pos q d q0). fold e in E. assert (L : el <= e) by exact Low.
    assert (T : (0 < top el)%Z). { assert (F := fraction el). assert (0 < inject_Z (top el)) by (rewrite <- F; apply Qmult_lt_0_compat; [exact El|apply bottom_pos]).
      change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
    assert (B : (0 < bottom el)%Z) by easy.
    assert (Qb := quotient_above (WHOLE * bottom el) (top el + bottom el) ltac:(lia)). rewrite inject_Z_plus, inject_Z_mult, <- fraction in Qb. fold W in Qb.
    assert (B' := bottom_pos el). unfold t, at_least. fold e. change (e ^ 0) with 1.
    setoid_replace (W * (1 / (1 + e))) with (W / (1 + e)) by (field; lra). apply Qle_shift_div_r; [lra|].
    assert (W0 : 0 < W) by reflexivity. set (x := inject_Z (- _)) in *. set (b := inject_Z (bottom el)) in *. clearbody x b W.
    assert (Y : W <= x * (el + 1)). { apply (Qmult_le_r _ _ b B'). lra. }
    assert (0 < x) by nra. nra.
  Qed.

  Lemma lows_sound n i : (0 <= i <= n)%Z -> (0 <= at_index (lows el eh n) i)%Z /\ inject_Z (at_index (lows el eh n) i) <= W * t i.
  Proof.
    intro I. unfold at_index, lows. destruct (Z.to_nat i) as [|k] eqn:Ek.
    - assert (i = 0)%Z as -> by lia. apply zeroth.
    - replace i with (1 + Z.of_nat k)%Z by lia. cbn [nth]. destruct first_low. apply downs_sound; [assumption|assumption|lia].
  Qed.
  Lemma highs_sound n i : (0 <= i <= n)%Z -> W * t i <= inject_Z (at_index (highs el eh n) i).
  Proof.
    intro I. unfold at_index, highs. destruct (Z.to_nat i) as [|k] eqn:Ek.
    - assert (i = 0)%Z as -> by lia. apply zeroth_high.
    - replace i with (1 + Z.of_nat k)%Z by lia. cbn [nth]. apply ups_sound; [apply first_high|lia].
  Qed.

  Lemma groups_sound n j : (1 <= n)%Z -> (0 <= j <= n)%Z -> let l := lows el eh n in let h := highs el eh n in
    W * mass q d n j <= inject_Z (larger l h n j) /\ (0 <= smaller l h n j)%Z /\ inject_Z (smaller l h n j) <= W * mass q d n j.
  Proof.
    intros N J l h. assert (Sl := lows_sound n). assert (Sh := highs_sound n). fold l in Sl. fold h in Sh. assert (Mp := mass_pos q d q0 q1 D n j N J).
    unfold larger, smaller, mass in *. destruct (Z.eqb_spec j 0) as [->|J0].
    - specialize (Sl 0%Z ltac:(lia)). specialize (Sh 0%Z ltac:(lia)). tauto.
    - destruct (Z.ltb_spec j n) as [L|L].
      + assert (A := Sl j J). assert (B := Sl (j + 1)%Z ltac:(lia)). assert (A' := Sh j J). assert (B' := Sh (j + 1)%Z ltac:(lia)). fold t in Mp. fold t.
        repeat split; [unfold Z.sub; rewrite inject_Z_plus, inject_Z_opp; lra|lia|].
        destruct (Z.max_spec 0 (at_index l j - at_index h (j + 1))) as [[_ ->]|[_ ->]].
        * unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp. lra.
        * change (inject_Z 0) with 0. assert (0 < W) by reflexivity. nra.
      + specialize (Sl n ltac:(lia)). specialize (Sh n ltac:(lia)). tauto.
  Qed.

  (** A bound at the vertices is a bound at all pairs of tails. *)
  Lemma vertices_sound n k a b c : (1 <= n)%Z -> (forall P P', In (P, P') (vertices el eh n) -> a * inject_Z P + b * inject_Z P' <= c * W) ->
    a * tail q d k + b * tail q d (k + n) <= c.
  Proof.
    intros N H. assert (W0 : 0 < W) by reflexivity. unfold vertices in H. set (l := lows el eh n) in *.
    apply (hull q d q0 q1 D n (fun i => if (i <=? n)%Z then inject_Z (at_index l i) / W else 0)); [exact N| | | |].
    - intros i I. destruct (Z.leb_spec i n).
      + apply Qle_shift_div_r; [exact W0|]. destruct (lows_sound n i ltac:(lia)) as [_ S]. fold l in S. rewrite Qmult_comm. exact S.
      + apply Qlt_le_weak. now apply at_least_pos.
    - specialize (H 0%Z 0%Z (or_introl eq_refl)). change (inject_Z 0) with 0 in H. clearbody W. nra.
    - specialize (H WHOLE WHOLE (or_intror (or_introl eq_refl))). fold W in H. clearbody W. nra.
    - intros i I. destruct (Z.leb_spec i n); [|lia]. destruct (Z.leb_spec (n + 1 - i) n); [|lia].
      specialize (H (WHOLE - at_index l i)%Z (at_index l (n + 1 - i))).
      assert (J : In (WHOLE - at_index l i, at_index l (n + 1 - i))%Z (map (fun i => (WHOLE - at_index l i, at_index l (n + 1 - i))) (map (Z.add 1) (indices (n - 1))))%Z).
      { apply in_map_iff. exists i. split; [easy|]. apply in_map_iff. exists (i - 1)%Z. split; [ring|]. apply in_indices. lia. }
      specialize (H (or_intror (or_intror J))). unfold Z.sub in H. rewrite inject_Z_plus, inject_Z_opp in H. fold W in H.
      apply (Qmult_le_r _ _ W W0). set (x := inject_Z (at_index l i)) in *. set (y := inject_Z (at_index l (n + 1 + - i))) in *.
      unfold Z.sub. fold y. clearbody W. setoid_replace ((a * (1 - x / W) + b * (y / W)) * W) with (a * (W + - x) + b * y) by (field; lra). exact H.
  Qed.
End Enclosed.
