(* Programs of several variables: what is known of the order of the stored values (Section 4.4). *)
open Json
open Program

let is_member pair order = List.mem pair order

(* The sample is *, which stands here as None. *)
let known_between order least most =
  let lower = least @ List.filter_map (fun (a, b) -> if List.mem b least then Some a else None) order in
  let upper = most @ List.filter_map (fun (a, b) -> if List.mem a most then Some b else None) order in
  let through = List.concat_map (fun a -> List.map (fun b -> (Some a, Some b)) upper) lower in
  let own = List.map (fun (a, b) -> (Some a, Some b)) order in
  List.sort_uniq compare (own @ through @ List.map (fun a -> (Some a, None)) lower @ List.map (fun b -> (None, Some b)) upper)

(* All pairs that hold just after the tests; None if they contradict the order. *)
let known_after order t =
  let with_tests r = List.filter_map (fun (own, v) -> if asked own = r then Some v else None) t.tests in
  let least = with_tests ">=" and most = with_tests "<" in
  let blocked = List.exists (fun v -> List.mem v most) least || List.exists (fun (a, b) -> List.mem a most && List.mem b least) order in
  if blocked then None else Some (known_between order least most)

let follows known t (a, b) =
  let before v = if List.mem v t.stored then None else Some v in
  before a = before b || List.mem (before a, before b) known

(* All pairs of live variables that follow. *)
let among known t live =
  let pair a = List.filter_map (fun b -> if a <> b && follows known t (a, b) then Some (a, b) else None) live in
  List.concat_map pair live

(* For each state that runs come to, the variables that are assigned on every path to it. *)
let assigned program =
  let before = Hashtbl.create 64 in
  let rec from state =
    let own = Hashtbl.find before state in
    let step t =
      let after = List.sort_uniq compare (own @ t.stored) in
      match Hashtbl.find_opt before t.target with
      | Some known when List.for_all (fun v -> List.mem v after) known -> ()
      | found ->
          let kept = match found with Some known -> List.filter (fun v -> List.mem v after) known | None -> after in
          Hashtbl.replace before t.target kept;
          from t.target
    in
    List.iter step (leaving program state)
  in
  Hashtbl.replace before program.initial [];
  from program.initial;
  before

(* Bounds name no others. *)
let defined program =
  let only state known =
    let named t = List.for_all (fun (v, _) -> List.mem v known) t.bounds in
    demand (List.for_all named (leaving program state)) "a test uses a variable that is not assigned on every path to it"
  in
  Hashtbl.iter only (assigned program)

(* For each state, the variables that some way from it tests before it assigns them. *)
let live program =
  let found = Hashtbl.create 64 in
  let own state = Option.value (Hashtbl.find_opt found state) ~default:[] in
  let rec until_closed () =
    let changed = ref false in
    let state name () =
      let of_way t = List.map fst t.bounds @ List.filter (fun v -> not (List.mem v t.stored)) (own t.target) in
      let now = List.sort_uniq compare (List.concat_map of_way (leaving program name)) in
      if now <> own name then (changed := true; Hashtbl.replace found name now)
    in
    Hashtbl.iter state program.reached;
    if !changed then until_closed ()
  in
  until_closed ();
  own

type node = { state : string; order : (string * string) list; targets : int option list }

let read_order variables value =
  let pair entry = match items entry with [ a; b ] -> (text a, text b) | _ -> reject "a pair of an order is no pair" in
  let order = List.map pair (items value) in
  demand (ascending order) "pairs of an order are out of order or repeated";
  demand (List.for_all (fun (a, b) -> a <> b && List.mem a variables && List.mem b variables) order) "an order names what is no variable, or one twice";
  let closed (a, b) (b', c) = b <> b' || a = c || List.mem (a, c) order in
  demand (List.for_all (fun pair -> List.for_all (closed pair) order) order) "an order is not transitive";
  order

(* The nodes of a program; the variables may be those of one part. *)
let read_nodes program entries =
  let read entry =
    let target = function Null -> None | Int k -> Some k | _ -> reject "a target is not a node number" in
    {
      state = text (get "state" entry);
      order = read_order program.variables (get "order" entry);
      targets = List.map target (items (get "targets" entry));
    }
  in
  let nodes = Array.of_list (List.map read entries) in
  demand (nodes <> [||]) "there are no nodes";
  demand (nodes.(0).state = program.initial && nodes.(0).order = []) "node 0 does not have the initial state and the empty order";
  let check node =
    let ways = leaving program node.state in
    demand (List.length ways = List.length node.targets) "not one target for each transition";
    let step t target =
      match (known_after node.order t, target) with
      | known, None -> demand (known = None) "a transition that is not blocked has no target"
      | known, Some k ->
          demand (0 <= k && k < Array.length nodes && nodes.(k).state = t.target) "a target of another state";
          let right = match known with Some known -> List.for_all (follows known t) nodes.(k).order | None -> true in
          demand right "a pair of the target's order does not follow"
    in
    List.iter2 step ways node.targets
  in
  Array.iter check nodes;
  nodes
