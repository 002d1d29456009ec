(** * Quotients: states of one class are seen alike *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows.
Import ListNotations.
Open Scope Q_scope.

(** State s of the chain c stands in the class [nth s place] of the chain b. *)
Definition class (place : list N) (s : N) : N := nth (N.to_nat s) place 0%N.

Definition moved (place : list N) (l : list (positive * Z)) : list (positive * Z) :=
  map (fun kz => (key (class place (unkey (fst kz))), snd kz)) l.

(** A state and its class have equal labels, and go to each class with equal probability: their rows, over the product of
    their denominators, differ by a tree of zeros. *)
Definition check_class (place : list N) (m m' : PM.t prow) (s : N) : bool :=
  match PM.find (key s) m, PM.find (key (class place s)) m' with
  | Some x, Some y => (lab x =? lab y)%N
      && zeros (addl (Zpos (den y)) (moved place (nums x)) (addl (- Zpos (den x)) (nums y) Leaf))
  | _, _ => false
  end.
Definition check_quotient (c b : chain) (place : list N) : bool :=
  let m := prepare c in let m' := prepare b in check_model c && check_model b && forallb (check_class place m m') (states c).

Lemma ev_moved place f l : ev f (moved place l) == ev (fun k => f (key (class place (unkey k)))) l.
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
    rewrite forallb_forall in F. specialize (F _ Hs). unfold check_class in F.
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
