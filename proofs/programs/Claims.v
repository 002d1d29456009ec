(** * Answers about programs: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Geometric Table Multipliers Runs.
Import ListNotations.

(** ** Evidence, as in [Decode.v]: nothing depends on how it is read *)
Definition function_of : reader function := many (read x from number; read v from number; give (x, v)).
Definition functions_of : reader (option (list function)) :=
  read n from number; if (n <? 0)%Z then give None else fun l => let (fs, l) := times function_of l n l in (Some fs, l).
Definition code (m : mode) : Z := match m with Free => 0 | Up => 1 | Down => 2 | Unused => 3 | Used => 4 end.
Definition tables_of : list text -> list Z * (mode -> table) :=
  decoded (read c from many number; read ts from many (read m from number; read t from many functions_of; give (m, t));
           give (c, fun m => match find (fun mt => (fst mt =? code m)%Z) ts with Some mt => snd mt | None => [] end)).

(** The loss of a program with one variable is at most [v]. *)
Theorem table_upper p start a v l : (let t := tables_of l in check_table p start a v (fst t) (snd t)) = true -> proper p /\ loss_at_most p start a v.
Proof. apply table_sound. Qed.

Definition step_of : reader step :=
  read w from number; read z from number; read m from many number; read n from many number;
  give {| way := Z.to_nat w; draw := z; of_tests := m; of_shows := n |}.
Definition run_of : list text -> readings * list step :=
  decoded (read l from many (read u from number; read d from number; read b from number; give (Z.to_N u, (d, b)));
           read r from many step_of; give (l, r)).

(** The loss of a program, with any number of variables, is at least [v]. *)
Theorem run_lower p start a v l : (let r := run_of l in check_run p start a v (fst r) (snd r)) = true -> proper p /\ loss_at_least p start a v.
Proof. apply run_sound. Qed.
