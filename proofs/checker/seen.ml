(* What an observer sees of a chain who does not see every step (Section 3.6): the observer, the chain of what is seen,
   and its states that stand for runs from states of the chain. *)
open Json
open Chain

type t = {
  chain : Chain.t;
  small : Chain.t; (* the labels of both are numbered together *)
  changes : bool;
  silent : int list; (* of the labels, and so the next two *)
  start : int option;
  silence : int option;
  entered : (int * int) list; (* states of the small chain, and of the chain *)
  begins : (int * int) list; (* states of the chain, and of the small one *)
}

let read (chain : Chain.t) observer value =
  record [ "sees"; "silent" ] observer;
  let sees = text (get "sees" observer) and silent = List.map text (items (get "silent" observer)) in
  demand (List.mem sees [ "changes"; "labels" ]) "sees is not changes or labels";
  demand (ascending silent) "silent labels are out of order or repeated";
  let changes = sees = "changes" in
  record [ "entered"; "erased"; "merged"; "model" ] ~optional:(if changes then [ "start" ] else [ "silence"; "start" ]) value;
  let own = Array.to_list chain.label_names in
  let more = List.filter_map (fun key -> Option.map text (field key value)) [ "silence"; "start" ] in
  let distinct = List.length (List.sort_uniq compare (own @ more)) = List.length own + List.length more in
  demand distinct "start or silence is a label of the model, or both are the same label";
  let small = Chain.read (get "model" value) in
  demand (field "relation" (get "model" value) = None) "the collapsed chain has a relation";
  let label_names = Array.of_list (List.sort_uniq compare (own @ more @ Array.to_list small.label_names)) in
  let together c = { c with labels = Array.map (fun a -> position label_names c.label_names.(a)) c.labels; label_names } in
  let number key = Option.map (fun name -> position label_names (text name)) (field key value) in
  let silent = List.filter_map (fun name -> if Array.mem name label_names then Some (position label_names name) else None) silent in
  let chain = together chain and small = together small and start = number "start" in
  let pair e = match items e with [ c; s ] -> (state small c, state chain s) | _ -> reject "an entered state is no pair" in
  let entered = List.map pair (items (get "entered" value)) in
  demand (ascending (List.map fst entered)) "entered states are out of order or repeated";
  demand (List.length (List.sort_uniq compare (List.map snd entered)) = List.length entered) "a state is entered twice";
  let visible (c, s) = small.labels.(c) = chain.labels.(s) && not (List.mem chain.labels.(s) silent) in
  demand (List.for_all visible entered) "an entered state has another label than its state, or a silent one";
  let same c s = small.names.(c) = chain.names.(s) in
  let begin_at c = if Some small.labels.(c) = start && Array.mem small.names.(c) chain.names then [ (position chain.names small.names.(c), c) ] else [] in
  let begins =
    if start = None then List.filter_map (fun (c, s) -> if same c s then Some (s, c) else None) entered
    else List.concat_map begin_at (List.init (size small) Fun.id)
  in
  { chain; small; changes; silent; start; silence = number "silence"; entered; begins }

(* The state that stands for runs from this one. *)
let begin_of seen s = match List.assoc_opt s seen.begins with Some c -> c | None -> reject "no state of the collapsed chain stands for a state"

(* As proofs/Seen.v has it. *)
let observer seen =
  let silent = List.map number seen.silent in
  if seen.changes then Checks.Changes silent else Checks.Labels silent

(* Pairs of states of the small chain, by the states for whose runs they stand. *)
let outer seen =
  let behind = List.map (fun (s, c) -> (c, s)) seen.begins in
  List.map (fun (i, j) -> (number (List.assoc i behind), number (List.assoc j behind)))
