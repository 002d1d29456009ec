(* Distances and bisimilarity of processes (Section 3.10) as evidence for proofs/AllActions.v. What is computed here needs
   no trust: the proved check refuses what is wrong. *)
open Json
open Chain

let most (process : Process.t) = Array.fold_left (fun m menu -> max m (List.length menu)) 1 process.menus
let chains process = List.init (most process) (Process.acting process)

(* A row from above: for each action of the menu a coupling, or two. *)
let read_row (process : Process.t) ~both value =
  let base = process.base in
  record [ "couplings"; "pair"; "value" ] value;
  let pair = alike_pair base (get "pair" value) and couplings = get "couplings" value in
  demand ((not both) || fst pair < snd pair) "a pair is not increasing";
  demand (List.map fst (members couplings) = process.menus.(base.labels.(fst pair))) "the actions are not exactly those of the menu";
  let of_action (_, given) =
    if both then (
      record [ "backward"; "forward" ] given;
      List.map (fun side -> Tables.coupling base (get side given)) [ "forward"; "backward" ])
    else [ Tables.coupling base given ]
  in
  (pair, natural (get "value" value), List.map of_action (members couplings))

(* The table from above, for each action that of the chain in which the action is always this one, or the first. *)
let read_upper (process : Process.t) ~both value =
  record [ "denominator"; "rows" ] value;
  let unit = natural (get "denominator" value) in
  demand (Z.sign unit > 0) "the denominator is 0";
  let rows = List.map (read_row process ~both) (items (get "rows" value)) in
  demand (ascending (List.map (fun (pair, _, _) -> pair) rows)) "rows are out of order or repeated";
  demand (List.for_all (fun (_, n, _) -> Z.leq n unit) rows) "a value is above 1";
  let of_action a chain =
    let row (pair, value, couplings) =
      let own = match List.nth_opt couplings a with Some own -> own | None -> List.hd couplings in
      List.map2 (Tables.upper_row chain value) (if both then [ pair; Tables.swap pair ] else [ pair ]) own
    in
    List.concat_map row rows
  in
  Checks.Tables (unit, List.mapi of_action (chains process))

(* The last classes that splitters make, each by all actions: of each state the first one of its class. *)
let split process splitters =
  let prepared = List.map (fun chain -> let coq = Chain.coq chain in (coq, Checks.prepare coq)) (chains process) in
  let first, _ = List.hd prepared in
  let split partition splitter =
    let set = Checks.set_of splitter in
    demand (Checks.united first set partition) "a splitter is no union of classes";
    List.fold_left (fun partition (coq, rows) -> Checks.split coq rows set partition) partition prepared
  in
  let parts = List.fold_left split (Checks.by_label first) splitters in
  fun s -> Checks.first parts (number s)

(* The process of the classes, and the class of each state. *)
let classes process blocks =
  let base, place = Process.quotient process blocks in
  ((Process.coq base, Array.to_list (Array.map number place)), place)
