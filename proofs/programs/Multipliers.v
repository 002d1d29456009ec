(** * Multipliers of a run bound its probability

    On inputs B + k D, k = 0, 1, 2, …, a run has a probability that falls with k. Every test of the run bounds one number by another; it has a
    multiplier, by which the samples get loads that the rates allow. So for q < w < 1 the probability is at most C w^(k W), with the total W of the
    multipliers. *)
From Coq Require Import List NArith ZArith QArith Qpower Qround Qabs Qminmax Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Loss Table Powers.
Import ListNotations.
Open Scope Q_scope.

(** A step: the number of its transition, its noise on the inputs B, and the multipliers of its tests and of what it shows. *)
Record step := { way : nat; draw : Z; of_tests : list Z; of_shows : list Z }.
(** The inputs that are read, one after the other: the state, the difference of neighbours, and the input of B. *)
Definition readings := list (N * (Z * Z)).
Definition reading (f : Z * Z -> Z) (l : readings) (u : N) (i : nat) : Z :=
  match nth_error l i with Some (v, x) => if (v =? u)%N then f x else 0%Z | None => 0%Z end.

Inductive place := Here | There | Stored (v : N).
(** Loads of the sample, of the second sample, and of numbers that are stored. *)
Definition loads := list (place * Z).
Definition load (is : place -> bool) (l : loads) : Z := fold_right (fun c a => (if is (fst c) then snd c else 0) + a)%Z 0%Z l.
Definition is_here x := match x with Here => true | _ => false end.
Definition is_there x := match x with There => true | _ => false end.
Definition kept (l : loads) : list (N * Z) := flat_map (fun c => match fst c with Stored v => [(v, snd c)] | _ => [] end) l.

Definition tests_of (t : transition) (e : step) := combine (guard t) (of_tests e).
Definition shows_of (t : transition) (e : step) := combine (shows t) (of_shows e).
Definition own (t : transition) (e : step) : loads :=
  flat_map (fun c => [(Here, snd c); (Stored (snd (fst c)), - snd c)%Z]) (tests_of t e)
  ++ flat_map (fun c => match fst c with
                        | Sample => [(Here, snd c)] | Second => [(There, snd c)] | Gap v => [(Here, snd c); (Stored v, - snd c)%Z] end) (shows_of t e).
Definition later (t : transition) (l : list (N * Z)) : loads :=
  map (fun c => (if existsb (N.eqb (fst c)) (stores t) then Here else Stored (fst c), snd c)) l.

Definition signed (c : test) (m : Z) : bool := match c with Below | AtMost => 0 <=? m | AtLeast | Above => m <=? 0 | Equal => true end%Z.
Definition side (r : option Z) (y : Z) : bool := match r with Some d => (y <=? d)%Z | None => true end.
Definition fits (d : state) (t : transition) (e : step) (y z : Z) : bool :=
  forallb (fun c => signed (fst (fst c)) (snd c)) (tests_of t e) && side (rate_left d) y && side (rate_right d) (- y)
  && match second d with Some (r, _) => (Z.abs z <=? r)%Z | None => (z =? 0)%Z end.

Section Check.
  Variable p : program.
  Fixpoint route (u : N) (l : list step) : option (list (transition * step)) :=
    match l with
    | [] => Some []
    | e :: l => match nth_error (ways (at_state p u)) (way e) with None => None | Some t => option_map (cons (t, e)) (route (target t) l) end
    end.
  (** The loads of what is stored before, and the total. *)
  Fixpoint total (D : N -> nat -> Z) (i : nat) (u : N) (l : list (transition * step)) : option (list (N * Z) * Z) :=
    match l with
    | [] => Some ([], 0%Z)
    | (t, e) :: l =>
      let d := at_state p u in
      match total D (after d i) (target t) l with
      | None => None
      | Some (L, W) =>
        let a := own t e ++ later t L in
        let y := load is_here a in let z := load is_there a in
        if fits d t e y z then Some (kept a, ((y + z) * here d (D u i) + W)%Z) else None
      end
    end.
  (** The run can be taken on the inputs B, with the noise that is given. *)
  Definition drawable (d : state) (k : Z) : bool :=
    match rate_right d with None => (k <=? 0)%Z | Some _ => true end && match rate_left d with None => (0 <=? k)%Z | Some _ => true end.
  Fixpoint possible (B : N -> nat -> Z) (i : nat) (u : N) (s : N -> Q) (l : list (transition * step)) : bool :=
    match l with
    | [] => true
    | (t, e) :: l =>
      let d := at_state p u in
      let x := mean d + inject_Z (here d (B u i) + draw e) in
      drawable d (draw e) && forallb (passes s x) (guard t) && possible B (after d i) (target t) (stored t s x) l
    end.
  Definition none (l : readings) : bool := forallb (fun r => fst (snd r) =? 0)%Z l.
  Fixpoint at_most_one (l : readings) : bool := match l with [] => true | (_, (d, _)) :: m => if (d =? 0)%Z then at_most_one m else none m end.
  Definition neighbours (a : adjacency) (l : readings) : bool :=
    forallb (fun r => Z.abs (fst (snd r)) <=? reads (at_state p (fst r)))%Z l &&
    let up := forallb (fun r => 0 <=? fst (snd r))%Z l in
    let down := forallb (fun r => fst (snd r) <=? 0)%Z l in
    match a with AllDiffer => true | OneDiffers => at_most_one l | Increasing => up | Decreasing => down | Monotonic => up || down end.
End Check.

(** ** Loads *)
Definition at_place (s : N -> Q) (x y : Q) (c : place) : Z := Qfloor match c with Here => x | There => y | Stored v => s v end.
Definition weighed (s : N -> Q) (x y : Q) (l : loads) : Z := fold_right (fun c a => snd c * at_place s x y (fst c) + a)%Z 0%Z l.
Definition exponent (l : list (N * Z)) (s : N -> Q) : Z := fold_right (fun c a => snd c * Qfloor (s (fst c)) + a)%Z 0%Z l.

Lemma weighed_app s x y l l' : (weighed s x y (l ++ l') = weighed s x y l + weighed s x y l')%Z.
Proof. unfold weighed. induction l as [|c l IH]; cbn [app fold_right]; [easy|]. rewrite IH. ring. Qed.
Lemma weighed_split s x y l : (weighed s x y l = load is_here l * Qfloor x + load is_there l * Qfloor y + exponent (kept l) s)%Z.
Proof.
  unfold weighed, load. induction l as [|[c m] l IH]; [easy|]. cbn [fold_right fst snd]. rewrite IH. clear IH.
  destruct c as [| |v]; cbn [is_here is_there kept flat_map fst snd app].
  - fold (kept l). unfold at_place. ring.
  - fold (kept l). unfold at_place. ring.
  - fold (kept l). cbn [exponent fold_right fst snd]. fold (exponent (kept l) s). unfold at_place. ring.
Qed.
Lemma weighed_later t s x y l : weighed s x y (later t l) = exponent l (stored t s x).
Proof.
  unfold weighed, later, exponent, stored. induction l as [|[v m] l IH]; [easy|]. cbn [map fold_right fst snd]. rewrite IH. f_equal. f_equal.
  unfold at_place. now destruct (existsb (N.eqb v) (stores t)).
Qed.

(** A step is seen as it is, with numbers between -R and R. *)
Definition near (R : Z) (x : Q) : bool := Qle_bool (inject_Z (- R)) x && Qle_bool x (inject_Z R).
Definition test_eq_dec : forall a b : test, {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition output_eq_dec : forall a b : output, {a = b} + {a <> b}.
Proof. decide equality. apply N.eq_dec. Defined.
Definition transition_eq_dec : forall a b : transition, {a = b} + {a <> b}.
Proof.
  decide equality; [apply N.eq_dec|apply list_eq_dec, output_eq_dec|apply N.eq_dec|apply list_eq_dec, N.eq_dec|].
  apply list_eq_dec. decide equality; [apply N.eq_dec|apply test_eq_dec].
Defined.
Fixpoint within (R : Z) (r : list transition) : event := fun w =>
  match r, w with
  | [], [] => true
  | t :: r, (t', l) :: w => (if transition_eq_dec t t' then true else false) && forallb (near R) l && within R r w
  | _, _ => false
  end.

Lemma floor_shift c k : (Qfloor (c + inject_Z k) = Qfloor c + k)%Z.
Proof.
  assert (A := Qfloor_le c). assert (B := Qlt_floor c). assert (A' := Qfloor_le (c + inject_Z k)). assert (B' := Qlt_floor (c + inject_Z k)).
  rewrite inject_Z_plus in B, B'. change (inject_Z 1) with 1 in *.
  set (a := Qfloor c) in *. set (b := Qfloor (c + inject_Z k)) in *.
  assert (inject_Z b < inject_Z (a + 1 + k)) by (rewrite !inject_Z_plus; change (inject_Z 1) with 1; lra).
  assert (inject_Z (a + k) < inject_Z (b + 1)) by (rewrite !inject_Z_plus; change (inject_Z 1) with 1; lra).
  rewrite <- Zlt_Qlt in *. lia.
Qed.
Lemma near_floor R x : near R (Qred x) = true -> (Z.abs (Qfloor x) <= R)%Z.
Proof.
  unfold near. rewrite andb_true_iff, !Qle_bool_iff, Qred_correct. intros [A B].
  apply Qfloor_resp_le in A, B. rewrite Qfloor_Z in A, B. lia.
Qed.
Lemma near_gap R x y : near R (Qred (x - y)) = true -> (Z.abs (Qfloor x - Qfloor y) <= R + 1)%Z.
Proof.
  unfold near. rewrite andb_true_iff, !Qle_bool_iff, Qred_correct. intros [A B].
  assert (U : x <= y + inject_Z R) by lra. assert (L : y <= x + inject_Z R) by (rewrite inject_Z_opp in A; lra).
  apply Qfloor_resp_le in U, L. rewrite floor_shift in U, L. lia.
Qed.
Lemma passes_floor s x c : passes s x c = true -> match fst c with
  | Below | AtMost => (Qfloor x <= Qfloor (s (snd c)))%Z
  | AtLeast | Above => (Qfloor (s (snd c)) <= Qfloor x)%Z
  | Equal => Qfloor x = Qfloor (s (snd c)) end.
Proof.
  unfold passes. destruct (fst c); rewrite ?negb_true_iff, <- ?not_true_iff_false, ?Qle_bool_iff, ?Qeq_bool_iff; intro H;
    try (apply Qfloor_resp_le; first [exact H | now apply Qlt_le_weak, Qnot_le_lt]).
  now apply Qfloor_comp.
Qed.

(** What the multipliers of a step weigh is bounded where its tests hold and it is seen. *)
Definition sizes (l : list Z) : Z := fold_right (fun m a => Z.abs m + a)%Z 0%Z l.
Lemma own_bounded t e s x y R : (0 <= R)%Z -> forallb (fun c => signed (fst (fst c)) (snd c)) (tests_of t e) = true ->
  forallb (passes s x) (guard t) = true -> forallb (near R) (numbers t s x y) = true -> (weighed s x y (own t e) <= sizes (of_shows e) * (R + 1))%Z.
Proof.
  intros R0 S P Nr. unfold own, tests_of, shows_of in *. rewrite weighed_app.
  assert (A : (weighed s x y (flat_map (fun c => [(Here, snd c); (Stored (snd (fst c)), - snd c)%Z]) (combine (guard t) (of_tests e))) <= 0)%Z).
  { generalize dependent (of_tests e). clear e. induction (guard t) as [|c g IH]; intros l S; [easy|]. destruct l as [|m l]; [easy|].
    cbn [combine forallb flat_map app weighed fold_right fst snd] in *. apply andb_prop in S as [S1 S2]. apply andb_prop in P as [P1 P2].
    specialize (IH P2 l S2). unfold weighed in IH. apply passes_floor in P1. unfold at_place at 1 2. unfold signed in S1.
    destruct (fst c); rewrite ?Z.leb_le in S1; nia. }
  assert (B : (weighed s x y (flat_map (fun c => match fst c with
      | Sample => [(Here, snd c)] | Second => [(There, snd c)] | Gap v => [(Here, snd c); (Stored v, - snd c)%Z] end)
      (combine (shows t) (of_shows e))) <= sizes (of_shows e) * (R + 1))%Z).
  { unfold numbers in Nr. generalize dependent (of_shows e). clear e S A. induction (shows t) as [|o l IH]; intro ms.
    - assert (P0 : (0 <= sizes ms)%Z) by (clear; unfold sizes; induction ms; cbn [fold_right]; lia). cbn [combine flat_map weighed fold_right]. clear - P0 R0. nia.
    - destruct ms as [|m ms]; [cbn; lia|]. cbn [map forallb] in Nr. apply andb_prop in Nr as [N1 N2]. specialize (IH N2 ms).
      cbn [combine flat_map fst snd]. rewrite weighed_app. cbn [sizes fold_right]. fold (sizes ms).
      assert (K : (weighed s x y match o with Sample => [(Here, m)] | Second => [(There, m)] | Gap v => [(Here, m); (Stored v, - m)%Z] end <= Z.abs m * (R + 1))%Z).
      { destruct o as [| |v]; cbn [weighed fold_right fst snd]; unfold at_place.
        - apply near_floor in N1. set (a := Qfloor x) in *. clearbody a. clear - N1 R0. nia.
        - apply near_floor in N1. set (a := Qfloor y) in *. clearbody a. clear - N1 R0. nia.
        - apply near_gap in N1. set (a := (Qfloor x - Qfloor (s v))%Z) in *.
          replace (m * Qfloor x + (- m * Qfloor (s v) + 0))%Z with (m * a)%Z by (unfold a; ring). clearbody a. clear - N1 R0. nia. }
      rewrite Z.mul_add_distr_r. now apply Z.add_le_mono. }
  lia.
Qed.

(** ** The probability of a run falls *)
Lemma Qmult_le_l' a b c : 0 <= a -> b <= c -> a * b <= a * c.
Proof. intros. nra. Qed.
Lemma mass_of_others q p ins M r : forall i u s A, (forall w, map fst w = r -> A w = false) -> mass q p ins M i u s r A == 0.
Proof.
  induction r as [|t r IH]; intros i u s A H; cbn [mass]; [now rewrite H|]. rewrite (sampled_ext q _ _ _ _ (fun _ _ => 0)).
  - unfold sampled, drawn.
    assert (Z0 : forall X (l : list X) f, over l (fun x => f x * 0) == 0) by (intros; rewrite (over_ext _ _ (fun x => 0 * f x)), over_scale by (intros; ring); ring).
    destruct (second _) as [[a b]|]; [|apply Z0]. rewrite (over_ext _ _ (fun z => noise q (rate_left (at_state p u)) (rate_right (at_state p u)) z * 0)); [apply Z0|].
    intros z _. now rewrite Z0.
  - intros x y. destruct (forallb _ _); [|easy]. apply IH. intros w E. apply H. cbn [map fst]. now rewrite E.
Qed.
Lemma mass_of_nothing q p ins M r i u s : mass q p ins M i u s r (fun _ => false) == 0.
Proof. now apply mass_of_others. Qed.
Section Below.
  Variables q w : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis qw : q < w.
  Hypothesis w1 : w < 1.
  Lemma w0 : 0 < w.
  Proof. lra. Qed.
  Lemma q1 : q < 1.
  Proof. lra. Qed.
  Hint Resolve w0 q1 q0 w1 : core.

  (** A load that the rates allow makes noise no larger than a geometric series. *)
  Lemma noise_weighed l r y z : positive_rate l -> positive_rate r -> side l y = true -> side r (- y) = true ->
    (if (0 <=? z)%Z then power q r z else power q l (- z)) * w ^ (y * z) <= (q / w) ^ Z.abs z.
  Proof.
    intros L R Sl Sr.
    assert (G : forall d a b, (0 < d)%Z -> (0 <= a)%Z -> (- d * a <= b)%Z -> q ^ (d * a) * w ^ b <= (q / w) ^ a).
    { intros d a b D A B. assert (F : q ^ (d * a) * w ^ b <= q ^ (d * a) * w ^ (- d * a)).
      { apply Qmult_le_l; [now apply power_pos|]. now apply power_decreasing. }
      eapply Qle_trans; [exact F|]. replace (- d * a)%Z with (- (d * a))%Z by ring. rewrite Qpower_opp. fold (q ^ (d * a) / w ^ (d * a)).
      unfold Qdiv at 1. rewrite <- Qinv_power, <- Qmult_power. fold (q / w).
      assert (X0 : 0 < q / w) by (apply Qlt_shift_div_l; lra). assert (X1 : q / w < 1) by (apply Qlt_shift_div_r; lra).
      apply power_decreasing; [exact X0|exact X1|nia]. }
    destruct (Z.leb_spec 0 z) as [Z0|Z0].
    - rewrite Z.abs_eq by exact Z0. destruct r as [d|]; cbn [power side positive_rate] in *.
      + apply Z.leb_le in Sr. apply G; [exact R|exact Z0|nia].
      + destruct (Z.eqb_spec z 0) as [->|_]; [rewrite Z.mul_0_r; cbn; lra|]. rewrite Qmult_0_l. apply Qpower_pos.
        apply Qlt_le_weak, Qlt_shift_div_l; lra.
    - rewrite Z.abs_neq by lia. destruct l as [d|]; cbn [power side positive_rate] in *.
      + apply Z.leb_le in Sl. apply G; [exact L|lia|nia].
      + destruct (Z.eqb_spec (- z) 0); [lia|]. rewrite Qmult_0_l. apply Qpower_pos, Qlt_le_weak, Qlt_shift_div_l; lra.
  Qed.
  Lemma drawn_weighed l r c y : positive_rate l -> positive_rate r -> side l y = true -> side r (- y) = true ->
    exists C, 0 <= C /\ forall M k, drawn q l r M c k (fun x => w ^ (y * Qfloor x)) <= C * w ^ (y * k).
  Proof.
    intros L R Sl Sr. assert (F := factor_pos q q0 q1 l r L R). set (f := _ / _) in F.
    assert (X0 : 0 < q / w) by (apply Qlt_shift_div_l; lra). assert (X1 : q / w < 1) by (apply Qlt_shift_div_r; lra).
    exists (f * (2 / (1 - q / w)) * w ^ (y * Qfloor c)).
    assert (Z0 : 0 <= 2 / (1 - q / w)) by (apply Qle_shift_div_l; lra). assert (W := power_pos w w0 (y * Qfloor c)).
    split; [apply Qmult_le_0_compat; [apply Qmult_le_0_compat; [now apply Qlt_le_weak|exact Z0]|now apply Qlt_le_weak]|]. intros M k. unfold drawn.
    rewrite (over_ext _ _ (fun z => f * w ^ (y * (Qfloor c + k)) * ((if (0 <=? z)%Z then power q r z else power q l (- z)) * w ^ (y * z)))).
    2: { intros z _. rewrite floor_shift. unfold noise. fold f. replace (y * (Qfloor c + (k + z)))%Z with (y * (Qfloor c + k) + y * z)%Z by ring.
         rewrite (power_add w w0). ring. }
    rewrite over_scale. replace (y * (Qfloor c + k))%Z with (y * Qfloor c + y * k)%Z by ring. rewrite (power_add w w0).
    assert (S : over (window M) (fun z => (if (0 <=? z)%Z then power q r z else power q l (- z)) * w ^ (y * z)) <= 2 / (1 - q / w)).
    { eapply Qle_trans; [apply over_le; intros z _; now apply noise_weighed|]. apply Qle_shift_div_l; [lra|].
      assert (G := sum_of_powers (q / w) M ltac:(lra) X1). assert (G' := power_pos (q / w) X0 (Z.of_nat (S M))). lra. }
    set (a := over _ _) in *. set (b := 2 / _) in *. assert (Wk := power_pos w w0 (y * k)). set (g := w ^ (y * Qfloor c)) in *. set (h := w ^ (y * k)) in *.
    clearbody a b f g h. assert (0 <= f * (g * h)) by (repeat apply Qmult_le_0_compat; lra). nra.
  Qed.

  Variable p : program.
  Hypothesis Proper : proper p.
  Variables B D : N -> nat -> Z.
  Definition ins (k : Z) : inputs := fun u i => (B u i + k * D u i)%Z.
  Variable R : Z.
  Hypothesis R0 : (0 <= R)%Z.

  Lemma drawn_le l r M c k f g : positive_rate l -> positive_rate r -> (forall x, f x <= g x) -> drawn q l r M c k f <= drawn q l r M c k g.
  Proof.
    intros L Rr H. unfold drawn. apply over_le. intros z _. assert (N := noise_pos q q0 q1 l r L Rr z). specialize (H (c + inject_Z (k + z))). nra.
  Qed.
  Lemma drawn_scale l r M c k f b : drawn q l r M c k (fun x => b * f x) == b * drawn q l r M c k f.
  Proof. unfold drawn. rewrite <- over_scale. apply over_ext. intros z _. ring. Qed.

  (** What a step has for the loads y and z of its two samples. *)
  Lemma sampled_weighed u t e y z : fits (at_state p u) t e y z = true ->
    exists C, 0 <= C /\ forall M k b F, 0 <= b ->
      (forall x x', (second (at_state p u) = None -> x' = 0) -> F x x' <= b * (w ^ (y * Qfloor x) * w ^ (z * Qfloor x'))) ->
      sampled q (at_state p u) M k F <= C * (b * w ^ ((y + z) * k)).
  Proof.
    intro Fits. unfold fits in Fits. apply andb_prop in Fits as [Fits S]. apply andb_prop in Fits as [Fits Sr]. apply andb_prop in Fits as [_ Sl].
    destruct (rates_positive p u Proper) as (L & Rr & P2). set (d := at_state p u) in *. clearbody d.
    destruct (drawn_weighed (rate_left d) (rate_right d) (mean d) y L Rr Sl Sr) as (C1 & C10 & H1).
    destruct (second d) as [[r m]|] eqn:E2.
    - destruct (drawn_weighed (Some r) (Some r) m z P2 P2) as (C2 & C20 & H2); [cbn [side]; lia|cbn [side]; lia|].
      exists (C1 * C2). split; [now apply Qmult_le_0_compat|]. intros M k b F b0 H. unfold sampled. rewrite E2.
      assert (Wz := power_pos w w0 (z * k)).
      eapply Qle_trans; [apply drawn_le with (g := fun x => b * C2 * w ^ (z * k) * w ^ (y * Qfloor x)); try assumption; intro x|].
      + eapply Qle_trans; [apply drawn_le with (g := fun x' => b * w ^ (y * Qfloor x) * w ^ (z * Qfloor x')); try assumption; intro x'|].
        * assert (G := H x x' ltac:(discriminate)). lra.
        * rewrite drawn_scale. assert (G := H2 M k). assert (Wy := power_pos w w0 (y * Qfloor x)). set (a := drawn _ _ _ _ _ _ _) in *.
          assert (0 <= b * w ^ (y * Qfloor x)) by nra. set (c := w ^ (z * k)) in *. set (c' := w ^ (y * Qfloor x)) in *. clearbody a c c'.
          assert (b * c' * a <= b * c' * (C2 * c)) by nra. lra.
      + rewrite drawn_scale. assert (G := H1 M k). set (a := drawn _ _ _ _ _ _ _) in *. replace ((y + z) * k)%Z with (y * k + z * k)%Z by ring.
        rewrite (power_add w w0). assert (Wy := power_pos w w0 (y * k)). set (c := w ^ (z * k)) in *. set (c' := w ^ (y * k)) in *. clearbody a c c'.
        assert (0 <= b * C2 * c) by (apply Qmult_le_0_compat; [now apply Qmult_le_0_compat|lra]).
        assert (b * C2 * c * a <= b * C2 * c * (C1 * c')) by nra. lra.
    - apply Z.eqb_eq in S as ->. exists C1. split; [exact C10|]. intros M k b F b0 H. unfold sampled. rewrite E2.
      eapply Qle_trans; [apply drawn_le with (g := fun x => b * w ^ (y * Qfloor x)); try assumption; intro x|].
      + assert (G := H x 0 (fun _ => eq_refl)). rewrite Z.mul_0_l in G. change (w ^ 0) with 1 in G. lra.
      + rewrite drawn_scale. assert (G := H1 M k). replace ((y + 0) * k)%Z with (y * k)%Z by ring. set (a := drawn _ _ _ _ _ _ _) in *. set (c := w ^ _) in *.
        clearbody a c. assert (b * a <= b * (C1 * c)) by nra. lra.
  Qed.

  Lemma mass_falls l : forall i u L W, total p D i u l = Some (L, W) -> exists C, 0 <= C /\
    forall k M s, mass q p (ins k) M i u s (map fst l) (within R (map fst l)) <= C * w ^ (exponent L s + k * W).
  Proof.
    induction l as [|[t e] l IH]; intros i u L W E; cbn [total] in E.
    - injection E as <- <-. exists 1. split; [lra|]. intros k M s. cbn [map mass within exponent fold_right]. rewrite Z.mul_0_r. cbn. lra.
    - set (d := at_state p u) in *. destruct (total p D (after d i) (target t) l) as [[L' W']|] eqn:E'; [|discriminate].
      destruct (IH _ _ _ _ E') as (C & C0 & H). clear IH. cbv zeta in E. set (a := own t e ++ later t L') in *.
      set (y := load is_here a) in *. set (z := load is_there a) in *. destruct (fits d t e y z) eqn:Fits; [|discriminate]. injection E as <- <-.
      destruct (sampled_weighed u t e y z Fits) as (K & K0 & G). fold d in G.
      set (h := (sizes (of_shows e) * (R + 1))%Z). set (b0 := here d (B u i)).
      exists (K * (C * w ^ (- h) * w ^ ((y + z) * b0))). assert (Wh := power_pos w w0 (- h)). assert (Wb := power_pos w w0 ((y + z) * b0)).
      split; [repeat apply Qmult_le_0_compat; lra|]. intros k M s. cbn [map fst mass]. cbv zeta. fold d.
      set (kk := here d (ins k u i)). assert (Ek : kk = (b0 + k * here d (D u i))%Z) by (unfold kk, b0, here, ins; destruct (reads d =? 0)%Z; lia).
      set (b := C * w ^ (- h) * w ^ (k * W') * w ^ exponent (kept a) s).
      assert (Wk := power_pos w w0 (k * W')). assert (We := power_pos w w0 (exponent (kept a) s)).
      assert (b_0 : 0 <= b) by (unfold b; repeat apply Qmult_le_0_compat; lra).
      eapply Qle_trans; [apply (G M kk b _ b_0)|].
      + intros x x' _. assert (Wx := power_pos w w0 (y * Qfloor x)). assert (Wx' := power_pos w w0 (z * Qfloor x')).
        assert (P : 0 <= b * (w ^ (y * Qfloor x) * w ^ (z * Qfloor x'))) by (apply Qmult_le_0_compat; [exact b_0|apply Qmult_le_0_compat; lra]).
        destruct (forallb (passes s x) (guard t)) eqn:Pass; [|exact P]. destruct (forallb (near R) (numbers t s x x')) eqn:Near.
        * rewrite (mass_ext q p _ M _ _ _ _ _ (within R (map fst l))).
          2: { intro v. cbn [within map fst]. destruct (transition_eq_dec t t); [now rewrite Near|contradiction]. }
          eapply Qle_trans; [apply H|]. unfold b.
          assert (X : (exponent L' (stored t s x) + weighed s x x' (own t e) = exponent (kept a) s + y * Qfloor x + z * Qfloor x')%Z).
          { rewrite <- (weighed_later t s x x'). assert (Sp := weighed_split s x x' a). unfold a in Sp at 1. rewrite weighed_app in Sp. fold y z in Sp. lia. }
          assert (Fi := Fits). unfold fits in Fi. apply andb_prop in Fi as [Fi _]. apply andb_prop in Fi as [Fi _]. apply andb_prop in Fi as [Fi _].
          assert (O := own_bounded t e s x x' R R0 Fi Pass Near). fold h in O.
          rewrite <- !Qmult_assoc. apply Qmult_le_l'; [exact C0|]. rewrite <- !(power_add w w0). apply power_decreasing; [exact w0|exact w1|lia].
        * rewrite (mass_ext q p _ M _ _ _ _ _ (fun _ => false)).
          2: { intro v. cbn [within map fst]. rewrite Near. now rewrite andb_false_r. }
          rewrite mass_of_nothing. exact P.
      + rewrite Ek. unfold b. apply Qle_lteq. right. replace ((y + z) * (b0 + k * here d (D u i)))%Z with ((y + z) * b0 + (y + z) * here d (D u i) * k)%Z by ring.
        replace (exponent (kept a) s + k * ((y + z) * here d (D u i) + W'))%Z with (exponent (kept a) s + (y + z) * here d (D u i) * k + k * W')%Z by ring.
        rewrite !(power_add w w0). ring.
  Qed.
End Below.
