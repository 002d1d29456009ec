(** * Which samples take a run depends on their order only

    So whether the samples that take some runs are those that take one other run can be decided by trying all orders. *)
From Coq Require Import List NArith Arith Lia Bool.
From Prover.programs Require Import Program Order Classes.
Import ListNotations.

(** ** The rank of a number among others: how many are less *)
Section Rank.
  Context {X : Type} (le : X -> X -> Prop) (Linear : linear le) (Dec : decidable le).
  Variable xs : list X.
  Definition rank (x : X) : nat := length (filter (fun y => if Dec x y then false else true) xs).

  Lemma filter_fewer (f g : X -> bool) l : (forall y, f y = true -> g y = true) -> length (filter f l) <= length (filter g l).
  Proof.
    intro H. induction l as [|y l IH]; [easy|]. cbn [filter]. specialize (H y). destruct (f y), (g y); cbn [length]; first [now discriminate H|lia].
  Qed.
  Lemma filter_fewer_strictly (f g : X -> bool) l x : In x l -> f x = false -> g x = true -> (forall y, f y = true -> g y = true) ->
    length (filter f l) < length (filter g l).
  Proof.
    intros I F G H. induction l as [|y l IH]; [destruct I|]. destruct I as [->|I].
    - cbn [filter]. rewrite F, G. cbn [length]. assert (L := filter_fewer f g l H). lia.
    - specialize (IH I). cbn [filter]. specialize (H y). destruct (f y), (g y); cbn [length]; first [now discriminate H|lia].
  Qed.
  Lemma rank_small x : In x xs -> rank x < length xs.
  Proof.
    destruct Linear as [T _]. intro I. unfold rank. replace (length xs) with (length (filter (fun _ => true) xs)).
    - apply filter_fewer_strictly with (x := x); [exact I| |easy|easy]. destruct (Dec x x) as [|N]; [easy|]. now destruct (T x x).
    - clear. induction xs as [|y l IH]; [easy|]. cbn. now rewrite IH.
  Qed.
  Lemma rank_le x y : In y xs -> (le x y <-> rank x <= rank y).
  Proof.
    destruct Linear as [T Tr]. intro I. split.
    - intro L. apply filter_fewer. intro w. destruct (Dec x w) as [|N]; [easy|]. destruct (Dec y w) as [M|]; [|easy].
      destruct N. exact (Tr _ _ _ L M).
    - intro R. destruct (Dec x y) as [|N]; [easy|]. exfalso. assert (rank y < rank x); [|lia].
      apply filter_fewer_strictly with (x := y); [exact I| | |].
      + destruct (Dec y y) as [|M]; [easy|]. now destruct (T y y).
      + now destruct (Dec x y).
      + intro w. destruct (Dec y w) as [|M]; [easy|]. destruct (Dec x w) as [L|]; [|easy]. exfalso. destruct (T x y) as [H|H]; [contradiction|].
        apply M. exact (Tr _ _ _ H L).
  Qed.
End Rank.

(** ** Runs that test only what they have stored before *)
Fixpoint defined (vs : list N) (r : list transition) : bool :=
  match r with
  | [] => true
  | t :: r => forallb (fun c => existsb (N.eqb (snd c)) vs) (guard t) && defined (stores t ++ vs) r
  end.
Lemma meets_ranked {X} (le : X -> X -> Prop) (f : X -> nat) x y c : (le x y <-> f x <= f y) -> (le y x <-> f y <= f x) ->
  meets X le x y c <-> meets nat Nat.le (f x) (f y) c.
Proof. intros A B. unfold meets. destruct c; rewrite ?A, ?B; easy. Qed.
Lemma takes_ranked {X} (le : X -> X -> Prop) (f : X -> nat) (D : X -> Prop) : (forall x y, D x -> D y -> (le x y <-> f x <= f y)) ->
  forall r vs s s' z, defined vs r = true -> (forall v, In v vs -> D (s v) /\ s' v = f (s v)) -> (forall x, In x z -> D x) ->
    takes le s r z <-> takes Nat.le s' r (map f z).
Proof.
  intro H. induction r as [|t r IH]; intros vs s s' [|x z] Df S Z; cbn [takes map defined] in *; try easy.
  apply andb_prop in Df as [G Df]. rewrite forallb_forall in G.
  assert (Dx := Z x (or_introl eq_refl)).
  rewrite (IH _ (updated X t s x) (updated nat t s' (f x)) z Df).
  - assert (E : forall c, In c (guard t) -> (meets X le x (s (snd c)) (fst c) <-> meets nat Nat.le (f x) (s' (snd c)) (fst c))).
    { intros c I. specialize (G c I). apply existsb_exists in G as (v & Iv & E). apply N.eqb_eq in E. rewrite <- E in Iv.
      destruct (S _ Iv) as [Dv ->].
      apply meets_ranked; now apply H. }
    split; intros [Gd T]; (split; [|exact T]); intros c I; apply (E c I), (Gd c I).
  - intros v I. unfold updated. destruct (existsb (N.eqb v) (stores t)) eqn:Ex; [now split|]. apply S. apply in_app_or in I as [I|I]; [|exact I].
    assert (existsb (N.eqb v) (stores t) = true); [|congruence]. apply existsb_exists. exists v. split; [exact I|apply N.eqb_refl].
  - intros y I. apply Z. now right.
Qed.

(** ** All orders of n samples *)
Fixpoint vectors (n k : nat) : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun z => map (fun i => i :: z) (seq 0 k)) (vectors n k) end.
Lemma vectors_all k z : (forall i, In i z -> i < k) -> In z (vectors (length z) k).
Proof.
  induction z as [|i z IH]; intro H; cbn [length vectors]; [now left|].
  apply in_flat_map. exists z. split; [apply IH; intros j J; apply H; now right|].
  apply in_map_iff. exists i. split; [easy|]. apply in_seq. specialize (H i (or_introl eq_refl)). lia.
Qed.

Definition holds (x y : nat) (c : test) : bool :=
  match c with Below => x <? y | AtMost => x <=? y | AtLeast => y <=? x | Above => y <? x | Equal => x =? y end.
Fixpoint takes_ranks (s : N -> nat) (r : list transition) (z : list nat) : bool :=
  match r, z with
  | [], [] => true
  | t :: r, x :: z => forallb (fun c => holds x (s (snd c)) (fst c)) (guard t) && takes_ranks (updated nat t s x) r z
  | _, _ => false
  end.
Lemma holds_meets x y c : holds x y c = true <-> meets nat Nat.le x y c.
Proof. unfold holds, meets. destruct c; rewrite ?Nat.ltb_lt, ?Nat.leb_le, ?Nat.eqb_eq; unfold Nat.le; lia. Qed.
Lemma takes_ranks_spec r : forall s z, takes_ranks s r z = true <-> takes Nat.le s r z.
Proof.
  induction r as [|t r IH]; intros s [|x z]; cbn [takes_ranks takes]; try easy. rewrite andb_true_iff, forallb_forall, IH.
  split; intros [G T]; (split; [|exact T]); intros c I; apply holds_meets, G, I.
Qed.
Lemma takes_as_ranks {X} (le : X -> X -> Prop) (L : linear le) (Dec : decidable le) s r z : defined [] r = true ->
  takes le s r z <-> takes_ranks (fun _ => 0) r (map (rank le Dec z) z) = true.
Proof.
  intro D. rewrite takes_ranks_spec. apply (takes_ranked le (rank le Dec z) (fun x => In x z)) with (vs := []); [|exact D|intros v []|easy].
  intros x y _ I. now apply rank_le.
Qed.
Lemma takes_length {X} (le : X -> X -> Prop) r : forall s z, takes le s r z -> length z = length r.
Proof. induction r as [|t r IH]; intros s [|x z] T; cbn in *; try tauto. f_equal. now apply (IH _ _ (proj2 T)). Qed.

(** Of the runs, all of n steps, exactly one or none is taken. *)
Definition exactly_one (s : N -> nat) (whole : list transition) (l : list (list transition)) (z : list nat) : bool :=
  match filter (fun r => takes_ranks s r z) l with
  | [] => negb (takes_ranks s whole z)
  | [_] => takes_ranks s whole z
  | _ => false
  end.
Definition check_one_of (l : list (list transition)) (whole : list transition) : bool :=
  let n := length whole in
  forallb (fun r => Nat.eqb (length r) n && defined [] r) (whole :: l) && forallb (exactly_one (fun _ => 0) whole l) (vectors n n).
Definition check_never (r : list transition) : bool :=
  defined [] r && forallb (fun z => negb (takes_ranks (fun _ => 0) r z)) (vectors (length r) (length r)).

Lemma ranks_in {X} (le : X -> X -> Prop) (L : linear le) (Dec : decidable le) (z : list X) :
  In (map (rank le Dec z) z) (vectors (length z) (length z)).
Proof.
  replace (vectors (length z)) with (vectors (length (map (rank le Dec z) z))) by now rewrite map_length.
  apply vectors_all. intros i I. apply in_map_iff in I as (x & <- & I). now apply rank_small.
Qed.
Lemma check_never_sound r : check_never r = true -> never r.
Proof.
  unfold check_never. intros H X le L Dec s z T. apply andb_prop in H as [D H]. rewrite forallb_forall in H. assert (E := takes_length le r s z T).
  specialize (H (map (rank le Dec z) z)). rewrite <- E in H. specialize (H (ranks_in le L Dec z)).
  apply (takes_as_ranks le L Dec s r z D) in T. now rewrite T in H.
Qed.
Lemma filter_single {A} (f : A -> bool) l x : filter f l = [x] ->
  exists l1 l2, l = l1 ++ x :: l2 /\ f x = true /\ forall y, In y (l1 ++ l2) -> f y = false.
Proof.
  assert (None_ : forall l, filter f l = [] -> forall y, In y l -> f y = false).
  { clear. intros l E y I. apply not_true_iff_false. intro F. assert (J : In y (filter f l)) by now apply filter_In. now rewrite E in J. }
  induction l as [|y l IH]; cbn [filter]; [discriminate|]. destruct (f y) eqn:F; intro E.
  - injection E as -> E. exists [], l. split; [easy|]. split; [exact F|]. cbn. now apply None_.
  - destruct (IH E) as (l1 & l2 & -> & Fx & N). exists (y :: l1), l2. split; [easy|]. split; [exact Fx|]. intros w [<-|I]; [exact F|now apply N].
Qed.
(** If runs are taken by samples as by their ranks. *)
Lemma exactly_one_sound {X} (le : X -> X -> Prop) s z (s' : N -> nat) ranks l whole :
  (forall r, In r (whole :: l) -> takes le s r z <-> takes_ranks s' r ranks = true) -> exactly_one s' whole l ranks = true ->
  (takes le s whole z -> exists l1 r l2, l = l1 ++ r :: l2 /\ takes le s r z /\ forall r', In r' (l1 ++ l2) -> ~ takes le s r' z) /\
  (forall r, In r l -> takes le s r z -> takes le s whole z).
Proof.
  intros As One. unfold exactly_one in One. split.
  - intro T. apply (As whole (or_introl eq_refl)) in T. rewrite T in One.
    destruct (filter _ l) as [|r [|]] eqn:F; try discriminate. destruct (filter_single _ _ _ F) as (l1 & l2 & -> & Tr & N).
    exists l1, r, l2. split; [easy|]. split.
    + apply As; [right; apply in_or_app; right; now left|exact Tr].
    + intros r' I T'. apply As in T'; [|right; apply in_app_or in I; apply in_or_app; cbn; tauto]. rewrite (N r' I) in T'. discriminate.
  - intros r I T. apply (As r (or_intror I)) in T. apply (As whole (or_introl eq_refl)).
    assert (J : In r (filter (fun r => takes_ranks s' r ranks) l)) by now apply filter_In.
    destruct (filter _ l) as [|r1 [|]]; [destruct J|exact One|discriminate].
Qed.
Lemma check_one_of_sound l whole : check_one_of l whole = true -> one_of l whole.
Proof.
  unfold check_one_of. cbv zeta. intros H X le L Dec s z. apply andb_prop in H as [Df H]. rewrite forallb_forall in Df, H.
  assert (Len : forall r, In r (whole :: l) -> length r = length whole /\ defined [] r = true).
  { intros r I. specialize (Df r I). apply andb_prop in Df as [E D]. split; [now apply Nat.eqb_eq|exact D]. }
  destruct (Nat.eq_dec (length z) (length whole)) as [E|N].
  - apply (exactly_one_sound le s z (fun _ => 0) (map (rank le Dec z) z)).
    + intros r I. apply takes_as_ranks; [exact L|now apply Len].
    + apply H. rewrite <- E. now apply ranks_in.
  - split; [intro T; now destruct N; apply (takes_length le whole s)|]. intros r I T. destruct N. rewrite (takes_length le _ _ _ T). apply Len. now right.
Qed.
