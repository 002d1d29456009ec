(** * Evidence as text that is short and quickly read

    Evidence needs no trust: whatever is read here, the checks decide. So nothing about this page is proved. Numbers are written one after the
    other in base 32, highest digit first; the characters "0" to "O" are the digits 0 to 31, and "P" to "o" are these as the last digit of a number. *)
From Coq Require Import List NArith ZArith QArith Strings.Byte.
From Prover Require Import Chain Sparse Upper Lower Unrolling Delta Related Process Attackers Collapsed.
Import ListNotations.

Inductive text := End | Char (b : byte) (t : text).
Fixpoint of_bytes (l : list byte) : text := match l with [] => End | b :: l => Char b (of_bytes l) end.
Fixpoint bytes (t : text) : list byte := match t with End => [] | Char b t => b :: bytes t end.
Declare Scope text_scope.
Delimit Scope text_scope with text.
String Notation text of_bytes bytes : text_scope.

(** 0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2. *)
Definition signed (n : N) : Z := if N.odd n then Z.opp (Z.of_N (N.div2 n + 1)) else Z.of_N (N.div2 n).

Fixpoint line (t : text) (n : N) : list Z :=
  match t with
  | End => []
  | Char b t => let d := (to_N b - 48)%N in
                if (d <? 32)%N then line t (N.shiftl n 5 + d) else signed (N.shiftl n 5 + (d - 32)) :: line t 0
  end.
Definition numbers (l : list text) : list Z := flat_map (fun t => line t 0) l.

(** A reader takes what it reads from the front of a list; where there is nothing left, it reads zeros. *)
Definition reader (A : Type) := list Z -> A * list Z.
Definition bind {A B} (r : reader A) (f : A -> reader B) : reader B := fun l => let (a, l) := r l in f a l.
Definition give {A} (a : A) : reader A := fun l => (a, l).
Notation "'read' x 'from' r ; f" := (bind r (fun x => f)) (at level 200, x name, r at level 100, f at level 200).

Definition number : reader Z := fun l => match l with z :: l => (z, l) | [] => (0%Z, []) end.
Definition count : reader positive := read z from number; give (Z.to_pos z).
Definition state : reader N := read z from number; give (Z.to_N z).
Definition at_key : reader positive := read z from state; give (key z).
Definition fraction : reader Q := read a from number; read b from count; give (Qmake a b).
(** A list comes after its length; it ends where the numbers end. *)
Fixpoint times {A} (r : reader A) (fuel : list Z) (n : Z) (l : list Z) : list A * list Z :=
  match fuel with
  | [] => ([], l)
  | _ :: fuel => if (n <=? 0)%Z then ([], l) else let (a, l) := r l in let (more, l) := times r fuel (n - 1) l in (a :: more, l)
  end.
Definition many {A} (r : reader A) : reader (list A) := read n from number; fun l => times r l n l.

Definition keyed : reader (positive * Z) := read k from at_key; read z from number; give (k, z).
Definition zmoved : reader zmove := read i from at_key; read j from at_key; read z from number; give (i, j, z).

Definition upper_row : reader urow :=
  read s from at_key; read t from at_key; read v from number; read l from count; read ks from number; read kt from number;
  read w from many zmoved; give {| us := s; ut := t; uval := v; scale := l; ks := ks; kt := kt; moves := w |}.

Definition lower_row : reader lrow :=
  read s from at_key; read t from at_key; read v from number; read l from count; read ks from number; read kt from number;
  read e from count; read f from many keyed; read a from many keyed; read r from number; read g from many keyed; read o from number;
  give {| ls := s; lt := t; lval := v; lscale := l; lks := ks; lkt := kt; pe := e; pots := f; free := a; lrank := r; ranks := g;
          mirror := (o =? 1)%Z |}.

Definition table_of {A} (r : reader A) : reader (positive * list A) := read d from count; read l from many r; give (d, l).

Definition stepped : reader steps := read l from count; read es from many keyed; give {| whole := l; entries := es |}.
Definition sorted : reader kind :=
  read z from number;
  match z with
  | 0%Z => read l from count; read w from many zmoved; give (Stop l w)
  | 1%Z => read s from stepped; read h from fraction; give (Inner s h)
  | _ => read s from stepped; give (Balanced s)
  end.
Definition numbered_node : reader (positive * node) :=
  read k from at_key; read x from many keyed; read y from many keyed; read a from state; read v from fraction; read u from fraction; read s from sorted;
  give (k, {| xs := x; ys := y; seen := a; low := v; up := u; sort := s |}).
Definition root : reader (N * N * positive) := read s from state; read t from state; read k from at_key; give (s, t, k).
Definition row : reader (N * list (N * Q)) :=
  read a from state; read l from many (read k from state; read p from fraction; give (k, p)); give (a, l).
Definition classed : reader (chain * list N) := read c from many row; read l from many state; give (c, l).
Definition quotiented : reader (option (chain * list N)) :=
  read z from number;
  match z with
  | 0%Z => give None
  | _ => read b from classed; give (Some b)
  end.
Definition parting : reader separator :=
  read g from many keyed; read l from many (read i from at_key; read j from at_key; give (i, j)); give {| weights := g; parted_pairs := l |}.
Definition unrolled_evidence : reader unrolled :=
  read b from quotiented; read u from table_of upper_row; read r from fraction; read ns from many numbered_node; read rs from many root;
  give {| quotient := b; denominator := fst u; couplings := snd u; fall := r; unrolling := ns; roots := rs |}.

Definition chosen : reader (positive * choice) :=
  read q from numbered_node; read l from many stepped; read t from number; give (fst q, (snd q, (l, Z.to_nat t))).
Definition against_evidence : reader against :=
  read r from fraction; read l from many chosen; read rs from many root; give {| fell := r; choices := l; starts := rs |}.

Definition state_exit : reader (positive * exit) := read k from at_key; read l from many keyed; read h from fraction; give (k, {| ends := l; tall := h |}).
Definition collapsed : reader collapse :=
  read b from many row; read u from count; read en from many (read s from at_key; read j from at_key; give (s, j));
  read ex from many (read a from at_key; read l from many state_exit; give (a, l));
  read h from fraction; read r from fraction; read f from state; read z from state; read g from number;
  read bs from many (read s from at_key; read j from state; give (s, j));
  give {| shown_chain := b; share := u; entered := en; exits := ex; highest := h; falls := r; opening := f; silence := z; begun := (g =? 1)%Z; begins := bs |}.

Definition process_row : reader (N * list (list (N * Q))) :=
  read a from state; read l from many (many (read k from state; read p from fraction; give (k, p))); give (a, l).
Definition process_classed : reader (process * list N) := read P from many process_row; read l from many state; give (P, l).

(** What the lines hold. *)
Definition decoded {A} (r : reader A) (l : list text) : A := fst (r (numbers l)).
Definition upper_table : list text -> positive * list urow := decoded (table_of upper_row).
Definition lower_table : list text -> (positive * list lrow) * list (list N) :=
  decoded (read t from table_of lower_row; read l from many (many state); give (t, l)).
Definition unrolled_of : list text -> unrolled := decoded unrolled_evidence.
Definition against_of : list text -> against := decoded against_evidence.
Definition separators_of : list text -> list separator := decoded (many parting).
Definition classes_of : list text -> chain * list N := decoded classed.
Definition splitters_of : list text -> list (list N) := decoded (many (many state)).
Definition seen_of : list text -> collapse * unrolled := decoded (read e from collapsed; read u from unrolled_evidence; give (e, u)).
Definition seen_table_of : list text -> collapse * (positive * list urow) := decoded (read e from collapsed; read t from table_of upper_row; give (e, t)).
Definition upper_tables : list text -> positive * list (list urow) := decoded (table_of (many upper_row)).
Definition process_classes_of : list text -> process * list N := decoded process_classed.
Definition merged_of : list text -> (process * list N) * against := decoded (read b from process_classed; read e from against_evidence; give (b, e)).
Definition merging : reader ((chain * list N) * list (list N)) := read e from classed; read l from many (many state); give (e, l).
Definition merged_table_of : list text -> ((chain * list N) * list (list N)) * (positive * list urow) :=
  decoded (read e from merging; read t from table_of upper_row; give (e, t)).
Definition merged_lower_of : list text -> ((chain * list N) * list (list N)) * ((positive * list lrow) * list (list N)) :=
  decoded (read e from merging; read t from table_of lower_row; read l from many (many state); give (e, (t, l))).
