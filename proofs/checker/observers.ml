(* What bounds the loss of an observer from whom outputs hide the run (Section 4.5): groups of runs, and last steps, as
   evidence for proofs/programs/Groups.v and Last.v. The proved check decides the bound; what the specification demands
   beyond it is demanded here. *)
open Json
open Program

(* The proved check tries all orders of so many samples. *)
let longest = 6

type group = { runs : transition list list; order : (int * int) list; sequence : int list }
type nodes = (Losses.listed * (transition list * (string * string) list) list) array (* with the sets of each *)
type bound = Groups of group list | Last of (string * nodes) list

let gapless program = Array.for_all (fun t -> gaps_of t.numbers = []) program.transitions
let plain program = Array.for_all (fun t -> List.for_all (fun (r, _) -> List.mem r [ "<"; ">=" ]) t.tests) program.transitions
let pair read value = match items value with [ a; b ] -> (read a, read b) | _ -> reject "a pair is no pair"

(* The order of the samples of a run: of each those that are at most as large, as bits; and which one a variable has. *)
type samples = { below : int array; home : (string * int) list }

let first_place holds l =
  let rec from i = function [] -> None | x :: _ when holds x -> Some i | _ :: l -> from (i + 1) l in
  from 0 l

let bit i n = (n lsr i) land 1 = 1

(* The samples below and above a new one that passes the tests; None if there is none. *)
let between { below; home } tests =
  let homes r = List.filter_map (fun (v, own) -> if own = r then Some (List.assoc v home) else None) tests in
  let least = List.fold_left (fun a j -> a lor (1 lsl j) lor below.(j)) 0 (homes ">=") in
  let highest = List.fold_left (fun a i -> a lor (1 lsl i)) 0 (homes "<") in
  let most = ref highest in
  Array.iteri (fun i under -> if under land highest <> 0 then most := !most lor (1 lsl i)) below;
  if least land !most <> 0 then None else Some (least, !most)

let after samples t =
  let follow (least, most) =
    let n = Array.length samples.below in
    let below = Array.mapi (fun i b -> if bit i most then b lor least lor (1 lsl n) else b) samples.below in
    { below = Array.append below [| least |]; home = List.map (fun v -> (v, n)) t.stored @ samples.home }
  in
  Option.map follow (between samples t.bounds)

let name run = List.map (fun t -> t.number) run
let split_last run = match List.rev run with last :: before -> (List.rev before, last) | [] -> reject "a run has no steps"

let read_run program value =
  let step (here, found) number =
    let number = index number in
    demand (number < Array.length program.transitions) "unknown transition";
    let t = program.transitions.(number) in
    demand (t.source = here) "the transitions are not a run of the program";
    (t.target, t :: found)
  in
  let _, found = List.fold_left step (program.initial, []) (items value) in
  demand (found <> []) "a run has no steps";
  List.rev found

(* The samples of each run; no run that is possible is missing, or there twice. *)
let all_samples program runs =
  let known = Hashtbl.create 64 in
  Hashtbl.replace known [] { below = [||]; home = [] };
  let add run =
    demand (not (Hashtbl.mem known (name run))) "a run is listed twice";
    let before, t = split_last run in
    let samples = match Hashtbl.find_opt known (name before) with Some s -> s | None -> reject "a run is listed, but one of its beginnings is not" in
    match after samples t with Some s -> Hashtbl.replace known (name run) s | None -> reject "the run has probability 0"
  in
  List.iter add (List.stable_sort List.compare_lengths runs);
  let complete run =
    let state = if run = [] then program.initial else (snd (split_last run)).target and samples = Hashtbl.find known (name run) in
    let listed t = Hashtbl.mem known (name run @ [ t.number ]) || between samples t.bounds = None in
    demand (List.for_all listed (leaving program state)) "a possible run is in no group"
  in
  List.iter complete ([] :: runs);
  fun run -> Hashtbl.find known (name run)

(* Of each test its step and the one whose sample it compares with. *)
let tested of_test run =
  let step (i, home, found) t =
    let own = List.map (fun (r, v) -> of_test r i (List.assoc v home)) t.tests in
    (i + 1, List.map (fun v -> (v, i)) t.stored @ home, own @ found)
  in
  let _, _, found = List.fold_left step (0, [], []) run in
  List.sort_uniq compare found

let pairs = tested (fun r i home -> if asked r = ">=" then (home, i) else (i, home))
let ties = tested (fun r i home -> if List.mem r [ "<"; ">=" ] then (home, i) else (i, home))

(* For each step those below it, directly or by way of others; itself on a cycle. *)
let closed order steps =
  let below = Array.make steps 0 in
  for _ = 1 to steps do List.iter (fun (a, b) -> below.(b) <- below.(b) lor (1 lsl a) lor below.(a)) order done;
  below

(* A place of each step in a row that decides ties as the tests of the runs do. *)
let row runs =
  let below = closed (List.concat_map ties runs) (List.length (List.hd runs)) in
  demand (not (List.exists (fun k -> bit k below.(k)) (List.init (Array.length below) Fun.id))) "no row decides all ties";
  let rec place placed = function
    | [] -> []
    | left ->
        let first = List.find (fun i -> below.(i) land lnot placed = 0) left in
        first :: place (placed lor (1 lsl first)) (List.filter (( <> ) first) left)
  in
  let found = place 0 (List.init (Array.length below) Fun.id) in
  fun i -> Option.get (first_place (( = ) i) found)

let linear_extensions below =
  let rec count placed =
    let next = List.filter (fun i -> (not (bit i placed)) && below.(i) land lnot placed = 0) (List.init (Array.length below) Fun.id) in
    if placed = (1 lsl Array.length below) - 1 then 1 else List.fold_left (fun n i -> n + count (placed lor (1 lsl i))) 0 next
  in
  count 0

(* Runs that make their steps with the same noise, exclude each other, and output no sample. *)
let aligned runs samples =
  let first = List.hd runs in
  let second t = (t.prime, t.mean_prime) in
  let noise t = (t.takes_input, t.left, t.right, t.mean, t.letter, List.length t.numbers, t.pinned, if t.primed then Some (second t) else None) in
  let same run =
    demand (List.compare_lengths run first = 0) "the runs have different lengths";
    demand (List.for_all2 (fun t t' -> noise t = noise t' && not t.pinned) run first) "the steps of two runs differ, or output insample";
    if not (List.for_all2 (fun t t' -> second t = second t') run first) then raise (Not_covered "groups of runs with other second samples")
  in
  List.iter same runs;
  let rec part before = function
    | t :: l, t' :: l' ->
        if t == t' then part (t :: before) (l, l')
        else demand (between (samples (List.rev before)) (t.bounds @ t'.bounds) = None) "two runs overlap"
    | _ -> ()
  in
  List.iteri (fun i run -> List.iteri (fun k other -> if k < i then part [] (run, other)) runs) runs

(* The runs are those whose samples keep the order. *)
let one_order samples { runs; order; _ } =
  match runs with
  | [ run ] -> demand (order = pairs run) "the order is not that of the run's tests"
  | _ ->
      aligned runs samples;
      let below run = (samples run).below in
      demand (List.for_all (fun run -> List.for_all (fun (a, b) -> bit a (below run).(b)) order) runs) "a run does not obey the order";
      let parts = List.fold_left (fun n run -> n + linear_extensions (below run)) 0 runs in
      demand (parts = linear_extensions (closed order (List.length (List.hd runs)))) "the runs do not have all linear extensions of the order"

(* A program that makes the steps of a group in its sequence. *)
let of_group program { runs; order; sequence } =
  let run = Array.of_list (List.hd runs) and place i = Option.get (first_place (( = ) i) sequence) in
  let variable k = Printf.sprintf "x%d" k in
  let tests k =
    let test (a, b) =
      let a = place a and b = place b in
      if max a b <> k then None else if a < b then Some (">=", variable a) else Some ("<", variable b)
    in
    List.filter_map test order
  in
  let step k i =
    let tests = tests k in
    let bounds = List.map (fun (r, v) -> (v, r)) tests in
    { (run.(i)) with number = k; place = 0; source = string_of_int k; target = string_of_int (k + 1); tests; bounds; stored = [ variable k ] }
  in
  let steps = List.mapi step sequence in
  let own = Hashtbl.create 8 and reached = Hashtbl.create 8 in
  List.iter (fun t -> Hashtbl.replace own t.source [ t ]; Hashtbl.replace reached t.source ()) steps;
  { program with initial = "0"; own; reached; transitions = Array.of_list steps; variables = List.sort compare (List.mapi (fun k _ -> variable k) steps) }

let read_group program entry =
  if field "cones" entry <> None then raise (Not_covered "ladders, for outputs of programs that hide the run");
  record [ "nodes"; "order"; "runs"; "sequence" ] entry;
  let runs = List.map (read_run program) (items (get "runs" entry)) in
  demand (runs <> []) "there are no runs";
  let steps = List.length (List.hd runs) in
  if List.exists (fun run -> List.length run > longest) runs then raise (Not_covered (Printf.sprintf "groups of runs of more than %d steps" longest));
  let order = List.map (pair index) (items (get "order" entry)) and sequence = List.map index (items (get "sequence" entry)) in
  demand (ascending order) "pairs of an order are out of order or repeated";
  demand (List.for_all (fun (a, b) -> a <> b && a < steps && b < steps) order) "an order of unknown steps";
  demand (List.sort compare sequence = List.init steps Fun.id) "not a sequence of all steps";
  { runs; order; sequence }

let read_groups program adjacency upper value =
  Orders.defined program;
  let entries = items value in
  let groups = List.map (read_group program) entries in
  let samples = all_samples program (List.concat_map (fun g -> g.runs) groups) in
  let equal t = List.exists (fun (r, _) -> r = "=") t.tests in
  demand (not (Array.exists equal program.transitions)) "a test is =";
  let check group entry =
    List.iter (fun run -> demand (List.compare_lengths run (List.hd group.runs) = 0) "the runs have different lengths") group.runs;
    ignore (row group.runs);
    one_order samples group;
    let single = of_group program group in
    List.iter (fun (way, nodes) -> ignore (Losses.read_listed single way upper nodes)) (Losses.by_way adjacency (get "nodes" entry))
  in
  List.iter2 check groups entries;
  groups

(* The differences of inputs that are as large as they may be. *)
let extremes adjacency steps =
  let rec all signs = function
    | [] -> [ [] ]
    | t :: l -> List.concat_map (fun d -> List.map (List.cons d) (all signs l)) (if t.takes_input then signs else [ 0 ])
  in
  let rec one = function
    | [] -> []
    | t :: l ->
        let rest = List.map (List.cons 0) (one l) in
        if t.takes_input then List.map (fun d -> d :: List.map (fun _ -> 0) l) [ -1; 1 ] @ rest else rest
  in
  match adjacency with
  | "one-differ" -> List.map (fun _ -> 0) steps :: one steps
  | "all-differ" -> all [ -1; 1 ] steps
  | "increasing" -> all [ 0; 1 ] steps
  | "decreasing" -> all [ -1; 0 ] steps
  | _ -> all [ 0; 1 ] steps @ all [ -1; 0 ] steps

(* Shifts of the samples that keep the order at the least cost. Steps are taken in the sequence; only shifts are
   remembered that later ones are compared with. *)
let cheapest { runs; order; sequence } differences =
  let run = Array.of_list (List.hd runs) and differences = Array.of_list differences in
  let rec from best = function
    | [] -> best
    | step :: later ->
        let needed i = List.exists (fun (a, b) -> (a = i && List.mem b later) || (b = i && List.mem a later)) order in
        let t = run.(step) and following = Hashtbl.create 64 in
        let add cost chosen shift =
          let chosen = (step, shift) :: chosen in
          let kept (a, b) = match (find a chosen, find b chosen) with Some x, Some y -> x <= y | _ -> true in
          match cost_of t differences.(step) shift with
          | Some more when List.for_all kept order ->
              let key = List.filter (fun (i, _) -> needed i) chosen and total = Q.add cost more in
              (match Hashtbl.find_opt following key with
              | Some (less, _) when Q.leq less total -> ()
              | _ -> Hashtbl.replace following key (total, chosen))
          | _ -> ()
        in
        List.iter (fun (cost, chosen) -> List.iter (add cost chosen) (if t.pinned then [ 0 ] else [ -1; 0; 1 ])) best;
        from (Hashtbl.fold (fun _ own l -> own :: l) following []) later
  and cost_of t delta shift = Option.map (Q.add (prime_cost t delta)) (cost t delta (Q.of_int shift)) in
  match List.sort (fun (a, _) (b, _) -> Q.compare a b) (from [ (Q.zero, []) ] sequence) with
  | (_, chosen) :: _ -> List.mapi (fun i _ -> List.assoc i chosen) (List.hd runs)
  | [] -> reject "no shifts keep the order of a group"

let coq_group program adjacency scale group =
  let at = row group.runs and steps = List.hd group.runs in
  let demanded (a, b) =
    let tied = at a < at b in
    if a < b then ((Choices.nat b, if tied then Checks.AtLeast else Checks.Above), Choices.nat a)
    else ((Choices.nat a, if tied then Checks.AtMost else Checks.Below), Choices.nat b)
  in
  let moves = List.sort_uniq compare (List.map (cheapest group) (extremes adjacency steps)) in
  let scaled = List.map (fun s -> Program.steps program scale (Q.of_int s)) in
  { Checks.demands = List.map demanded group.order; moves1 = List.map scaled moves }

(* The runs of so many steps, in the order of proofs/programs/Program.v. *)
let rec runs_of program state n =
  if n = 0 then [ [] ]
  else List.concat_map (fun t -> List.map (List.cons t.number) (runs_of program t.target (n - 1))) (leaving program state)

let coq_groups program adjacency scale groups =
  let groups = { runs = [ [] ]; order = []; sequence = [] } :: groups in
  let length group = List.length (List.hd group.runs) in
  let level n =
    let own = List.filter (fun group -> length group = n) groups in
    let place = Hashtbl.create 64 in
    List.iteri (fun i group -> List.iter (fun run -> Hashtbl.replace place (name run) i) group.runs) own;
    let label run = Z.of_int (Option.value (Hashtbl.find_opt place run) ~default:(List.length own)) in
    { Checks.labels = List.map label (runs_of program program.initial n); groups1 = List.map (coq_group program adjacency scale) own }
  in
  let most = List.fold_left (fun n group -> max n (length group)) 0 groups in
  Checks.Grouped (List.init (most + 1) level)

(* Last steps. *)

let rec permutations = function
  | [] -> [ [] ]
  | l -> List.concat_map (fun v -> List.map (List.cons v) (permutations (List.filter (( <> ) v) l))) l

(* If the tests hold, exactly one of the transitions may be taken, and else none. *)
let same_tests (node : Orders.node) own tests =
  let names = List.sort_uniq compare (List.concat_map (fun t -> List.map fst t.bounds) own) in
  demand (List.for_all (fun (_, v) -> List.mem v names) tests) "a test of another variable";
  let known = List.filter (fun (a, b) -> (not (List.mem (b, a) node.order)) && List.mem a names && List.mem b names) node.order in
  let check row =
    let place v = Option.get (first_place (( = ) v) row) in
    let holds below = List.for_all (fun (r, v) -> place v < below = (r = ">=")) in
    let right below =
      let taken = List.length (List.filter (fun t -> holds below (List.map (fun (v, r) -> (r, v)) t.bounds)) own) in
      taken = if holds below tests then 1 else 0
    in
    if List.for_all (fun (a, b) -> place a < place b) known then
      demand (List.for_all right (List.init (List.length names + 1) Fun.id)) "the tests are not those of one transition"
  in
  List.iter check (permutations names)

(* For each node its sets: transitions, and the tests of them together. *)
let read_sets program (nodes : Orders.node array) value =
  let read entry =
    record [ "node"; "tests"; "transitions" ] entry;
    (index (get "node" entry), List.map index (items (get "transitions" entry)), get "tests" entry)
  in
  let sets = List.map read (items value) in
  demand (ascending (List.map (fun (place, members, _) -> (place, members)) sets)) "sets are out of order or repeated";
  let found = Array.make (Array.length nodes) [] in
  let add (place, members, tests) =
    demand (place < Array.length nodes) "unknown node";
    let node = nodes.(place) in
    let ways = leaving program node.state in
    demand (ascending members) "transitions are out of order or repeated";
    let own = List.filter (fun t -> List.mem t.number members) ways in
    demand (own <> [] && List.compare_lengths own members = 0) "not transitions of the node's state";
    let first = List.hd own in
    demand (List.for_all (fun t -> t.numbers = [] && t.letter = first.letter) own) "a number is output, or the outputs differ";
    let earlier = List.concat_map fst found.(place) in
    demand (not (List.exists (fun t -> List.memq t earlier) own)) "a transition is in two sets";
    let tests = List.map (pair text) (items tests) in
    demand (ascending tests && List.for_all (fun (r, _) -> List.mem r [ "<"; ">=" ]) tests) "tests are out of order, or unknown";
    same_tests node own tests;
    found.(place) <- found.(place) @ [ (own, tests) ]
  in
  let few (node : Orders.node) =
    if List.length (List.sort_uniq compare (List.concat_map (fun t -> List.map fst t.bounds) (leaving program node.state))) >= longest then
      raise (Not_covered (Printf.sprintf "last steps that test %d variables or more" longest))
  in
  Array.iter few nodes;
  List.iter add sets;
  found

let read_last program adjacency upper value =
  record [ "nodes"; "sets" ] value;
  let found = ref [||] in
  let last nodes =
    found := read_sets program nodes (get "sets" value);
    let step (own, tests) = { (List.hd own) with tests; bounds = List.map (fun (r, v) -> (v, r)) tests; stored = [] } in
    fun i -> (List.concat_map fst !found.(i), List.map step !found.(i))
  in
  let listed = Losses.read_listed ~last program adjacency upper (get "nodes" value) in
  Array.map2 (fun node sets -> (node, sets)) listed !found

let coq_last program scale upper tables =
  let node i ((listed : Losses.listed), sets) =
    let ending t = Z.of_int (Option.value (first_place (fun (own, _) -> List.memq t own) sets) ~default:(List.length sets)) in
    let test (r, v) = ((if r = "<" then Checks.Below else Checks.AtLeast), variable_number program v) in
    {
      Checks.at_node = Losses.coq_node program scale upper i listed;
      ending_of = List.map ending (leaving program listed.node.state);
      endings = List.map (fun (_, tests) -> List.map test tests) sets;
    }
  in
  let all = List.map (fun (way, nodes) -> (Losses.mode_of way, List.mapi node (Array.to_list nodes))) tables in
  Checks.Ended (List.map (steps program scale) (shifts program), fun mode -> Option.value (find mode all) ~default:[])

(* The evidence, as the specification has it. *)
let read program adjacency upper evidence =
  match (field "groups" evidence, field "last" evidence) with
  | Some groups, None ->
      demand (gapless program) "a gap is output";
      Groups (read_groups program adjacency upper groups)
  | None, Some last ->
      demand (plain program) "ties, or inputs that are not rounded";
      if not (gapless program) then raise (Not_covered "gaps that are shown by programs whose outputs hide the run");
      Last (List.map (fun (way, value) -> (way, read_last program way upper value)) (Losses.by_way adjacency last))
  | _ -> reject "both groups and last steps"

let numbers = function
  | Groups _ -> []
  | Last tables -> List.concat_map (fun (_, nodes) -> Losses.numbers_of_nodes (Array.map fst nodes)) tables

let coq program adjacency scale upper = function
  | Groups groups -> coq_groups program adjacency scale groups
  | Last tables -> coq_last program scale upper tables

(* For each state the variables that are assigned on every path to it; all of them where runs do not come. *)
let stored program =
  if Array.exists (fun t -> t.left = None && t.right = None) program.transitions then
    raise (Not_covered "samples without noise in programs with Laplace noise whose outputs hide the run");
  let assigned = Orders.assigned program and all = Array.to_list program.all_variables in
  let own state = List.map (variable_number program) (Option.value (Hashtbl.find_opt assigned state) ~default:all) in
  Checks.Defined (List.map own (Array.to_list (Array.sub program.names 0 program.inner)))
