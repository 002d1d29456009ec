(* Claims about compositions (Section 3.8), and what their models mean. Nothing here is proved. *)
open Json
open Words

let most_times = 1_000_000
let most_units = 10_000

(* The probabilities of outcomes under either secret; those of one ratio together. *)
type law = (Q.t * Q.t) list

let merged law =
  let ratio (p, q) = Q.div p (Q.add p q) in
  let add (p, q) (p', q') = (Q.add p p', Q.add q q') in
  let rec join = function x :: y :: l when Q.equal (ratio x) (ratio y) -> join (add x y :: l) | x :: l -> x :: join l | [] -> [] in
  let possible = List.filter (fun (p, q) -> Q.sign p > 0 || Q.sign q > 0) law in
  join (List.sort (fun x y -> Q.compare (ratio x) (ratio y)) possible)

let total side law = List.fold_left (fun a x -> Q.add a (side x)) Q.zero law
let between least value = let q = rational value in demand (Q.leq least q) "a number is out of range"; q
let at_most_1 q = demand (Q.leq q Q.one) "a number is out of range"; q
let count least value = let n = index value in demand (least <= n && n <= most_units) "a number is out of range"; n
let complement q = Q.sub Q.one q
let power q k = Q.make (Z.pow (Q.num q) k) (Z.pow (Q.den q) k)

let given part =
  record [ "laws"; "times" ] part;
  let pair value = match List.map rational (items value) with [ p; q ] -> (p, q) | _ -> reject "an outcome has not two probabilities" in
  let law = List.map pair (items (get "laws" part)) in
  demand (List.for_all (fun (p, q) -> Q.sign p >= 0 && Q.sign q >= 0) law) "a probability is negative";
  demand (Q.equal (total fst law) Q.one && Q.equal (total snd law) Q.one) "the probabilities do not sum to 1";
  law

(* The truth with probability t = 1 / (1 + (k - 1) q), each of the k - 1 other values with tq. *)
let randomised_response part =
  record [ "known"; "q"; "times"; "values" ] part;
  let q = at_most_1 (positive (get "q" part)) and k = count 2 (get "values" part) in
  let t = Q.inv (Q.add Q.one (Q.mul (Q.of_int (k - 1)) q)) in
  let lie = Q.mul t q in
  let others = Q.mul (Q.of_int (k - 2)) lie in
  [ (t, lie); (others, others); (lie, t) ]

(* Noise x has weight q^|x|, |x| <= b if there is a bound; inputs differ by s. Without a bound what is at most 0, and
   what is at least s, is one outcome. *)
let discrete_laplace part =
  let bounded = field "bound" part <> None in
  record ([ "known"; "q"; "sensitivity"; "times" ] @ if bounded then [ "bound" ] else []) part;
  let q = positive (get "q" part) and s = count 1 (get "sensitivity" part) in
  demand (Q.lt q Q.one) "q is not below 1";
  let range low high = List.init (max 0 (high - low + 1)) (fun i -> low + i) in
  if bounded then
    let b = count 1 (get "bound" part) in
    let whole = List.fold_left (fun a x -> Q.add a (power q (abs x))) Q.zero (range (-b) b) in
    let chance x = if abs x <= b then Q.div (power q (abs x)) whole else Q.zero in
    List.map (fun x -> (chance x, chance (x - s))) (range (-b) (b + s))
  else
    let below = Q.inv (Q.add Q.one q) in
    let far = Q.mul (power q s) below in
    let chance x = Q.mul (power q x) (Q.mul (complement q) below) in
    ((below, far) :: List.map (fun x -> (chance x, chance (s - x))) (range 1 (s - 1))) @ [ (far, below) ]

(* The secret itself with probability delta, else one of two values, with odds alpha : 1. *)
let approximate part =
  record [ "alpha"; "delta"; "known"; "times" ] part;
  let alpha = between Q.one (get "alpha" part) and delta = at_most_1 (between Q.zero (get "delta" part)) in
  let less = Q.div (complement delta) (Q.add Q.one alpha) in
  let more = Q.mul alpha less in
  [ (delta, Q.zero); (Q.zero, delta); (more, less); (less, more) ]

let known part =
  match text (get "known" part) with
  | "randomised-response" -> randomised_response part
  | "discrete-laplace" -> discrete_laplace part
  | "approximate" -> approximate part
  | "discrete-gaussian" -> raise (Not_covered "compositions of discrete Gaussian noise")
  | _ -> reject "the mechanism is unknown"

(* Of samples: the first secret is with a person, who is in the sample with probability [rate]. *)
let sampled sampling law =
  record [ "kind"; "rate" ] sampling;
  let rate = at_most_1 (positive (get "rate" sampling)) in
  match text (get "kind" sampling) with
  | "poisson" -> List.map (fun (p, q) -> (Q.add (Q.mul rate p) (Q.mul (complement rate) q), q)) law
  | "fixed-size" -> raise (Not_covered "compositions of samples of a fixed size")
  | _ -> reject "the kind of sampling is unknown"

let without key value = Object (List.filter (fun (own, _) -> own <> key) (members value))

(* What is composed, how often, and the evidence. *)
let read_part basis part proof =
  let times = index (get "times" part) in
  demand (1 <= times && times <= most_times) "the number of runs is out of range";
  let times = Z.of_int times and plain = without "sampling" part in
  let drawn law =
    let law = merged (match field "sampling" part with Some sampling -> sampled sampling law | None -> law) in
    ((Checks.Draw (List.map (fun (p, q) -> (Chain.ratio p, Chain.ratio q)) law), times), Products.drawn basis law proof)
  in
  let has key = field key part <> None in
  if has "options" then raise (Not_covered "mechanisms that are chosen after outputs")
  else if has "chain" then (
    if has "sampling" then raise (Not_covered "compositions of samples of chains");
    if has "observer" then raise (Not_covered "compositions of chains in which steps are unseen");
    let named = has "from" in
    record ([ "chain"; "times" ] @ if named then [ "from"; "to" ] else []) part;
    let chain = Chain.read (get "chain" part) in
    let at name = Chain.position chain.names (text (get name part)) in
    let pairs = if named then [ (at "from", at "to") ] else chain.relation in
    demand (pairs <> []) "the relation has no pair";
    let numbered = List.map (fun (s, t) -> (Chain.number s, Chain.number t)) pairs in
    ((Checks.Run (Chain.coq chain, numbered), times), Products.run basis chain pairs proof))
  else if has "known" then drawn (known plain)
  else if has "program" then raise (Not_covered "compositions of programs")
  else drawn (given plain)

(* The words about the parts: those that follow each other and have the same words are named once. *)
let named_parts parts =
  let words part =
    let own =
      if field "from" part <> None then Printf.sprintf "from=%s to=%s" (encode (get "from" part)) (encode (get "to" part))
      else if field "chain" part <> None then "relation"
      else match field "known" part with Some name -> "known=" ^ text name | None -> "laws"
    in
    match field "sampling" part with
    | Some s -> Printf.sprintf "%s sampling=%s rate=%s" own (text (get "kind" s)) (abbreviate (rational (get "rate" s)))
    | None -> own
  in
  let places first after = Printf.sprintf "part=%d" first ^ if after - 1 > first then Printf.sprintf "-%d" (after - 1) else "" in
  let rec from first length = function
    | [] -> []
    | own :: _ as l ->
        let rec alike n = function x :: l when x = own -> alike (n + 1) l | l -> (n, l) in
        let n, rest = alike 0 l in
        let length = length + String.length own in
        if length > 10_000 then [ places first (first + List.length l) ^ " not-named" ]
        else (places first (first + n) ^ " " ^ own) :: from (first + n) length rest
  in
  String.concat " " (from 0 0 (List.map words parts))

let of_composition fields model evidence =
  List.iter (fun (key, about) -> if field key fields <> None then raise (Not_covered ("claims about " ^ about ^ " of compositions"))) [ ("moments", "moments"); ("errors", "errors") ];
  record [ "alpha"; "kind"; "lower"; "upper" ] ~optional:[ "epsilon" ] fields;
  let alpha = rational (get "alpha" fields) and lower = rational (get "lower" fields) and upper = rational (get "upper" fields) in
  demand (Q.geq alpha Q.one) "alpha is below 1";
  demand (Q.sign lower >= 0 && Q.leq lower upper && Q.leq upper Q.one) "the bounds do not satisfy 0 <= lower <= upper <= 1";
  let epsilon = match field "epsilon" fields with Some e -> [ epsilon_words alpha e ] | None -> [] in
  if field "adaptive" evidence <> None then raise (Not_covered "mechanisms that are chosen after outputs");
  if field "grid" evidence <> None then raise (Not_covered "compositions that are enclosed on a grid");
  record [ "basis"; "parts"; (if field "sums" evidence <> None then "sums" else "work") ] evidence;
  List.iter (fun key -> Option.iter (fun n -> ignore (index n)) (field key evidence)) [ "sums"; "work" ];
  record [ "parts"; "type"; "version" ] model;
  constant (get "type" model) (Text "composition");
  constant (get "version" model) (Int 1);
  let listed = items (get "parts" model) and proofs = items (get "parts" evidence) in
  demand (listed <> [] && List.length listed = List.length proofs) "there are no parts, or not as many proofs";
  let basis = Products.read_basis (get "basis" evidence) in
  let trials, parts = List.split (List.map2 (read_part basis) listed proofs) in
  let ratio = Chain.ratio in
  let above = (Checks.GainsAtMost (trials, ratio alpha, ratio upper), Products.at_most basis parts) in
  let below () =
    let secret, evidence = Products.at_least basis parts (List.map snd trials) alpha lower in
    (Checks.GainsAtLeast (trials, ratio alpha, ratio lower, secret), evidence)
  in
  let claims = Products.others basis parts @ (above :: (if Q.sign lower > 0 then [ below () ] else [])) in
  let runs = List.fold_left (fun a part -> a + index (get "times" part)) 0 listed in
  let counts = Printf.sprintf "parts=%d runs=%d" (List.length listed) runs in
  let words = ("composition" :: ("alpha=" ^ abbreviate alpha) :: epsilon) @ bounds_words fields @ [ named_parts listed; counts ] in
  (claims, String.concat " " words)
