(** * Answers about what an observer sees of a program: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Geometric Observer Table Claims Classes Groups Last.
Import ListNotations.

(** ** Evidence, as in [Decode.v]: nothing depends on how it is read *)
Definition test_of (z : Z) : test := match z with 0 => Below | 1 => AtMost | 2 => AtLeast | 3 => Above | _ => Equal end%Z.
Definition demand_of : reader demand :=
  read a from number; read c from number; read b from number; give (Z.to_nat a, test_of c, Z.to_nat b).
Definition group_of : reader group := read d from many demand_of; read m from many (many number); give {| demands := d; moves := m |}.
Definition level_of : reader level := read l from many Decode.state; read g from many group_of; give {| labels := l; groups := g |}.
Definition ended_of : reader last_node :=
  read n from node_of; read l from many Decode.state;
  read e from many (many (read c from number; read v from Decode.state; give (test_of c, v))); give {| at_node := n; ending_of := l; endings := e |}.
Definition tables_of : reader (list Z * (mode -> list last_node)) :=
  read c from many number; read ts from many (read m from number; read t from many ended_of; give (m, t));
  give (c, fun m => match find (fun mt => (fst mt =? code m)%Z) ts with Some mt => snd mt | None => [] end).

(** The loss of the observer is at most [v]: by groups of runs, and by last steps. *)
Theorem groups_upper p start a v l : check_hidden p start a v (decoded (many level_of) l) = true -> proper p /\ seen_loss_at_most p start a v.
Proof. apply hidden_sound. Qed.
Theorem last_upper p start a v l : (let t := decoded tables_of l in check_last p start a v (fst t) (snd t)) = true -> proper p /\ seen_loss_at_most p start a v.
Proof. apply last_sound. Qed.
