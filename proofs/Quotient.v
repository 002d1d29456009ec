(** * Quotients: states of one class are seen alike *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows.
Import ListNotations.
Open Scope Q_scope.

(** State s of the chain c stands in the class [nth s place] of the chain b. *)
Definition class (place : list N) (s : N) : N := nth (N.to_nat s) place 0%N.

(** The same by a map, which is faster. *)
Definition placed (p : PM.t N) (s : N) : N := match PM.find (key s) p with Some x => x | None => 0%N end.
Definition map_of (place : list N) : PM.t N := index 1 place (PM.empty _).
Lemma placed_class place s : placed (map_of place) s = class place s.
Proof.
  unfold placed, class, map_of. destruct (nth_error place (N.to_nat s)) as [x|] eqn:E.
  - assert (F := index_complete place 1 (PM.empty _) _ _ E). replace (Pos.of_nat (Pos.to_nat 1 + N.to_nat s)) with (key s) in F by (unfold key; lia).
    rewrite F. symmetry. now apply nth_error_nth.
  - rewrite nth_overflow by now apply nth_error_None. destruct (PM.find _ _) as [x|] eqn:F; [|reflexivity].
    apply index_spec in F as [(n & K & F)|F]; [|now rewrite PM.gempty in F]. replace n with (N.to_nat s) in F by (unfold key in K; lia). congruence.
Qed.
(** The states, counted. *)
Fixpoint counted (s : N) (c : chain) : list N := match c with [] => [] | _ :: c => s :: counted (N.succ s) c end.
Lemma counted_states c : counted 0 c = states c.
Proof.
  unfold states. change 0%N with (N.of_nat 0). generalize 0%nat. induction c as [|x c IH]; intro n; [reflexivity|].
  cbn [counted length seq map]. now rewrite <- Nat2N.inj_succ, IH.
Qed.

Definition moved (cl : N -> N) (l : list (positive * Z)) : list (positive * Z) :=
  map (fun kz => (key (cl (unkey (fst kz))), snd kz)) l.

(** A state and its class have equal labels, and go to each class with equal probability: their rows, over the product of
    their denominators, differ by a tree of zeros. *)
Definition check_class (cl : N -> N) (m m' : PM.t prow) (s : N) : bool :=
  match PM.find (key s) m, PM.find (key (cl s)) m' with
  | Some x, Some y => (lab x =? lab y)%N
      && zeros (addl (Zpos (den y)) (moved cl (nums x)) (addl (- Zpos (den x)) (nums y) Leaf))
  | _, _ => false
  end.
Definition check_quotient (c b : chain) (place : list N) : bool :=
  let m := prepare c in let m' := prepare b in let p := map_of place in
  check_model c && check_model b && forallb (check_class (placed p) m m') (counted 0 c).

Lemma check_class_ext f g m m' s : (forall k, f k = g k) -> check_class f m m' s = check_class g m m' s.
Proof.
  intro E. unfold check_class, moved. rewrite (E s). destruct (PM.find (key s) m) as [x|]; [|reflexivity]. now erewrite map_ext by (intro; now rewrite E).
Qed.
Lemma ev_moved place f l : ev f (moved (class place) l) == ev (fun k => f (key (class place (unkey k)))) l.
Proof. induction l as [|[k z] l IH]; [reflexivity|]. unfold ev in *. cbn [moved map fold_right fst snd]. now rewrite <- IH. Qed.

Lemma ev_ext f g l : (forall k, f k == g k) -> ev f l == ev g l.
Proof. intro H. induction l as [|[k z] l IH]; [reflexivity|]. unfold ev in *. cbn [fold_right fst snd]. now rewrite IH, H. Qed.

Section Quotient.
  Variables (c b : chain) (place : list N).
  Hypothesis H : check_quotient c b place = true.

  Lemma quotient_models : check_model c = true /\ check_model b = true.
  Proof. unfold check_quotient in H. apply andb_prop in H as [A _]. now apply andb_prop in A. Qed.

  Lemma class_ok s : In s (states c) -> label c s = label b (class place s) /\
    forall f, mean c s (fun k => f (class place k)) == mean b (class place s) f.
  Proof.
    intro Hs. unfold check_quotient in H. apply andb_prop in H as [M F]. apply andb_prop in M as [Mc Mb].
    rewrite counted_states, forallb_forall in F. specialize (F _ Hs). rewrite (check_class_ext _ (class place)) in F by apply placed_class. unfold check_class in F.
    destruct (PM.find (key s) (prepare c)) as [x|] eqn:Ex; [|discriminate].
    destruct (PM.find (key (class place s)) (prepare b)) as [y|] eqn:Ey; [|discriminate].
    apply in_prepare in Ex as (x' & Ix & -> & _ & Nx), Ey as (y' & Iy & -> & _ & Ny).
    rewrite unkey_key in Nx, Ny. apply andb_prop in F as [L Z]. apply N.eqb_eq in L. split.
    - unfold label. now rewrite Nx, Ny.
    - intro f. unfold mean, next. rewrite Nx, Ny.
      unfold check_model in Mc, Mb. rewrite forallb_forall in Mc, Mb.
      destruct (prep_spec _ _ (fun k => f (class place k)) (Mc _ Ix)) as [Px _], (prep_spec _ _ f (Mb _ Iy)) as [Py _].
      assert (E := evt_zeros _ Z (fun k => f (unkey k))). rewrite !evt_addl, ev_moved in E. cbn [evt] in E.
      rewrite (ev_ext _ (fun k => f (class place (unkey k)))) in E by (intro; now rewrite unkey_key).
      rewrite <- Px, <- Py, inject_Z_opp in E.
      assert (Dx := inject_pos (den (prep x'))). assert (Dy := inject_pos (den (prep y'))).
      cbv beta in *. set (X := sum (map _ (snd x'))) in *. set (Y := sum (map _ (snd y'))) in *. set (dx := inject_Z (Zpos (den (prep x')))) in *. set (dy := inject_Z (Zpos (den (prep y')))) in *.
      clearbody X Y dx dy.
      assert (Z0 : dx * dy * (X - Y) == 0) by (transitivity (dy * (dx * X) + (- dx * (dy * Y) + 0)); [ring|exact E]). assert (N : ~ dx * dy == 0) by nra.
      destruct (Qmult_integral _ _ Z0); [contradiction|lra].
  Qed.

  (** A state and its class give equal probability to every event. *)
  Theorem quotient_prob n : forall s E, In s (states c) -> prob c n s E == prob b n (class place s) E.
  Proof.
    induction n as [|n IH]; intros s E Hs; cbn [prob]; [reflexivity|].
    destruct (class_ok s Hs) as [L F]. rewrite <- L.
    change (sum (map (fun kp => snd kp * prob b n (fst kp) (fun w => E (label c s :: w))) (next b (class place s))))
      with (mean b (class place s) (fun k => prob b n k (fun w => E (label c s :: w)))).
    rewrite <- F. unfold mean. apply sum_ext. intros [k p] Hk. cbn [fst snd]. rewrite IH; [reflexivity|].
    apply in_states. apply in_states in Hs. destruct (model_sound c (proj1 quotient_models) s Hs) as [_ M]. now apply (M k p).
  Qed.
End Quotient.
