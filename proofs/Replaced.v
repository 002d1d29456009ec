(** * Compositions of chains: laws in place of runs *)
From Coq Require Import List NArith ZArith QArith Qminmax Lqa Lia Bool.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Quotient Unrolling Laws Composition Trials Graphs Decode.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** Of a run: the quotient that its graphs are about, if it is not the chain itself; and graphs of pairs of its states. *)
Record trace := { classed_by : option (chain * list N); graphs : list (N * N * graph) }.
Definition base_of (c : chain) (e : trace) : chain := match classed_by e with Some b => fst b | None => c end.
Definition place_of (e : trace) (s : N) : N := match classed_by e with Some b => class (snd b) s | None => s end.
Definition check_base (c : chain) (e : trace) : bool :=
  match classed_by e with Some b => check_quotient c (fst b) (snd b) | None => check_model c end.
Definition covered (e : trace) (st : N * N) : bool :=
  existsb (fun g => (fst (fst g) =? place_of e (fst st))%N && (snd (fst g) =? place_of e (snd st))%N) (graphs e).
(** States of different labels need no graph: the first label tells them apart. *)
Definition apart : mechanism := [(1, 0); (0, 1)].

Section Check.
  Variables (basis : list Q) (u : secret) (quantifier : (N * N -> bool) -> list (N * N) -> bool).

  Definition matched (ps : list prepared) (m : mechanism) : bool := existsb (check_mechanism basis u m) ps.
  Definition check_trial (t : trial) (e : trace * list prepared) : bool :=
    match t with
    | Draw m => matched (snd e) m
    | Run c pairs =>
        let labels := nodup N.eq_dec (map fst c) in let b := base_of c (fst e) in let m := prepare b in
        check_base c (fst e) && forallb (fun row => known labels (fst row)) b
        && forallb (fun st => inside c (fst st) && inside c (snd st)) pairs
        && forallb (fun g => check_graph m labels (snd g) (fst (fst g)) (snd (fst g)) && matched (snd e) (law_of (snd g))) (graphs (fst e))
        && quantifier (fun st => covered (fst e) st || (negb (label c (fst st) =? label c (snd st))%N && matched (snd e) apart)) pairs
    end.
  Fixpoint check_each (l : trials) (e : list (trace * list prepared)) : bool :=
    match l, e with [], [] => true | (t, _) :: l, x :: e => check_trial t x && check_each l e | _, _ => false end.

  (** All ways to choose one of the laws of each trial. *)
  Fixpoint tuples (l : trials) (e : list (trace * list prepared)) : list (list (prepared * N)) :=
    match l, e with (_, k) :: l, x :: e => flat_map (fun p => map (cons (p, k)) (tuples l e)) (snd x) | _, _ => [[]] end.
  Definition check_trials (alpha : Q) (l : trials) (e : list (trace * list prepared)) (compare : Z -> Z -> bool) : bool :=
    forallb (fun b => 0 <? Qnum b)%Z basis && (0 <=? Qnum alpha)%Z && check_each l e
    && forallb (fun ps => sums_to basis u alpha ps compare) (tuples l e).
End Check.
Definition check_trials_at_most basis alpha delta l e : bool :=
  forallb (fun u => check_trials basis u (@forallb _) alpha l e (fun gain scale => gain * Zpos (Qden delta) <=? Qnum delta * scale)%Z) [First; Second].
Definition check_trials_at_least basis u alpha delta l e : bool :=
  check_trials basis u (@existsb _) alpha l e (fun gain scale => Qnum delta * scale <=? gain * Zpos (Qden delta))%Z.

(** ** What events gain, as a function of a law *)
Section Best.
  Variables (alpha : Q) (u : secret).
  Hypothesis Ha : 0 <= alpha.
  Notation best := (best alpha u).

  Lemma best_splits l : forall x y x' y', best l (x + x') (y + y') <= best l x y + best l x' y'.
  Proof.
    induction l as [|m l IH]; intros x y x' y'; cbn [Composition.best].
    - apply Q.max_lub; [|setoid_replace (x + x' - alpha * (y + y')) with ((x - alpha * y) + (x' - alpha * y')) by ring].
      + assert (A := Q.le_max_l 0 (x - alpha * y)). assert (B := Q.le_max_l 0 (x' - alpha * y')). lra.
      + assert (A := Q.le_max_r 0 (x - alpha * y)). assert (B := Q.le_max_r 0 (x' - alpha * y')). lra.
    - rewrite <- sum_plus. apply sum_le. intros pq _.
      rewrite (best_ext alpha u l _ _ (x * under u pq + x' * under u pq) (y * under (other u) pq + y' * under (other u) pq)) by ring. apply IH.
  Qed.
  Lemma best_between l : Forall fair l -> forall x y, 0 <= x -> 0 <= y -> 0 <= best l x y /\ best l x y <= x.
  Proof.
    induction l as [|m l IH]; intros H x y X Y; cbn [Composition.best].
    - split; [apply Q.le_max_l|]. apply Q.max_lub; [assumption|]. assert (0 <= alpha * y) by now apply Qmult_le_0_compat. lra.
    - inversion_clear H as [|? ? Hm Hl]. destruct (Hm u) as [S P]. destruct (Hm (other u)) as [_ P'].
      assert (B : forall pq, In pq m -> 0 <= best l (x * under u pq) (y * under (other u) pq) /\ best l (x * under u pq) (y * under (other u) pq) <= x * under u pq).
      { intros pq I. apply IH; [assumption|apply Qmult_le_0_compat; auto|apply Qmult_le_0_compat; auto]. }
      split; [apply sum_pos; intros pq I; now apply B|].
      setoid_replace x with (x * sum (map (under u) m)) at 2 by (rewrite S; ring). rewrite <- sum_scale. apply sum_le. intros pq I. now apply B.
  Qed.

  (** What follows an outcome of the probabilities p and q. *)
  Definition then_best (l : list mechanism) (x y p q : Q) : Q := best l (x * under u (p, q)) (y * under (other u) (p, q)).
  Lemma then_convex l x y : convex (then_best l x y).
  Proof.
    unfold then_best. split.
    - intros p q p' q' E F. apply best_ext; destruct u; cbn; rewrite ?E, ?F; reflexivity.
    - intros a p q A. rewrite <- best_scale by assumption. apply best_ext; destruct u; cbn; ring.
    - intros p q p' q'. eapply Qle_trans; [|apply best_splits]. apply Qle_lteq. right. apply best_ext; destruct u; cbn; ring.
  Qed.
  Lemma then_within l x y : Forall fair l -> 0 <= x -> 0 <= y -> within x (then_best l x y).
  Proof.
    intros Fl X Y p q P Q. assert (Pu : forall v, 0 <= under v (p, q)) by (intros []; assumption).
    destruct (best_between l Fl (x * under u (p, q)) (y * under (other u) (p, q))) as [A B]; try (apply Qmult_le_0_compat; auto).
    split; [exact A|]. unfold then_best. eapply Qle_trans; [exact B|]. destruct u; cbn; nra.
  Qed.
  Lemma best_msum m l x y : best (m :: l) x y == msum (then_best l x y) m.
  Proof. cbn [Composition.best]. apply sum_ext. intros [p q] _. reflexivity. Qed.

  Lemma best_below l l' : Forall2 (fun m m' => below m m' /\ fair m') l l' -> forall x y, 0 <= x -> 0 <= y -> best l x y <= best l' x y.
  Proof.
    induction 1 as [|m m' l l' [B F] H IH]; intros x y X Y; [apply Qle_refl|]. rewrite !best_msum. eapply Qle_trans; [apply B, then_convex|].
    apply sum_le. intros [p q] I. apply IH; (apply Qmult_le_0_compat; [assumption|]); now apply F.
  Qed.
  Lemma best_near eta l l' : 0 <= eta -> Forall2 (fun m m' => near eta m m' /\ fair m /\ fair m') l l' -> forall x y, 0 <= x -> 0 <= y ->
    best l' x y <= best l x y + inject_Z (Z.of_nat (length l)) * eta * x.
  Proof.
    intro He. induction 1 as [|m m' l l' (N & F & F') H IH]; intros x y X Y; [cbn [length]; change (inject_Z (Z.of_nat 0)) with 0; lra|].
    assert (Fl : Forall fair l) by (clear - H; induction H as [|a b l l' (_ & A & _) _ IH]; now constructor).
    assert (Fl' : Forall fair l') by (clear - H; induction H as [|a b l l' (_ & _ & A) _ IH]; now constructor).
    rewrite !best_msum. eapply Qle_trans; [apply (N _ x X (then_convex l' x y)); now apply then_within|].
    set (k := inject_Z (Z.of_nat (length l))) in *. destruct (F u) as [One P]. destruct (F (other u)) as [_ P'].
    assert (A : msum (then_best l' x y) m <= msum (then_best l x y) m + k * eta * x).
    { setoid_replace (k * eta * x) with (k * eta * x * sum (map (under u) m)) by (rewrite One; ring). unfold msum. rewrite <- sum_scale, <- sum_plus.
      apply sum_le. intros [p q] I. specialize (P _ I). specialize (P' _ I). unfold then_best. cbn [fst snd]. rewrite <- Qmult_assoc.
      apply IH; now apply Qmult_le_0_compat. }
    cbn [length]. replace (Z.of_nat (S (length l))) with (Z.of_nat (length l) + 1)%Z by lia. rewrite inject_Z_plus. fold k. change (inject_Z 1) with 1. lra.
  Qed.
End Best.

(** ** Laws in place of runs *)
Definition replaced (ms : nat -> mechanism) (m : mechanism) : Prop :=
  (forall n, fair (ms n)) /\ fair m /\ (forall n, below (ms n) m) /\ forall eta, 0 < eta -> exists k, forall n, (k <= n)%nat -> near eta (ms n) m.

Lemma replaced_self m : fair m -> replaced (fun _ => m) m.
Proof.
  intro F. split; [easy|]. split; [easy|]. split; [intros _ g _; apply Qle_refl|]. intros eta E. exists 0%nat. intros n _ g K HK _ _.
  assert (0 <= eta * K) by nra. lra.
Qed.

(** States that are told apart. *)
Section Apart.
  Variables (g : Q -> Q -> Q).
  Hypothesis Cg : convex g.
  Lemma first_alone p q : 0 <= p -> q == 0 -> g p q == p * g 1 0.
  Proof. intros P E. rewrite <- (scales g Cg p 1 0 P). apply (same_values g Cg); rewrite ?E; ring. Qed.
  Lemma second_alone p q : p == 0 -> 0 <= q -> g p q == q * g 0 1.
  Proof. intros E P. rewrite <- (scales g Cg q 0 1 P). apply (same_values g Cg); rewrite ?E; ring. Qed.
  Lemma apart_value : msum g apart == g 1 0 + g 0 1.
  Proof. unfold msum, apart. cbn [map fst snd]. rewrite !sum_cons, sum_nil. ring. Qed.
  Lemma parted m : fair m -> sum (map (fun pq => fst pq * g 1 0 + snd pq * g 0 1) m) == msum g apart.
  Proof.
    intro F. rewrite sum_plus, apart_value. rewrite (sum_ext m _ (fun pq => g 1 0 * fst pq)), (sum_ext m (fun pq => snd pq * g 0 1) (fun pq => g 0 1 * snd pq)) by (intros; ring).
    rewrite !sum_scale. destruct (F First) as [A _]. destruct (F Second) as [B _]. cbn [under] in A, B. unfold under in A, B. rewrite A, B. ring.
  Qed.
  Lemma apart_above m : fair m -> msum g m <= msum g apart.
  Proof.
    intro F. rewrite <- (parted m F). apply sum_le. intros [p q] I. cbn [fst snd]. assert (P := proj2 (F First) _ I). assert (P' := proj2 (F Second) _ I). cbn [under fst snd] in P, P'.
    rewrite <- (first_alone p 0), <- (second_alone 0 q) by (try assumption; reflexivity). eapply Qle_trans; [|apply (splits g Cg)].
    apply Qle_lteq. right. apply (same_values g Cg); ring.
  Qed.
  Lemma apart_equal m : fair m -> (forall p q, In (p, q) m -> p == 0 \/ q == 0) -> msum g m == msum g apart.
  Proof.
    intros F H. rewrite <- (parted m F). apply sum_ext. intros [p q] I. cbn [fst snd]. assert (P := proj2 (F First) _ I). assert (P' := proj2 (F Second) _ I). cbn [under fst snd] in P, P'.
    destruct (H p q I) as [E|E]; [rewrite (second_alone p q E P'), E|rewrite (first_alone p q P E), E]; ring.
  Qed.
End Apart.

Section Run.
  Variables (basis : list Q) (u : secret) (c : chain) (e : trace) (ps : list prepared).
  Let labels := nodup N.eq_dec (map fst c).
  Hypothesis Hb : check_base c e = true.
  Hypothesis Hk : forallb (fun row => known labels (fst row)) (base_of c e) = true.
  Hypothesis Hg : forallb (fun g => check_graph (prepare (base_of c e)) labels (snd g) (fst (fst g)) (snd (fst g)) && matched basis u ps (law_of (snd g))) (graphs e) = true.

  Lemma base_models : check_model c = true /\ check_model (base_of c e) = true.
  Proof. clear Hk Hg. unfold check_base, base_of in *. destruct (classed_by e) as [[b l]|]; [now apply (quotient_models c b l)|now split]. Qed.
  Lemma base_prob n s E : In s (states c) -> prob c n s E == prob (base_of c e) n (place_of e s) E.
  Proof. intro Hs. clear Hk Hg. unfold check_base, base_of, place_of in *. destruct (classed_by e) as [[b l]|]; [now apply quotient_prob|reflexivity]. Qed.
  Lemma chain_labels b : forallb (fun row => known labels (fst row)) b = true -> forall s, In s (states b) -> In (label b s) labels.
  Proof.
    intros H s Hs. apply in_states in Hs. unfold label. apply known_in. rewrite forallb_forall in H. apply (H (nth (N.to_nat s) b (0%N, []))). now apply nth_In.
  Qed.
  Lemma shown_fair s t n : In s (states c) -> In t (states c) -> fair (shown c s t n).
  Proof.
    intros Hs Ht. destruct base_models as [Mc _].
    assert (Own : forall s, In s (states c) -> In (label c s) labels).
    { apply chain_labels. apply forallb_forall. intros row I. unfold known. apply existsb_exists. exists (fst row). split; [|apply N.eqb_refl].
      apply nodup_In. now apply in_map. }
    intros v. unfold shown. rewrite map_map. split.
    - destruct v; cbn [under fst snd]; (apply (prob_words c labels Mc); [apply NoDup_nodup|exact Own|assumption]).
    - intros pq I. apply in_map_iff in I as (w & <- & _). destruct v; cbn [under fst snd]; apply (prob_bounds c Mc).
  Qed.
  Lemma shown_apart s t n p q : label c s <> label c t -> In (p, q) (shown c s t (S n)) -> p == 0 \/ q == 0.
  Proof.
    intros D I. unfold shown in I. apply in_map_iff in I as (w & [= <- <-] & I). cbn [words] in I. apply in_flat_map in I as (a & _ & I).
    apply in_map_iff in I as (v & <- & _). assert (A := prob_word c n s a v). assert (B := prob_word c n t a v).
    destruct (N.eqb_spec (label c s) a) as [E|]; [|now left]. destruct (N.eqb_spec (label c t) a) as [E'|]; [|now right]. now rewrite E, E' in D.
  Qed.
  Lemma run_replaced st : In (fst st) (states c) -> In (snd st) (states c) ->
    covered e st || (negb (label c (fst st) =? label c (snd st))%N && matched basis u ps apart) = true ->
    exists m p, In p ps /\ check_mechanism basis u m p = true /\ replaced (shown c (fst st) (snd st)) m.
  Proof.
    intros Hs Ht C. apply orb_prop in C as [C|C].
    2: { apply andb_prop in C as [D M]. unfold matched in M. apply existsb_exists in M as (p & Ip & M). exists apart, p. split; [exact Ip|]. split; [exact M|].
      apply negb_true_iff, N.eqb_neq in D. assert (F : forall n, fair (shown c (fst st) (snd st) n)) by (intro n; now apply shown_fair).
      split; [exact F|]. split; [exact (mechanism_fair basis u _ _ M)|]. split; [intros n g Cg; now apply apart_above|].
      intros eta He. exists 1%nat. intros [|n] L g K HK Cg _; [lia|]. rewrite (apart_equal g Cg (shown c (fst st) (snd st) (S n)) (F (S n))).
      - assert (0 <= eta * K) by nra. lra.
      - intros p' q'. now apply shown_apart. }
    unfold covered in C. apply existsb_exists in C as ([[s t] G] & I & E). cbn [fst snd] in E. apply andb_prop in E as [Es Et].
    apply N.eqb_eq in Es as ->, Et as ->. rewrite forallb_forall in Hg. specialize (Hg _ I). cbn [fst snd] in Hg. apply andb_prop in Hg as [Gr M].
    unfold matched in M. apply existsb_exists in M as (p & Ip & M). exists (law_of G), p. split; [exact Ip|]. split; [exact M|].
    destruct base_models as [_ Mb].
    destruct (graph_sound (base_of c e) labels G _ _ Mb (NoDup_nodup _ _) (chain_labels _ Hk) Gr) as [B N].
    assert (Same : forall n g, convex g -> msum g (shown c (fst st) (snd st) n) == msum g (words_of (base_of c e) labels (place_of e (fst st)) (place_of e (snd st)) n)).
    { intros n g Cg. unfold msum, shown, words_of. rewrite !map_map. apply sum_ext. intros w _. cbn [fst snd]. apply (same_values g Cg); now apply base_prob. }
    split; [intro n; now apply shown_fair|]. split; [exact (mechanism_fair basis u _ _ M)|]. split.
    - intros n g Cg. rewrite (Same n g Cg). now apply B.
    - intros eta He. destruct (N eta He) as [k Nk]. exists k. intros n L g K HK Cg Wg. rewrite (Same n g Cg). now apply (Nk n L g K).
  Qed.
End Run.

(** One law for each trial, and what it stands for. *)
Definition way := ((nat -> mechanism) * mechanism * N)%type.
Definition at_n (n : nat) (w : list way) : composition := map (fun w => (fst (fst w) n, snd w)) w.
Definition of_laws (w : list way) : composition := map (fun w => (snd (fst w), snd w)) w.

Section Trials.
  Variables (basis : list Q) (u : secret).
  Definition right (l : trials) (e : list (trace * list prepared)) (w : list way) : Prop :=
    Forall (fun w => replaced (fst (fst w)) (snd (fst w))) w /\ exists ps, In ps (tuples l e) /\ check_parts basis u (of_laws w) ps = true.

  Lemma right_cons t k l x e ms m p w : In p (snd x) -> check_mechanism basis u m p = true -> replaced ms m -> right l e w ->
    right ((t, k) :: l) (x :: e) ((ms, m, k) :: w).
  Proof.
    intros I M R (F & ps & Ips & C). split; [now constructor|]. exists ((p, k) :: ps). split.
    - cbn [tuples]. apply in_flat_map. exists p. split; [exact I|]. now apply in_map.
    - cbn [of_laws map fst snd check_parts]. rewrite M, N.eqb_refl. exact C.
  Qed.
  Lemma draw_right m ps : matched basis u ps m = true -> exists p, In p ps /\ check_mechanism basis u m p = true /\ replaced (fun _ => m) m.
  Proof.
    intro H. apply existsb_exists in H as (p & I & M). exists p. split; [exact I|]. split; [exact M|]. apply replaced_self, (mechanism_fair basis u m p M).
  Qed.

  Lemma any_way : forall l e n c, check_each basis u (@forallb _) l e = true -> In c (choices n l) -> exists w, c = at_n n w /\ right l e w.
  Proof.
    induction l as [|[t k] l IH]; intros [|x e] n c H I; try discriminate.
    - cbn [choices] in I. destruct I as [<-|[]]. exists []. split; [reflexivity|]. split; [constructor|]. exists []. split; [now left|reflexivity].
    - cbn [check_each] in H. apply andb_prop in H as [Ht H]. cbn [choices] in I. apply in_flat_map in I as (m & Im & I). apply in_map_iff in I as (c' & <- & I).
      destruct (IH e n c' H I) as (w & -> & R). destruct t as [m0|c pairs]; cbn [meant check_trial] in *.
      + destruct Im as [<-|[]]. destruct (draw_right m0 (snd x) Ht) as (p & Ip & M & Rm). exists ((fun _ => m0, m0, k) :: w). split; [reflexivity|].
        now apply right_cons with (p := p).
      + cbv zeta in Ht. rewrite !andb_true_iff in Ht. destruct Ht as ((((Hb & Hk) & Hi) & Hg) & Hq). apply in_map_iff in Im as (st & <- & Ist).
        rewrite forallb_forall in Hi, Hq. specialize (Hi st Ist). specialize (Hq st Ist). apply andb_prop in Hi as [Is It]. apply Nat.ltb_lt in Is, It.
        apply in_states in Is, It.
        destruct (run_replaced basis u c (fst x) (snd x) Hb Hk Hg st Is It Hq) as (m & p & Ip & M & Rm).
        exists ((shown c (fst st) (snd st), m, k) :: w). split; [reflexivity|]. now apply right_cons with (p := p).
  Qed.
  Lemma some_way : forall l e, check_each basis u (@existsb _) l e = true -> exists w, (forall n, In (at_n n w) (choices n l)) /\ right l e w.
  Proof.
    induction l as [|[t k] l IH]; intros [|x e] H; try discriminate.
    - exists []. split; [intro n; now left|]. split; [constructor|]. exists []. split; [now left|reflexivity].
    - cbn [check_each] in H. apply andb_prop in H as [Ht H]. destruct (IH e H) as (w & C & R). destruct t as [m0|c pairs]; cbn [check_trial] in Ht.
      + destruct (draw_right m0 (snd x) Ht) as (p & Ip & M & Rm). exists ((fun _ => m0, m0, k) :: w). split; [|now apply right_cons with (p := p)].
        intro n. cbn [choices meant]. apply in_flat_map. exists m0. split; [now left|]. apply (in_map (cons (m0, k))), C.
      + cbv zeta in Ht. rewrite !andb_true_iff in Ht. destruct Ht as ((((Hb & Hk) & Hi) & Hg) & Hq). apply existsb_exists in Hq as (st & Ist & Hq).
        rewrite forallb_forall in Hi. specialize (Hi st Ist). apply andb_prop in Hi as [Is It]. apply Nat.ltb_lt in Is, It. apply in_states in Is, It.
        destruct (run_replaced basis u c (fst x) (snd x) Hb Hk Hg st Is It Hq) as (m & p & Ip & M & Rm).
        exists ((shown c (fst st) (snd st), m, k) :: w). split; [|now apply right_cons with (p := p)].
        intro n. cbn [choices meant]. apply in_flat_map. exists (shown c (fst st) (snd st) n). split; [now apply (in_map (fun st => shown c (fst st) (snd st) n))|]. apply (in_map (cons (shown c (fst st) (snd st) n, k))), C.
  Qed.
  Lemma each_proper q : forall l e, check_each basis u q l e = true -> proper_trials l.
  Proof.
    induction l as [|[t k] l IH]; intros [|x e] H; try discriminate; [intros ? ? []|]. cbn [check_each] in H. apply andb_prop in H as [Ht H].
    intros t' k' [[= <- <-]|I]; [|now apply (IH e H)]. destruct t as [m|c pairs]; cbn [check_trial] in Ht.
    - intros m' n [[= <- <-]|[]] v. destruct (draw_right m (snd x) Ht) as (p & _ & M & _). exact (mechanism_fair basis u m p M v).
    - cbv zeta in Ht. rewrite !andb_true_iff in Ht. destruct Ht as ((((Hb & Hk) & Hi) & Hg) & Hq). split.
      + apply model_sound. now apply (base_models c (fst x) Hb).
      + intros s t I. rewrite forallb_forall in Hi. specialize (Hi _ I). cbn [fst snd] in Hi. apply andb_prop in Hi as [A B]. now apply Nat.ltb_lt in A, B.
  Qed.
End Trials.

Lemma ways_related (R : mechanism -> mechanism -> Prop) n w : Forall (fun w => R (fst (fst w) n) (snd (fst w))) w -> Forall2 R (runs (at_n n w)) (runs (of_laws w)).
Proof.
  unfold runs. induction 1 as [|[[ms m] k] w H _ IH]; [constructor|]. cbn [at_n of_laws map flat_map fst snd] in *. apply Forall2_app; [|exact IH].
  induction (N.to_nat k); cbn [repeat]; now constructor.
Qed.
Lemma ways_below n w : Forall (fun w => replaced (fst (fst w)) (snd (fst w))) w ->
  Forall2 (fun m m' => below m m' /\ fair m') (runs (at_n n w)) (runs (of_laws w)).
Proof.
  intro H. apply ways_related. eapply Forall_impl; [|exact H]. intros x (_ & F & B & _). now split.
Qed.
Lemma ways_near eta w : 0 < eta -> Forall (fun w => replaced (fst (fst w)) (snd (fst w))) w ->
  exists n, Forall2 (fun m m' => near eta m m' /\ fair m /\ fair m') (runs (at_n n w)) (runs (of_laws w)).
Proof.
  intros He H. assert (G : exists k, forall n, (k <= n)%nat -> Forall (fun w => near eta (fst (fst w) n) (snd (fst w))) w).
  { induction H as [|x w (_ & _ & _ & N) _ [k IH]]; [exists 0%nat; constructor|]. destruct (N eta He) as [k' Nk]. exists (Nat.max k k').
    intros n L. constructor; [apply Nk; lia|apply IH; lia]. }
  destruct G as [k G]. exists k. apply ways_related. specialize (G k (Nat.le_refl k)). rewrite Forall_forall in *. intros x I. destruct (H x I) as (F & F' & _). auto.
Qed.

(** The products of laws that are checked are those of some way, or of any way. *)
Lemma way_gain basis u alpha l e compare w : forallb (fun b => 0 <? Qnum b)%Z basis = true -> (0 <=? Qnum alpha)%Z = true ->
  forallb (fun ps => sums_to basis u alpha ps compare) (tuples l e) = true -> right basis u l e w ->
  exists gain scale : Z, (0 < scale)%Z /\ compare gain scale = true /\ inject_Z gain == inject_Z scale * best alpha u (runs (of_laws w)) 1 1.
Proof.
  intros Hb Ha H (_ & ps & I & C). rewrite forallb_forall in H. specialize (H _ I).
  assert (S : check_sum basis u (of_laws w) alpha ps compare = true) by (unfold check_sum; now rewrite Hb, Ha, C, H). now apply check_sum_sound in S as [_ S].
Qed.
Lemma trials_parts basis u q alpha l e compare : check_trials basis u q alpha l e compare = true ->
  forallb (fun b => 0 <? Qnum b)%Z basis = true /\ (0 <=? Qnum alpha)%Z = true /\ 0 <= alpha /\ check_each basis u q l e = true /\
  forallb (fun ps => sums_to basis u alpha ps compare) (tuples l e) = true.
Proof.
  unfold check_trials. rewrite !andb_true_iff. intros (((Hb & Ha) & He) & Hs). repeat split; try assumption. apply Z.leb_le in Ha. unfold Qle. cbn. lia.
Qed.

Theorem trials_at_most_sound basis alpha delta l e : check_trials_at_most basis alpha delta l e = true ->
  proper_trials l /\ trials_gain_at_most l alpha delta.
Proof.
  unfold check_trials_at_most. cbn [forallb]. rewrite !andb_true_iff. intros (H1 & H2 & _).
  assert (H : forall u, check_trials basis u (@forallb _) alpha l e (fun gain scale => gain * Zpos (Qden delta) <=? Qnum delta * scale)%Z = true) by now intros []. clear H1 H2.
  split; [destruct (trials_parts _ _ _ _ _ _ _ (H First)) as (_ & _ & _ & He & _); now apply each_proper in He|].
  intros n c u I. destruct (trials_parts _ _ _ _ _ _ _ (H u)) as (Hb & Ha & A & He & Hs). destruct (any_way basis u l e n c He I) as (w & -> & R).
  destruct (way_gain basis u alpha l e _ w Hb Ha Hs R) as (g & k & K & C & E). destruct R as [F _]. apply at_most_best.
  eapply Qle_trans; [apply (best_below alpha u _ _ (ways_below n w F)); discriminate|]. now apply (over_scale g k _ delta K E).
Qed.
Theorem trials_at_least_sound basis u alpha delta l e : check_trials_at_least basis u alpha delta l e = true ->
  proper_trials l /\ trials_gain_at_least l alpha delta u.
Proof.
  intro H. destruct (trials_parts _ _ _ _ _ _ _ H) as (Hb & Ha & A & He & Hs). split; [now apply each_proper in He|]. intros eta Eta.
  destruct (some_way basis u l e He) as (w & I & R). destruct (way_gain basis u alpha l e _ w Hb Ha Hs R) as (g & k & K & C & E). destruct R as [F _].
  apply (over_scale g k _ delta K E) in C. set (r := inject_Z (Z.of_nat (length (runs (of_laws w))))).
  assert (P : 0 <= r) by (unfold r; change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
  destruct (ways_near (eta / (r + 1)) w) as (n & N); [apply Qlt_shift_div_l; lra|exact F|]. exists n, (at_n n w). split; [apply I|]. apply at_least_best.
  assert (B := best_near alpha u A (eta / (r + 1)) _ _ (Qlt_le_weak _ _ (Qlt_shift_div_l 0 eta (r + 1) ltac:(lra) ltac:(lra))) N 1 1 ltac:(discriminate) ltac:(discriminate)).
  assert (L : length (runs (at_n n w)) = length (runs (of_laws w))) by (clear - N; induction N; cbn [length]; congruence). rewrite L in B. fold r in B. assert (X : r * (eta / (r + 1)) * 1 <= eta); [|lra].
  setoid_replace (r * (eta / (r + 1)) * 1) with (r * eta / (r + 1)) by (field; lra). apply Qle_shift_div_r; nra.
Qed.

(** ** What an [Answer.v] about compositions with chains applies *)
Definition walked_graph : reader graph :=
  read ns from many numbered_node; read o from at_key; read v from count; read w from many keyed; read a from many (many keyed);
  give {| spots := ns; origin := o; runs_of := v; walks := w; arrivals := a |}.
Definition traced : reader (trace * list prepared) :=
  read q from quotiented; read gs from many (read s from state; read t from state; read g from walked_graph; give (s, t, g)); read ps from many law_read;
  give ({| classed_by := q; graphs := gs |}, ps).
Definition traces_of : list text -> list Q * list (trace * list prepared) := decoded (read b from many fraction; read l from many traced; give (b, l)).

(** Nothing gains more than [delta], whatever pairs are meant, in either direction. *)
Theorem trials_upper l alpha delta e : (let (b, x) := traces_of e in check_trials_at_most b alpha delta l x) = true ->
  proper_trials l /\ trials_gain_at_most l alpha delta.
Proof. destruct (traces_of e) as [b x]. apply trials_at_most_sound. Qed.

(** For some pairs, some events gain [delta] from the secret u to the other one, or come as close to it as required. *)
Theorem trials_lower l alpha delta u e : (let (b, x) := traces_of e in check_trials_at_least b u alpha delta l x) = true ->
  proper_trials l /\ trials_gain_at_least l alpha delta u.
Proof. destruct (traces_of e) as [b x]. apply trials_at_least_sound. Qed.
