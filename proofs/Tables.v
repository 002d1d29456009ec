(** * Two tables that enclose ld everywhere *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Upper Least Lower Prefixed.
Import ListNotations.
Open Scope Q_scope.

(** The tables differ nowhere by more than the width. *)
Definition check_enclosed (c : chain) (alpha width : Q) (D : positive) (rows : list urow) (D' : positive) (rows' : list lrow)
    (splitters : list (list N)) : bool :=
  let m := prepare c in let d := utable rows in let d' := lrows rows' in
  check_upper c alpha D rows && check_moves c rows && check_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D') rows' splitters false
  && forallb (fun s => forallb (fun t =>
       (value m d (Zpos D) (key s) (key t) * Zpos D' * Zpos (Qden width)
        <=? (lvalue (Zpos D') m d' (key s) (key t) * Zpos (Qden width) + Qnum width * Zpos D') * Zpos D)%Z) (states c)) (states c).

Theorem enclosed_sound c alpha width D rows D' rows' splitters : check_enclosed c alpha width D rows D' rows' splitters = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) ->
    exists v, ld_at_least c alpha v s t /\ ld_at_most c alpha (v + width) s t /\ close c alpha (v + width) s t.
Proof.
  unfold check_enclosed. intro H. apply andb_prop in H as [H W]. apply andb_prop in H as [H L]. apply andb_prop in H as [U M].
  split; [apply model_sound; now destruct (parts c alpha D rows U)|]. intros s t Hs Ht. exists (dl c D' rows' s t). split.
  - intros d' Hd'. apply (lower_sound c alpha D' rows' splitters false L d' Hd'); [discriminate|assumption|assumption].
  - rewrite forallb_forall in W. specialize (W _ Hs). rewrite forallb_forall in W. specialize (W _ Ht). apply Z.leb_le in W.
    assert (E : entry c D rows s t <= dl c D' rows' s t + width).
    { unfold entry, dl. set (u := value _ _ _ _ _) in *. set (l := lvalue _ _ _ _ _) in *. clearbody u l.
      assert (PD := inject_pos D). assert (PD' := inject_pos D'). assert (Pw := inject_pos (Qden width)).
      rewrite Zle_Qle, !inject_Z_mult, inject_Z_plus, !inject_Z_mult, <- (times_den width) in W.
      set (a := inject_Z (Zpos D)) in *. set (b := inject_Z (Zpos D')) in *. set (q := inject_Z (Zpos (Qden width))) in *. set (x := inject_Z u) in *. set (y := inject_Z l) in *.
      clearbody a b q x y. apply Qle_shift_div_r; [assumption|].
      assert (K : q * b * x <= q * b * ((y / b + width) * a)); [|assert (0 < q * b) by nra; nra].
      setoid_replace (q * b * ((y / b + width) * a)) with ((y * q + q * width * b) * a) by (field; lra). lra. }
    split; [exists (entry c D rows); split; [now apply table_prefixed|assumption]|].
    intros n E'. assert (S := upper_sound c alpha D rows U n E' (key s) (key t)). rewrite !unkey_key in S.
    assert (PD := inject_pos D). unfold entry in E. set (u := inject_Z (value _ _ _ _ _)) in *. set (a := inject_Z (Zpos D)) in *.
    assert (Eu : u == a * (u / a)) by (field; lra). rewrite Eu in S.
    assert (a * prob c n s E' <= a * (alpha * prob c n t E' + u / a)) by lra. 
    assert (prob c n s E' <= alpha * prob c n t E' + u / a) by nra. lra.
Qed.
