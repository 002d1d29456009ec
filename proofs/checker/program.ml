(* The threshold program of a certificate (Section 2), and what its claims need of it. *)
open Json

(* Rates are times the sensitivity of the program, None is infinite; [reach] is that of the state in the same unit.
   Bounds are what tests and gaps ask of shifts: "<", ">=" or "=". *)
type transition = {
  number : int;
  place : int; (* in its state *)
  source : string;
  target : string;
  takes_input : bool;
  left : Q.t option;
  right : Q.t option;
  prime : Q.t option;
  mean : Q.t;
  mean_prime : Q.t;
  reach : Q.t;
  tests : (string * string) list;
  bounds : (string * string) list;
  stored : string list;
  letter : string option;
  numbers : Json.t list; (* that are output *)
  pinned : bool; (* outputs insample *)
  primed : bool; (* outputs insampleprime *)
}

type t = {
  initial : string;
  names : string array; (* of states, in order; and after them of other targets *)
  inner : int; (* how many states are not final *)
  own : (string, transition list) Hashtbl.t;
  transitions : transition array;
  reached : (string, unit) Hashtbl.t;
  variables : string list; (* of reached states *)
  all_variables : string array;
  sensitivity : Q.t;
  grid : Q.t option; (* of noise on a grid *)
}

let leaving program state = Option.value (Hashtbl.find_opt program.own state) ~default:[]
let is_reached program t = Hashtbl.mem program.reached t.source
let whole q = Z.equal (Q.den q) Z.one
let find key l = List.find_opt (fun (k, _) -> k = key) l |> Option.map snd

(* What no theorem is about. *)
let uncovered what = raise (Not_covered ("programs with " ^ what))

let refuse keys about value = List.iter (fun key -> if field key value <> None then uncovered about) keys

let rate sensitivity = function
  | List _ -> uncovered "rates that are open or real"
  | value -> Q.mul (positive value) sensitivity

let outputs_of value = match value with List l -> demand (List.length l > 1) "a list of one output, or none"; l | one -> [ one ]
let gap output = record [ "gap" ] output; text (get "gap" output)
let gaps_of = List.filter_map (function Object _ as output -> Some (gap output) | _ -> None)
let is_number = function Text ("insample" | "insampleprime") | Object _ -> true | _ -> false

let distinct l = List.length (List.sort_uniq compare l) = List.length l
let asked = function "<=" -> "<" | ">" -> ">=" | r -> r

let bounds_of tests gaps =
  let of_test (r, v) = (v, if List.mem v gaps then "=" else asked r) in
  let more = List.filter (fun v -> not (List.exists (fun (_, w) -> v = w) tests)) gaps in
  List.map of_test tests @ List.map (fun v -> (v, "=")) more

(* The sensitivity, and the grid of noise on a grid. *)
let read_noise model =
  let discrete = field "noise" model <> None in
  Option.iter (fun noise -> constant noise (Text "discrete-laplace")) (field "noise" model);
  let size name =
    match field name model with
    | None -> Q.one
    | Some (List _) -> uncovered "sensitivities that are open"
    | Some value ->
        let q = positive value in
        demand (not (Q.equal q Q.one)) "a number is 1, and must be left out";
        q
  in
  let grid = size "grid" and sensitivity = size "sensitivity" in
  demand (discrete || field "grid" model = None) "a grid needs noise on it";
  demand ((not discrete) || whole (Q.div sensitivity grid)) "the grid does not divide the sensitivity";
  (sensitivity, if discrete then Some grid else None)

let read_state ~known sensitivity grid (source, state) =
  refuse [ "center" ] "registers" state;
  refuse [ "sigma"; "sigma_prime" ] "Gaussian noise" state;
  let keys = [ "input"; "mean"; "mean_prime"; "rate"; "rate_prime"; "transitions" ] in
  record keys ~optional:[ "rate_left"; "rate_right"; "sensitivity" ] state;
  let takes_input = match get "input" state with Bool b -> b | _ -> reject "a value is not true or false" in
  let left, right =
    match (field "rate_left" state, field "rate_right" state) with
    | None, None -> let both = Some (rate sensitivity (get "rate" state)) in (both, both)
    | Some l, Some r ->
        demand (get "rate" state = Null) "neither one rate nor exactly two";
        let side = function Text "inf" -> None | value -> Some (rate sensitivity value) in
        let l = side l and r = side r in
        demand (l = None || not (Option.equal Q.equal l r)) "rate_left and rate_right are equal";
        (l, r)
    | _ -> reject "neither one rate nor exactly two"
  in
  let prime, mean_prime =
    match (get "rate_prime" state, get "mean_prime" state) with
    | Null, Null -> (None, Q.zero)
    | Null, _ | _, Null -> reject "only one prime key is null"
    | value, mean -> (Some (rate sensitivity value), rational mean)
  in
  let reach =
    match field "sensitivity" state with
    | None -> Q.one
    | Some (List _) -> uncovered "sensitivities that are open"
    | Some value ->
        let own = positive value in
        demand takes_input "a state without an input has a sensitivity";
        demand (not (Q.equal own sensitivity)) "a state repeats the sensitivity of the program";
        demand (match grid with Some h -> whole (Q.div own h) | None -> true) "the grid does not divide a sensitivity";
        Q.div own sensitivity
  in
  let mean = rational (get "mean" state) in
  let transition place case =
    refuse [ "registers"; "seen" ] "registers, or with outputs that are not seen as they are" case;
    record [ "assign"; "guard"; "output"; "to" ] case;
    let test value = match items value with [ r; v ] -> (text r, text v) | _ -> reject "a test is no pair" in
    let tests = List.map test (items (get "guard" case)) and stored = List.map text (items (get "assign" case)) in
    demand (distinct stored) "a transition assigns a variable twice";
    demand (List.for_all (fun (r, _) -> List.mem r known) tests) "a test is unknown";
    demand (distinct (List.map snd tests)) "a guard has two tests of one variable";
    let outputs = outputs_of (get "output" case) in
    List.iter (function Text _ -> () | other -> ignore (gap other)) outputs;
    demand (distinct outputs) "an output is repeated";
    let numbers, letters = List.partition is_number outputs in
    demand (List.length letters <= 1) "a transition outputs two letters";
    let pinned = List.mem (Text "insample") numbers and primed = List.mem (Text "insampleprime") numbers in
    demand (prime <> None || not primed) "insampleprime is output without a rate";
    let letter = match letters with [] -> None | l :: _ -> Some (text l) in
    let bounds = bounds_of tests (gaps_of numbers) and target = text (get "to" case) in
    { number = 0; place; source; target; takes_input; left; right; prime; mean; mean_prime; reach; tests; bounds; stored; letter; numbers; pinned; primed }
  in
  let cases = items (get "transitions" state) in
  demand (cases <> []) "a state has no transition";
  List.mapi transition cases

(* Whatever a test = compares can be equal. *)
let same_grid grid transitions =
  let compared = List.concat_map (fun t -> List.filter_map (fun (r, v) -> if r = "=" then Some (v, t.mean) else None) t.tests) transitions in
  let kept = List.concat_map (fun t -> List.map (fun v -> (v, t.mean)) t.stored) transitions in
  let agrees (v, mean) =
    match find v compared with
    | Some other -> whole (Q.div (Q.sub mean other) (Option.value grid ~default:Q.one))
    | None -> true
  in
  demand (List.for_all agrees (compared @ kept)) "a test = compares samples that are never equal"

let read model =
  refuse [ "inputs" ] "inputs that are not rounded to the grid" model;
  refuse [ "open" ] "rates that are open or real" model;
  record [ "initial"; "states"; "type"; "version" ] ~optional:[ "final"; "grid"; "noise"; "sensitivity" ] model;
  constant (get "version" model) (Int 1);
  let states = members (get "states" model) and initial = text (get "initial" model) in
  let is_state name = List.mem_assoc name states in
  (match field "final" model with
  | None -> ()
  | Some l ->
      let final = List.map text (items l) in
      demand (ascending final && final <> []) "the final states are out of order, repeated, or none";
      demand (not (List.exists is_state final)) "a final state has transitions");
  let sensitivity, grid = read_noise model in
  let known = if grid = None then [ "<"; ">=" ] else [ "<"; "<="; ">="; ">"; "=" ] in
  let own = Hashtbl.create 64 in
  let numbered = List.mapi (fun number t -> { t with number }) in
  let transitions = numbered (List.concat_map (read_state ~known sensitivity grid) states) in
  List.iter (fun (name, _) -> Hashtbl.replace own name (List.filter (fun t -> t.source = name) transitions)) states;
  let targets = List.sort_uniq compare (List.filter (fun n -> not (is_state n)) (List.map (fun t -> t.target) transitions)) in
  let reached = Hashtbl.create 64 in
  let rec reach name =
    if is_state name && not (Hashtbl.mem reached name) then (
      Hashtbl.replace reached name ();
      List.iter (fun t -> reach t.target) (Hashtbl.find own name))
  in
  reach initial;
  let named t = List.map fst t.bounds @ t.stored in
  let on_runs = List.filter (fun t -> Hashtbl.mem reached t.source) transitions in
  let variables = List.sort_uniq compare (List.concat_map named on_runs) in
  let tests t r = List.exists (fun (own, _) -> own = r) t.tests in
  let unclear t = tests t "=" || (tests t "<=" && tests t ">=") in
  let several = List.length variables > 1 in
  demand (not (several && List.exists unclear on_runs)) "several variables, and a test = or both <= and >=";
  demand (not (several && List.exists (fun t -> not (Q.equal t.reach Q.one)) transitions)) "several variables, and sensitivities of states";
  same_grid grid transitions;
  (match Hashtbl.find_opt own initial with
  | Some [ { stored = _ :: _; bounds = []; _ } ] -> ()
  | _ -> reject "the initial state does not have exactly one transition, which assigns and has no bounds");
  let inner = List.length states and names = Array.of_list (List.map fst states @ targets) in
  let all_variables = Array.of_list (List.sort_uniq compare (List.concat_map named transitions)) in
  { initial; names; inner; own; transitions = Array.of_list transitions; reached; variables; all_variables; sensitivity; grid }

(* What an observer sees of a transition determines it. *)
let told program =
  let seen t = (t.letter, List.length t.numbers) in
  Hashtbl.iter (fun state () -> demand (distinct (List.map seen (leaving program state))) "outputs do not determine the transition") program.reached

(* The differences of inputs that count, with the modes before and after (Section 4.3). *)
let corners = function
  | "all-differ" -> [ -1; 1 ]
  | "one-differ" | "monotonic" -> [ -1; 0; 1 ]
  | "increasing" -> [ 0; 1 ]
  | "decreasing" -> [ -1; 0 ]
  | _ -> reject "the adjacency is unknown"

let modes adjacency = if adjacency = "one-differ" then [ "unused"; "used" ] else [ "" ]

let moves adjacency t =
  let of_difference delta =
    if adjacency <> "one-differ" then [ (delta, "", "") ]
    else if delta <> 0 then [ (delta, "unused", "used") ]
    else [ (0, "unused", "unused"); (0, "used", "used") ]
  in
  List.concat_map of_difference (if t.takes_input then corners adjacency else [ 0 ])

(* What a shift of insample costs; None is infinite. *)
let cost t delta shift =
  let apart = Q.sub shift (Q.mul (Q.of_int delta) t.reach) in
  if Q.sign apart = 0 then Some Q.zero
  else if Q.sign apart > 0 then Option.map (Q.mul apart) t.right
  else Option.map (Q.mul (Q.neg apart)) t.left

let prime_cost t delta =
  match t.prime with Some rate when t.primed -> Q.mul (Q.mul rate t.reach) (Q.of_int (abs delta)) | _ -> Q.zero

(* The shifts that count. *)
let shifts program =
  let all = Array.to_list program.transitions in
  let even = List.for_all (fun t -> Q.equal t.reach Q.one) all in
  let own = List.filter_map (fun t -> if t.takes_input && is_reached program t then Some t.reach else None) all in
  let ends = if even || own = [] then [ Q.one ] else List.sort_uniq Q.compare own in
  List.rev_map Q.neg ends @ (Q.zero :: ends)

(* As proofs/programs/Program.v has it: lengths are multiples of [step], and rates of [unit]. *)
type scale = { step : Q.t; unit : Q.t }

(* The grid; or for Laplace noise a length of which all sensitivities are multiples. *)
let step program =
  match program.grid with
  | Some h -> h
  | None ->
      let own = List.map (fun t -> Q.mul t.reach program.sensitivity) (Array.to_list program.transitions) in
      Q.make Z.one (Chain.common (program.sensitivity :: own))

let per_step program step rate = Q.div (Q.mul rate step) program.sensitivity

let rates program step =
  let of_transition t = List.filter_map (Option.map (per_step program step)) [ t.left; t.right; t.prime ] in
  List.concat_map of_transition (Array.to_list program.transitions)

(* The largest number of which all rates are multiples; a claim with q is about e^(-epsilon) to the power of it. *)
let unit_of program step =
  let rates = rates program step in
  let under = Chain.common rates in
  if rates = [] then Q.one else Q.make (List.fold_left (fun d r -> Z.gcd d (Chain.over under r)) Z.zero rates) under

let scaled scale q = let n = Q.div q scale.unit in Z.divexact (Q.num n) (Q.den n)
let steps program scale q = Z.divexact (Q.num (Q.div (Q.mul q program.sensitivity) scale.step)) Z.one

let position names name =
  let rec from i = if i = Array.length names then i else if names.(i) = name then i else from (i + 1) in
  Z.of_int (from 0)

let state_number program = position program.names
let variable_number program = position program.all_variables

let coq program scale =
  let letters = Array.of_list (List.sort_uniq compare (List.filter_map (fun t -> t.letter) (Array.to_list program.transitions))) in
  let relation = function
    | "<" -> Checks.Below | "<=" -> Checks.AtMost | ">=" -> Checks.AtLeast | ">" -> Checks.Above | _ -> Checks.Equal
  in
  let variable = variable_number program in
  let shown = function Text "insample" -> Checks.Sample | Text _ -> Checks.Second0 | other -> Checks.Gap (variable (gap other)) in
  let way t =
    {
      Checks.guard = List.map (fun (r, v) -> (relation r, variable v)) t.tests;
      stores = List.map variable t.stored;
      letter = (match t.letter with Some l -> position letters l | None -> Z.of_int (Array.length letters));
      shows = List.map shown t.numbers;
      target = state_number program t.target;
    }
  in
  let own_rate = Option.map (fun rate -> scaled scale (per_step program scale.step rate)) in
  let state name =
    let ways = Hashtbl.find program.own name in
    let t = List.hd ways in
    let mean q = Chain.ratio (Q.div q scale.step) in
    {
      Checks.reads = (if t.takes_input then steps program scale t.reach else Z.zero);
      rate_left = own_rate t.left;
      rate_right = own_rate t.right;
      mean = mean t.mean;
      second = Option.map (fun rate -> (rate, mean t.mean_prime)) (own_rate t.prime);
      ways = List.map way ways;
    }
  in
  List.map state (Array.to_list (Array.sub program.names 0 program.inner))
