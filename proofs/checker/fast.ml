(* How a positive number is taken apart: 2p+1, 2p, 1. *)
let pos double_succ double one p =
  if Z.leq p Z.one then one ()
  else
    let half = Z.shift_right p 1 in
    if Z.is_odd p then double_succ half else double half
