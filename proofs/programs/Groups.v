(** * Groups: runs that look alike, and together have the samples that keep some demands

    A demand says how the sample of a step compares with that of an earlier one. The united run of a group stores all samples and tests these
    demands. For each difference of the inputs that is as large as it may be, some shifts keep the demands and cost at most the bound. *)
From Coq Require Import List Permutation NArith ZArith QArith Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Loss Table Observer Classes Ranks.
Import ListNotations.

(** The sample of step a compares in this way with that of step b. *)
Definition demand := (nat * test * nat)%type.
Fixpoint united_run (ds : list demand) (k : nat) (r : list transition) : list transition :=
  match r with
  | [] => []
  | t :: r => {| guard := map (fun d => (snd (fst d), N.of_nat (snd d))) (filter (fun d => Nat.eqb (fst (fst d)) k) ds); stores := [N.of_nat k];
                 letter := letter t; shows := shows t; target := N.of_nat (S k) |} :: united_run ds (S k) r
  end.
Record group := { demands : list demand; moves : list (list Z) }.
(** The runs of n steps, each with the number of its group; a number that no group has is that of runs which no samples can take. *)
Record level := { labels : list N; groups : list group }.

Definition state_dec : forall d d' : state, {d = d'} + {d <> d'}.
Proof. repeat decide equality. Defined.
Definition shows_dec : forall l l' : list output, {l = l'} + {l <> l'}.
Proof. repeat decide equality. Defined.
Definition same_noises (l l' : list state) : bool := if list_eq_dec state_dec l l' then true else false.
Definition same_look (t t' : transition) : bool :=
  N.eqb (letter t) (letter t') && (if shows_dec (shows t) (shows t') then true else false)
  && forallb (fun o => match o with Gap _ => false | _ => true end) (shows t).
Fixpoint same_looks (r r' : list transition) : bool :=
  match r, r' with [], [] => true | t :: r, t' :: r' => same_look t t' && same_looks r r' | _, _ => false end.

(** How the inputs of some steps may differ; and whether shifts cost at most c. *)
Fixpoint choices (m : mode) (l : list state) : list (list Z) :=
  match l with [] => [[]] | d :: l => flat_map (fun dm => map (cons (fst dm)) (choices (snd dm) l)) (differences m (reads d)) end.
Fixpoint paid (p : program) (u : N) (x : shifts) (r : list transition) (es gs : list Z) (c : Z) : bool :=
  match r, es, gs with
  | [], [], [] => (0 <=? c)%Z
  | t :: r, e :: es, g :: gs =>
    allowed t x g && match price (at_state p u) t e g with Some a => paid p (target t) (moved t x g) r es gs (c - a) | None => false end
  | _, _, _ => false
  end.

Section Check.
  Variables (p : program) (start : N) (a : adjacency) (v : Z).
  Definition check_group (l : list (list transition)) (g : group) : bool :=
    match l with
    | [] => false
    | r :: _ =>
      let own := noises p start r in
      let whole := united_run (demands g) 0 r in
      forallb (fun r => same_noises (noises p start r) own && same_looks r whole) l && check_one_of l whole
      && every (fun m => every (fun es => some (fun gs => paid own 0 (fun _ => 0%Z) whole es gs v) (moves g)) (choices m own)) (starts a)
    end.
  Fixpoint check_groups (k : N) (gs : list group) (l : list (N * list transition)) : bool :=
    match gs with
    | [] => forallb (fun r => check_never (snd r)) l
    | g :: gs =>
      check_group (map snd (filter (fun r => N.eqb k (fst r)) l)) g && check_groups (N.succ k) gs (filter (fun r => negb (N.eqb k (fst r))) l)
    end.
  Definition check_level (n : nat) (d : level) : bool :=
    Nat.eqb (length (labels d)) (length (runs p n start)) && check_groups 0 (groups d) (combine (labels d) (runs p n start)).
  Fixpoint check_levels (n : nat) (l : list level) : bool :=
    match l with [] => match runs p n start with [] => true | _ => false end | d :: l => check_level n d && check_levels (S n) l end.
  Definition check_hidden (l : list level) : bool := check_proper p && check_levels 0 l.
End Check.

(** ** Proof *)
Lemma same_noises_spec l l' : same_noises l l' = true -> l = l'.
Proof. unfold same_noises. now destruct (list_eq_dec state_dec l l'). Qed.
Lemma same_looks_spec r : forall r', same_looks r r' = true -> Forall2 looks_like r r'.
Proof.
  induction r as [|t r IH]; intros [|t' r'] H; cbn [same_looks] in H; try discriminate; constructor; apply andb_prop in H as [H R]; [|now apply IH].
  unfold same_look in H. apply andb_prop in H as [H G]. apply andb_prop in H as [L S]. split; [now apply N.eqb_eq|].
  split; [now destruct (shows_dec (shows t) (shows t'))|]. intros v I. rewrite forallb_forall in G. now specialize (G _ I).
Qed.

Lemma noises_of p r : forall u d, In d (noises p u r) -> exists w, d = quiet (at_state p w).
Proof. induction r as [|t r IH]; intros u d I; cbn [noises] in I; [destruct I|]. destruct I as [<-|I]; [now exists u|now apply (IH (target t))]. Qed.
Lemma at_noises p u r w : at_state (noises p u r) w = final \/ exists w', at_state (noises p u r) w = quiet (at_state p w').
Proof.
  unfold at_state at 1 2. destruct (nth_in_or_default (N.to_nat w) (noises p u r) final) as [I|E]; [|now left]. right. now apply (noises_of p r u).
Qed.
Lemma proper_noises p u r : proper p -> proper (noises p u r).
Proof.
  intros P w. destruct (at_noises p u r w) as [-> |[w' ->]]; [split; [easy|intros x []]|]. apply (P w').
Qed.
Lemma noises_united ds p r : forall pre u, noises (pre ++ noises p u r) (N.of_nat (length pre)) (united_run ds (length pre) r) = noises p u r.
Proof.
  induction r as [|t r IH]; intros pre u; cbn [united_run noises target]; [easy|]. f_equal.
  - unfold at_state at 1. now rewrite Nat2N.id, app_nth2, Nat.sub_diag by lia.
  - specialize (IH (pre ++ [quiet (at_state p u)]) (target t)). rewrite app_length, <- app_assoc in IH. cbn [length app] in IH.
    replace (length pre + 1)%nat with (S (length pre)) in IH by lia. exact IH.
Qed.

Lemma choice_of p m delta r : forall u i, agrees p m delta i ->
  exists es, In es (choices m (noises p u r)) /\ forall gs x c, paid p u x r es gs c = true -> affordable p delta i u x r c.
Proof.
  revert m. induction r as [|t r IH]; intros m u i A; cbn [noises choices].
  - exists []. split; [now left|]. intros [|g gs] x c H; cbn [paid affordable] in *; [|discriminate]. now apply Z.leb_le.
  - destruct (next_mode p delta m u i A) as (m' & I & A'). destruct (IH m' (target t) _ A') as (es & Ie & H).
    exists (here (at_state p u) (delta u i) :: es). split.
    + apply in_flat_map. exists (here (at_state p u) (delta u i), m'). split; [exact I|]. now apply in_map.
    + intros [|g gs] x c P; cbn [paid affordable] in *; [discriminate|]. apply andb_prop in P as [Al P].
      destruct (price _ _ _ _) as [b|] eqn:Pr; [|discriminate]. exists g, b, (c - b)%Z. repeat split; [exact Al|exact Pr|lia|].
      exact (H gs _ _ P).
Qed.

Lemma check_group_sound p start a v l g : proper p -> check_group p start a v l g = true -> exists c, members c = l /\ good p start a v c.
Proof.
  intros P H. unfold check_group in H. destruct l as [|r0 l']; [discriminate|]. cbv zeta in H. set (l := r0 :: l') in *.
  set (own := noises p start r0) in *. set (whole := united_run (demands g) 0 r0) in *.
  apply andb_prop in H as [H Pays]. apply andb_prop in H as [Alike One]. rewrite forallb_forall in Alike.
  assert (W : noises own 0 whole = own) by exact (noises_united (demands g) p r0 [] start).
  assert (P' : proper own) by now apply proper_noises.
  exists {| members := l; common := own; entry := 0; united := whole |}. split; [easy|]. unfold good. cbn [members common entry united].
  split; [exact P'|]. split; [|split; [|split]].
  - intros u N. destruct (at_noises p start r0 u) as [E|[w E]]; fold own in E; [rewrite E in N; now destruct N|]. exists w. now rewrite E.
  - intros r I. specialize (Alike r I). apply andb_prop in Alike as [A B]. split; [|now apply same_looks_spec].
    rewrite W. now apply same_noises_spec.
  - now apply check_one_of_sound.
  - intros ins ins' Adj. destruct (mode_of_adjacency a own ins ins' Adj) as (m & low & high & Im & B & Ag).
    apply (extreme_enough own low high); [exact P'| |exact B]. intros delta E. specialize (Ag delta E).
    destruct (choice_of own m delta whole 0%N 0%nat Ag) as (es & Ie & Af). rewrite W in Ie. rewrite every_spec in Pays. specialize (Pays m Im).
    rewrite every_spec in Pays. specialize (Pays es Ie). apply some_spec in Pays as (gs & _ & Pays). exact (Af gs _ _ Pays).
Qed.

Lemma parted {A} (f : A -> bool) l : Permutation l (filter f l ++ filter (fun x => negb (f x)) l).
Proof.
  induction l as [|x l IH]; [constructor|]. cbn [filter]. destruct (f x); cbn [negb app]; [now constructor|].
  apply Permutation_cons_app. exact IH.
Qed.
Lemma check_groups_sound p start a v gs : proper p -> forall k l, check_groups p start a v k gs l = true ->
  exists rest cs, Permutation (map snd l) (rest ++ flat_map members cs) /\ Forall never rest /\ Forall (good p start a v) cs.
Proof.
  intro P. induction gs as [|g gs IH]; intros k l H; cbn [check_groups] in H.
  - exists (map snd l), []. cbn [flat_map]. rewrite app_nil_r. split; [easy|]. split; [|constructor]. apply Forall_forall. intros r I.
    apply in_map_iff in I as (x & <- & I). rewrite forallb_forall in H. now apply check_never_sound, H.
  - apply andb_prop in H as [G H]. destruct (check_group_sound _ _ _ _ _ _ P G) as (c & M & Gc). destruct (IH _ _ H) as (rest & cs & Pe & Ne & Gs).
    exists rest, (c :: cs). split; [|split; [exact Ne|now constructor]]. cbn [flat_map]. rewrite M.
    rewrite (Permutation_map snd (parted (fun r => N.eqb k (fst r)) l)), map_app, Pe. apply Permutation_app_swap_app.
Qed.

Lemma runs_shorter p n : forall u, runs p n u = [] -> runs p (S n) u = [].
Proof.
  induction n as [|n IH]; intros u H; [discriminate|]. cbn [runs] in H |- *. induction (ways (at_state p u)) as [|t l IHl]; [easy|].
  cbn [flat_map] in *. apply app_eq_nil in H as [H1 H2]. apply map_eq_nil in H1. rewrite IHl by exact H2.
  assert (E := IH _ H1). cbn [runs] in E. now rewrite E.
Qed.
Lemma runs_none p u n m : (n <= m)%nat -> runs p n u = [] -> runs p m u = [].
Proof. induction 1 as [|m L IH]; intro E; [exact E|]. apply runs_shorter. now apply IH. Qed.
Lemma map_snd_combine {A B} (l : list A) : forall l' : list B, length l = length l' -> map snd (combine l l') = l'.
Proof. induction l as [|x l IH]; intros [|y l'] E; try discriminate; [easy|]. cbn. f_equal. apply IH. now injection E. Qed.
Lemma check_levels_sound p start a v l : proper p -> forall n, check_levels p start a v n l = true -> forall m, (n <= m)%nat ->
  exists rest cs, Permutation (runs p m start) (rest ++ flat_map members cs) /\ Forall never rest /\ Forall (good p start a v) cs.
Proof.
  intro P. induction l as [|d l IH]; intros n H m L; cbn [check_levels] in H.
  - destruct (runs p n start) eqn:E; [|discriminate]. exists [], []. rewrite (runs_none p start n m L E). now repeat constructor.
  - apply andb_prop in H as [D H]. destruct (Nat.eq_dec n m) as [<-|N]; [|apply (IH (S n)); [exact H|lia]].
    unfold check_level in D. apply andb_prop in D as [E G]. apply Nat.eqb_eq in E. apply check_groups_sound in G; [|exact P].
    rewrite map_snd_combine in G by exact E. exact G.
Qed.
Theorem check_hidden_sound p start a v l : check_hidden p start a v l = true -> proper p /\ gathered p start a v.
Proof.
  unfold check_hidden. intro H. apply andb_prop in H as [P H]. apply proper_sound in P. split; [exact P|]. intro n.
  apply (check_levels_sound p start a v l P 0%nat H). lia.
Qed.
Theorem hidden_sound p start a v l : check_hidden p start a v l = true -> proper p /\ seen_loss_at_most p start a v.
Proof. intro H. destruct (check_hidden_sound _ _ _ _ _ H) as [P G]. split; [exact P|]. now apply gathered_loss. Qed.
