(** * Answers about programs: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Geometric Multipliers Runs Families Climbs Table Parts.
Import ListNotations.

(** ** Evidence, as in [Decode.v]: nothing depends on how it is read *)
Definition function_of : reader function :=
  read l from many Decode.state; read ps from many (read x from fun s => times number s (Z.of_nat (length l)) s; read v from number; give (x, v));
  give {| names := l; points := ps |}.
Definition node_of : reader node :=
  read u from Decode.state; read o from many (read a from Decode.state; read b from Decode.state; give (a, b)); read k from many Decode.state;
  read f from many function_of; read g from many function_of; give {| place := u; known := o; nexts := k; before := f; afterwards := g |}.
Definition code (m : mode) : Z := match m with Free => 0 | Up => 1 | Down => 2 | Unused => 3 | Used => 4 end.
Definition part_read : reader part :=
  read l from many Decode.state; read b from number; read ts from many (read m from number; read t from many node_of; give (m, t));
  give {| variables := l; bound := b; tables := fun m => match find (fun mt => (fst mt =? code m)%Z) ts with Some mt => snd mt | None => [] end |}.
Definition parts_of : list text -> list Z * list part := decoded (read c from many number; read l from many part_read; give (c, l)).

(** The loss of a program is at most [v]. *)
Theorem table_upper p start a v l : (let t := parts_of l in check_parts p start a v (fst t) (snd t)) = true -> proper p /\ loss_at_most p start a v.
Proof. apply parts_sound. Qed.

Definition step_of : reader step :=
  read w from number; read z from number; read m from many number; read n from many number;
  give {| way := Z.to_nat w; draw := z; of_tests := m; of_shows := n |}.
Definition run_of : list text -> readings * list step :=
  decoded (read l from many (read u from number; read d from number; read b from number; give (Z.to_N u, (d, b)));
           read r from many step_of; give (l, r)).

(** The loss of a program, with any number of variables, is at least [v]. *)
Theorem run_lower p start a v l : (let r := run_of l in check_run p start a v (fst r) (snd r)) = true -> proper p /\ loss_at_least p start a v.
Proof. apply run_sound. Qed.

Definition growing_of : reader growing := read a from number; read b from number; give (a, b).
Definition link_of : reader link :=
  read w from number; read z from number; read m from many growing_of; read n from many growing_of; read d from number; read b from number;
  read j from number; read h from number;
  give {| move := Z.to_nat w; noise_of := z; of_guard := m; of_numbers := n; differs := d; reading_of := b; rises := (j, h) |}.
Definition family_of : list text -> list (bool * list link) :=
  decoded (many (read again from number; read l from many link_of; give ((again =? 1)%Z, l))).

(** A program is not private. *)
Theorem family_lower p start a l : check_family p start a (family_of l) = true -> proper p /\ not_private p start a.
Proof. apply family_sound. Qed.
