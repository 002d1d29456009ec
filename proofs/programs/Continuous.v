(** * Shifts that are affordable for differences that are integers bound the loss with Laplace noise *)
From Coq Require Import List NArith ZArith QArith Qreals Reals Lra Lia Bool.
From Prover.programs Require Import Program Laplace Law.
From Prover.programs Require Shifts.
Import ListNotations.
Open Scope R_scope.

(** ** Real shifts *)
Definition fits (t : transition) (x : N -> R) (g h : R) : Prop :=
  (forall c, In c (guard t) -> match fst c with Below | AtMost => g <= x (snd c) | AtLeast | Above => x (snd c) <= g | Equal => g = x (snd c) end) /\
  (forall o, In o (shows t) -> match o with Sample => g = 0 | Gap v => g = x v | Second => h = 0 end).
Definition second_costs (d : state) (e h b : R) : Prop :=
  match second d with Some (r, _) => costs (Some r) (Some r) (h - e) b | None => costs None None h b end.
(** For the run r from u on, and inputs that differ by delta, some real shifts cost at most c. *)
Fixpoint payable (p : program) (delta : inputs) (i : nat) (u : N) (x : N -> R) (r : list transition) (c : R) : Prop :=
  match r with
  | [] => 0 <= c
  | t :: r => let d := at_state p u in let e := read p delta u i in
    exists g h a b c', fits t x g h /\ costs (rate_left d) (rate_right d) (g - e) a /\ second_costs d e h b /\ a + b + c' <= c /\
      payable p delta (after d i) (target t) (stored t x g) r c'
  end.
(** The inputs that it depends on. *)
Fixpoint places (p : program) (i : nat) (u : N) (r : list transition) : list (N * nat) :=
  match r with [] => [] | t :: r => (u, i) :: places p (after (at_state p u) i) (target t) r end.

Lemma payable_ext p delta delta' r : forall i u x c, (forall v j, In (v, j) (places p i u r) -> delta v j = delta' v j) ->
  payable p delta i u x r c -> payable p delta' i u x r c.
Proof.
  induction r as [|t r IH]; intros i u x c H P; cbn [payable places] in *; [exact P|]. cbv zeta in *.
  replace (read p delta' u i) with (read p delta u i) by (unfold read; rewrite (H u i) by (now left); reflexivity).
  destruct P as (g & h & a & b & c' & F & A & B & L & P). exists g, h, a, b, c'. do 4 (split; [assumption|]).
  apply IH; [|exact P]. intros v j I. apply H. now right.
Qed.

Lemma costs_mix t l r k k' a a' : 0 <= t <= 1 -> costs l r k a -> costs l r k' a' -> costs l r (t * k + (1 - t) * k') (t * a + (1 - t) * a').
Proof.
  intros T (A & R1 & L1) (A' & R2 & L2). repeat split; [nra|destruct r as [d|]|destruct l as [d|]]; try nra.
Qed.
Lemma fits_mix w t x x' x'' g g' h h' : 0 <= w <= 1 -> (forall v, x'' v = w * x v + (1 - w) * x' v) -> fits t x g h -> fits t x' g' h' ->
  fits t x'' (w * g + (1 - w) * g') (w * h + (1 - w) * h').
Proof.
  intros W X [G S] [G' S']. split.
  - intros c I. specialize (G c I). specialize (G' c I). rewrite X. destruct (fst c); nra.
  - intros o I. specialize (S o I). specialize (S' o I). destruct o as [| |v]; rewrite ?X, S, S'; ring.
Qed.
Lemma payable_mix w p delta delta' delta'' r : 0 <= w <= 1 -> (forall u i, delta'' u i = w * delta u i + (1 - w) * delta' u i) ->
  forall i u x x' x'' c c', (forall v, x'' v = w * x v + (1 - w) * x' v) ->
  payable p delta i u x r c -> payable p delta' i u x' r c' -> payable p delta'' i u x'' r (w * c + (1 - w) * c').
Proof.
  intros W D. induction r as [|t r IH]; intros i u x x' x'' c c' X P P'; cbn [payable] in *; [nra|]. cbv zeta in *.
  destruct P as (g & h & a & b & m & F & A & B & L & P), P' as (g' & h' & a' & b' & m' & F' & A' & B' & L' & P').
  exists (w * g + (1 - w) * g'), (w * h + (1 - w) * h'), (w * a + (1 - w) * a'), (w * b + (1 - w) * b'), (w * m + (1 - w) * m').
  assert (E : read p delta'' u i = w * read p delta u i + (1 - w) * read p delta' u i).
  { unfold read. destruct (reads (at_state p u) =? 0)%Z; [ring|apply D]. }
  split; [now apply (fits_mix w t x x')|split; [|split; [|split]]].
  - rewrite E. replace (w * g + (1 - w) * g' - (w * read p delta u i + (1 - w) * read p delta' u i))
      with (w * (g - read p delta u i) + (1 - w) * (g' - read p delta' u i)) by ring. now apply costs_mix.
  - unfold second_costs in *. destruct (second (at_state p u)) as [[q m0]|].
    + rewrite E. replace (w * h + (1 - w) * h' - (w * read p delta u i + (1 - w) * read p delta' u i))
        with (w * (h - read p delta u i) + (1 - w) * (h' - read p delta' u i)) by ring. now apply costs_mix.
    + now apply costs_mix.
  - assert (w * (a + b + m) <= w * c) by (apply Rmult_le_compat_l; lra).
    assert ((1 - w) * (a' + b' + m') <= (1 - w) * c') by (apply Rmult_le_compat_l; lra). lra.
  - apply (IH _ _ (stored t x g) (stored t x' g')); try assumption. intro v. unfold stored. destruct (existsb _ _); [ring|apply X].
Qed.

(** ** Differences that are integers *)
Lemma costs_up l r k a : positive_rate l -> positive_rate r -> Shifts.cost l r k = Some a -> costs l r (IZR k) (IZR a).
Proof.
  intros L P C. unfold Shifts.cost in C. destruct (Z.eqb_spec k 0) as [->|K].
  - injection C as <-. repeat split; [lra|destruct r|destruct l]; lra.
  - destruct (Z.ltb_spec 0 k) as [K'|K']; cbn [option_map] in C.
    + destruct r as [d|]; [|discriminate]. injection C as <-. cbn [positive_rate] in P. repeat split.
      * apply IZR_le. nia.
      * rewrite <- mult_IZR. apply IZR_le. nia.
      * destruct l as [e|]; [cbn [positive_rate] in L; rewrite <- mult_IZR, <- opp_IZR; apply IZR_le; nia|apply IZR_le; lia].
    + destruct l as [d|]; [|discriminate]. injection C as <-. cbn [positive_rate] in L. repeat split.
      * apply IZR_le. nia.
      * destruct r as [e|]; [cbn [positive_rate] in P; rewrite <- mult_IZR; apply IZR_le; nia|apply IZR_le; lia].
      * rewrite <- mult_IZR, <- opp_IZR. apply IZR_le. nia.
Qed.

Section Program.
  Variable p : program.
  Hypothesis Proper : proper p.

  Lemma positive_left u : positive_rate (rate_left (at_state p u)).
  Proof. destruct (Proper u) as [_ H]. unfold rates in H. destruct (rate_left _) as [d|]; [|exact I]. apply H. now left. Qed.
  Lemma positive_right u : positive_rate (rate_right (at_state p u)).
  Proof.
    destruct (Proper u) as [_ H]. unfold rates in H. destruct (rate_right _) as [d|]; [|exact I]. apply H. apply in_or_app. right. now left.
  Qed.
  Lemma positive_second u r m : second (at_state p u) = Some (r, m) -> (0 < r)%Z.
  Proof.
    intro E. destruct (Proper u) as [_ H]. unfold rates in H. rewrite E in H. apply H. rewrite !in_app_iff. right. right. now left.
  Qed.

  Lemma payable_up delta r : forall i u x x' c, (forall v, x' v = IZR (x v)) -> Shifts.affordable p delta i u x r c ->
    payable p (fun v j => IZR (delta v j)) i u x' r (IZR c).
  Proof.
    induction r as [|t r IH]; intros i u x x' c X P; cbn [payable Shifts.affordable] in *; [now apply IZR_le|]. cbv zeta in *.
    destruct P as (g & a & c' & Al & Pr & L & P). unfold Shifts.price in Pr.
    set (e := Shifts.here (at_state p u) (delta u i)) in *.
    assert (E : read p (fun v j => IZR (delta v j)) u i = IZR e) by (unfold read, e, Shifts.here; now destruct (_ =? 0)%Z).
    destruct (Shifts.cost _ _ _) as [k|] eqn:C in Pr; [|discriminate]. cbn [option_map] in Pr. injection Pr as Pr.
    apply costs_up in C; [|apply positive_left|apply positive_right]. rewrite minus_IZR in C.
    unfold Shifts.allowed in Al. apply andb_prop in Al as [Al Sh]. rewrite forallb_forall in Al, Sh.
    assert (Second : exists h b, (In Second (shows t) -> h = 0) /\ second_costs (at_state p u) (IZR e) h (IZR b) /\ (k + b <= a)%Z).
    { unfold second_costs. destruct (second (at_state p u)) as [[q m]|] eqn:Q.
      - apply positive_second in Q. destruct (Shifts.shows_second t) eqn:S.
        + exists 0, (q * Z.abs e)%Z. split; [reflexivity|]. split; [|lia].
          assert (A1 : (0 <= q * Z.abs e)%Z) by nia. assert (A2 : (q * - e <= q * Z.abs e)%Z) by nia.
          assert (A3 : (q * e <= q * Z.abs e)%Z) by nia. apply IZR_le in A1, A2, A3. rewrite (mult_IZR q (- e)), opp_IZR in A2. rewrite (mult_IZR q e) in A3.
          repeat split; lra.
        + exists (IZR e), 0%Z. split; [|split; [|lia]].
          * intro I. unfold Shifts.shows_second in S. assert (existsb (fun o => match o with Second => true | _ => false end) (shows t) = true); [|congruence].
            apply existsb_exists. now exists Second.
          * replace (IZR e - IZR e) with 0 by ring. repeat split; lra.
      - exists 0, 0%Z. split; [reflexivity|]. split; [repeat split; lra|lia]. }
    destruct Second as (h & b & Shown & B & S). exists (IZR g), h, (IZR k), (IZR b), (IZR c'). rewrite E. split; [|split; [exact C|split; [exact B|split]]].
    - split.
      + intros q I. specialize (Al q I). rewrite X. destruct (fst q); first [apply Z.leb_le in Al; now apply IZR_le|apply Z.eqb_eq in Al; now rewrite Al].
      + intros o I. specialize (Sh o I). destruct o as [| |v]; [apply Z.eqb_eq in Sh; now rewrite Sh|now apply Shown|apply Z.eqb_eq in Sh; now rewrite Sh, X].
    - rewrite <- !plus_IZR. apply IZR_le. lia.
    - apply IH with (2 := P).
      intro v. unfold stored, Shifts.moved. destruct (existsb _ _); [reflexivity|apply X].
  Qed.

  (** ** Boxes move *)
  Definition move_box (b : box) (gs : list sample) : box :=
    map (fun bg => let '(i, j, (g, h)) := bg in ((fst i + g, snd i + g), (fst j + h, snd j + h))) (combine b gs).
  Definition move (z gs : list sample) : list sample := map (fun xg => (fst (fst xg) + fst (snd xg), snd (fst xg) + snd (snd xg))) (combine z gs).

  Variables (eps : R) (ins ins' : inputs).
  Hypothesis eps0 : 0 < eps.
  Definition difference : inputs := fun u i => ins' u i - ins u i.

  Lemma mass_pos F i : (forall x y, x <= y -> F x <= F y) -> fst i <= snd i -> 0 <= mass F i.
  Proof. intros M I. unfold mass. specialize (M _ _ I). lra. Qed.
  Lemma first_increasing u c x y : x <= y -> first eps (at_state p u) c x <= first eps (at_state p u) c y.
  Proof. intro H. apply cdf_increasing; [apply rate_positive, positive_left; exact eps0|apply rate_positive, positive_right; exact eps0|lra]. Qed.
  Lemma other_increasing u c x y : x <= y -> other eps (at_state p u) c x <= other eps (at_state p u) c y.
  Proof.
    intro H. unfold other. destruct (second (at_state p u)) as [[q m]|] eqn:Q; [|now apply cdf_increasing].
    apply positive_second in Q. apply cdf_increasing; try (apply rate_positive; [exact eps0|exact Q]). lra.
  Qed.
  Lemma volume_pos I r : forall i u b, ordered b -> 0 <= volume eps p I i u r b.
  Proof.
    induction r as [|t r IH]; intros i u [|[j k] b] O; cbn [volume]; try lra. cbv zeta.
    destruct (O j k (or_introl eq_refl)) as [O1 O2].
    apply Rmult_le_pos; [apply Rmult_le_pos|apply IH; intros i' j' I'; apply O; now right].
    - apply mass_pos; [intros; now apply first_increasing|exact O1].
    - apply mass_pos; [intros; now apply other_increasing|exact O2].
  Qed.

  Lemma first_shift u c c' g a j : costs (rate_left (at_state p u)) (rate_right (at_state p u)) (g - (c' - c)) a -> fst j <= snd j ->
    exp (- (eps * a)) * mass (first eps (at_state p u) c) j <= mass (first eps (at_state p u) c') (fst j + g, snd j + g).
  Proof.
    intros C J. set (m := Q2R (mean (at_state p u)) + c).
    assert (S := law_shift eps _ _ _ a (fst j - m) (snd j - m) eps0 (positive_left u) (positive_right u) C ltac:(lra)).
    cbv zeta in S. unfold mass, first. cbn [fst snd]. fold m. set (m' := Q2R (mean (at_state p u)) + c').
    replace (snd j + g - m') with (snd j - m + (g - (c' - c))) by (unfold m, m'; ring).
    replace (fst j + g - m') with (fst j - m + (g - (c' - c))) by (unfold m, m'; ring). exact S.
  Qed.
  Lemma other_shift u c c' h b j : second_costs (at_state p u) (c' - c) h b -> fst j <= snd j ->
    exp (- (eps * b)) * mass (other eps (at_state p u) c) j <= mass (other eps (at_state p u) c') (fst j + h, snd j + h).
  Proof.
    unfold second_costs, other, mass. cbn [fst snd]. destruct (second (at_state p u)) as [[q m0]|] eqn:Q; intros C J.
    - apply positive_second in Q. set (m := Q2R m0 + c).
      assert (S := law_shift eps (Some q) (Some q) _ b (fst j - m) (snd j - m) eps0 Q Q C ltac:(lra)). cbv zeta in S. set (m' := Q2R m0 + c').
      replace (snd j + h - m') with (snd j - m + (h - (c' - c))) by (unfold m, m'; ring).
      replace (fst j + h - m') with (fst j - m + (h - (c' - c))) by (unfold m, m'; ring). exact S.
    - exact (law_shift eps None None h b (fst j) (snd j) eps0 I I C J).
  Qed.

  Lemma shifted r : forall i u x c, payable p difference i u x r c -> exists gs, length gs = length r /\
    (forall s s' z, length z = length r -> (forall v, s' v = s v + x v) -> taken s r z ->
       taken s' r (move z gs) /\ numbers s' r (move z gs) = numbers s r z) /\
    (forall b, ordered b -> length b = length r -> exp (- (eps * c)) * volume eps p ins i u r b <= volume eps p ins' i u r (move_box b gs)).
  Proof.
    induction r as [|t r IH]; intros i u x c P; cbn [payable] in P; cbv zeta in *.
    - exists []. split; [reflexivity|split].
      + intros s s' [|y z] L X T; [now split|discriminate].
      + intros [|j b] O L; [|discriminate]. cbn [move_box combine map volume]. rewrite !Rmult_1_r, <- exp_0. apply exp_le. nra.
    - destruct P as (g & h & a & b & c' & [G S] & A & B & L & P). destruct (IH _ _ _ _ P) as (gs & Lg & T & V). clear IH P.
      exists ((g, h) :: gs). split; [cbn; now rewrite Lg|]. split.
      + intros s s' [|[y y'] z] Lz X Tk; [discriminate|]. cbn [move combine map fst snd taken numbers] in *. destruct Tk as [Gu Tk].
        destruct (T (stored t s y) (stored t s' (y + g)) z) as [T1 T2]; [now injection Lz| |exact Tk|].
        { intro v. unfold stored. destruct (existsb _ _); [reflexivity|apply X]. }
        split; [split; [|exact T1]|].
        * intros q I. specialize (Gu q I). specialize (G q I). unfold passes in *. rewrite X. destruct (fst q); lra.
        * f_equal; [|exact T2]. apply map_ext_in. intros o I. specialize (S o I). destruct o as [| |v]; [lra|lra|rewrite X; lra].
      + intros [|[j k] bs] O Lb; [discriminate|]. cbn [move_box combine map volume] in *. cbv zeta.
        destruct (O j k (or_introl eq_refl)) as [O1 O2]. assert (O' : ordered bs) by (intros i' j' I'; apply O; now right).
        assert (E : read p ins' u i - read p ins u i = read p difference u i) by (unfold read; destruct (_ =? 0)%Z; [ring|reflexivity]).
        rewrite <- E in A, B. assert (A' := first_shift u _ _ g a j A O1). assert (B' := other_shift u _ _ h b k B O2).
        assert (V' := V bs O' ltac:(cbn in Lb; lia)).
        assert (P1 : 0 <= mass (first eps (at_state p u) (read p ins u i)) j) by (apply mass_pos; [intros; now apply first_increasing|exact O1]).
        assert (P2 : 0 <= mass (other eps (at_state p u) (read p ins u i)) k) by (apply mass_pos; [intros; now apply other_increasing|exact O2]).
        assert (P3 := volume_pos ins r (after (at_state p u) i) (target t) bs O').
        assert (X1 := exp_pos (- (eps * a))). assert (X2 := exp_pos (- (eps * b))). assert (X3 := exp_pos (- (eps * c'))).
        assert (X : exp (- (eps * c)) <= exp (- (eps * a)) * exp (- (eps * b)) * exp (- (eps * c'))).
        { rewrite <- !exp_plus. apply exp_le. nra. }
        set (m1 := mass _ j) in *. set (m2 := mass _ k) in *. set (m3 := volume eps p ins _ _ r bs) in *.
        assert (0 <= m1 * m2 * m3) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption).
        eapply Rle_trans; [apply Rmult_le_compat_r; [assumption|exact X]|].
        replace (exp (- (eps * a)) * exp (- (eps * b)) * exp (- (eps * c')) * (m1 * m2 * m3))
          with (exp (- (eps * a)) * m1 * (exp (- (eps * b)) * m2) * (exp (- (eps * c')) * m3)) by ring.
        apply Rmult_le_compat; [| |apply Rmult_le_compat|]; try assumption; repeat apply Rmult_le_pos; lra.
  Qed.
End Program.
