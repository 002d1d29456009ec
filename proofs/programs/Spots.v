(** * Tables of profiles bound what events gain

    A spot is a state with intervals of the shifts of some stored numbers, and a profile. The claim of a spot: if the stored numbers of the second
    run are those of the first one, moved by such shifts, then no event gains more from there on. Each step of the program proves the claims of its
    spots from those of the next ones; so all hold, by induction on the number of steps. *)
From Coq Require Import List NArith ZArith QArith Qpower Qround Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Noise Loss Table Powers Approximate Tails Profiles Enclosed.
Import ListNotations.
Open Scope Q_scope.

(** A cell is about the differences of inputs up to a number. Its anchors are knots, each with a move of the sample: by a number, or by the
    difference and a number (true). *)
Record cell := { until : Z; anchors : list (Z * bool * Z) }.
(** [near] has the intervals; [cells] has a list for each way in which inputs may differ, where a sample is drawn and not tested. *)
Record spot := { site : N; phase : mode; near : list (N * (Z * Z)); profile : points; cells : list (list cell) }.

Definition same_mode (m m' : mode) : bool :=
  match m, m' with Free, Free | Up, Up | Down, Down | Unused, Unused | Used, Used => true | _, _ => false end.
(** The differences of inputs at a state, and what is known afterwards. *)
Definition span (m : mode) (b : Z) : list (Z * Z * mode) :=
  if (b =? 0)%Z then [(0, 0, m)%Z]
  else match m with
       | Free => [(- b, b, Free)] | Up => [(0, b, Up)] | Down => [(- b, 0, Down)] | Unused => [(0, 0, Unused); (- b, b, Used)] | Used => [(0, 0, Used)]
       end%Z.
Definition intervals := N -> option (Z * Z).
Definition held (l : list (N * (Z * Z))) : intervals := fun v => option_map snd (find (fun w => N.eqb v (fst w)) l).
Definition rate_of (d : state) : option Z :=
  match rate_left d, rate_right d with Some a, Some b => if (a =? b)%Z then Some a else None | _, _ => None end.
(** Whether a test has ties as <= and > have, and whether it holds of large samples. *)
Definition side (c : test) : option (bool * bool) :=
  match c with Below => Some (false, false) | AtLeast => Some (false, true) | AtMost => Some (true, false) | Above => Some (true, true) | Equal => None end.
(** The variable that is tested, the ties, and the transitions for small and for large samples. *)
Definition sides (l : list transition) : option (N * bool * option transition * option transition) :=
  match l with
  | [t] => match guard t with
           | [(c, v)] => match side c with Some (k, up) => Some (v, k, if up then None else Some t, if up then Some t else None) | None => None end
           | _ => None
           end
  | [t; t'] => match guard t, guard t' with
               | [(c, v)], [(c', v')] =>
                 match side c, side c' with
                 | Some (k, up), Some (k', up') =>
                   if N.eqb v v' && eqb k k' && xorb up up' then Some (v, k, Some (if up then t' else t), Some (if up then t else t')) else None
                 | _, _ => None
                 end
               | _, _ => None
               end
  | _ => None
  end.
Definition quiet (o : option transition) : bool :=
  match o with Some t => match stores t, shows t with [], [] => true | _, _ => false end | None => true end.
Definition swapped (l : list (Z * Z)) : list (Z * Z) := map (fun v => (snd v, fst v)) l.
Definition FAR : Z := 1000%Z.

Section Check.
  Variable p : program.
  Variables low high : Q.
  Variable spots : list spot.

  Definition next (m : mode) (J : intervals) (t : transition) : option points :=
    if (N.of_nat (length p) <=? target t)%N then Some ended
    else option_map profile (find (fun n =>
      N.eqb (site n) (target t) && same_mode (phase n) m
      && every (fun vi => match J (fst vi) with Some (a, b) => (fst (snd vi) <=? a)%Z && (b <=? snd (snd vi))%Z | None => false end) (near n)) spots).
  Definition outcome (m : mode) (J : intervals) (o : option transition) : option points := match o with Some t => next m J t | None => Some ended end.

  (** *** Tests *)
  Definition polygon (r s : Z) : list (Z * Z) :=
    if (s =? 0)%Z then [(0, 0); (WHOLE, WHOLE)]%Z
    else let v := vertices (low ^ r) (high ^ r) (Z.abs s) in if (0 <? s)%Z then v else swapped v.
  Fixpoint along (Dl Dh : points) (P P' : Z) (w w' : finger) (ks : points) : bool :=
    match ks with
    | [] => true
    | (K, V) :: ks =>
      let (w, x) := gain_from w Dl (WHOLE - P) (K * (WHOLE - P')) in let (w', y) := gain_from w' Dh P (K * P') in
      if (x + y <=? V * WHOLE)%Z then along Dl Dh P P' w w' ks else false
    end.
  Definition test_worth (Dl Dh ks : points) (v : Z * Z) : bool :=
    let (P, P') := v in
    (0 <=? P)%Z && (P <=? WHOLE)%Z && (0 <=? P')%Z && (P' <=? WHOLE)%Z &&
    along Dl Dh P P' (0%Z, ONE, Dl) (0%Z, ONE, Dh) ks.
  Definition tests (n : spot) (d : state) (r : Z) (v : N) (lo hi : option transition) : bool :=
    let J := held (near n) in
    match J v with
    | Some (g, g') =>
      every (fun w => let '(a, b, m) := w in
        match outcome m J lo, outcome m J hi with
        | Some Dl, Some Dh => every (test_worth Dl Dh (profile n)) (polygon r (g - b) ++ polygon r (g' - a))
        | _, _ => false
        end) (span (phase n) (reads d))
    | None => false
    end.

  (** *** Draws *)
  Definition moved_groups (d : state) (s : Z) : option (list (Z * Z)) :=
    if (s =? 0)%Z then Some [(WHOLE, WHOLE)] else option_map (fun r => groups (low ^ r) (high ^ r) (Z.abs s)) (rate_of d).
  Definition moves (c : Z * Z) (off : bool) (by_ : Z) : (Z * Z) * list Z :=
    if off then ((fst c + by_, snd c + by_), [by_])%Z else ((by_, by_), map (fun i => by_ - snd c + i) (indices (snd c - fst c)))%Z.
  Definition kept (n : spot) (t : transition) (c : Z * Z) : intervals := fun v => if existsb (N.eqb v) (stores t) then Some c else held (near n) v.
  Definition value_at (n : spot) (d : state) (t : transition) (m : mode) (c : Z * Z) (anchor : Z * bool * Z) : option Z :=
    let '(K, off, by_) := anchor in
    let (J, ss) := moves c off by_ in
    if match shows t with [] => true | _ => negb off && (by_ =? 0)%Z end && every (fun s => Z.abs s <=? FAR)%Z ss && (0 <=? K)%Z then
      match next m (kept n t J) t with
      | Some D => fold_right (fun s o => match o, moved_groups d s with
                                         | Some best, Some gs => Some (Z.max best (Z.min ONE (- (- worth D K gs / WHOLE))))%Z | _, _ => None end) (Some 0%Z) ss
      | None => None
      end
    else None.
  Fixpoint anchored (n : spot) (d : state) (t : transition) (m : mode) (c : Z * Z) (l : list (Z * bool * Z)) : option points :=
    match l with
    | [] => Some []
    | a :: l => match value_at n d t m c a, anchored n d t m c l with Some v, Some l => Some ((fst (fst a), v) :: l) | _, _ => None end
    end.
  Definition cell_worth (n : spot) (d : state) (t : transition) (m : mode) (c : Z * Z) (l : list (Z * bool * Z)) : bool :=
    match anchored n d t m c l with Some ((_ :: _) as ps) => every (fun KV => (gain ps 1 (fst KV) <=? snd KV)%Z) (profile n) | _ => false end.
  Fixpoint covered (n : spot) (d : state) (t : transition) (m : mode) (first last : Z) (l : list cell) : bool :=
    match l with
    | [] => (last <? first)%Z
    | c :: l => cell_worth n d t m (first, until c) (anchors c) && covered n d t m (until c + 1)%Z last l
    end.
  Definition draws (n : spot) (d : state) (t : transition) : bool :=
    forallb (fun o => match o with Sample => true | _ => false end) (shows t) &&
    Nat.eqb (length (cells n)) (length (span (phase n) (reads d))) &&
    every (fun wc => let '(a, b, m) := fst wc in covered n d t m a b (snd wc)) (combine (span (phase n) (reads d)) (cells n)).

  Definition proven (n : spot) : bool :=
    let d := at_state p (site n) in
    every (fun KV => (0 <=? fst KV)%Z && (0 <=? snd KV)%Z && (ONE - 10000 * fst KV <=? snd KV)%Z) (profile n) &&
    match second d with
    | Some _ => false
    | None =>
      match ways d with
      | [] => false
      | [t] => match guard t with
               | [] => draws n d t
               | _ => match rate_of d, sides (ways d) with
                      | Some r, Some (v, _, lo, hi) => quiet lo && quiet hi && tests n d r v lo hi | _, _ => false end
               end
      | _ => match rate_of d, sides (ways d) with
             | Some r, Some (v, _, lo, hi) => quiet lo && quiet hi && tests n d r v lo hi | _, _ => false end
      end
    end.
  Definition begins (start : N) (m : mode) (alpha delta : Q) (n : spot) : bool :=
    N.eqb (site n) start && same_mode (phase n) m && every (fun vi => (fst (snd vi) <=? 0)%Z && (0 <=? snd (snd vi))%Z) (near n) &&
    (gain (profile n) (Zpos (Qden alpha)) (Qnum alpha * KNOT) * Zpos (Qden delta) <=? Qnum delta * Zpos (Qden alpha) * ONE)%Z.
End Check.

Definition check_profiles (p : program) (start : N) (a : adjacency) (low high : Q) (l : list (Q * Q)) (T : mode -> list spot) : bool :=
  check_proper p && (0 <? Qnum low)%Z && (Qnum high <? Zpos (Qden high))%Z && every (fun ad => (0 <=? Qnum (fst ad))%Z) l &&
  forallb (fun m => every (proven p low high (T m)) (T m) && every (fun ad => some (begins start m (fst ad) (snd ad)) (T m)) l) (starts a).

(** ** Proof *)
Lemma same_mode_sound m m' : same_mode m m' = true -> m = m'.
Proof. now destruct m, m'. Qed.

(** What is known of two strategies. *)
Definition close_in (p : program) (m : mode) (u : N) (f f' : strategy) : Prop :=
  (forall w, (Z.abs (f' w - f w) <= reads (at_state p (where_after u w)))%Z) /\
  match m with
  | Free => True
  | Up => forall w, (f w <= f' w)%Z
  | Down => forall w, (f' w <= f w)%Z
  | Unused => forall w e w', f w = f' w \/ f (w ++ e :: w') = f' (w ++ e :: w')
  | Used => forall w, f w = f' w
  end.
Lemma span_sound p m u f f' : close_in p m u f f' ->
  let k := if (reads (at_state p u) =? 0)%Z then 0%Z else f [] in let k' := if (reads (at_state p u) =? 0)%Z then 0%Z else f' [] in
  exists a b m', In (a, b, m') (span m (reads (at_state p u))) /\ (a <= k' - k <= b)%Z /\
  forall e, close_in p m' (target (fst e)) (fun w => f (e :: w)) (fun w => f' (e :: w)).
Proof.
  intros [B A] k k'. assert (B0 := B []). cbn [where_after fold_left] in B0. unfold span.
  assert (Bs : forall e w, (Z.abs (f' (e :: w) - f (e :: w)) <= reads (at_state p (where_after (target (fst e)) w)))%Z) by (intros e w; apply (B (e :: w))).
  destruct (Z.eqb_spec (reads (at_state p u)) 0) as [R0|R0].
  - exists 0%Z, 0%Z, m. split; [now left|]. split; [unfold k, k'; lia|]. intro e. split; [apply Bs|].
    destruct m; intros; try exact I; try apply A. apply (A (e :: w) e0 w').
  - destruct m.
    + eexists _, _, _. split; [now left|]. split; [unfold k, k'; lia|]. intro e. split; [apply Bs|exact I].
    + eexists _, _, _. split; [now left|]. split; [specialize (A []); unfold k, k'; lia|]. intro e. split; [apply Bs|intro w; apply A].
    + eexists _, _, _. split; [now left|]. split; [specialize (A []); unfold k, k'; lia|]. intro e. split; [apply Bs|intro w; apply A].
    + destruct (Z.eq_dec (f []) (f' [])) as [E|E].
      * eexists _, _, _. split; [now left|]. split; [unfold k, k'; lia|]. intro e. split; [apply Bs|]. intros w e' w'. apply (A (e :: w)).
      * eexists _, _, _. split; [right; now left|]. split; [unfold k, k'; lia|]. intro e. split; [apply Bs|]. intro w. now destruct (A [] e w).
    + eexists _, _, _. split; [now left|]. split; [specialize (A []); unfold k, k'; lia|]. intro e. split; [apply Bs|intro w; apply A].
Qed.

Lemma blend_pos a b x y : 0 <= a -> 0 <= b -> 0 <= x -> 0 <= y -> 0 <= a * x + b * y.
Proof. intros. nra. Qed.
Lemma blend_le_1 a b x y t : a <= 1 -> b <= 1 -> 0 <= x -> 0 <= y -> x <= t -> y <= 1 - t -> a * x + b * y <= 1.
Proof. intros. nra. Qed.
Lemma blend_le a b x y t : 0 <= a -> 0 <= b -> x <= t -> y <= 1 - t -> a * x + b * y <= a * t + b * (1 - t).
Proof. intros. nra. Qed.
Lemma blend_ge a b x y t m : 0 <= a -> a <= 1 -> 0 <= b -> b <= 1 -> 0 <= m -> t - 2 * m <= x -> 1 - t - 2 * m <= y -> a * t + b * (1 - t) <= a * x + b * y + 4 * m.
Proof. intros. assert (a * (t - 2 * m) <= a * x) by nra. assert (b * (1 - t - 2 * m) <= b * y) by nra. assert (a * m <= m) by nra. assert (b * m <= m) by nra. lra. Qed.

Section Sound.
  Variable q : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Variable p : program.
  Hypothesis Proper : proper p.

  Lemma noise_mass u M (h : Z -> Z) : (forall a b, h a = h b -> a = b) -> over (window M) (fun k => noise q (rate_left (at_state p u)) (rate_right (at_state p u)) (h k)) <= 1.
  Proof.
    intro Inj. destruct (rates_positive p u Proper) as (L & R & _). set (l := rate_left _) in *. set (r := rate_right _) in *.
    set (B := Z.of_nat (fold_right (fun k m => Nat.max (Z.to_nat (Z.abs (h k))) m) 0%nat (window M))).
    apply Qle_trans with (over (window (Z.to_nat B)) (noise q l r)).
    - apply (over_into h); [apply window_nodup|exact Inj| |intro; now apply noise_pos|intro; apply Qle_refl].
      intros k I. rewrite in_window. unfold B. rewrite Nat2Z.id. clear Inj. induction (window M) as [|j js IH]; [destruct I|]. cbn [fold_right].
      destruct I as [->|I]; [lia|]. specialize (IH I). lia.
    - rewrite noise_total by assumption. assert (A := side_lt_1 q q0 q1 l L). assert (A' := side_lt_1 q q0 q1 r R).
      assert (C := side_pos q q0 l 1). assert (C' := side_pos q q0 r 1). set (n := Z.of_nat (S _)). assert (P := side_pos q q0 l n). assert (P' := side_pos q q0 r n).
      set (x := power q l 1) in *. set (y := power q r 1) in *. set (z := power q r n) in *. set (w := power q l n) in *. clearbody x y z w.
      assert (0 <= ((1 - x) * z + (1 - y) * w) / (1 - x * y)); [|lra]. apply Qle_shift_div_l; [nra|]. nra.
  Qed.

  (** ** Runs that have ended *)
  Lemma over_constant {X} (l : list X) (f : X -> Q) c : over l (fun x => f x * c) == over l f * c.
  Proof. rewrite Qmult_comm, <- over_scale. apply over_ext. intros; ring. Qed.
  Lemma chance_ended M n u f s A : (N.of_nat (length p) <= u)%N -> chance q p M n u f s A == if A [] then 1 else 0.
  Proof.
    intro U. destruct n as [|n]; [easy|]. cbn [chance]. unfold at_state. rewrite nth_overflow by lia. cbv zeta. cbn [reads final rate_left ways filter].
    unfold sampled. cbn [second final rate_left rate_right mean]. unfold drawn. rewrite over_constant.
    rewrite (noise_total q q0 q1 None None M I I). cbn [power]. destruct (Z.eqb_spec (Z.of_nat (S M)) 0) as [E|_]; [lia|]. cbn [Z.eqb]. destruct (A []); field; discriminate.
  Qed.

  Variables low high : Q.
  Hypothesis Low0 : 0 < low.
  Hypothesis LowQ : low <= q.
  Hypothesis QHigh : q <= high.
  Lemma powers_between d : (0 < d)%Z -> 0 < low ^ d /\ low ^ d <= q ^ d /\ q ^ d <= high ^ d.
  Proof.
    intro D. replace d with (Z.of_nat (Z.to_nat d)) by lia. induction (Z.to_nat d) as [|n IH]; [repeat split; discriminate || (cbn; lra)|].
    rewrite Nat2Z.inj_succ, <- Z.add_1_r, !power_add by lra. change (low ^ 1) with low. change (q ^ 1) with q. change (high ^ 1) with high.
    destruct IH as (A & B & C). assert (P := power_pos q q0 (Z.of_nat n)). set (x := low ^ _) in *. set (y := q ^ _) in *. set (z := high ^ _) in *. clearbody x y z.
    repeat split; [now apply Qmult_lt_0_compat|nra|nra].
  Qed.
  Lemma rate_of_sound u r : rate_of (at_state p u) = Some r -> rate_left (at_state p u) = Some r /\ rate_right (at_state p u) = Some r /\ (0 < r)%Z.
  Proof.
    unfold rate_of. destruct (rates_positive p u Proper) as (L & _ & _). destruct (rate_left _) as [a|], (rate_right _) as [b|]; try discriminate.
    destruct (Z.eqb_spec a b) as [->|]; [|discriminate]. intro E. injection E as <-. now repeat split.
  Qed.

  Definition related (eta P P' : Q) (l : points) : Prop := 0 <= P /\ P <= 1 /\ 0 <= P' /\ P' <= 1 /\ scaled P (P' + eta) l.

  (** ** A draw *)
  Section DrawStep.
    Variables (u : N) (C C' : Z -> Q) (eta : Q) (l : points) (s : Z) (M M' : nat).
    Let d := at_state p u.
    Let f := noise q (rate_left d) (rate_right d).
    Hypothesis Eta : 0 < eta.
    Hypothesis Related : forall k, related eta (C k) (C' (k + s)%Z) l.
    Hypothesis Window : (Z.of_nat M + Z.abs s <= Z.of_nat M')%Z.
    Let P := over (window M) (fun k => f k * C k).
    Let P' := over (window M') (fun k => f k * C' k).

    Lemma f_pos k : 0 <= f k.
    Proof. destruct (rates_positive p u Proper) as (L & R & _). now apply noise_pos. Qed.
    Lemma mean_between (c : Z -> Q) m : (forall k, 0 <= c k <= 1) -> 0 <= over (window m) (fun k => f k * c k) /\ over (window m) (fun k => f k * c k) <= 1.
    Proof.
      intro H. split; [apply over_pos; intro k; specialize (H k); assert (F := f_pos k); nra|].
      apply Qle_trans with (2 := noise_mass u m (fun k => k) (fun _ _ E => E)). apply over_le. intros k _. specialize (H k). assert (F := f_pos k). fold d f. nra.
    Qed.
    Lemma draw_between : (0 <= P /\ P <= 1) /\ (0 <= P' /\ P' <= 1).
    Proof.
      split; apply mean_between; intro k; [destruct (Related k) as (A & B & _); now split|].
      destruct (Related (k - s)%Z) as (_ & _ & A & B & _). replace (k - s + s)%Z with k in * by ring. now split.
    Qed.
    Lemma draw_moved : over (window M) (fun k => f (k + s)%Z * (C' (k + s)%Z + eta)) <= P' + eta.
    Proof.
      rewrite (over_ext _ _ (fun k => f (k + s)%Z * C' (k + s)%Z + eta * f (k + s)%Z)) by (intros; ring). rewrite over_plus, over_scale. apply Qplus_le_compat.
      - unfold P'. apply (over_into (fun k => k + s)%Z); [apply window_nodup|intros; lia| | |intro; apply Qle_refl].
        + intros k I. rewrite in_window in *. lia.
        + intro k. destruct (Related (k - s)%Z) as (_ & _ & A & _). replace (k - s + s)%Z with k in A by ring. assert (F := f_pos k). nra.
      - assert (H := noise_mass u M (fun k => k + s)%Z ltac:(intros a b E; cbv beta in E; lia)). cbv beta in H. fold d f in H. nra.
    Qed.
    Lemma draw_step K gs : (0 <= K)%Z -> moved_groups low high d s = Some gs ->
      inject_Z WHOLE * (inject_Z ONE * P - inject_Z K * (10000 * (P' + eta))) <= inject_Z (worth l K gs).
    Proof.
      intros K0 G. assert (Kq := inject_0 K K0). assert (W0 : 0 < inject_Z WHOLE) by reflexivity.
      set (X := fun k => inject_Z ONE * C k). set (Y := fun k => 10000 * (C' (k + s)%Z + eta)).
      assert (Known : forall k, holds l (X k) (Y k)) by (intro k; destruct (Related k) as (_ & _ & _ & _ & H); exact H).
      apply Qle_trans with (inject_Z WHOLE * over (window M) (fun k => f k * X k - inject_Z K * (f (k + s)%Z * Y k))).
      - apply times_le; [lra|]. assert (Mo := draw_moved).
        rewrite (over_ext (window M) (fun k => f k * X k - inject_Z K * (f (k + s)%Z * Y k))
          (fun k => inject_Z ONE * (f k * C k) + - inject_Z K * 10000 * (f (k + s)%Z * (C' (k + s)%Z + eta)))) by (intros; unfold X, Y; ring).
        rewrite over_plus, !over_scale. fold P. assert (A := times_le _ _ _ Kq Mo). lra.
      - unfold moved_groups in G. destruct (Z.eqb_spec s 0) as [S0|S0].
        + injection G as <-. cbn [worth fold_right fst snd]. rewrite Z.add_0_r. set (E := Z.max 0 (gain l WHOLE (K * WHOLE))).
          assert (E0 : 0 <= inject_Z E) by (apply inject_0; unfold E; lia).
          apply Qle_trans with (inject_Z E * over (window M) f).
          * rewrite <- !over_scale. apply over_le. intros k _. rewrite S0, Z.add_0_r. assert (F := f_pos k).
            assert (Ga := gain_sound l (X k) (Y k) WHOLE (K * WHOLE) (Known k) ltac:(easy) (Z.mul_nonneg_nonneg K WHOLE K0 ltac:(easy))). rewrite inject_Z_mult in Ga.
            assert (Le : inject_Z (gain l WHOLE (K * WHOLE)) <= inject_Z E) by (apply inject_le; unfold E; lia).
            set (x := X k) in *. set (y := Y k) in *. set (w := inject_Z WHOLE) in *. set (g := inject_Z (gain _ _ _)) in *. set (e := inject_Z E) in *. clearbody x y w g e.
            assert (A := times_le (f k) _ _ F (Qle_trans _ _ _ Ga Le)). lra.
          * assert (H := noise_mass u M (fun k => k) (fun _ _ E => E)). change (over (window M) f <= 1) in H. setoid_replace (inject_Z E) with (inject_Z E * 1) at 2 by ring. now apply times_le.
        + destruct (rate_of d) as [r|] eqn:R; [|discriminate]. injection G as <-. destruct (rate_of_sound u r R) as (Rl & Rr & Rp). fold d in Rl, Rr.
          unfold f. rewrite Rl, Rr. unfold groups. cbv zeta. destruct (powers_between r Rp) as (E1 & E2 & E3).
          apply (draw_sound q r q0 q1 Rp l X Y K Known K0 (larger (lows (low ^ r) (high ^ r) (Z.abs s)) (highs (low ^ r) (high ^ r) (Z.abs s)) (Z.abs s))
            (smaller (lows (low ^ r) (high ^ r) (Z.abs s)) (highs (low ^ r) (high ^ r) (Z.abs s)) (Z.abs s)) s M S0).
          intros j J. apply (groups_sound q r (low ^ r) (high ^ r)); try assumption. lia.
    Qed.
  End DrawStep.

  (** ** A test *)
  Section TestStep.
    Variables (u : N) (r : Z) (Cl Ch Cl' Ch' : Q) (eta eta' : Q) (Dl Dh ks : points) (s s1 s2 z : Z) (M M' : nat).
    Let d := at_state p u.
    Hypothesis Rate : rate_of d = Some r.
    Let f := noise q (rate_left d) (rate_right d).
    Hypothesis Room : eta' + 4 * tail q r (Z.of_nat M' + 1) <= eta.
    Hypothesis RelatedL : related eta' Cl Cl' Dl.
    Hypothesis RelatedH : related eta' Ch Ch' Dh.
    Hypothesis Between : (s1 <= s <= s2)%Z.
    Let P := over (window M) (fun k => f k * (if (z <=? k)%Z then Ch else Cl)).
    Let P' := over (window M') (fun k => f k * (if (z + s <=? k)%Z then Ch' else Cl')).

    Lemma polygon_sound r' n k a b c : (0 < r')%Z -> (forall Q Q', In (Q, Q') (polygon low high r' n) -> a * inject_Z Q + b * inject_Z Q' <= c * inject_Z WHOLE) ->
      a * tail q r' k + b * tail q r' (k + n) <= c.
    Proof.
      intros Rp H. destruct (powers_between r' Rp) as (E1 & E2 & E3). unfold polygon in H. destruct (Z.eqb_spec n 0) as [->|N].
      - rewrite Z.add_0_r. assert (A := H _ _ (or_introl eq_refl)). assert (B := H _ _ (or_intror (or_introl eq_refl))). change (inject_Z 0) with 0 in A.
        assert (W0 : 0 < inject_Z WHOLE) by reflexivity. set (w := inject_Z WHOLE) in *. clearbody w.
        assert (A' : 0 <= c) by nra. assert (B' : a + b <= c) by nra. assert (T := tail_between q r' q0 q1 Rp k). set (t := tail q r' k) in *. clearbody t. nra.
      - destruct (Z.ltb_spec 0 n).
        + rewrite Z.abs_eq in H by lia. now apply (vertices_sound q r' (low ^ r') (high ^ r')); try assumption; lia.
        + rewrite Z.abs_neq in H by lia. assert (V := vertices_sound q r' (low ^ r') (high ^ r') q0 q1 Rp E1 E2 E3 (- n) (k + n) b a c ltac:(lia)).
          replace (k + n + - n)%Z with k in V by ring. rewrite Qplus_comm. apply V. intros A B I. rewrite Qplus_comm. apply H. unfold swapped. apply in_map_iff. now exists (A, B).
    Qed.
    Lemma split_test m y (a b : Q) : rate_of d = Some r -> over (window m) (fun k => f k * (if (y <=? k)%Z then a else b)) ==
      a * over (window m) (fun k => if (y <=? k)%Z then noise q (Some r) (Some r) k else 0) + b * over (window m) (fun k => if negb (y <=? k)%Z then noise q (Some r) (Some r) k else 0).
    Proof.
      intro R. destruct (rate_of_sound u r R) as (Rl & Rr & Rp). fold d in Rl, Rr. unfold f. rewrite Rl, Rr. rewrite <- !over_scale, <- over_plus. apply over_ext. intros k _. destruct (y <=? k)%Z; cbn [negb]; ring.
    Qed.
    Lemma test_step : every (test_worth Dl Dh ks) (polygon low high r s1 ++ polygon low high r s2) = true -> every (fun KV => (0 <=? fst KV)%Z) ks = true ->
      0 <= P /\ P <= 1 /\ 0 <= P' /\ P' <= 1 /\ forall K V, In (K, V) ks -> inject_Z ONE * P - inject_Z K * (10000 * (P' + eta)) <= inject_Z V.
    Proof.
      intros Ok Knots. destruct (rate_of_sound u r Rate) as (Rl & Rr & Rp). fold d in Rl, Rr.
      destruct RelatedL as (l0 & l1 & l0' & l1' & HL), RelatedH as (h0 & h1 & h0' & h1' & HH).
      assert (Ps := split_test M z Ch Cl Rate). fold P in Ps. assert (Ps' := split_test M' (z + s) Ch' Cl' Rate). fold P' in Ps'.
      assert (T := tail_between q r q0 q1 Rp z). assert (T' := tail_between q r q0 q1 Rp (z + s)). assert (Tm := tail_between q r q0 q1 Rp (Z.of_nat M' + 1)).
      assert (A1 := above_at_most q r q0 q1 Rp M z). assert (A2 := below_at_most q r q0 q1 Rp M z).
      assert (A3 := above_at_least q r q0 q1 Rp M' (z + s)). assert (A4 := below_at_least q r q0 q1 Rp M' (z + s)).
      assert (A5 := above_at_most q r q0 q1 Rp M' (z + s)). assert (A6 := below_at_most q r q0 q1 Rp M' (z + s)).
      assert (Pos : forall (b : Z -> bool) m, 0 <= over (window m) (fun k => if b k then noise q (Some r) (Some r) k else 0)).
      { intros b m. apply over_pos. intro k. destruct (b k); [now apply noise_pos|easy]. }
      assert (B1 := Pos (fun k => z <=? k)%Z M). assert (B2 := Pos (fun k => negb (z <=? k)%Z) M). assert (B3 := Pos (fun k => z + s <=? k)%Z M'). assert (B4 := Pos (fun k => negb (z + s <=? k)%Z) M').
      cbv beta in *. set (a1 := over (window M) (fun k => if (z <=? k)%Z then _ else 0)) in *. set (a2 := over (window M) (fun k => if negb (z <=? k)%Z then _ else 0)) in *.
      set (a3 := over (window M') (fun k => if (z + s <=? k)%Z then _ else 0)) in *. set (a4 := over (window M') (fun k => if negb (z + s <=? k)%Z then _ else 0)) in *. clearbody a1 a2 a3 a4.
      rewrite Ps, Ps'. set (t := tail q r z) in *. set (t' := tail q r (z + s)) in *. set (tm := tail q r (Z.of_nat M' + 1)) in *.
      split; [now apply blend_pos|]. split; [now apply (blend_le_1 _ _ _ _ t)|]. split; [now apply blend_pos|]. split; [now apply (blend_le_1 _ _ _ _ t')|].
      intros K V I. rewrite every_spec in Ok, Knots. assert (K0 := Knots _ I). cbn [fst] in K0. apply Z.leb_le in K0. assert (Kq := inject_0 K K0).
      set (Xl := inject_Z ONE * Cl) in *. set (Yl := 10000 * (Cl' + eta')) in *. set (Xh := inject_Z ONE * Ch) in *. set (Yh := 10000 * (Ch' + eta')) in *.
      assert (Vx : forall Q Q', In (Q, Q') (polygon low high r s1 ++ polygon low high r s2) ->
        (Xh - Xl) * inject_Z Q + - (inject_Z K * (Yh - Yl)) * inject_Z Q' <= (inject_Z V - (Xl - inject_Z K * Yl)) * inject_Z WHOLE).
      { intros Q Q' J. specialize (Ok _ J). unfold test_worth in Ok. repeat (apply andb_prop in Ok as [Ok ?]). rewrite Z.leb_le in *. rename H into Al.
        assert (G : forall ks w w', true_at w Xl Yl -> true_at w' Xh Yh -> along Dl Dh Q Q' w w' ks = true -> (forall KV, In KV ks -> (0 <= fst KV)%Z) -> In (K, V) ks ->
          inject_Z (WHOLE - Q) * Xl - inject_Z (K * (WHOLE - Q')) * Yl + (inject_Z Q * Xh - inject_Z (K * Q') * Yh) <= inject_Z (V * WHOLE)).
        { clear Al I. induction ks0 as [|[K1 V1] ks0 IH]; intros w w' Tw Tw' Al Ks I; [destruct I|]. cbn [along] in Al. assert (K1p := Ks _ (or_introl eq_refl)). cbn [fst] in K1p.
          assert (S1 := gain_from_sound w Dl Xl Yl (WHOLE - Q) (K1 * (WHOLE - Q')) HL Tw ltac:(lia) ltac:(nia)).
          assert (S2 := gain_from_sound w' Dh Xh Yh Q (K1 * Q') HH Tw' ltac:(lia) ltac:(nia)).
          destruct (gain_from w Dl _ _) as [w1 x1]. destruct (gain_from w' Dh _ _) as [w1' y1]. cbn [fst snd] in S1, S2.
          destruct (Z.leb_spec (x1 + y1) (V1 * WHOLE)) as [Le|]; [|discriminate]. destruct I as [E|I].
          - injection E as -> ->. apply inject_le in Le. rewrite inject_Z_plus in Le. lra.
          - apply (IH w1 w1'); try tauto. intros KV J'. apply Ks. now right. }
        specialize (G ks _ _ (begin_true _ _ _ HL) (begin_true _ _ _ HH) Al ltac:(intros KV J'; apply Z.leb_le, Knots, J') I).
        rewrite ?inject_Z_mult in G. unfold Z.sub in G. rewrite ?inject_Z_plus, ?inject_Z_opp, ?inject_Z_mult in G.
        set (w := inject_Z WHOLE) in *. set (x := inject_Z Q) in *. set (x' := inject_Z Q') in *. set (k := inject_Z K) in *. set (v := inject_Z V) in *.
        clearbody w x x' k v Xl Yl Xh Yh. lra. }
      assert (H1 := polygon_sound r s1 z (Xh - Xl) (- (inject_Z K * (Yh - Yl))) (inject_Z V - (Xl - inject_Z K * Yl)) Rp ltac:(intros; apply Vx, in_or_app; now left)).
      assert (H2 := polygon_sound r s2 z (Xh - Xl) (- (inject_Z K * (Yh - Yl))) (inject_Z V - (Xl - inject_Z K * Yl)) Rp ltac:(intros; apply Vx, in_or_app; now right)).
      assert (D1 := tail_decreasing q r q0 q1 Rp (z + s1) (z + s) ltac:(lia)). assert (D2 := tail_decreasing q r q0 q1 Rp (z + s) (z + s2) ltac:(lia)).
      fold t t' in H1, H2, D1, D2. set (t1 := tail q r (z + s1)) in *. set (t2 := tail q r (z + s2)) in *.
      assert (H : (Xh - Xl) * t + - (inject_Z K * (Yh - Yl)) * t' <= inject_Z V - (Xl - inject_Z K * Yl)).
      { set (b := - (inject_Z K * (Yh - Yl))) in *. set (c := inject_Z V - _) in *. set (a := Xh - Xl) in *. clearbody a b c t t' t1 t2. destruct (Qlt_le_dec b 0); nra. }
      clear H1 H2 D1 D2 Vx Ok.
      assert (X1 := blend_le Ch Cl a1 a2 t h0 l0 A1 A2). apply (times_le (inject_Z ONE)) in X1; [|apply inject_0; easy].
      assert (Y1 := blend_ge Ch' Cl' a3 a4 t' tm h0' h1' l0' l1' ltac:(lra) A3 A4).
      assert (X2 : inject_Z ONE * (Ch * a1 + Cl * a2) <= Xh * t + Xl * (1 - t)) by (unfold Xh, Xl; lra).
      assert (Y2 : Yh * t' + Yl * (1 - t') <= 10000 * (Ch' * a3 + Cl' * a4 + eta)) by (unfold Yh, Yl; lra).
      apply (times_le (inject_Z K)) in Y2; [|exact Kq]. clear X1 Y1.
      rewrite Ps, Ps'. lra.
    Qed.
  End TestStep.

  (** ** What follows a step *)
  Definition sane (l : points) : bool := every (fun KV => (0 <=? fst KV)%Z && (0 <=? snd KV)%Z && (ONE - 10000 * fst KV <=? snd KV)%Z) l.
  Lemma related_ext eta P P' R R' l : P == R -> P' == R' -> related eta P P' l -> related eta R R' l.
  Proof.
    intros E E' (A & B & C & D & X0 & X1 & Y0 & H). assert (B' := B). assert (D' := D). rewrite E in A, B', X0, X1. rewrite E' in C, D', Y0.
    repeat split; try assumption. intros K V I. rewrite <- E, <- E'. now apply H.
  Qed.
  Lemma related_end eta (a : bool) l : 0 < eta -> sane l = true -> related eta (if a then 1 else 0) (if a then 1 else 0) l.
  Proof.
    intros E S. assert (O0 : 0 <= inject_Z ONE) by (apply inject_0; easy). unfold sane in S. rewrite every_spec in S.
    repeat split; try (destruct a; lra). intros K V I. specialize (S _ I). cbn [fst snd] in S. repeat (apply andb_prop in S as [S ?]). rewrite Z.leb_le in *.
    apply inject_0 in S, H0. apply inject_le in H. unfold Z.sub in H. rewrite inject_Z_plus, inject_Z_opp, inject_Z_mult in H. change (inject_Z 10000) with 10000 in H.
    set (o := inject_Z ONE) in *. set (k := inject_Z K) in *. set (v := inject_Z V) in *. clearbody o k v. destruct a; nra.
  Qed.

  Variable spots : list spot.
  Definition inside (l : list (N * (Z * Z))) (x : shifts) : Prop := forall v a b, In (v, (a, b)) l -> (a <= x v <= b)%Z.
  Definition claim (n M M' : nat) (eta : Q) : Prop := forall nd, In nd spots -> forall f f' s s' x A,
    close_in p (phase nd) (site nd) f f' -> apart s s' x -> inside (near nd) x ->
    related eta (chance q p M n (site nd) f s A) (chance q p M' n (site nd) f' s' A) (profile nd).

  Section Step.
    Variables (n M M' : nat) (eta : Q).
    Hypothesis Eta : 0 < eta.
    Hypothesis IH : claim n M M' eta.

    Lemma next_sound m J t D f f' s s' x A : next p spots m J t = Some D -> close_in p m (target t) f f' -> apart s s' x ->
      (forall v a b, J v = Some (a, b) -> (a <= x v <= b)%Z) ->
      related eta (chance q p M n (target t) f s A) (chance q p M' n (target t) f' s' A) D.
    Proof.
      unfold next. intros E Cl Ap In'. destruct (N.leb_spec (N.of_nat (length p)) (target t)) as [F|F].
      - injection E as <-. apply (related_ext eta (if A [] then 1 else 0) (if A [] then 1 else 0)); [symmetry; now apply chance_ended|symmetry; now apply chance_ended|].
        now apply related_end.
      - destruct (find _ spots) as [nd|] eqn:Fi; [|discriminate]. injection E as <-. apply find_some in Fi as [I B].
        apply andb_prop in B as [B Nr]. apply andb_prop in B as [B1 B2]. apply N.eqb_eq in B1. apply same_mode_sound in B2. rewrite <- B1. apply (IH nd I f f' s s' x A).
        + now rewrite B1, B2.
        + exact Ap.
        + intros v a b Iv. rewrite every_spec in Nr. specialize (Nr _ Iv). cbn [fst snd] in Nr. destruct (J v) as [[a' b']|] eqn:Ej; [|discriminate].
          apply andb_prop in Nr as [N1 N2]. apply Z.leb_le in N1, N2. specialize (In' v a' b' Ej). lia.
    Qed.
    Lemma held_inside nd x v a b : inside (near nd) x -> held (near nd) v = Some (a, b) -> (a <= x v <= b)%Z.
    Proof.
      intros I H. unfold held in H. destruct (find _ (near nd)) as [[w c]|] eqn:F; [|discriminate]. injection H as ->. apply find_some in F as [J E].
      cbn [fst] in E. apply N.eqb_eq in E as ->. now apply I.
    Qed.

    (** *** A draw *)
    Lemma chance_draw u t m f s A : second (at_state p u) = None -> ways (at_state p u) = [t] -> guard t = [] ->
      let i := if (reads (at_state p u) =? 0)%Z then 0%Z else f [] in
      let X := fun k => mean (at_state p u) + inject_Z (i + k) in
      chance q p m (S n) u f s A == over (window m) (fun k => noise q (rate_left (at_state p u)) (rate_right (at_state p u)) k *
        chance q p m n (target t) (fun w => f ((t, numbers t s (X k) 0) :: w)) (stored t s (X k)) (fun w => A ((t, numbers t s (X k) 0) :: w))).
    Proof.
      intros S W G i X. cbn [chance]. cbv zeta. fold i. unfold sampled, drawn. rewrite S, W. apply over_ext. intros k _. cbn [filter]. rewrite G. cbn [forallb].
      rewrite over_cons, over_nil. fold (X k). ring.
    Qed.
    Lemma covered_sound nd d t m delta : forall l first last, covered p low high spots nd d t m first last l = true -> (first <= delta <= last)%Z ->
      exists c l', (fst c <= delta <= snd c)%Z /\ cell_worth p low high spots nd d t m c l' = true.
    Proof.
      induction l as [|c l IHl]; intros first last C B; cbn [covered] in C; [apply Z.ltb_lt in C; lia|]. apply andb_prop in C as [C1 C2].
      destruct (Z.leb_spec delta (until c)); [exists (first, until c), (anchors c); split; [cbn; lia|exact C1]|]. apply (IHl (until c + 1)%Z last C2). lia.
    Qed.
    Lemma best_sound d (D : points) K ss v : fold_right (fun s o => match o, moved_groups low high d s with
        | Some best, Some gs => Some (Z.max best (Z.min ONE (- (- worth D K gs / WHOLE))))%Z | _, _ => None end) (Some 0%Z) ss = Some v ->
      forall s, In s ss -> exists gs, moved_groups low high d s = Some gs /\ (Z.min ONE (- (- worth D K gs / WHOLE)) <= v)%Z.
    Proof.
      revert v. induction ss as [|s0 ss IHs]; intros v E s I; [destruct I|]. cbn [fold_right] in E. destruct (fold_right _ _ ss) as [b|]; [|discriminate].
      destruct (moved_groups low high d s0) as [gs|] eqn:G; [|discriminate]. injection E as <-. destruct I as [<-|I].
      - exists gs. split; [exact G|lia].
      - destruct (IHs b eq_refl s I) as (gs' & G' & L). exists gs'. split; [exact G'|lia].
    Qed.
    Lemma anchored_sound nd d t m c l : forall ps, anchored p low high spots nd d t m c l = Some ps -> forall K v, In (K, v) ps ->
      exists off by_, value_at p low high spots nd d t m c (K, off, by_) = Some v.
    Proof.
      induction l as [|[[K0 off0] by0] l IHl]; intros ps E K v I; cbn [anchored] in E; [injection E as <-; destruct I|].
      destruct (value_at _ _ _ _ _ _ _ _ _ _) as [v0|] eqn:Ev; [|discriminate]. destruct (anchored _ _ _ _ _ _ _ _ _ l) as [ps'|]; [|discriminate].
      injection E as <-. destruct I as [E|I]; [injection E as <- <-; now exists off0, by0|now apply (IHl ps')].
    Qed.
    Lemma draw_related nd t eta' : In nd spots -> proven p low high spots nd = true -> second (at_state p (site nd)) = None -> ways (at_state p (site nd)) = [t] -> guard t = [] ->
      draws p low high spots nd (at_state p (site nd)) t = true -> (Z.of_nat M + FAR <= Z.of_nat M')%Z -> eta <= eta' -> sane (profile nd) = true ->
      forall f f' s s' x A, close_in p (phase nd) (site nd) f f' -> apart s s' x -> inside (near nd) x ->
      related eta' (chance q p M (S n) (site nd) f s A) (chance q p M' (S n) (site nd) f' s' A) (profile nd).
    Proof.
      intros _ _ S W G Dr Win Le Sane f f' s s' x A Cl Ap Ins. set (u := site nd) in *. set (d := at_state p u) in *.
      destruct (span_sound p (phase nd) u f f' Cl) as (a & b & m & Im & Bd & Cl'). fold d in Im, Bd.
      assert (P1 := chance_draw u t M f s A S W G). assert (P2 := chance_draw u t M' f' s' A S W G). cbv zeta in P1, P2. fold d in P1, P2.
      set (i := if (reads d =? 0)%Z then 0%Z else f []) in *. set (i' := if (reads d =? 0)%Z then 0%Z else f' []) in *.
      set (X := fun k => mean d + inject_Z (i + k)) in *. set (X' := fun k => mean d + inject_Z (i' + k)) in *.
      set (C := fun k => chance q p M n (target t) (fun w => f ((t, numbers t s (X k) 0) :: w)) (stored t s (X k)) (fun w => A ((t, numbers t s (X k) 0) :: w))).
      set (C' := fun k => chance q p M' n (target t) (fun w => f' ((t, numbers t s' (X' k) 0) :: w)) (stored t s' (X' k)) (fun w => A ((t, numbers t s' (X' k) 0) :: w))).
      unfold draws in Dr. apply andb_prop in Dr as [Dr Cov]. apply andb_prop in Dr as [Sh Len]. apply Nat.eqb_eq in Len.
      destruct (paired (span (phase nd) (reads d)) (cells nd) _ (eq_sym Len) Im) as (cs & Ics). rewrite every_spec in Cov. specialize (Cov _ Ics). cbn [fst snd] in Cov.
      destruct (covered_sound nd d t m (i' - i) cs a b Cov Bd) as ([c1 c2] & l & Bc & Cw). cbn [fst snd] in Bc.
      unfold cell_worth in Cw. destruct (anchored p low high spots nd d t m (c1, c2) l) as [[|kv ps']|] eqn:An; try discriminate.
      set (ps := kv :: ps') in *. rewrite every_spec in Cw.
      assert (Move : forall K v, In (K, v) ps -> exists D gs sg, (0 <= K)%Z /\ (Z.abs sg <= FAR)%Z /\ moved_groups low high d sg = Some gs /\
        (Z.min ONE (- (- worth D K gs / WHOLE)) <= v)%Z /\ forall k, related eta (C k) (C' (k + sg)%Z) D).
      { intros K v I. destruct (anchored_sound nd d t m (c1, c2) l ps An K v I) as (off & by_ & Ev). unfold value_at in Ev.
        destruct (moves (c1, c2) off by_) as [J ss] eqn:Mv. destruct (_ && _ && _) eqn:Cond in Ev; [|discriminate].
        apply andb_prop in Cond as [Cond K0]. apply andb_prop in Cond as [Fix Far']. apply Z.leb_le in K0. rewrite every_spec in Far'.
        destruct (next p spots m (kept nd t J) t) as [D|] eqn:Nx; [|discriminate].
        set (sg := if off then by_ else (by_ - (i' - i))%Z).
        assert (Is : In sg ss /\ (fst J <= i' - i + sg <= snd J)%Z).
        { unfold moves in Mv. cbn [fst snd] in Mv. unfold sg. destruct off; injection Mv as <- <-; cbn [fst snd].
          - split; [now left|lia].
          - split; [|lia]. apply in_map_iff. exists (c2 - (i' - i))%Z. split; [ring|]. apply in_indices. lia. }
        destruct Is as [Is Js]. destruct (best_sound d D K ss v Ev sg Is) as (gs & Gs & Lv). exists D, gs, sg. split; [exact K0|]. split; [apply Z.leb_le, Far', Is|].
        split; [exact Gs|]. split; [exact Lv|]. intro k. unfold C, C'.
        assert (Xe : X' (k + sg)%Z = mean d + inject_Z (i + k + (i' - i + sg))) by (unfold X'; do 2 f_equal; ring).
        assert (Ne : numbers t s' (X' (k + sg)%Z) 0 = numbers t s (X k) 0).
        { unfold numbers. apply map_ext_in. intros o Io. rewrite forallb_forall in Sh. specialize (Sh o Io). destruct o; try discriminate.
          destruct (shows t) as [|o' os]; [destruct Io|]. apply andb_prop in Fix as [F1 F2]. destruct off; [discriminate|]. apply Z.eqb_eq in F2. subst by_.
          unfold sg in Xe |- *. rewrite Xe. unfold X. do 3 f_equal. ring. }
        rewrite Ne. apply (next_sound m (kept nd t J) t D _ _ _ _ (moved t x (i' - i + sg)) _ Nx).
        - apply Cl'.
        - rewrite Xe. now apply apart_stored.
        - intros v' a' b' Ek. unfold kept in Ek. unfold moved. destruct (existsb (N.eqb v') (stores t)); [injection Ek as ->; exact Js|].
          now apply (held_inside nd). }
      clear Cov An. set (P := chance q p M (Datatypes.S n) u f s A) in *. set (P' := chance q p M' (Datatypes.S n) u f' s' A) in *.
      assert (Betw : (0 <= P /\ P <= 1) /\ 0 <= P' /\ P' <= 1).
      { destruct kv as [K v]. destruct (Move K v (or_introl eq_refl)) as (D & gs & sg & K0 & Fr & Gs & Lv & Rel). rewrite P1, P2.
        apply (draw_between u C C' eta D sg M M' Rel). }
      destruct Betw as [[b1 b2] [b3 b4]].
      assert (H : holds ps (inject_Z ONE * P) (10000 * (P' + eta))).
      { assert (0 <= inject_Z ONE) by (apply inject_0; easy). split; [nra|]. split; [nra|]. split; [lra|]. intros K v I.
        destruct (Move K v I) as (D & gs & sg & K0 & Fr & Gs & Lv & Rel).
        assert (St := draw_step u C C' eta D sg M M' Eta Rel ltac:(lia) K gs K0 Gs).
        assert (P1' : P == over (window M) (fun k => noise q (rate_left d) (rate_right d) k * C k)) by exact P1.
        assert (P2' : P' == over (window M') (fun k => noise q (rate_left d) (rate_right d) k * C' k)) by exact P2.
        fold d in St. rewrite <- P1', <- P2' in St. assert (Qa := quotient_above (worth D K gs) WHOLE eq_refl). 
        destruct (Z.min_spec ONE (- (- worth D K gs / WHOLE))) as [[_ Mn]|[_ Mn]]; rewrite Mn in Lv; apply inject_le in Lv; [apply inject_0 in K0; nra|].
        assert (W0 : 0 < inject_Z WHOLE) by reflexivity. apply (Qmult_le_r _ _ _ W0). set (y := inject_Z (- _)) in *. set (w := inject_Z WHOLE) in *. clearbody y w. nra. }
      split; [exact b1|]. split; [exact b2|]. split; [exact b3|]. split; [exact b4|].
      destruct H as (H1 & H2 & H3 & H4). split; [exact H1|]. split; [exact H2|]. split; [lra|]. intros K V I. unfold sane in Sane. rewrite every_spec in Sane. specialize (Sane _ I).
      cbn [fst snd] in Sane. repeat (apply andb_prop in Sane as [Sane ?]). apply Z.leb_le in Sane.
      assert (Ga := gain_sound ps _ _ 1 K (conj H1 (conj H2 (conj H3 H4))) ltac:(lia) Sane). assert (Cv : (gain ps 1 K <=? V)%Z = true) by exact (Cw _ I). apply Z.leb_le, inject_le in Cv.
      change (inject_Z 1) with 1 in Ga. apply inject_0 in Sane. set (k := inject_Z K) in *. set (v := inject_Z V) in *. set (g := inject_Z (gain _ _ _)) in *.
      clearbody k v g P P'. assert (k * eta <= k * eta') by nra. lra.
    Qed.

    (** *** A test *)
    Definition passed (ties : bool) (y x : Q) : bool := if ties then negb (Qle_bool x y) else Qle_bool y x.
    Lemma sides_sound l v ties lo hi s x : sides l = Some (v, ties, lo, hi) ->
      filter (fun t => forallb (passes s x) (guard t)) l = match (if passed ties (s v) x then hi else lo) with Some t => [t] | None => [] end.
    Proof.
      unfold sides, passed. destruct l as [|t [|t' [|? ?]]]; try discriminate.
      - destruct (guard t) as [|[c w] [|? ?]] eqn:G; try discriminate. intro E. cbn [filter]. rewrite G. cbn [forallb]. rewrite andb_true_r. unfold passes. cbn [fst snd].
        destruct c; try discriminate; injection E as <- <- <- <-; destruct (Qle_bool _ _); reflexivity.
      - destruct (guard t) as [|[c w] [|? ?]] eqn:G; try discriminate. destruct (guard t') as [|[c' w'] [|? ?]] eqn:G'; try discriminate.
        destruct (N.eqb_spec w w') as [<-|]; [|destruct (side c) as [[? ?]|], (side c') as [[? ?]|]; discriminate].
        intro E. cbn [filter]. rewrite G, G'. cbn [forallb]. rewrite !andb_true_r. unfold passes. cbn [fst snd].
        destruct c, c'; try discriminate; injection E as <- <- <- <-; destruct (Qle_bool _ _); reflexivity.
    Qed.
    (** The least step of the grid at which a sample passes. *)
    Definition cut (ties : bool) (y : Q) : Z := if ties then (Qfloor y + 1)%Z else Qceiling y.
    Lemma cut_sound ties y c j : passed ties y (c + inject_Z j) = (cut ties (y - c) <=? j)%Z.
    Proof.
      apply eq_true_iff_eq. rewrite Z.leb_le. unfold passed, cut. destruct ties.
      - rewrite negb_true_iff, <- not_true_iff_false, Qle_bool_iff. split; intro H.
        + destruct (Z.le_gt_cases (Qfloor (y - c) + 1) j) as [|L]; [assumption|]. exfalso. apply H. assert (L' : (j <= Qfloor (y - c))%Z) by lia.
          apply inject_le in L'. assert (F := Qfloor_le (y - c)). lra.
        + intro L. assert (L' : inject_Z j <= y - c) by lra. apply Qfloor_resp_le in L'. rewrite Qfloor_Z in L'. lia.
      - rewrite Qle_bool_iff. split; intro H.
        + assert (L : y - c <= inject_Z j) by lra. apply Qceiling_resp_le in L. now rewrite Qceiling_Z in L.
        + apply inject_le in H. assert (F := Qle_ceiling (y - c)). lra.
    Qed.
    Lemma cut_shift ties y y' c g : y' == y + inject_Z g -> cut ties (y' - c) = (cut ties (y - c) + g)%Z.
    Proof.
      intro E. assert (H : forall j, (cut ties (y' - c) <=? j)%Z = (cut ties (y - c) + g <=? j)%Z).
      { intro j. rewrite <- cut_sound. replace (cut ties (y - c) + g <=? j)%Z with (cut ties (y - c) <=? j - g)%Z by (apply eq_true_iff_eq; rewrite !Z.leb_le; lia).
        rewrite <- cut_sound. assert (J : inject_Z (j - g) == inject_Z j - inject_Z g) by (unfold Z.sub; rewrite inject_Z_plus, inject_Z_opp; ring).
        unfold passed. apply eq_true_iff_eq. destruct ties.
        - rewrite !negb_true_iff, <- !not_true_iff_false, !Qle_bool_iff. split; intros A B; apply A; lra.
        - rewrite !Qle_bool_iff. split; intro A; lra. }
      assert (A := H (cut ties (y' - c))). assert (B := H (cut ties (y - c) + g)%Z). rewrite Z.leb_refl in A, B. symmetry in A. apply Z.leb_le in A, B. lia.
    Qed.
    Definition going_on m (f : strategy) (s : N -> Q) (A : event) (o : option transition) : Q :=
      match o with Some t => chance q p m n (target t) (fun w => f ((t, []) :: w)) s (fun w => A ((t, []) :: w)) | None => if A [] then 1 else 0 end.
    Lemma chance_test u v ties lo hi m f s A : second (at_state p u) = None -> sides (ways (at_state p u)) = Some (v, ties, lo, hi) -> quiet lo = true -> quiet hi = true ->
      let i := if (reads (at_state p u) =? 0)%Z then 0%Z else f [] in let z := (cut ties (s v - mean (at_state p u)) - i)%Z in
      chance q p m (S n) u f s A == over (window m) (fun k => noise q (rate_left (at_state p u)) (rate_right (at_state p u)) k *
        (if (z <=? k)%Z then going_on m f s A hi else going_on m f s A lo)).
    Proof.
      intros Se Si Ql Qh i z. cbn [chance]. cbv zeta. fold i. unfold sampled, drawn. rewrite Se. apply over_ext. intros k _.
      rewrite (sides_sound _ _ _ _ _ s _ Si), cut_sound. replace (cut ties (s v - mean (at_state p u)) <=? i + k)%Z with (z <=? k)%Z by (apply eq_true_iff_eq; rewrite !Z.leb_le; unfold z; lia).
      assert (Qu : forall o, quiet o = true -> (match match o with Some t => [t] | None => [] end with
        | [] => if A [] then 1 else 0
        | l => over l (fun t => chance q p m n (target t) (fun w => f ((t, numbers t s (mean (at_state p u) + inject_Z (i + k)) 0) :: w))
            (stored t s (mean (at_state p u) + inject_Z (i + k))) (fun w => A ((t, numbers t s (mean (at_state p u) + inject_Z (i + k)) 0) :: w))) end) == going_on m f s A o).
      { intros [t|] Qo; [|easy]. cbn [going_on]. rewrite over_cons, over_nil. unfold quiet in Qo. unfold stored, numbers. destruct (stores t), (shows t); try discriminate. rewrite Qplus_0_r. apply Qeq_refl. }
      apply Qmult_comp; [easy|]. destruct (z <=? k)%Z; [exact (Qu hi Qh)|exact (Qu lo Ql)].
    Qed.
    Lemma outcome_sound m J o D f f' s s' x A : outcome p spots m J o = Some D -> (forall e, close_in p m (target (fst e)) (fun w => f (e :: w)) (fun w => f' (e :: w))) ->
      apart s s' x -> (forall v a b, J v = Some (a, b) -> (a <= x v <= b)%Z) -> related eta (going_on M f s A o) (going_on M' f' s' A o) D.
    Proof.
      destruct o as [t|]; cbn [outcome going_on]; intros E Cl Ap In'.
      - apply (next_sound m J t D _ _ s s' x _ E); [apply (Cl (t, []))|exact Ap|exact In'].
      - injection E as <-. now apply related_end.
    Qed.
    Lemma test_related nd r v ties lo hi eta' : second (at_state p (site nd)) = None -> rate_of (at_state p (site nd)) = Some r ->
      sides (ways (at_state p (site nd))) = Some (v, ties, lo, hi) -> quiet lo = true -> quiet hi = true ->
      tests p low high spots nd (at_state p (site nd)) r v lo hi = true -> eta + 4 * tail q r (Z.of_nat M' + 1) <= eta' -> sane (profile nd) = true ->
      forall f f' s s' x A, close_in p (phase nd) (site nd) f f' -> apart s s' x -> inside (near nd) x ->
      related eta' (chance q p M (S n) (site nd) f s A) (chance q p M' (S n) (site nd) f' s' A) (profile nd).
    Proof.
      intros Se Ra Si Ql Qh Te Room Sane f f' s s' x A Cl Ap Ins. set (u := site nd) in *. set (d := at_state p u) in *.
      destruct (span_sound p (phase nd) u f f' Cl) as (a & b & m & Im & Bd & Cl'). fold d in Im, Bd.
      assert (P1 := chance_test u v ties lo hi M f s A Se Si Ql Qh). assert (P2 := chance_test u v ties lo hi M' f' s' A Se Si Ql Qh). cbv zeta in P1, P2. fold d in P1, P2.
      set (i := if (reads d =? 0)%Z then 0%Z else f []) in *. set (i' := if (reads d =? 0)%Z then 0%Z else f' []) in *.
      unfold tests in Te. destruct (held (near nd) v) as [[g g']|] eqn:Hv; [|discriminate]. assert (Xv := held_inside nd x v g g' Ins Hv).
      rewrite every_spec in Te. specialize (Te _ Im). cbv beta iota in Te.
      destruct (outcome p spots m (held (near nd)) lo) as [Dl|] eqn:El; [|discriminate]. destruct (outcome p spots m (held (near nd)) hi) as [Dh|] eqn:Eh; [|discriminate].
      assert (Rl := outcome_sound m _ lo Dl f f' s s' x A El Cl' Ap (fun v a b => held_inside nd x v a b Ins)).
      assert (Rh := outcome_sound m _ hi Dh f f' s s' x A Eh Cl' Ap (fun v a b => held_inside nd x v a b Ins)).
      rewrite (cut_shift ties (s v) (s' v) (mean d) (x v) (Ap v)) in P2. set (z := (cut ties (s v - mean d) - i)%Z) in *.
      replace (cut ties (s v - mean d) + x v - i')%Z with (z + (x v - (i' - i)))%Z in P2 by (unfold z; ring).
      assert (Sane' := Sane). unfold sane in Sane'. rewrite every_spec in Sane'.
      assert (Kn : every (fun KV => (0 <=? fst KV)%Z) (profile nd) = true).
      { apply every_spec. intros KV I. specialize (Sane' KV I). now repeat (apply andb_prop in Sane' as [Sane' ?]). }
      destruct (test_step u r _ _ _ _ eta' eta Dl Dh (profile nd) (x v - (i' - i)) (g - b) (g' - a) z M M' Ra Room Rl Rh ltac:(lia) Te Kn) as (b1 & b2 & b3 & b4 & H).
      fold d in b1, b2, b3, b4, H.
      apply (related_ext eta' _ _ _ _ _ (symmetry P1) (symmetry P2)). split; [exact b1|]. split; [exact b2|]. split; [exact b3|]. split; [exact b4|].
      assert (0 <= inject_Z ONE) by (apply inject_0; easy). assert (T := tail_between q r q0 q1). destruct (rate_of_sound u r Ra) as (_ & _ & Rp). specialize (T Rp (Z.of_nat M' + 1)%Z).
      split; [nra|]. split; [nra|]. split; [lra|exact H].
    Qed.
  End Step.

  (** ** All steps *)
  Hypothesis Proven : every (proven p low high spots) spots = true.
  Lemma end_small (eta : Q) : 0 < eta -> exists m, forall M' r, (m <= M')%nat -> (0 < r)%Z -> 4 * tail q r (Z.of_nat M' + 1) <= eta.
  Proof.
    intro E. destruct (powers_vanish q 4 eta ltac:(lra) q1 E ltac:(lra)) as (m & H). exists m. intros M' r L R. rewrite tail_nonneg by lia.
    assert (e0 := e_pos q r q0). assert (B : at_least q r (Z.of_nat M' + 1) <= (q ^ r) ^ (Z.of_nat M' + 1)).
    { unfold at_least. apply Qle_shift_div_r; [lra|]. assert (P := power_pos (q ^ r) e0 (Z.of_nat M' + 1)). nra. }
    rewrite <- Qpower_mult in B. assert (D := power_decreasing q q0 q1 (Z.of_nat m) (r * (Z.of_nat M' + 1)) ltac:(nia)). lra.
  Qed.
  Theorem claims n : forall M eta, 0 < eta -> exists M0, forall M', (M0 <= M')%nat -> claim n M M' eta.
  Proof.
    assert (Pr := Proven). rewrite every_spec in Pr. assert (Pv0 := Pr). assert (Sa : forall nd, In nd spots -> sane (profile nd) = true).
    { intros nd I. specialize (Pr nd I). unfold proven in Pr. now apply andb_prop in Pr as [Pr _]. }
    induction n as [|n IH]; intros M eta E.
    - exists 0%nat. intros M' _ nd I f f' s s' x A _ _ _. cbn [chance]. apply related_end; [exact E|now apply Sa].
    - destruct (IH M (eta / 2) ltac:(apply Qlt_shift_div_l; lra)) as (M1 & H1). destruct (end_small (eta / 2) ltac:(apply Qlt_shift_div_l; lra)) as (M2 & H2).
      exists (Nat.max (Nat.max M1 M2) (M + Z.to_nat FAR)). intros M' L nd I. specialize (H1 M' ltac:(lia)). assert (S := Sa nd I). assert (Half : 0 < eta / 2) by (apply Qlt_shift_div_l; lra).
      assert (Two : eta == eta / 2 + eta / 2) by field. specialize (Pr nd I). unfold proven in Pr. apply andb_prop in Pr as [_ Pr].
      destruct (second (at_state p (site nd))) as [|] eqn:Se; [discriminate|].
      assert (Test : match rate_of (at_state p (site nd)), sides (ways (at_state p (site nd))) with
          | Some r, Some (v, _, lo, hi) => quiet lo && quiet hi && tests p low high spots nd (at_state p (site nd)) r v lo hi | _, _ => false end = true ->
        forall f f' s s' x A, close_in p (phase nd) (site nd) f f' -> apart s s' x -> inside (near nd) x ->
          related eta (chance q p M (Datatypes.S n) (site nd) f s A) (chance q p M' (Datatypes.S n) (site nd) f' s' A) (profile nd)).
      { intro T. destruct (rate_of (at_state p (site nd))) as [r|] eqn:Ra; [|discriminate]. destruct (sides (ways (at_state p (site nd)))) as [[[[v ties] lo] hi]|] eqn:Si; [|discriminate].
        apply andb_prop in T as [T Te]. apply andb_prop in T as [Ql Qh]. destruct (rate_of_sound _ _ Ra) as (_ & _ & Rp).
        apply (test_related n M M' (eta / 2) Half H1 nd r v ties lo hi eta Se Ra Si Ql Qh Te); [|exact S]. specialize (H2 M' r ltac:(lia) Rp). lra. }
      destruct (ways (at_state p (site nd))) as [|t [|t' l]] eqn:W; [discriminate| |exact (Test Pr)].
      destruct (guard t) as [|c cs] eqn:G; [|exact (Test Pr)].
      apply (draw_related n M M' (eta / 2) Half H1 nd t eta I); try assumption; [exact (Pv0 nd I)|lia|lra].
  Qed.
End Sound.

Theorem profiles_sound p start a low high l T : check_profiles p start a low high l T = true ->
  proper p /\ forall alpha delta, In (alpha, delta) l -> delta_at_most p start a low high alpha delta.
Proof.
  unfold check_profiles. intro H. apply andb_prop in H as [H Modes]. apply andb_prop in H as [H A0]. apply andb_prop in H as [H Hi]. apply andb_prop in H as [Pr Lo].
  apply proper_sound in Pr. split; [exact Pr|]. intros alpha delta Il q Lq Hq f f' [Nb Adj] n A M eta Eta.
  assert (Low0 : 0 < low) by (unfold Qlt; cbn; apply Z.ltb_lt in Lo; lia). assert (q0 : 0 < q) by lra.
  assert (q1 : q < 1). { apply Qle_lt_trans with (1 := Hq). unfold Qlt. cbn. apply Z.ltb_lt in Hi. lia. }
  rewrite every_spec in A0. specialize (A0 _ Il). cbn [fst] in A0. assert (Alpha : 0 <= alpha) by (unfold Qle; cbn; apply Z.leb_le in A0; lia).
  assert (Mode : exists m, In m (starts a) /\ close_in p m start f f').
  { destruct a; cbn [starts].
    - exists Free. split; [now left|split; [exact Nb|exact I]].
    - exists Unused. split; [now left|split; [exact Nb|exact Adj]].
    - exists Up. split; [now left|split; [exact Nb|exact Adj]].
    - exists Down. split; [now left|split; [exact Nb|exact Adj]].
    - destruct Adj as [Adj|Adj]; [exists Up; split; [now left|split; [exact Nb|exact Adj]]|exists Down; split; [right; now left|split; [exact Nb|exact Adj]]]. }
  destruct Mode as (m & Im & Cl). rewrite forallb_forall in Modes. specialize (Modes m Im). apply andb_prop in Modes as [Pv St].
  rewrite every_spec in St. specialize (St _ Il). apply some_spec in St as (nd & Ind & Bg). unfold begins in Bg. cbn [fst snd] in Bg. apply andb_prop in Bg as [Bg Bound]. apply andb_prop in Bg as [Bg Nr]. apply andb_prop in Bg as [Si Sm].
  apply N.eqb_eq in Si. apply same_mode_sound in Sm. apply Z.leb_le in Bound.
  set (eta' := eta / (alpha + 1)). assert (Eta' : 0 < eta') by (apply Qlt_shift_div_l; lra).
  destruct (claims q q0 q1 p Pr low high Low0 Lq Hq (T m) Pv n M eta' Eta') as (M' & H1). exists M'. specialize (H1 M' (le_n _) nd Ind f f' (fun _ => 0) (fun _ => 0) (fun _ => 0%Z) A).
  rewrite Si, Sm in H1. specialize (H1 Cl). destruct H1 as (_ & _ & P0' & _ & Sc).
  { intro v. change (inject_Z 0) with 0. ring. }
  { intros v x y Iv. rewrite every_spec in Nr. specialize (Nr _ Iv). cbn [fst snd] in Nr. apply andb_prop in Nr as [N1 N2]. apply Z.leb_le in N1, N2. lia. }
  set (P := chance q p M n start f _ A) in *. set (P' := chance q p M' n start f' _ A) in *.
  assert (K0 : (0 <= Qnum alpha * KNOT)%Z) by (apply Z.leb_le in A0; assert (0 <= KNOT)%Z by easy; nia).
  assert (G := gain_sound (profile nd) _ _ (Zpos (Qden alpha)) (Qnum alpha * KNOT) Sc ltac:(easy) K0).
  apply inject_le in Bound. repeat rewrite inject_Z_mult in Bound. repeat rewrite inject_Z_mult in G. assert (Ea := fraction alpha). assert (Ed := fraction delta). unfold top, bottom in Ea, Ed.
  assert (Da := bottom_pos alpha). assert (Dd := bottom_pos delta). unfold bottom in Da, Dd.
  assert (One : inject_Z ONE == inject_Z KNOT * 10000) by reflexivity. assert (O0 : 0 < inject_Z ONE) by reflexivity.
  rewrite <- Ea in G. rewrite <- Ed in Bound. set (da := inject_Z (Zpos (Qden alpha))) in *. set (dd := inject_Z (Zpos (Qden delta))) in *. set (g := inject_Z (gain _ _ _)) in *.
  set (o := inject_Z ONE) in *. set (kn := inject_Z KNOT) in *. clearbody da dd g o kn P P'.
  assert (G' : da * o * (P - alpha * (P' + eta')) <= g).
  { apply Qle_trans with (2 := G). setoid_replace (da * (o * P) - alpha * da * kn * (10000 * (P' + eta'))) with (da * (o * P) - alpha * da * (kn * 10000) * (P' + eta')) by ring.
    rewrite <- One. apply Qle_lteq. right. ring. }
  assert (B' : da * o * dd * (P - alpha * (P' + eta')) <= da * o * dd * delta).
  { apply Qle_trans with (g * dd); [|lra]. assert (X := times_le dd _ _ ltac:(lra) G'). lra. }
  assert (Dpos : 0 < da * o * dd) by (apply Qmult_lt_0_compat; [now apply Qmult_lt_0_compat|exact Dd]). apply Qmult_le_l in B'; [|exact Dpos].
  assert (Small : alpha * eta' <= eta). { unfold eta'. setoid_replace (alpha * (eta / (alpha + 1))) with (eta * alpha / (alpha + 1)) by (field; lra). apply Qle_shift_div_r; [lra|]. nra. }
  lra.
Qed.
