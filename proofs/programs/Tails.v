(** * Tails of geometric noise

    The pairs of a tail and of the same tail moved lie in the hull of finitely many points. *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise.
Import ListNotations.
Open Scope Q_scope.

(** ** Sums that telescope *)
Lemma telescope g M : over (window M) (fun k => g k - g (k + 1)%Z) == g (- Z.of_nat M)%Z - g (Z.of_nat M + 1)%Z.
Proof.
  induction M as [|M IH].
  - change (over (window 0) (fun k => g k - g (k + 1)%Z)) with (g 0%Z - g 1%Z + 0). cbn. ring.
  - rewrite window_succ, IH. replace (- Z.of_nat (S M) + 1)%Z with (- Z.of_nat M)%Z by lia. replace (Z.of_nat (S M)) with (Z.of_nat M + 1)%Z by lia. ring.
Qed.
Lemma reflect f M : over (window M) (fun k => f (- k)%Z) == over (window M) f.
Proof.
  induction M as [|M IH]; [cbn; ring|]. rewrite !window_succ, IH. rewrite Z.opp_involutive. ring.
Qed.

Section Tails.
  Variables q : Q.
  Variable d : Z.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Hypothesis D : (0 < d)%Z.
  Let f := noise q (Some d) (Some d).
  Let e := q ^ d.

  Lemma e_pos : 0 < e.
  Proof. now apply power_pos. Qed.
  Lemma e_lt_1 : e < 1.
  Proof. assert (H := side_lt_1 q q0 q1 (Some d) D). cbn [power] in H. now rewrite Z.mul_1_r in H. Qed.
  Let e_pos := e_pos.
  Let e_lt_1 := e_lt_1.

  (** The probability of i and more is at i; P (N >= k) = [tail k]. *)
  Definition at_least (i : Z) : Q := e ^ i / (1 + e).
  Definition tail (k : Z) : Q := if (0 <=? k)%Z then at_least k else 1 - at_least (1 - k).

  Lemma e_power i : e ^ (i + 1) == e ^ i * e.
  Proof. rewrite Qpower_plus by lra. change (e ^ 1) with e. easy. Qed.
  Lemma at_least_pos i : 0 < at_least i.
  Proof. unfold at_least. apply Qlt_shift_div_l; [lra|]. rewrite Qmult_0_l. now apply power_pos. Qed.
  Lemma at_least_decreasing i j : (i <= j)%Z -> at_least j <= at_least i.
  Proof. intro H. unfold at_least, Qdiv. apply Qmult_le_compat_r; [now apply power_decreasing|]. apply Qlt_le_weak, Qinv_lt_0_compat. lra. Qed.
  Lemma at_least_0 : at_least 0 == 1 - at_least 1.
  Proof. unfold at_least. change (e ^ 0) with 1. change (e ^ 1) with e. field. lra. Qed.
  Lemma tail_sym k : tail (1 - k) == 1 - tail k.
  Proof.
    unfold tail. destruct (Z.leb_spec 0 (1 - k)), (Z.leb_spec 0 k); replace (1 - (1 - k))%Z with k by ring; try lia; try ring.
    assert (k = 0 \/ k = 1)%Z as [->| ->] by lia; cbn [Z.sub Z.add Z.opp]; rewrite at_least_0; ring.
  Qed.
  Lemma tail_nonneg k : (0 <= k)%Z -> tail k = at_least k.
  Proof. intro H. unfold tail. destruct (Z.leb_spec 0 k); [easy|lia]. Qed.
  Lemma tail_low k : (k <= 1)%Z -> tail k == 1 - at_least (1 - k).
  Proof. intro H. rewrite <- (tail_nonneg (1 - k)) by lia. rewrite tail_sym. ring. Qed.
  Lemma noise_form k : f k == (1 - e) / (1 + e) * e ^ Z.abs k.
  Proof.
    unfold f, noise. assert (E1 : power q (Some d) 1 == e) by (cbn [power]; now rewrite Z.mul_1_r).
    assert (E2 : (if (0 <=? k)%Z then power q (Some d) k else power q (Some d) (- k)) == e ^ Z.abs k).
    { unfold e. rewrite <- Qpower_mult. destruct (Z.leb_spec 0 k); cbn [power]; [rewrite Z.abs_eq by lia|rewrite Z.abs_neq by lia]; easy. }
    rewrite E1, E2. field. split; [lra|]. assert (0 < e * e) by nra. assert (e * e < 1) by nra. lra.
  Qed.
  Lemma noise_tails k : f k == tail k - tail (k + 1).
  Proof.
    rewrite noise_form. destruct (Z.leb_spec 0 k) as [K|K].
    - rewrite Z.abs_eq, !tail_nonneg by lia. unfold at_least. rewrite e_power. field. lra.
    - rewrite Z.abs_neq, !tail_low by lia. unfold at_least. replace (1 - k)%Z with (- k + 1)%Z by ring. replace (1 - (k + 1))%Z with (- k)%Z by ring.
      rewrite e_power. field. lra.
  Qed.
  Lemma noise_even k : f (- k) == f k.
  Proof. rewrite !noise_form, Z.abs_opp. easy. Qed.
  Lemma noise_0_or_more k : 0 <= f k.
  Proof. now apply noise_pos. Qed.
  Lemma tail_decreasing j k : (j <= k)%Z -> tail k <= tail j.
  Proof.
    intro H. replace k with (j + Z.of_nat (Z.to_nat (k - j)))%Z by lia. induction (Z.to_nat (k - j)) as [|n IH]; [rewrite Z.add_0_r; lra|].
    assert (P := noise_0_or_more (j + Z.of_nat n)). rewrite noise_tails in P. replace (j + Z.of_nat (S n))%Z with (j + Z.of_nat n + 1)%Z by lia. lra.
  Qed.
  Lemma tail_between k : 0 < tail k < 1.
  Proof.
    assert (H : forall k, 0 < tail k).
    { intro j. apply Qlt_le_trans with (tail (Z.abs j)); [rewrite tail_nonneg by lia; apply at_least_pos|]. apply tail_decreasing. lia. }
    split; [apply H|]. assert (A := H (1 - k)%Z). rewrite tail_sym in A. lra.
  Qed.

  (** *** What lies on either side of a place *)
  Let part M (b : Z -> bool) := over (window M) (fun k => if b k then f k else 0).
  Lemma part_clamped M (b : Z -> bool) g : (forall k, (if b k then f k else 0) == g k - g (k + 1)%Z) -> part M b == g (- Z.of_nat M)%Z - g (Z.of_nat M + 1)%Z.
  Proof. intro H. unfold part. rewrite <- telescope. apply over_ext. intros k _. apply H. Qed.
  Lemma part_above M z : part M (fun k => (z <=? k)%Z) == tail (Z.max z (- Z.of_nat M)) - tail (Z.max z (Z.of_nat M + 1)).
  Proof.
    apply (part_clamped M _ (fun k => tail (Z.max z k))). intro k. destruct (Z.leb_spec z k).
    - rewrite !Z.max_r by lia. apply noise_tails.
    - rewrite !Z.max_l by lia. ring.
  Qed.
  Lemma part_below M z : part M (fun k => negb (z <=? k)%Z) == tail (Z.min z (- Z.of_nat M)) - tail (Z.min z (Z.of_nat M + 1)).
  Proof.
    apply (part_clamped M _ (fun k => tail (Z.min z k))). intro k. destruct (Z.leb_spec z k); cbn [negb].
    - rewrite !Z.min_l by lia. ring.
    - rewrite !Z.min_r by lia. apply noise_tails.
  Qed.
  Lemma above_at_most M z : part M (fun k => (z <=? k)%Z) <= tail z.
  Proof.
    rewrite part_above. assert (A := tail_decreasing z (Z.max z (- Z.of_nat M)) ltac:(lia)). assert (B := tail_between (Z.max z (Z.of_nat M + 1))). lra.
  Qed.
  Lemma below_at_most M z : part M (fun k => negb (z <=? k)%Z) <= 1 - tail z.
  Proof.
    rewrite part_below. assert (A := tail_decreasing (Z.min z (Z.of_nat M + 1)) z ltac:(lia)). assert (B := tail_between (Z.min z (- Z.of_nat M))). lra.
  Qed.
  Lemma above_at_least M z : tail z - 2 * tail (Z.of_nat M + 1) <= part M (fun k => (z <=? k)%Z).
  Proof.
    rewrite part_above. assert (A := tail_decreasing (Z.of_nat M + 1) (Z.max z (Z.of_nat M + 1)) ltac:(lia)).
    assert (S := tail_sym (Z.of_nat M + 1)). replace (1 - (Z.of_nat M + 1))%Z with (- Z.of_nat M)%Z in S by ring. assert (B := tail_between z).
    destruct (Z.max_spec z (- Z.of_nat M)) as [[_ ->]|[_ ->]]; [rewrite S|assert (C := tail_between (Z.of_nat M + 1))]; lra.
  Qed.
  Lemma below_at_least M z : 1 - tail z - 2 * tail (Z.of_nat M + 1) <= part M (fun k => negb (z <=? k)%Z).
  Proof.
    rewrite part_below. assert (A := tail_decreasing (Z.min z (- Z.of_nat M)) (- Z.of_nat M) ltac:(lia)).
    assert (S := tail_sym (Z.of_nat M + 1)). replace (1 - (Z.of_nat M + 1))%Z with (- Z.of_nat M)%Z in S by ring. assert (B := tail_between z).
    assert (C := tail_between (Z.of_nat M + 1)). destruct (Z.min_spec z (Z.of_nat M + 1)) as [[_ ->]|[_ ->]]; lra.
  Qed.
  Lemma slice_at_most M a b : (a <= b)%Z -> part M (fun k => (a <=? k)%Z && negb (b <=? k)%Z) <= tail a - tail b.
  Proof.
    intro H. rewrite (part_clamped M _ (fun k => tail (Z.min (Z.max k a) b))).
    - assert (A := tail_decreasing a (Z.min (Z.max (- Z.of_nat M) a) b) ltac:(lia)). assert (B := tail_decreasing (Z.min (Z.max (Z.of_nat M + 1) a) b) b ltac:(lia)). lra.
    - intro k. destruct (Z.leb_spec a k), (Z.leb_spec b k); cbn [negb andb].
      + rewrite !Z.min_r by lia. ring.
      + rewrite !Z.max_l, !Z.min_l by lia. apply noise_tails.
      + rewrite !Z.min_r by lia. ring.
      + rewrite !Z.max_r, !Z.min_l by lia. ring.
  Qed.

  (** ** The hull *)
  Section Hull.
    Variables (n : Z) (low : Z -> Q) (a b c : Q).
    Hypothesis N : (1 <= n)%Z.
    Hypothesis Low : forall i, (1 <= i)%Z -> low i <= at_least i.
    Hypothesis Origin : 0 <= c.
    Hypothesis End : a + b <= c.
    Hypothesis Corners : forall i, (1 <= i <= n)%Z -> a * (1 - low i) + b * low (n + 1 - i)%Z <= c.

    Lemma corner i : (1 <= i <= n)%Z -> a * (1 - at_least i) + b * at_least (n + 1 - i) <= c.
    Proof.
      intro I. assert (C := Corners i I). assert (L1 := Low i ltac:(lia)). assert (L2 := Low (n + 1 - i) ltac:(lia)).
      assert (P1 := at_least_pos i). assert (P2 := at_least_pos (n + 1 - i)).
      assert (S : at_least i + at_least (n + 1 - i) <= 1).
      { assert (M1 := at_least_decreasing 1 i ltac:(lia)). assert (M2 := at_least_decreasing 1 (n + 1 - i) ltac:(lia)). assert (Z0 := at_least_0).
        assert (M0 := at_least_decreasing 0 1 ltac:(lia)). lra. }
      set (x := at_least i) in *. set (y := at_least (n + 1 - i)) in *. clearbody x y. set (x' := low i) in *. set (y' := low (n + 1 - i)%Z) in *. clearbody x' y'.
      destruct (Qlt_le_dec a 0) as [A|A], (Qlt_le_dec b 0) as [B|B]; nra.
    Qed.
    Lemma hull k : a * tail k + b * tail (k + n) <= c.
    Proof.
      destruct (Z.leb_spec 0 k) as [K|K]; [|destruct (Z.leb_spec k (- n)) as [K'|K']].
      - assert (C := corner 1 ltac:(lia)). rewrite <- at_least_0 in C. replace (n + 1 - 1)%Z with n in C by ring.
        rewrite !tail_nonneg by lia. set (w := e ^ k). assert (W := power_pos e e_pos k). assert (W1 := power_le_1 e e_pos e_lt_1 k K). fold w in W, W1.
        assert (E0 : at_least k == w * at_least 0) by (unfold at_least, w; change (e ^ 0) with 1; field; lra).
        assert (E1 : at_least (k + n) == w * at_least n) by (unfold at_least, w; rewrite Qpower_plus by lra; field; lra).
        rewrite E0, E1. set (x := at_least 0) in *. set (y := at_least n) in *. clearbody x y w. assert (w * (a * x + b * y) <= w * c) by nra. nra.
      - assert (C := corner n ltac:(lia)). replace (n + 1 - n)%Z with 1%Z in C by ring.
        rewrite !tail_low by lia. set (w := e ^ (- k - n)). assert (W := power_pos e e_pos (- k - n)). assert (W1 := power_le_1 e e_pos e_lt_1 (- k - n) ltac:(lia)). fold w in W, W1.
        assert (E1 : at_least (1 - k) == w * at_least n * e).
        { unfold at_least, w. replace (1 - k)%Z with (- k - n + n + 1)%Z by ring. rewrite e_power, Qpower_plus by lra. field. lra. }
        assert (E0 : at_least (1 - (k + n)) == w * at_least 0 * e).
        { unfold at_least, w. replace (1 - (k + n))%Z with (- k - n + 1)%Z by ring. rewrite e_power. change (e ^ 0) with 1. field. lra. }
        rewrite E0, E1. assert (Z0 := at_least_0). set (x := at_least 0) in *. set (y := at_least n) in *.
        assert (Ex : at_least 1 == 1 - x) by lra. rewrite Ex in C. clearbody x y. set (v := w * e). assert (V : 0 < v) by (unfold v; nra). assert (V1 : v <= 1) by (unfold v; nra).
        clear E0 E1.
        assert (a * (1 - w * y * e) + b * (1 - w * x * e) == (1 - v) * (a + b) + v * (a * (1 - y) + b * (1 - x))) as -> by (unfold v; ring).
        clearbody v. set (r := a + b) in *. set (t := a * (1 - y) + b * (1 - x)) in *. clearbody r t. nra.
      - rewrite tail_low, tail_nonneg by lia. replace (k + n)%Z with (n + 1 - (1 - k))%Z by ring. apply corner. lia.
    Qed.
  End Hull.
End Tails.
