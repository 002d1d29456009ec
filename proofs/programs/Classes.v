(** * Classes of runs that look alike and together are one run

    Some runs make their steps with the same noise and look alike, and samples take one of them exactly where they take one other list of
    transitions, the united run. Then the probabilities of the runs add up to that of the united run, and shifts that the united run can afford
    bound the loss of all of them together. *)
From Coq Require Import List Permutation NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Observer Shifts Order Convex Noise Loss.
Import ListNotations.
Open Scope Q_scope.

(** ** Samples that take a run *)
Fixpoint takes {X} (le : X -> X -> Prop) (s : N -> X) (r : list transition) (z : list X) : Prop :=
  match r, z with
  | [], [] => True
  | t :: r, x :: z => (forall c, In c (guard t) -> meets X le x (s (snd c)) (fst c)) /\ takes le (updated X t s x) r z
  | _, _ => False
  end.
Definition decidable {X} (le : X -> X -> Prop) : Type := forall x y, {le x y} + {~ le x y}.
Definition never (r : list transition) : Prop := forall X (le : X -> X -> Prop), linear le -> decidable le -> forall s z, ~ takes le s r z.
Lemma takes_possible {X} (le : X -> X -> Prop) r : forall s z, takes le s r z -> possible X le s r.
Proof. induction r as [|t r IH]; intros s [|x z] T; cbn in *; try tauto. destruct T as [G T]. exists x. split; [exact G|]. now apply (IH _ z). Qed.
Lemma impossible_never r : impossible [] r -> never r.
Proof. intros Im X le L _ s z T. apply (Im X le L s); [intros a b []|exact (takes_possible le r s z T)]. Qed.

(** Where samples take the united run they take exactly one of the runs, and elsewhere none. *)
Definition one_of (l : list (list transition)) (whole : list transition) : Prop :=
  forall X (le : X -> X -> Prop), linear le -> decidable le -> forall s z,
    (takes le s whole z -> exists l1 r l2, l = l1 ++ r :: l2 /\ takes le s r z /\ forall r', In r' (l1 ++ l2) -> ~ takes le s r' z) /\
    (forall r, In r l -> takes le s r z -> takes le s whole z).

(** ** Noise, and what is seen *)
Definition quiet (d : state) : state :=
  {| reads := reads d; rate_left := rate_left d; rate_right := rate_right d; mean := mean d; second := second d; ways := [] |}.
Fixpoint noises (p : program) (u : N) (r : list transition) : list state :=
  match r with [] => [] | t :: r => quiet (at_state p u) :: noises p (target t) r end.
Definition looks_like (t t' : transition) : Prop := letter t = letter t' /\ shows t = shows t' /\ forall v, ~ In (Gap v) (shows t).

(** The united run makes its steps from a state of a program, perhaps another one. *)
Record class := { members : list (list transition); common : program; entry : N; united : list transition }.
Definition good (p : program) (start : N) (a : adjacency) (v : Z) (c : class) : Prop :=
  proper (common c) /\
  (forall u, reads (at_state (common c) u) <> 0%Z -> exists u', reads (at_state p u') = reads (at_state (common c) u)) /\
  (forall r, In r (members c) -> noises p start r = noises (common c) (entry c) (united c) /\ Forall2 looks_like r (united c)) /\
  one_of (members c) (united c) /\
  forall ins ins', adjacent a (common c) ins ins' ->
    affordable (common c) (fun u i => ins' u i - ins u i)%Z 0 (entry c) (fun _ => 0%Z) (united c) v.
(** For any number of steps the runs that samples can take are those of such classes. *)
Definition gathered (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall n, exists rest cs, Permutation (runs p n start) (rest ++ flat_map members cs) /\ Forall never rest /\ Forall (good p start a v) cs.

(** ** Inputs by steps, and by how many were read before: the input of number i is read at this step of the run *)
Fixpoint step_of (p : program) (u : N) (r : list transition) (i : nat) : nat :=
  match r with
  | [] => i
  | t :: r => if (reads (at_state p u) =? 0)%Z then S (step_of p (target t) r i)
              else match i with O => O | S i => S (step_of p (target t) r i) end
  end.
Lemma step_of_one p r : forall u k, exists i0, forall i, i <> i0 -> step_of p u r i <> k.
Proof.
  induction r as [|t r IH]; intros u k; cbn [step_of]; [now exists k|]. destruct (reads _ =? 0)%Z.
  - destruct k as [|k]; [now exists 0%nat|]. destruct (IH (target t) k) as [i0 H]. exists i0. intros i N. specialize (H i N). lia.
  - destruct k as [|k]; [exists 0%nat; intros [|i] N; [now destruct N|lia]|]. destruct (IH (target t) k) as [i0 H]. exists (S i0).
    intros [|i] N; [lia|]. specialize (H i ltac:(lia)). lia.
Qed.

(** ** Sums over the samples of a run *)
Fixpoint with_inputs (ins : nat -> Z) (j : nat) (l : list state) : list (state * Z) :=
  match l with [] => [] | d :: l => (d, here d (ins j)) :: with_inputs ins (S j) l end.
Fixpoint by_count (p : program) (ins : inputs) (i : nat) (u : N) (r : list transition) : list (state * Z) :=
  match r with
  | [] => []
  | t :: r => let d := at_state p u in (quiet d, here d (ins u i)) :: by_count p ins (after d i) (target t) r
  end.
Lemma by_count_steps p ins I r : forall i j u,
  (forall v k, reads (at_state p v) <> 0%Z -> (i <= k)%nat -> I v k = ins (j + step_of p u r (k - i))%nat) ->
  by_count p I i u r = with_inputs ins j (noises p u r).
Proof.
  induction r as [|t r IH]; intros i j u H; cbn [by_count noises with_inputs]; [easy|]. cbv zeta. cbn [step_of] in H. f_equal.
  - f_equal. unfold here. cbn [quiet reads]. destruct (Z.eqb_spec (reads (at_state p u)) 0) as [|N]; [easy|]. rewrite (H u i N) by lia.
    rewrite Nat.sub_diag. f_equal. lia.
  - apply IH. intros v k N L. unfold after in L. destruct (Z.eqb_spec (reads (at_state p u)) 0) as [E|E].
    + rewrite (H v k N L). unfold after. destruct (Z.eqb_spec (reads (at_state p u)) 0); [|contradiction]. f_equal. lia.
    + rewrite (H v k N) by lia. unfold after. destruct (Z.eqb_spec (reads (at_state p u)) 0); [contradiction|].
      destruct (k - i)%nat as [|m] eqn:Em; [lia|]. replace (k - S i)%nat with m by lia. f_equal. lia.
Qed.

Section Sums.
  Variables (q : Q) (M : nat).
  Fixpoint drawn_all (l : list (state * Z)) (F : list (Q * Q) -> Q) : Q :=
    match l with [] => F [] | (d, k) :: l => sampled q d M k (fun x y => drawn_all l (fun z => F ((x, y) :: z))) end.
  Lemma drawn_all_ext l : forall F G, (forall z, F z == G z) -> drawn_all l F == drawn_all l G.
  Proof. induction l as [|[d k] l IH]; intros F G H; cbn [drawn_all]; [apply H|]. apply sampled_ext. intros x y. apply IH. intro z. apply H. Qed.
  Lemma drawn_all_over {X} (rs : list X) l : forall F, drawn_all l (fun z => over rs (fun r => F r z)) == over rs (fun r => drawn_all l (F r)).
  Proof.
    induction l as [|[d k] l IH]; intro F; cbn [drawn_all]; [easy|]. rewrite <- sampled_over. apply sampled_ext. intros x y.
    apply (IH (fun r z => F r ((x, y) :: z))).
  Qed.
  Lemma drawn_all_zero l : drawn_all l (fun _ => 0) == 0.
  Proof. assert (H := drawn_all_over (@nil unit) l (fun _ _ => 0)). rewrite over_nil in H. rewrite <- H. now apply drawn_all_ext. Qed.
End Sums.

(** The samples of a run, and what is seen of it. *)
Fixpoint taken (s : N -> Q) (r : list transition) (z : list (Q * Q)) : bool :=
  match r, z with
  | [], [] => true
  | t :: r, (x, _) :: z => forallb (passes s x) (guard t) && taken (stored t s x) r z
  | _, _ => false
  end.
Fixpoint looks (s : N -> Q) (r : list transition) (z : list (Q * Q)) : list look :=
  match r, z with t :: r, (x, y) :: z => (letter t, numbers t s x y) :: looks (stored t s x) r z | _, _ => [] end.
Definition weight (s : N -> Q) (A : watched) (r : list transition) (z : list (Q * Q)) : Q :=
  if taken s r z then if A (looks s r z) then 1 else 0 else 0.

Lemma passes_meets s x c : passes s x c = true <-> meets Q Qle x (s (snd c)) (fst c).
Proof.
  unfold passes, meets. destruct (fst c); rewrite ?negb_true_iff, <- ?not_true_iff_false, ?Qle_bool_iff, ?Qeq_bool_iff; try tauto.
  split; [intros ->; split; apply Qle_refl|intros [A B]; now apply Qle_antisym].
Qed.
Lemma taken_takes r : forall s z, taken s r z = true <-> takes Qle s r (map fst z).
Proof.
  induction r as [|t r IH]; intros s [|[x y] z]; cbn [taken takes map fst]; try easy. rewrite andb_true_iff, forallb_forall, IH.
  split; intros [G T]; (split; [|exact T]); intros c I; apply passes_meets, G, I.
Qed.
Lemma looks_alike r r' : Forall2 looks_like r r' -> forall s s' z, looks s r z = looks s' r' z.
Proof.
  induction 1 as [|t t' r r' (L & Sh & G) F IH]; intros s s' [|[x y] z]; cbn [looks]; try easy. rewrite L, (IH _ (stored t' s' x)).
  f_equal. f_equal. unfold numbers. rewrite <- Sh. apply map_ext_in. intros o I. destruct o as [| |v]; [easy|easy|]. now destruct (G v).
Qed.

Lemma seen_runs q p ins M n : forall j u s A,
  seen q p ins M n j u s A == over (runs p n u) (fun r => drawn_all q M (with_inputs ins j (noises p u r)) (weight s A r)).
Proof.
  induction n as [|n IH]; intros j u s A; cbn [seen runs].
  - rewrite over_cons, over_nil. cbn. ring.
  - cbv zeta. rewrite sampled_over, over_flat_map. apply over_ext. intros t _. rewrite over_map. cbn [noises with_inputs drawn_all].
    change (sampled q (quiet (at_state p u)) M) with (sampled q (at_state p u) M).
    rewrite <- sampled_over. unfold here. cbn [quiet reads]. apply sampled_ext. intros x y. destruct (forallb _ _) eqn:G.
    + rewrite IH. apply over_ext. intros r _. apply drawn_all_ext. intro z. unfold weight. cbn [taken looks]. now rewrite G.
    + rewrite (over_ext _ _ (fun _ => 0 * 0)).
      * rewrite (over_scale _ (fun _ => 0)). ring.
      * intros r _. rewrite (drawn_all_ext _ _ _ _ (fun _ => 0)); [rewrite drawn_all_zero; ring|]. intro z. unfold weight. cbn [taken]. now rewrite G.
Qed.
Lemma mass_drawn q p ins M r : forall i u s A,
  mass q p ins M i u s r (fun w => A (map (fun tn => (letter (fst tn), snd tn)) w)) == drawn_all q M (by_count p ins i u r) (weight s A r).
Proof.
  induction r as [|t r IH]; intros i u s A; cbn [mass by_count drawn_all]; [easy|]. cbv zeta.
  change (sampled q (quiet (at_state p u)) M) with (sampled q (at_state p u) M). apply sampled_ext. intros x y. destruct (forallb _ _) eqn:G.
  - cbn [map fst snd]. rewrite (IH _ _ _ (fun w => A ((letter t, numbers t s x y) :: w))). apply drawn_all_ext. intro z. unfold weight.
    cbn [taken looks]. now rewrite G.
  - rewrite (drawn_all_ext _ _ _ _ (fun _ => 0)); [now rewrite drawn_all_zero|]. intro z. unfold weight. cbn [taken]. now rewrite G.
Qed.

Lemma over_permuted {X} (l l' : list X) f : Permutation l l' -> over l f == over l' f.
Proof. induction 1; rewrite ?over_cons; try lra. Qed.
Lemma Qle_decidable : decidable Qle.
Proof. intros x y. destruct (Qlt_le_dec y x) as [L|L]; [right; now apply Qlt_not_le|now left]. Qed.

(** The runs of a class weigh as much as the united run. *)
Lemma weight_united l whole s A z : one_of l whole -> (forall r, In r l -> Forall2 looks_like r whole) ->
  over l (fun r => weight s A r z) == weight s A whole z.
Proof.
  intros One Look. destruct (One Q Qle rational_order Qle_decidable s (map fst z)) as [Some_ None_].
  assert (Z0 : forall l', (forall r, In r l' -> ~ takes Qle s r (map fst z)) -> over l' (fun r => weight s A r z) == 0).
  { intros l' H. rewrite (over_ext _ _ (fun _ => 0 * 0)); [rewrite (over_scale _ (fun _ => 0)); ring|]. intros r I. unfold weight.
    destruct (taken s r z) eqn:T; [|easy]. apply taken_takes in T. now destruct (H r I). }
  unfold weight at 2. destruct (taken s whole z) eqn:T.
  - apply taken_takes in T. destruct (Some_ T) as (l1 & r & l2 & -> & Tr & Others). rewrite over_app, over_cons.
    rewrite (Z0 l1) by (intros r' I; apply Others, in_or_app; now left). rewrite (Z0 l2) by (intros r' I; apply Others, in_or_app; now right).
    unfold weight. apply taken_takes in Tr. rewrite Tr, (looks_alike r whole (Look r ltac:(apply in_or_app; right; now left)) s s z). ring.
  - apply Z0. intros r I Tr. apply (None_ r I), taken_takes in Tr. congruence.
Qed.

(** ** Neighbouring inputs *)
Definition of_steps (p : program) (u : N) (r : list transition) (ins : nat -> Z) : inputs :=
  fun v i => if (reads (at_state p v) =? 0)%Z then 0%Z else ins (step_of p u r i).
Lemma neighbours_adjacent a p p' u r ins ins' :
  (forall v, reads (at_state p' v) <> 0%Z -> exists v', reads (at_state p v') = reads (at_state p' v)) ->
  (forall v, (0 <= reads (at_state p' v))%Z) ->
  neighbours a p ins ins' -> adjacent a p' (of_steps p' u r ins) (of_steps p' u r ins').
Proof.
  intros R R0 [B A]. unfold of_steps. split.
  - intros v i. destruct (Z.eqb_spec (reads (at_state p' v)) 0) as [E|N]; [now rewrite E|]. destruct (R v N) as [v' E]. rewrite <- E.
    apply B. now rewrite E.
  - assert (Rise : forall f g, rising f g -> increasing (of_steps p' u r f) (of_steps p' u r g)).
    { intros f g H v i. unfold of_steps. destruct (_ =? 0)%Z; [lia|apply H]. }
    destruct a; [exact I| |now apply Rise|now apply Rise|destruct A as [A|A]; [left|right]; now apply Rise].
    destruct A as [k A]. destruct (step_of_one p' r u k) as [i0 H]. exists i0. intros v i N. destruct (_ =? 0)%Z; [easy|]. now apply A, H.
Qed.

(** ** The theorem *)
Section Loss.
  Variable q : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Variables (p : program) (start : N) (a : adjacency) (v : Z) (ins ins' : nat -> Z).
  Hypothesis Near : neighbours a p ins ins'.
  Definition of_run (f : nat -> Z) (M : nat) (A : watched) (r : list transition) : Q :=
    drawn_all q M (with_inputs f 0 (noises p start r)) (weight (fun _ => 0) A r).

  Lemma class_mass c f M A : good p start a v c -> over (members c) (of_run f M A) ==
    mass q (common c) (of_steps (common c) (entry c) (united c) f) M 0 (entry c) (fun _ => 0) (united c)
      (fun w => A (map (fun tn => (letter (fst tn), snd tn)) w)).
  Proof.
    intros (P & R & Al & One & Af). rewrite mass_drawn, (by_count_steps _ f _ _ 0 0).
    - rewrite (over_ext _ _ (fun r => drawn_all q M (with_inputs f 0 (noises (common c) (entry c) (united c))) (weight (fun _ => 0) A r))).
      + rewrite <- drawn_all_over. apply drawn_all_ext. intro z. apply weight_united; [exact One|]. intros r I. now apply Al.
      + intros r I. unfold of_run. now rewrite (proj1 (Al r I)).
    - intros u k N _. unfold of_steps. destruct (Z.eqb_spec (reads (at_state (common c) u)) 0); [contradiction|]. f_equal. cbn. f_equal. lia.
  Qed.
  Lemma class_shift c M : good p start a v c -> exists M0, forall M', (M0 <= M')%nat -> forall A,
    q ^ v * over (members c) (of_run ins M A) <= over (members c) (of_run ins' M' A).
  Proof.
    intro G. assert (G' := G). destruct G' as (P & R & Al & One & Af).
    assert (Adj := neighbours_adjacent a p (common c) (entry c) (united c) ins ins' R (fun u => proj1 (P u)) Near).
    destruct (mass_shift q q0 q1 (common c) P _ _ _ _ _ _ _ (Af _ _ Adj) M) as (M0 & H). exists M0. intros M' L A.
    rewrite !(class_mass c) by exact G. apply H; [exact L|]. intro w. change (inject_Z 0) with 0. ring.
  Qed.
  Lemma classes_shift cs M : Forall (good p start a v) cs -> exists M0, forall M', (M0 <= M')%nat -> forall A,
    q ^ v * over (flat_map members cs) (of_run ins M A) <= over (flat_map members cs) (of_run ins' M' A).
  Proof.
    induction 1 as [|c cs G _ (M1 & H1)]; [exists 0%nat; intros; cbn [flat_map]; rewrite !over_nil; lra|].
    destruct (class_shift c M G) as (M2 & H2). exists (Nat.max M1 M2). intros M' L A. cbn [flat_map]. rewrite !over_app.
    specialize (H1 M' ltac:(lia) A). specialize (H2 M' ltac:(lia) A). lra.
  Qed.
  Lemma never_none rest f M A : Forall never rest -> over rest (of_run f M A) == 0.
  Proof.
    induction 1 as [|r rest Im _ IH]; [easy|]. rewrite over_cons, IH. unfold of_run.
    rewrite (drawn_all_ext _ _ _ _ (fun _ => 0)); [rewrite drawn_all_zero; ring|].
    intro z. unfold weight. destruct (taken _ r z) eqn:T; [|easy]. apply taken_takes in T. now destruct (Im Q Qle rational_order Qle_decidable _ _ T).
  Qed.
End Loss.

Theorem gathered_loss p start a v : gathered p start a v -> seen_loss_at_most p start a v.
Proof.
  intros H q q0 q1 ins ins' Near n A M. destruct (H n) as (rest & cs & Pe & Im & G).
  destruct (classes_shift q q0 q1 p start a v ins ins' Near cs M G) as (M' & L). exists M'. specialize (L M' (le_n _) A).
  assert (S : forall f N, seen q p f N n 0 start (fun _ => 0) A == over (flat_map members cs) (of_run q p start f N A)).
  { intros f N. rewrite seen_runs. change (over (runs p n start) (of_run q p start f N A) == over (flat_map members cs) (of_run q p start f N A)).
    rewrite (over_permuted _ _ _ Pe), over_app, never_none by exact Im. ring. }
  rewrite !S. assert (P := power_pos q q0 v). rewrite Qpower_opp. setoid_rewrite Qmult_comm. apply Qle_shift_div_l; [exact P|]. lra.
Qed.
