(** * Chains of what is seen

    A chain b whose steps are those that an observer sees of c: rows of exits say from each state of c, with the label that was seen last, in which
    state of b the next step that is seen ends. *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Seen Sums Sparse Rows Upper Unrolling Delta.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** Exits in multiples of 1 / [share]. A height falls with each step that is not seen; it is 0 where nothing more is seen. *)
Record exit := { ends : list (positive * Z); tall : Q }.

(** Evidence: the chain b; the states of b in which steps of c that are seen end; the exits of the other states, for each label seen last; a bound of
    heights, and a number below 1 by which they fall. A label stands before the first one that is seen, and one after the last; and there is the
    state of b that stands for the runs from a state of c. *)
Record collapse := { shown_chain : chain; share : positive; entered : list (positive * positive); exits : list (positive * list (positive * exit));
                     highest : Q; falls : Q; opening : N; silence : N; begun : bool; begins : list (positive * N) }.

Definition mem (last : option N) : positive := match last with None => 1%positive | Some a => Pos.succ (key a) end.

(** The label that fills up what is seen, if nothing more is seen. *)
Definition filler (o : observer) (e : collapse) (last : option N) : N :=
  match o, last with Labels _, _ => silence e | Changes _, Some a => a | Changes _, None => opening e end.

Section Check.
  Variables (c : chain) (o : observer) (e : collapse).
  Let b := shown_chain e.
  Let m := prepare c.
  Let m' := prepare b.
  Let U := Zpos (share e).
  Let tab := of_list (map (fun kl => (fst kl, of_list (snd kl))) (exits e)).
  Let en := of_list (entered e).

  Definition exit_at (last : option N) (k : positive) : option exit :=
    match PM.find (mem last) tab with Some l => PM.find k l | None => None end.
  Definition unseen (last : option N) (k : positive) : bool := match PM.find k m with Some x => negb (sees o last (lab x)) | None => false end.
  Definition ends_at (last : option N) (k : positive) : option (list (positive * Z)) :=
    if unseen last k then option_map ends (exit_at last k) else option_map (fun j => [(j, U)]) (PM.find k en).
  Definition ends_or (last : option N) (k : positive) : list (positive * Z) := match ends_at last k with Some r => r | None => [] end.
  Definition tall_at (last : option N) (k : positive) : Q :=
    if unseen last k then match exit_at last k with Some x => tall x | None => 0 end else 0.
  Definition has (last : option N) (k : positive) : bool := match ends_at last k with Some _ => true | None => false end.

  Definition follow (z : Z) (last : option N) (l : list (positive * Z)) (t : tree) : tree :=
    fold_right (fun ky t => addl (- (z * snd ky)) (ends_or last (fst ky)) t) t l.

  (** b stays in j and shows for ever what fills up; and nothing more is seen from any of these states. *)
  Definition stays (last : option N) (j : positive) (y : prow) : bool :=
    (lab y =? filler o e last)%N && match nums y with [(i, _)] => (i =? j)%positive | _ => false end.
  Definition silent_from (last : option N) (k : positive) : bool := unseen last k && Qeq_bool (tall_at last k) 0.

  (** A step that is seen: b goes where exits lead from the next states. *)
  Definition check_entered (kj : positive * positive) : bool :=
    match PM.find (fst kj) m, PM.find (snd kj) m' with
    | Some x, Some y => (lab x =? lab y)%N && forallb (fun kz => has (Some (lab x)) (fst kz)) (nums x)
        && if stays (Some (lab x)) (snd kj) y && forallb (fun kz => silent_from (Some (lab x)) (fst kz)) (nums x) then true
           else zeros (addl (U * Zpos (den x)) (nums y) (follow (Zpos (den y)) (Some (lab x)) (nums x) Leaf))
    | _, _ => false
    end.

  Definition total_tall (last : option N) (l : list (positive * Z)) : Q := fold_right (fun kz a => inject_Z (snd kz) * tall_at last (fst kz) + a) 0 l.

  (** The exits of a state are those of the next states; or nothing more is seen, and b stays where it is. *)
  Definition check_exit (last : option N) (ke : positive * exit) : bool :=
    match PM.find (fst ke) m with
    | None => false
    | Some x => let r := ends (snd ke) in let h := tall (snd ke) in
        negb (sees o last (lab x)) && forallb (fun kz => has last (fst kz)) (nums x)
        && nonneg r && (mass r =? U)%Z && Qle_bool h (highest e)
        && if Qeq_bool h 0
           then forallb (fun kz => silent_from last (fst kz)) (nums x)
             && match r with [(j, _)] => match PM.find j m' with Some y => stays last j y | None => false end | _ => false end
           else Qle_bool 1 h && Qle_bool (total_tall last (nums x)) (inject_Z (Zpos (den x)) * (falls e * h))
             && zeros (addl (Zpos (den x)) r (follow 1 last (nums x) Leaf))
    end.

  Definition check_exits (kl : positive * list (positive * exit)) : bool :=
    let last := if (fst kl =? 1)%positive then None else Some (unkey (Pos.pred (fst kl))) in
    (mem last =? fst kl)%positive && forallb (check_exit last) (snd kl).

  (** What the runs from a state show is what b shows from this one; after the label [opening], if there is one. *)
  Definition check_begins (kj : positive * N) : bool :=
    match ends_at None (fst kj), PM.find (fst kj) m, PM.find (key (snd kj)) m' with
    | Some r, Some _, Some y =>
        if begun e then (lab y =? opening e)%N && if stays None (key (snd kj)) y && silent_from None (fst kj) then true
                                                 else zeros (addl U (nums y) (addl (- Zpos (den y)) r Leaf))
        else match r with [(j, _)] => (j =? key (snd kj))%positive | _ => false end
    | _, _, _ => false
    end.

  Definition check_collapse : bool :=
    check_model c && check_model b && forallb (fun x => negb (fst x =? opening e)%N && negb (fst x =? silence e)%N) c
    && Qle_bool 0 (falls e) && negb (Qle_bool 1 (falls e)) && Qle_bool 0 (highest e)
    && forallb check_entered (entered e) && forallb check_exits (exits e) && forallb check_begins (begins e).
End Check.

(** ** Soundness *)

Definition near (x e : Q) : Prop := - e <= x /\ x <= e.

(** What is seen, filled up to k labels; and back. *)
Fixpoint filled (f : option N -> N) (k : nat) (last : option N) (v : list N) : list N :=
  match k with
  | O => []
  | S k => match v with [] => f last :: filled f k last [] | a :: v => a :: filled f k (Some a) v end
  end.
Fixpoint emptied (f : option N -> N) (last : option N) (w : list N) : list N :=
  match w with
  | [] => []
  | a :: w => if (a =? f last)%N then [] else a :: emptied f (Some a) w
  end.

Lemma filled_firstn f k : forall last v, filled f k last (firstn k v) = filled f k last v.
Proof. induction k as [|k IH]; intros last [|a v]; cbn [filled firstn]; [reflexivity|reflexivity|reflexivity|]. now rewrite IH. Qed.

Lemma emptied_filled o e k : forall last w, (forall a, In a w -> a <> opening e /\ a <> silence e) ->
  emptied (filler o e) last (filled (filler o e) k last (view o last w)) = firstn k (view o last w).
Proof.
  induction k as [|k IH]; intros last w H; [reflexivity|]. induction w as [|a w IHw]; cbn [view].
  - cbn [filled firstn emptied]. now rewrite N.eqb_refl.
  - assert (Hw : forall a, In a w -> a <> opening e /\ a <> silence e) by (intros; apply H; now right).
    destruct (sees o last a) eqn:S; [|now apply IHw]. cbn [filled firstn emptied]. rewrite (IH (Some a) w Hw).
    destruct (N.eqb_spec a (filler o e last)) as [E|]; [|reflexivity]. exfalso. destruct (H a (or_introl eq_refl)) as [H1 H2].
    unfold filler, sees in *. destruct o, last; try contradiction. subst. rewrite N.eqb_refl, andb_false_r in S. discriminate.
Qed.

Lemma common (l : list N) (P : N -> nat -> Prop) : (forall x, In x l -> exists m, forall n, (m <= n)%nat -> P x n) ->
  exists m, forall n, (m <= n)%nat -> forall x, In x l -> P x n.
Proof.
  induction l as [|x l IH]; intro H; [exists 0%nat; intros ? ? ? []|]. destruct (IH (fun y I => H y (or_intror I))) as (m & Hm).
  destruct (H x (or_introl eq_refl)) as (m' & Hm'). exists (Nat.max m m'). intros n Hn y [<-|I]; [apply Hm'; lia|apply Hm; [lia|assumption]].
Qed.

Lemma power_falls q n i : 0 <= q -> q <= 1 -> power q (i + n) <= power q n.
Proof. intros H H1. induction i as [|i IH]; [apply Qle_refl|]. cbn [Nat.add power]. assert (P := power_pos q (i + n) H). nra. Qed.

Section Collapse.
  Variables (c : chain) (o : observer) (e : collapse).
  Hypothesis H : check_collapse c o e = true.
  Let b := shown_chain e.
  Let U := inject_Z (Zpos (share e)).
  Let fill := filler o e.

  Lemma collapse_parts : check_model c = true /\ check_model b = true /\ (forall x, In x c -> fst x <> opening e /\ fst x <> silence e) /\
    0 <= falls e /\ falls e < 1 /\ 0 <= highest e /\ (forall kj, In kj (entered e) -> check_entered c o e kj = true) /\
    (forall kl, In kl (exits e) -> check_exits c o e kl = true) /\ (forall kj, In kj (begins e) -> check_begins c o e kj = true).
  Proof.
    unfold check_collapse in H. rewrite !andb_true_iff, !forallb_forall in H. destruct H as ((((((((M & M') & L) & F0) & F1) & Hi) & En) & Ex) & Be).
    apply Qle_bool_iff in F0, Hi. repeat split; try assumption.
    - specialize (L x H0). apply andb_prop in L as [A _]. now apply negb_true_iff, N.eqb_neq in A.
    - specialize (L x H0). apply andb_prop in L as [_ A]. now apply negb_true_iff, N.eqb_neq in A.
    - apply Qnot_le_lt. intro A. apply Qle_bool_iff in A. rewrite A in F1. discriminate.
  Qed.

  Lemma mean_near s f x : In s (states c) -> (forall k p, In (k, p) (next c s) -> near (f k) x) -> near (mean c s f) x.
  Proof.
    intros Hs F. destruct collapse_parts as (M & _). apply in_states in Hs. destruct (model_sound c M s Hs) as [One P].
    assert (E : forall y, sum (map (fun kp : N * Q => snd kp * y) (next c s)) == y).
    { intro y. rewrite (sum_ext _ _ (fun kp => y * snd kp)) by (intros; ring). rewrite sum_scale, One. ring. }
    unfold mean, near. split.
    - apply (Qle_trans _ _ _ (proj2 (Qle_lteq _ _) (or_intror (Qeq_sym _ _ (E (- x)))))). apply sum_le. intros [k p] I. destruct (P k p I), (F k p I). cbn [fst snd]. nra.
    - refine (Qle_trans _ _ _ _ (proj2 (Qle_lteq _ _) (or_intror (E x)))). apply sum_le. intros [k p] I. destruct (P k p I), (F k p I). cbn [fst snd]. nra.
  Qed.

  Lemma row_of s : In s (states c) -> exists x, PM.find (key s) (prepare c) = Some x /\ lab x = label c s /\
    (forall f, inject_Z (Zpos (den x)) * mean c s f == ev (fun k => f (unkey k)) (nums x)) /\
    forall k p, In (k, p) (next c s) -> In k (states c) /\ exists z, In (key k, z) (nums x).
  Proof.
    intro Hs. destruct collapse_parts as (M & _). assert (Hs' := Hs). apply in_states in Hs'. eexists. split; [now apply prepare_complete|].
    split; [reflexivity|]. split.
    - intro f. unfold check_model in M. rewrite forallb_forall in M. destruct (prep_spec _ _ f (M _ (nth_In c (0%N, []) Hs'))) as [P _]. exact P.
    - intros k p I. split; [apply in_states; now apply (model_sound c M s Hs' ) in I|].
      exists ((Qnum p * (Zpos (den (prep (nth (N.to_nat s) c (0%N, [])))) / Zpos (Qden p)))%Z). unfold prep. cbn [nums den].
      apply in_map_iff. now exists (k, p).
  Qed.

  Lemma evt_follow z last f l : forall t, evt f (follow c o e z last l t) == evt f t - inject_Z z * ev (fun k => ev f (ends_or c o e last k)) l.
  Proof.
    induction l as [|[k y] l IH]; intro t; [cbn [follow fold_right ev]; ring|].
    cbn [follow fold_right fst snd]. rewrite evt_addl. unfold follow in IH. rewrite IH. unfold ev at 4. cbn [fold_right fst snd].
    rewrite inject_Z_opp, inject_Z_mult. unfold ev. ring.
  Qed.

  Lemma stays_spec last j y : PM.find j (prepare b) = Some y -> stays o e last j y = true ->
    label b (unkey j) = fill last /\ forall f, mean b (unkey j) f == f (unkey j).
  Proof.
    intros Ew J. destruct collapse_parts as (_ & Mb & _). apply andb_prop in J as [J1 J2]. apply N.eqb_eq in J1. destruct (find_label _ _ _ Ew) as [Lw _].
    split; [unfold fill; congruence|]. intro f. apply in_prepare in Ew as (w' & Iw & -> & Rw & Nw). unfold check_model in Mb. rewrite forallb_forall in Mb.
    specialize (Mb _ Iw). destruct (prep_spec _ _ f Mb) as [Pw _]. unfold mean, next. rewrite Nw.
    unfold check_prep in Mb. apply andb_prop in Mb as [_ Mb]. apply Z.eqb_eq in Mb.
    destruct (nums (prep w')) as [|[i z] [|? ?]]; try discriminate. apply Pos.eqb_eq in J2 as ->. cbn [Rows.total fold_right snd] in Mb. rewrite Z.add_0_r in Mb. subst z.
    unfold ev in Pw. cbn [fold_right fst snd] in Pw. assert (D := inject_pos (den (prep w'))).
    apply (Qmult_inj_l _ _ (inject_Z (Zpos (den (prep w'))))); [intro Q0; rewrite Q0 in D; now apply (Qlt_irrefl 0)|]. rewrite Pw. ring.
  Qed.
  Lemma silent_spec last k : In k (states c) -> silent_from c o e last (key k) = true -> sees o last (label c k) = false /\ tall_at c o e last (key k) == 0.
  Proof.
    intros Hk K. apply andb_prop in K as [K1 K2]. apply Qeq_bool_iff in K2. split; [|assumption].
    unfold unseen in K1. destruct (row_of k Hk) as (w & Ew & Lw & _). rewrite Ew, Lw in K1. now apply negb_true_iff in K1.
  Qed.

  (** *** One step of each kind *)
  Definition Mix k E r : Q := ev (fun j => prob b k (unkey j) E) r.
  Definition P k n s last E : Q := prob c n s (fun w => E (filled fill k last (view o last w))).

  Lemma P_bounds k n s last E : 0 <= P k n s last E /\ P k n s last E <= 1.
  Proof. destruct collapse_parts as (M & _). now apply prob_bounds. Qed.

  Lemma entered_at s j : In s (states c) -> PM.find (key s) (of_list (entered e)) = Some j ->
    label b (unkey j) = label c s /\ In (unkey j) (states b) /\
    (forall k p, In (k, p) (next c s) -> exists r, ends_at c o e (Some (label c s)) (key k) = Some r) /\
    ((forall f, U * mean b (unkey j) f == mean c s (fun k => ev (fun i => f (unkey i)) (ends_or c o e (Some (label c s)) (key k)))) \/
     (label b (unkey j) = fill (Some (label c s)) /\ (forall f, mean b (unkey j) f == f (unkey j)) /\
      forall k p, In (k, p) (next c s) -> sees o (Some (label c s)) (label c k) = false /\ tall_at c o e (Some (label c s)) (key k) == 0)).
  Proof.
    intros Hs F. destruct collapse_parts as (M & Mb & _ & _ & _ & _ & En & _). apply find_of_list in F. specialize (En _ F).
    unfold check_entered in En. cbn [fst snd] in En. destruct (row_of s Hs) as (x & Ex & Lx & Px & Nx). rewrite Ex in En.
    destruct (PM.find j (prepare (shown_chain e))) as [y|] eqn:Ey; [|discriminate].
    apply andb_prop in En as [En Z]. apply andb_prop in En as [L F']. apply N.eqb_eq in L. rewrite forallb_forall in F'. rewrite Lx in *.
    assert (Ey' := Ey). apply in_prepare in Ey as (y' & Iy & -> & Ry & Ny). assert (Fl := find_label _ _ _ Ey'). destruct Fl as [Ly Sy].
    split; [unfold b; congruence|]. split; [exact Sy|]. split.
    - intros k p I. destruct (Nx k p I) as [_ (z & Iz)]. specialize (F' _ Iz). cbn [fst] in F'. unfold has in F'.
      destruct (ends_at c o e (Some (label c s)) (key k)) as [r|]; [now exists r|discriminate].
    - destruct (stays o e (Some (label c s)) j (prep y') && forallb (fun kz => silent_from c o e (Some (label c s)) (fst kz)) (nums x)) eqn:Sf.
      { right. apply andb_prop in Sf as [St Sf]. destruct (stays_spec _ _ _ Ey' St) as [L1 L2]. split; [exact L1|]. split; [exact L2|]. rewrite forallb_forall in Sf.
        intros k p I. destruct (Nx k p I) as [Hk (z & Iz)]. specialize (Sf _ Iz). now apply silent_spec. }
      left. intro f. assert (Ev := evt_zeros _ Z (fun i => f (unkey i))). rewrite evt_addl, evt_follow in Ev. cbn [evt] in Ev.
      unfold check_model in Mb. rewrite forallb_forall in Mb. destruct (prep_spec _ _ f (Mb _ Iy)) as [Py _].
      assert (Pm := Px (fun k => ev (fun i => f (unkey i)) (ends_or c o e (Some (label c s)) (key k)))). cbv beta in Pm.
      rewrite (ev_in _ (fun k => ev (fun i => f (unkey i)) (ends_or c o e (Some (label c s)) k))) in Pm by (intros; now rewrite key_unkey).
      rewrite <- Py, <- Pm, inject_Z_mult in Ev. fold U in Ev.
      change (sum (map (fun kp => snd kp * f (fst kp)) (snd y'))) with (sum (map (fun kp => snd kp * f (fst kp)) (snd y'))) in Ev.
      unfold mean at 1, next, b. rewrite Ny.
      assert (Dx := inject_pos (den x)). assert (Dy := inject_pos (den (prep y'))).
      set (X := mean c s _) in *. set (Y := sum (map _ (snd y'))) in *. set (dx := inject_Z (Zpos (den x))) in *. set (dy := inject_Z (Zpos (den (prep y')))) in *.
      clearbody X Y dx dy. assert (Z0 : dx * dy * (U * Y - X) == 0) by (rewrite <- Ev; ring). assert (N : ~ dx * dy == 0) by nra.
      destruct (Qmult_integral _ _ Z0); [contradiction|lra].
  Qed.

  Lemma in_next s k p : In s (states c) -> In (k, p) (next c s) -> In k (states c) /\ 0 <= p.
  Proof. intros Hs I. destruct collapse_parts as (M & _). apply in_states in Hs. destruct (model_sound c M s Hs) as [_ K]. destruct (K k p I). split; [now apply in_states|assumption]. Qed.

  Lemma exit_parts last k x : exit_at e last k = Some x -> check_exit c o e last (k, x) = true.
  Proof.
    unfold exit_at. intro F. destruct collapse_parts as (_ & _ & _ & _ & _ & _ & _ & Ex & _).
    destruct (PM.find (mem last) _) as [l|] eqn:E; [|discriminate]. apply find_of_list in E, F || (apply find_of_list in E).
    apply in_map_iff in E as ((p & l') & [= Ep <-] & I). cbn [fst snd] in *. apply find_of_list in F. specialize (Ex _ I). unfold check_exits in Ex. cbn [fst snd] in Ex.
    apply andb_prop in Ex as [_ Ex]. subst p. rewrite forallb_forall in Ex.
    assert (L : (if (mem last =? 1)%positive then None else Some (unkey (Pos.pred (mem last)))) = last).
    { unfold mem. destruct last as [a|]; [|reflexivity]. destruct (Pos.eqb_spec (Pos.succ (key a)) 1) as [E|]; [lia|]. now rewrite Pos.pred_succ, unkey_key. }
    rewrite L in Ex. now apply Ex.
  Qed.

  (** Every state with exits is one at which a step is seen, or from which one is seen later, or never. *)
  Inductive sort_of (s : N) (last : option N) (r : list (positive * Z)) : Prop :=
  | AtStep j : sees o last (label c s) = true -> r = [(j, Zpos (share e))] -> PM.find (key s) (of_list (entered e)) = Some j -> sort_of s last r
  | Later x : sees o last (label c s) = false -> exit_at e last (key s) = Some x -> r = ends x -> sort_of s last r.

  Lemma sorted s last r : In s (states c) -> ends_at c o e last (key s) = Some r -> sort_of s last r.
  Proof.
    intros Hs E. unfold ends_at, unseen in E. destruct (row_of s Hs) as (x & Ex & Lx & _). rewrite Ex, Lx in E.
    destruct (sees o last (label c s)) eqn:S; cbn [negb] in E.
    - destruct (PM.find (key s) (of_list (entered e))) as [j|] eqn:F; [|discriminate]. injection E as <-. now apply AtStep with j.
    - destruct (exit_at e last (key s)) as [y|] eqn:F; [|discriminate]. injection E as <-. now apply Later with y.
  Qed.

  Lemma later s last x : In s (states c) -> sees o last (label c s) = false -> exit_at e last (key s) = Some x ->
    nonneg (ends x) = true /\ mass (ends x) = Zpos (share e) /\ tall x <= highest e /\
    (forall k p, In (k, p) (next c s) -> exists r, ends_at c o e last (key k) = Some r) /\
    ((tall x == 0 /\ (forall k p, In (k, p) (next c s) -> sees o last (label c k) = false /\ tall_at c o e last (key k) == 0) /\
      exists j, ends x = [(j, Zpos (share e))] /\ label b (unkey j) = fill last /\ forall f, mean b (unkey j) f == f (unkey j)) \/
     (1 <= tall x /\ mean c s (fun k => tall_at c o e last (key k)) <= falls e * tall x /\
      forall f, ev f (ends x) == mean c s (fun k => ev f (ends_or c o e last (key k))))).
  Proof.
    intros Hs S F. destruct collapse_parts as (M & Mb & _). apply exit_parts in F. unfold check_exit in F. cbn [fst snd] in F.
    destruct (row_of s Hs) as (y & Ey & Ly & Py & Ny). rewrite Ey, Ly, S in F. cbn [negb andb] in F.
    apply andb_prop in F as [F K]. apply andb_prop in F as [F Hi]. apply andb_prop in F as [F T]. apply andb_prop in F as [F Nn].
    rewrite forallb_forall in F. apply Qle_bool_iff in Hi. apply Z.eqb_eq in T.
    split; [assumption|]. split; [assumption|]. split; [assumption|]. split.
    { intros k p I. destruct (Ny k p I) as [_ (z & Iz)]. specialize (F _ Iz). cbn [fst] in F. unfold has in F.
      destruct (ends_at c o e last (key k)) as [r|]; [now exists r|discriminate]. }
    destruct (Qeq_bool (tall x) 0) eqn:H0; [left|right].
    - apply Qeq_bool_iff in H0. apply andb_prop in K as [K J]. rewrite forallb_forall in K. split; [assumption|]. split.
      { intros k p I. destruct (Ny k p I) as [Hk (z & Iz)]. specialize (K _ Iz). now apply silent_spec. }
      destruct (ends x) as [|[j z] [|? ?]] eqn:Er; try discriminate. exists j. cbn [mass fold_right snd] in T. rewrite Z.add_0_r in T. subst z. split; [reflexivity|].
      destruct (PM.find j (prepare (shown_chain e))) as [w|] eqn:Ew; [|discriminate]. now apply stays_spec in J.
    - apply andb_prop in K as [K Z]. apply andb_prop in K as [K1 K2]. apply Qle_bool_iff in K1, K2. split; [assumption|]. assert (D := inject_pos (den y)). split.
      + assert (Pm := Py (fun k => tall_at c o e last (key k))). cbv beta in Pm. rewrite (ev_in _ (fun k => tall_at c o e last k)) in Pm by (intros; now rewrite key_unkey).
        change (total_tall c o e last (nums y)) with (ev (tall_at c o e last) (nums y)) in K2. rewrite <- Pm in K2.
        set (d := inject_Z _) in *. set (X := mean c s _) in *. clearbody d X. apply Qnot_lt_le. intro. nra.
      + intro f. assert (Ev := evt_zeros _ Z f). rewrite evt_addl, evt_follow in Ev. cbn [evt] in Ev.
        assert (Pm := Py (fun k => ev f (ends_or c o e last (key k)))). cbv beta in Pm.
        rewrite (ev_in _ (fun k => ev f (ends_or c o e last k))) in Pm by (intros; now rewrite key_unkey). rewrite <- Pm in Ev.
        change (inject_Z 1) with 1 in Ev. set (d := inject_Z (Zpos (den y))) in *. set (X := mean c s _) in *. set (Y := ev f (ends x)) in *. clearbody d X Y.
        assert (Z0 : d * (Y - X) == 0) by lra. destruct (Qmult_integral _ _ Z0); lra.
  Qed.

  (** Where nothing more is seen. *)
  Lemma nothing_seen n : forall s last x F, In s (states c) -> sees o last (label c s) = false -> exit_at e last (key s) = Some x -> tall x == 0 ->
    prob c n s (fun w => F (view o last w)) == if F [] then 1 else 0.
  Proof.
    induction n as [|n IH]; intros s last x F Hs S Ex Z; cbn [prob view]; [reflexivity|]. rewrite S.
    destruct (later s last x Hs S Ex) as (_ & _ & _ & Has & [(_ & K & _)|(One & _)]); [|lra].
    destruct collapse_parts as (M & _). assert (Hs' := Hs). apply in_states in Hs'. destruct (model_sound c M s Hs') as [T In'].
    rewrite (sum_ext _ _ (fun kp => (if F [] then 1 else 0) * snd kp)).
    - rewrite sum_scale, T. ring.
    - intros [k p] I. cbn [fst snd]. destruct (K k p I) as [Sk Zk]. destruct (In' k p I) as [_ Hk]. apply in_states in Hk. destruct (Has k p I) as (r & Er).
      destruct (sorted k last r Hk Er) as [j Sk' _ _|y _ Fy _]; [congruence|].
      assert (Ty : tall y == 0). { unfold tall_at, unseen in Zk. destruct (row_of k Hk) as (w & Ew & Lw & _). now rewrite Ew, Lw, Sk, Fy in Zk. }
      rewrite (IH k last y F Hk Sk Fy Ty). ring.
  Qed.
  Lemma staying j last k : label b (unkey j) = fill last -> (forall f, mean b (unkey j) f == f (unkey j)) -> forall E,
    prob b k (unkey j) E == if E (filled fill k last []) then 1 else 0.
  Proof.
    intros L St. induction k as [|k IH]; intro E; [reflexivity|].
    change (prob b (S k) (unkey j) E) with (mean b (unkey j) (fun i => prob b k i (fun w => E (label b (unkey j) :: w)))). rewrite St, IH, L. reflexivity.
  Qed.

  (** *** The limit *)
  Definition error n k s last E r : Q := U * P k n s last E - Mix k E r.

  Lemma error_bound n k s last E r : nonneg r = true -> mass r = Zpos (share e) -> near (error n k s last E r) U.
  Proof.
    intros Nn T. destruct collapse_parts as (_ & Mb & _). destruct (P_bounds k n s last E).
    assert (B := ev_between (fun j => prob b k (unkey j) E) r Nn (fun j => prob_bounds b Mb k (unkey j) E)). rewrite T in B. fold U (Mix k E r) in B.
    assert (Up : 0 < U) by reflexivity. unfold near, error. set (p := P k n s last E) in *. set (x := Mix k E r) in *. clearbody p x. split; nra.
  Qed.

  Lemma mean_lin s f g : mean c s (fun k => U * f k - g k) == U * mean c s f - mean c s g.
  Proof.
    unfold mean. rewrite (sum_ext _ _ (fun kp => U * (snd kp * f (fst kp)) + - (1) * (snd kp * g (fst kp)))) by (intros; ring).
    rewrite sum_plus, !sum_scale. ring.
  Qed.
  Lemma error_unseen n k s last E x : In s (states c) -> sees o last (label c s) = false -> exit_at e last (key s) = Some x ->
    (forall f, ev f (ends x) == mean c s (fun k => ev f (ends_or c o e last (key k)))) ->
    error (S n) k s last E (ends x) == mean c s (fun t => error n k t last E (ends_or c o e last (key t))).
  Proof.
    intros Hs S Ex Av. symmetry. unfold error. rewrite (mean_lin s (fun t => P k n t last E) (fun t => Mix k E (ends_or c o e last (key t)))).
    unfold Mix at 2. rewrite (Av (fun j => prob b k (unkey j) E)). unfold P. cbn [prob view]. rewrite S. reflexivity.
  Qed.

  Lemma error_seen n k s last E j : In s (states c) -> sees o last (label c s) = true -> PM.find (key s) (of_list (entered e)) = Some j ->
    error (S n) (S k) s last E [(j, Zpos (share e))] ==
    mean c s (fun t => error n k t (Some (label c s)) (fun w => E (label c s :: w)) (ends_or c o e (Some (label c s)) (key t))) \/
    error (S n) (S k) s last E [(j, Zpos (share e))] == 0.
  Proof.
    intros Hs S F. destruct (entered_at s j Hs F) as (L & _ & Has & [Av|(Lf & St & Si)]); [left|right].
    2: { unfold error, Mix, ev, P. cbn [fold_right fst snd]. rewrite (staying j (Some (label c s)) (Datatypes.S k) Lf St E). cbn [prob view]. rewrite S. cbn [filled].
      rewrite <- Lf, L. set (x := if E _ then 1 else 0). destruct collapse_parts as (M & _). assert (Hs' := Hs). apply in_states in Hs'. destruct (model_sound c M s Hs') as [T _].
      rewrite (sum_ext _ _ (fun kp => x * snd kp)); [rewrite sum_scale, T; fold U; ring|]. intros [t p] I. cbn [fst snd]. destruct (in_next s t p Hs I) as [Ht _].
      destruct (Si t p I) as [Sk Zk]. destruct (Has t p I) as (r & Er). destruct (sorted t _ r Ht Er) as [i Sk' _ _|y _ Fy _]; [congruence|].
      assert (Ty : tall y == 0). { unfold tall_at, unseen in Zk. destruct (row_of t Ht) as (w & Ew & Lw & _). now rewrite Ew, Lw, Sk, Fy in Zk. }
      rewrite (nothing_seen n t (Some (label c s)) y (fun v => E (label c s :: filled fill k (Some (label c s)) v)) Ht Sk Fy Ty). unfold x. ring. }
    symmetry. unfold error.
    rewrite (mean_lin s (fun t => P k n t (Some (label c s)) (fun w => E (label c s :: w))) (fun t => Mix k (fun w => E (label c s :: w)) (ends_or c o e (Some (label c s)) (key t)))).
    unfold Mix at 2, ev at 1. cbn [fold_right fst snd].
    change (prob b (Datatypes.S k) (unkey j) E) with (mean b (unkey j) (fun i => prob b k i (fun w => E (label b (unkey j) :: w)))). rewrite L. fold U.
    rewrite Av. unfold P. cbn [prob view]. rewrite S. cbn [filled]. unfold Mix, mean. ring.
  Qed.

  Lemma ends_or_at last k r : ends_at c o e last k = Some r -> ends_or c o e last k = r.
  Proof. unfold ends_or. now intros ->. Qed.

  Theorem converges k : forall E x, 0 < x -> exists m, forall n, (m <= n)%nat -> forall s last r, In s (states c) -> ends_at c o e last (key s) = Some r ->
    near (error n k s last E r) x.
  Proof.
    destruct collapse_parts as (M & Mb & _ & F0 & F1 & Hi & _). assert (Up : 0 < U) by reflexivity.
    induction k as [|k IH]; intros E x Hx.
    - exists 0%nat. intros n _ s last r Hs Er. assert (Z : error n 0 s last E r == 0); [|unfold near; lra].
      assert (T : mass r = Zpos (share e)).
      { destruct (sorted s last r Hs Er) as [j _ -> _|y S Fy ->]; [cbn; lia|]. now destruct (later s last y Hs S Fy) as (_ & T & _). }
      unfold error, Mix, P. cbn [filled prob].
      destruct (E []).
      + rewrite (prob_always c n M s Hs), ev_one, T. fold U. ring.
      + rewrite prob_never, ev_zero. ring.
    - assert (Seen_ : exists m, forall n, (m <= n)%nat -> forall s, In s (states c) -> forall last j, sees o last (label c s) = true ->
        PM.find (key s) (of_list (entered e)) = Some j -> near (error n (S k) s last E [(j, Zpos (share e))]) (x / 2)).
      { destruct (common (states c) (fun s n => forall last j, sees o last (label c s) = true ->
          PM.find (key s) (of_list (entered e)) = Some j -> near (error n (S k) s last E [(j, Zpos (share e))]) (x / 2))) as (m & Hm); [|now exists m].
        intros s Hs. destruct (IH (fun w => E (label c s :: w)) (x / 2)) as (m & Hm); [apply Qlt_shift_div_l; lra|].
        exists (S m). intros n Hn last j S F. destruct n as [|n]; [lia|]. assert (X2 : 0 <= x / 2) by (apply Qle_shift_div_l; lra).
        unfold near. destruct (error_seen n k s last E j Hs S F) as [Er|Er]; rewrite Er; [|lra]. clear Er.
        apply mean_near; [assumption|]. intros t p I. destruct (in_next s t p Hs I) as [Ht _]. destruct (entered_at s j Hs F) as (_ & _ & Has & _).
        destruct (Has t p I) as (r & Er). rewrite (ends_or_at _ _ _ Er). apply (Hm n ltac:(lia) t _ r Ht Er). }
      destruct Seen_ as (m & Hm).
      assert (Step : forall i s last r, In s (states c) -> ends_at c o e last (key s) = Some r ->
        near (error (i + m) (S k) s last E r) (x / 2 + power (falls e) i * (U * tall_at c o e last (key s)))).
      { assert (X2 : 0 < x / 2) by (apply Qlt_shift_div_l; lra). set (x2 := x / 2) in *. clearbody x2.
        assert (Tall : forall s last y, In s (states c) -> sees o last (label c s) = false -> exit_at e last (key s) = Some y -> tall_at c o e last (key s) = tall y).
        { intros s last y Hs S Fy. unfold tall_at, unseen. destruct (row_of s Hs) as (w & Ew & Lw & _). now rewrite Ew, Lw, S, Fy. }
        assert (Tall0 : forall s last, In s (states c) -> sees o last (label c s) = true -> tall_at c o e last (key s) = 0).
        { intros s last Hs S. unfold tall_at, unseen. destruct (row_of s Hs) as (w & Ew & Lw & _). now rewrite Ew, Lw, S. }
        assert (Still : forall n s last y, In s (states c) -> sees o last (label c s) = false -> exit_at e last (key s) = Some y -> tall y == 0 -> error n (S k) s last E (ends y) == 0).
        { intros n s last y Hs S Fy Z. destruct (later s last y Hs S Fy) as (_ & _ & _ & _ & [(_ & _ & j & Ej & Lj & Sj)|(One & _)]); [|lra].
          unfold error, P, Mix. rewrite (nothing_seen n s last y (fun v => E (filled fill (Datatypes.S k) last v)) Hs S Fy Z), Ej. unfold ev. cbn [fold_right fst snd].
          rewrite (staying j last (Datatypes.S k) Lj Sj E). fold U. ring. }
        induction i as [|i IHi]; intros s last r Hs Er; destruct (sorted s last r Hs Er) as [j S Ej Fj|y S Fy Ey]; subst r.
        - rewrite (Tall0 s last Hs S). cbn [power Nat.add]. assert (B := Hm m (le_n m) s Hs last j S Fj). unfold near in *. lra.
        - rewrite (Tall s last y Hs S Fy). destruct (later s last y Hs S Fy) as (Nn & T & _ & _ & K). cbn [power Nat.add]. destruct K as [(Z & _)|(One & _)].
          + assert (B := Still m s last y Hs S Fy Z). unfold near. rewrite B, Z. lra.
          + assert (B := error_bound m (Datatypes.S k) s last E (ends y) Nn T). unfold near in *. set (er := error _ _ _ _ _ _) in *. clearbody er. assert (U <= U * tall y) by nra. lra.
        - rewrite (Tall0 s last Hs S). assert (B := Hm (Datatypes.S i + m)%nat ltac:(lia) s Hs last j S Fj). unfold near in *. lra.
        - rewrite (Tall s last y Hs S Fy). destruct (later s last y Hs S Fy) as (_ & _ & _ & Has & K). destruct K as [(Z & _)|(One & Fall & Av)].
          + assert (B := Still (Datatypes.S i + m)%nat s last y Hs S Fy Z). unfold near. rewrite B, Z. lra.
          + cbn [Nat.add]. unfold near. rewrite (error_unseen (i + m) (Datatypes.S k) s last E y Hs S Fy Av).
            set (pw := power (falls e) i) in *. assert (Pw : 0 <= pw) by now apply power_pos.
            assert (Le : forall sg f, (forall t p, In (t, p) (next c s) -> sg * f t <= x2 + pw * (U * tall_at c o e last (key t))) ->
              sg * mean c s f <= x2 + pw * (U * mean c s (fun t => tall_at c o e last (key t)))).
            { intros sg f Hf. unfold mean. rewrite <- sum_scale. assert (Hs' := Hs). apply in_states in Hs'. destruct (model_sound c M s Hs') as [T1 _].
              setoid_replace (x2 + pw * (U * sum (map (fun kp => snd kp * tall_at c o e last (key (fst kp))) (next c s)))) with
                (sum (map (fun kp => x2 * snd kp + pw * U * (snd kp * tall_at c o e last (key (fst kp)))) (next c s))) by (rewrite sum_plus, !sum_scale, T1; ring).
              apply sum_le. intros [t p] I. destruct (in_next s t p Hs I) as [_ Pp]. specialize (Hf t p I). cbn [fst snd].
              set (a := f t) in *. set (h := tall_at c o e last (key t)) in *. clearbody a h. assert (0 <= p * (x2 + pw * (U * h) - sg * a)) by nra. lra. }
            assert (B : forall t p, In (t, p) (next c s) -> near (error (i + m) (Datatypes.S k) t last E (ends_or c o e last (key t))) (x2 + pw * (U * tall_at c o e last (key t)))).
            { intros t p I. destruct (in_next s t p Hs I) as [Ht _]. destruct (Has t p I) as (r & Er'). rewrite (ends_or_at _ _ _ Er'). now apply IHi. }
            set (er_at := fun t => error (i + m) (Datatypes.S k) t last E (ends_or c o e last (key t))) in *.
            assert (B1 : 1 * mean c s er_at <= x2 + pw * (U * mean c s (fun t => tall_at c o e last (key t)))).
            { apply Le. intros t p I. destruct (B t p I) as [_ B1]. fold (er_at t) in B1. lra. }
            assert (B2 : - (1) * mean c s er_at <= x2 + pw * (U * mean c s (fun t => tall_at c o e last (key t)))).
            { apply Le. intros t p I. destruct (B t p I) as [B2 _]. fold (er_at t) in B2. lra. }
            cbn [power]. fold pw. set (er := mean c s er_at) in *. set (mt := mean c s (fun t => tall_at c o e last (key t))) in *. clearbody er mt pw.
            assert (pw * (U * mt) <= falls e * pw * (U * tall y)); [|lra].
            assert (0 <= pw * U * (falls e * tall y - mt)); [|lra]. assert (0 <= pw * U) by nra. nra. }
      destruct (power_vanishes (falls e) (U * highest e) (x / 2) F0 F1) as (i0 & Hi0); [nra|apply Qlt_shift_div_l; lra|].
      exists (i0 + m)%nat. intros n Hn s last r Hs Er. assert (B := Step (n - m)%nat s last r Hs Er). replace (n - m + m)%nat with n in B by lia.
      assert (Q1 : power (falls e) (n - m) <= power (falls e) i0) by (replace (n - m)%nat with (n - m - i0 + i0)%nat by lia; apply power_falls; lra).
      assert (Q0 := power_pos (falls e) (n - m) F0).
      assert (T0 : 0 <= tall_at c o e last (key s) /\ tall_at c o e last (key s) <= highest e).
      { unfold tall_at. destruct (unseen c o last (key s)) eqn:Un; [|split; [apply Qle_refl|assumption]]. destruct (exit_at e last (key s)) as [y|] eqn:Fy; [|split; [apply Qle_refl|assumption]].
        assert (S : sees o last (label c s) = false). { unfold unseen in Un. destruct (row_of s Hs) as (w & Ew & Lw & _). rewrite Ew, Lw in Un. now apply negb_true_iff in Un. }
        destruct (later s last y Hs S Fy) as (_ & _ & T & _ & [(Z & _)|(One & _)]); split; lra. }
      destruct T0 as [T0 T1]. set (tl := tall_at c o e last (key s)) in *. set (pn := power (falls e) (n - m)) in *. set (p0 := power (falls e) i0) in *. clearbody tl pn p0.
      assert (pn * (U * tl) <= x / 2). { eapply Qle_trans; [|exact Hi0]. assert (U * tl <= U * highest e) by nra. assert (0 <= U * tl) by nra. nra. }
      unfold near in *. assert (E2 : x / 2 + x / 2 == x) by field. lra.
  Qed.

  (** *** Runs from the beginning *)
  Definition begin_of (s : N) : option N := PM.find (key s) (of_list (begins e)).
  (** What is seen, by b. *)
  Definition B k j E : Q := if begun e then prob b (S k) j (fun w => E (tl w)) else prob b k j E.

  Lemma begin_parts s j : begin_of s = Some j -> In s (states c) /\ In j (states b) /\ (begun e = true -> label b j = opening e) /\
    exists r, ends_at c o e None (key s) = Some r /\ forall k E, U * B k j E == Mix k E r.
  Proof.
    intro F. destruct collapse_parts as (M & Mb & _ & _ & _ & _ & _ & _ & Be). apply find_of_list in F. specialize (Be _ F). unfold check_begins in Be. cbn [fst snd] in Be.
    destruct (ends_at c o e None (key s)) as [r|] eqn:Er; [|discriminate]. destruct (PM.find (key s) (prepare c)) as [x|] eqn:Ex; [|discriminate].
    destruct (PM.find (key j) (prepare (shown_chain e))) as [y|] eqn:Ey; [|discriminate]. destruct (find_label _ _ _ Ex) as [_ Hs], (find_label _ _ _ Ey) as [Ly Hj].
    rewrite unkey_key in Hs, Hj, Ly. split; [exact Hs|]. split; [exact Hj|].
    destruct (begun e) eqn:Bg.
    - apply andb_prop in Be as [L Z]. apply N.eqb_eq in L. split; [intros _; unfold b; congruence|]. exists r. split; [reflexivity|]. intros k E. unfold B. rewrite Bg.
      destruct (stays o e None (key j) y && silent_from c o e None (key s)) eqn:Sf.
      { apply andb_prop in Sf as [St Si]. destruct (stays_spec _ _ _ Ey St) as [Lf Sj]. destruct (silent_spec None s Hs Si) as [Sk Zk]. rewrite unkey_key in Lf, Sj.
        destruct (sorted s None r Hs Er) as [i Sk' _ _|z _ Fz ->]; [congruence|].
        assert (Tz : tall z == 0). { unfold tall_at, unseen in Zk. destruct (row_of s Hs) as (w & Ew & Lw & _). now rewrite Ew, Lw, Sk, Fz in Zk. }
        destruct (later s None z Hs Sk Fz) as (_ & _ & _ & _ & [(_ & _ & i & Ei & Li & Ti)|(One & _)]); [|lra].
        rewrite <- (unkey_key j). rewrite (staying (key j) None (S k)); rewrite ?unkey_key; try assumption.
        unfold Mix, ev. rewrite Ei. cbn [fold_right fst snd tl filled]. rewrite (staying i None k Li Ti E). fold U. ring. }
      set (f := fun i => prob b k i E). change (prob b (S k) j (fun w => E (tl w))) with (mean b j f). change (Mix k E r) with (ev (fun i => f (unkey i)) r).
      assert (Ey' := Ey). apply in_prepare in Ey' as (y' & Iy & -> & _ & Ny). rewrite unkey_key in Ny. unfold check_model in Mb. rewrite forallb_forall in Mb.
      destruct (prep_spec _ _ f (Mb _ Iy)) as [Py _]. unfold mean, next, b. rewrite Ny.
      assert (Ev := evt_zeros _ Z (fun i => f (unkey i))). rewrite !evt_addl in Ev. cbn [evt] in Ev. rewrite <- Py, inject_Z_opp in Ev. fold U in Ev.
      assert (D := inject_pos (den (prep y'))). apply (Qmult_inj_l _ _ (inject_Z (Zpos (den (prep y'))))); [intro Q0; rewrite Q0 in D; now apply (Qlt_irrefl 0)|].
      set (X := sum _) in *. set (Y := ev _ r) in *. set (d := inject_Z (Zpos (den (prep y')))) in *. clearbody X Y d. lra.
    - split; [discriminate|]. exists r. split; [reflexivity|]. intros k E. unfold B. rewrite Bg. assert (T : mass r = Zpos (share e)).
      { destruct (sorted s None r Hs Er) as [i _ -> _|z S Fz ->]; [cbn; lia|]. now destruct (later s None z Hs S Fz) as (_ & T & _). }
      destruct r as [|[i z] [|? ?]]; try discriminate. apply Pos.eqb_eq in Be as ->. cbn [mass fold_right snd] in T. rewrite Z.add_0_r in T. subst z.
      unfold Mix, ev. cbn [fold_right fst snd]. rewrite unkey_key. fold U. ring.
  Qed.

  Lemma begin_near s j : begin_of s = Some j -> forall k E x, 0 < x -> exists m, forall n, (m <= n)%nat -> near (P k n s None E - B k j E) x.
  Proof.
    intros F k E x Hx. destruct (begin_parts s j F) as (Hs & _ & _ & r & Er & Eq). assert (Up : 0 < U) by reflexivity.
    destruct (converges k E (U * x)) as (m & Hm); [nra|]. exists m. intros n Hn. assert (N := Hm n Hn s None r Hs Er).
    unfold near, error in *. rewrite <- Eq in N. set (p := P k n s None E) in *. set (q := B k j E) in *. clearbody p q.
    destruct N as [N1 N2]. split; apply Qnot_lt_le; intro K; nra.
  Qed.

  Lemma prob_words n E E' : (forall w, (forall a, In a w -> a <> opening e /\ a <> silence e) -> E w = E' w) -> forall s, In s (states c) -> prob c n s E == prob c n s E'.
  Proof.
    destruct collapse_parts as (M & _ & L & _). revert E E'. induction n as [|n IH]; intros E E' W s Hs; cbn [prob].
    - rewrite (W []); [reflexivity|intros ? []].
    - apply sum_ext. intros [k p] I. destruct (in_next s k p Hs I) as [Hk _]. cbn [fst snd]. apply Qmult_comp; [reflexivity|]. apply IH; [|assumption].
      intros w Hw. apply W. intros a [<-|Ha]; [|now apply Hw]. apply in_states in Hs. apply L. now apply nth_In.
  Qed.

  Lemma seen_filled k n s E : In s (states c) -> prob_seen c o k n s E == P k n s None (fun w => E (emptied fill None w)).
  Proof. intro Hs. apply prob_words; [|assumption]. intros w Hw. unfold fill. now rewrite emptied_filled. Qed.
  Lemma filled_seen k n s E : P k n s None E == prob_seen c o k n s (fun v => E (filled fill k None v)).
  Proof. unfold P, prob_seen. apply prob_ext. intro w. now rewrite filled_firstn. Qed.

  Lemma begins_show l : (forall s i, In (s, i) l -> begin_of s = Some i) -> shows c o b l.
  Proof.
    intro F. exists (if begun e then 1%nat else 0%nat), (fun w => emptied fill None (if begun e then tl w else w)).
    intros s i I k E eta He. specialize (F s i I). destruct (begin_parts s i F) as (Hs & _).
    destruct (begin_near s i F k (fun w => E (emptied fill None w)) eta He) as (m & Hm). exists m. intros n Hn.
    rewrite (seen_filled k n s E Hs). specialize (Hm n Hn). unfold near, B in Hm. destruct (begun e); exact Hm.
  Qed.

  Lemma close_of_close alpha delta s t i j : 0 <= alpha -> begin_of s = Some i -> begin_of t = Some j -> close b alpha delta i j -> close_seen c o alpha delta s t.
  Proof.
    intros A Fs Ft Cl k E eta He. destruct (begin_parts s i Fs) as (Hs & _), (begin_parts t j Ft) as (Ht & _).
    assert (X : 0 < eta / (1 + alpha)) by (apply Qlt_shift_div_l; lra). set (x := eta / (1 + alpha)) in *.
    assert (Ex : x + alpha * x == eta) by (unfold x; field; lra). clearbody x.
    set (E' := fun w => E (emptied fill None w)). destruct (begin_near s i Fs k E' x X) as (m & Hm), (begin_near t j Ft k E' x X) as (m' & Hm').
    exists (Nat.max m m'). intros n Hn. rewrite (seen_filled k n s E Hs), (seen_filled k n t E Ht). fold E'.
    assert (N := Hm n ltac:(lia)). assert (N' := Hm' n ltac:(lia)). assert (C : B k i E' <= alpha * B k j E' + delta) by (unfold B; destruct (begun e); apply Cl).
    unfold near in *. set (p := P k n s None E') in *. set (q := P k n t None E') in *. set (y := B k i E') in *. set (z := B k j E') in *. clearbody p q y z.
    destruct N, N'. assert (0 <= alpha * (x - (z - q))) by nra. lra.
  Qed.

  Lemma needed_of_needed alpha delta s t i j : 0 <= alpha -> begin_of s = Some i -> begin_of t = Some j -> needed b alpha delta i j -> needed_seen c o alpha delta s t.
  Proof.
    intros A Fs Ft Ne eta He. destruct (begin_parts s i Fs) as (Hs & _ & Ls & _), (begin_parts t j Ft) as (Ht & _ & Lt & _). destruct collapse_parts as (M & _).
    destruct (Ne (eta / 2)) as (k & E & HE); [apply Qlt_shift_div_l; lra|]. assert (E2 : eta / 2 + eta / 2 == eta) by field. set (e2 := eta / 2) in *.
    assert (X : 0 < e2 / (1 + alpha)) by (unfold e2; apply Qlt_shift_div_l; [lra|]; apply Qlt_shift_div_l; lra). set (x := e2 / (1 + alpha)) in *.
    assert (Ex : x + alpha * x == e2) by (unfold x; field; lra). clearbody x e2.
    assert (Near : forall k E', alpha * B k j E' + delta - e2 <= B k i E' -> exists k E m, forall n, (m <= n)%nat -> alpha * prob_seen c o k n t E + delta - eta <= prob_seen c o k n s E).
    { intros k' E' K. exists k', (fun v => E' (filled fill k' None v)). destruct (begin_near s i Fs k' E' x X) as (m & Hm), (begin_near t j Ft k' E' x X) as (m' & Hm').
      exists (Nat.max m m'). intros n Hn. rewrite <- !filled_seen. assert (N := Hm n ltac:(lia)). assert (N' := Hm' n ltac:(lia)).
      unfold near in *. set (p := P k' n s None E') in *. set (q := P k' n t None E') in *. set (y := B k' i E') in *. set (z := B k' j E') in *. clearbody p q y z.
      destruct N, N'. assert (0 <= alpha * (x - (q - z))) by nra. lra. }
    unfold B in Near. destruct (begun e) eqn:Bg; [|now apply (Near k E)]. destruct k as [|k].
    - exists 0%nat, (fun _ => E []), 0%nat. intros n _. unfold prob_seen. cbn [prob] in HE. destruct (E []).
      + rewrite (prob_always c n M s Hs), (prob_always c n M t Ht). lra.
      + rewrite !prob_never. lra.
    - apply (Near k (fun w => E (opening e :: w))).
      rewrite (prob_head b k i _ E), (prob_head b k j _ E); [exact HE| |]; intro w; cbn [tl]; now rewrite ?(Ls eq_refl), ?(Lt eq_refl).
  Qed.
End Collapse.

(** ** Claims *)

Definition begun_pairs (e : collapse) (R : list (N * N)) : list (N * N) :=
  flat_map (fun st => match begin_of e (fst st), begin_of e (snd st) with Some i, Some j => [(i, j)] | _, _ => [] end) R.
Definition all_begun (e : collapse) (R : list (N * N)) : bool :=
  forallb (fun st => match begin_of e (fst st), begin_of e (snd st) with Some _, Some _ => true | _, _ => false end) R.

Lemma pairs_close c o e alpha delta R : check_collapse c o e = true -> 0 <= alpha -> all_begun e R = true ->
  (forall i j, In (i, j) (begun_pairs e R) -> close (shown_chain e) alpha delta i j) ->
  markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t.
Proof.
  intros H A F C. split; [apply model_sound, (collapse_parts c o e H)|]. intros s t I. unfold all_begun in F. rewrite forallb_forall in F. specialize (F _ I). cbn [fst snd] in F.
  destruct (begin_of e s) as [i|] eqn:Ei; [|discriminate]. destruct (begin_of e t) as [j|] eqn:Ej; [|discriminate].
  apply (close_of_close c o e H alpha delta s t i j A Ei Ej), C. apply in_flat_map. exists (s, t). split; [assumption|]. cbn [fst snd]. rewrite Ei, Ej. now left.
Qed.

(** Every pair of R gains at most delta. *)
Definition check_seen_at_most (c : chain) (o : observer) (alpha delta : Q) (R : list (N * N)) (e : collapse * unrolled) : bool :=
  check_collapse c o (fst e) && Qle_bool 0 alpha && all_begun (fst e) R
  && check_delta_at_most (shown_chain (fst e)) alpha delta (begun_pairs (fst e) R) (snd e).

Theorem seen_at_most_sound c o alpha delta R e : check_seen_at_most c o alpha delta R e = true ->
  markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t.
Proof.
  unfold check_seen_at_most. intro H. rewrite !andb_true_iff in H. destruct H as (((H & A) & F) & D). apply Qle_bool_iff in A.
  apply delta_at_most_sound in D as [_ D]. now apply pairs_close with (fst e).
Qed.

(** The pair gains delta. *)
Definition check_seen_at_least (c : chain) (o : observer) (alpha delta : Q) (s t : N) (e : collapse * unrolled) : bool :=
  check_collapse c o (fst e) && Qle_bool 0 alpha
  && match begin_of (fst e) s, begin_of (fst e) t with
     | Some i, Some j => check_delta_at_least (shown_chain (fst e)) alpha delta i j (snd e)
     | _, _ => false
     end.

Theorem seen_at_least_sound c o alpha delta s t e : check_seen_at_least c o alpha delta s t e = true -> markov c /\ needed_seen c o alpha delta s t.
Proof.
  unfold check_seen_at_least. intro H. rewrite !andb_true_iff in H. destruct H as ((H & A) & D). apply Qle_bool_iff in A.
  split; [apply model_sound, (collapse_parts c o (fst e) H)|].
  destruct (begin_of (fst e) s) as [i|] eqn:Ei; [|discriminate]. destruct (begin_of (fst e) t) as [j|] eqn:Ej; [|discriminate].
  apply delta_at_least_sound in D as [_ D]. now apply (needed_of_needed c o (fst e) H alpha delta s t i j).
Qed.

(** Every pair of R gains at most delta, because its distance in the collapsed chain is no larger. *)
Definition check_seen_distance (c : chain) (o : observer) (alpha delta : Q) (R : list (N * N)) (e : collapse) (D : positive) (rows : list urow) : bool :=
  check_collapse c o e && Qle_bool 0 alpha && all_begun e R && check_close (shown_chain e) alpha delta (begun_pairs e R) D rows.

Theorem seen_distance_sound c o alpha delta R e D rows : check_seen_distance c o alpha delta R e D rows = true ->
  markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t.
Proof.
  unfold check_seen_distance. intro H. rewrite !andb_true_iff in H. destruct H as (((H & A) & F) & C). apply Qle_bool_iff in A.
  apply close_sound in C as [_ C]. now apply pairs_close with e.
Qed.

(** The chain b shows from its states what is seen from these. *)
Definition begun_in (e : collapse) (b : chain) (l : list (N * N)) : collapse :=
  {| shown_chain := b; share := share e; entered := entered e; exits := exits e; highest := highest e; falls := falls e; opening := opening e;
     silence := silence e; begun := begun e; begins := map (fun si => (key (fst si), snd si)) l |}.
Definition check_shows (c : chain) (o : observer) (b : chain) (l : list (N * N)) (e : collapse) : bool :=
  let e := begun_in e b l in let found := of_list (begins e) in
  check_collapse c o e && forallb (fun si => match PM.find (key (fst si)) found with Some i => (i =? snd si)%N | None => false end) l.

Theorem shows_sound c o b l e : check_shows c o b l e = true -> markov c /\ shows c o b l.
Proof.
  unfold check_shows. cbv zeta. rewrite andb_true_iff, forallb_forall. intros (H & F). split; [apply model_sound, (collapse_parts c o _ H)|].
  apply (begins_show c o _ H). intros s i I. specialize (F _ I). cbn [fst snd] in F. unfold begin_of.
  destruct (PM.find (key s) (of_list (begins (begun_in e b l)))) as [j|]; [|discriminate]. now apply N.eqb_eq in F as ->.
Qed.
