(** * A family of runs shows that a program is not private

    Some blocks of steps are taken n times over. If the run has a total of at least k + g n for every n, with g > 0, then the loss is at least
    every number ([Runs.v]), and no bound holds. The check is made once for all n: multipliers grow linearly with n, and so do loads. *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Loss Table Powers Multipliers Runs.
Import ListNotations.
Open Scope Q_scope.

(** ** Numbers that grow with n *)
Definition growing := (Z * Z)%type.
Definition at_ (n : Z) (c : growing) : Z := (fst c + snd c * n)%Z.
Definition plus (c d : growing) : growing := (fst c + fst d, snd c + snd d)%Z.
Definition multiplied (m : Z) (c : growing) : growing := (m * fst c, m * snd c)%Z.
(** At least 0 from n = 1 on. *)
Definition positive (c : growing) : bool := (0 <=? fst c + snd c)%Z && (0 <=? snd c)%Z.
Lemma at_plus n c d : at_ n (plus c d) = (at_ n c + at_ n d)%Z.
Proof. unfold at_, plus. cbn. ring. Qed.
Lemma at_multiplied n m c : at_ n (multiplied m c) = (m * at_ n c)%Z.
Proof. unfold at_, multiplied. cbn. ring. Qed.
Lemma positive_sound n c : (1 <= n)%Z -> positive c = true -> (0 <= at_ n c)%Z.
Proof. unfold positive, at_. intros H P. apply andb_prop in P as [A B]. apply Z.leb_le in A, B. nia. Qed.

(** Sums of numbers that belong to things, by what they belong to. *)
Definition sum {X} (P : X -> bool) (l : list (X * Z)) : Z := fold_right (fun c a => (if P (fst c) then snd c else 0) + a)%Z 0%Z l.
Definition sums {X} (P : X -> bool) (l : list (X * growing)) : growing := fold_right (fun c a => if P (fst c) then plus (snd c) a else a) (0, 0)%Z l.
Definition all_at {X} (n : Z) (l : list (X * growing)) : list (X * Z) := map (fun c => (fst c, at_ n (snd c))) l.
Lemma sum_at {X} n (P : X -> bool) l : sum P (all_at n l) = at_ n (sums P l).
Proof.
  induction l as [|[x c] l IH]; [reflexivity|]. cbn [all_at map sum fold_right sums fst snd]. fold (all_at n l). fold (sum P (all_at n l)). rewrite IH.
  fold (sums P l). destruct (P x); [now rewrite at_plus|easy].
Qed.
Lemma sum_app {X} (P : X -> bool) l m : sum P (l ++ m) = (sum P l + sum P m)%Z.
Proof. unfold sum. induction l as [|c l IH]; cbn [app fold_right]; [easy|]. rewrite IH. ring. Qed.
Lemma sums_app {X} n (P : X -> bool) l m : at_ n (sums P (l ++ m)) = (at_ n (sums P l) + at_ n (sums P m))%Z.
Proof. unfold sums. induction l as [|c l IH]; cbn [app fold_right]; [now cbn|]. destruct (P (fst c)); [rewrite !at_plus, IH; ring|exact IH]. Qed.
Lemma sum_ext {X} (P P' : X -> bool) l : (forall x, P x = P' x) -> sum P l = sum P' l.
Proof. intro E. unfold sum. induction l as [|c l IH]; cbn [fold_right]; [easy|]. now rewrite E, IH. Qed.
Lemma sum_never {X} (P : X -> bool) l : (forall x, P x = false) -> sum P l = 0%Z.
Proof. intro E. unfold sum. induction l as [|c l IH]; cbn [fold_right]; [easy|]. now rewrite E, IH. Qed.
Lemma sum_split {X} (P R : X -> bool) l : sum R l = (sum (fun x => P x && R x) l + sum (fun x => negb (P x) && R x) l)%Z.
Proof. unfold sum. induction l as [|c l IH]; cbn [fold_right]; [easy|]. rewrite IH. destruct (P (fst c)), (R (fst c)); cbn [andb negb]; ring. Qed.

Definition member (vs : list N) (v : N) : bool := existsb (N.eqb v) vs.
Lemma sum_nowhere vs (l : list (N * Z)) : (forall v, In v vs -> sum (N.eqb v) l = 0%Z) -> forall P, sum (fun v => member vs v && P v) l = 0%Z.
Proof.
  induction vs as [|w vs IH]; intros H P; [now apply sum_never|].
  rewrite (sum_split (N.eqb w)).
  rewrite (sum_ext (fun v => N.eqb w v && _) (fun v => N.eqb w v && P w) l).
  2:{ intro v. cbn [member existsb]. rewrite (N.eqb_sym v w). destruct (N.eqb_spec w v) as [->|]; [now destruct (P v)|easy]. }
  rewrite (sum_ext (fun v => negb (N.eqb w v) && _) (fun v => member vs v && (negb (N.eqb w v) && P v)) l).
  2:{ intro v. cbn [member existsb]. rewrite (N.eqb_sym v w). unfold member. destruct (N.eqb w v), (existsb (N.eqb v) vs), (P v); reflexivity. }
  rewrite IH by (intros v I; apply H; now right).
  destruct (P w); [|rewrite sum_never; [easy|intro; apply andb_false_r]].
  rewrite (sum_ext _ (N.eqb w)) by (intro; apply andb_true_r). rewrite H by now left. easy.
Qed.

(** ** Families *)
(** A step: the number of its transition, its noise, its multipliers, and what it reads: the difference of neighbours, and the input. In turn j of n
    turns the sample is larger by j times the one and n times the other of two numbers. *)
Record link := { move : nat; noise_of : Z; of_guard : list growing; of_numbers : list growing; differs : Z; reading_of : Z; rises : Z * Z }.
Definition step_at (n : Z) (e : link) : step :=
  {| way := move e; draw := noise_of e; of_tests := map (at_ n) (of_guard e); of_shows := map (at_ n) (of_numbers e) |}.
Definition item := (N * transition * link)%type.
(** Blocks that are taken n times, or once. *)
Definition blocks := list (bool * list item).
Definition turns (n : nat) (b : bool * list item) : list item := if fst b then concat (repeat (snd b) n) else snd b.
Definition run (n : nat) (bs : blocks) : list item := flat_map (turns n) bs.

Section Family.
  Variable p : program.
  Fixpoint chained (u : N) (l : list item) (v : N) : Prop :=
    match l with
    | [] => u = v
    | (w, t, e) :: l => w = u /\ nth_error (ways (at_state p u)) (move e) = Some t /\ chained (target t) l v
    end.
  Lemma chained_app l m : forall u v w, chained u l v -> chained v m w -> chained u (l ++ m) w.
  Proof. induction l as [|[[x t] e] l IH]; intros u v w A B; cbn [app chained] in *; [now subst|]. destruct A as (-> & T & A). eauto. Qed.
  Lemma chained_turns l u n : chained u l u -> chained u (concat (repeat l n)) u.
  Proof. intro H. induction n as [|n IH]; [easy|]. cbn [repeat concat]. eapply chained_app; eassumption. Qed.
  Fixpoint chained_all (u : N) (bs : blocks) : Prop :=
    match bs with [] => True | b :: bs => exists v, chained u (snd b) v /\ (fst b = true -> v = u) /\ chained_all v bs end.
  Lemma chained_run n bs : forall u, chained_all u bs -> exists v, chained u (run n bs) v.
  Proof.
    induction bs as [|b bs IH]; intros u H; [now exists u|]. destruct H as (v & C & R & H). destruct (IH v H) as (w & D). exists w.
    cbn [run flat_map]. eapply chained_app; [|exact D]. unfold turns. destruct (fst b); [|exact C]. rewrite (R eq_refl) in *. now apply chained_turns.
  Qed.

  Fixpoint resolve (u : N) (l : list link) : option (list item * N) :=
    match l with
    | [] => Some ([], u)
    | e :: l => match nth_error (ways (at_state p u)) (move e) with
                | None => None
                | Some t => option_map (fun r => ((u, t, e) :: fst r, snd r)) (resolve (target t) l)
                end
    end.
  Lemma resolve_sound l : forall u r v, resolve u l = Some (r, v) -> chained u r v.
  Proof.
    induction l as [|e l IH]; intros u r v; cbn [resolve]; [intros [= <- <-]; easy|]. destruct (nth_error _ _) as [t|] eqn:T; [|easy].
    destruct (resolve (target t) l) as [[r' v']|] eqn:E; [|easy]. cbn [option_map fst snd]. intros [= <- <-]. cbn [chained]. split; [easy|]. split; [easy|]. now apply IH.
  Qed.
  Fixpoint resolve_all (u : N) (bs : list (bool * list link)) : option blocks :=
    match bs with
    | [] => Some []
    | (again, l) :: bs => match resolve u l with
                          | None => None
                          | Some (r, v) => if again && negb (v =? u)%N then None else option_map (cons (again, r)) (resolve_all v bs)
                          end
    end.
  Lemma resolve_all_sound bs : forall u r, resolve_all u bs = Some r -> chained_all u r.
  Proof.
    induction bs as [|[again l] bs IH]; intros u r; cbn [resolve_all]; [intros [= <-]; exact I|]. destruct (resolve u l) as [[k v]|] eqn:E; [|easy].
    destruct (again && negb (v =? u)%N) eqn:A; [easy|]. destruct (resolve_all v bs) as [rs|] eqn:R; [|easy]. cbn [option_map]. intros [= <-].
    exists v. cbn [fst snd]. split; [now apply resolve_sound in E|]. split; [|now apply IH]. intros ->. cbn [andb] in A. destruct (N.eqb_spec v u); [easy|discriminate].
  Qed.

  Definition pair_at (n : Z) (i : item) : transition * step := (snd (fst i), step_at n (snd i)).
  Lemma route_chained n l : forall u v, chained u l v -> route p u (map (fun i => step_at n (snd i)) l) = Some (map (pair_at n) l).
  Proof.
    induction l as [|[[w t] e] l IH]; intros u v H; [easy|]. destruct H as (-> & T & H). cbn [map route snd step_at way]. rewrite T.
    now rewrite (IH _ _ H).
  Qed.

  Definition read_at (i : item) : readings :=
    let '(u, _, e) := i in if (reads (at_state p u) =? 0)%Z then [] else [(u, (differs e, reading_of e))].
  Definition all_read (l : list item) : readings := flat_map read_at l.
  Lemma reading_here f pre u x rest : reading f (pre ++ (u, x) :: rest) u (length pre) = f x.
  Proof. unfold reading. rewrite nth_error_app2 by lia. rewrite Nat.sub_diag. cbn. now rewrite N.eqb_refl. Qed.

  (** ** The run can be taken *)
  Definition sample_of (i : item) : Q :=
    let '(u, _, e) := i in let d := at_state p u in mean d + inject_Z (here d (reading_of e) + noise_of e).
  Fixpoint taken (s : N -> Q) (l : list item) : bool :=
    match l with
    | [] => true
    | i :: l => drawable (at_state p (fst (fst i))) (noise_of (snd i)) && forallb (passes s (sample_of i)) (guard (snd (fst i)))
                && taken (stored (snd (fst i)) s (sample_of i)) l
    end.
  Fixpoint left (s : N -> Q) (l : list item) : N -> Q :=
    match l with [] => s | i :: l => left (stored (snd (fst i)) s (sample_of i)) l end.

  Lemma taken_possible n l : forall pre u v s, chained u l v ->
    possible p (reading snd (pre ++ all_read l)) (length pre) u s (map (pair_at n) l) = taken s l.
  Proof.
    induction l as [|[[w t] e] l IH]; intros pre u v s H; [easy|]. destruct H as (-> & T & H). cbn [map pair_at fst snd possible taken step_at draw sample_of].
    unfold all_read, read_at. cbn [flat_map]. fold read_at. fold (all_read l). unfold here, after. destruct (reads (at_state p u) =? 0)%Z eqn:E.
    - cbn [app]. now rewrite (IH pre _ v _ H).
    - cbn [app]. rewrite reading_here. cbn [snd]. specialize (IH (pre ++ [(u, (differs e, reading_of e))]) _ v (stored t s (mean (at_state p u) + inject_Z (reading_of e + noise_of e))) H).
      rewrite <- app_assoc in IH. cbn [app] in IH. rewrite app_length in IH. cbn [length] in IH. rewrite Nat.add_1_r in IH. now rewrite IH.
  Qed.
  Lemma taken_app l m : forall s, taken s (l ++ m) = taken s l && taken (left s l) m.
  Proof. induction l as [|i l IH]; intro s; cbn [app taken left]; [easy|]. now rewrite IH, andb_assoc. Qed.
  Lemma left_app l m : forall s, left s (l ++ m) = left (left s l) m.
  Proof. induction l as [|i l IH]; intro s; cbn [app left]; [easy|]. apply IH. Qed.
End Family.

(** ** The total *)
Section Total.
  Variable p : program.
  Definition stored_of (l : list item) : list N := flat_map (fun i => stores (snd (fst i))) l.
  (** One step from the loads and the total after it, at n. *)
  Definition stepped (n : Z) (i : item) (rest : option (list (N * Z) * Z)) : option (list (N * Z) * Z) :=
    match rest with
    | None => None
    | Some (L, W) =>
      let '(u, t, e) := i in
      let d := at_state p u in
      let a := own t (step_at n e) ++ later t L in
      let y := load is_here a in let z := load is_there a in
      if fits d t (step_at n e) y z then Some (kept a, ((y + z) * here d (differs e) + W)%Z) else None
    end.
  Definition total_of (n : Z) (l : list item) (rest : option (list (N * Z) * Z)) := fold_right (stepped n) rest l.

  Lemma total_chained n l : forall pre u v, chained p u l v ->
    total p (reading fst (pre ++ all_read p l)) (length pre) u (map (pair_at n) l) = total_of n l (Some ([], 0%Z)).
  Proof.
    induction l as [|[[w t] e] l IH]; intros pre u v H; [easy|]. destruct H as (-> & T & H). cbn [map pair_at fst snd total total_of fold_right].
    fold (total_of n l (Some ([], 0%Z))). unfold all_read, read_at. cbn [flat_map]. fold (read_at p). fold (all_read p l). unfold stepped, here, after.
    destruct (reads (at_state p u) =? 0)%Z eqn:E.
    - cbn [app]. now rewrite (IH pre _ v H).
    - cbn [app]. rewrite reading_here. cbn [fst]. specialize (IH (pre ++ [(u, (differs e, reading_of e))]) _ v H).
      rewrite <- app_assoc in IH. cbn [app] in IH. rewrite app_length in IH. cbn [length] in IH. rewrite Nat.add_1_r in IH. now rewrite IH.
  Qed.

  (** What a step makes of loads that come later. *)
  Definition moved (t : transition) (v : N) : place := if member (stores t) v then Here else Stored v.
  Definition as_stored (P : N -> bool) (x : place) : bool := match x with Stored v => P v | _ => false end.
  Lemma sum_later P t l : sum P (later t l) = sum (fun v => P (moved t v)) l.
  Proof. unfold later, sum. induction l as [|c l IH]; cbn [map fold_right fst snd]; [easy|]. now rewrite IH. Qed.
  Lemma sum_kept P l : sum P (kept l) = sum (as_stored P) l.
  Proof.
    induction l as [|[c m] l IH]; [easy|]. change (kept ((c, m) :: l)) with (match c with Stored v => [(v, m)] | _ => [] end ++ kept l).
    rewrite sum_app, IH. change (sum (as_stored P) ((c, m) :: l)) with ((if as_stored P c then m else 0) + sum (as_stored P) l)%Z.
    destruct c; unfold sum at 1; cbn [as_stored fold_right fst snd]; ring.
  Qed.

  (** ** Turns of a block: loads of what it stores count for nothing, and so all turns are alike *)
  Definition apart (l : list item) (L : list (N * Z)) : Prop := forall v, In v (stored_of l) -> sum (N.eqb v) L = 0%Z.
  Lemma sum_moved t L : (forall v, In v (stores t) -> sum (N.eqb v) L = 0%Z) ->
    sum (fun v => is_here (moved t v)) L = 0%Z /\ sum (fun v => is_there (moved t v)) L = 0%Z
    /\ forall P, sum (fun v => as_stored P (moved t v)) L = sum P L.
  Proof.
    intro H. assert (Z0 := sum_nowhere _ _ H). split; [|split].
    - rewrite <- (Z0 (fun _ => true)). apply sum_ext. intro v. unfold moved. now destruct (member _ v).
    - apply sum_never. intro v. unfold moved. now destruct (member _ v).
    - intro P. rewrite (sum_split (member (stores t)) P), Z0. cbn [Z.add]. apply sum_ext. intro v. unfold moved. destruct (member _ v); cbn [as_stored negb andb]; easy.
  Qed.
  Lemma total_beside n l : forall K V, total_of n l (Some ([], 0%Z)) = Some (K, V) -> forall L W, apart l L ->
    exists M, total_of n l (Some (L, W)) = Some (M, (V + W)%Z) /\ forall P, sum P M = (sum P K + sum P L)%Z.
  Proof.
    induction l as [|[[u t] e] l IH]; intros K V E L W A; cbn [total_of fold_right] in *; [injection E as <- <-; now exists L|].
    fold (total_of n l (Some ([], 0%Z))) in E. fold (total_of n l (Some (L, W))).
    destruct (total_of n l (Some ([], 0%Z))) as [[K1 V1]|] eqn:E1; [|discriminate].
    destruct (IH K1 V1 eq_refl L W) as (M1 & EM & S1); [intros v I; apply A; cbn [stored_of flat_map fst snd]; apply in_or_app; now right|].
    rewrite EM. clear EM IH. destruct (sum_moved t L) as (H1 & H2 & H3); [intros v I; apply A; cbn [stored_of flat_map fst snd]; apply in_or_app; now left|].
    cbn [stepped] in *.
    assert (Ld : forall Q, sum (fun v => Q (moved t v)) L = 0%Z -> load Q (own t (step_at n e) ++ later t M1) = load Q (own t (step_at n e) ++ later t K1)).
    { intros Q0 Z0. change (load Q0) with (sum Q0). rewrite !sum_app, !sum_later, S1, Z0. ring. }
    rewrite (Ld _ H1), (Ld _ H2). destruct (fits _ _ _ _ _); [|discriminate]. injection E as <- <-.
    eexists. split; [f_equal; f_equal; ring|]. intro P. rewrite !sum_kept, !sum_app, !sum_later, S1, H3. ring.
  Qed.
  Lemma total_of_app n l m rest : total_of n (l ++ m) rest = total_of n l (total_of n m rest).
  Proof. apply fold_right_app. Qed.
  Lemma total_turns n l K V : total_of n l (Some ([], 0%Z)) = Some (K, V) -> apart l K -> forall L W, apart l L -> forall m,
    exists M, total_of n (concat (repeat l m)) (Some (L, W)) = Some (M, (Z.of_nat m * V + W)%Z) /\ forall P, sum P M = (Z.of_nat m * sum P K + sum P L)%Z.
  Proof.
    intros E AK L W A. induction m as [|m (M & EM & S)]; [now exists L|]. cbn [repeat concat]. rewrite total_of_app, EM.
    destruct (total_beside n l K V E M (Z.of_nat m * V + W)%Z) as (M' & E' & S'); [intros v I; rewrite S, (AK v I), (A v I); ring|].
    exists M'. rewrite E'. rewrite Nat2Z.inj_succ, <- Z.add_1_r. split; [f_equal; f_equal; ring|]. intro P. rewrite S', S. ring.
  Qed.

  (** ** One step for all n *)
  Definition minus (c : growing) : growing := multiplied (-1) c.
  Definition own_for_all (t : transition) (e : link) : list (place * growing) :=
    flat_map (fun c => [(Here, snd c); (Stored (snd (fst c)), minus (snd c))]) (combine (guard t) (of_guard e))
    ++ flat_map (fun c => match fst c with
                          | Sample => [(Here, snd c)] | Second => [(There, snd c)] | Gap v => [(Here, snd c); (Stored v, minus (snd c))] end) (combine (shows t) (of_numbers e)).
  Lemma combine_at {X} n (l : list X) m : combine l (map (at_ n) m) = map (fun c => (fst c, at_ n (snd c))) (combine l m).
  Proof. revert m. induction l as [|x l IH]; intros [|c m]; cbn; [easy..|]. now rewrite IH. Qed.
  Lemma own_at n t e : own t (step_at n e) = all_at n (own_for_all t e).
  Proof.
    unfold own, own_for_all, tests_of, shows_of, step_at, all_at. cbn [of_tests of_shows]. rewrite !combine_at, map_app. f_equal.
    - induction (combine (guard t) (of_guard e)) as [|c l IH]; cbn [map flat_map app fst snd]; [easy|]. rewrite IH. unfold minus. now rewrite at_multiplied.
    - induction (combine (shows t) (of_numbers e)) as [|c l IH]; cbn [map flat_map app fst snd]; [easy|]. rewrite IH. rewrite map_app. f_equal.
      destruct (fst c); cbn [map fst snd]; [easy..|]. unfold minus. now rewrite at_multiplied.
  Qed.
  Definition signed_for_all (c : test) (m : growing) : bool := match c with Below | AtMost => positive m | AtLeast | Above => positive (minus m) | Equal => true end.
  Definition side_for_all (r : option Z) (y : growing) : bool := match r with Some d => positive (plus (d, 0%Z) (minus y)) | None => true end.
  Definition fits_for_all (d : state) (t : transition) (e : link) (y z : growing) : bool :=
    forallb (fun c => signed_for_all (fst (fst c)) (snd c)) (combine (guard t) (of_guard e)) && side_for_all (rate_left d) y && side_for_all (rate_right d) (minus y)
    && match second d with Some (r, _) => positive (plus (r, 0%Z) z) && positive (plus (r, 0%Z) (minus z)) | None => (fst z =? 0)%Z && (snd z =? 0)%Z end.
  Lemma fits_at n d t e y z : (1 <= n)%Z -> fits_for_all d t e y z = true -> fits d t (step_at n e) (at_ n y) (at_ n z) = true.
  Proof.
    intros N1 H. unfold fits_for_all in H. repeat (apply andb_prop in H as [H ?]). unfold fits, tests_of, step_at. cbn [of_tests]. rewrite combine_at.
    assert (S : forall r c, side_for_all r c = true -> side r (at_ n c) = true).
    { intros [x|] c P; [|easy]. cbn [side side_for_all] in *. apply (positive_sound n) in P; [|exact N1]. rewrite at_plus in P. unfold minus in P. rewrite at_multiplied in P.
      unfold at_ in P at 1. cbn [fst snd] in P. lia. }
    rewrite !andb_true_iff. split; [split; [split|]|].
    - rewrite forallb_forall in H |- *. intros c I. apply in_map_iff in I as (c' & <- & I). specialize (H c' I). cbn [fst snd].
      destruct (fst (fst c')); cbn [signed signed_for_all] in *; try reflexivity; apply (positive_sound n) in H; try exact N1; unfold minus in H; rewrite ?at_multiplied in H; lia.
    - now apply S.
    - replace (- at_ n y)%Z with (at_ n (minus y)) by (unfold minus; rewrite at_multiplied; ring). now apply S.
    - destruct (second d) as [[r m]|].
      + apply andb_prop in H0 as [A B]. apply (positive_sound n) in A, B; try exact N1. rewrite at_plus in A, B. unfold minus in B. rewrite at_multiplied in B.
        unfold at_ in A at 1, B at 1. cbn [fst snd] in A, B. lia.
      + unfold at_. lia.
  Qed.

  (** Loads that are sums of what is listed, at n. *)
  Definition state_for_all := option (list (N * growing) * growing).
  Definition stepped_for_all (i : item) (rest : state_for_all) : state_for_all :=
    match rest with
    | None => None
    | Some (L, W) =>
      let '(u, t, e) := i in
      let d := at_state p u in
      let a := own_for_all t e in
      let total Q := plus (sums Q a) (sums (fun v => Q (moved t v)) L) in
      let y := total is_here in let z := total is_there in
      if fits_for_all d t e y z
      then Some (flat_map (fun c => match fst c with Stored v => [(v, snd c)] | _ => [] end) a ++ filter (fun c => negb (member (stores t) (fst c))) L,
                 plus (multiplied (here d (differs e)) (plus y z)) W)
      else None
    end.
  Definition alike (n : Z) (x : state_for_all) (y : option (list (N * Z) * Z)) : Prop :=
    match x with
    | None => True
    | Some (L, W) => exists M, y = Some (M, at_ n W) /\ forall P, sum P M = at_ n (sums P L)
    end.
  Lemma sums_kept n P l : at_ n (sums P (flat_map (fun c => match fst c with Stored v => [(v, snd c)] | _ => [] end) l)) = sum (as_stored P) (all_at n l).
  Proof.
    rewrite sum_at. unfold sums. induction l as [|[[| |v] m] l IH]; cbn [flat_map fst snd app fold_right as_stored]; [easy..|].
    destruct (P v); [rewrite !at_plus; now rewrite IH|exact IH].
  Qed.
  Lemma sums_filter n P t L : at_ n (sums P (filter (fun c => negb (member (stores t) (fst c))) L)) = at_ n (sums (fun v => as_stored P (moved t v)) L).
  Proof.
    unfold sums, moved. induction L as [|[v m] L IH]; cbn [filter fold_right fst snd]; [easy|]. destruct (member (stores t) v); cbn [negb as_stored]; [exact IH|].
    cbn [fold_right fst snd]. destruct (P v); [rewrite !at_plus; now rewrite IH|exact IH].
  Qed.
  Lemma stepped_alike n i x y : (1 <= n)%Z -> alike n x y -> alike n (stepped_for_all i x) (stepped n i y).
  Proof.
    intros N1 H. destruct x as [[L W]|]; [|exact I]. destruct H as (M & -> & S). destruct i as [[u t] e]. cbn [stepped_for_all stepped].
    set (total := fun Q => plus (sums Q (own_for_all t e)) (sums (fun v => Q (moved t v)) L)). cbn zeta.
    assert (Ld : forall Q, load Q (own t (step_at n e) ++ later t M) = at_ n (total Q)).
    { intro Q0. change (load Q0) with (sum Q0). unfold total. rewrite sum_app, sum_later, own_at, sum_at, S, at_plus. easy. }
    rewrite !Ld. fold (total is_here) (total is_there). destruct (fits_for_all _ _ _ _ _) eqn:F; [|exact I]. apply (fits_at n) in F; [|exact N1]. rewrite F.
    eexists. split; [f_equal; f_equal; rewrite at_plus, at_multiplied, at_plus; ring|]. intro P. rewrite sum_kept, sum_app, sum_later, own_at, S.
    rewrite sums_app, sums_kept, sums_filter. easy.
  Qed.
  Lemma steps_alike n l x y : (1 <= n)%Z -> alike n x y -> alike n (fold_right stepped_for_all x l) (total_of n l y).
  Proof. intros N1 H. induction l as [|i l IH]; [exact H|]. cbn [fold_right total_of]. now apply stepped_alike. Qed.

  (** ** Blocks *)
  Definition steady (e : link) : bool := forallb (fun c => snd c =? 0)%Z (of_guard e) && forallb (fun c => snd c =? 0)%Z (of_numbers e).
  Lemma steady_at n e : steady e = true -> step_at n e = step_at 0 e.
  Proof.
    unfold steady. intro H. apply andb_prop in H as [A B]. rewrite forallb_forall in A, B. unfold step_at. f_equal; apply map_ext_in; intros c I;
      [specialize (A c I)|specialize (B c I)]; unfold at_; replace (snd c) with 0%Z by lia; ring.
  Qed.
  Lemma steady_total n l rest : forallb (fun i => steady (snd i)) l = true -> total_of n l rest = total_of 0 l rest.
  Proof.
    induction l as [|[[u t] e] l IH]; intro H; [easy|]. cbn [forallb snd] in H. apply andb_prop in H as [A B]. cbn [total_of fold_right].
    fold (total_of n l rest) (total_of 0 l rest). rewrite (IH B). unfold stepped. now rewrite (steady_at n e A).
  Qed.
  Definition block_for_all (b : bool * list item) (rest : state_for_all) : state_for_all :=
    let l := snd b in
    if fst b then
      match rest, total_of 0 l (Some ([], 0%Z)) with
      | Some (L, W), Some (K, V) =>
        if forallb (fun i => steady (snd i)) l
           && forallb (fun v => (sum (N.eqb v) K =? 0)%Z && (let s := sums (N.eqb v) L in (fst s =? 0)%Z && (snd s =? 0)%Z)) (stored_of l)
        then Some (map (fun c => (fst c, (0%Z, snd c))) K ++ L, plus (0%Z, V) W) else None
      | _, _ => None
      end
    else fold_right stepped_for_all rest l.
  Lemma sums_slope n (P : N -> bool) K : at_ n (sums P (map (fun c => (fst c, (0%Z, snd c))) K)) = (n * sum P K)%Z.
  Proof.
    unfold sums, sum. induction K as [|c K IH]; cbn [map fold_right fst snd]; [unfold at_; cbn; ring|]. destruct (P (fst c)); [rewrite at_plus, IH; unfold at_; cbn [fst snd]; ring|].
    rewrite IH. ring.
  Qed.
  Lemma blocks_alike m bs : let n := Z.of_nat (S m) in alike n (fold_right block_for_all (Some ([], (0, 0)%Z)) bs) (total_of n (run (S m) bs) (Some ([], 0%Z))).
  Proof.
    intro n. assert (N1 : (1 <= n)%Z) by (unfold n; lia). induction bs as [|[again l] bs IH]; [exists []; split; [reflexivity|intro; reflexivity]|].
    cbn [fold_right run flat_map]. rewrite total_of_app. fold (run (S m) bs). set (x := fold_right block_for_all _ bs) in *. set (y := total_of n (run (S m) bs) _) in *. clearbody x y.
    unfold block_for_all, turns. cbn [fst snd]. destruct again; [|now apply steps_alike].
    destruct x as [[L W]|]; [|exact I]. destruct IH as (M & -> & S0). destruct (total_of 0 l (Some ([], 0%Z))) as [[K V]|] eqn:E; [|exact I].
    destruct (forallb (fun i => steady (snd i)) l) eqn:St; [|exact I]. cbn [andb]. destruct (forallb _ (stored_of l)) eqn:F; [|exact I]. rewrite forallb_forall in F.
    rewrite <- (steady_total n l _ St) in E.
    destruct (total_turns n l K V E) with (L := M) (W := at_ n W) (m := S m) as (M' & E' & S').
    - intros v I. specialize (F v I). cbv zeta in F. lia.
    - intros v I. specialize (F v I). cbv zeta in F. rewrite S0. unfold at_. destruct (sums (N.eqb v) L) as [f g]. cbn [fst snd] in *. lia.
    - exists M'. rewrite E'. fold n. split; [f_equal; f_equal; rewrite at_plus; unfold at_ at 2; cbn [fst snd]; ring|]. intro P. rewrite S', sums_app, sums_slope, S0. easy.
  Qed.
End Total.
