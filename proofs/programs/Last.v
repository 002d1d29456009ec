(** * Last steps: where the last step leads is not seen

    At a node some transitions may look alike, and some tests may hold exactly where one of these can be taken. As a last step they are one step
    with these tests, which stores nothing and leads nowhere. Tables with functions for these steps bound the loss of the observer. *)
From Coq Require Import List Permutation NArith ZArith QArith Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Loss Table Observer Classes Ranks Groups.
Import ListNotations.

(** The transitions of a node have numbers: those of their ending, or one that no ending has. An ending has tests. *)
Record last_node := { at_node : node; ending_of : list N; endings : list (list (test * N)) }.
Definition ending (t : transition) (c : list (test * N)) : transition :=
  {| guard := c; stores := []; letter := letter t; shows := []; target := target t |}.
Definition own_functions (m : mode) (d : node) : list function := match m with Used => afterwards d | _ => before d end.

Definition rank_of (l : list (N * nat)) (v : N) : nat := match find (fun x => N.eqb v (fst x)) l with Some x => snd x | None => 0%nat end.
(** Where stored numbers are ordered as is known, the tests hold exactly where one of the transitions can be taken. *)
Definition one_under (o : order) (l : list transition) (whole : transition) : bool :=
  let vs := nodup N.eq_dec (flat_map (fun t => map snd (guard t)) (whole :: l)) in
  let n := S (length vs) in
  let o := filter (fun ab => existsb (N.eqb (fst ab)) vs && existsb (N.eqb (snd ab)) vs) o in
  forallb (fun z => match z with
                    | [] => true
                    | x :: z => let s := rank_of (combine vs z) in
                      if forallb (fun ab => Nat.leb (s (fst ab)) (s (snd ab))) o then exactly_one s [whole] (map (fun t => [t]) l) [x] else true
                    end) (vectors n n).

Section Check.
  Variables (p : program) (counted : list Z) (nodes : list last_node) (ms : list mode).
  Definition leads (n : node) (t : transition) (fs : mode -> list function) : bool :=
    let d := at_state p (place n) in
    every (fun m => every (fun dm => every (fun f' => some (covers counted (known n) d t (fst dm) f') (own_functions m n)) (fs (snd dm)))
                          (differences m (reads d))) ms.
  Definition goes_on (n : node) (tk : transition * N) : bool :=
    let (t, k) := tk in
    if blocked (known n) t then true else
    match nth_error nodes (N.to_nat k) with
    | None => false
    | Some n' => N.eqb (place (at_node n')) (target t) && forallb (follows (known n) t) (known (at_node n'))
                 && leads n t (fun m => own_functions m (at_node n'))
    end.
  Definition check_ending (n : node) (c : list (test * N)) (l : list transition) : bool :=
    match l with
    | [] => false
    | t :: _ => forallb (fun t' => N.eqb (letter t') (letter t) && match shows t' with [] => true | _ => false end) l
                && one_under (known n) l (ending t c) && leads n (ending t c) (fun _ => [zero])
    end.
  Fixpoint check_endings (n : node) (k : N) (cs : list (list (test * N))) (l : list (N * transition)) : bool :=
    match cs with
    | [] => forallb (fun t => if blocked (known n) (snd t) then true else leads n (snd t) (fun _ => [zero])) l
    | c :: cs => check_ending n c (map snd (filter (fun t => N.eqb k (fst t)) l))
                 && check_endings n (N.succ k) cs (filter (fun t => negb (N.eqb k (fst t))) l)
    end.
  Definition check_node (n : last_node) : bool :=
    let d := at_node n in
    let l := ways (at_state p (place d)) in
    Nat.eqb (length l) (length (nexts d)) && Nat.eqb (length (ending_of n)) (length l)
    && every (goes_on d) (combine l (nexts d)) && check_endings d 0 (endings n) (combine (ending_of n) l).
End Check.

Definition gapless (p : program) : bool :=
  forallb (fun d => forallb (fun t => forallb (fun o => match o with Gap _ => false | _ => true end) (shows t)) (ways d)) p.
Definition last_starts (start : N) (v : Z) (m : mode) (nodes : list last_node) : bool :=
  match nodes with
  | {| at_node := {| place := s; known := [] |} as n |} :: _ =>
      N.eqb s start && every (fun f => match value f (fun _ => 0%Z) with Some w => (w <=? v)%Z | None => false end) (own_functions m n)
  | _ => false
  end.
(** In one direction, where the differences have two. *)
Definition one_way (a : adjacency) : list adjacency := match a with Monotonic => [Increasing; Decreasing] | _ => [a] end.
Definition check_last (p : program) (start : N) (a : adjacency) (v : Z) (counted : list Z) (T : mode -> list last_node) : bool :=
  check_proper p && gapless p && existsb (Z.eqb 0) counted && (0 <=? v)%Z
  && forallb (fun m => every (check_node p counted (T m) (continuing m)) (T m) && last_starts start v m (T m)) (starts a).

(** ** Proof *)
Definition one_of_under (o : order) (l : list (list transition)) (whole : list transition) : Prop :=
  forall X (le : X -> X -> Prop), linear le -> decidable le -> forall s z, respects le o s ->
    (takes le s whole z -> exists l1 r l2, l = l1 ++ r :: l2 /\ takes le s r z /\ forall r', In r' (l1 ++ l2) -> ~ takes le s r' z) /\
    (forall r, In r l -> takes le s r z -> takes le s whole z).

Lemma rank_of_spec (f : N -> nat) vs v : In v vs -> rank_of (combine vs (map f vs)) v = f v.
Proof.
  unfold rank_of. induction vs as [|w vs IH]; intro I; [destruct I|]. cbn [map combine find fst]. destruct (N.eqb_spec v w) as [->|N]; [easy|].
  destruct I as [->|I]; [now destruct N|now apply IH].
Qed.
Lemma one_under_sound o l whole : one_under o l whole = true -> one_of_under o (map (fun t => [t]) l) [whole].
Proof.
  unfold one_under. cbv zeta. set (vs := nodup N.eq_dec _). intros H X le L Dec s z R. rewrite forallb_forall in H.
  destruct z as [|x [|y z]].
  1, 3: split; [cbn [takes]; tauto|intros r I; apply in_map_iff in I as (t & <- & _); cbn [takes]; tauto].
  set (xs := x :: map s vs). set (f := rank le Dec xs).
  assert (As : forall y w, In w xs -> le y w <-> (f y <= f w)%nat) by (intros y w; apply (rank_le le L Dec xs)).
  assert (V : forall v, In v vs -> In (s v) xs) by (intros v I; right; now apply in_map).
  assert (Rk : forall v, In v vs -> rank_of (combine vs (map (fun v => f (s v)) vs)) v = f (s v)) by (intros v I; now apply (rank_of_spec (fun v => f (s v)))).
  assert (J : In (map f xs) (vectors (S (length vs)) (S (length vs)))).
  { assert (E : length xs = S (length vs)) by (unfold xs; cbn; now rewrite map_length). rewrite <- E. now apply ranks_in. }
  specialize (H _ J). cbn [map] in H. unfold xs in H at 1. cbn [map] in H. rewrite map_map in H. fold xs in H.
  match type of H with (if ?b then _ else _) = true => assert (B : b = true) end.
  { apply forallb_forall. intros [a b] I. apply filter_In in I as [I E]. cbn [fst snd] in *. apply andb_prop in E as [Ea Eb].
    assert (In_ : forall w, existsb (N.eqb w) vs = true -> In w vs).
    { intros w E. apply existsb_exists in E as (w' & Iw & E). apply N.eqb_eq in E as ->. exact Iw. }
    apply Nat.leb_le. rewrite !Rk by now apply In_. apply (As (s a) (s b)); [now apply V, In_|]. now apply R. }
  rewrite B in H. apply (exactly_one_sound le s [x] _ _ _ _) with (2 := H). intros r I. rewrite takes_ranks_spec. change [f x] with (map f [x]).
  apply (takes_ranked le f (fun y => In y xs)) with (vs := vs).
  - intros y w _ Iw. now apply As.
  - assert (E : exists t, r = [t] /\ In t (whole :: l)).
    { destruct I as [<-|I]; [exists whole; split; [easy|now left]|]. apply in_map_iff in I as (t & <- & I). exists t. split; [easy|now right]. }
    destruct E as (t & -> & It). cbn [defined]. rewrite andb_true_r. apply forallb_forall. intros c Ic. apply existsb_exists. exists (snd c).
    split; [|apply N.eqb_refl]. apply nodup_In, in_flat_map. exists t. split; [exact It|now apply in_map].
  - intros v Iv. split; [now apply V|]. now apply Rk.
  - intros y [<-|[]]. now left.
Qed.

Section Proof.
  Variables (p : program) (counted : list Z) (nodes : list last_node) (start : mode).
  Let ms := continuing start.
  Hypothesis Closed : every (check_node p counted nodes ms) nodes = true.
  Hypothesis Gapless : gapless p = true.

  Lemma no_gaps u t : In t (ways (at_state p u)) -> looks_like t t.
  Proof.
    intro I. split; [easy|split; [easy|]]. intros v G. unfold gapless in Gapless. rewrite forallb_forall in Gapless.
    unfold at_state in I. destruct (nth_in_or_default (N.to_nat u) p final) as [J|E]; [|rewrite E in I; destruct I].
    specialize (Gapless _ J). rewrite forallb_forall in Gapless. specialize (Gapless t I). rewrite forallb_forall in Gapless. now specialize (Gapless _ G).
  Qed.

  (** What a step costs with a function of what comes after it. *)
  Definition pays (d : node) (w : list transition) : Prop := forall m delta i, In m ms -> agrees p m delta i ->
    exists f, In f (own_functions m d) /\ forall x v, (forall y, In (x y) counted) -> respects Z.le (known d) x ->
      value f x = Some v -> affordable p delta i (place d) x w v.
  Lemma leads_pays d t w fs : leads p counted ms d t fs = true ->
    (forall m delta i, In m ms -> agrees p m delta i -> exists f, In f (fs m) /\ forall x v, (forall y, In (x y) counted) ->
       (forall g, In g counted -> forall x', (forall y, In (x' y) counted) -> respects Z.le (known d) x' -> allowed t x' g = true -> x = moved t x' g ->
          value f x = Some v -> affordable p delta i (target t) x w v)) -> pays d (t :: w).
  Proof.
    intros C W m delta i Im A. destruct (next_mode p delta m (place d) i A) as (m' & Id & A'). assert (Im' := next_continuing start _ _ _ _ Im Id).
    destruct (W m' delta _ Im' A') as (f' & If' & Af). unfold leads in C. cbv zeta in C. rewrite every_spec in C. specialize (C m Im).
    rewrite every_spec in C. specialize (C _ Id). rewrite every_spec in C. specialize (C f' If'). apply some_spec in C as (f & If & C). cbn [fst] in C.
    exists f. split; [exact If|]. intros x v Cx R V. destruct (covers_sound counted _ _ _ _ _ _ x v C R Cx V) as (g & a & v' & Ig & Al & Pr & V' & Le).
    cbn [affordable]. cbv zeta. exists g, a, v'. repeat split; try assumption. apply Af with (g := g) (x' := x); try assumption; [|reflexivity].
    intro y. unfold moved. destruct (existsb _ _); [exact Ig|apply Cx].
  Qed.
  Lemma leads_end d t : leads p counted ms d t (fun _ => [zero]) = true -> pays d [t].
  Proof.
    intro C. apply (leads_pays d t [] _ C). intros m delta i _ _. exists zero. split; [now left|]. intros x v _ g _ x' _ _ _ _ V. injection V as <-.
    cbn [affordable]. lia.
  Qed.

  (** Some runs from a node on, and what they are together. *)
  Definition fine (d : node) (c : list (list transition) * list transition) : Prop :=
    (forall r, In r (fst c) -> noises p (place d) r = noises p (place d) (snd c) /\ Forall2 looks_like r (snd c)) /\
    one_of_under (known d) (fst c) (snd c) /\ pays d (snd c).
  Definition divided (d : node) (rs : list (list transition)) : Prop :=
    exists rest cs, Permutation rs (rest ++ flat_map fst cs) /\ Forall (impossible (known d)) rest /\ Forall (fine d) cs.
  Lemma divided_app d l l' : divided d l -> divided d l' -> divided d (l ++ l').
  Proof.
    intros (r1 & c1 & P1 & I1 & F1) (r2 & c2 & P2 & I2 & F2). exists (r1 ++ r2), (c1 ++ c2).
    split; [|split; apply Forall_app; now split].
    rewrite P1, P2, flat_map_app, <- !app_assoc. apply Permutation_app_head, Permutation_app_swap_app.
  Qed.
  Lemma divided_rest d l : Forall (impossible (known d)) l -> divided d l.
  Proof. intro H. exists l, []. cbn [flat_map]. rewrite app_nil_r. split; [easy|now split]. Qed.
  Lemma divided_class d c : fine d c -> divided d (fst c).
  Proof. intro H. exists [], [c]. cbn [app flat_map]. rewrite app_nil_r. split; [easy|split; [constructor|now constructor]]. Qed.
  Lemma divided_permuted d l l' : Permutation l l' -> divided d l -> divided d l'.
  Proof. intros P (r & c & P' & I & F). exists r, c. split; [now rewrite <- P|now split]. Qed.

  Lemma one_itself o w : one_of_under o [w] w.
  Proof.
    intros X le _ _ s z _. split; [intro T; exists [], w, []; repeat split; [exact T|intros r []]|]. intros r [<-|[]] T. exact T.
  Qed.
  Lemma ending_divided d c l : (forall t, In t l -> In t (ways (at_state p (place d)))) -> check_ending p counted ms d c l = true ->
    divided d (map (fun t => [t]) l).
  Proof.
    intros W H. destruct l as [|t l']; [discriminate|]. unfold check_ending in H. set (l := t :: l') in *.
    apply andb_prop in H as [H Le]. apply andb_prop in H as [Lk One]. rewrite forallb_forall in Lk.
    apply (divided_class d (map (fun t => [t]) l, [ending t c])). split; [|split].
    - cbn [fst snd]. intros r I. apply in_map_iff in I as (t' & <- & I). split; [easy|]. constructor; [|constructor]. specialize (Lk t' I).
      apply andb_prop in Lk as [A B]. apply N.eqb_eq in A. unfold looks_like. cbn [ending letter shows]. destruct (shows t') eqn:Sh; [|discriminate].
      split; [exact A|split; [easy|]]. intros v [].
    - now apply one_under_sound.
    - now apply leads_end.
  Qed.
  Lemma endings_divided d cs : forall k l, (forall t, In t (map snd l) -> In t (ways (at_state p (place d)))) -> check_endings p counted ms d k cs l = true ->
    divided d (map (fun t => [t]) (map snd l)).
  Proof.
    induction cs as [|c cs IH]; intros k l W H; cbn [check_endings] in H.
    - induction l as [|t l IHl]; [apply divided_rest; constructor|]. cbn [forallb map] in *. apply andb_prop in H as [H Hl].
      apply (divided_app d [[snd t]]); [|apply IHl; [intros x I; apply W; now right|exact Hl]].
      destruct (blocked (known d) (snd t)) eqn:B; [apply divided_rest; constructor; [exact (blocked_impossible _ _ [] B)|constructor]|].
      apply (divided_class d ([[snd t]], [snd t])). split; [|split].
      + intros r [<-|[]]. split; [easy|]. constructor; [|constructor]. apply (no_gaps (place d)). apply W. now left.
      + apply one_itself.
      + now apply leads_end.
    - apply andb_prop in H as [E H]. assert (Sub : forall f t, In t (map snd (filter f l)) -> In t (ways (at_state p (place d)))).
      { intros f t I. apply W. apply in_map_iff in I as (x & <- & I). apply filter_In in I as [I _]. now apply in_map. }
      eapply divided_permuted; [|apply divided_app; [apply (ending_divided d c _ (Sub _) E)|apply (IH _ _ (Sub _) H)]].
      rewrite <- !map_app. do 2 apply Permutation_map. symmetry. apply parted.
  Qed.

  Lemma step_divided d t d' rs : In t (ways (at_state p (place d))) -> target t = place d' -> forallb (follows (known d) t) (known d') = true ->
    leads p counted ms d t (fun m => own_functions m d') = true -> divided d' rs -> divided d (map (cons t) rs).
  Proof.
    intros I Tg Fo C (rest & cs & Pe & Im & F). exists (map (cons t) rest), (map (fun c => (map (cons t) (fst c), t :: snd c)) cs).
    assert (Up : forall {X} (le : X -> X -> Prop) s x, linear le -> respects le (known d) s -> (forall c, In c (guard t) -> meets X le x (s (snd c)) (fst c)) ->
      respects le (known d') (updated X t s x)).
    { intros X le s x L R G. apply (follows_sound le L (known d)); try assumption; intros c Ic Q.
      - now apply meets_lower with (2 := G c Ic).
      - now apply meets_upper with (2 := G c Ic). }
    split; [|split].
    - rewrite (Permutation_map (cons t) Pe), map_app. apply Permutation_app_head. clear. induction cs as [|c cs IH]; [easy|]. cbn [flat_map map fst].
      rewrite map_app. now apply Permutation_app_head.
    - apply Forall_forall. intros r J. apply in_map_iff in J as (r' & <- & J). rewrite Forall_forall in Im. apply (follows_impossible _ (known d') t r' Fo (Im r' J)).
    - apply Forall_forall. intros c' J. apply in_map_iff in J as (c & <- & J). rewrite Forall_forall in F. destruct (F c J) as (Al & One & Pay). split; [|split]; cbn [fst snd].
      + intros r K. apply in_map_iff in K as (r' & <- & K). destruct (Al r' K) as [N Lk]. cbn [noises]. rewrite Tg, N. split; [easy|]. constructor; [|exact Lk].
        now apply (no_gaps (place d)).
      + intros X le L Dec s z R. destruct z as [|x z].
        { split; [intros []|]. intros r K. apply in_map_iff in K as (r' & <- & _). intros []. }
        split.
        * intros [G T]. destruct (One X le L Dec _ z (Up X le s x L R G)) as [Some_ _]. destruct (Some_ T) as (l1 & r & l2 & E & Tr & N).
          exists (map (cons t) l1), (t :: r), (map (cons t) l2). rewrite E, map_app. split; [easy|]. split; [now split|].
          intros r' K. rewrite <- map_app in K. apply in_map_iff in K as (r1 & <- & K). intros [_ T1]. now apply (N r1 K).
        * intros r K. apply in_map_iff in K as (r' & <- & K). intros [G T]. destruct (One X le L Dec _ z (Up X le s x L R G)) as [_ None_].
          split; [exact G|]. now apply (None_ r' K).
      + apply (leads_pays d t (snd c) _ C). intros m delta i Im' A. destruct (Pay m delta i Im' A) as (f & If & Af). exists f. split; [exact If|].
        intros x v Cx g Ig x' Cx' R Al' -> V. rewrite Tg. apply Af; [exact Cx| |exact V].
        unfold allowed in Al'. apply andb_prop in Al' as [Al' _]. rewrite forallb_forall in Al'.
        apply (follows_sound Z.le shifts_linear (known d) t x' g R); [| |exact Fo]; intros b Ib Q; specialize (Al' b Ib);
          unfold from_below, from_above in Q; destruct (fst b); try discriminate; rewrite ?Z.leb_le, ?Z.eqb_eq in Al'; lia.
  Qed.

  Lemma all_divided n : forall k d, nth_error nodes k = Some d -> divided (at_node d) (runs p (S n) (place (at_node d))).
  Proof.
    induction n as [|n IH]; intros k d K; assert (C := Closed); rewrite every_spec in C; specialize (C d (nth_error_In _ _ K));
      unfold check_node in C; cbv zeta in C; apply andb_prop in C as [C En]; apply andb_prop in C as [C Go]; apply andb_prop in C as [L1 L2];
      apply Nat.eqb_eq in L1, L2; set (l := ways (at_state p (place (at_node d)))) in *.
    - replace (runs p 1 (place (at_node d))) with (map (fun t => [t]) (map snd (combine (ending_of d) l))).
      + apply (endings_divided (at_node d) (endings d) 0 _) with (2 := En). intros t I. now rewrite map_snd_combine in I by exact L2.
      + rewrite map_snd_combine by exact L2. cbn [runs]. fold l. clear. induction l as [|t l IH]; [easy|]. cbn [flat_map map app]. now f_equal.
    - change (runs p (S (S n)) (place (at_node d))) with (flat_map (fun t => map (cons t) (runs p (S n) (target t))) l).
      assert (Each : forall l1 ks, length l1 = length ks -> every (goes_on p counted nodes ms (at_node d)) (combine l1 ks) = true ->
        (forall t, In t l1 -> In t l) -> divided (at_node d) (flat_map (fun t => map (cons t) (runs p (S n) (target t))) l1));
        [|now apply (Each l (nexts (at_node d)))].
      clear L1 Go. intro l1. induction l1 as [|t l1 IHl]; intros [|k' ks] L1 Go Sub; try discriminate; [apply divided_rest; constructor|].
      cbn [flat_map combine every] in *. destruct (goes_on p counted nodes ms (at_node d) (t, k')) eqn:G; [|discriminate].
      apply divided_app; [|apply (IHl ks); [now injection L1|exact Go|intros x I; apply Sub; now right]]. unfold goes_on in G.
      destruct (blocked (known (at_node d)) t) eqn:B.
      + apply divided_rest, Forall_forall. intros r I. apply in_map_iff in I as (r' & <- & _). now apply blocked_impossible.
      + destruct (nth_error nodes (N.to_nat k')) as [d'|] eqn:K'; [|discriminate]. apply andb_prop in G as [G Le]. apply andb_prop in G as [Pl Fo].
        apply N.eqb_eq in Pl. apply (step_divided (at_node d) t (at_node d')); [apply Sub; now left|easy|exact Fo|exact Le|]. rewrite <- Pl. exact (IH _ d' K').
  Qed.
End Proof.

Theorem check_last_sound p start a v counted T : check_last p start a v counted T = true -> proper p /\ forall b, In b (one_way a) -> gathered p start b v.
Proof.
  unfold check_last. intro H. apply andb_prop in H as [H Modes]. apply andb_prop in H as [H V0]. apply andb_prop in H as [H Zero]. apply andb_prop in H as [H Ga].
  apply proper_sound in H. split; [exact H|]. apply existsb_exists in Zero as (z & I0 & E0). apply Z.eqb_eq in E0. subst z. apply Z.leb_le in V0.
  rewrite forallb_forall in Modes. intros b Ib. assert (M : exists m, starts b = [m] /\ In m (starts a)).
  { destruct a; cbn in Ib; repeat (destruct Ib as [<-|Ib]; [eexists; split; [reflexivity|cbn; tauto]|]); destruct Ib. }
  destruct M as (m & Sb & Im). specialize (Modes m Im). apply andb_prop in Modes as [Closed Start]. unfold last_starts in Start.
  destruct (T m) as [|[[s [|] k bf w] eo en] l] eqn:Tm; try discriminate. apply andb_prop in Start as [Pl Start]. apply N.eqb_eq in Pl. subst s.
  set (d0 := {| place := start; known := []; nexts := k; before := bf; afterwards := w |}) in *.
  intro n. destruct n as [|n].
  - exists [], [{| members := [[]]; common := p; entry := start; united := [] |}]. split; [easy|]. split; [constructor|]. constructor; [|constructor].
    split; [exact H|]. cbn [members common entry united]. split; [intros u _; now exists u|]. split; [|split].
    + intros r [<-|[]]. split; [easy|constructor].
    + intros X le L Dec s z. apply (one_itself [] [] X le L Dec s z). intros x y [].
    + intros ins ins' _. exact V0.
  - destruct (all_divided p counted ({| at_node := d0; ending_of := eo; endings := en |} :: l) m Closed Ga n 0 _ eq_refl) as (rest & cs & Pe & Imp & F).
    cbn [at_node place d0] in *.
    exists rest, (map (fun c => {| members := fst c; common := p; entry := start; united := snd c |}) cs). split; [|split].
    + rewrite Pe. apply Permutation_app_head. clear. induction cs as [|c cs IH]; [easy|]. cbn [flat_map map members]. now apply Permutation_app_head.
    + apply Forall_forall. intros r I. rewrite Forall_forall in Imp. now apply impossible_never, Imp.
    + apply Forall_forall. intros c' I. apply in_map_iff in I as (c & <- & I). rewrite Forall_forall in F. destruct (F c I) as (Al & One & Pay).
      split; [exact H|]. cbn [members common entry united]. split; [intros u _; now exists u|]. split; [exact Al|]. split.
      * intros X le L Dec s z. apply (One X le L Dec s z). intros x y [].
      * intros ins ins' Adj. destruct (mode_of_adjacency b p ins ins' Adj) as (m' & low & high & Im' & B & Ag). rewrite Sb in Im'. destruct Im' as [<-|[]].
        apply (extreme_enough p low high); [exact H| |exact B]. intros delta E. destruct (Pay m delta 0%nat) as (f & If & Af).
        -- unfold continuing. destruct m; now left.
        -- now apply Ag.
        -- rewrite every_spec in Start. specialize (Start f If). destruct (value f _) as [w'|] eqn:Vf; [|discriminate]. apply Z.leb_le in Start.
           apply (affordable_more p delta _ _ _ _ w'); [exact Start|]. apply (Af (fun _ => 0%Z)); [now intros|intros x y []|exact Vf].
Qed.

(** Where inputs differ in one direction, they do so in one of the two. *)
Lemma both_ways p start a v : (forall b, In b (one_way a) -> seen_loss_at_most p start b v) -> seen_loss_at_most p start a v.
Proof.
  intro H. destruct a; try (apply H; now left). intros q q0 q1 ins ins' [B [A|A]]; [apply (H Increasing)|apply (H Decreasing)]; try assumption;
    (now split) || (cbn; tauto).
Qed.
Theorem last_sound p start a v counted T : check_last p start a v counted T = true -> proper p /\ seen_loss_at_most p start a v.
Proof.
  intro H. destruct (check_last_sound _ _ _ _ _ _ H) as [P G]. split; [exact P|]. apply both_ways. intros b I. apply gathered_loss, G, I.
Qed.
