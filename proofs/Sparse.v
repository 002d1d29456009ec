(** * Sparse vectors of integers

    Lists of integers at keys, and trees that add up what lists repeat. A key is a positive number: that of state s is s + 1. *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
Import ListNotations.
Open Scope Q_scope.

Definition key (s : N) : positive := N.succ_pos s.
Definition unkey (p : positive) : N := Pos.pred_N p.
Lemma unkey_key s : unkey (key s) = s.
Proof. destruct s; [reflexivity|]. exact (Pos.pred_N_succ p). Qed.
Lemma key_unkey p : key (unkey p) = p.
Proof. destruct p; try reflexivity. cbn. now rewrite Pos.succ_pred_double. Qed.
Lemma key_inj s t : key s = key t -> s = t.
Proof. intro H. rewrite <- (unkey_key s), <- (unkey_key t). now rewrite H. Qed.

(** Lists of integers at keys, against a function on keys. *)
Definition ev (f : positive -> Q) (l : list (positive * Z)) : Q :=
  fold_right (fun kz a => inject_Z (snd kz) * f (fst kz) + a) 0 l.

Inductive tree := Leaf | Node (l : tree) (v : Z) (r : tree).

Fixpoint acc (k : positive) (z : Z) (t : tree) : tree :=
  match k, t with
  | xH, Leaf => Node Leaf z Leaf
  | xH, Node l v r => Node l (v + z) r
  | xO k, Leaf => Node (acc k z Leaf) 0 Leaf
  | xO k, Node l v r => Node (acc k z l) v r
  | xI k, Leaf => Node Leaf 0 (acc k z Leaf)
  | xI k, Node l v r => Node l v (acc k z r)
  end.

Fixpoint evt (f : positive -> Q) (t : tree) : Q :=
  match t with
  | Leaf => 0
  | Node l v r => evt (fun p => f (xO p)) l + inject_Z v * f xH + evt (fun p => f (xI p)) r
  end.

Fixpoint gains (t : tree) : Z :=
  match t with
  | Leaf => 0
  | Node l v r => gains l + Z.max 0 v + gains r
  end.

Lemma evt_acc k z t : forall f, evt f (acc k z t) == inject_Z z * f k + evt f t.
Proof.
  revert t. induction k; intros [|l v r] f; cbn [acc evt]; rewrite ?IHk; cbn [evt]; rewrite ?inject_Z_plus; ring.
Qed.

Lemma evt_gains t : forall f, (forall p, 0 <= f p /\ f p <= 1) -> evt f t <= inject_Z (gains t).
Proof.
  induction t as [|l IHl v r IHr]; intros f Hf; cbn [evt gains].
  - apply Qle_refl.
  - rewrite !inject_Z_plus.
    assert (A := IHl _ (fun p => Hf (xO p))). assert (B := IHr _ (fun p => Hf (xI p))).
    assert (inject_Z v * f xH <= inject_Z (Z.max 0 v)); [|lra].
    destruct (Hf xH) as [H0 H1].
    destruct (Z.max_spec 0 v) as [[Hv ->]|[Hv ->]].
    + rewrite Zlt_Qlt in Hv. change (inject_Z 0) with 0 in Hv. nra.
    + rewrite Zle_Qle in Hv. change (inject_Z 0) with 0 in *. nra.
Qed.

Definition addl (c : Z) (l : list (positive * Z)) (t : tree) : tree :=
  fold_left (fun t kz => acc (fst kz) (c * snd kz) t) l t.

Lemma evt_addl c l f : forall t, evt f (addl c l t) == inject_Z c * ev f l + evt f t.
Proof.
  induction l as [|[k z] l IH]; intro t; cbn [addl fold_left ev fold_right fst snd].
  - ring.
  - unfold addl in IH. rewrite IH, evt_acc, inject_Z_mult. unfold ev. ring.
Qed.

(** A tree of zeros. *)
Fixpoint zeros (t : tree) : bool :=
  match t with
  | Leaf => true
  | Node l v r => (v =? 0)%Z && zeros l && zeros r
  end.

Lemma evt_zeros t : zeros t = true -> forall f, evt f t == 0.
Proof.
  induction t as [|l IHl v r IHr]; intros H f; cbn [evt zeros] in *; [reflexivity|].
  apply andb_prop in H as [H Hr]. apply andb_prop in H as [Hv Hl]. apply Z.eqb_eq in Hv as ->.
  rewrite (IHl Hl), (IHr Hr). change (inject_Z 0) with 0. ring.
Qed.

(** A list as a map from 1, 2, 3, ... *)
Module PM := PositiveMap.
Fixpoint index {A} (i : positive) (l : list A) (m : PM.t A) : PM.t A :=
  match l with [] => m | x :: l => index (Pos.succ i) l (PM.add i x m) end.

Lemma index_spec {A} (l : list A) : forall i m k x,
  PM.find k (index i l m) = Some x ->
  (exists n, k = Pos.of_nat (Pos.to_nat i + n) /\ nth_error l n = Some x) \/ PM.find k m = Some x.
Proof.
  induction l as [|y l IH]; intros i m k x H; cbn [index] in H; [now right|].
  apply IH in H as [(n & -> & Hn)|H].
  - left. exists (S n). split; [|exact Hn]. f_equal. lia.
  - destruct (Pos.eq_dec k i) as [->|Hk].
    + rewrite PM.gss in H. injection H as ->. left. exists 0%nat. split; [|reflexivity].
      now rewrite Nat.add_0_r, Pos2Nat.id.
    + rewrite PM.gso in H by assumption. now right.
Qed.

Lemma index_keep {A} (l : list A) : forall i m k, (k < i)%positive -> PM.find k (index i l m) = PM.find k m.
Proof.
  induction l as [|x l IH]; intros i m k H; cbn [index]; [reflexivity|].
  rewrite IH by lia. now rewrite PM.gso by lia.
Qed.
Lemma index_complete {A} (l : list A) : forall i m n x, nth_error l n = Some x -> PM.find (Pos.of_nat (Pos.to_nat i + n)) (index i l m) = Some x.
Proof.
  induction l as [|y l IH]; intros i m [|n] x H; try discriminate; cbn [index nth_error] in *.
  - injection H as ->. rewrite Nat.add_0_r, Pos2Nat.id, index_keep by lia. apply PM.gss.
  - replace (Pos.of_nat (Pos.to_nat i + S n)) with (Pos.of_nat (Pos.to_nat (Pos.succ i) + n)) by (f_equal; lia). now apply IH.
Qed.

(** A list of keys and values as a map. *)
Definition of_list {A} (l : list (positive * A)) : PM.t A := fold_right (fun kv m => PM.add (fst kv) (snd kv) m) (PM.empty _) l.

Lemma find_of_list {A} (l : list (positive * A)) k v : PM.find k (of_list l) = Some v -> In (k, v) l.
Proof.
  induction l as [|[i w] l IH]; cbn [of_list fold_right fst snd].
  - now rewrite PM.gempty.
  - destruct (Pos.eq_dec k i) as [->|H]; [rewrite PM.gss; intros [= ->]; now left|rewrite PM.gso by assumption; intro E; right; now apply IH].
Qed.
