(* Closed tables of profiles (Section 4.7), as evidence for proofs/programs/Spots.v. The proved check decides with
   numbers that are closer; the table that the specification asks for, with its own rounding, is demanded here. *)
open Json
open Program

let value = Z.of_string "10000000000000000" and knot = Z.of_string "1000000000000"
let all = Z.shift_left Z.one 60
let far = 1000

(* How large noise is: that of an epsilon, or that where e^(-epsilon * unit) is q. *)
type noise = Epsilon of Q.t | Exactly of Q.t

(* At the knots, and in between linear. *)
type profile = Z.t array
type interval = Q.t * Q.t
type anchor = { at : int; offset : bool; by : Q.t }
type cell = { first : Q.t; last : Q.t; anchors : anchor list }
type way = { differences : interval; opened : bool }
type node = { state : string; shifts : (string * interval) list; untouched : bool; profile : profile; ways : way list; cells : cell list list option }
type table = { program : Program.t; knots : Z.t array; regions : (Q.t * Q.t) list; nodes : node list; ended : profile }

(* Of a program with noise on a grid: the grid and differences are divided by the sensitivity. *)
let grid program = Q.div (Option.get program.grid) program.sensitivity

let on_grid program x = demand (whole (Q.div x (grid program))) "a shift or a difference is not on the grid"

(* Reading. *)

let read_knots value =
  let knots = Array.of_list (List.map index (items value)) in
  let n = Array.length knots in
  demand (2 <= n && n <= 10_000 && knots.(0) = 0) "not from 2 to 10,000 knots, or the first is not 0";
  demand (ascending (Array.to_list knots)) "knots that do not rise";
  Array.map Z.of_int knots

let trivial knots = Array.map (fun k -> Z.max Z.zero (Z.sub value (Z.mul (Z.divexact value knot) k))) knots

let read_profile knots ended value =
  let profile = Array.of_list (List.map (fun v -> Z.of_int (index v)) (items value)) in
  demand (Array.length profile = Array.length knots) "not as many values as knots";
  demand (Array.for_all2 Z.geq profile ended) "a value below 1 - alpha";
  let fall k = (Z.sub profile.(k) profile.(k + 1), Z.sub knots.(k + 1) knots.(k)) in
  let last = Array.length knots - 2 in
  demand (Z.sign (fst (fall last)) >= 0) "values that rise";
  for k = 0 to last - 1 do
    let (f, v), (g, w) = (fall k, fall (k + 1)) in
    demand (Z.geq (Z.mul f w) (Z.mul g v)) "values that are not convex"
  done;
  profile

let read_interval value =
  match List.map rational (items value) with
  | [ low; high ] -> demand (Q.leq low high) "an empty interval of shifts"; (low, high)
  | _ -> reject "an interval has not two ends"

let read_shifts program value =
  match program.variables with
  | [ only ] -> [ (only, read_interval value) ]
  | several ->
      let shifts = List.map (fun (v, own) -> (v, read_interval own)) (members value) in
      demand (List.for_all (fun (v, _) -> List.mem v several) shifts) "a shift of no variable";
      shifts

(* An exponent, and a number that is at least e^(exponent * epsilon). *)
let read_region unit noise entry =
  if field "ratio" entry <> None then raise (Not_covered "regions of Gaussian noise");
  record [ "bound"; "exponent"; "lines" ] entry;
  let exponent = positive (get "exponent" entry) and bound = positive (get "bound" entry) in
  if items (get "lines" entry) <> [] then raise (Not_covered "regions with lines");
  let above =
    match noise with
    | Epsilon epsilon -> Words.exceeds_exponential bound (Q.mul exponent epsilon)
    | Exactly q ->
        let n = Q.div exponent unit in
        demand (whole n) "an exponent is no multiple of the unit";
        let n = Z.to_int (Q.num n) in
        Z.geq (Z.mul (Q.num bound) (Z.pow (Q.num q) n)) (Z.mul (Q.den bound) (Z.pow (Q.den q) n))
  in
  demand above "a bound does not exceed the exponential";
  (exponent, bound)

let ways adjacency ~untouched t =
  let still = { differences = (Q.zero, Q.zero); opened = untouched } in
  let times k = Q.mul (Q.of_int k) t.reach in
  if not t.takes_input then [ still ]
  else
    match adjacency with
    | "one-differ" -> still :: (if untouched then [ { differences = (times (-1), t.reach); opened = false } ] else [])
    | _ ->
        let signs = corners adjacency in
        [ { differences = (times (List.hd signs), times (List.nth signs (List.length signs - 1))); opened = false } ]

let read_anchor knots value =
  match items value with
  | [ at; kind; by ] ->
      let at = index at and kind = text kind in
      demand (0 < at && at < Array.length knots) "an anchor at no such knot";
      demand (List.mem kind [ "offset"; "shift" ]) "neither an offset nor a shift";
      { at; offset = kind = "offset"; by = rational by }
  | _ -> reject "an anchor is no triple"

(* Cells that cover the differences of a way. *)
let read_cells program knots { differences = low, high; _ } value =
  let step first entry =
    record [ "anchors"; "until" ] entry;
    let last = rational (get "until" entry) and anchors = List.map (read_anchor knots) (items (get "anchors" entry)) in
    on_grid program last;
    demand (Q.leq first last) "cells out of order";
    demand (anchors <> [] && ascending (List.map (fun a -> a.at) anchors)) "anchors out of order, or none";
    (Q.add last (grid program), { first; last; anchors })
  in
  let after, cells = List.fold_left_map step low (items value) in
  demand (cells <> [] && Q.equal after (Q.add high (grid program))) "the cells do not cover the differences";
  cells

let read_node program adjacency knots ended entry =
  record [ "shifts"; "state"; "values" ] ~optional:[ "cells"; "open" ] entry;
  let state = text (get "state" entry) in
  demand (Hashtbl.mem program.reached state) "a node of no state that runs come to";
  let untouched = match field "open" entry with None | Some (Bool false) -> false | Some (Bool true) -> true | _ -> reject "open is neither true nor false" in
  demand (adjacency = "one-differ" || not untouched) "open where all inputs may differ";
  let first = List.hd (leaving program state) in
  let ways = ways adjacency ~untouched first in
  let read_all value =
    let lists = items value in
    demand (List.length lists = List.length ways) "not as many lists of cells as ways";
    List.map2 (read_cells program knots) ways lists
  in
  let shifts = read_shifts program (get "shifts" entry) and profile = read_profile knots ended (get "values" entry) in
  if first.prime <> None then raise (Not_covered "delta of programs with second samples");
  let kept t = t.tests <> [] && (t.stored <> [] || t.pinned) in
  if List.exists kept (leaving program state) then raise (Not_covered "delta of programs that test a sample and keep it");
  { state; shifts; untouched; profile; ways; cells = Option.map read_all (field "cells" entry) }

(* The rules of nodes. *)

(* p times the value at x / p, rounded up. *)
let perspective knots (profile : profile) p x =
  if Z.sign p = 0 then Z.zero
  else
    let alpha = Z.fdiv x p in
    let rec last low high = if high - low = 1 then low else let k = (low + high) / 2 in if Z.leq knots.(k) alpha then last k high else last low k in
    let n = Array.length knots in
    let k = last 0 n in
    let top = Z.mul p profile.(k) in
    if k + 1 = n then top
    else Z.sub top (Z.fdiv (Z.mul (Z.sub x (Z.mul knots.(k) p)) (Z.sub profile.(k) profile.(k + 1))) (Z.sub knots.(k + 1) knots.(k)))

(* The vertices for noise of a state that is moved. *)
let polygon table t shift =
  on_grid table.program shift;
  let ends inner = ((Z.zero, Z.zero) :: inner) @ [ (all, all) ] in
  if Q.sign shift = 0 then ends []
  else
    match (t.left, t.right) with
    | Some d, Some d' when Q.equal d d' ->
        let n = Z.to_int (Q.num (Q.div (Q.abs shift) (grid table.program))) in
        demand (n <= far) "a shift of more than 1,000 steps of the grid";
        let exponent = Q.mul d (grid table.program) in
        let bound = match List.find_opt (fun (x, _) -> Q.equal x exponent) table.regions with Some (_, b) -> b | None -> reject "a region is missing" in
        let first = Z.fdiv (Z.mul (Z.mul all all) (Q.den bound)) (Z.add (Q.num bound) (Q.den bound)) in
        let rec tails v i = if i = 0 then [] else Z.fdiv v all :: tails (Z.fdiv (Z.mul v (Q.den bound)) (Q.num bound)) (i - 1) in
        let tails = tails first n in
        let vertex t t' = if Q.sign shift > 0 then (Z.sub all t, t') else (t', Z.sub all t) in
        ends (List.map2 vertex tails (List.rev tails))
    | _ -> raise (Not_covered "delta of programs where noise that is moved is one-sided or no noise")

let contains shifts node =
  let inside (v, (a, b)) = match find v shifts with Some (c, d) -> Q.leq a c && Q.leq d b | None -> false in
  List.for_all inside node.shifts

(* The profile after a transition. *)
let next table t shifts way =
  if leaving table.program t.target = [] then table.ended
  else
    match List.find_opt (fun node -> node.state = t.target && node.untouched = way.opened && contains shifts node) table.nodes with
    | Some node -> node.profile
    | None -> reject "no node for a shift"

let stored t kept shifts = List.map (fun v -> (v, kept)) t.stored @ List.filter (fun (v, _) -> not (List.mem v t.stored)) shifts

(* What a step whose noise is moved is worth at most at a knot. *)
let worth table profile vertices at =
  let rec over = function
    | (p, q) :: ((p', q') :: _ as l) ->
        Z.add (perspective table.knots profile (Z.sub p' p) (Z.mul table.knots.(at) (Z.sub q' q))) (over l)
    | _ -> Z.zero
  in
  Z.cdiv (over vertices) all

let closed node profile = demand (Array.for_all2 Z.geq node.profile profile) "a step is worth more than the profile of its node"

(* The chords through points, rounded up at the knots. *)
let through knots points =
  let rec at k = function
    | (a, v) :: _ when Z.equal a k -> v
    | (a, v) :: (b, w) :: _ when Z.lt k b -> Z.sub v (Z.fdiv (Z.mul (Z.sub v w) (Z.sub k a)) (Z.sub b a))
    | [ (_, v) ] -> v
    | l -> at k (List.tl l)
  in
  Array.map (fun k -> at k points) knots

let in_cell table node t way { first; last; anchors } =
  let point { at; offset; by } =
    let kept, moves = if offset then ((Q.add first by, Q.add last by), [ by ]) else ((by, by), [ Q.sub by first; Q.sub by last ]) in
    let after = next table t (stored t kept node.shifts) way in
    let worths = List.map (fun s -> worth table after (polygon table t s) at) moves in
    (table.knots.(at), List.fold_left Z.max Z.zero worths)
  in
  closed node (through table.knots ((Z.zero, value) :: List.map point anchors))

let alone table node t =
  let drawn = t.stored <> [] && not t.pinned in
  demand (drawn = (node.cells <> None)) "cells where nothing is drawn, or none";
  let step way =
    let after = next table t (if t.pinned then stored t (Q.zero, Q.zero) node.shifts else node.shifts) way in
    let low, high = way.differences in
    let moved s =
      let vertices = polygon table t (Q.neg s) in
      closed node (Array.mapi (fun at _ -> worth table after vertices at) table.knots)
    in
    if t.pinned then List.iter moved [ low; high ] else closed node after
  in
  match node.cells with Some lists -> List.iter2 (fun way -> List.iter (in_cell table node t way)) node.ways lists | None -> List.iter step node.ways

let tested table node l =
  let guard t =
    match t.tests with
    | [ (r, v) ] when t.bounds = [ (v, asked r) ] && asked r <> "=" -> (r, v)
    | _ -> reject "a test that is none of < and >=, or outputs a gap"
  in
  let guards = List.map guard l in
  let variable = snd (List.hd guards) and relations = List.map fst guards in
  demand (List.for_all (fun (_, v) -> v = variable) guards) "tests of several variables at a state";
  demand (distinct (List.map asked relations)) "guards that are the same";
  demand (not (List.mem (List.sort compare relations) [ [ "<"; ">" ]; [ "<="; ">=" ] ])) "guards of which none or both hold at a tie";
  demand (node.cells = None) "cells where nothing is drawn";
  let low, high = match find variable node.shifts with Some own -> own | None -> reject "no shift of a variable that is tested" in
  let first = List.hd l in
  let step way =
    let after side = match List.find_opt (fun t -> asked (fst (guard t)) = side) l with Some t -> next table t node.shifts way | None -> table.ended in
    let below = after "<" and above = after ">=" and least, most = way.differences in
    let holds at k (p, q) =
      let x = perspective table.knots below (Z.sub all p) (Z.mul k (Z.sub all q)) and y = perspective table.knots above p (Z.mul k q) in
      demand (Z.leq (Z.add x y) (Z.mul node.profile.(at) all)) "a test is worth more than the profile of its node"
    in
    let vertices = List.sort_uniq compare (polygon table first (Q.sub low most) @ polygon table first (Q.sub high least)) in
    Array.iteri (fun at k -> List.iter (holds at k) vertices) table.knots
  in
  if not (Option.equal Q.equal first.left first.right && first.left <> None) then raise (Not_covered "delta of programs where noise that is tested is one-sided or no noise");
  List.iter step node.ways

let check_node table node =
  match leaving table.program node.state with
  | [ t ] when t.bounds = [] -> alone table node t
  | l -> demand (List.for_all (fun t -> t.bounds <> []) l) "transitions of which one has no guard"; tested table node l

(* The table of one direction proves delta at each alpha. *)
let read_table program unit noise adjacency points evidence =
  if field "cuts" evidence <> None then raise (Not_covered "delta of programs that test a sample and keep it");
  record [ "knots"; "nodes"; "regions" ] evidence;
  let knots = read_knots (get "knots" evidence) in
  let regions = List.map (read_region unit noise) (items (get "regions" evidence)) in
  demand (distinct (List.map (fun (x, _) -> Q.to_string x) regions)) "a region twice";
  let ended = trivial knots in
  let nodes = List.map (read_node program adjacency knots ended) (items (get "nodes" evidence)) in
  let table = { program; knots; regions; nodes; ended } in
  List.iter (check_node table) nodes;
  let starts = List.filter (fun node -> node.state = program.initial && node.untouched = (adjacency = "one-differ")) nodes in
  demand (starts <> []) "no node of the initial state";
  let proves (alpha, upper) =
    let n, d = (Q.num alpha, Q.den alpha) in
    let value_of node = perspective knots node.profile d (Z.mul n knot) and most = Z.mul d value in
    let least = List.fold_left (fun a node -> Z.min a (value_of node)) most starts in
    demand (Z.leq (Z.mul least (Q.den upper)) (Z.mul (Q.num upper) most)) "the bound of the table is larger"
  in
  List.iter proves points;
  let moved node = node.state = program.initial && List.exists (fun (_, (low, high)) -> Q.sign low > 0 || Q.sign high < 0) node.shifts in
  if List.exists moved nodes then raise (Not_covered "tables of delta that begin with a shift");
  table

(* Numbers between which e^(-x) is, so close to it that the bounds of regions are as good for both. *)
let between x powers =
  let rec with_bits bits =
    if bits > 1 lsl 14 then raise (Not_covered "delta for such an epsilon");
    let one = Z.shift_left Z.one bits in
    let rec sum k below above low high =
      if Z.geq (Z.mul (Z.of_int k) (Q.den x)) (Z.mul (Z.of_int 2) (Q.num x)) && Z.leq above Z.one then (low, Z.add high above)
      else
        let d = Z.mul (Z.of_int (k + 1)) (Q.den x) in
        let below = Z.fdiv (Z.mul below (Q.num x)) d and above = Z.cdiv (Z.mul above (Q.num x)) d in
        sum (k + 1) below above (Z.add low below) (Z.add high above)
    in
    let low, high = sum 0 one one one one in
    let near (n, b) = Z.geq (Z.mul (Q.num b) (Z.pow one n)) (Z.mul (Q.den b) (Z.pow high n)) in
    if Z.gt low one && List.for_all near powers then (Q.make one high, Q.make one low) else with_bits (2 * bits)
  in
  if Q.gt x (Q.of_int far) then raise (Not_covered "delta for such an epsilon");
  with_bits 128

(* Between which numbers e^(-epsilon * unit) is. *)
let enclosed unit noise tables =
  match noise with
  | Exactly q -> (q, q)
  | Epsilon epsilon ->
      let power (x, b) = let n = Q.div x unit in if whole n then Some (Z.to_int (Q.num n), b) else None in
      between (Q.mul epsilon unit) (List.concat_map (fun table -> List.filter_map power table.regions) tables)

(* As proofs/programs/Spots.v has it: at alpha = 0 a profile counts as 1, and nowhere as more. *)
let coq_table adjacency table =
  let program = table.program in
  let steps x = Q.div x (grid program) in
  let exact x = Z.divexact (Q.num (steps x)) (Q.den (steps x)) in
  let knots = List.tl (Array.to_list table.knots) in
  let mode node = match adjacency with "all-differ" -> Checks.Free | "increasing" -> Checks.Up | "decreasing" -> Checks.Down | _ -> if node.untouched then Checks.Unused else Checks.Used in
  let inner (low, high) = (Z.cdiv (Q.num (steps low)) (Q.den (steps low)), Z.fdiv (Q.num (steps high)) (Q.den (steps high))) in
  let cell { last; anchors; _ } =
    { Checks.until = exact last; anchors = List.map (fun { at; offset; by } -> ((table.knots.(at), offset), exact by)) anchors }
  in
  (* Where the specification asks for no cells: a sample that is output is not moved, and otherwise it does not matter. *)
  let still t way = [ { Checks.until = exact (snd way.differences); anchors = List.map (fun k -> ((k, not t.pinned), Z.zero)) knots } ] in
  let cells node =
    match (leaving program node.state, node.cells) with
    | _, Some lists -> List.map (List.map cell) lists
    | [ t ], None when t.bounds = [] -> List.map (still t) node.ways
    | _ -> []
  in
  let spot node =
    {
      Checks.site = state_number program node.state;
      phase = mode node;
      near = List.map (fun (v, own) -> (variable_number program v, inner own)) node.shifts;
      profile = List.combine knots (List.tl (Array.to_list (Array.map (Z.min value) node.profile)));
      cells = cells node;
    }
  in
  (Losses.mode_of adjacency, List.map spot table.nodes)

(* The evidence for the proved check, and between which numbers e^(-epsilon * unit) is. *)
let read program unit noise adjacency points evidence =
  let of_way (way, own) = (way, read_table program unit noise way points own) in
  let tables = List.map of_way (Losses.by_way adjacency evidence) in
  let spots = List.map (fun (way, table) -> coq_table way table) tables in
  let low, high = enclosed unit noise (List.map snd tables) in
  (Checks.Profiled (fun mode -> Option.value (find mode spots) ~default:[]), low, high)
