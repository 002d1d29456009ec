(** * What runs of a chain show: the laws of likelihood ratios

    A graph of nodes, which stand for two vectors as in [Unrolling.v], follows the runs from two states to ends, where later labels tell the two
    secrets no better apart. How often runs come to each node is enough evidence: it has to obey one equation for each node. For every convex and
    homogeneous function of two probabilities, its sum over the words of n labels is at most its sum over the ends, and comes as close to it as
    required. *)
From Coq Require Import List NArith ZArith QArith Qminmax Qround Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Quotient Unrolling Delta Laws Trials.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** Nodes; the one in which runs begin; and the visits, in multiples of 1 / [runs_of]: of inner nodes divided by [whole], and of ends, those of one ratio
    together. *)
Record graph := { spots : list (positive * node); origin : positive; runs_of : positive; walks : list (positive * Z); arrivals : list (list (positive * Z)) }.

Definition weight (q : node) : Z := (mass (xs q) + mass (ys q))%Z.
Definition known (labels : list N) (a : N) : bool := existsb (N.eqb a) labels.

Section Check.
  Variables (m : PM.t prow) (labels : list N) (ns : PM.t node).

  Definition check_spot (q : node) : bool :=
    forallb (fun kz => match PM.find (fst kz) m with Some r => (lab r =? seen q)%N | None => false end) (xs q ++ ys q)
    && nonneg (xs q) && nonneg (ys q) && known labels (seen q)
    && match sort q with
       | Stop _ _ => (0 <? weight q)%Z && zeros (addl (mass (ys q)) (xs q) (addl (- mass (xs q)) (ys q) Leaf))
       | Inner s _ => check_steps m ns q s
       | Balanced s => (0 <? weight q)%Z && check_steps m ns q s
           && forallb (fun p => match p with
                                | Some p => balanced p && (mass (ys q) * mass (xs p) =? mass (xs q) * mass (ys p))%Z
                                | None => false
                                end) (targets ns s)
       end.

  Definition check_walk (ku : positive * Z) : bool :=
    (0 <=? snd ku)%Z && match PM.find (fst ku) ns with Some q => match sort q with Inner _ _ => true | _ => false end | None => false end.
  Definition walked (t : tree) (ku : positive * Z) : tree :=
    match PM.find (fst ku) ns with
    | Some q => match sort q with Inner s _ => acc (fst ku) (snd ku * Zpos (whole s)) (addl (- snd ku) (entries s) t) | _ => t end
    | None => t
    end.

  Definition of_end (f : node -> Z) (kv : positive * Z) : Z := match PM.find (fst kv) ns with Some q => (snd kv * f q)%Z | None => 0%Z end.
  Definition arrived (f : node -> Z) (l : list (positive * Z)) : Z := fold_right (fun kv a => (of_end f kv + a)%Z) 0%Z l.
  Definition check_arrival (l : list (positive * Z)) : bool :=
    let p := arrived (fun q => mass (xs q)) l in let r := arrived (fun q => mass (ys q)) l in
    (0 <? p + r)%Z
    && forallb (fun kv => (0 <=? snd kv)%Z && match PM.find (fst kv) ns with
                                              | Some q => match sort q with Inner _ _ => false | _ => true end && (mass (xs q) * r =? mass (ys q) * p)%Z
                                              | None => false
                                              end) l.
End Check.

Definition check_graph (m : PM.t prow) (labels : list N) (G : graph) (s t : N) : bool :=
  let ns := of_list (spots G) in
  forallb (fun kq => check_spot m labels ns (snd kq)) (spots G)
  && match PM.find (origin G) ns with Some q => is_root q s t | None => false end
  && forallb (check_walk ns) (walks G) && forallb (check_arrival ns) (arrivals G)
  && zeros (fold_left (walked ns) (walks G) (fold_left (fun t l => addl 1 l t) (arrivals G) (acc (origin G) (- Zpos (runs_of G)) Leaf))).

(** The law: how much probability of either secret comes to the ends of each ratio. *)
Definition law_of (G : graph) : mechanism :=
  let ns := of_list (spots G) in
  map (fun l => (arrived ns (fun q => mass (xs q)) l # runs_of G, arrived ns (fun q => mass (ys q)) l # runs_of G)) (arrivals G).

(** ** Convex functions *)
Record convex (g : Q -> Q -> Q) : Prop := {
  same_values : forall x y x' y', x == x' -> y == y' -> g x y == g x' y';
  scales : forall a x y, 0 <= a -> g (a * x) (a * y) == a * g x y;
  splits : forall x y x' y', g (x + x') (y + y') <= g x y + g x' y' }.
Definition within (K : Q) (g : Q -> Q -> Q) : Prop := forall x y, 0 <= x -> 0 <= y -> 0 <= g x y /\ g x y <= K * (x + y).

Definition msum (g : Q -> Q -> Q) (M : mechanism) : Q := sum (map (fun pq => g (fst pq) (snd pq)) M).
Definition below (M M' : mechanism) : Prop := forall g, convex g -> msum g M <= msum g M'.
Definition near (eta : Q) (M M' : mechanism) : Prop := forall g K, 0 <= K -> convex g -> within K g -> msum g M' <= msum g M + eta * K.

Lemma convex_0 g : convex g -> g 0 0 == 0.
Proof. intro H. assert (S := scales g H 0 0 0 (Qle_refl 0)). rewrite (same_values g H (0 * 0) (0 * 0) 0 0) in S by ring. rewrite S. ring. Qed.
(** Shares of one ratio. *)
Lemma convex_share g x y p r : convex g -> 0 <= x + y -> 0 < p + r -> x * r == y * p -> g x y == (x + y) / (p + r) * g p r.
Proof.
  intros H A P E. rewrite <- (scales g H) by (apply Qle_shift_div_l; lra). apply (same_values g H).
  - setoid_replace ((x + y) / (p + r) * p) with ((x * p + y * p) / (p + r)) by (field; lra). rewrite <- E. field. lra.
  - setoid_replace ((x + y) / (p + r) * r) with ((x * r + y * r) / (p + r)) by (field; lra). rewrite E. field. lra.
Qed.

(** ** Words *)
Lemma sum_app l l' : sum (l ++ l') == sum l + sum l'.
Proof. induction l as [|x l IH]; cbn [app]; rewrite ?sum_cons, ?sum_nil; [ring|]. rewrite IH. ring. Qed.
Lemma words_sum labels n (f : list N -> Q) : sum (map f (words labels (S n))) == sum (map (fun a => sum (map (fun w => f (a :: w)) (words labels n))) labels).
Proof.
  cbn [words]. set (l := words labels n). clearbody l. induction labels as [|a labels IH]; [reflexivity|]. cbn [flat_map map].
  rewrite map_app, sum_app, IH, sum_cons, map_map. reflexivity.
Qed.
Lemma is_cons a w l v : is (a :: w) (l :: v) = if (l =? a)%N then is w v else false.
Proof.
  unfold is. destruct (N.eqb_spec l a) as [->|D], (list_eq_dec N.eq_dec (a :: w) _) as [E|E], (list_eq_dec N.eq_dec w v) as [E'|E']; try reflexivity; congruence.
Qed.
Lemma known_in labels a : known labels a = true -> In a labels.
Proof. intro H. apply existsb_exists in H as (b & I & E). apply N.eqb_eq in E. now subst. Qed.

Section Chain.
  Variables (c : chain) (labels : list N).
  Hypothesis Mc : check_model c = true.
  Hypothesis ND : NoDup labels.
  Hypothesis Known : forall s, In s (states c) -> In (label c s) labels.

  Lemma prob_word n s a w : prob c (S n) s (is (a :: w)) == if (label c s =? a)%N then mean c s (fun k => prob c n k (is w)) else 0.
  Proof.
    cbn [prob]. unfold mean. destruct (label c s =? a)%N eqn:E.
    - apply sum_ext. intros kp _. rewrite (prob_ext c n _ _ (is w)); [reflexivity|]. intro v. now rewrite is_cons, E.
    - rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros kp _. rewrite (prob_ext c n _ _ (fun _ => false)); [rewrite prob_never; ring|].
      intro v. now rewrite is_cons, E.
  Qed.
  Lemma prob_words n : forall s, In s (states c) -> sum (map (fun w => prob c n s (is w)) (words labels n)) == 1.
  Proof.
    induction n as [|n IH]; intros s Hs; [cbn; ring|]. rewrite words_sum.
    rewrite (sum_ext labels _ (fun a => if (label c s =? a)%N then sum (map (fun w => mean c s (fun k => prob c n k (is w))) (words labels n)) else 0)).
    2: { intros a _. destruct (label c s =? a)%N eqn:E.
         - apply sum_ext. intros w _. now rewrite prob_word, E.
         - rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros w _. now rewrite prob_word, E. }
    rewrite (sum_at labels (label c s) (fun _ => sum (map (fun w => mean c s (fun k => prob c n k (is w))) (words labels n)))) by auto.
    unfold mean. rewrite (sum_swap (words labels n) (next c s) (fun w kp => snd kp * prob c n (fst kp) (is w))).
    assert (S := Hs). apply in_states in S. destruct (model_sound c Mc s S) as [T M]. rewrite <- T. apply sum_ext. intros [k p] I. cbn [fst snd].
    rewrite (sum_scale (words labels n) p (fun w => prob c n k (is w))), IH; [ring|]. apply in_states. now apply (M k p).
  Qed.

  Definition mu (n : nat) (x : vector) (w : list N) : Q := total c n x (is w).
  Lemma mu_pos n x w : nonneg x = true -> 0 <= mu n x w.
  Proof. intro H. apply ev_between; [exact H|]. intro k. apply (prob_bounds c Mc). Qed.
  Lemma ev_sum {A} (l : list A) (f : A -> positive -> Q) x : sum (map (fun a => ev (f a) x) l) == ev (fun k => sum (map (fun a => f a k) l)) x.
  Proof.
    induction l as [|a l IH]; cbn [map]; [rewrite sum_nil; symmetry; apply ev_zero|]. rewrite sum_cons, IH, <- ev_plus. apply ev_in. intros k z _. now rewrite sum_cons.
  Qed.
  Lemma mu_words n x : (forall i z, In (i, z) x -> In (unkey i) (states c)) -> sum (map (mu n x) (words labels n)) == inject_Z (mass x).
  Proof.
    intro H. unfold mu, total. rewrite (ev_sum (words labels n) (fun w i => prob c n (unkey i) (is w))), <- ev_one. apply ev_in.
    intros i z I. apply prob_words. now apply (H i z).
  Qed.

  Variable ns : PM.t node.
  Hypothesis Hn : forall k q, PM.find k ns = Some q -> check_spot (prepare c) labels ns q = true.

  Lemma spot_parts k q : PM.find k ns = Some q -> (forall i z, In (i, z) (xs q) \/ In (i, z) (ys q) -> In (unkey i) (states c) /\ label c (unkey i) = seen q) /\
    nonneg (xs q) = true /\ nonneg (ys q) = true /\ In (seen q) labels.
  Proof.
    intro Hq. assert (H := Hn k q Hq). unfold check_spot in H. apply andb_prop in H as [H _]. apply andb_prop in H as [H L]. apply andb_prop in H as [H Y].
    apply andb_prop in H as [H X]. apply known_in in L. split; [|now repeat split]. intros i z I. rewrite forallb_forall in H.
    specialize (H (i, z) (proj2 (in_app_iff _ _ _) I)). cbn [fst] in H. destruct (PM.find i (prepare c)) as [r|] eqn:E; [|discriminate].
    apply N.eqb_eq in H. apply find_label in E as [L' S]. split; [assumption|congruence].
  Qed.
  Lemma states_x k q : PM.find k ns = Some q -> forall i z, In (i, z) (xs q) -> In (unkey i) (states c).
  Proof. intros Hq i z I. apply (proj1 (spot_parts k q Hq) i z). now left. Qed.
  Lemma states_y k q : PM.find k ns = Some q -> forall i z, In (i, z) (ys q) -> In (unkey i) (states c).
  Proof. intros Hq i z I. apply (proj1 (spot_parts k q Hq) i z). now right. Qed.

  Lemma mu_cons k q n a w x : PM.find k ns = Some q -> x = xs q \/ x = ys q ->
    mu (S n) x (a :: w) == if (seen q =? a)%N then ev (fun i => mean c (unkey i) (fun k => prob c n k (is w))) x else 0.
  Proof.
    intros Hq X. unfold mu, total. destruct (seen q =? a)%N eqn:E.
    - apply ev_in. intros i z I. rewrite prob_word. destruct (proj1 (spot_parts k q Hq) i z) as [_ L]; [destruct X as [<-|<-]; auto|]. now rewrite L, E.
    - rewrite (ev_in _ (fun _ => 0)); [apply ev_zero|]. intros i z I. rewrite prob_word.
      destruct (proj1 (spot_parts k q Hq) i z) as [_ L]; [destruct X as [<-|<-]; auto|]. now rewrite L, E.
  Qed.

  (** *** The sum over all words, at a node *)
  Variable g : Q -> Q -> Q.
  Hypothesis Hg : convex g.
  Definition value (n : nat) (q : node) : Q := sum (map (fun w => g (mu n (xs q) w) (mu n (ys q) w)) (words labels n)).
  Definition whole_value (q : node) : Q := g (inject_Z (mass (xs q))) (inject_Z (mass (ys q))).

  Lemma value_step k q n : PM.find k ns = Some q -> value (S n) q ==
    sum (map (fun w => g (ev (fun i => mean c (unkey i) (fun k => prob c n k (is w))) (xs q))
                         (ev (fun i => mean c (unkey i) (fun k => prob c n k (is w))) (ys q))) (words labels n)).
  Proof.
    intro Hq. unfold value. rewrite words_sum.
    set (V := fun w => g (ev (fun i => mean c (unkey i) (fun k => prob c n k (is w))) (xs q)) (ev (fun i => mean c (unkey i) (fun k => prob c n k (is w))) (ys q))).
    rewrite (sum_ext labels _ (fun a => if (seen q =? a)%N then sum (map V (words labels n)) else 0)).
    - rewrite (sum_at labels (seen q) (fun _ => sum (map V (words labels n)))); [reflexivity|assumption|now apply (spot_parts k q)].
    - intros a _. assert (M := fun w x => mu_cons k q n a w x Hq). destruct (seen q =? a)%N.
      + apply sum_ext. intros w _. apply (same_values g Hg); apply M; auto.
      + rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros w _. rewrite (same_values g Hg _ _ 0 0); [now apply convex_0|apply M; auto|apply M; auto].
  Qed.

  Lemma mean_one i : In i (states c) -> mean c i (fun _ => 1) == 1.
  Proof. intro Hi. apply in_states in Hi. destruct (model_sound c Mc i Hi) as [T _]. rewrite <- T. unfold mean. apply sum_ext. intros kp _. ring. Qed.
  Lemma value_1 k q : PM.find k ns = Some q -> value 1 q == whole_value q.
  Proof.
    intro Hq. rewrite (value_step k q 0 Hq). cbn [words map prob]. rewrite sum_cons, sum_nil. unfold whole_value, is. destruct (list_eq_dec N.eq_dec [] []); [|contradiction].
    rewrite Qplus_0_r. apply (same_values g Hg); rewrite <- ev_one; apply ev_in; intros i z I; apply mean_one.
    - now apply (states_x k q Hq i z).
    - now apply (states_y k q Hq i z).
  Qed.
  Lemma value_0 q : value 0 q == whole_value q.
  Proof.
    unfold value, whole_value, mu, total. cbn [words map prob]. rewrite sum_cons, sum_nil, Qplus_0_r. unfold is. destruct (list_eq_dec N.eq_dec [] []); [|contradiction].
    apply (same_values g Hg); apply ev_one.
  Qed.

  (** *** Inner nodes *)
  Lemma scaled a x y : 0 <= a -> a * g x y == g (a * x) (a * y).
  Proof. intro A. symmetry. now apply scales. Qed.
  Lemma split_ahead s (fx fy : node -> Q) : forallb (fun e => (0 <=? snd e)%Z && PM.mem (fst e) ns) (entries s) = true ->
    g (ahead ns fx s) (ahead ns fy s) <= ahead ns (fun p => g (fx p) (fy p)) s.
  Proof.
    unfold ahead. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd forallb]; intro H; [rewrite (convex_0 g Hg); apply Qle_refl|].
    apply andb_prop in H as [A H]. apply andb_prop in A as [A _]. apply Z.leb_le in A. rewrite Zle_Qle in A. change (inject_Z 0) with 0 in A. specialize (IH H).
    destruct (PM.find k ns) as [p|]; [|exact IH]. rewrite scaled by assumption. eapply Qle_trans; [apply (splits g Hg)|]. lra.
  Qed.
  (** Where at most one node that follows has something, nothing is lost. *)
  Lemma one_ahead s (fx fy : node -> Q) (here : node -> bool) : forallb (fun e => (0 <=? snd e)%Z && PM.mem (fst e) ns) (entries s) = true ->
    (forall p, In (Some p) (targets ns s) -> here p = false -> fx p == 0 /\ fy p == 0) ->
    (forall l p l', targets ns s = l ++ Some p :: l' -> here p = true -> forall p', In (Some p') l' -> here p' = false) ->
    g (ahead ns fx s) (ahead ns fy s) == ahead ns (fun p => g (fx p) (fy p)) s.
  Proof.
    assert (Zero : forall es, (forall p, In (Some p) (map (fun e => PM.find (fst e) ns) es) -> fx p == 0 /\ fy p == 0) ->
      forall u, (forall p, fx p == 0 /\ fy p == 0 -> u p == 0) -> fold_right (fun e a => match PM.find (fst e) ns with Some q => inject_Z (snd e) * u q + a | None => a end) 0 es == 0).
    { induction es as [|[k z] es IH]; intros Z u U; cbn [fold_right fst snd]; [reflexivity|].
      assert (R : fold_right (fun e a => match PM.find (fst e) ns with Some q => inject_Z (snd e) * u q + a | None => a end) 0 es == 0).
      { apply IH; [|exact U]. intros p I. apply Z. now right. }
      destruct (PM.find k ns) as [p|] eqn:F; [|exact R]. rewrite R, (U p); [ring|]. apply Z. left. exact F. }
    unfold ahead, targets. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd forallb map]; intros H Off On; [now apply convex_0|].
    apply andb_prop in H as [A H]. apply andb_prop in A as [A _]. apply Z.leb_le in A. rewrite Zle_Qle in A. change (inject_Z 0) with 0 in A.
    assert (R := IH H (fun p I => Off p (or_intror I))). destruct (PM.find k ns) as [p|] eqn:F.
    - destruct (here p) eqn:E.
      + assert (Z := Zero es (fun p' I => Off p' (or_intror I) (On [] p _ eq_refl E p' I))).
        rewrite (Z (fun p => g (fx p) (fy p))) by (intros p' [X Y]; rewrite (same_values g Hg _ _ 0 0 X Y); now apply convex_0).
        rewrite scaled by assumption. rewrite Qplus_0_r. apply (same_values g Hg); rewrite Z by tauto; ring.
      + destruct (Off p (or_introl eq_refl) E) as [X Y]. rewrite (same_values g Hg _ _ (fold_right (fun e a => match PM.find (fst e) ns with Some q => inject_Z (snd e) * fx q + a | None => a end) 0 es)
          (fold_right (fun e a => match PM.find (fst e) ns with Some q => inject_Z (snd e) * fy q + a | None => a end) 0 es)); [|rewrite X; ring|rewrite Y; ring].
        rewrite R.
        * rewrite (same_values g Hg (fx p) (fy p) 0 0 X Y), (convex_0 g Hg). ring.
        * intros l p1 l' Ep. apply (On (Some p :: l) p1 l'). now rewrite Ep.
    - apply R. intros l p1 l' Ep. apply (On (None :: l) p1 l'). now rewrite Ep.
  Qed.

  Lemma steps_parts q s : check_steps (prepare c) ns q s = true ->
    forallb (fun e => (0 <=? snd e)%Z && PM.mem (fst e) ns) (entries s) = true /\ distinct (map label_of (targets ns s)) = true /\
    forall n E, inject_Z (Zpos (whole s)) * ev (fun i => mean c (unkey i) (fun k => prob c n k E)) (xs q) == ahead ns (fun p => total c n (xs p) E) s /\
                inject_Z (Zpos (whole s)) * ev (fun i => mean c (unkey i) (fun k => prob c n k E)) (ys q) == ahead ns (fun p => total c n (ys p) E) s.
  Proof.
    unfold check_steps. intro H. apply andb_prop in H as [H Fy]. apply andb_prop in H as [H Fx]. apply andb_prop in H as [P D]. split; [exact P|]. split; [exact D|].
    intros n E. split; [exact (follows_spec c Mc ns xs s _ (fun k => prob c n k E) Fx)|exact (follows_spec c Mc ns ys s _ (fun k => prob c n k E) Fy)].
  Qed.

  Lemma ahead_sums {A} (l : list A) (f : A -> node -> Q) s : sum (map (fun w => ahead ns (f w) s) l) == ahead ns (fun p => sum (map (fun w => f w p) l)) s.
  Proof.
    unfold ahead. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd]; [apply sum_0|]. destruct (PM.find k ns) as [p|]; [|exact IH].
    rewrite sum_plus, IH, <- sum_scale. reflexivity.
  Qed.
  Lemma value_whole k q s n : PM.find k ns = Some q -> check_steps (prepare c) ns q s = true ->
    inject_Z (Zpos (whole s)) * value (S n) q == sum (map (fun w => g (ahead ns (fun p => mu n (xs p) w) s) (ahead ns (fun p => mu n (ys p) w) s)) (words labels n)).
  Proof.
    intros Hq St. destruct (steps_parts q s St) as (_ & _ & E). rewrite (value_step k q n Hq), <- sum_scale. apply sum_ext. intros w _.
    rewrite scaled by (assert (W := inject_pos (whole s)); lra). apply (same_values g Hg); apply (E n (is w)).
  Qed.

  Lemma step_below k q s : PM.find k ns = Some q -> check_steps (prepare c) ns q s = true ->
    inject_Z (Zpos (whole s)) * value 1 q <= ahead ns (value 1) s.
  Proof.
    intros Hq St. destruct (steps_parts q s St) as (P & _ & _). rewrite (value_whole k q s 0 Hq St). cbn [words map]. rewrite sum_cons, sum_nil, Qplus_0_r.
    eapply Qle_trans; [now apply split_ahead|]. apply ahead_le; [exact P|]. intros j p _ F. rewrite (value_1 j p F), <- value_0. unfold value. cbn [words map].
    rewrite sum_cons, sum_nil. lra.
  Qed.
  Lemma step_exact k q s n : PM.find k ns = Some q -> check_steps (prepare c) ns q s = true ->
    inject_Z (Zpos (whole s)) * value (S (S n)) q == ahead ns (value (S n)) s.
  Proof.
    intros Hq St. destruct (steps_parts q s St) as (P & D & _). rewrite (value_whole k q s (S n) Hq St).
    unfold value at 1. rewrite <- (ahead_sums (words labels (S n)) (fun w p => g (mu (S n) (xs p) w) (mu (S n) (ys p) w))). apply sum_ext. intros w Iw.
    destruct w as [|a w]; [exfalso; cbn [words] in Iw; apply in_flat_map in Iw as (a & _ & Iw); now apply in_map_iff in Iw as (v & [=] & _)|].
    assert (Found : forall p, In (Some p) (targets ns s) -> exists j, PM.find j ns = Some p).
    { intros p I. apply in_map_iff in I as (e & E & _). now exists (fst e). }
    apply (one_ahead s _ _ (fun p => (seen p =? a)%N)); [exact P| |].
    - intros p I E. destruct (Found p I) as (j & F). rewrite !(mu_cons j p) by auto. now rewrite E.
    - intros l p l' Ep Ea p' I. apply N.eqb_eq in Ea. apply N.eqb_neq. intro Ea'. rewrite Ep, map_app in D. cbn [map label_of] in D. clear Ep.
      induction l as [|x l IH]; cbn [map app distinct] in D; apply andb_prop in D as [Dx D]; [|now apply IH].
      apply negb_true_iff in Dx. assert (Ex : existsb (N.eqb (seen p)) (map label_of l') = true); [|congruence].
      apply existsb_exists. exists (seen p'). split; [|apply N.eqb_eq; congruence]. apply in_map_iff. exists (Some p'). now split.
  Qed.

  (** *** Ends *)
  Lemma ratio_value k q n : PM.find k ns = Some q -> (0 < weight q)%Z ->
    (forall E, inject_Z (mass (ys q)) * total c n (xs q) E == inject_Z (mass (xs q)) * total c n (ys q) E) -> value n q == whole_value q.
  Proof.
    intros Hq W R. destruct (spot_parts k q Hq) as (_ & Nx & Ny & _). unfold value, whole_value.
    assert (P : 0 < inject_Z (mass (xs q)) + inject_Z (mass (ys q))) by (rewrite <- inject_Z_plus; change 0 with (inject_Z 0); rewrite <- Zlt_Qlt; exact W).
    set (X := inject_Z (mass (xs q))) in *. set (Y := inject_Z (mass (ys q))) in *.
    rewrite (sum_ext _ _ (fun w => g X Y / (X + Y) * (mu n (xs q) w + mu n (ys q) w))).
    - rewrite sum_scale, sum_plus, (mu_words n (xs q) (states_x k q Hq)), (mu_words n (ys q) (states_y k q Hq)). fold X Y. field. lra.
    - intros w _. assert (Mx := mu_pos n (xs q) w Nx). assert (My := mu_pos n (ys q) w Ny). rewrite (convex_share g _ _ X Y Hg); [field; lra|lra|exact P|].
      unfold mu. specialize (R (is w)). lra.
  Qed.

  Lemma balanced_ratio n : forall k q s E, PM.find k ns = Some q -> sort q = Balanced s ->
    inject_Z (mass (ys q)) * total c n (xs q) E == inject_Z (mass (xs q)) * total c n (ys q) E.
  Proof.
    induction n as [|n IH]; intros k q s E Hq Hs.
    - unfold total. cbn [prob]. destruct (E []); [rewrite !ev_one|rewrite !ev_zero]; ring.
    - assert (H := Hn k q Hq). unfold check_spot in H. rewrite Hs in H. apply andb_prop in H as [_ H]. apply andb_prop in H as [H T]. apply andb_prop in H as [_ St].
      destruct (steps_parts q s St) as (P & _ & F). destruct (F n (fun w => E (seen q :: w))) as [Ex Ey]. set (f := fun w => E (seen q :: w)) in *.
      assert (One : forall x, x = xs q \/ x = ys q -> total c (S n) x E == ev (fun i => mean c (unkey i) (fun k => prob c n k f)) x).
      { intros x X. unfold total. apply ev_in. intros i z I. cbn [prob]. destruct (proj1 (spot_parts k q Hq) i z) as [_ L]; [destruct X as [<-|<-]; auto|]. now rewrite L. }
      rewrite <- (One (xs q)) in Ex by auto. rewrite <- (One (ys q)) in Ey by auto.
      assert (K : ahead ns (fun p => inject_Z (mass (ys q)) * total c n (xs p) f) s == ahead ns (fun p => inject_Z (mass (xs q)) * total c n (ys p) f) s).
      { assert (Eq : forall j p, In (Some p) (targets ns s) -> PM.find j ns = Some p ->
          inject_Z (mass (ys q)) * total c n (xs p) f == inject_Z (mass (xs q)) * total c n (ys p) f).
        { intros j p I Fp. rewrite forallb_forall in T. specialize (T _ I). cbn beta iota in T. apply andb_prop in T as [B R]. apply Z.eqb_eq, (f_equal inject_Z) in R.
          rewrite !inject_Z_mult in R. unfold balanced in B. destruct (sort p) as [| |s'] eqn:Sp; try discriminate. assert (J := IH j p s' f Fp Sp).
          assert (W := Hn j p Fp). unfold check_spot in W. rewrite Sp in W. apply andb_prop in W as [_ W]. apply andb_prop in W as [W _]. apply andb_prop in W as [W _].
          apply Z.ltb_lt in W. unfold weight in W. rewrite Zlt_Qlt, inject_Z_plus in W. change (inject_Z 0) with 0 in W.
          set (Y := inject_Z (mass (ys q))) in *. set (X := inject_Z (mass (xs q))) in *. set (x := inject_Z (mass (xs p))) in *. set (y := inject_Z (mass (ys p))) in *.
          set (A := total c n (xs p) f) in *. set (B' := total c n (ys p) f) in *. clearbody X Y x y A B'.
          assert (Z : (x + y) * (Y * A - X * B') == 0).
          { assert (E1 : Y * x * A == X * (x * B')) by (rewrite R, <- J; ring). assert (E2 : Y * (y * A) == X * y * B') by (rewrite J, <- R; ring).
            transitivity (Y * x * A - X * (x * B') + (Y * (y * A) - X * y * B')); [ring|]. rewrite E1, E2. ring. }
          destruct (Qmult_integral _ _ Z); lra. }
        apply Qle_antisym; apply ahead_le; try exact P; intros j p I Fp; rewrite (Eq j p I Fp); apply Qle_refl. }
      rewrite !ahead_scale, <- Ex, <- Ey in K. assert (W := inject_pos (whole s)). set (wh := inject_Z (Zpos (whole s))) in *.
      set (A := total c (S n) (xs q) E) in *. set (B := total c (S n) (ys q) E) in *. set (X := inject_Z (mass (xs q))) in *. set (Y := inject_Z (mass (ys q))) in *.
      clearbody wh A B X Y. assert (Z : wh * (Y * A - X * B) == 0) by (transitivity (Y * (wh * A) - X * (wh * B)); [ring|lra]). destruct (Qmult_integral _ _ Z); lra.
  Qed.

  Lemma end_value k q n : PM.find k ns = Some q -> (forall s h, sort q <> Inner s h) -> value n q == whole_value q.
  Proof.
    intros Hq Ne. assert (H := Hn k q Hq). unfold check_spot in H. apply andb_prop in H as [_ H]. destruct (sort q) as [u w|s h|s] eqn:Hs; [| now destruct (Ne s h)|].
    - apply andb_prop in H as [W Z]. apply Z.ltb_lt in W. apply (ratio_value k q n Hq W). intro E.
      assert (B := evt_zeros _ Z (fun i => prob c n (unkey i) E)). rewrite !evt_addl, inject_Z_opp in B. cbn [evt] in B. unfold total. lra.
    - apply andb_prop in H as [H _]. apply andb_prop in H as [W _]. apply Z.ltb_lt in W. apply (ratio_value k q n Hq W). intro E. now apply (balanced_ratio n k q s).
  Qed.
  Lemma inner_steps k q s h : PM.find k ns = Some q -> sort q = Inner s h -> check_steps (prepare c) ns q s = true.
  Proof. intros Hq Hs. assert (H := Hn k q Hq). unfold check_spot in H. rewrite Hs in H. now apply andb_prop in H as [_ H]. Qed.

  (** More labels tell no less. *)
  Lemma value_grows n : forall k q, PM.find k ns = Some q -> value (S n) q <= value (S (S n)) q.
  Proof.
    induction n as [|n IH]; intros k q Hq; (destruct (sort q) as [u w|s h|s] eqn:Hs;
      [rewrite !(end_value k q) by (assumption || (intros; rewrite Hs; discriminate)); apply Qle_refl| |
       rewrite !(end_value k q) by (assumption || (intros; rewrite Hs; discriminate)); apply Qle_refl]);
      assert (St := inner_steps k q s h Hq Hs); assert (W := inject_pos (whole s)); destruct (steps_parts q s St) as (P & _ & _).
    - assert (A := step_below k q s Hq St). rewrite <- (step_exact k q s 0 Hq St) in A. set (wh := inject_Z (Zpos (whole s))) in *. set (a := value 1 q) in *.
      set (b := value 2 q) in *. clearbody wh a b. nra.
    - assert (A : ahead ns (value (S n)) s <= ahead ns (value (S (S n))) s) by (apply ahead_le; [exact P|]; intros j p _ F; now apply (IH j)).
      rewrite <- !(step_exact k q s _ Hq St) in A. set (wh := inject_Z (Zpos (whole s))) in *. set (a := value (S (S n)) q) in *. set (b := value (S (S (S n))) q) in *.
      clearbody wh a b. nra.
  Qed.
  Lemma value_within K k q n : within K g -> PM.find k ns = Some q -> 0 <= value n q /\ value n q <= K * inject_Z (weight q).
  Proof.
    intros B Hq. destruct (spot_parts k q Hq) as (_ & Nx & Ny & _). split.
    - apply sum_pos. intros w _. apply B; now apply mu_pos.
    - unfold weight. rewrite inject_Z_plus, <- (mu_words n (xs q) (states_x k q Hq)), <- (mu_words n (ys q) (states_y k q Hq)), <- sum_plus, <- sum_scale.
      apply sum_le. intros w _. apply B; now apply mu_pos.
  Qed.
End Chain.

(** ** The theorem about a graph *)
Section Graph.
  Variables (c : chain) (labels : list N) (G : graph) (s t : N).
  Hypothesis Mc : check_model c = true.
  Hypothesis ND : NoDup labels.
  Hypothesis Known : forall s, In s (states c) -> In (label c s) labels.
  Hypothesis HG : check_graph (prepare c) labels G s t = true.
  Let ns := of_list (spots G).
  Let V := inject_Z (Zpos (runs_of G)).

  Lemma graph_parts : (forall k q, PM.find k ns = Some q -> check_spot (prepare c) labels ns q = true) /\
    (exists q, PM.find (origin G) ns = Some q /\ is_root q s t = true) /\
    forallb (check_walk ns) (walks G) = true /\ forallb (check_arrival ns) (arrivals G) = true /\
    zeros (fold_left (walked ns) (walks G) (fold_left (fun t l => addl 1 l t) (arrivals G) (acc (origin G) (- Zpos (runs_of G)) Leaf))) = true.
  Proof.
    unfold check_graph in HG. fold ns in HG. rewrite !andb_true_iff in HG. destruct HG as ((((Sp & R) & W) & A) & Z). repeat split; try assumption.
    - intros k q F. apply find_of_list in F. rewrite forallb_forall in Sp. exact (Sp _ F).
    - destruct (PM.find (origin G) ns) as [q|]; [now exists q|discriminate].
  Qed.

  Definition at_node (f : node -> Q) (k : positive) : Q := match PM.find k ns with Some q => f q | None => 0 end.
  (** What inner nodes lose in a step. *)
  Definition lost (f f' : node -> Q) (ku : positive * Z) : Q :=
    match PM.find (fst ku) ns with
    | Some q => match sort q with Inner r _ => inject_Z (snd ku) * (inject_Z (Zpos (whole r)) * f q - ahead ns f' r) | _ => 0 end
    | None => 0
    end.
  Lemma flow f : sum (map (lost f f) (walks G)) + sum (map (fun l => ev (at_node f) l) (arrivals G)) == V * at_node f (origin G).
  Proof.
    destruct graph_parts as (Sp & _ & _ & _ & Z). assert (E := evt_zeros _ Z (at_node f)).
    assert (W : forall l t, evt (at_node f) (fold_left (walked ns) l t) == sum (map (lost f f) l) + evt (at_node f) t).
    { induction l as [|[k u] l IH]; intro t0; cbn [fold_left map]; [rewrite sum_nil; ring|]. rewrite IH, sum_cons. unfold walked, lost. cbn [fst snd].
      destruct (PM.find k ns) as [q|] eqn:F; [|ring]. destruct (sort q) as [| r h|]; try ring. rewrite evt_acc, evt_addl, inject_Z_mult, inject_Z_opp.
      assert (K : at_node f k = f q) by (unfold at_node; now rewrite F). rewrite K.
      assert (A : ev (at_node f) (entries r) == ahead ns f r).
      { unfold ev, ahead, at_node. clear. induction (entries r) as [|[j z] es IH]; cbn [fold_right fst snd]; [reflexivity|]. destruct (PM.find j ns); rewrite IH; ring. }
      rewrite A. ring. }
    assert (B : forall l t, evt (at_node f) (fold_left (fun t l => addl 1 l t) l t) == sum (map (fun l => ev (at_node f) l) l) + evt (at_node f) t).
    { induction l as [|x l IH]; intro t0; cbn [fold_left map]; [rewrite sum_nil; ring|]. rewrite IH, evt_addl, sum_cons. change (inject_Z 1) with 1. ring. }
    rewrite W, B, evt_acc, inject_Z_opp in E. cbn [evt] in E. fold V in E. lra.
  Qed.

  Variable g : Q -> Q -> Q.
  Hypothesis Hg : convex g.
  Notation val := (value c labels g).

  Lemma arrived_spec f l : inject_Z (arrived ns f l) == ev (at_node (fun q => inject_Z (f q))) l.
  Proof.
    unfold arrived, of_end, at_node, ev. induction l as [|[k z] l IH]; cbn [fold_right fst snd]; [reflexivity|]. rewrite inject_Z_plus, IH.
    destruct (PM.find k ns); [rewrite inject_Z_mult; ring|change (inject_Z 0) with 0; ring].
  Qed.
  Lemma arrivals_value n l : check_arrival ns l = true ->
    ev (at_node (val n)) l == V * g (arrived ns (fun q => mass (xs q)) l # runs_of G) (arrived ns (fun q => mass (ys q)) l # runs_of G).
  Proof.
    intro H. destruct graph_parts as (Sp & _). unfold check_arrival in H. cbv zeta in H. apply andb_prop in H as [P F].
    assert (Px := arrived_spec (fun q => mass (xs q)) l). assert (Py := arrived_spec (fun q => mass (ys q)) l). cbv beta in Px, Py.
    set (p := arrived ns (fun q => mass (xs q)) l) in *. set (r := arrived ns (fun q => mass (ys q)) l) in *.
    apply Z.ltb_lt in P. rewrite Zlt_Qlt, inject_Z_plus in P. change (inject_Z 0) with 0 in P.
    rewrite (scaled g Hg) by (unfold V; assert (W := inject_pos (runs_of G)); lra).
    rewrite (same_values g Hg _ _ (inject_Z p) (inject_Z r)) by (unfold V, Qeq; cbn [Qmult inject_Z Qnum Qden]; lia).
    set (a := g (inject_Z p) (inject_Z r) / (inject_Z p + inject_Z r)).
    assert (E : ev (at_node (val n)) l == a * ev (fun k => at_node (fun q => inject_Z (mass (xs q))) k + at_node (fun q => inject_Z (mass (ys q))) k) l).
    { rewrite <- ev_scale. apply ev_in. intros k z I. rewrite forallb_forall in F. specialize (F _ I). cbn [fst snd] in F. unfold at_node.
      apply andb_prop in F as [_ F]. destruct (PM.find k ns) as [q|] eqn:Fq; [|discriminate]. apply andb_prop in F as [Ne R]. apply Z.eqb_eq, (f_equal inject_Z) in R.
      rewrite !inject_Z_mult in R. rewrite (end_value c labels Mc ND Known ns Sp g Hg k q n Fq) by (intros ? ? E; rewrite E in Ne; discriminate). unfold whole_value.
      destruct (spot_parts c labels ns Sp k q Fq) as (_ & Nx & Ny & _).
      assert (M : forall x, nonneg x = true -> 0 <= inject_Z (mass x)) by (intros x N; rewrite <- ev_one; apply (ev_between (fun _ => 1) x N); intro; lra).
      rewrite (convex_share g _ _ (inject_Z p) (inject_Z r) Hg); [unfold a; field; lra| |exact P|rewrite R; reflexivity]. assert (A := M _ Nx). assert (B := M _ Ny). lra. }
    rewrite E, ev_plus, <- Px, <- Py. unfold a. field. lra.
  Qed.
  Lemma law_value n : sum (map (fun l => ev (at_node (val n)) l) (arrivals G)) == V * msum g (law_of G).
  Proof.
    destruct graph_parts as (_ & _ & _ & A & _). unfold msum, law_of. fold ns. rewrite map_map. cbn [fst snd]. rewrite <- sum_scale. apply sum_ext.
    intros l I. rewrite forallb_forall in A. apply (arrivals_value n l (A l I)).
  Qed.

  (** What is missing after n labels is what inner nodes gain by one more. *)
  Definition won (n : nat) : Q :=
    sum (map (fun ku => match PM.find (fst ku) ns with
                        | Some q => match sort q with Inner r _ => inject_Z (snd ku) * (inject_Z (Zpos (whole r)) * val n q) | _ => 0 end
                        | None => 0
                        end) (walks G)).
  Definition missing (n : nat) : Q := V * (msum g (law_of G) - at_node (val n) (origin G)).
  Lemma missing_won n : missing (S n) == won (S (S n)) - won (S n).
  Proof.
    destruct graph_parts as (Sp & _ & _ & _ & _). assert (F := flow (val (S n))). rewrite law_value in F. unfold missing.
    assert (L : sum (map (lost (val (S n)) (val (S n))) (walks G)) == won (S n) - won (S (S n))); [|lra].
    unfold won. set (f := fun (n : nat) (ku : positive * Z) => match PM.find (fst ku) ns with Some q => match sort q with Inner r _ => inject_Z (snd ku) * (inject_Z (Zpos (whole r)) * val n q) | _ => 0 end | None => 0 end).
    change (sum (map (lost (val (S n)) (val (S n))) (walks G)) == sum (map (f (S n)) (walks G)) - sum (map (f (S (S n))) (walks G))).
    rewrite <- (Qplus_0_r (sum (map (lost _ _) _))). setoid_replace 0 with (sum (map (f (S (S n))) (walks G)) - sum (map (f (S (S n))) (walks G))) by ring.
    setoid_replace (sum (map (lost (val (S n)) (val (S n))) (walks G)) + (sum (map (f (S (S n))) (walks G)) - sum (map (f (S (S n))) (walks G))))
      with (sum (map (lost (val (S n)) (val (S n))) (walks G)) + sum (map (f (S (S n))) (walks G)) - sum (map (f (S (S n))) (walks G))) by ring.
    rewrite <- sum_plus. apply Qplus_comp; [|reflexivity]. apply sum_ext. intros [k u] I. unfold lost, f. cbn [fst snd].
    destruct (PM.find k ns) as [q|] eqn:Fq; [|ring]. destruct (sort q) as [| r h|] eqn:Hs; try ring.
    rewrite <- (step_exact c labels Mc ND ns Sp g Hg k q r n Fq (inner_steps c labels ns Sp k q r h Fq Hs)). ring.
  Qed.
  Lemma walk_parts k u : In (k, u) (walks G) -> 0 <= inject_Z u /\ exists q r h, PM.find k ns = Some q /\ sort q = Inner r h.
  Proof.
    destruct graph_parts as (_ & _ & W & _ & _). intro I. rewrite forallb_forall in W. specialize (W _ I). unfold check_walk in W. cbn [fst snd] in W.
    apply andb_prop in W as [U W]. apply Z.leb_le in U. rewrite Zle_Qle in U. split; [exact U|]. destruct (PM.find k ns) as [q|]; [|discriminate].
    destruct (sort q) as [| r h|] eqn:Hs; try discriminate. now exists q, r, h.
  Qed.
  Lemma missing_pos n : 0 <= missing (S n).
  Proof.
    destruct graph_parts as (Sp & _ & _ & _ & _). rewrite missing_won. assert (L : won (S n) <= won (S (S n))); [|lra].
    apply sum_le. intros [k u] I. destruct (walk_parts k u I) as (U & q & r & h & F & Hs). cbn [fst snd]. rewrite F, Hs.
    assert (A := value_grows c labels Mc ND Known ns Sp g Hg n k q F). assert (W := inject_pos (whole r)). set (a := val (S n) q) in *. set (b := val (S (S n)) q) in *.
    set (wh := inject_Z (Zpos (whole r))) in *. set (v := inject_Z u) in *. clearbody a b wh v. assert (wh * a <= wh * b) by nra. nra.
  Qed.
  Lemma missing_falls n : missing (S (S n)) <= missing (S n).
  Proof.
    destruct graph_parts as (Sp & (q & F & _) & _). unfold missing, at_node. rewrite F. assert (A := value_grows c labels Mc ND Known ns Sp g Hg n (origin G) q F).
    assert (W := inject_pos (runs_of G)). fold V in W. set (a := val (S n) q) in *. set (b := val (S (S n)) q) in *. clearbody a b V. nra.
  Qed.

  Definition most : Q :=
    sum (map (fun ku => match PM.find (fst ku) ns with
                        | Some q => match sort q with Inner r _ => inject_Z (snd ku) * (inject_Z (Zpos (whole r)) * inject_Z (weight q)) | _ => 0 end
                        | None => 0
                        end) (walks G)).
  Lemma missing_bound K n : 0 <= K -> within K g -> inject_Z (Z.of_nat (S n)) * missing (S n) <= K * most.
  Proof.
    intros HK B. destruct graph_parts as (Sp & _ & _ & _ & _).
    assert (T : forall n, inject_Z (Z.of_nat (S n)) * missing (S n) <= won (S (S n)) - won 1).
    { clear n. induction n as [|n IH]; [change (inject_Z (Z.of_nat 1)) with 1; rewrite missing_won; lra|].
      assert (F := missing_falls n). assert (E := missing_won (S n)). replace (Z.of_nat (S (S n))) with (Z.of_nat (S n) + 1)%Z by lia. rewrite inject_Z_plus. change (inject_Z 1) with 1.
      assert (N : 0 <= inject_Z (Z.of_nat (S n))) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
      set (a := missing (S n)) in *. set (b := missing (S (S n))) in *. set (k := inject_Z (Z.of_nat (S n))) in *. clearbody a b k. nra. }
    assert (P : 0 <= won 1 /\ forall n, won n <= K * most).
    { split.
      - apply sum_pos. intros [k u] I. destruct (walk_parts k u I) as (U & q & r & h & F & Hs). cbn [fst snd]. rewrite F, Hs.
        destruct (value_within c labels Mc ND Known ns Sp g K k q 1 B F) as [A _]. assert (W := inject_pos (whole r)).
        set (a := val 1 q) in *. set (wh := inject_Z (Zpos (whole r))) in *. set (v := inject_Z u) in *. clearbody a wh v. assert (0 <= wh * a) by nra. nra.
      - intro n'. unfold won, most. rewrite <- sum_scale. apply sum_le. intros [k u] I. destruct (walk_parts k u I) as (U & q & r & h & F & Hs). cbn [fst snd]. rewrite F, Hs.
        destruct (value_within c labels Mc ND Known ns Sp g K k q n' B F) as [_ A]. assert (W := inject_pos (whole r)).
        set (a := val n' q) in *. set (wh := inject_Z (Zpos (whole r))) in *. set (v := inject_Z u) in *. set (x := inject_Z (weight q)) in *. clearbody a wh v x.
        assert (wh * a <= wh * (K * x)) by nra. assert (v * (wh * a) <= v * (wh * (K * x))) by nra. lra. }
    destruct P as [P0 P1]. specialize (T n). specialize (P1 (S (S n))). lra.
  Qed.

  (** The sum over the words of n labels. *)
  Definition words_of (n : nat) : mechanism := map (fun w => (prob c n s (is w), prob c n t (is w))) (words labels n).
  Lemma root_value n : msum g (words_of n) == at_node (val n) (origin G).
  Proof.
    destruct graph_parts as (_ & (q & F & R) & _). unfold at_node, msum, words_of. rewrite F, map_map. unfold value. apply sum_ext. intros w _. cbn [fst snd].
    unfold mu, total, is_root in *. destruct (xs q) as [|[i [|[?|?|]|?]] [|? ?]]; try discriminate. destruct (ys q) as [|[j [|[?|?|]|?]] [|? ?]]; try discriminate.
    apply andb_prop in R as [Ri Rj]. apply Pos.eqb_eq in Ri as ->, Rj as ->. unfold ev. cbn [fold_right fst snd]. rewrite !unkey_key. change (inject_Z 1) with 1.
    apply (same_values g Hg); ring.
  Qed.
  Lemma words_below n : msum g (words_of n) <= msum g (law_of G).
  Proof.
    destruct graph_parts as (Sp & (q & F & _) & _). rewrite root_value.
    assert (L : at_node (val n) (origin G) <= at_node (val (S n)) (origin G)).
    { unfold at_node. rewrite F. destruct n as [|n]; [|now apply (value_grows c labels Mc ND Known ns Sp g Hg n (origin G))].
      rewrite (value_1 c labels Mc ND ns Sp g Hg (origin G) q F), (value_0 c labels g Hg). apply Qle_refl. }
    assert (M := missing_pos n). unfold missing in M. assert (W := inject_pos (runs_of G)). fold V in W. set (a := at_node (val (S n)) (origin G)) in *.
    set (b := msum g (law_of G)) in *. clearbody V a b. nra.
  Qed.
  Lemma words_near K n eta : 0 <= K -> within K g -> most <= eta * (inject_Z (Z.of_nat n) * V) -> (0 < n)%nat -> msum g (law_of G) <= msum g (words_of n) + eta * K.
  Proof.
    intros HK B E Pn. destruct n as [|n]; [lia|]. rewrite root_value. assert (M := missing_bound K n HK B). unfold missing in M.
    assert (W := inject_pos (runs_of G)). fold V in W. assert (N : 0 < inject_Z (Z.of_nat (S n))) by (change 0 with (inject_Z 0); rewrite <- Zlt_Qlt; lia).
    set (a := at_node (val (S n)) (origin G)) in *. set (b := msum g (law_of G)) in *. set (k := inject_Z (Z.of_nat (S n))) in *. clearbody V a b k.
    assert (K * most <= K * (eta * (k * V))) by nra. assert (k * V * (b - a - eta * K) <= 0) by lra. assert (0 < k * V) by nra. nra.
  Qed.
End Graph.

Theorem graph_sound c labels G s t : check_model c = true -> NoDup labels -> (forall s, In s (states c) -> In (label c s) labels) ->
  check_graph (prepare c) labels G s t = true ->
  (forall n, below (words_of c labels s t n) (law_of G)) /\
  forall eta, 0 < eta -> exists m, forall n, (m <= n)%nat -> near eta (words_of c labels s t n) (law_of G).
Proof.
  intros Mc ND Known HG. split; [intros n g Hg; now apply words_below|].
  intros eta He. set (x := most G / (eta * inject_Z (Zpos (runs_of G)))). assert (V := inject_pos (runs_of G)). assert (P : 0 < eta * inject_Z (Zpos (runs_of G))) by nra.
  exists (S (Z.to_nat (Qceiling x))). intros n L g K HK Hg B. apply (words_near c labels G s t Mc ND Known HG g Hg K n eta HK B); [|lia].
  assert (U := Qle_ceiling x). assert (C : inject_Z (Qceiling x) <= inject_Z (Z.of_nat n)) by (rewrite <- Zle_Qle; lia).
  assert (E : most G == x * (eta * inject_Z (Zpos (runs_of G)))) by (unfold x; field; lra). rewrite E. set (v := inject_Z (Zpos (runs_of G))) in *.
  set (k := inject_Z (Z.of_nat n)) in *. set (z := inject_Z (Qceiling x)) in *. clearbody v k z x. assert (x <= k) by lra. assert (x * (eta * v) <= k * (eta * v)) by nra. lra.
Qed.
