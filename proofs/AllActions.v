(** * Distances and bisimilarity of processes: tables and classes that are right for every action *)
From Coq Require Import List NArith ZArith QArith Qminmax Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Bisimilar Process Sums Sparse Rows Upper Prefixed Least Splitters Quotient Related Attackers.
Import ListNotations.
Open Scope Q_scope.

(** ** Pre-fixed tables bound what attackers gain *)

Lemma acting_over P a : (menus P <= a)%nat -> acting P a = acting P 0.
Proof.
  intro L. apply nth_ext with (d := (0%N, [])) (d' := (0%N, [])); [unfold acting; now rewrite !map_length|]. intros k _. rewrite !acting_nth. f_equal.
  assert (B := menu_le P (N.of_nat k)). unfold menu in B. rewrite Nat2N.id in B. cbn [fst snd].
  set (rows := snd (nth k P (0%N, []))) in *. transitivity (hd [] rows); [apply nth_overflow; lia|now destruct rows].
Qed.

Lemma for_all_actions (P : process) (p : nat -> bool) (Q : chain -> Prop) : forallb p (seq 0 (menus P)) = true -> (forall a, p a = true -> Q (acting P a)) ->
  forall a, Q (acting P a).
Proof.
  intros F H a. rewrite forallb_forall in F. destruct (Nat.lt_ge_cases a (menus P)) as [L|L]; [apply H, F, in_seq; lia|].
  rewrite (acting_over P a L). apply H, F, in_seq. assert (M := menus_pos P). lia.
Qed.

Section Attacked.
  Variables (P : process) (alpha : Q) (d : N -> N -> Q).
  Hypothesis M : markov_process P.
  Hypothesis A : 1 <= alpha.
  Hypothesis Hd : prefixed_for_all P alpha d.

  Lemma next_in a s k p : In s (states (acting P 0)) -> In (k, p) (next (acting P a) s) -> 0 <= p /\ In k (states (acting P 0)).
  Proof.
    intros Hs I. rewrite <- (acting_states P a) in Hs |- *. apply in_states in Hs. destruct (M a s Hs) as [_ N]. destruct (N k p I). split; [assumption|now apply in_states].
  Qed.
  Lemma chances n : forall sigma s E, In s (states (acting P 0)) -> 0 <= prob_of P n sigma s E /\ prob_of P n sigma s E <= 1.
  Proof.
    induction n as [|n IH]; intros sigma s E Hs; cbn [prob_of]; [destruct (E []); lra|]. cbv zeta. set (a := sigma [shown P s]).
    assert (Hs' := Hs). rewrite <- (acting_states P a) in Hs'. apply in_states in Hs'. destruct (M a s Hs') as [T _]. split.
    - apply sum_pos. intros [k p] I. destruct (next_in a s k p Hs I) as [Pp Hk]. cbn [fst snd].
      destruct (IH (fun w => sigma (shown P s :: w)) k (fun w => E (shown P s :: w)) Hk). nra.
    - rewrite <- T. apply sum_le. intros [k p] I. destruct (next_in a s k p Hs I) as [Pp Hk]. cbn [fst snd].
      destruct (IH (fun w => sigma (shown P s :: w)) k (fun w => E (shown P s :: w)) Hk). nra.
  Qed.

  Theorem table_bounds n : forall sigma s t E, In s (states (acting P 0)) -> In t (states (acting P 0)) ->
    prob_of P n sigma s E - alpha * prob_of P n sigma t E <= d s t.
  Proof.
    induction n as [|n IH]; intros sigma s t E Hs Ht; destruct (Hd 0%nat s t Hs Ht) as (D0 & Dl & _).
    { cbn [prob_of]. destruct (E []); lra. }
    destruct (chances (S n) sigma s E Hs) as [P0 P1], (chances (S n) sigma t E Ht) as [Q0 Q1].
    rewrite !acting_label in Dl.
    destruct (N.eq_dec (shown P s) (shown P t)) as [L|L].
    2: { specialize (Dl L). set (p := prob_of P (S n) sigma s E) in *. set (q := prob_of P (S n) sigma t E) in *. clearbody p q. nra. }
    destruct (N.eq_dec s t) as [->|Ne].
    { set (p := prob_of P (S n) sigma t E) in *. clearbody p. nra. }
    clear P0 P1 Q0 Q1 Dl. set (a := sigma [shown P s]). assert (Hs' := Hs). assert (Ht' := Ht). rewrite <- (acting_states P a) in Hs', Ht'.
    destruct (Hd a s t Hs' Ht') as (_ & _ & C). rewrite !acting_label in C. destruct (C L Ne) as (w & Hw & Cw).
    set (f := fun k => prob_of P n (fun w => sigma (shown P s :: w)) k (fun w => E (shown P s :: w))).
    assert (Pf : potentials (acting P a) alpha d f).
    { split.
      - intros k Hk. rewrite (acting_states P a) in Hk. now apply chances.
      - intros i j Hi Hj. rewrite (acting_states P a) in Hi, Hj. now apply IH. }
    assert (B := potentials_bound (acting P a) alpha d (M a) f w s t Pf Hw Hs' Ht'). cbn [prob_of]. cbv zeta. rewrite <- L. fold a.
    change (mean (acting P a) s f - alpha * mean (acting P a) t f <= d s t). eapply Qle_trans; [exact B|exact Cw].
  Qed.

  Lemma table_closes v s t : In s (states (acting P 0)) -> In t (states (acting P 0)) -> d s t <= v -> close_to_all P alpha v s t.
  Proof. intros Hs Ht V n sigma E. assert (B := table_bounds n sigma s t E Hs Ht). lra. Qed.
End Attacked.

(** ** Tables with couplings for every action *)

Definition heads (rows : list urow) : list (positive * positive * Z) := map (fun r => (us r, ut r, uval r)) rows.
Fixpoint same_heads (l l' : list (positive * positive * Z)) : bool :=
  match l, l' with
  | [], [] => true
  | (s, t, v) :: l, (s', t', v') :: l' => (s =? s')%positive && (t =? t')%positive && (v =? v')%Z && same_heads l l'
  | _, _ => false
  end.
(** Rows for each action; all have the same pairs with the same values. *)
Definition check_tables (P : process) (alpha : Q) (D : positive) (tables : list (list urow)) : bool :=
  forallb (fun a => let rows := nth a tables [] in
    check_upper (acting P a) alpha D rows && check_moves (acting P a) rows && same_heads (heads rows) (heads (hd [] tables))) (seq 0 (menus P)).

Lemma same_heads_utable rows : forall rows', same_heads (heads rows) (heads rows') = true -> utable rows = utable rows'.
Proof.
  induction rows as [|r rows IH]; intros [|r' rows'] H; cbn [heads map same_heads] in H; try discriminate; [reflexivity|].
  rewrite !andb_true_iff in H. destruct H as (((S & T) & V) & H). apply Pos.eqb_eq in S, T. apply Z.eqb_eq in V.
  cbn [utable fold_right]. rewrite S, T, V. f_equal. now apply IH.
Qed.

Lemma prefixed_ext c alpha d d' : (forall s t, In s (states c) -> In t (states c) -> d s t == d' s t) -> prefixed c alpha d -> prefixed c alpha d'.
Proof.
  intros E H s t Hs Ht. destruct (H s t Hs Ht) as (P & L & C). assert (Es := E s t Hs Ht). split; [now rewrite <- Es|]. split; [intro; rewrite <- Es; auto|].
  intros Hl Hne. destruct (C Hl Hne) as (w & Hw & Cw). exists w. split; [assumption|]. rewrite <- Es. unfold Distance.cost in *.
  rewrite (sum_ext w (fun m => amount m * d' (src m) (dst m)) (fun m => amount m * d (src m) (dst m))); [assumption|].
  intros m Hm. destruct (Hw m Hm) as (_ & Is & Id). now rewrite (E _ _ Is Id).
Qed.

Lemma entry_on c D rows s t : In s (states c) -> In t (states c) -> entry c D rows s t ==
  inject_Z (if (s =? t)%N then 0%Z else if (label c s =? label c t)%N then match get (key s) (key t) (utable rows) with Some v => v | None => Zpos D end else Zpos D) / inject_Z (Zpos D).
Proof.
  intros Hs Ht. unfold entry, value. destruct (N.eqb_spec s t) as [->|Hne]; [now rewrite Pos.eqb_refl|].
  destruct (Pos.eqb_spec (key s) (key t)) as [E|]; [now apply key_inj in E|]. now rewrite (prepare_complete c s Hs), (prepare_complete c t Ht).
Qed.

Section Tables.
  Variables (P : process) (alpha : Q) (D : positive) (tables : list (list urow)).
  Hypothesis H : check_tables P alpha D tables = true.
  Definition entry_of : N -> N -> Q := entry (acting P 0) D (hd [] tables).

  Lemma tables_at a : (a < menus P)%nat -> check_upper (acting P a) alpha D (nth a tables []) = true /\ check_moves (acting P a) (nth a tables []) = true /\
    utable (nth a tables []) = utable (hd [] tables).
  Proof.
    intro L. unfold check_tables in H. rewrite forallb_forall in H. assert (I : In a (seq 0 (menus P))) by (apply in_seq; lia). specialize (H a I). cbv zeta in H.
    rewrite !andb_true_iff in H. destruct H as ((U & Mv) & Hh). split; [assumption|]. split; [assumption|]. now apply same_heads_utable.
  Qed.
  Lemma tables_markov : markov_process P.
  Proof.
    assert (M : forall a, (a < menus P)%nat -> markov (acting P a)).
    { intros a L. destruct (tables_at a L) as (U & _). destruct (parts _ _ _ _ U) as (Mo & _). now apply model_sound. }
    intro a. destruct (Nat.lt_ge_cases a (menus P)) as [L|L]; [now apply M|]. rewrite (acting_over P a L). apply M, menus_pos.
  Qed.
  Lemma tables_alpha : 1 <= alpha.
  Proof. destruct (tables_at 0 (menus_pos P)) as (U & _). now apply (alpha_1 _ alpha D _ U). Qed.

  Lemma tables_prefixed : prefixed_for_all P alpha entry_of.
  Proof.
    assert (T : forall a, (a < menus P)%nat -> prefixed (acting P a) alpha entry_of).
    { intros a L. destruct (tables_at a L) as (U & Mv & E). apply prefixed_ext with (entry (acting P a) D (nth a tables [])); [|now apply table_prefixed].
      intros s t Hs Ht. unfold entry_of. assert (Hs' := Hs). assert (Ht' := Ht). rewrite (acting_states P a) in Hs', Ht'.
      rewrite (entry_on _ D _ s t Hs Ht), (entry_on _ D _ s t Hs' Ht'), E, !acting_label. reflexivity. }
    intro a. destruct (Nat.lt_ge_cases a (menus P)) as [L|L]; [now apply T|]. rewrite (acting_over P a L). apply T, menus_pos.
  Qed.
End Tables.

(** ld is at most v for every pair of R, and no attacker gains more. *)
Definition check_ld_for_all (P : process) (alpha v : Q) (R : list (N * N)) (D : positive) (tables : list (list urow)) : bool :=
  let c := acting P 0 in let near := at_most c D (hd [] tables) v in
  check_tables P alpha D tables && forallb (fun st => inside c (fst st) && inside c (snd st) && near st) R.
Definition check_bd_for_all (P : process) (alpha v : Q) (R : list (N * N)) (D : positive) (tables : list (list urow)) : bool :=
  check_ld_for_all P alpha v R D tables && check_symmetric (hd [] tables).

Lemma ld_for_all_parts P alpha v R D tables : check_ld_for_all P alpha v R D tables = true -> markov_process P /\ prefixed_for_all P alpha (entry_of P D tables) /\
  forall s t, In (s, t) R -> entry_of P D tables s t <= v /\ close_to_all P alpha v s t.
Proof.
  unfold check_ld_for_all. cbv zeta. intro H. apply andb_prop in H as [H F]. rewrite forallb_forall in F. split; [now apply (tables_markov P alpha D tables)|].
  assert (Pf := tables_prefixed P alpha D tables H). split; [exact Pf|]. intros s t I. specialize (F _ I). cbn [fst snd] in F.
  rewrite !andb_true_iff in F. destruct F as ((Is & It) & V). apply inside_spec in Is, It. apply entry_at_most in V. split; [exact V|].
  exact (table_closes P alpha _ (tables_markov P alpha D tables H) (tables_alpha P alpha D tables H) Pf v s t Is It V).
Qed.

Theorem ld_for_all_sound P alpha v R D tables : check_ld_for_all P alpha v R D tables = true ->
  markov_process P /\ forall s t, In (s, t) R -> ld_at_most_for_all P alpha v s t /\ close_to_all P alpha v s t.
Proof.
  intro H. destruct (ld_for_all_parts _ _ _ _ _ _ H) as (M & Pf & C). split; [exact M|]. intros s t I. destruct (C s t I) as [V Cl]. split; [|exact Cl].
  exists (entry_of P D tables). now split.
Qed.
Theorem bd_for_all_sound P alpha v R D tables : check_bd_for_all P alpha v R D tables = true ->
  markov_process P /\ forall s t, In (s, t) R -> bd_at_most_for_all P alpha v s t /\ close_to_all P alpha v s t.
Proof.
  unfold check_bd_for_all. intro H. apply andb_prop in H as [H Sy]. destruct (ld_for_all_parts _ _ _ _ _ _ H) as (M & Pf & C). split; [exact M|].
  intros s t I. destruct (C s t I) as [V Cl]. split; [|exact Cl]. exists (entry_of P D tables). split; [exact Pf|]. split; [now apply entry_symmetric|exact V].
Qed.

(** ** Classes that are right for every action *)

(** P and B have the same steps between classes for every action. *)
Definition check_quotients (P B : process) (place : list N) : bool :=
  forallb (fun a => check_quotient (acting P a) (acting B a) place) (seq 0 (Nat.max (menus P) (menus B))).

Section Classes.
  Variables (P B : process) (place : list N).
  Hypothesis H : check_quotients P B place = true.

  Lemma quotient_at a : check_quotient (acting P a) (acting B a) place = true.
  Proof.
    unfold check_quotients in H. rewrite forallb_forall in H. assert (M := menus_pos P). destruct (Nat.lt_ge_cases a (Nat.max (menus P) (menus B))) as [L|L].
    - apply H, in_seq. lia.
    - rewrite (acting_over P a), (acting_over B a) by lia. apply H, in_seq. lia.
  Qed.
  Lemma classes_markov : markov_process P.
  Proof. intro a. destruct (quotient_models _ _ _ (quotient_at a)) as [M _]. now apply model_sound. Qed.

  (** A state and its class give equal probability to every event, whatever an attacker does. *)
  Lemma classes_prob n : forall sigma s E, In s (states (acting P 0)) -> prob_of P n sigma s E == prob_of B n sigma (class place s) E.
  Proof.
    induction n as [|n IH]; intros sigma s E Hs; cbn [prob_of]; [reflexivity|]. cbv zeta.
    destruct (class_ok _ _ _ (quotient_at 0) s Hs) as [L _]. rewrite !acting_label in L. rewrite <- L. set (a := sigma [shown P s]).
    assert (Hs' := Hs). rewrite <- (acting_states P a) in Hs'. destruct (class_ok _ _ _ (quotient_at a) s Hs') as [_ F].
    change (sum (map (fun kp => snd kp * prob_of B n (fun w => sigma (shown P s :: w)) (fst kp) (fun v => E (shown P s :: v))) (next (acting B a) (class place s))))
      with (mean (acting B a) (class place s) (fun k => prob_of B n (fun w => sigma (shown P s :: w)) k (fun v => E (shown P s :: v)))).
    rewrite <- F. unfold mean. apply sum_ext. intros [k p] I. cbn [fst snd]. destruct (next_in P classes_markov a s k p Hs I) as [_ Hk]. now rewrite (IH _ _ _ Hk).
  Qed.
End Classes.

(** The states of every pair are in one class. *)
Definition check_bisimilar_for_all (P : process) (R : list (N * N)) (B : process) (place : list N) : bool :=
  check_quotients P B place && forallb (fun st => (class place (fst st) =? class place (snd st))%N) R.

Theorem bisimilar_for_all_sound P R B place : check_bisimilar_for_all P R B place = true -> markov_process P /\ forall s t, In (s, t) R -> bisimilar_for_all P s t.
Proof.
  unfold check_bisimilar_for_all. intro H. apply andb_prop in H as [H F]. split; [now apply (classes_markov P B place)|].
  intros s t I. rewrite forallb_forall in F. specialize (F _ I). apply N.eqb_eq in F. exists (class place). split; [|exact F].
  intro a. apply (quotient_bisimulation _ (acting B a)). now apply quotient_at.
Qed.

(** *** States that are not *)

(** Each splitter splits by the actions, one after the other. *)
Definition split_by_all (P : process) (splitters : list (list N)) (p : partition) : partition :=
  fold_left (fun p T => fold_left (fun p a => let c := acting P a in split_all c (prepare c) [T] p) (seq 0 (menus P)) p) splitters p.
Definition classes_of_all (P : process) (splitters : list (list N)) : partition := split_by_all P splitters (by_label (acting P 0)).

Lemma classes_of_all_keep P splitters s t : markov_process P -> (forall a, check_model (acting P a) = true) -> In s (states (acting P 0)) -> In t (states (acting P 0)) ->
  bisimilar_for_all P s t -> first (classes_of_all P splitters) s = first (classes_of_all P splitters) t.
Proof.
  intros Mk M Hs Ht (cl & Bi & E). set (S := fun p : N * N => In (fst p) (states (acting P 0)) /\ In (snd p) (states (acting P 0)) /\ cl (fst p) = cl (snd p)).
  assert (Keep : forall p, (forall q, S q -> first p (fst q) = first p (snd q)) -> forall q, S q -> first (split_by_all P splitters p) (fst q) = first (split_by_all P splitters p) (snd q)).
  { unfold split_by_all. induction splitters as [|T l IH]; cbn [fold_left]; [auto|]. intros p Hp. apply IH. clear IH.
    generalize (seq 0 (menus P)). intro acts. revert p Hp. induction acts as [|a acts IH]; cbn [fold_left]; [auto|]. intros p Hp. apply IH. clear IH.
    intros q Sq. apply (split_all_together (acting P a) (M a) S); try assumption.
    - intros r (Hi & Hj & Er). rewrite <- (acting_states P a) in Hi, Hj. destruct (Bi a _ _ Hi Hj Er) as [L _]. now repeat split.
    - intros U HU r (Hi & Hj & Er). rewrite <- (acting_states P a) in Hi, Hj.
      apply (bisimulation_equal (acting P a) cl (M a) (Bi a) U); try assumption. intros i j Ii Ij Eij. apply (HU (i, j)). unfold S. cbn [fst snd]. rewrite <- (acting_states P a). now repeat split. }
  apply (Keep (by_label (acting P 0))) with (q := (s, t)); [|now repeat split].
  intros q (Hi & Hj & Eq). rewrite by_label_parted. apply parted_same; try assumption; destruct (Bi 0%nat _ _ Hi Hj Eq) as [L _].
  - intros x _. now rewrite L.
  - now rewrite L, N.eqb_refl.
Qed.

Definition check_models (P : process) : bool := forallb (fun a => check_model (acting P a)) (seq 0 (menus P)).
Lemma models_ok P : check_models P = true -> forall a, check_model (acting P a) = true.
Proof. intro H. now apply (for_all_actions P _ (fun c => check_model c = true) H). Qed.

Definition check_distinct_for_all (P : process) (s t : N) (splitters : list (list N)) : bool :=
  let p := classes_of_all P splitters in check_models P && inside (acting P 0) s && inside (acting P 0) t && negb (first p s =? first p t)%N.

Theorem distinct_for_all_sound P s t splitters : check_distinct_for_all P s t splitters = true -> markov_process P /\ ~ bisimilar_for_all P s t.
Proof.
  unfold check_distinct_for_all. cbv zeta. rewrite !andb_true_iff. intros (((M & Is) & It) & F). apply inside_spec in Is, It. apply negb_true_iff, N.eqb_neq in F.
  assert (M' := models_ok P M). assert (Mk : markov_process P) by (intro a; now apply model_sound). split; [exact Mk|]. intro B. apply F. now apply classes_of_all_keep.
Qed.

(** The matrix has 0 exactly for bisimilar states. *)
Definition check_bisimilarity_for_all (P : process) (values : list (list Q)) (B : process) (place : list N) (splitters : list (list N)) : bool :=
  let p := classes_of_all P splitters in let all := counted 0 (acting P 0) in
  check_quotients P B place && check_models P
  && forallb (fun s => forallb (fun t => if Qeq_bool (in_matrix values s t) 0 then (class place s =? class place t)%N
                                         else negb (first p s =? first p t)%N) all) all.

Theorem bisimilarity_for_all_sound P values B place splitters : check_bisimilarity_for_all P values B place splitters = true ->
  markov_process P /\ forall s t, In s (states (acting P 0)) -> In t (states (acting P 0)) -> (bisimilar_for_all P s t <-> in_matrix values s t == 0).
Proof.
  unfold check_bisimilarity_for_all. cbv zeta. rewrite counted_states, !andb_true_iff. intros ((H & M) & F). assert (M' := models_ok P M). assert (Mk := classes_markov P B place H).
  split; [exact Mk|]. intros s t Hs Ht. rewrite forallb_forall in F. specialize (F s Hs). rewrite forallb_forall in F. specialize (F t Ht).
  destruct (Qeq_bool (in_matrix values s t) 0) eqn:E.
  - apply Qeq_bool_iff in E. apply N.eqb_eq in F. split; [now intros _|intros _]. exists (class place). split; [|exact F].
    intro a. apply (quotient_bisimulation _ (acting B a)). now apply quotient_at.
  - apply Qeq_bool_neq in E. apply negb_true_iff, N.eqb_neq in F. split; [|contradiction]. intro Bi. exfalso. apply F. now apply classes_of_all_keep.
Qed.

(** ** What attackers gain, by the classes *)

Definition placed (place : list N) (R : list (N * N)) : list (N * N) := map (fun st => (class place (fst st), class place (snd st))) R.
Definition all_inside (P : process) (R : list (N * N)) : bool := forallb (fun st => inside (acting P 0) (fst st) && inside (acting P 0) (snd st)) R.

Definition check_merged_at_most (P : process) (alpha delta : Q) (R : list (N * N)) (B : process) (place : list N) (e : against) : bool :=
  check_quotients P B place && all_inside P R && check_against_at_most B alpha delta (placed place R) e.
Theorem merged_at_most_sound P alpha delta R B place e : check_merged_at_most P alpha delta R B place e = true ->
  markov_process P /\ forall s t, In (s, t) R -> close_to_all P alpha delta s t.
Proof.
  unfold check_merged_at_most. rewrite !andb_true_iff. intros ((H & I) & C). split; [now apply (classes_markov P B place)|].
  apply against_at_most_sound in C as [_ C]. unfold all_inside in I. rewrite forallb_forall in I. intros s t J n sigma E. specialize (I _ J). cbn [fst snd] in I.
  apply andb_prop in I as [Is It]. apply inside_spec in Is, It. rewrite (classes_prob P B place H n sigma s E Is), (classes_prob P B place H n sigma t E It).
  apply C. unfold placed. apply in_map_iff. now exists (s, t).
Qed.

Definition check_merged_at_least (P : process) (alpha delta : Q) (s t : N) (B : process) (place : list N) (e : against) : bool :=
  check_quotients P B place && all_inside P [(s, t)] && check_against_at_least B alpha delta (class place s) (class place t) e.
Theorem merged_at_least_sound P alpha delta s t B place e : check_merged_at_least P alpha delta s t B place e = true ->
  markov_process P /\ needed_by_some P alpha delta s t.
Proof.
  unfold check_merged_at_least. rewrite !andb_true_iff. intros ((H & I) & C). split; [now apply (classes_markov P B place)|].
  apply against_at_least_sound in C as [_ C]. unfold all_inside in I. cbn [forallb fst snd] in I. rewrite andb_true_r in I. apply andb_prop in I as [Is It]. apply inside_spec in Is, It.
  intros eta He. destruct (C eta He) as (n & sigma & E & HE). exists n, sigma, E.
  now rewrite (classes_prob P B place H n sigma s E Is), (classes_prob P B place H n sigma t E It).
Qed.
