(* A run with multipliers (Sections 4.2 and 4.4) as evidence for proofs/programs/Runs.v. The proved check decides that it
   loses so much; what the specification demands beyond it, for every N, is demanded here. *)
open Json
open Program

(* Multipliers are those of bounds, a constant and a factor of N; y is the load, and N is 1 in the proof. *)
type step = { t : transition; delta : int; signed : (string * (Q.t * Q.t)) list; homes : (string * int) list; mutable y : Q.t * Q.t }

let add (a, b) (c, d) = (Q.add a c, Q.add b d)
let neg (a, b) = (Q.neg a, Q.neg b)
let nothing = (Q.zero, Q.zero)

let read_step program value =
  let number = index (get "transition" value) in
  demand (number < Array.length program.transitions) "unknown transition";
  let t = program.transitions.(number) in
  let constants, slopes =
    if List.length t.bounds <= 1 then (
      record [ "delta"; "multiplier"; "transition" ] ~optional:[ "slope" ] value;
      ([ rational (get "multiplier" value) ], [ (match field "slope" value with Some s -> rational s | None -> Q.zero) ]))
    else (
      record [ "delta"; "multipliers"; "transition" ] ~optional:[ "slopes" ] value;
      let constants = List.map rational (items (get "multipliers" value)) in
      (constants, match field "slopes" value with Some l -> List.map rational (items l) | None -> List.map (fun _ -> Q.zero) t.bounds))
  in
  let many = max 1 (List.length t.bounds) in
  demand (List.length constants = many && List.length slopes = many) "not one multiplier for each bound";
  let lambdas = List.combine constants slopes in
  let delta = match get "delta" value with Int d -> d | _ -> reject "a difference is no integer" in
  if t.bounds = [] then demand (lambdas = [ nothing ]) "a multiplier without a bound";
  let bounds = if t.bounds = [] then [] else List.combine t.bounds lambdas in
  let fits ((_, r), (c, s)) = r = "=" || (Q.sign s >= 0 && Q.sign (Q.add c s) >= 0) in
  demand (List.for_all fits bounds) "a multiplier is negative";
  (t, delta, List.map (fun ((v, r), own) -> (v, if r = ">=" then neg own else own)) bounds)

let read_steps program adjacency value =
  let several = List.length program.variables > 1 in
  if several then Orders.defined program;
  let live = if several then Orders.live program else fun _ -> [] in
  let block entry =
    record [ "kind"; "steps" ] entry;
    constant (get "kind" entry) (Text "once");
    let steps = items (get "steps" entry) in
    demand (steps <> []) "a block has no steps";
    List.map (read_step program) steps
  in
  let possible = 0 :: corners adjacency in
  let stored = Hashtbl.create 16 in
  let next (here, order, number, found) (t, delta, signed) =
    demand (t.source = here) "a step does not follow the one before";
    demand (if t.takes_input then List.mem delta possible else delta = 0) "the adjacency excludes a delta";
    let home (v, own) =
      if own = nothing then None
      else match Hashtbl.find_opt stored v with Some i -> Some (v, i) | None -> reject "a multiplier is about a shift that is not known"
    in
    let homes = List.filter_map home signed in
    let order =
      match if several then Orders.known_after order t else Some [] with
      | Some known -> if several then Orders.among known t (live t.target) else []
      | None -> reject "a step is blocked"
    in
    List.iter (fun v -> Hashtbl.replace stored v number) t.stored;
    (t.target, order, number + 1, { t; delta; signed; homes; y = nothing } :: found)
  in
  let _, _, _, found = List.fold_left next (program.initial, [], 0, []) (List.concat_map block (items value)) in
  let steps = Array.of_list (List.rev found) in
  let differing = List.filter (fun d -> d <> 0) (List.map (fun s -> s.delta) found) in
  demand (adjacency <> "one-differ" || List.length differing <= 1) "more than one delta is not 0";
  demand (adjacency <> "monotonic" || List.length (List.sort_uniq compare differing) <= 1) "two deltas have opposite signs";
  let load step =
    List.iter (fun (_, own) -> step.y <- add step.y own) step.signed;
    let at_home (v, i) = steps.(i).y <- add steps.(i).y (neg (List.assoc v step.signed)) in
    List.iter at_home step.homes
  in
  Array.iter load steps;
  steps

(* Whether some inputs make every run possible whose tests do not contradict each other (Section 4.2). *)
let placed program =
  let reached = List.filter (is_reached program) (Array.to_list program.transitions) in
  let is_fixed t = (not t.takes_input) && (t.left = None || t.right = None) && (t.tests <> [] || t.stored <> []) in
  let fixed = List.filter is_fixed reached in
  let after = Hashtbl.create 16 in
  let rec from state =
    if not (Hashtbl.mem after state) then (
      Hashtbl.replace after state ();
      List.iter (fun t -> from t.target) (leaving program state))
  in
  List.iter (fun t -> from t.target) fixed;
  (* The first transitions of every run, in one order. *)
  let rec starts here left last =
    left = []
    ||
    match leaving program here with
    | [ t ] when List.memq t left ->
        let tests = match last with Some before -> List.map (fun v -> (">=", v)) before.stored | None -> [] in
        let larger = match last with Some before -> Q.gt t.mean before.mean | None -> true in
        List.sort compare t.tests = List.sort compare tests
        && t.stored <> [] && t.left = None && t.right = None && larger
        && starts t.target (List.filter (fun other -> other != t) left) (Some t)
    | _ -> false
  in
  let entered t = t.target = program.initial || (List.exists (fun own -> own.source = t.target) fixed && not (List.memq t fixed)) in
  (List.length program.variables < 2 && List.for_all (fun t -> t.tests = []) fixed)
  || List.for_all (fun t -> t.left <> None) fixed
  || List.for_all (fun t -> t.right <> None) fixed
  || List.for_all (fun t -> not (Hashtbl.mem after t.source)) fixed
  || (program.grid = None && starts program.initial fixed None && not (Array.exists entered program.transitions))

let check_load step =
  let constant, grown = step.y in
  let side sign = function
    | None -> true
    | Some rate -> Q.sign (Q.mul sign grown) <= 0 && Q.leq (Q.mul sign constant) rate
  in
  demand (side Q.one step.t.left && side Q.minus_one step.t.right) "the load y of a step exceeds a rate"

(* What a step loses, a constant and a factor of N. *)
let total step =
  let own =
    if step.t.pinned then match cost step.t step.delta Q.zero with Some c -> (c, Q.zero) | None -> (Q.zero, Q.one)
    else (
      check_load step;
      let difference = Q.mul (Q.of_int step.delta) step.t.reach in
      (Q.mul (fst step.y) difference, Q.mul (snd step.y) difference))
  in
  add own (prime_cost step.t step.delta, Q.zero)

let read program adjacency lower value =
  let steps = read_steps program adjacency value in
  demand (placed program) "public samples have no noise on a side, so whether a run is possible may depend on the means";
  let constant, grown = Array.fold_left (fun a step -> add a (total step)) nothing steps in
  demand (Q.leq lower constant && Q.leq lower (Q.add constant grown)) "the run loses less than lower";
  steps

let at_one (constant, grown) = Q.add constant grown

(* Multipliers of tests and of what is output, for one step of the grid. A gap has that of its variable. *)
let multipliers program step { t; delta; signed; y; _ } =
  let own v = per_step program step (at_one (List.assoc v signed)) and gaps = gaps_of t.numbers in
  let tests = List.map (fun (_, v) -> if List.mem v gaps then Q.zero else own v) t.tests in
  let sign = Q.of_int (compare delta 0) in
  let most = match if delta > 0 then t.left else t.right with Some rate -> rate | None -> Q.div Q.one t.reach in
  let show = function
    | Text "insample" -> per_step program step (Q.sub (Q.mul sign most) (at_one y))
    | Text _ -> Q.mul sign (per_step program step (Option.get t.prime))
    | output -> own (gap output)
  in
  (tests, List.map show t.numbers)

let numbers program step steps =
  List.concat_map (fun own -> let tests, shows = multipliers program step own in tests @ shows) (Array.to_list steps)

let floor q = Z.fdiv (Q.num q) (Q.den q)

(* Samples with which the run can be taken, rounded down to multiples of the grid: different ones where a test compares
   two, unless it asks that they are equal. *)
let floors step steps =
  let origin = Array.length steps and stored = Hashtbl.create 16 in
  let apart own =
    let i, s = own in
    let of_test (r, v) =
      let home = Hashtbl.find stored v and one = if r = "=" then Z.zero else Z.one in
      (if asked r <> ">=" then [ (i, home, one) ] else []) @ if asked r <> "<" then [ (home, i, one) ] else []
    in
    let found = List.concat_map of_test s.t.tests in
    let mean = floor (Q.div s.t.mean step) in
    let public = if s.t.takes_input then [] else (if s.t.left = None then [ (origin, i, mean) ] else []) @ if s.t.right = None then [ (i, origin, Z.neg mean) ] else [] in
    List.iter (fun v -> Hashtbl.replace stored v i) s.t.stored;
    found @ public
  in
  let all = List.concat_map apart (List.mapi (fun i s -> (i, s)) (Array.to_list steps)) in
  let found = Array.make (origin + 1) Z.zero in
  Array.iter (fun _ -> List.iter (fun (low, high, distance) -> found.(high) <- Z.max found.(high) (Z.add found.(low) distance)) all) found;
  Array.mapi (fun i _ -> Z.sub found.(i) found.(origin)) steps

let coq program scale steps =
  let at = floors scale.step steps in
  let row i s =
    let draw = Z.sub at.(i) (floor (Q.div s.t.mean scale.step)) in
    let difference = Z.mul (Z.of_int s.delta) (Program.steps program scale s.t.reach) in
    let tests, shows = multipliers program scale.step s in
    let all = List.map (scaled scale) in
    ( (if s.t.takes_input then [ (state_number program s.t.source, (difference, draw)) ] else []),
      { Checks.way = Choices.nat s.t.place; draw = (if s.t.takes_input then Z.zero else draw); of_tests = all tests; of_shows = all shows } )
  in
  let rows = Array.to_list (Array.mapi row steps) in
  Checks.Taken (List.concat_map fst rows, List.map snd rows)
