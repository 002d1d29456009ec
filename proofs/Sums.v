(** * Finite sums of rationals, and extremal elements of lists *)
From Coq Require Import List NArith QArith Lqa Lia FinFun.
From Prover Require Import Chain Distance.
Import ListNotations.
Open Scope Q_scope.

Lemma sum_nil : sum [] = 0. Proof. reflexivity. Qed.
Lemma sum_cons x l : sum (x :: l) = x + sum l. Proof. reflexivity. Qed.

Section Sums.
  Context {A : Type}.
  Implicit Types (l : list A) (f g : A -> Q).
  Lemma sum_ext l f g : (forall x, In x l -> f x == g x) -> sum (map f l) == sum (map g l).
  Proof. induction l as [|x l IH]; intro H; cbn [map]; rewrite ?sum_cons; [reflexivity|]. rewrite (H x), IH; [reflexivity| |now left]. intros; apply H; now right. Qed.
  Lemma sum_le l f g : (forall x, In x l -> f x <= g x) -> sum (map f l) <= sum (map g l).
  Proof. induction l as [|x l IH]; intro H; cbn [map]; rewrite ?sum_cons; [apply Qle_refl|]. apply Qplus_le_compat; [apply H; now left|]. apply IH. intros; apply H; now right. Qed.
  Lemma sum_plus l f g : sum (map (fun x => f x + g x) l) == sum (map f l) + sum (map g l).
  Proof. induction l as [|x l IH]; cbn [map]; rewrite ?sum_cons, ?sum_nil; [reflexivity|]. rewrite IH. ring. Qed.
  Lemma sum_scale l a f : sum (map (fun x => a * f x) l) == a * sum (map f l).
  Proof. induction l as [|x l IH]; cbn [map]; rewrite ?sum_cons, ?sum_nil; [ring|]. rewrite IH. ring. Qed.
  Lemma sum_0 l : sum (map (fun _ => 0) l) == 0.
  Proof. induction l as [|x l IH]; cbn [map]; rewrite ?sum_cons, ?sum_nil; [reflexivity|]. rewrite IH. ring. Qed.
  Lemma sum_pos l f : (forall x, In x l -> 0 <= f x) -> 0 <= sum (map f l).
  Proof. intro H. rewrite <- (sum_0 l). now apply sum_le. Qed.
  (** A sum of numbers >= 0 that is <= 0 has no other terms than 0. *)
  Lemma sum_zero l f : (forall x, In x l -> 0 <= f x) -> sum (map f l) <= 0 -> forall x, In x l -> f x == 0.
  Proof.
    induction l as [|y l IH]; intros H S x Hx; [easy|]. cbn [map] in S. rewrite sum_cons in S.
    assert (P := sum_pos l f (fun x h => H x (or_intror h))). assert (P' := H y (or_introl eq_refl)).
    destruct Hx as [<-|Hx]; [lra|]. apply IH; [intros; apply H; now right|lra|assumption].
  Qed.
End Sums.

Lemma sum_swap {A B} (la : list A) (lb : list B) (f : A -> B -> Q) :
  sum (map (fun a => sum (map (f a) lb)) la) == sum (map (fun b => sum (map (fun a => f a b) la)) lb).
Proof.
  induction la as [|a la IH]; cbn [map].
  - symmetry. apply sum_0.
  - rewrite sum_cons, IH, <- sum_plus. apply sum_ext. intros b _. now rewrite sum_cons.
Qed.

Lemma sum_at l (i : N) (g : N -> Q) : NoDup l -> In i l -> sum (map (fun k => if (i =? k)%N then g k else 0) l) == g i.
Proof.
  induction l as [|k l IH]; intros ND Hi; [easy|]. inversion_clear ND as [|? ? Hk ND']. cbn [map]. rewrite sum_cons.
  destruct (N.eqb_spec i k) as [->|Hne].
  - rewrite (sum_ext l _ (fun _ => 0)); [rewrite sum_0; ring|]. intros x Hx. destruct (N.eqb_spec k x); [now subst|reflexivity].
  - destruct Hi as [->|Hi]; [easy|]. rewrite IH by assumption. ring.
Qed.

Lemma states_nodup c : NoDup (states c).
Proof.
  unfold states. apply Injective_map_NoDup; [|apply seq_NoDup]. intros x y H. now apply Nat2N.inj.
Qed.
Lemma in_states c s : In s (states c) <-> (N.to_nat s < length c)%nat.
Proof.
  unfold states. rewrite in_map_iff. split.
  - intros (n & <- & H). apply in_seq in H. rewrite Nat2N.id. lia.
  - intro H. exists (N.to_nat s). rewrite N2Nat.id. split; [reflexivity|]. apply in_seq. lia.
Qed.

Definition inside (c : chain) (s : N) : bool := (N.to_nat s <? length c)%nat.
Lemma inside_spec c s : inside c s = true <-> In s (states c).
Proof. unfold inside. rewrite in_states. apply Nat.ltb_lt. Qed.

(** ** Choosing extremal elements of lists *)
Lemma argmin {A} (f : A -> Q) (l : list A) x : In x l -> exists y, In y l /\ forall z, In z l -> f y <= f z.
Proof.
  revert x. induction l as [|a l IH]; intros x Hx; [easy|]. destruct l as [|b l].
  - exists a. split; [now left|]. intros z [<-|[]]. apply Qle_refl.
  - destruct (IH b (or_introl eq_refl)) as (y & Hy & My). destruct (Qlt_le_dec (f y) (f a)) as [H|H].
    + exists y. split; [now right|]. intros z [<-|Hz]; [lra|now apply My].
    + exists a. split; [now left|]. intros z [<-|Hz]; [lra|]. specialize (My z Hz). lra.
Qed.
Definition argmin_such {A} (f : A -> Q) (P : A -> Prop) (dec : forall x, {P x} + {~ P x}) (l : list A) x :
  In x l -> P x -> exists y, In y l /\ P y /\ forall z, In z l -> P z -> f y <= f z.
Proof.
  intros Hx Px. set (b := fun x => if dec x then true else false).
  assert (B : forall z, In z (filter b l) <-> In z l /\ P z).
  { intro z. rewrite filter_In. unfold b. destruct (dec z); intuition easy. }
  destruct (argmin f (filter b l) x (proj2 (B x) (conj Hx Px))) as (y & Hy & My).
  apply B in Hy as [Hy Py]. exists y. repeat split; try assumption. intros z Hz Pz. apply My, B. now split.
Qed.

Definition dec_lt x y : {x < y} + {~ x < y} :=
  match Qlt_le_dec x y with left h => left h | right h => right (Qle_not_lt _ _ h) end.
