(* The decision process of a certificate (Section 2). The actions of each label are numbered in the order of their
   names; a state where nothing is chosen has one action, without a name. *)
open Json

type t = { base : Chain.t; menus : string list array; rows : (int * Q.t) list list array (* of each state, by action *) }

let read model =
  let row names state =
    record [ "label" ] ~optional:[ "actions"; "next" ] state;
    match (field "next" state, field "actions" state) with
    | Some next, None -> [ ("", Chain.successors names next) ]
    | None, Some actions ->
        let actions = List.map (fun (action, next) -> (action, Chain.successors names next)) (members actions) in
        demand (actions <> []) "a state has no action";
        demand (List.for_all (fun (action, _) -> action <> "") actions) "an action has no name";
        actions
    | _ -> reject "not exactly one of next, actions"
  in
  let base, states = Chain.read_as "labelled-markov-decision-process" row model in
  let menus = Array.make (Array.length base.label_names) [] in
  Array.iteri
    (fun s rows ->
      let menu = List.map fst rows and label = base.labels.(s) in
      demand (menus.(label) = [] || menus.(label) = menu) "another state of a label offers other actions";
      menus.(label) <- menu)
    states;
  { base; menus; rows = Array.map (List.map snd) states }

(* The chain in which the action is always this; beyond the last action it is the first. *)
let acting process a =
  let row rows = match List.nth_opt rows a with Some row -> row | None -> List.hd rows in
  { process.base with next = Array.map row process.rows }

(* The process of the classes of a partition, and the class of each state. *)
let quotient process classes =
  let most = Array.fold_left (fun m rows -> max m (List.length rows)) 1 process.rows in
  let acting = List.init most (fun a -> Chain.quotient (acting process a) classes) in
  let base, place = List.hd acting in
  let rows c = List.mapi (fun a _ -> (fst (List.nth acting a)).Chain.next.(c)) process.menus.(base.labels.(c)) in
  ({ process with base; rows = Array.init (Chain.size base) rows }, place)

(* As proofs/Process.v has it. *)
let coq process =
  Array.to_list (Array.mapi (fun s rows -> (Chain.number process.base.labels.(s), List.map Chain.coq_row rows)) process.rows)
