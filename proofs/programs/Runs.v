(** * A run with multipliers bounds the loss from below

    Its probability on the inputs B + k D is at least some number at k = 0, and at most C w^(k W) for q < w < 1 ([Multipliers.v]). So if
    P[A | B + k D] <= b P[A | B + (k + 1) D] for all k, then b is at least w^(-W). This holds for every w, so b is at least q^(-W). *)
From Coq Require Import List NArith ZArith QArith Qpower Qround Qabs Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Loss Table Powers Multipliers.
Import ListNotations.
Open Scope Q_scope.

Definition check_run (p : program) (start : N) (a : adjacency) (v : Z) (l : readings) (path : list step) : bool :=
  check_proper p && (0 <=? v)%Z && neighbours p a l &&
  match route p start path with
  | None => false
  | Some r => possible p (reading snd l) 0 start (fun _ => 0) r &&
              match total p (reading fst l) 0 start r with Some (_, W) => (v <=? W)%Z | None => false end
  end.

(** ** On the inputs B the run can be taken *)
Lemma over_in {X} (l : list X) f x : (forall y, 0 <= f y) -> In x l -> f x <= over l f.
Proof.
  intros P I. induction l as [|y l IH]; [destruct I|]. rewrite over_cons. assert (O := over_pos l f P). assert (Y := P y).
  destruct I as [->|I]; [lra|]. specialize (IH I). lra.
Qed.
Lemma near_all l : exists R0, forall R, (R0 <= R)%Z -> forallb (near R) l = true.
Proof.
  induction l as [|x l [R0 IH]]; [now exists 0%Z|]. exists (Z.max R0 (Qceiling (Qabs x))). intros R H. cbn [forallb]. rewrite IH by lia.
  rewrite andb_true_r. unfold near. rewrite andb_true_iff, !Qle_bool_iff.
  assert (A : Qabs x <= inject_Z R) by (eapply Qle_trans; [apply Qle_ceiling|]; rewrite <- Zle_Qle; lia).
  apply Qabs_Qle_condition in A. rewrite inject_Z_opp. tauto.
Qed.

Section Possible.
  Variable q : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Variable p : program.
  Hypothesis Proper : proper p.

  Lemma noise_above l r z : positive_rate l -> positive_rate r -> drawable {| reads := 0; rate_left := l; rate_right := r; mean := 0; second := None; ways := [] |} z = true ->
    0 < noise q l r z.
  Proof.
    intros L R Dr. unfold noise. assert (F := factor_pos q q0 q1 l r L R). set (f := _ / _) in *. clearbody f.
    unfold drawable in Dr. cbn [rate_left rate_right] in Dr. apply andb_prop in Dr as [Dr Dl].
    assert (0 < (if (0 <=? z)%Z then power q r z else power q l (- z))); [|nra].
    destruct (Z.leb_spec 0 z).
    - destruct r as [d|]; cbn [power]; [now apply power_pos|]. destruct (Z.eqb_spec z 0); [lra|lia].
    - destruct l as [d|]; cbn [power]; [now apply power_pos|]. lia.
  Qed.
  Lemma drawn_above l r M c k f z : positive_rate l -> positive_rate r -> (forall x, 0 <= f x) ->
    drawable {| reads := 0; rate_left := l; rate_right := r; mean := 0; second := None; ways := [] |} z = true -> (Z.abs z <= Z.of_nat M)%Z ->
    0 < f (c + inject_Z (k + z)) -> 0 < drawn q l r M c k f.
  Proof.
    intros L R P Dr W H. unfold drawn. assert (N := noise_above l r z L R Dr).
    eapply Qlt_le_trans; [|apply (over_in (window M) (fun j => noise q l r j * f (c + inject_Z (k + j))) z)].
    - nra.
    - intro j. apply Qmult_le_0_compat; [now apply noise_pos|apply P].
    - now apply in_window.
  Qed.

  Lemma possible_mass (g : inputs) (B : N -> nat -> Z) l : (forall u i, g u i = B u i) -> forall i u s, possible p B i u s l = true -> exists R0 M0, forall R M, (R0 <= R)%Z ->
    (M0 <= M)%nat -> 0 < mass q p g M i u s (map fst l) (within R (map fst l)).
  Proof.
    intro G. induction l as [|[t e] l IH]; intros i u s H; cbn [possible] in H.
    - exists 0%Z, 0%nat. intros R M _ _. cbn. lra.
    - cbv zeta in H. set (d := at_state p u) in *. set (k := here d (B u i)) in *. apply andb_prop in H as [H Rest]. apply andb_prop in H as [Dr Pass].
      set (x := mean d + inject_Z (k + draw e)) in *. set (x' := match second d with Some (_, m) => m + inject_Z (k + 0) | None => 0 end).
      destruct (IH _ _ _ Rest) as (R1 & M1 & H1). destruct (near_all (numbers t s x x')) as (R2 & H2).
      exists (Z.max R1 R2), (Nat.max M1 (Z.to_nat (Z.abs (draw e)))). intros R M LR LM. cbn [map fst mass]. cbv zeta. fold d. rewrite G. fold k.
      destruct (rates_positive p u Proper) as (L & Rr & P2). fold d in L, Rr, P2. assert (P := mass_pos q q0 q1 p Proper).
      assert (Pos : forall s x y, 0 <= (if forallb (passes s x) (guard t) then mass q p g M (after d i) (target t) (stored t s x) (map fst l)
                                        (fun w => within R (t :: map fst l) ((t, numbers t s x y) :: w)) else 0)).
      { intros s' a b. destruct (forallb (passes s' a) (guard t)); [apply P|easy]. }
      assert (Good : 0 < (if forallb (passes s x) (guard t) then mass q p g M (after d i) (target t) (stored t s x) (map fst l)
                          (fun w => within R (t :: map fst l) ((t, numbers t s x x') :: w)) else 0)).
      { rewrite Pass. rewrite (mass_ext q p g M _ _ _ _ _ (within R (map fst l))).
        - apply H1; lia.
        - intro w. cbn [within]. destruct (transition_eq_dec t t); [|contradiction]. now rewrite (H2 R ltac:(lia)). }
      unfold sampled. fold d. apply drawn_above with (z := draw e); try assumption.
      + intro a. destruct (second d) as [[r m]|]; [|apply Pos]. apply drawn_pos; try assumption. intro; apply Pos.
      + lia.
      + fold x. destruct (second d) as [[r m]|]; [|exact Good]. apply drawn_above with (z := 0%Z); try assumption; [intro; apply Pos|reflexivity|lia].
  Qed.
End Possible.

(** ** The theorem *)
Lemma route_runs p l : forall u r, route p u l = Some r -> In (map fst r) (runs p (length r) u).
Proof.
  induction l as [|e l IH]; intros u r E; cbn [route] in E; [injection E as <-; now left|].
  destruct (nth_error _ _) as [t|] eqn:T; [|discriminate]. destruct (route p (target t) l) as [r'|] eqn:E'; [|discriminate].
  cbn [option_map] in E. injection E as <-. cbn [length map fst runs]. apply in_flat_map. exists t. split; [now apply nth_error_In in T|].
  apply in_map. now apply IH.
Qed.

Lemma neighbours_sound p a l B : proper p -> neighbours p a l = true -> forall k, adjacent a p (ins B (reading fst l) k) (ins B (reading fst l) (k + 1)).
Proof.
  intros Proper H k. unfold neighbours in H. apply andb_prop in H as [Re H]. rewrite forallb_forall in Re.
  assert (E : forall u i, (ins B (reading fst l) (k + 1) u i - ins B (reading fst l) k u i = reading fst l u i)%Z) by (intros; unfold ins; ring).
  assert (Up : forallb (fun r => 0 <=? fst (snd r))%Z l = true -> increasing (ins B (reading fst l) k) (ins B (reading fst l) (k + 1))).
  { intros F u i. specialize (E u i). rewrite forallb_forall in F. unfold reading in E at 3. destruct (nth_error l i) as [[v x]|] eqn:Nt; [|lia].
    apply nth_error_In in Nt. specialize (F _ Nt). cbn [fst snd] in F. destruct (v =? u)%N; lia. }
  assert (Down : forallb (fun r => fst (snd r) <=? 0)%Z l = true -> increasing (ins B (reading fst l) (k + 1)) (ins B (reading fst l) k)).
  { intros F u i. specialize (E u i). rewrite forallb_forall in F. unfold reading in E at 3. destruct (nth_error l i) as [[v x]|] eqn:Nt; [|lia].
    apply nth_error_In in Nt. specialize (F _ Nt). cbn [fst snd] in F. destruct (v =? u)%N; lia. }
  split.
  - intros u i. rewrite E. unfold reading. destruct (Proper u) as [P _]. destruct (nth_error l i) as [[v x]|] eqn:Nt; [|cbn; lia].
    destruct (N.eqb_spec v u) as [->|_]; [|cbn; lia]. apply nth_error_In in Nt. specialize (Re _ Nt). cbn [fst snd] in Re. lia.
  - destruct a; [exact I| |now apply Up|now apply Down|apply orb_prop in H as [H|H]; [left; now apply Up|right; now apply Down]].
    assert (Nn : forall l, none l = true -> forall u i, reading fst l u i = 0%Z).
    { clear. intros l F u i. unfold none in F. rewrite forallb_forall in F. unfold reading. destruct (nth_error l i) as [[v x]|] eqn:Nt; [|easy].
      apply nth_error_In in Nt. specialize (F _ Nt). cbn [fst snd] in F. destruct (v =? u)%N; lia. }
    assert (One : exists j, forall u i, i <> j -> reading fst l u i = 0%Z).
    { clear - H Nn. induction l as [|[v [d b]] l IH]; [exists 0%nat; now intros u [|i]|]. cbn [at_most_one] in H. destruct (Z.eqb_spec d 0) as [->|Ne].
      - destruct (IH H) as (j & J). exists (S j). intros u [|i] Ni; [unfold reading; cbn; now destruct (v =? u)%N|]. apply J. congruence.
      - exists 0%nat. intros u [|i] Ni; [contradiction|]. exact (Nn l H u i). }
    destruct One as (j & J). exists j. intros u i Ni. specialize (E u i). rewrite (J u i Ni) in E. lia.
Qed.

Theorem run_sound p start a v l path : check_run p start a v l path = true -> proper p /\ loss_at_least p start a v.
Proof.
  unfold check_run. intro H. apply andb_prop in H as [H Path]. apply andb_prop in H as [H Nb]. apply andb_prop in H as [Pr V].
  apply proper_sound in Pr. apply Z.leb_le in V. split; [exact Pr|]. intros q q0 q1 b Bd.
  destruct (route p start path) as [r|] eqn:Rt; [|discriminate]. apply andb_prop in Path as [Po To].
  destruct (total p (reading fst l) 0 start r) as [[L W]|] eqn:T; [|discriminate]. apply Z.leb_le in To.
  set (B := reading snd l) in *. set (D := reading fst l) in *. set (n := length r). set (rs := map fst r).
  destruct (possible_mass q q0 q1 p Pr (ins B D 0) B r ltac:(intros; unfold ins; ring) 0 start (fun _ => 0) Po) as (R0 & M0 & Pos).
  set (R := Z.max 0 R0). specialize (Pos R M0 ltac:(lia) (le_n _)). fold rs in Pos. set (A := within R rs) in *.
  assert (In0 := route_runs p path start r Rt). fold n rs in In0.
  assert (P0 : 0 < from q p start (ins B D 0) M0 n A).
  { unfold from. rewrite prob_runs. eapply Qlt_le_trans; [exact Pos|].
    apply (over_in (runs p n start) (fun r => mass q p (ins B D 0) M0 0 start (fun _ => 0) r A)); [intro; now apply mass_pos|exact In0]. }
  set (a0 := from q p start (ins B D 0) M0 n A) in *.
  assert (b0 : 0 < b).
  { destruct (Bd _ _ (neighbours_sound p a l B Pr Nb 0) n A M0) as (M' & H). fold D a0 in H.
    assert (0 <= from q p start (ins B D (0 + 1)) M' n A) by (apply prob_pos; assumption). apply Qnot_le_lt. intro. nra. }
  assert (Tele : forall k, exists M, a0 <= b ^ Z.of_nat k * from q p start (ins B D (Z.of_nat k)) M n A).
  { induction k as [|k [M IH]]; [exists M0; change (Z.of_nat 0) with 0%Z; change (b ^ 0) with 1; fold a0; lra|].
    destruct (Bd _ _ (neighbours_sound p a l B Pr Nb (Z.of_nat k)) n A M) as (M' & H). exists M'. fold D in H.
    rewrite Nat2Z.inj_succ, <- Z.add_1_r, Qpower_plus by lra. change (b ^ 1) with b.
    assert (X : 0 < b ^ Z.of_nat k). { clear - b0. induction k as [|k IH]; [easy|]. rewrite Nat2Z.inj_succ, <- Z.add_1_r, Qpower_plus by lra. change (b ^ 1) with b. nra. }
    set (x := b ^ _) in *. set (f := from q p start (ins B D (Z.of_nat k)) M n A) in *. set (f' := from _ _ _ _ _ _ _) in *. clearbody x f f'. clear - IH H X. nra. }
  assert (End : 1 <= b * q ^ v).
  { apply at_the_end; try assumption. intros w qw w1. assert (w0 : 0 < w) by lra.
    destruct (mass_falls q w q0 qw w1 p Pr B D R ltac:(lia) r 0 start L W T) as (C & C0 & Fall). fold rs in Fall. fold A in Fall.
    set (m := inject_Z (Z.of_nat (length (runs p n start)))). assert (m0 : 0 <= m) by (change 0 with (inject_Z 0); unfold m; rewrite <- Zle_Qle; lia).
    assert (Up : forall k M, (0 <= k)%Z -> from q p start (ins B D k) M n A <= m * (C * w ^ (k * v))).
    { intros k M K. unfold from. rewrite prob_runs.
      assert (E : exponent L (fun _ => 0) = 0%Z) by (clear; unfold exponent; induction L as [|c L IH]; [easy|]; cbn [fold_right]; rewrite IH; change (Qfloor 0) with 0%Z; lia).
      assert (Each : forall r', mass q p (ins B D k) M 0 start (fun _ => 0) r' A <= C * w ^ (k * v)).
      { assert (Wk := power_pos w w0 (k * v)). intro r'. destruct (list_eq_dec transition_eq_dec r' rs) as [->|Ne].
        - eapply Qle_trans; [apply Fall|]. rewrite E, Z.add_0_l. apply Qmult_le_l'; [exact C0|]. apply power_decreasing; [exact w0|exact w1|nia].
        - rewrite mass_of_others; [nra|]. intros ww Ew. subst r'. unfold A. clear - Ne. revert ww Ne. induction rs as [|t rs IH]; intros [|[t' x] ww] Ne; cbn [within map fst] in *; try easy.
          destruct (transition_eq_dec t t') as [->|_]; [|easy]. rewrite IH; [now rewrite andb_false_r|congruence]. }
      unfold m. clear - Each. induction (runs p n start) as [|r' rs' IH]; [rewrite over_nil; change (inject_Z (Z.of_nat (length (@nil (list transition))))) with 0; lra|]. rewrite over_cons. cbn [length]. rewrite Nat2Z.inj_succ, <- Z.add_1_r, inject_Z_plus.
      change (inject_Z 1) with 1. specialize (Each r'). set (x := C * _) in *. set (y := mass _ _ _ _ _ _ _ _ _) in *. set (z := over _ _) in *. clearbody x y z. lra. }
    apply Qnot_lt_le. intro Lt. set (rho := b * w ^ v) in *. assert (Wv := power_pos w w0 v). assert (rho0 : 0 <= rho) by (unfold rho; nra).
    destruct (powers_vanish rho (m * C) a0 rho0 Lt P0 ltac:(now apply Qmult_le_0_compat)) as (k & Small).
    destruct (Tele k) as (M & Te). specialize (Up (Z.of_nat k) M ltac:(lia)).
    assert (Ek : rho ^ Z.of_nat k == b ^ Z.of_nat k * w ^ (Z.of_nat k * v)) by (unfold rho; rewrite Qmult_power, Z.mul_comm, Qpower_mult; easy).
    assert (X : 0 < b ^ Z.of_nat k). { apply Qnot_le_lt. intro X. assert (Fp : 0 <= from q p start (ins B D (Z.of_nat k)) M n A) by (apply prob_pos; assumption). clear - X Fp Te P0. nra. }
    rewrite Ek in Small. set (x := b ^ _) in *. set (y := w ^ (Z.of_nat k * v)) in *. set (f := from _ _ _ _ _ _ _) in *. clearbody x y f a0 m. clear - Small Te Up X. nra. }
  rewrite Qpower_opp. assert (Qv := power_pos q q0 v). apply Qle_shift_inv_r; [exact Qv|]. lra.
Qed.
