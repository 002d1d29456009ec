(* prover-checked CERTIFICATE: prints VERIFIED and the claim in words if the proved check of proofs/Checked.v
   accepts it (exit status 0), or REJECTED and a reason (1). Status 2: the file cannot be read, or this
   program covers no claims of its kind. What is here is not proved: how a certificate is read, and the words. *)
open Json

let text_of q = if Z.equal (Q.den q) Z.one then Z.to_string (Q.num q) else Q.to_string q

(* Section 5: a number of more than 60 characters is cut after 20 places. *)
let abbreviate ?(up = false) q =
  let number = text_of q in
  if String.length number <= 60 then number
  else
    let top = String.length (Z.to_string (Q.num q)) and digits = String.length (Z.to_string (Q.den q)) in
    let bottom = if Z.equal (Q.den q) Z.one then 0 else digits in
    let exponent = max 0 (top - bottom - 20) in
    let n = Z.mul (Q.num q) (Z.pow (Z.of_int 10) 20) and d = Z.mul (Q.den q) (Z.pow (Z.of_int 10) exponent) in
    let places = Z.to_string (if up then Z.cdiv n d else Z.fdiv n d) in
    let places = String.make (max 0 (21 - String.length places)) '0' ^ places in
    let whole = String.length places - 20 in
    Printf.sprintf "%s.%s...%s (exact number of %d digits%s)" (String.sub places 0 whole) (String.sub places whole 20)
      (if exponent > 0 then Printf.sprintf "e+%d" exponent else "")
      (top + bottom)
      (if up then ", rounded up" else "")

(* Whether alpha > e^x, by sums of x^k / k! rounded down and up, with more and more bits. *)
let exceeds_exponential alpha x =
  let rec with_bits bits =
    if bits > 1 lsl 14 then reject "alpha is too close to e^epsilon to decide which is larger";
    let unit = Z.shift_left Z.one bits in
    let scaled = Z.mul (Q.num alpha) unit in
    let rec from k below above low high =
      let ended = Z.geq (Z.mul (Z.of_int k) (Q.den x)) (Z.mul (Z.of_int 2) (Q.num x)) && Z.leq above Z.one in
      if Z.geq (Z.mul low (Q.den alpha)) scaled then false
      else if ended then Z.lt (Z.mul (Z.add high above) (Q.den alpha)) scaled || with_bits (2 * bits)
      else
        let d = Z.mul (Z.of_int (k + 1)) (Q.den x) in
        let below = Z.fdiv (Z.mul below (Q.num x)) d and above = Z.cdiv (Z.mul above (Q.num x)) d in
        from (k + 1) below above (Z.add low below) (Z.add high above)
    in
    from 0 unit unit unit unit
  in
  with_bits 128

let epsilon_words alpha value =
  record [ "alpha"; "value" ] value;
  let side = text (get "alpha" value) and x = positive (get "value" value) in
  demand (List.mem side [ "at-least"; "at-most" ]) "alpha is neither at-least nor at-most";
  demand (exceeds_exponential alpha x = (side = "at-least")) ("alpha is not " ^ side ^ " e^epsilon");
  Printf.sprintf "%sexp(%s)" (if side = "at-least" then ">=" else "<=") (abbreviate x)

(* The identity of the tables of all pairs (Section 5). *)
let identity ~both (below : Tables.table) (above : Tables.table) =
  let listed (table : Tables.table) default =
    let rows = List.concat_map (fun (r : Tables.row) -> (r.pair, r.value) :: (if both then [ (Tables.swap r.pair, r.value) ] else [])) table.rows in
    let g = List.fold_left (fun g (_, n) -> Z.gcd g n) table.unit rows in
    let hex n = Text (Z.format "%x" (Z.divexact n g)) in
    let kept = List.filter (fun (_, n) -> not (Z.equal n default)) (List.sort compare rows) in
    let row ((i, j), n) = List [ Int i; Int j; hex n ] in
    Object [ ("denominator", hex table.unit); ("rows", List (List.map row kept)) ]
  in
  Sha256.hex (encode (Object [ ("lower", listed below Z.zero); ("upper", listed above above.unit) ]))

type claim = { alpha : Q.t; kind : string; both : bool; scope : string; from_to : (int * int) option; fields : Json.t; chain : Chain.t }

let bound claim name =
  let q = rational (get name claim.fields) in
  demand (Q.sign q >= 0 && Q.leq q Q.one) "a number is not between 0 and 1";
  q

(* The pairs that the bound from above is about. *)
let pairs claim =
  let given = if claim.scope = "relation" then claim.chain.relation else Option.to_list claim.from_to in
  let all = if claim.both then List.sort_uniq compare (given @ List.map Tables.swap given) else given in
  List.map (fun (s, t) -> (Chain.number s, Chain.number t)) all

let needed claim chain evidence lower_of lower =
  let s, t = Option.get claim.from_to in
  let s, t = if claim.both && Q.lt (lower_of (s, t)) (lower_of (t, s)) then (t, s) else (s, t) in
  (Checks.Needed (chain, Chain.ratio claim.alpha, Chain.ratio lower, Chain.number s, Chain.number t), Checks.Unrolled evidence)

(* Claims about delta, lv and tv. *)
let of_delta claim evidence =
  let chain = Chain.coq claim.chain and alpha = Chain.ratio claim.alpha in
  let unrolled, lower_of = Nodes.read claim.chain claim.alpha ~distance:true evidence in
  let lower = bound claim "lower" in
  let above = (Checks.Close (chain, alpha, Chain.ratio (bound claim "upper"), pairs claim), Checks.Unrolled unrolled) in
  (above :: (if Q.sign lower > 0 then [ needed claim chain unrolled lower_of lower ] else []), [])

(* Claims about ld (with lgd, which is equal on paper) and bd. *)
let of_distance claim evidence =
  let { both; alpha; chain = own; _ } = claim in
  let chain = Chain.coq own and ratio = Chain.ratio alpha in
  let all = claim.scope = "all-pairs" in
  let exact = field "exact" evidence <> None in
  record [] ~optional:("symmetries" :: (if exact then [ "exact" ] else [ "lower"; "upper" ])) evidence;
  demand (List.exists (fun (key, _) -> key <> "symmetries") (members evidence)) "there is no evidence";
  let symmetries = match field "symmetries" evidence with Some l -> List.map (Tables.symmetry own) (items l) | None -> [] in
  let table side ~above ~below =
    match field side evidence with Some t -> Tables.read own ~both ~above ~below symmetries t | None -> Tables.none
  in
  let unrolled = match field "lower" evidence with Some l when not all -> field "unrolling" l <> None | _ -> false in
  let above = if exact then table "exact" ~above:true ~below:true else table "upper" ~above:true ~below:false in
  let below = if exact then above else if unrolled then Tables.none else table "lower" ~above:false ~below:true in
  let upper = Tables.upper own above in
  let lower () = Tables.lower own alpha ~both below in
  if all then (
    let lower = lower () in
    let d = Tables.distances own alpha ~both below in
    let value i j = Chain.ratio (if i <> j && own.labels.(i) <> own.labels.(j) then Q.one else Tables.distance d i j) in
    let n = Chain.size own in
    let values = List.init n (fun i -> List.init n (value i)) in
    let words = identity ~both below above in
    ([ (Checks.AllPairs (both, chain, ratio, Chain.ratio (bound claim "width"), values), Checks.Between (upper, lower)) ], [ "table=" ^ words ]))
  else
    let least = bound claim "lower" in
    let s, t = Option.get claim.from_to in
    let at_most = (Checks.DistanceAtMost (both, chain, ratio, Chain.ratio (bound claim "upper"), pairs claim), Checks.Couplings upper) in
    let at_least =
      if unrolled then
        let evidence, lower_of = Nodes.read own alpha ~distance:false (get "lower" evidence) in
        [ needed claim chain evidence lower_of least ]
      else
        [ (Checks.DistanceAtLeast (both, chain, ratio, Chain.ratio least, Chain.number s, Chain.number t), Checks.Potentials (lower ())) ]
    in
    (at_most :: at_least, [])

(* Kinds of claims: whether both directions count, the scopes, and the rule. *)
let kinds =
  [
    ("lv", (false, [ "pair"; "relation" ], of_delta));
    ("tv", (true, [ "pair"; "relation" ], of_delta));
    ("ld", (false, [ "all-pairs"; "pair"; "relation" ], of_distance));
    ("lgd", (false, [ "all-pairs"; "pair"; "relation" ], of_distance));
    ("bd", (true, [ "all-pairs"; "pair"; "relation" ], of_distance));
  ]

let uncovered = [ ("observer", "unseen steps"); ("quotient", "quotients"); ("lost", "lost runs"); ("nature", "actions of nature") ]

let words claim more =
  let number key = abbreviate ~up:(key = "upper" || key = "width") (rational (get key claim.fields)) in
  let alpha = "alpha=" ^ abbreviate claim.alpha in
  let epsilon = match field "epsilon" claim.fields with Some e -> [ epsilon_words claim.alpha e ] | None -> [] in
  let alike = List.fold_left (fun n states -> let k = List.length states in n + (k * (k - 1))) 0 (Array.to_list (Chain.peers claim.chain)) in
  let last =
    if claim.scope = "all-pairs" then
      [ "all-pairs"; (if number "width" = "0" then Printf.sprintf "exact: %d pairs" alike else "width=" ^ number "width") ]
    else
      let end_ name = name ^ "=" ^ encode (get name claim.fields) in
      let same = get "lower" claim.fields = get "upper" claim.fields in
      (if claim.scope = "relation" then [ "relation maximum at" ] else [])
      @ [ end_ "from"; end_ "to" ]
      @ if same then [ "value=" ^ abbreviate (rational (get "lower" claim.fields)) ] else [ "lower=" ^ number "lower"; "upper=" ^ number "upper" ]
  in
  String.concat " " ((claim.kind :: alpha :: epsilon) @ last @ more)

(* The line about a certificate that is accepted. *)
let verified data =
  let top = decode data in
  if (match top with Object _ -> field "claim" top = None | _ -> true) then reject "the file has no claim, so it is not a certificate";
  record [ "claim"; "evidence"; "format"; "model"; "version" ] top;
  constant (get "format" top) (Text "prover-certificate");
  constant (get "version" top) (Int 1);
  let fields = get "claim" top and model = get "model" top and evidence = get "evidence" top in
  let kind = text (get "kind" fields) in
  let both, scopes, rule = match List.assoc_opt kind kinds with Some found -> found | None -> raise (Not_covered ("claims of kind " ^ kind)) in
  if field "type" model <> Some (Text "labelled-markov-chain") then raise (Not_covered "claims about this type of model");
  List.iter (fun (key, about) -> if field key fields <> None then raise (Not_covered ("claims about " ^ about))) uncovered;
  if field "rounding" evidence <> None then raise (Not_covered "claims about real probabilities");
  let scope = text (get "scope" fields) in
  demand (List.mem scope scopes) "the scope of the claim is unknown";
  record ([ "alpha"; "kind"; "scope" ] @ if scope = "all-pairs" then [ "width" ] else [ "from"; "lower"; "to"; "upper" ]) ~optional:[ "epsilon" ] fields;
  let chain = Chain.read model in
  let alpha = rational (get "alpha" fields) in
  demand (Q.geq alpha Q.one) "alpha is below 1";
  let from_to =
    if scope = "all-pairs" then None
    else
      let at name = Chain.position chain.names (text (get name fields)) in
      Some (at "from", at "to")
  in
  (match from_to with
  | Some pair -> demand (scope = "pair" || List.mem pair chain.relation) "from and to are not related"
  | None -> ());
  let claim = { alpha; kind; both; scope; from_to; fields; chain } in
  if scope <> "all-pairs" then demand (Q.leq (bound claim "lower") (bound claim "upper")) "lower > upper";
  let parts, more = rule claim evidence in
  let line = words claim more in
  demand (Checks.check_all parts) "the proved check does not accept the evidence";
  Printf.sprintf "%s model=%s" line (Chain.identity model)

let contents path =
  let file = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in file) (fun () -> really_input_string file (in_channel_length file))

let () =
  let status, line =
    match Sys.argv with
    | [| _; path |] -> (
        try (0, "VERIFIED " ^ verified (contents path)) with
        | Rejected reason -> (1, "REJECTED " ^ reason)
        | Not_covered what -> (2, "the proved program does not cover " ^ what)
        | Sys_error reason -> (2, reason)
        | Stack_overflow | Out_of_memory -> (2, "there is not enough memory"))
    | _ -> (2, "usage: prover-checked CERTIFICATE")
  in
  (if status < 2 then print_endline else prerr_endline) line;
  exit status
