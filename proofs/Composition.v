(** * What events gain in a composition: products of laws, outcomes of equal ratio together

    The theorem, and its proof on paper, are in docs/theory.md, *Products of finite laws*. *)
From Coq Require Import List NArith ZArith QArith Qminmax Qpower Lqa Lia Bool.
From Prover Require Import Chain Sums Sparse Laws.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** Ratios of probabilities are products of powers of the numbers of a basis; a key lists the exponents. *)
Fixpoint ratio (basis : list Q) (k : list Z) : Q :=
  match basis, k with b :: basis, x :: k => b ^ x * ratio basis k | _, _ => 1 end.
Fixpoint add_keys (k l : list Z) : list Z :=
  match k, l with [], _ => l | _, [] => k | x :: k, y :: l => (x + y)%Z :: add_keys k l end.
Fixpoint compare_keys (k l : list Z) : comparison :=
  match k, l with
  | [], [] => Eq | [], _ => Lt | _, [] => Gt
  | x :: k, y :: l => match (x ?= y)%Z with Eq => compare_keys k l | r => r end
  end.

(** Amounts at keys, in the order of the keys. *)
Definition table := list (list Z * Z).
Fixpoint merge (t : table) : table -> table :=
  fix into (u : table) : table :=
    match t, u with
    | [], _ => u
    | _, [] => t
    | (k, a) :: t', (l, b) :: u' => match compare_keys k l with
        | Eq => (k, (a + b)%Z) :: merge t' u'
        | Lt => (k, a) :: merge t' u
        | Gt => (l, b) :: into u'
        end
    end.

(** A mechanism in integers: its outcomes' probabilities in multiples of 1 / [unit_of], with the keys of their ratios. *)
Definition outcome := (Z * Z * list Z)%type.
Record prepared := { unit_of : positive; outcomes : list outcome }.
Definition turned (s : secret) (o : outcome) : outcome :=
  match s with First => o | Second => let '(a, b, k) := o in (b, a, map Z.opp k) end.

Section Check.
  Variables (basis : list Q) (s : secret).
  Definition check_outcome (unit : positive) (pq : Q * Q) (o : outcome) : bool :=
    let '(a, b, k) := turned s o in let r := ratio basis k in
    Qeq_bool (under s pq * inject_Z (Zpos unit)) (inject_Z a) && Qeq_bool (under (other s) pq * inject_Z (Zpos unit)) (inject_Z b)
    && (0 <=? a)%Z && (0 <=? b)%Z && ((a =? 0)%Z || (b =? 0)%Z || (a * Zpos (Qden r) =? b * Qnum r)%Z).
  Fixpoint check_outcomes (unit : positive) (m : mechanism) (l : list outcome) : bool :=
    match m, l with
    | [], [] => true
    | pq :: m, o :: l => check_outcome unit pq o && check_outcomes unit m l
    | _, _ => false
    end.
  Definition first_of (o : outcome) : Z := fst (fst (turned s o)).
  Definition second_of (o : outcome) : Z := snd (fst (turned s o)).
  Definition key_of (o : outcome) : list Z := snd (turned s o).
  Definition totalz (l : list Z) : Z := fold_right Z.add 0%Z l.
  Definition check_mechanism (m : mechanism) (p : prepared) : bool :=
    check_outcomes (unit_of p) m (outcomes p)
    && (totalz (map first_of (outcomes p)) =? Zpos (unit_of p))%Z && (totalz (map second_of (outcomes p)) =? Zpos (unit_of p))%Z.

  (** What has been summed up: the unit, amounts at keys, and what only s makes possible. *)
  Record state := { scale_of : Z; at_keys : table; sure : Z }.
  Definition moved (t : table) (o : outcome) : table :=
    let '(a, b, k) := turned s o in if ((a =? 0) || (b =? 0))%Z then [] else map (fun ka => (add_keys (fst ka) k, (snd ka * a)%Z)) t.
  Definition alone (l : list outcome) : Z := totalz (map (fun o => if (second_of o =? 0)%Z then first_of o else 0%Z) l).
  Definition step (p : prepared) (x : state) : state :=
    {| scale_of := scale_of x * Zpos (unit_of p);
       at_keys := fold_right (fun o t => merge (moved (at_keys x) o) t) [] (outcomes p);
       sure := sure x * Zpos (unit_of p) + totalz (map snd (at_keys x)) * alone (outcomes p) |}.
  Definition start : state := {| scale_of := 1; at_keys := [([], 1%Z)]; sure := 0 |}.
  Definition summed (l : list (prepared * N)) : state := fold_left (fun x pn => N.iter (snd pn) (step (fst pn)) x) l start.

  Fixpoint check_parts (c : composition) (l : list (prepared * N)) : bool :=
    match c, l with
    | [], [] => true
    | (m, n) :: c, (p, n') :: l => check_mechanism m p && (n =? n')%N && check_parts c l
    | _, _ => false
    end.

  (** What an amount gains: max(0, a - alpha b), where b is the amount under the other secret. *)
  Definition behind (ka : list Z * Z) : Z := let r := ratio basis (fst ka) in (snd ka * Zpos (Qden r) / Qnum r)%Z.
  Definition exact (ka : list Z * Z) : bool :=
    let r := ratio basis (fst ka) in (0 <=? snd ka)%Z && (behind ka * Qnum r =? snd ka * Zpos (Qden r))%Z.
  Definition gained (alpha : Q) (x : state) : Z :=
    (totalz (map (fun ka => Z.max 0 (Zpos (Qden alpha) * snd ka - Qnum alpha * behind ka)) (at_keys x)) + Zpos (Qden alpha) * sure x)%Z.

  (** The sum of the gains, if all is in order. *)
  Definition sums_to (alpha : Q) (l : list (prepared * N)) (compare : Z -> Z -> bool) : bool :=
    let x := summed l in forallb exact (at_keys x) && compare (gained alpha x) (scale_of x * Zpos (Qden alpha))%Z.
  Definition check_sum (c : composition) (alpha : Q) (l : list (prepared * N)) (compare : Z -> Z -> bool) : bool :=
    forallb (fun b => 0 <? Qnum b)%Z basis && (0 <=? Qnum alpha)%Z && check_parts c l && sums_to alpha l compare.
End Check.
Definition check_gain_at_most basis s c alpha delta l : bool :=
  check_sum basis s c alpha l (fun gain scale => gain * Zpos (Qden delta) <=? Qnum delta * scale)%Z.
Definition check_gain_at_least basis s c alpha delta l : bool :=
  check_sum basis s c alpha l (fun gain scale => Qnum delta * scale <=? gain * Zpos (Qden delta))%Z.

(** ** Events, and the sum of what outcomes gain *)
Section Best.
  Variables (alpha : Q) (s : secret).

  Fixpoint best (l : list mechanism) (x y : Q) : Q :=
    match l with
    | [] => Qmax 0 (x - alpha * y)
    | m :: rest => sum (map (fun pq => best rest (x * under s pq) (y * under (other s) pq)) m)
    end.
  Fixpoint best_event (l : list mechanism) (x y : Q) (w : list nat) : bool :=
    match l, w with
    | [], _ => if Qlt_le_dec 0 (x - alpha * y) then true else false
    | m :: rest, i :: w => match nth_error m i with Some pq => best_event rest (x * under s pq) (y * under (other s) pq) w | None => false end
    | _, [] => false
    end.

  Lemma numbered_in m i pq : In (i, pq) (numbered m) -> nth_error m i = Some pq.
  Proof.
    unfold numbered. assert (G : forall k, In (i, pq) (combine (seq k (length m)) m) -> (k <= i)%nat /\ nth_error m (i - k) = Some pq).
    { induction m as [|a m IH]; intros k H; [easy|]. cbn [length seq combine] in H. destruct H as [[= <- <-]|H].
      - split; [lia|]. now rewrite Nat.sub_diag.
      - destruct (IH (S k) H) as [A B]. split; [lia|]. replace (i - k)%nat with (S (i - S k)) by lia. exact B. }
    intro H. destruct (G 0%nat H) as [_ E]. now rewrite Nat.sub_0_r in E.
  Qed.
  Lemma numbered_sum m (f : Q * Q -> Q) : sum (map (fun ip => f (snd ip)) (numbered m)) = sum (map f m).
  Proof.
    rewrite <- (map_map snd f). do 2 f_equal. unfold numbered. generalize 0%nat. induction m as [|a m IH]; intro k; [reflexivity|].
    cbn [length seq combine map snd]. now rewrite IH.
  Qed.

  Lemma sum_minus {A} (l : list A) f g : sum (map f l) - sum (map g l) == sum (map (fun x => f x - g x) l).
  Proof. induction l as [|x l IH]; cbn [map]; rewrite ?sum_cons, ?sum_nil; [ring|]. rewrite <- IH. ring. Qed.
  Lemma best_bounds l : forall x y E, x * chance l s E - alpha * (y * chance l (other s) E) <= best l x y.
  Proof.
    induction l as [|m l IH]; intros x y E; cbn [chance best].
    - destruct (E []); [eapply Qle_trans; [|apply Q.le_max_r]; lra|eapply Qle_trans; [|apply Q.le_max_l]; lra].
    - rewrite <- (numbered_sum m (fun pq => best l (x * under s pq) (y * under (other s) pq))).
      rewrite <- (sum_scale _ x), <- (sum_scale _ y), <- (sum_scale _ alpha), sum_minus. apply sum_le. intros ip _.
      specialize (IH (x * under s (snd ip)) (y * under (other s) (snd ip)) (fun w => E (fst ip :: w))). lra.
  Qed.
  Lemma chance_ext l u : forall E F, (forall w, E w = F w) -> chance l u E == chance l u F.
  Proof.
    induction l as [|m l IH]; intros E F H; cbn [chance]; [now rewrite H|]. apply sum_ext. intros ip _. now rewrite (IH _ (fun w => F (fst ip :: w))).
  Qed.
  Lemma best_attained l : forall x y, x * chance l s (best_event l x y) - alpha * (y * chance l (other s) (best_event l x y)) == best l x y.
  Proof.
    induction l as [|m l IH]; intros x y; cbn [chance best best_event].
    - destruct (Qlt_le_dec 0 _) as [P|P]; [rewrite Q.max_r by lra; ring|rewrite Q.max_l by assumption; ring].
    - rewrite <- (numbered_sum m (fun pq => best l (x * under s pq) (y * under (other s) pq))).
      rewrite <- (sum_scale _ x), <- (sum_scale _ y), <- (sum_scale _ alpha), sum_minus. apply sum_ext.
      intros [i pq] I. apply numbered_in in I. cbn [fst snd].
      rewrite <- (IH (x * under s pq) (y * under (other s) pq)).
      assert (Ev : forall u, chance l u (fun w => best_event (m :: l) x y (i :: w)) == chance l u (best_event l (x * under s pq) (y * under (other s) pq))).
      { intro u. apply chance_ext. intro w. cbn [best_event]. now rewrite I. }
      cbn [best_event] in Ev. rewrite !Ev. ring.
  Qed.

  Lemma best_ext l : forall x y x' y', x == x' -> y == y' -> best l x y == best l x' y'.
  Proof.
    induction l as [|m l IH]; intros x y x' y' E F; cbn [best]; [now rewrite E, F|]. apply sum_ext. intros pq _. apply IH; [now rewrite E|now rewrite F].
  Qed.
  Lemma best_scale l : forall a x y, 0 <= a -> best l (a * x) (a * y) == a * best l x y.
  Proof.
    induction l as [|m l IH]; intros a x y A; cbn [best].
    - setoid_replace (a * x - alpha * (a * y)) with (a * (x - alpha * y)) by ring.
      destruct (Q.max_spec 0 (x - alpha * y)) as [[L E]|[L E]]; rewrite E; [rewrite Q.max_r by nra; ring|rewrite Q.max_l by nra; ring].
    - rewrite <- sum_scale. apply sum_ext. intros pq _. rewrite <- IH by assumption. apply best_ext; ring.
  Qed.

  Definition fair (m : mechanism) : Prop := forall s, sum (map (under s) m) == 1 /\ forall pq, In pq m -> 0 <= under s pq.
  Hypothesis Ha : 0 <= alpha.
  Lemma best_alone l : Forall fair l -> forall x, 0 <= x -> best l x 0 == x.
  Proof.
    induction l as [|m l IH]; intros H x X; cbn [best]; [rewrite Q.max_r by lra; ring|]. inversion_clear H as [|? ? Hm Hl].
    destruct (Hm s) as [S P]. rewrite (sum_ext m _ (fun pq => x * under s pq)).
    - rewrite sum_scale, S. ring.
    - intros pq I. specialize (P pq I). rewrite (best_ext l _ _ (x * under s pq) 0) by ring. apply IH; [assumption|nra].
  Qed.
  Lemma best_never l : Forall fair l -> forall y, 0 <= y -> best l 0 y == 0.
  Proof.
    induction l as [|m l IH]; intros H y Y; cbn [best]; [rewrite Q.max_l by nra; reflexivity|]. inversion_clear H as [|? ? Hm Hl].
    destruct (Hm (other s)) as [_ P]. rewrite (sum_ext m _ (fun _ => 0)); [apply sum_0|].
    intros pq I. specialize (P pq I). rewrite (best_ext l _ _ 0 (y * under (other s) pq)) by ring. apply IH; [assumption|nra].
  Qed.
End Best.

(** ** The sum that is checked is the sum of the best gains *)
Lemma compare_keys_eq k : forall l, compare_keys k l = Eq -> k = l.
Proof.
  induction k as [|x k IH]; intros [|y l] H; try discriminate; [reflexivity|]. cbn [compare_keys] in H.
  destruct (Z.compare_spec x y) as [->| |]; try discriminate. now rewrite (IH l H).
Qed.
Lemma ratio_pos basis : forallb (fun b => 0 <? Qnum b)%Z basis = true -> forall k, 0 < ratio basis k.
Proof.
  induction basis as [|b basis IH]; intros H [|x k]; cbn [ratio]; try reflexivity. cbn [forallb] in H. apply andb_prop in H as [B H].
  assert (P : 0 < b) by (apply Z.ltb_lt in B; unfold Qlt; cbn; lia). assert (Px := Qpower_0_lt b x P). specialize (IH H k). nra.
Qed.
Lemma ratio_add basis : forallb (fun b => 0 <? Qnum b)%Z basis = true -> forall k l, ratio basis (add_keys k l) == ratio basis k * ratio basis l.
Proof.
  induction basis as [|b basis IH]; intros H k l; [destruct k, l; cbn; reflexivity|]. cbn [forallb] in H. apply andb_prop in H as [B H].
  destruct k as [|x k]; [cbn [add_keys ratio]; ring|]. destruct l as [|y l]; [cbn [add_keys ratio]; ring|]. cbn [add_keys ratio].
  rewrite (IH H), Qpower_plus; [ring|]. apply Z.ltb_lt in B. intro E. unfold Qeq in E. cbn in E. lia.
Qed.
Lemma total_spec l : inject_Z (totalz l) == sum (map inject_Z l).
Proof. induction l as [|z l IH]; [reflexivity|]. cbn [totalz fold_right map]. rewrite sum_cons, inject_Z_plus. unfold totalz in IH. now rewrite IH. Qed.

Section Sum.
  Variables (basis : list Q) (s : secret) (alpha : Q).
  Hypothesis Hb : forallb (fun b => 0 <? Qnum b)%Z basis = true.
  Hypothesis Ha : 0 <= alpha.
  Let rho := ratio basis.
  Lemma rho_pos k : 0 < rho k. Proof. now apply ratio_pos. Qed.

  (** What the amounts of a table gain by the mechanisms that are left. *)
  Definition worth (l : list mechanism) (t : table) : Q := sum (map (fun ka => inject_Z (snd ka) * best alpha s l 1 (/ rho (fst ka))) t).

  Lemma worth_merge l t : forall u, worth l (merge t u) == worth l t + worth l u.
  Proof.
    induction t as [|[k a] t IHt]; intro u; [destruct u; cbn [merge]; unfold worth; cbn [map]; rewrite sum_nil; ring|].
    induction u as [|[k' b] u IHu]; [cbn [merge]; unfold worth at 3; cbn [map]; rewrite sum_nil; ring|].
    cbn [merge]. destruct (compare_keys k k') eqn:C.
    - apply compare_keys_eq in C as <-. unfold worth in *. cbn [map fst snd]. rewrite !sum_cons, IHt, inject_Z_plus. ring.
    - unfold worth in *. cbn [map fst snd] in *. rewrite !sum_cons, IHt. cbn [map fst snd]. rewrite sum_cons. ring.
    - change ((fix into (u0 : table) : table := match u0 with [] => (k, a) :: t | (l0, b0) :: u' => match compare_keys k l0 with
        | Eq => (k, (a + b0)%Z) :: merge t u' | Lt => (k, a) :: merge t u0 | Gt => (l0, b0) :: into u' end end) u) with (merge ((k, a) :: t) u).
      unfold worth in *. cbn [map fst snd] in *. rewrite !sum_cons in *. rewrite IHu. ring.
  Qed.

  Lemma outcome_parts unit pq o : check_outcome basis s unit pq o = true ->
    under s pq == inject_Z (first_of s o) / inject_Z (Zpos unit) /\ under (other s) pq == inject_Z (second_of s o) / inject_Z (Zpos unit) /\
    (0 <= first_of s o)%Z /\ (0 <= second_of s o)%Z /\ (first_of s o = 0%Z \/ second_of s o = 0%Z \/ inject_Z (first_of s o) == inject_Z (second_of s o) * rho (key_of s o)).
  Proof.
    unfold check_outcome, first_of, second_of, key_of. destruct (turned s o) as [[a b] k]. cbn [fst snd]. intro H.
    apply andb_prop in H as [H R]. apply andb_prop in H as [H B]. apply andb_prop in H as [H A]. apply andb_prop in H as [P Q].
    apply Qeq_bool_iff in P, Q. apply Z.leb_le in A, B. assert (U : 0 < inject_Z (Zpos unit)) by reflexivity.
    split; [rewrite <- P; field; lra|]. split; [rewrite <- Q; field; lra|]. split; [assumption|]. split; [assumption|].
    apply orb_prop in R as [R|R]; [apply orb_prop in R as [R|R]|]; apply Z.eqb_eq in R; [now left|right; now left|right; right]. unfold rho. destruct (ratio basis k) as [n d]. cbn [Qnum Qden] in R.
    unfold Qeq. cbn [Qmult inject_Z Qnum Qden]. lia.
  Qed.

  Lemma outcomes_fair unit m : forall os, check_outcomes basis s unit m os = true ->
    sum (map (under s) m) == inject_Z (totalz (map (first_of s) os)) / inject_Z (Zpos unit) /\
    sum (map (under (other s)) m) == inject_Z (totalz (map (second_of s) os)) / inject_Z (Zpos unit) /\
    forall pq, In pq m -> 0 <= under s pq /\ 0 <= under (other s) pq.
  Proof.
    assert (U : 0 < inject_Z (Zpos unit)) by reflexivity.
    induction m as [|pq m IH]; intros [|o os] H; try discriminate; [repeat split; try easy; cbn; field; lra|].
    cbn [check_outcomes] in H. apply andb_prop in H as [Ho H]. destruct (IH os H) as (S1 & S2 & P).
    destruct (outcome_parts unit pq o Ho) as (A & B & A0 & B0 & _). cbn [map totalz fold_right]. rewrite !sum_cons, S1, S2, A, B, !inject_Z_plus.
    split; [unfold totalz; field; lra|]. split; [unfold totalz; field; lra|]. intros pq' [<-|I]; [|now apply P].
    rewrite Zle_Qle in A0, B0. rewrite A, B. split; (apply Qle_shift_div_l; [assumption|]); change (inject_Z 0) with 0 in *; lra.
  Qed.
  Lemma mechanism_fair m p : check_mechanism basis s m p = true -> fair m.
  Proof.
    unfold check_mechanism. intro H. apply andb_prop in H as [H B]. apply andb_prop in H as [H A]. apply Z.eqb_eq in A, B.
    destruct (outcomes_fair _ m _ H) as (S1 & S2 & P). rewrite A in S1. rewrite B in S2. assert (U : 0 < inject_Z (Zpos (unit_of p))) by reflexivity.
    assert (One : inject_Z (Zpos (unit_of p)) / inject_Z (Zpos (unit_of p)) == 1) by (field; lra). rewrite One in S1, S2.
    intro u. assert (E : u = s \/ u = other s) by (destruct u, s; cbn; tauto). destruct E as [->| ->]; (split; [assumption|]; intros pq I; now apply P).
  Qed.

  (** What one outcome does. *)
  Lemma worth_moved l t unit pq o : Forall fair l -> check_outcome basis s unit pq o = true ->
    worth l (moved s t o) + inject_Z (totalz (map snd t)) * inject_Z (if (second_of s o =? 0)%Z then first_of s o else 0) ==
    inject_Z (Zpos unit) * sum (map (fun ka => inject_Z (snd ka) * best alpha s l (1 * under s pq) (/ rho (fst ka) * under (other s) pq)) t).
  Proof.
    intros Fl Ho. destruct (outcome_parts unit pq o Ho) as (A & B & A0 & B0 & R). assert (U : 0 < inject_Z (Zpos unit)) by reflexivity.
    set (u := inject_Z (Zpos unit)) in *. unfold moved. unfold first_of, second_of, key_of in *. destruct (turned s o) as [[a b] k]. cbn [fst snd] in *.
    rewrite total_spec, map_map, <- sum_scale, Qmult_comm, <- sum_scale.
    assert (Pos : forall ka : list Z * Z, 0 <= / rho (fst ka)) by (intro; apply Qinv_le_0_compat, Qlt_le_weak, rho_pos).
    rewrite Zle_Qle in A0, B0. change (inject_Z 0) with 0 in A0, B0.
    destruct (Z.eqb_spec a 0) as [->|Na]; cbn [orb].
    - unfold worth. cbn [map]. rewrite sum_nil, Qplus_0_l. apply sum_ext. intros ka _.
      rewrite (best_ext alpha s l _ _ 0 (/ rho (fst ka) * under (other s) pq)); [|rewrite A; change (inject_Z 0) with 0; field; lra|reflexivity].
      rewrite best_never; try assumption; [destruct (b =? 0)%Z; change (inject_Z 0) with 0; ring|].
      apply Qmult_le_0_compat; [apply Pos|]. rewrite B. apply Qle_shift_div_l; [assumption|lra].
    - destruct (Z.eqb_spec b 0) as [->|Nb].
      + unfold worth. cbn [map]. rewrite sum_nil, Qplus_0_l. apply sum_ext. intros ka _.
        rewrite (best_ext alpha s l _ _ (inject_Z a / u) 0); [|rewrite A; field; lra|rewrite B; change (inject_Z 0) with 0; field; split; [|apply Qnot_eq_sym, Qlt_not_eq, rho_pos]; lra].
        rewrite best_alone; try assumption; [field; lra|]. apply Qle_shift_div_l; [assumption|lra].
      + destruct R as [R|[R|R]]; [easy|easy|]. unfold worth. rewrite map_map. change (inject_Z 0) with 0.
        rewrite (sum_ext t (fun x => 0 * _) (fun _ => 0)), sum_0, Qplus_0_r by (intros; ring).
        apply sum_ext. intros ka _. cbn [fst snd].
        assert (Rk := rho_pos k). assert (Rka := rho_pos (fst ka)).
        rewrite (best_ext alpha s l (1 * under s pq) (/ rho (fst ka) * under (other s) pq) (inject_Z a / u * 1) (inject_Z a / u * / rho (add_keys (fst ka) k))).
        * rewrite best_scale, inject_Z_mult; [field; lra|]. apply Qle_shift_div_l; [assumption|lra].
        * rewrite A. field. lra.
        * rewrite B. unfold rho in *. rewrite (ratio_add basis Hb), R. field. repeat split; lra.
  Qed.

  Lemma worth_outcomes l t unit m : Forall fair l -> forall os, check_outcomes basis s unit m os = true ->
    worth l (fold_right (fun o t' => merge (moved s t o) t') [] os) + inject_Z (totalz (map snd t)) * inject_Z (alone s os) ==
    inject_Z (Zpos unit) * worth (m :: l) t.
  Proof.
    intros Fl.
    assert (Sw : worth (m :: l) t == sum (map (fun pq => sum (map (fun ka => inject_Z (snd ka) * best alpha s l (1 * under s pq) (/ rho (fst ka) * under (other s) pq)) t)) m)).
    { unfold worth. cbn [best]. rewrite sum_swap. apply sum_ext. intros ka _. now rewrite sum_scale. }
    intros os H. rewrite Sw. clear Sw. revert os H.
    induction m as [|pq m IH]; intros [|o os] H; try discriminate.
    - unfold worth, alone. cbn [map fold_right totalz]. rewrite !sum_nil. change (inject_Z 0) with 0. ring.
    - cbn [check_outcomes] in H. apply andb_prop in H as [Ho H]. specialize (IH os H). cbn [fold_right map].
      rewrite worth_merge, sum_cons, Qmult_plus_distr_r, <- IH, <- (worth_moved l t unit pq o Fl Ho).
      unfold alone. cbn [map totalz fold_right]. rewrite inject_Z_plus. unfold totalz. ring.
  Qed.

  (** The gain V of all runs, in units of the scale: what the amounts still gain, and what is sure. *)
  Variable V : Q.
  Definition stands (x : state) (l : list mechanism) : Prop := inject_Z (scale_of x) * V == worth l (at_keys x) + inject_Z (sure x).
  Lemma stands_step x m l p : Forall fair l -> check_mechanism basis s m p = true -> stands x (m :: l) -> stands (step s p x) l.
  Proof.
    unfold check_mechanism, stands. intros Fl H St. apply andb_prop in H as [H _]. apply andb_prop in H as [H _].
    assert (W := worth_outcomes l (at_keys x) _ m Fl _ H). unfold step. cbn [scale_of at_keys sure]. rewrite inject_Z_plus, !inject_Z_mult.
    setoid_replace (inject_Z (scale_of x) * inject_Z (Zpos (unit_of p)) * V) with (inject_Z (Zpos (unit_of p)) * (inject_Z (scale_of x) * V)) by ring.
    rewrite St, Qmult_plus_distr_r, <- W. ring.
  Qed.
  Lemma stands_iter m p n : check_mechanism basis s m p = true -> forall x l, Forall fair l -> stands x (repeat m n ++ l) -> stands (Nat.iter n (step s p) x) l.
  Proof.
    intro H. induction n as [|n IH]; intros x l Fl St; [exact St|]. change (Nat.iter (S n) (step s p) x) with (step s p (Nat.iter n (step s p) x)).
    apply stands_step with (m := m); try assumption. apply IH; [constructor; [now apply mechanism_fair with (p := p)|assumption]|].
    cbn [repeat app] in St. replace (repeat m n ++ m :: l) with ((repeat m n ++ [m]) ++ l) by (rewrite <- app_assoc; reflexivity).
    rewrite <- repeat_cons. exact St.
  Qed.
  Lemma runs_fair c : forall ps, check_parts basis s c ps = true -> Forall fair (runs c) /\ forall m n, In (m, n) c -> fair m.
  Proof.
    induction c as [|[m n] c IH]; intros [|[p n'] ps] H; try discriminate; [split; [constructor|easy]|]. cbn [check_parts] in H.
    apply andb_prop in H as [H Hc]. apply andb_prop in H as [H _]. destruct (IH ps Hc) as [A B]. assert (F := mechanism_fair m p H). split.
    - unfold runs. cbn [flat_map fst snd]. apply Forall_app. split; [|exact A]. apply Forall_forall. intros m' I. apply repeat_spec in I as ->. exact F.
    - intros m' n'' [[= <- <-]|I]; [assumption|now apply (B m' n'')].
  Qed.
  Lemma stands_all c : forall ps x, check_parts basis s c ps = true -> stands x (runs c) -> stands (fold_left (fun x pn => N.iter (snd pn) (step s (fst pn)) x) ps x) [].
  Proof.
    induction c as [|[m n] c IH]; intros [|[p n'] ps] x H St; try discriminate; [exact St|]. cbn [check_parts] in H.
    apply andb_prop in H as [H Hc]. apply andb_prop in H as [H Hn]. apply N.eqb_eq in Hn as <-. cbn [fold_left fst snd]. apply IH; [assumption|].
    rewrite N2Nat.inj_iter. apply stands_iter with (m := m); [assumption|now apply (runs_fair c ps)|exact St].
  Qed.

  Lemma gained_spec x : forallb (exact basis) (at_keys x) = true -> stands x [] -> inject_Z (gained basis alpha x) == inject_Z (scale_of x * Zpos (Qden alpha)) * V.
  Proof.
    intros Ex St. unfold stands in St. rewrite inject_Z_mult.
    setoid_replace (inject_Z (scale_of x) * inject_Z (Zpos (Qden alpha)) * V) with (inject_Z (Zpos (Qden alpha)) * (inject_Z (scale_of x) * V)) by ring.
    rewrite St. unfold gained. rewrite inject_Z_plus, inject_Z_mult, total_spec, map_map, Qmult_plus_distr_r. apply Qplus_comp; [|reflexivity].
    unfold worth. rewrite <- sum_scale. apply sum_ext. intros ka I. rewrite forallb_forall in Ex. specialize (Ex ka I). unfold exact in Ex.
    apply andb_prop in Ex as [A B]. apply Z.leb_le in A. apply Z.eqb_eq in B. rewrite Zle_Qle in A. change (inject_Z 0) with 0 in A.
    set (b := behind basis ka) in *. assert (R := rho_pos (fst ka)). fold (rho (fst ka)) in B.
    assert (E : inject_Z b * rho (fst ka) == inject_Z (snd ka)).
    { destruct (rho (fst ka)) as [n d]. cbn [Qnum Qden] in B. unfold Qeq. cbn [Qmult inject_Z Qnum Qden]. lia. }
    set (r := rho (fst ka)) in *. set (a := inject_Z (snd ka)) in *. cbn [best].
    assert (Al : inject_Z (Zpos (Qden alpha)) * alpha == inject_Z (Qnum alpha)) by (destruct alpha as [n d]; unfold Qeq; cbn [Qmult inject_Z Qnum Qden]; lia).
    assert (D : 0 < inject_Z (Zpos (Qden alpha))) by reflexivity. set (d := inject_Z (Zpos (Qden alpha))) in *.
    assert (Eb : inject_Z b == a * / r) by (rewrite <- E; field; lra).
    assert (G : inject_Z (Zpos (Qden alpha) * snd ka - Qnum alpha * b) == d * (a * (1 - alpha * / r))).
    { unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp, !inject_Z_mult, <- Al, Eb. fold a d. ring. }
    set (z := (Zpos (Qden alpha) * snd ka - Qnum alpha * b)%Z) in *. set (v := 1 - alpha * / r) in *.
    destruct (Z.max_spec 0 z) as [[L ->]|[L ->]].
    - rewrite Zlt_Qlt, G in L. change (inject_Z 0) with 0 in L. rewrite G. assert (0 < v). { clearbody d a v. apply Qnot_le_lt. intro. assert (a * v <= 0) by nra. nra. }
      rewrite Q.max_r by lra. ring.
    - rewrite Zle_Qle, G in L. change (inject_Z 0) with 0 in *. destruct (Q.max_spec 0 v) as [[Lv ->]|[Lv ->]]; [|ring].
      assert (0 <= a * v) by nra. assert (d * (a * v) == 0) by nra. lra.
  Qed.
End Sum.

(** The scale is positive. *)
Lemma step_scale s p x : (0 < scale_of x)%Z -> (0 < scale_of (step s p x))%Z.
Proof. unfold step. cbn [scale_of]. lia. Qed.
Lemma summed_scale s ps : (0 < scale_of (summed s ps))%Z.
Proof.
  unfold summed. assert (G : forall x, (0 < scale_of x)%Z -> (0 < scale_of (fold_left (fun x pn => N.iter (snd pn) (step s (fst pn)) x) ps x))%Z); [|now apply G].
  induction ps as [|[p n] ps IH]; intros x X; [exact X|]. cbn [fold_left fst snd]. apply IH. rewrite N2Nat.inj_iter.
  induction (N.to_nat n) as [|k IHk]; [exact X|]. change (Nat.iter (S k) (step s p) x) with (step s p (Nat.iter k (step s p) x)). now apply step_scale.
Qed.

Lemma check_sum_sound basis s c alpha ps compare : check_sum basis s c alpha ps compare = true ->
  proper c /\ exists gain scale : Z, (0 < scale)%Z /\ compare gain scale = true /\ inject_Z gain == inject_Z scale * best alpha s (runs c) 1 1.
Proof.
  unfold check_sum, sums_to. cbv zeta. intro H. apply andb_prop in H as [H0 H]. apply andb_prop in H as [Ex H]. apply andb_prop in H0 as [H0 Hp]. apply andb_prop in H0 as [Hb Ha].
  assert (A : 0 <= alpha) by (apply Z.leb_le in Ha; unfold Qle; cbn; lia). split.
  - intros m n I u. now apply (proj2 (runs_fair basis s c ps Hp) m n I).
  - eexists _, _. split; [|split; [exact H|]]; [assert (K := summed_scale s ps); lia|]. apply (gained_spec basis s alpha Hb); try assumption.
    apply (stands_all basis s alpha Hb A _ c ps start Hp). unfold stands, worth, start. cbn [scale_of at_keys sure map fst snd]. rewrite sum_cons, sum_nil.
    change (inject_Z 1) with 1. change (inject_Z 0) with 0. rewrite (best_ext alpha s (runs c) 1 (/ ratio basis []) 1 1); [ring|reflexivity|destruct basis; reflexivity].
Qed.

(** A gain of v in units of the scale, compared with delta. *)
Lemma over_scale (gain scale : Z) v delta : (0 < scale)%Z -> inject_Z gain == inject_Z scale * v ->
  ((gain * Zpos (Qden delta) <=? Qnum delta * scale)%Z = true -> v <= delta) /\
  ((Qnum delta * scale <=? gain * Zpos (Qden delta))%Z = true -> delta <= v).
Proof.
  intros K E. rewrite Zlt_Qlt in K. change (inject_Z 0) with 0 in K. assert (U : 0 < inject_Z (Zpos (Qden delta))) by reflexivity.
  assert (D : inject_Z (Qnum delta) == delta * inject_Z (Zpos (Qden delta))) by (destruct delta as [n d]; unfold Qeq; cbn [Qmult inject_Z Qnum Qden]; lia).
  split; intro C; apply Z.leb_le in C; rewrite Zle_Qle, !inject_Z_mult, E, D in C; set (d := inject_Z (Zpos (Qden delta))) in *; set (k := inject_Z scale) in *; clearbody d k;
    apply Qnot_lt_le; intro L; assert (P : 0 < k * d) by nra.
  - assert (0 < k * d * (v - delta)) by nra. lra.
  - assert (0 < k * d * (delta - v)) by nra. lra.
Qed.
(** Events gain no more than [best], and some event gains it. *)
Lemma at_most_best c alpha delta s : best alpha s (runs c) 1 1 <= delta -> gain_at_most c alpha delta s.
Proof. intros H F. assert (B := best_bounds alpha s (runs c) 1 1 F). lra. Qed.
Lemma at_least_best c alpha delta s : delta <= best alpha s (runs c) 1 1 -> gain_at_least c alpha delta s.
Proof. intro H. exists (best_event alpha s (runs c) 1 1). assert (B := best_attained alpha s (runs c) 1 1). lra. Qed.

Theorem gain_at_most_sound basis s c alpha delta ps : check_gain_at_most basis s c alpha delta ps = true -> proper c /\ gain_at_most c alpha delta s.
Proof.
  intro H. apply check_sum_sound in H as [P (g & k & K & C & E)]. split; [exact P|]. apply at_most_best. now apply (over_scale g k _ delta K E).
Qed.
Theorem gain_at_least_sound basis s c alpha delta ps : check_gain_at_least basis s c alpha delta ps = true -> proper c /\ gain_at_least c alpha delta s.
Proof.
  intro H. apply check_sum_sound in H as [P (g & k & K & C & E)]. split; [exact P|]. apply at_least_best. now apply (over_scale g k _ delta K E).
Qed.

(** ** What an [Answer.v] about a composition applies *)
From Prover Require Import Decode.
Definition law_read : reader prepared :=
  read d from count; read os from many (read a from number; read b from number; read k from many number; give (a, b, k)); give {| unit_of := d; outcomes := os |}.
Definition products_of : list text -> list Q * list (prepared * N) :=
  decoded (read b from many fraction;
           read l from many (read p from law_read; read n from state; give (p, n));
           give (b, l)).

(** Nothing gains more than [delta], in either direction. *)
Theorem composition_upper c alpha delta l :
  (let (b, ps) := products_of l in check_gain_at_most b First c alpha delta ps && check_gain_at_most b Second c alpha delta ps) = true ->
  proper c /\ forall s, gain_at_most c alpha delta s.
Proof.
  destruct (products_of l) as [b ps]. intro H. apply andb_prop in H as [H1 H2].
  split; [now apply gain_at_most_sound in H1|]. intros []; [now apply gain_at_most_sound in H1|now apply gain_at_most_sound in H2].
Qed.

(** Some event gains [delta] from the secret s to the other one. *)
Theorem composition_lower c alpha delta s l :
  (let (b, ps) := products_of l in check_gain_at_least b s c alpha delta ps) = true -> proper c /\ gain_at_least c alpha delta s.
Proof. destruct (products_of l) as [b ps]. apply gain_at_least_sound. Qed.
