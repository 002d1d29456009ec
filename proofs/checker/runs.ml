(* A run with multipliers (Sections 4.2 and 4.4) as evidence for proofs/programs/Runs.v, or a family of runs for
   Families.v. The proved check decides what it loses; what the specification demands beyond it, for every N, is
   demanded here. *)
open Json
open Program

(* Multipliers are those of bounds, a constant and a factor of N; y is the load. A home is the step that stored what a
   bound compares with; [true] if every turn of a block adds to its load. For a run that is no family N is 1 in the proof. *)
type step = {
  t : transition;
  delta : int;
  block : int;
  again : bool; (* in a block that is repeated *)
  signed : (string * (Q.t * Q.t)) list;
  homes : (string * int * bool) list;
  mutable y : Q.t * Q.t;
}

let add (a, b) (c, d) = (Q.add a c, Q.add b d)
let both f (a, b) = (f a, f b)
let neg = both Q.neg
let nothing = (Q.zero, Q.zero)

let read_step program ~again value =
  let number = index (get "transition" value) in
  demand (number < Array.length program.transitions) "unknown transition";
  let t = program.transitions.(number) in
  let slope name = if again then [] else [ name ] in
  let constants, slopes =
    if List.length t.bounds <= 1 then (
      record [ "delta"; "multiplier"; "transition" ] ~optional:(slope "slope") value;
      ([ rational (get "multiplier" value) ], [ (match field "slope" value with Some s -> rational s | None -> Q.zero) ]))
    else (
      record [ "delta"; "multipliers"; "transition" ] ~optional:(slope "slopes") value;
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

(* The steps, whose blocks may be repeated; and where a turn of a block that is repeated leads back to. *)
let read_steps program adjacency ~repeats value =
  let several = List.length program.variables > 1 in
  if several then Orders.defined program;
  let live = if several then Orders.live program else fun _ -> [] in
  let possible = 0 :: corners adjacency in
  let stored = Hashtbl.create 16 in
  let step block again renewed (here, order, number, found) (t, delta, signed) =
    demand (t.source = here) "a step does not follow the one before";
    demand (if t.takes_input then List.mem delta possible else delta = 0) "the adjacency excludes a delta";
    (* A variable that a turn assigns later may hold what the last turn stored. *)
    let home (v, own) =
      if own = nothing then None
      else
        match Hashtbl.find_opt stored v with
        | Some (i, b, many) when b = block || not (many || List.mem v renewed) -> Some (v, i, again && b <> block)
        | _ -> reject "a multiplier is about a shift that is not known, or of another block or turn"
    in
    let homes = List.filter_map home signed in
    let order =
      match if several then Orders.known_after order t else Some [] with
      | Some known -> if several then Orders.among known t (live t.target) else []
      | None -> reject "a step is blocked"
    in
    List.iter (fun v -> Hashtbl.replace stored v (number, block, again)) t.stored;
    (t.target, order, number + 1, { t; delta; block; again; signed; homes; y = nothing } :: found)
  in
  let read_block (block, ((here, order, _, _) as before)) entry =
    record [ "kind"; "steps" ] entry;
    let again = text (get "kind" entry) = "repeat" in
    if not (again && repeats) then constant (get "kind" entry) (Text "once");
    let steps = items (get "steps" entry) in
    demand (steps <> []) "a block has no steps";
    let own = List.map (read_step program ~again) steps in
    let renewed = if again then List.concat_map (fun (t, _, _) -> t.stored) own else [] in
    let (target, later, _, _) as after = List.fold_left (step block again renewed) before own in
    demand ((not again) || (target = here && later = order)) "a block does not end where it starts, or changes the order";
    (block + 1, after)
  in
  let _, (_, _, _, found) = List.fold_left read_block (0, (program.initial, [], 0, [])) (items value) in
  let steps = Array.of_list (List.rev found) in
  let differing = List.filter (fun s -> s.delta <> 0) found in
  demand (adjacency <> "one-differ" || (List.length differing <= 1 && not (List.exists (fun s -> s.again) differing))) "more than one delta is not 0";
  demand (adjacency <> "monotonic" || List.length (List.sort_uniq compare (List.map (fun s -> s.delta) differing)) <= 1) "two deltas have opposite signs";
  let load step =
    List.iter (fun (_, own) -> step.y <- add step.y own) step.signed;
    let at_home (v, i, adds_up) =
      let ((constant, _) as own) = neg (List.assoc v step.signed) in
      steps.(i).y <- add steps.(i).y (if adds_up then (Q.zero, constant) else own)
    in
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
  demand (not (step.again && Q.sign grown <> 0)) "the load y changes with every turn";
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
  let constant, grown = add own (prime_cost step.t step.delta, Q.zero) in
  if step.again then (Q.zero, Q.add constant grown) else (constant, grown)

let read_total program adjacency ~repeats value =
  let steps = read_steps program adjacency ~repeats value in
  demand (placed program) "public samples have no noise on a side, so whether a run is possible may depend on the means";
  (steps, Array.fold_left (fun a step -> add a (total step)) nothing steps)

let read program adjacency lower value =
  let steps, (constant, grown) = read_total program adjacency ~repeats:false value in
  demand (Q.leq lower constant && Q.leq lower (Q.add constant grown)) "the run loses less than lower";
  steps

let read_family program adjacency value =
  let steps, (_, grown) = read_total program adjacency ~repeats:true value in
  demand (Q.sign grown > 0) "the total does not grow with N";
  steps

let at_one (constant, grown) = Q.add constant grown

(* Multipliers of tests and of what is output, for one step of the grid. A gap has that of its variable. *)
let multipliers program step { t; delta; again; signed; y; _ } =
  let scaled = both (per_step program step) in
  let own v = scaled (List.assoc v signed) and gaps = gaps_of t.numbers in
  let tests = List.map (fun (_, v) -> if List.mem v gaps then nothing else own v) t.tests in
  let sign = Q.of_int (compare delta 0) in
  let most =
    match if delta > 0 then t.left else t.right with
    | Some rate -> (rate, Q.zero)
    | None -> let any = Q.div Q.one t.reach in if again then (any, Q.zero) else (Q.zero, any)
  in
  let show = function
    | Text "insample" -> scaled (add (both (Q.mul sign) most) (neg y))
    | Text _ -> (Q.mul sign (per_step program step (Option.get t.prime)), Q.zero)
    | output -> own (gap output)
  in
  (tests, List.map show t.numbers)

let all_multipliers program step steps =
  List.concat_map (fun own -> let tests, shows = multipliers program step own in tests @ shows) (Array.to_list steps)

let numbers program step steps = List.map at_one (all_multipliers program step steps)
let family_numbers program step steps = List.concat_map (fun (a, b) -> [ a; b ]) (all_multipliers program step steps)

let floor q = Z.fdiv (Q.num q) (Q.den q)

(* The sample of a step, and what is added to it: a number, and multiples of all turns and of those before. *)
type place = { at : int; more : int; whole : int; turn : int }

(* In the first turn, or in all others: at the least ones, if the difference does not fall then. Raises Exit. *)
let above again high low distance =
  let whole = high.whole - low.whole and turn = high.turn - low.turn in
  if whole < 0 || (again && whole + turn < 0) then raise Exit;
  (low.at, high.at, Z.of_int (distance - (high.more - low.more) - if again then (2 * whole) + turn else whole))

(* What tests and one-sided noise ask of samples that climb so. Raises Exit for what holds for none. *)
let apart step blocks rise origin =
  let stored = Hashtbl.create 16 in
  let of_step again (i, s) =
    let turn, whole = rise s in
    let here = { at = i; more = 0; whole; turn } in
    let of_test (r, v) =
      let home = Hashtbl.find stored v and one = if r = "=" then 0 else 1 in
      (if asked r <> ">=" then [ above again home here one ] else []) @ if asked r <> "<" then [ above again here home one ] else []
    in
    let found = List.concat_map of_test s.t.tests in
    let mean = floor (Q.div s.t.mean step) and one_sided = s.t.left = None || s.t.right = None in
    if one_sided && (not s.t.takes_input) && (turn, whole) <> (0, 0) then raise Exit;
    let public = if s.t.takes_input then [] else (if s.t.left = None then [ (origin, i, mean) ] else []) @ if s.t.right = None then [ (i, origin, Z.neg mean) ] else [] in
    List.iter (fun v -> Hashtbl.replace stored v here) s.t.stored;
    found @ public
  in
  let of_block (again, own) =
    let change f = List.iter (fun v -> Hashtbl.replace stored v (f (Hashtbl.find stored v))) (List.sort_uniq compare (List.concat_map (fun (_, s) -> s.t.stored) own)) in
    let first = List.concat_map (of_step false) own in
    if not again then first
    else (
      change (fun c -> { c with more = c.more - c.turn });
      let others = List.concat_map (of_step true) own in
      change (fun c -> { c with more = c.more - c.turn; whole = c.whole + c.turn; turn = 0 });
      first @ others)
  in
  List.concat_map of_block blocks

let floors origin all =
  let found = Array.make (origin + 1) Z.zero in
  Array.iter (fun _ -> List.iter (fun (low, high, distance) -> found.(high) <- Z.max found.(high) (Z.add found.(low) distance)) all) found;
  if not (List.for_all (fun (low, high, distance) -> Z.geq found.(high) (Z.add found.(low) distance)) all) then raise Exit;
  Array.map (fun at -> Z.sub at found.(origin)) found

(* Samples with which the runs can be taken, rounded down to multiples of the grid: different ones where a test compares
   two, unless it asks that they are equal. All samples of a block stay, or fall, or climb from turn to turn. With each
   come its multiples of the turns before and of all turns. *)
let samples step steps =
  let origin = Array.length steps in
  let rec grouped = function
    | [] -> []
    | ((_, s) :: _) as l ->
        let own, rest = List.partition (fun (_, other) -> other.block = s.block) l in
        (s.again, own) :: grouped rest
  in
  let blocks = grouped (List.mapi (fun i s -> (i, s)) (Array.to_list steps)) in
  let far = 1 + Array.fold_left (fun n s -> n + List.length s.t.tests) 0 steps in
  let rec climbing whole chosen = function
    | [] ->
        let rise s = List.assoc s.block chosen in
        let at = floors origin (apart step blocks rise origin) in
        Array.mapi (fun i s -> (at.(i), rise s)) steps
    | (again, own) :: rest ->
        let rec first = function
          | [] -> raise Exit
          | turn :: others -> (
              try climbing (whole + turn) (((snd (List.hd own)).block, (turn, whole)) :: chosen) rest with Exit -> first others)
        in
        first (if again then [ 0; -far; far ] else [ 0 ])
  in
  try climbing 0 [] blocks
  with Exit -> raise (Not_covered "families whose samples neither stay, nor all climb or fall from turn to turn")

(* Of each step the number of its transition, its noise, its multipliers, the difference of its input, the input, and how its
   sample climbs. *)
let rows program scale steps =
  let found = samples scale.step steps in
  let row i s =
    let at, rise = found.(i) in
    let draw = Z.sub at (floor (Q.div s.t.mean scale.step)) in
    let difference = Z.mul (Z.of_int s.delta) (Program.steps program scale s.t.reach) in
    let noise = if s.t.takes_input then Z.zero else draw in
    (s, Choices.nat s.t.place, noise, multipliers program scale.step s, difference, draw, both Z.of_int rise)
  in
  Array.to_list (Array.mapi row steps)

let coq program scale steps =
  let row (s, way, draw, (tests, shows), difference, reading, _) =
    let all = List.map (fun own -> scaled scale (at_one own)) in
    ( (if s.t.takes_input then [ (state_number program s.t.source, (difference, reading)) ] else []),
      { Checks.way; draw; of_tests = all tests; of_shows = all shows } )
  in
  let rows = List.map row (rows program scale steps) in
  Checks.Taken (List.concat_map fst rows, List.map snd rows)

let coq_family program scale steps =
  let growing = List.map (both (scaled scale)) in
  let link (_, move, noise_of, (tests, shows), differs, reading_of, rises) =
    { Checks.move; noise_of; of_guard = growing tests; of_numbers = growing shows; differs; reading_of; rises }
  in
  let rec blocks = function
    | [] -> []
    | ((s, _, _, _, _, _, _) :: _) as l ->
        let own, rest = List.partition (fun (other, _, _, _, _, _, _) -> other.block = s.block) l in
        (s.again, List.map link own) :: blocks rest
  in
  Checks.Family (blocks (rows program scale steps))
