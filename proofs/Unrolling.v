(** * Unrollings: how much events gain after the labels seen so far

    A node stands for two vectors over the states of one label: what is possible after some labels from either secret. What an event
    gains there is what it gains after the next label, summed over these. So bounds at the leaves lead to bounds at the roots. *)
From Coq Require Import List NArith ZArith QArith Qminmax Qround Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper.
Import ListNotations.
Open Scope Q_scope.

Definition vector := list (positive * Z).

(** What a node is followed by, in multiples of 1 / [whole]; the probabilities of its states, too, are such multiples. *)
Record steps := { whole : positive; entries : list (positive * Z) }.

(** A leaf has a coupling whose amounts are multiples of 1 / [unit]. An inner node has a height: an upper bound of what is lost
    by stopping there, which falls in the mean with each step. At a balanced node both secrets lead to the same words, as often in proportion. *)
Inductive kind :=
  | Stop (unit : positive) (w : list zmove)
  | Inner (s : steps) (height : Q)
  | Balanced (s : steps).

Record node := { xs : vector; ys : vector; seen : N; low : Q; up : Q; sort : kind }.

(** ** The check *)

Definition mass (x : vector) : Z := fold_right (fun kz a => (snd kz + a)%Z) 0%Z x.
Definition nonneg (x : vector) : bool := forallb (fun kz => 0 <=? snd kz)%Z x.
Definition height (q : node) : Q := match sort q with Inner _ h => h | _ => 0 end.
Definition balanced (q : node) : bool := match sort q with Balanced _ => true | _ => false end.

(** The states after a step, times [S]; nothing if S is no multiple of the denominators. *)
Fixpoint after (m : PM.t prow) (S : Z) (x : vector) (t : tree) : option tree :=
  match x with
  | [] => Some t
  | (i, z) :: x => match PM.find i m with
                   | None => None
                   | Some r => let k := (S / Zpos (den r))%Z in
                               if (k * Zpos (den r) =? S)%Z then after m S x (addl (z * k) (nums r) t) else None
                   end
  end.

(** Take away what the entries say comes after: it must be all of it. *)
Definition remaining (nodes : PM.t node) (side : node -> vector) (es : list (positive * Z)) (t : tree) : tree :=
  fold_left (fun t e => match PM.find (fst e) nodes with Some q => addl (- snd e) (side q) t | None => t end) es t.
Definition follows (m : PM.t prow) (nodes : PM.t node) (side : node -> vector) (s : steps) (x : vector) : bool :=
  match after m (Zpos (whole s)) x Leaf with Some t => zeros (remaining nodes side (entries s) t) | None => false end.

Definition targets (nodes : PM.t node) (s : steps) : list (option node) := map (fun e => PM.find (fst e) nodes) (entries s).
Definition label_of (q : option node) : N := match q with Some q => seen q | None => 0%N end.
Fixpoint distinct (l : list N) : bool := match l with [] => true | a :: l => negb (existsb (N.eqb a) l) && distinct l end.

Definition check_steps (m : PM.t prow) (nodes : PM.t node) (q : node) (s : steps) : bool :=
  forallb (fun e => (0 <=? snd e)%Z && PM.mem (fst e) nodes) (entries s)
  && distinct (map label_of (targets nodes s))
  && follows m nodes xs s (xs q) && follows m nodes ys s (ys q).

(** The sum of a quantity of the nodes that follow, times [whole]. *)
Definition ahead (nodes : PM.t node) (f : node -> Q) (s : steps) : Q :=
  fold_right (fun e a => match PM.find (fst e) nodes with Some q => inject_Z (snd e) * f q + a | None => a end) 0 (entries s).

Definition check_node (m : PM.t prow) (nodes : PM.t node) (u : positive -> positive -> Z) (an ad D : Z) (rho : Q) (q : node) : bool :=
  let gap := inject_Z (ad * mass (xs q) - an * mass (ys q)) / inject_Z ad in
  forallb (fun kz => match PM.find (fst kz) m with Some r => (lab r =? seen q)%N | None => false end) (xs q ++ ys q)
  && Qle_bool 0 (up q) && Qle_bool gap (up q)
  && match sort q with
     | Stop unit w => Qle_bool (low q) (Qmax 0 gap)
         && bounded an ad (D * Zpos (Qden (up q))) (fun i j => u i j * Zpos (Qden (up q)))%Z
              (addl (ad * Zpos unit) (xs q) (addl (- (an * Zpos unit)) (ys q) Leaf)) w (ad * Zpos unit * D * Qnum (up q))
     | Inner s h => check_steps m nodes q s && Qle_bool 0 h && Qle_bool (low q) h
         && Qle_bool (inject_Z (Zpos (whole s)) * low q) (ahead nodes low s)
         && Qle_bool (ahead nodes up s) (inject_Z (Zpos (whole s)) * up q)
         && Qle_bool (ahead nodes height s) (rho * inject_Z (Zpos (whole s)) * h)
     | Balanced s => check_steps m nodes q s && nonneg (xs q) && Qle_bool (low q) (Qmax 0 gap)
         && (0 <? mass (xs q))%Z
         && forallb (fun p => match p with
                              | Some p => balanced p && (mass (xs q) * mass (ys p) =? mass (ys q) * mass (xs p))%Z && (0 <? mass (xs p))%Z
                              | None => false
                              end) (targets nodes s)
     end.

Definition check_nodes (c : chain) (alpha : Q) (D : positive) (rows : list urow) (rho : Q) (nodes : list (positive * node)) : bool :=
  let m := prepare c in let ns := of_list nodes in
  check_upper c alpha D rows && Qle_bool 0 rho && negb (Qle_bool 1 rho)
  && forallb (fun kq => check_node m ns (value m (utable rows) (Zpos D)) (Qnum alpha) (Zpos (Qden alpha)) (Zpos D) rho (snd kq)) nodes.

(** ** Soundness *)

Lemma ev_plus f g l : ev (fun k => f k + g k) l == ev f l + ev g l.
Proof. induction l as [|[k z] l IH]; [reflexivity|]. unfold ev in *. cbn [fold_right fst snd]. rewrite IH. ring. Qed.
Lemma ev_scale a f l : ev (fun k => a * f k) l == a * ev f l.
Proof. induction l as [|[k z] l IH]; unfold ev in *; cbn [fold_right fst snd]; [ring|]. rewrite IH. ring. Qed.
Lemma ev_in f g l : (forall k z, In (k, z) l -> f k == g k) -> ev f l == ev g l.
Proof.
  induction l as [|[k z] l IH]; intro H; [reflexivity|]. unfold ev in *. cbn [fold_right fst snd].
  rewrite (H k z (or_introl eq_refl)), IH; [reflexivity|]. intros k' z' I. apply (H k' z'). now right.
Qed.
Lemma ev_one l : ev (fun _ => 1) l == inject_Z (mass l).
Proof.
  induction l as [|[k z] l IH]; [reflexivity|]. unfold ev, mass in *. cbn [fold_right fst snd]. rewrite IH, inject_Z_plus. ring.
Qed.
Lemma ev_zero l : ev (fun _ => 0) l == 0.
Proof. induction l as [|[k z] l IH]; [reflexivity|]. unfold ev in *. cbn [fold_right fst snd]. rewrite IH. ring. Qed.
Lemma ev_between f l : nonneg l = true -> (forall k, 0 <= f k /\ f k <= 1) -> 0 <= ev f l /\ ev f l <= inject_Z (mass l).
Proof.
  intros N H. rewrite <- ev_one. induction l as [|[k z] l IH]; [split; apply Qle_refl|].
  cbn [nonneg forallb snd] in N. apply andb_prop in N as [Z N]. destruct (IH N) as [A B]. apply Z.leb_le in Z. rewrite Zle_Qle in Z.
  change (inject_Z 0) with 0 in Z. destruct (H k). unfold ev in *. cbn [fold_right fst snd]. split; nra.
Qed.

Lemma prob_ext c n : forall s E E', (forall w, E w = E' w) -> prob c n s E == prob c n s E'.
Proof.
  induction n as [|n IH]; intros s E E' H; cbn [prob]; [now rewrite H|]. apply sum_ext. intros kp _. rewrite (IH _ _ (fun w => E' (label c s :: w))); [reflexivity|].
  intro w. apply H.
Qed.
Lemma prob_head c n s E E' : (forall w, E (label c s :: w) = E' (label c s :: w)) -> prob c (S n) s E == prob c (S n) s E'.
Proof. intro H. cbn [prob]. apply sum_ext. intros kp _. now rewrite (prob_ext c n _ _ (fun w => E' (label c s :: w)) H). Qed.
Lemma prob_never c n : forall s, prob c n s (fun _ => false) == 0.
Proof.
  induction n as [|n IH]; intro s; cbn [prob]; [reflexivity|]. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros kp _. rewrite IH. ring.
Qed.
Lemma prob_always c n : check_model c = true -> forall s, In s (states c) -> prob c n s (fun _ => true) == 1.
Proof.
  intro H. induction n as [|n IH]; intros s Hs; cbn [prob]; [reflexivity|]. apply in_states in Hs. destruct (model_sound c H s Hs) as [T M].
  rewrite <- T. apply sum_ext. intros [k p] Hk. cbn [fst snd]. rewrite IH; [ring|]. apply in_states. now apply (M k p).
Qed.

Fixpoint power (q : Q) (n : nat) : Q := match n with O => 1 | S n => q * power q n end.
Lemma power_pos q n : 0 <= q -> 0 <= power q n.
Proof. intro H. induction n; cbn [power]; [easy|nra]. Qed.
Lemma power_small q n : 0 <= q -> q <= 1 -> power q n * (1 + inject_Z (Z.of_nat n) * (1 - q)) <= 1.
Proof.
  intros H H1. induction n as [|n IH]; [cbn [power]; change (inject_Z (Z.of_nat 0)) with 0; lra|].
  cbn [power]. replace (Z.of_nat (S n)) with (Z.of_nat n + 1)%Z by lia. rewrite inject_Z_plus. change (inject_Z 1) with 1.
  assert (P := power_pos q n H). assert (N : 0 <= inject_Z (Z.of_nat n)) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
  set (p := power q n) in *. set (k := inject_Z (Z.of_nat n)) in *. clearbody p k.
  assert (q * p * (1 + (k + 1) * (1 - q)) <= p * (1 + k * (1 - q))); [|lra].
  assert (E : p * (1 + k * (1 - q)) - q * p * (1 + (k + 1) * (1 - q)) == p * ((k + 1) * ((1 - q) * (1 - q)))) by ring.
  assert (0 <= (1 - q) * (1 - q)) by nra. assert (0 <= (k + 1) * ((1 - q) * (1 - q))) by nra. nra.
Qed.
(** Powers of a number below 1 become as small as one likes. *)
Lemma power_vanishes q h eta : 0 <= q -> q < 1 -> 0 <= h -> 0 < eta -> exists n, power q n * h <= eta.
Proof.
  intros H H1 Hh He. set (x := h / ((1 - q) * eta)). assert (B : 0 < (1 - q) * eta) by nra.
  assert (X : 0 <= x) by (apply Qle_shift_div_l; lra). assert (U := Qle_ceiling x). set (z := Qceiling x) in *.
  exists (Z.to_nat z). assert (Z0 : (0 <= z)%Z) by (rewrite Zle_Qle; change (inject_Z 0) with 0; lra).
  assert (S := power_small q (Z.to_nat z) H (Qlt_le_weak _ _ H1)). rewrite Z2Nat.id in S by assumption.
  assert (P := power_pos q (Z.to_nat z) H). set (p := power q (Z.to_nat z)) in *. clearbody p.
  assert (hx : h == x * ((1 - q) * eta)) by (unfold x; field; lra). assert (K : h <= inject_Z z * ((1 - q) * eta)) by (rewrite hx; nra).
  set (k := inject_Z z) in *. clearbody k x z. clear hx.
  assert (p * h <= p * (k * ((1 - q) * eta))) by nra. assert (p * (k * (1 - q)) <= 1 - p) by lra.
  assert (eta * (p * (k * (1 - q))) <= eta * 1) by nra. lra.
Qed.

Section Steps.
  Variable c : chain.
  Hypothesis Mc : check_model c = true.
  Variable ns : PM.t node.
  Let m := prepare c.

  (** *** What comes after *)

  Lemma after_spec S g x : forall t t', after m S x t = Some t' ->
    evt (fun k => g (unkey k)) t' == inject_Z S * ev (fun i => mean c (unkey i) g) x + evt (fun k => g (unkey k)) t.
  Proof.
    induction x as [|[i z] x IH]; intros t t' E; cbn [after] in E.
    - injection E as <-. unfold ev. cbn. ring.
    - destruct (PM.find i m) as [r|] eqn:Er; [|discriminate]. cbv zeta in E. destruct (_ =? _)%Z eqn:K in E; [|discriminate].
      apply Z.eqb_eq in K. rewrite (IH _ _ E), evt_addl, inject_Z_mult. apply in_prepare in Er as (r' & Ir & -> & _ & Nr).
      assert (M := Mc). unfold check_model in M. rewrite forallb_forall in M. destruct (prep_spec _ _ g (M _ Ir)) as [P _].
      assert (M' : mean c (unkey i) g = sum (map (fun kp => snd kp * g (fst kp)) (snd r'))) by (unfold mean, next; now rewrite Nr).
      rewrite <- P. change (ev (fun i => mean c (unkey i) g) ((i, z) :: x)) with (inject_Z z * mean c (unkey i) g + ev (fun i => mean c (unkey i) g) x).
      rewrite M'. apply (f_equal inject_Z) in K. rewrite inject_Z_mult in K.
      set (y := sum _). set (w := inject_Z (S / _)) in *. set (d := inject_Z (Zpos _)) in *. rewrite <- K. ring.
  Qed.

  Lemma remaining_spec side f es : forall t, evt f (remaining ns side es t) == evt f t - ahead ns (fun q => ev f (side q)) {| whole := 1; entries := es |}.
  Proof.
    induction es as [|[k z] es IH]; intro t; unfold ahead in *; cbn [remaining fold_left fold_right entries fst snd] in *; [ring|].
    unfold remaining in IH. rewrite IH. destruct (PM.find k ns) as [q|]; [|reflexivity]. rewrite evt_addl, inject_Z_opp. ring.
  Qed.

  Lemma follows_spec side s x g : follows m ns side s x = true ->
    inject_Z (Zpos (whole s)) * ev (fun i => mean c (unkey i) g) x == ahead ns (fun q => ev (fun k => g (unkey k)) (side q)) s.
  Proof.
    unfold follows. destruct (after m _ x Leaf) as [t|] eqn:E; [|discriminate]. intro Z.
    assert (A := after_spec _ g x _ _ E). assert (B := evt_zeros _ Z (fun k => g (unkey k))). rewrite remaining_spec, A in B. cbn [evt] in B.
    change (ahead ns (fun q => ev (fun k => g (unkey k)) (side q)) {| whole := 1; entries := entries s |})
      with (ahead ns (fun q => ev (fun k => g (unkey k)) (side q)) s) in B. lra.
  Qed.

  Lemma ahead_ext f g s : (forall q, f q == g q) -> ahead ns f s == ahead ns g s.
  Proof.
    intro H. unfold ahead. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd]; [reflexivity|].
    destruct (PM.find k ns) as [q|]; [now rewrite H, IH|assumption].
  Qed.
  Lemma ahead_sum a b f g s : ahead ns (fun q => a * f q + b * g q) s == a * ahead ns f s + b * ahead ns g s.
  Proof.
    unfold ahead. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd]; [ring|].
    destruct (PM.find k ns) as [q|]; [rewrite IH; ring|assumption].
  Qed.
  Lemma ahead_scale a f s : ahead ns (fun q => a * f q) s == a * ahead ns f s.
  Proof.
    unfold ahead. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd]; [ring|].
    destruct (PM.find k ns) as [q|]; [rewrite IH; ring|assumption].
  Qed.
  Lemma ahead_le f g s : forallb (fun e => (0 <=? snd e)%Z && PM.mem (fst e) ns) (entries s) = true ->
    (forall k q, In (Some q) (targets ns s) -> PM.find k ns = Some q -> f q <= g q) -> ahead ns f s <= ahead ns g s.
  Proof.
    unfold ahead, targets. induction (entries s) as [|[k z] es IH]; cbn [fold_right fst snd forallb map]; intros N H; [apply Qle_refl|].
    apply andb_prop in N as [A N]. apply andb_prop in A as [A _]. apply Z.leb_le in A. rewrite Zle_Qle in A. change (inject_Z 0) with 0 in A.
    assert (R := IH N (fun k q I => H k q (or_intror I))).
    destruct (PM.find k ns) as [q|] eqn:E; [|assumption]. assert (f q <= g q) by (apply (H k); [now left|assumption]). nra.
  Qed.
End Steps.

Section Nodes.
  Variables (c : chain) (alpha : Q) (D : positive) (rows : list urow) (rho : Q) (nodes : list (positive * node)).
  Hypothesis Hn : check_nodes c alpha D rows rho nodes = true.
  Let m := prepare c.
  Let ns := of_list nodes.
  Let u := value m (utable rows) (Zpos D).
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).

  Lemma node_parts : check_upper c alpha D rows = true /\ 0 <= rho /\ rho < 1 /\
    forall k q, PM.find k ns = Some q -> check_node m ns u an ad (Zpos D) rho q = true.
  Proof.
    unfold check_nodes in Hn. apply andb_prop in Hn as [H F]. apply andb_prop in H as [H R1]. apply andb_prop in H as [H R0].
    apply Qle_bool_iff in R0. apply negb_true_iff in R1. rewrite forallb_forall in F.
    split; [assumption|]. split; [assumption|]. split.
    - apply Qnot_le_lt. intro. apply Qle_bool_iff in H0. congruence.
    - intros k q E. apply find_of_list in E. exact (F _ E).
  Qed.
  Lemma model_ok : check_model c = true.
  Proof. now apply (parts c alpha D rows), node_parts. Qed.

  (** *** What an event gains *)

  Definition total (n : nat) (x : vector) (E : list N -> bool) : Q := ev (fun i => prob c n (unkey i) E) x.
  Definition gain (n : nat) (q : node) (E : list N -> bool) : Q := total n (xs q) E - alpha * total n (ys q) E.

  Section Node.
    Variables (k : positive) (q : node).
    Hypothesis Hq : PM.find k ns = Some q.

    Lemma ok : check_node m ns u an ad (Zpos D) rho q = true.
    Proof. now apply node_parts with k. Qed.

    Lemma state_ok i z : In (i, z) (xs q) \/ In (i, z) (ys q) -> In (unkey i) (states c) /\ label c (unkey i) = seen q.
    Proof.
      intro I. assert (H := ok). unfold check_node in H. cbv zeta in H. apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. apply andb_prop in H as [H _].
      rewrite forallb_forall in H. specialize (H (i, z) (proj2 (in_app_iff _ _ _) I)). cbn [fst] in H.
      destruct (PM.find i m) as [r|] eqn:E; [|discriminate]. apply N.eqb_eq in H. apply find_label in E as [L S]. split; [assumption|congruence].
    Qed.

    Definition gap : Q := inject_Z (mass (xs q)) - alpha * inject_Z (mass (ys q)).
    Lemma gap_eq : inject_Z (ad * mass (xs q) - an * mass (ys q)) / inject_Z ad == gap.
    Proof.
      assert (A := times_den alpha). fold ad an in A. unfold gap, Z.sub.
      rewrite inject_Z_plus, inject_Z_opp, !inject_Z_mult, <- A. field. easy.
    Qed.

    Lemma up_ok : 0 <= up q /\ gap <= up q.
    Proof.
      assert (H := ok). unfold check_node in H. cbv zeta in H. apply andb_prop in H as [H _]. apply andb_prop in H as [H G]. apply andb_prop in H as [_ H].
      apply Qle_bool_iff in G, H. rewrite gap_eq in G. now split.
    Qed.

    Lemma gain_0 E : gain 0 q E <= up q.
    Proof.
      destruct up_ok as [A B]. unfold gain, total. cbn [prob]. destruct (E []).
      - rewrite !ev_one. exact B.
      - rewrite !ev_zero. lra.
    Qed.

    Lemma total_step n x E : x = xs q \/ x = ys q ->
      total (S n) x E == ev (fun i => mean c (unkey i) (fun k => prob c n k (fun w => E (seen q :: w)))) x.
    Proof.
      intro X. unfold total. apply ev_in. intros i z I. cbn [prob].
      assert (L : label c (unkey i) = seen q) by (apply (state_ok i z); destruct X as [<-|<-]; auto). now rewrite L.
    Qed.

    Lemma gain_step n s E : check_steps m ns q s = true ->
      inject_Z (Zpos (whole s)) * gain (S n) q E == ahead ns (fun p => gain n p (fun w => E (seen q :: w))) s /\
      inject_Z (Zpos (whole s)) * total (S n) (xs q) E == ahead ns (fun p => total n (xs p) (fun w => E (seen q :: w))) s /\
      inject_Z (Zpos (whole s)) * total (S n) (ys q) E == ahead ns (fun p => total n (ys p) (fun w => E (seen q :: w))) s.
    Proof.
      intro H. unfold check_steps in H. apply andb_prop in H as [H Fy]. apply andb_prop in H as [_ Fx].
      apply (follows_spec c model_ok ns xs s _ (fun k => prob c n k (fun w => E (seen q :: w)))) in Fx.
      apply (follows_spec c model_ok ns ys s _ (fun k => prob c n k (fun w => E (seen q :: w)))) in Fy.
      rewrite <- (total_step n) in Fx, Fy by auto. repeat split; [|exact Fx|exact Fy].
      unfold gain. rewrite (ahead_ext ns _ (fun p => 1 * total n (xs p) (fun w => E (seen q :: w)) + - alpha * total n (ys p) (fun w => E (seen q :: w)))) by (intro; ring).
      rewrite ahead_sum. unfold total at 3 4. rewrite <- Fx, <- Fy. ring.
    Qed.

    (** All or nothing. *)
    Lemma gain_max n : exists E, gap <= gain n q E /\ 0 <= gain n q E \/ gap <= 0 /\ gain n q E == 0.
    Proof.
      destruct (Qlt_le_dec 0 gap) as [P|P].
      - exists (fun _ => true). left. assert (E : gain n q (fun _ => true) == gap).
        { unfold gain, gap, total. rewrite <- !ev_one.
          rewrite (ev_in _ (fun _ => 1) (xs q)), (ev_in _ (fun _ => 1) (ys q)); [reflexivity| |];
          intros i z I; apply prob_always; try apply model_ok; apply (state_ok i z); auto. }
        rewrite E. split; lra.
      - exists (fun _ => false). right. split; [assumption|]. unfold gain, total.
        rewrite (ev_in _ (fun _ => 0) (xs q)), (ev_in _ (fun _ => 0) (ys q)); [rewrite !ev_zero; ring| |]; intros; apply prob_never.
    Qed.
    Lemma reaches n v : v <= Qmax 0 gap -> exists E, v <= gain n q E.
    Proof.
      intro V. destruct (gain_max n) as (E & [[A B]|[A B]]); exists E.
      - destruct (Q.max_spec 0 gap) as [[_ M]|[_ M]]; rewrite M in V; lra.
      - destruct (Q.max_spec 0 gap) as [[_ M]|[_ M]]; rewrite M in V; lra.
    Qed.
  End Node.

  (** *** From above *)

  Lemma stop_upper k q unit w : PM.find k ns = Some q -> sort q = Stop unit w -> forall n E, gain n q E <= up q.
  Proof.
    intros Hq Hs n E. assert (H := ok k q Hq). unfold check_node in H. cbv zeta in H. rewrite Hs in H.
    apply andb_prop in H as [_ H]. apply andb_prop in H as [_ H].
    destruct node_parts as (Hu & _). assert (Pu := inject_pos (Qden (up q))). assert (PD := inject_pos D). assert (Pa := inject_pos (Qden alpha)).
    assert (PU := inject_pos unit). fold ad in Pa.
    apply (bounded_sound _ _ _ _ (fun i => prob c n (unkey i) E) (fun i => prob_bounds c model_ok n (unkey i) E)) in H.
    - rewrite !evt_addl in H. cbn [evt] in H. fold (total n (xs q) E) (total n (ys q) E) in H.
      rewrite inject_Z_opp, !inject_Z_mult in H. assert (A := times_den alpha). fold an ad in A. rewrite <- A in H.
      assert (B := times_den (up q)). rewrite <- B in H. unfold gain.
      set (X := total n (xs q) E) in *. set (Y := total n (ys q) E) in *. set (d := inject_Z (Zpos D)) in *. set (a := inject_Z ad) in *.
      set (un := inject_Z (Zpos unit)) in *. set (e := inject_Z (Zpos (Qden (up q)))) in *. set (v := up q) in *. clearbody X Y d a un e v.
      assert (L : d * e * a * un * (X - alpha * Y - v) <= 0) by lra.
      assert (0 < d * e * a * un) by (repeat apply Qmult_lt_0_compat; assumption).
      apply Qnot_lt_le. intro. assert (0 < X - alpha * Y - v) by lra. assert (0 < d * e * a * un * (X - alpha * Y - v)) by (apply Qmult_lt_0_compat; assumption). lra.
    - intros i j. assert (U := upper_sound c alpha D rows Hu n E i j). fold m u in U. rewrite !inject_Z_mult.
      assert (A := times_den alpha). fold an ad in A. rewrite <- A.
      set (X := prob c n (unkey i) E) in *. set (Y := prob c n (unkey j) E) in *. set (d := inject_Z (Zpos D)) in *. set (a := inject_Z ad) in *.
      set (e := inject_Z (Zpos (Qden (up q)))) in *. set (v := inject_Z (u i j)) in *. clearbody X Y d a e v.
      assert (a * e * (d * X) <= a * e * (d * (alpha * Y) + v)) by (assert (0 < a * e) by nra; nra). lra.
    - rewrite inject_Z_mult. nra.
  Qed.

  Lemma balanced_parts k q s : PM.find k ns = Some q -> sort q = Balanced s ->
    check_steps m ns q s = true /\ nonneg (xs q) = true /\ 0 < inject_Z (mass (xs q)) /\ low q <= Qmax 0 (gap q) /\
    forall j p, In (Some p) (targets ns s) -> PM.find j ns = Some p -> (exists s', sort p = Balanced s') /\ 0 < inject_Z (mass (xs p)) /\
      inject_Z (mass (xs q)) * inject_Z (mass (ys p)) == inject_Z (mass (ys q)) * inject_Z (mass (xs p)).
  Proof.
    intros Hq Hs. assert (H := ok k q Hq). unfold check_node in H. cbv zeta in H. rewrite Hs in H.
    apply andb_prop in H as [_ H]. apply andb_prop in H as [H T]. apply andb_prop in H as [H M]. apply andb_prop in H as [H L]. apply andb_prop in H as [H N].
    apply Z.ltb_lt in M. rewrite Zlt_Qlt in M. apply Qle_bool_iff in L. rewrite (gap_eq q) in L. repeat split; try assumption.
    all: rewrite forallb_forall in T; specialize (T _ H0); cbn beta iota in T; apply andb_prop in T as [T P]; apply andb_prop in T as [B T].
    - unfold balanced in B. destruct (sort p); try discriminate. eexists; reflexivity.
    - apply Z.ltb_lt in P. rewrite Zlt_Qlt in P. exact P.
    - apply Z.eqb_eq in T. rewrite <- !inject_Z_mult. now rewrite T.
  Qed.

  Lemma balanced_ratio n : forall k q s E, PM.find k ns = Some q -> sort q = Balanced s ->
    inject_Z (mass (xs q)) * total n (ys q) E == inject_Z (mass (ys q)) * total n (xs q) E.
  Proof.
    induction n as [|n IH]; intros k q s E Hq Hs.
    - unfold total. cbn [prob]. destruct (E []); [rewrite !ev_one|rewrite !ev_zero]; ring.
    - destruct (balanced_parts k q s Hq Hs) as (St & _ & P & _ & T). destruct (gain_step k q Hq n s E St) as (_ & Ex & Ey).
      set (f := fun w => E (seen q :: w)) in *.
      assert (Eq : forall a b : node -> Q, (forall j p, In (Some p) (targets ns s) -> PM.find j ns = Some p -> a p == b p) -> ahead ns a s == ahead ns b s).
      { intros a b Hab. unfold check_steps in St. do 3 apply andb_prop in St as [St _].
        apply Qle_antisym; apply ahead_le; try assumption; intros j p I F; rewrite (Hab j p I F); apply Qle_refl. }
      assert (K : ahead ns (fun p => inject_Z (mass (xs q)) * total n (ys p) f) s == ahead ns (fun p => inject_Z (mass (ys q)) * total n (xs p) f) s).
      { apply Eq. intros j p I F. destruct (T j p I F) as ((s' & Hs') & Pp & R). assert (J := IH j p s' f F Hs').
        set (mx := inject_Z (mass (xs q))) in *. set (my := inject_Z (mass (ys q))) in *. set (px := inject_Z (mass (xs p))) in *. set (py := inject_Z (mass (ys p))) in *.
        set (X := total n (xs p) f) in *. set (Y := total n (ys p) f) in *. clearbody mx my px py X Y.
        assert (Z : px * (mx * Y - my * X) == 0).
        { transitivity (mx * (px * Y) - my * px * X); [ring|]. rewrite J, <- R. ring. }
        destruct (Qmult_integral _ _ Z) as [Z0|Z0]; lra. }
      rewrite !ahead_scale, <- Ex, <- Ey in K.
      assert (W := inject_pos (whole s)). set (wh := inject_Z (Zpos (whole s))) in *.
      set (X := total (S n) (xs q) E) in *. set (Y := total (S n) (ys q) E) in *. set (mx := inject_Z (mass (xs q))) in *. set (my := inject_Z (mass (ys q))) in *.
      clearbody wh X Y mx my. assert (Z : wh * (mx * Y - my * X) == 0) by (transitivity (mx * (wh * Y) - my * (wh * X)); [ring|lra]).
      destruct (Qmult_integral _ _ Z) as [Z0|Z0]; lra.
  Qed.

  Lemma balanced_upper k q s : PM.find k ns = Some q -> sort q = Balanced s -> forall n E, gain n q E <= up q.
  Proof.
    intros Hq Hs n E. destruct (up_ok k q Hq) as [U0 U1]. destruct (balanced_parts k q s Hq Hs) as (_ & N & P & _ & _).
    assert (R := balanced_ratio n k q s E Hq Hs). destruct (ev_between (fun i => prob c n (unkey i) E) (xs q) N) as [A B].
    { intro i. apply (prob_bounds c model_ok). }
    unfold gain, gap in *. fold (total n (xs q) E) in A, B.
    set (X := total n (xs q) E) in *. set (Y := total n (ys q) E) in *. set (mx := inject_Z (mass (xs q))) in *. set (my := inject_Z (mass (ys q))) in *.
    set (v := up q) in *. clearbody X Y mx my v.
    assert (K : mx * (X - alpha * Y) == X * (mx - alpha * my)) by (transitivity (mx * X - alpha * (mx * Y)); [ring|rewrite R; ring]).
    assert (X * (mx - alpha * my) <= mx * v) by nra. nra.
  Qed.

  Theorem nodes_upper n : forall k q E, PM.find k ns = Some q -> gain n q E <= up q.
  Proof.
    induction n as [|n IH]; intros k q E Hq; [now apply gain_0 with k|].
    destruct (sort q) as [unit w|s h|s] eqn:Hs; [now apply (stop_upper k q unit w)| |now apply (balanced_upper k q s)].
    assert (H := ok k q Hq). unfold check_node in H. cbv zeta in H. rewrite Hs in H. apply andb_prop in H as [_ H].
    apply andb_prop in H as [H _]. apply andb_prop in H as [H U]. apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. apply andb_prop in H as [St _].
    apply Qle_bool_iff in U. destruct (gain_step k q Hq n s E St) as (G & _).
    assert (L : ahead ns (fun p => gain n p (fun w => E (seen q :: w))) s <= ahead ns up s).
    { unfold check_steps in St. do 3 apply andb_prop in St as [St _]. apply ahead_le; [assumption|]. intros j p _ F. now apply (IH j). }
    rewrite <- G in L. assert (W := inject_pos (whole s)). set (g := gain (S n) q E) in *. clearbody g.
    assert (inject_Z (Zpos (whole s)) * (g - up q) <= 0) by lra. nra.
  Qed.

  (** *** From below *)

  (** Events for what follows, one for each next label, are one event. *)
  Lemma choose n (v : node -> Q) s : distinct (map label_of (targets ns s)) = true ->
    (forall j p, PM.find j ns = Some p -> exists E, v p <= gain (S n) p E) ->
    exists E, forall j p, In (Some p) (targets ns s) -> PM.find j ns = Some p -> v p <= gain (S n) p E.
  Proof.
    intros Dl H. unfold targets in *. induction (entries s) as [|[j z] es IH]; cbn [map fst distinct] in *.
    - exists (fun _ => false). intros ? ? [].
    - apply andb_prop in Dl as [N Dl]. destruct (IH Dl) as (E & HE). destruct (PM.find j ns) as [p|] eqn:F.
      2: { exists E. intros j' p' [I|I] F'; [discriminate|now apply (HE j')]. }
      destruct (H j p F) as (Ep & Hp). cbn [label_of] in N. apply negb_true_iff in N.
      assert (Same : forall E1 E2 q k, PM.find k ns = Some q -> (forall w, E1 (seen q :: w) = E2 (seen q :: w)) -> gain (S n) q E1 == gain (S n) q E2).
      { intros E1 E2 q k Hq Ext. unfold gain, total.
        rewrite (ev_in _ (fun i => prob c (S n) (unkey i) E2) (xs q)), (ev_in (fun i => prob c (S n) (unkey i) E1) (fun i => prob c (S n) (unkey i) E2) (ys q)); [reflexivity| |];
          intros i z' I; apply prob_head; intro w; (assert (L : label c (unkey i) = seen q) by (apply (state_ok k q Hq i z'); auto)); now rewrite L. }
      exists (fun w => match w with a :: _ => if (a =? seen p)%N then Ep w else E w | [] => false end).
      intros j' p' [I|I] F'.
      + injection I as <-. rewrite (Same _ Ep p j F); [assumption|]. intro w. now rewrite N.eqb_refl.
      + rewrite (Same _ E p' j' F'); [now apply (HE j')|]. intro w. destruct (N.eqb_spec (seen p') (seen p)) as [L|]; [|reflexivity].
        exfalso. assert (Ex : existsb (N.eqb (seen p)) (map label_of (map (fun e => PM.find (fst e) ns) es)) = true); [|congruence].
        apply existsb_exists. exists (seen p'). split; [|now apply N.eqb_eq]. apply in_map_iff. exists (Some p'). now split.
  Qed.

  Theorem nodes_lower n : forall k q, PM.find k ns = Some q -> exists E, low q - power rho n * height q <= gain (S n) q E.
  Proof.
    destruct node_parts as (_ & R0 & R1 & _).
    assert (Ends : forall n k q, PM.find k ns = Some q -> (forall s h, sort q <> Inner s h) -> exists E, low q - power rho n * height q <= gain (S n) q E).
    { clear n. intros n k q Hq Hs. assert (L : low q <= Qmax 0 (gap q)).
      { assert (H := ok k q Hq). unfold check_node in H. cbv zeta in H. destruct (sort q) as [unit w|s h|s] eqn:E.
        - apply andb_prop in H as [_ H]. apply andb_prop in H as [H _]. apply Qle_bool_iff in H. now rewrite (gap_eq q) in H.
        - now destruct (Hs s h).
        - now apply (balanced_parts k q s). }
      destruct (reaches k q Hq (S n) _ L) as (E & HE). exists E.
      assert (Z : height q == 0) by (unfold height; destruct (sort q) as [unit w|s h|s] eqn:Sq; [reflexivity|now destruct (Hs s h)|reflexivity]).
      rewrite Z. lra. }
    induction n as [|n IH]; intros k q Hq; (destruct (sort q) as [unit w|s h|s] eqn:Hs;
      [now apply (Ends _ k q Hq); intros; rewrite Hs| |now apply (Ends _ k q Hq); intros; rewrite Hs]);
      (assert (H := ok k q Hq); unfold check_node in H; cbv zeta in H; rewrite Hs in H; apply andb_prop in H as [_ H];
       apply andb_prop in H as [H Fall]; apply andb_prop in H as [H _]; apply andb_prop in H as [H Low]; apply andb_prop in H as [H Start];
       apply andb_prop in H as [St H0]; apply Qle_bool_iff in Fall, Low, Start, H0);
      assert (Hh : height q = h) by (unfold height; now rewrite Hs); rewrite Hh.
    - exists (fun _ => false). unfold gain, total.
      rewrite (ev_in _ (fun _ => 0) (xs q)), (ev_in _ (fun _ => 0) (ys q)); [|intros; apply prob_never|intros; apply prob_never].
      rewrite !ev_zero. cbn [power]. lra.
    - assert (Dl := St). unfold check_steps in Dl. do 2 apply andb_prop in Dl as [Dl _]. apply andb_prop in Dl as [Pos Dl].
      destruct (choose n (fun p => 1 * low p + - power rho n * height p) s Dl) as (E & HE).
      { intros j p F. destruct (IH j p F) as (Ep & Hp). exists Ep. lra. }
      exists (fun w => match w with [] => false | _ :: w => E w end).
      destruct (gain_step k q Hq (S n) s (fun w => match w with [] => false | _ :: w => E w end) St) as (G & _).
      assert (L : ahead ns (fun p => 1 * low p + - power rho n * height p) s <= ahead ns (fun p => gain (S n) p E) s) by (now apply ahead_le).
      change (ahead ns (fun p => gain (S n) p (fun w => match seen q :: w with [] => false | _ :: w0 => E w0 end)) s) with (ahead ns (fun p => gain (S n) p E) s) in G.
      rewrite <- G, ahead_sum in L. cbn [power].
      assert (W := inject_pos (whole s)). assert (P := power_pos rho n R0). set (wh := inject_Z (Zpos (whole s))) in *.
      set (g := gain (S (S n)) q _) in *. set (p := power rho n) in *. set (al := ahead ns low s) in *. set (ah := ahead ns height s) in *.
      clearbody wh g p al ah. assert (p * ah <= p * (rho * wh * h)) by nra.
      assert (0 <= wh * (g - (low q - rho * p * h))) by lra. nra.
  Qed.
End Nodes.
