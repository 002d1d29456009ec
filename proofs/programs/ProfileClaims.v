(** * Evidence of profiles, as in [Decode.v], and the lemma that an [Answer.v] about delta of a program applies *)
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Geometric Table Approximate Profiles Spots.
Import ListNotations.

Definition mode_of (z : Z) : mode := match z with 1 => Up | 2 => Down | 3 => Unused | 4 => Used | _ => Free end%Z.
Definition anchor_of : reader (Z * bool * Z) := read k from number; read o from number; read z from number; give (k, (o =? 1)%Z, z).
Definition cell_of : reader cell := read u from number; read l from many anchor_of; give {| until := u; anchors := l |}.
Definition spot_of (knots : list Z) : reader spot :=
  read u from Decode.state; read m from number; read n from many (read v from Decode.state; read a from number; read b from number; give (v, (a, b)));
  read vs from many number; read cs from many (many cell_of);
  give {| site := u; phase := mode_of m; near := n; profile := combine knots vs; cells := cs |}.
Definition profiles_of : list text -> list (Z * list spot) :=
  decoded (many (read m from number; read ks from many number; read l from many (spot_of ks); give (m, l))).
Definition of_mode (l : list (Z * list spot)) (m : mode) : list spot :=
  match find (fun t => same_mode (mode_of (fst t)) m) l with Some t => snd t | None => [] end.

(** The gains of events at each of some alpha. *)
Theorem profile_upper p start a low high l t : (let T := profiles_of t in check_profiles p start a low high l (of_mode T)) = true ->
  proper p /\ forall alpha delta, In (alpha, delta) l -> delta_at_most p start a low high alpha delta.
Proof. apply profiles_sound. Qed.
