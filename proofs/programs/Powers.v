(** * Powers: their sums, and what they tend to *)
From Coq Require Import List NArith ZArith QArith Qpower Qround Qminmax Lqa Lia.
From Prover.programs Require Import Geometric Noise.
Open Scope Q_scope.

Lemma sum_of_powers rho M : 0 <= rho -> rho < 1 -> (1 - rho) * over (window M) (fun z => rho ^ Z.abs z) + 2 * rho ^ Z.of_nat (S M) <= 2.
Proof.
  intros R0 R1. induction M as [|M IH].
  - change (over (window 0) (fun z => rho ^ Z.abs z)) with (1 + 0). change (rho ^ Z.of_nat 1) with rho. lra.
  - rewrite window_succ. rewrite Z.abs_opp, (Z.abs_eq (Z.of_nat (S M))) by lia.
    assert (E : rho ^ Z.of_nat (S (S M)) == rho * rho ^ Z.of_nat (S M)).
    { rewrite (Nat2Z.inj_succ (S M)), <- Z.add_1_r. destruct (Qeq_dec rho 0) as [Z0|N].
      - rewrite Z0. rewrite !Qpower_0 by lia. ring.
      - rewrite Qpower_plus by exact N. change (rho ^ 1) with rho. ring. }
    rewrite E. set (a := rho ^ _) in *. set (b := over _ _) in *. clearbody a b. lra.
Qed.
(** Powers fall below everything. *)
Lemma powers_vanish rho c e : 0 <= rho -> rho < 1 -> 0 < e -> 0 <= c -> exists n, c * rho ^ Z.of_nat n < e.
Proof.
  intros R0 R1 E C.
  assert (B : forall n, rho ^ Z.of_nat n * (1 + inject_Z (Z.of_nat n) * (1 - rho)) <= 1 /\ 0 <= rho ^ Z.of_nat n).
  { induction n as [|n [I P]]; [change (rho ^ Z.of_nat 0) with 1; change (inject_Z (Z.of_nat 0)) with 0; split; lra|].
    assert (S1 : rho ^ Z.of_nat (S n) == rho * rho ^ Z.of_nat n).
    { rewrite Nat2Z.inj_succ, <- Z.add_1_r. destruct (Qeq_dec rho 0) as [Z0|N].
      - rewrite Z0, Qpower_0 by lia. ring.
      - rewrite Qpower_plus by exact N. change (rho ^ 1) with rho. ring. }
    rewrite S1, Nat2Z.inj_succ, <- Z.add_1_r, inject_Z_plus. change (inject_Z 1) with 1.
    assert (N0 : 0 <= inject_Z (Z.of_nat n)) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
    set (a := rho ^ _) in *. set (m := inject_Z (Z.of_nat n)) in *. clearbody a m. split; [|nra].
    assert (S2 : 0 <= (1 - rho) * (1 - rho) * (m + 1)) by (apply Qmult_le_0_compat; [nra|lra]). set (x := rho * (1 + (m + 1) * (1 - rho))).
    assert (X : x <= 1 + m * (1 - rho)) by (unfold x; lra). assert (Y : rho * a * (1 + (m + 1) * (1 - rho)) == a * x) by (unfold x; ring).
    rewrite Y. clearbody x. clear S2 Y. nra. }
  set (x := c / (e * (1 - rho))). exists (Z.to_nat (Qceiling x)).
  assert (X : x <= inject_Z (Z.of_nat (Z.to_nat (Qceiling x)))).
  { eapply Qle_trans; [apply Qle_ceiling|]. rewrite <- Zle_Qle. lia. }
  destruct (B (Z.to_nat (Qceiling x))) as [I P]. set (a := rho ^ _) in *. set (m := inject_Z _) in *. clearbody a m.
  assert (D : 0 < e * (1 - rho)) by nra. assert (c == x * (e * (1 - rho))) by (unfold x; field; split; lra).
  rewrite H. clearbody x. assert (x * (1 - rho) <= m * (1 - rho)) by nra. assert (a * (m * (1 - rho)) <= 1 - a) by lra.
  destruct (Qlt_le_dec 0 a) as [Pa|Na]; [|assert (a == 0) by lra; rewrite H2; lra].
  assert (F : a * (x * (1 - rho)) <= 1 - a) by nra. set (y := a * _) in F. assert (Y : e * y <= e * (1 - a)) by nra.
  assert (G : x * (e * (1 - rho)) * a == e * y) by (unfold y; ring). rewrite G. nra.
Qed.
(** What holds for all w between q and 1 holds for q. *)
Lemma powers_near q n : 0 < q -> q < 1 -> forall w, q <= w -> w < 1 -> w ^ Z.of_nat n <= q ^ Z.of_nat n + inject_Z (Z.of_nat n) * (w - q) /\ 0 < w ^ Z.of_nat n <= 1.
Proof.
  intros q0 q1 w Q1 W1. assert (w0 : 0 < w) by lra. split; [|split; [now apply power_pos|apply power_le_1; [lra|lra|lia]]].
  induction n as [|n IH]; [change (inject_Z (Z.of_nat 0)) with 0; change (w ^ Z.of_nat 0) with 1; change (q ^ Z.of_nat 0) with 1; lra|].
  rewrite Nat2Z.inj_succ, <- Z.add_1_r, inject_Z_plus, !power_add by lra. change (inject_Z 1) with 1. change (w ^ 1) with w. change (q ^ 1) with q.
  assert (P := power_le_1 w w0 W1 (Z.of_nat n) ltac:(lia)). assert (P' := power_pos w w0 (Z.of_nat n)).
  assert (N0 : 0 <= inject_Z (Z.of_nat n)) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
  set (a := w ^ _) in *. set (b := q ^ _) in *. set (m := inject_Z _) in *. clearbody a b m.
  assert (a * (w - q) <= w - q) by nra. assert (0 <= m * (w - q)) by nra. set (h := m * (w - q)) in *.
  assert (a * q <= (b + h) * q) by nra. assert (h * q <= h) by nra. assert (X : (m + 1) * (w - q) == h + (w - q)) by (unfold h; ring). rewrite X. clearbody h. nra.
Qed.
Lemma at_the_end q v b : 0 < q -> q < 1 -> (0 <= v)%Z -> 0 < b -> (forall w, q < w -> w < 1 -> 1 <= b * w ^ v) -> 1 <= b * q ^ v.
Proof.
  intros q0 q1 V B H. apply Qnot_lt_le. intro L. rewrite <- (Z2Nat.id v V) in *. set (n := Z.to_nat v) in *. clearbody n.
  set (m := inject_Z (Z.of_nat n)). set (a := 1 - b * q ^ Z.of_nat n). assert (A : 0 < a) by (unfold a; lra).
  assert (N0 : 0 <= m) by (change 0 with (inject_Z 0); unfold m; rewrite <- Zle_Qle; lia).
  set (h := Qmin ((1 - q) / 2) (a / (2 * b * (m + 1)))).
  assert (D : 0 < 2 * b * (m + 1)) by nra.
  assert (H1 : h <= (1 - q) / 2) by apply Q.le_min_l. assert (H2 : h <= a / (2 * b * (m + 1))) by apply Q.le_min_r.
  assert (H0 : 0 < h). { unfold h. apply Q.min_glb_lt; apply Qlt_shift_div_l; lra. }
  assert (H3 : h * (2 * b * (m + 1)) <= a). { setoid_replace a with (a / (2 * b * (m + 1)) * (2 * b * (m + 1))) by (field; split; lra). nra. }
  assert (H4 : h * 2 <= 1 - q). { setoid_replace (1 - q) with ((1 - q) / 2 * 2) by field. nra. }
  clearbody h. specialize (H (q + h) ltac:(lra) ltac:(lra)). destruct (powers_near q n q0 q1 (q + h) ltac:(lra) ltac:(lra)) as [P _]. fold m in P.
  unfold a in *. set (x := (q + h) ^ _) in *. set (y := q ^ _) in *. clearbody x y m. assert (b * x <= b * y + b * m * h) by nra. nra.
Qed.
