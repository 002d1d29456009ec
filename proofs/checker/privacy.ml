(* Claims about threshold programs: their loss, or that it has no bound. Nothing here is proved. *)
open Json
open Words

let hiding = [ "block"; "extremes"; "merged"; "quotient"; "samples"; "sums"; "word"; "words" ]

(* The program, the adjacency, and the words about these and about whose loss it is. [below]: the loss has a bound from
   below, which holds for an observer if outputs tell the run. *)
let about fields model evidence ~below =
  if field "unit" fields <> None then raise (Not_covered "claims with a unit");
  if List.exists (fun key -> field key evidence <> None) hiding then raise (Not_covered "outputs of programs that hide the run, or registers");
  let program = Program.read model and adjacency = text (get "adjacency" fields) in
  ignore (Program.corners adjacency);
  let loss = match field "loss" fields with Some loss -> text loss | None -> "runs" in
  demand (List.mem loss [ "observer"; "runs" ]) "loss is neither runs nor observer";
  if loss = "observer" && below then Program.told program;
  (program, adjacency, [ text (get "kind" fields); "adjacency=" ^ adjacency; "loss=" ^ loss ])

let ways = function
  | "all-differ" -> Checks.AllDiffer | "one-differ" -> Checks.OneDiffers | "increasing" -> Checks.Increasing
  | "decreasing" -> Checks.Decreasing | _ -> Checks.Monotonic

(* The program as the proofs have it, with its initial state and the adjacency; rates are multiples of a unit that makes
   these numbers whole, too. *)
let in_units (program : Program.t) adjacency numbers =
  let step = Program.step program in
  let scale = { Program.step; unit = Q.make Z.one (Chain.common (Program.rates program step @ numbers step)) } in
  (scale, Program.coq program scale, Program.state_number program program.initial, ways adjacency)

(* The loss of an observer from whom outputs hide the run. Inputs of all states differ by as much. *)
let of_observer fields model evidence =
  record [ "adjacency"; "kind"; "lower"; "upper" ] ~optional:[ "loss"; "unit" ] fields;
  if Q.sign (Losses.loss (get "lower" fields)) > 0 then raise (Not_covered "what outputs hide of a loss from below");
  let upper = match Losses.loss_or_inf (get "upper" fields) with Some v -> v | None -> raise (Not_covered "what outputs hide of a loss without a bound") in
  let program, adjacency, words = about fields model evidence ~below:false in
  demand (field "loss" fields = Some (Text "observer")) "evidence about outputs is for observers only";
  demand (Array.for_all (fun t -> Q.equal t.Program.reach Q.one) program.transitions) "evidence about outputs, and sensitivities of states";
  record [] ~optional:[ "groups"; "last" ] evidence;
  let bound = Observers.read program adjacency (Some upper) evidence in
  let scale, coq, start, ways = in_units program adjacency (fun _ -> upper :: Observers.numbers bound) in
  let seen = (Checks.LossSeenAtMost (coq, start, ways, Program.scaled scale upper), Observers.coq program adjacency scale (Some upper) bound) in
  let cut = if program.grid = None then [ (Checks.CanBeCut (coq, start), Observers.stored program) ] else [] in
  (seen :: cut, words @ bounds_words fields)

let of_loss fields model evidence =
  record [ "adjacency"; "kind"; "lower"; "upper" ] ~optional:[ "loss"; "unit" ] fields;
  let lower = Losses.loss (get "lower" fields) and upper = Losses.loss_or_inf (get "upper" fields) in
  demand (Losses.no_more (Some lower) upper) "lower > upper";
  let below = Q.sign lower > 0 in
  let program, adjacency, words = about fields model evidence ~below in
  record [] ~optional:("blocks" :: (if List.length program.variables = 1 then [ "table" ] else [ "nodes"; "parts" ])) evidence;
  demand (members evidence <> []) "there is no evidence";
  let steps = match field "blocks" evidence with Some blocks -> Runs.read program adjacency lower blocks | None -> [||] in
  demand (steps <> [||] || not below) "there is no run";
  let parts = Losses.read program adjacency upper evidence in
  if program.grid = None && below then raise (Not_covered "the loss of a program with Laplace noise from below");
  let numbers step = (lower :: Option.to_list upper) @ Losses.numbers parts @ if below then Runs.numbers program step steps else [] in
  let scale, coq, start, ways = in_units program adjacency numbers in
  let most v = [ (Checks.LossAtMost (coq, start, ways, Program.scaled scale v), Losses.coq program scale parts) ] in
  let least = [ (Checks.LossAtLeast (coq, start, ways, Program.scaled scale lower), Runs.coq program scale steps) ] in
  ((match upper with Some v -> most v | None -> []) @ (if below then least else []), words @ bounds_words fields)

let of_family fields model evidence =
  record [ "adjacency"; "kind" ] ~optional:[ "loss"; "unit" ] fields;
  let program, adjacency, words = about fields model evidence ~below:true in
  record [ "blocks" ] evidence;
  let steps = Runs.read_family program adjacency (get "blocks" evidence) in
  if program.grid = None then raise (Not_covered "programs with Laplace noise that are not private");
  let scale, coq, start, ways = in_units program adjacency (fun step -> Runs.family_numbers program step steps) in
  ([ (Checks.NotPrivate (coq, start, ways), Runs.coq_family program scale steps) ], words)

(* Delta at each alpha, from above. The proved check is told two numbers between which e^(-epsilon * unit) is. *)
let of_profile fields model evidence =
  let given = if field "q" fields <> None then "q" else "at_epsilon" and several = field "points" fields <> None in
  let own = if several then [ "points" ] else [ "alpha"; "upper" ] in
  record ([ "adjacency"; "kind"; given ] @ own) ~optional:("steps" :: (if several then [] else [ "epsilon" ])) fields;
  if field "steps" fields <> None then raise (Not_covered "delta of programs that read a bounded number of inputs");
  let point value =
    let alpha = rational (get "alpha" value) and upper = rational (get "upper" value) in
    demand (Q.geq alpha Q.one) "alpha is below 1";
    demand (Q.sign upper >= 0 && Q.leq upper Q.one) "a number is not between 0 and 1";
    ((alpha, upper), ("alpha=" ^ abbreviate alpha) :: List.map (epsilon_words alpha) (Option.to_list (field "epsilon" value)))
  in
  let of_point value = record [ "alpha"; "upper" ] ~optional:[ "epsilon" ] value; fst (point value) in
  let points, words = if several then (List.map of_point (items (get "points" fields)), []) else (fun (p, words) -> ([ p ], words)) (point fields) in
  demand (points <> []) "no point";
  let program = Program.read model and adjacency = text (get "adjacency" fields) and number = positive (get given fields) in
  ignore (Program.corners adjacency);
  let step = match program.grid with Some h -> h | None -> raise (Not_covered "delta of programs with noise that is not on a grid") in
  demand (given <> "q" || Q.lt number Q.one) "q is not below 1";
  if List.length program.variables > 1 then Orders.defined program;
  let scale = { Program.step; unit = Program.unit_of program step } in
  let noise = if given = "q" then Profiles.Exactly number else Profiles.Epsilon number in
  let spots, low, high = Profiles.read program scale.unit noise adjacency points evidence in
  let above q = exceeds_exponential (Q.inv q) (Q.mul number scale.unit) in
  let between = if given = "q" then Q.equal low number && Q.equal high number else above low && not (above high) in
  demand between "e^(-epsilon * unit) is not between two numbers";
  let rows = List.map (fun (alpha, upper) -> (Chain.ratio alpha, Chain.ratio upper)) points in
  let claimed = Checks.DeltaAtMost (Program.coq program scale, Program.state_number program program.initial, ways adjacency, Chain.ratio low, Chain.ratio high, rows) in
  let name = if given = "q" then "q=" else "at-epsilon=" in
  let last = if several then Printf.sprintf "points=%d" (List.length points) else "upper=" ^ abbreviate ~up:true (snd (List.hd points)) in
  ([ (claimed, spots) ], ("profile-table" :: words) @ [ "adjacency=" ^ adjacency; name ^ abbreviate number; last ])

let joined rule fields model evidence =
  let parts, words = rule fields model evidence in
  (parts, String.concat " " words)

let of_epsilon fields model evidence =
  (if field "groups" evidence <> None || field "last" evidence <> None then of_observer else of_loss) fields model evidence

let kinds = [ ("epsilon", joined of_epsilon); ("not-private", joined of_family); ("profile-table", joined of_profile) ]
