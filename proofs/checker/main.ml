(* prover-checked CERTIFICATE: prints VERIFIED and the claim in words if the proved check of proofs/Checked.v
   accepts it (exit status 0), or REJECTED and a reason (1). Status 2: the file cannot be read, or this
   program covers no claims of its kind. What is here is not proved: how a certificate is read as a claim. *)
open Json
open Words

let bound claim name =
  let q = rational (get name claim.fields) in
  demand (Q.sign q >= 0 && Q.leq q Q.one) "a number is not between 0 and 1";
  q

let numbered = List.map (fun (s, t) -> (Chain.number s, Chain.number t))

(* The pairs that a claim is about, in both orders if it is about both directions. *)
let own_pairs claim =
  let given = if claim.scope = "relation" then claim.chain.relation else Option.to_list claim.from_to in
  if claim.both then List.sort_uniq compare (given @ List.map Tables.swap given) else given

let pairs claim = numbered (own_pairs claim)

(* The pair, or the one turned round if more is proved from below for this one. *)
let best claim lower_of =
  let s, t = Option.get claim.from_to in
  if claim.both && Q.lt (lower_of (s, t)) (lower_of (t, s)) then (t, s) else (s, t)

let needed claim chain evidence lower_of lower =
  let s, t = best claim lower_of in
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

(* A claim that a pair has the value 1, or that all pairs have the value 0; or a value for all pairs of states, 0 or
   1, and the words about it. *)
type settled = One of int * int | Zero of (int * int) list | Everywhere of Q.t list list

let settled claim zero one table =
  let own = claim.chain in
  if claim.scope = "all-pairs" then (
    let n = Chain.size own in
    let value i j = if zero (i, j) then Q.zero else (demand (one (i, j)) "nothing separates a pair"; Q.one) in
    (Everywhere (List.init n (fun i -> List.init n (value i))), [ "table=" ^ Sha256.hex (encode (table ())) ]))
  else
    let value = rational (get "value" claim.fields) in
    if Q.equal value Q.one then (
      let s, t = Option.get claim.from_to in
      demand (one (s, t)) "the value of a pair does not follow from the evidence";
      (One (s, t), []))
    else (
      demand (Q.equal value Q.zero) "value is neither 0 nor 1";
      let pairs = own_pairs claim in
      demand (List.for_all zero pairs) "the value of a pair does not follow from the evidence";
      (Zero pairs, []))

let ratios = List.map (List.map Chain.ratio)

(* Skewed bisimilarity. Rows of related pairs that the claim does not need are checked, too. *)
let of_kernel claim evidence =
  let own = claim.chain in
  let above, separators, held, apart = Relations.kernel own claim.alpha evidence in
  let together = Hashtbl.create 64 in
  List.iter (fun pair -> Hashtbl.replace together pair ()) held;
  let zero (s, t) = s = t || Hashtbl.mem together (s, t) in
  let one (s, t) = own.labels.(s) <> own.labels.(t) || Hashtbl.mem apart (s, t) in
  let table () =
    let pair (i, j) = List [ Int i; Int j ] in
    Object [ ("unrelated", List (List.map pair (List.sort compare (Hashtbl.fold (fun p () l -> p :: l) apart [])))) ]
  in
  let found, more = settled claim zero one table in
  let chain = Chain.coq own and alpha = Chain.ratio claim.alpha in
  let related = (Checks.DistanceAtMost (false, chain, alpha, Chain.ratio Q.zero, numbered held), Checks.Couplings above) in
  let part =
    match found with
    | Everywhere values -> [ (Checks.Kernel (chain, alpha, ratios values), Checks.Parted (above, separators)) ]
    | One (s, t) -> [ related; (Checks.Unrelated (chain, alpha, Chain.number s, Chain.number t), Checks.Separators separators) ]
    | Zero pairs -> [ (Checks.DistanceAtMost (false, chain, alpha, Chain.ratio Q.zero, numbered (pairs @ held)), Checks.Couplings above) ]
  in
  (part, more)

let of_bisimilarity claim evidence =
  let own = claim.chain in
  record [] ~optional:[ "classes"; "splitters" ] evidence;
  demand (members evidence <> []) "there is no evidence";
  let blocks name = Option.map (Relations.read_blocks own) (field name evidence) in
  let classes = Option.map (Relations.classes own) (blocks "classes") and splitters = blocks "splitters" in
  let split = List.map (List.map Chain.number) (Option.value splitters ~default:[]) in
  let first = Tables.split own split in
  let zero (s, t) = match classes with Some (_, place) -> place.(s) = place.(t) | None -> s = t in
  let one (s, t) = splitters <> None && not (Z.equal (first s) (first t)) in
  let table () = Object [ ("classes", get "classes" evidence) ] in
  let found, more = settled claim zero one table in
  let chain = Chain.coq own in
  let alone () = Relations.classes own (List.init (Chain.size own) (fun s -> [ s ])) in
  let quotient pairs =
    let classes, _ = match classes with Some classes -> classes | None -> alone () in
    [ (Checks.Bisimilar (chain, numbered pairs), Checks.Classes classes) ]
  in
  let parts =
    match (found, classes) with
    | Everywhere values, Some (classes, _) -> [ (Checks.Bisimilarity (chain, ratios values), Checks.Met (classes, split)) ]
    | Everywhere _, None -> reject "there are no classes"
    | One (s, t), _ -> (Checks.Distinct (chain, Chain.number s, Chain.number t), Checks.Split split) :: quotient []
    | Zero pairs, _ -> quotient pairs
  in
  (parts, more)

(* Delta at several alpha. Of its corners the proved check decides the values there, and half way between neighbours;
   that nothing falls beyond the last one is decided here. *)
let of_curve claim evidence =
  let name = if field "corners" claim.fields <> None then "corners" else "points" in
  let rows = List.map (fun row -> List.map rational (items row)) (items (get name claim.fields)) in
  let row = function
    | [ a; v ] when name = "corners" -> (a, v, v)
    | [ a; low; high ] when name = "points" -> (a, low, high)
    | _ -> reject "a row has the wrong length"
  in
  let rows = List.map row rows in
  let rec rising = function (a, _, _) :: ((b, _, _) :: _ as l) -> Q.lt a b && rising l | _ -> true in
  let first, _, _ = match rows with row :: _ -> row | [] -> reject "there is no alpha" in
  demand (Q.geq first Q.one && rising rows) "an alpha is below 1, or they are not increasing";
  let fits (_, low, high) = Q.sign low >= 0 && Q.leq low high && Q.leq high Q.one in
  demand (List.for_all fits rows) "a number is not between 0 and 1, or lower > upper";
  let own = own_pairs claim in
  demand (own <> []) "the relation has no pair";
  let found = Curve.read claim.chain own evidence in
  let most delta = List.fold_left (fun a law -> Q.max a (delta law)) Q.zero found.laws in
  let rec middles = function
    | (a, v, _) :: ((b, w, _) :: _ as l) ->
        let half x y = Q.div (Q.add x y) (Q.of_int 2) in
        (half a b, half v w, half v w) :: middles l
    | _ -> []
  in
  let rows =
    if name = "corners" then (
      demand found.closed "corners exclude open nodes";
      demand (Q.equal first Q.one) "the first corner is not at 1";
      let _, last, _ = List.nth rows (List.length rows - 1) in
      let at_infinity (law, _) = Q.sub Q.one (Curve.mass law) in
      demand (Q.equal last (most at_infinity)) "delta is not constant from the last corner on";
      rows @ middles rows)
    else (
      let proves (a, low, high) =
        Q.leq low (most (fun (law, _) -> Curve.delta ~rounded:Curve.down a law))
        && Q.geq high (most (fun (_, law) -> Curve.delta ~rounded:Curve.up a law))
      in
      demand (List.for_all proves rows) "the evidence does not prove the bounds";
      rows)
  in
  let chain = Chain.coq claim.chain in
  let parts (a, low, high) =
    let alpha = Chain.ratio a and unrolled, lower_of = found.evidence a in
    let above = (Checks.Close (chain, alpha, Chain.ratio high, numbered own), Checks.Unrolled unrolled) in
    let s, t = List.fold_left (fun p q -> if Q.gt (lower_of q) (lower_of p) then q else p) (List.hd own) own in
    let below = (Checks.Needed (chain, alpha, Chain.ratio low, Chain.number s, Chain.number t), Checks.Unrolled unrolled) in
    if Q.sign low > 0 then [ above; below ] else [ above ]
  in
  let count = Printf.sprintf "%s=%d" name (List.length (items (get name claim.fields))) in
  (List.concat_map parts rows, [ "of=" ^ text (get "of" claim.fields); count ])

(* Claims about delta against attackers who choose actions. *)
let of_attackers process claim evidence =
  let chosen, lower_of = Choices.read process claim.alpha evidence in
  let coq = Process.coq process and alpha = Chain.ratio claim.alpha and lower = bound claim "lower" in
  let above = (Checks.CloseToAll (coq, alpha, Chain.ratio (bound claim "upper"), pairs claim), Checks.Chosen chosen) in
  let s, t = best claim lower_of in
  let below = (Checks.NeededBySome (coq, alpha, Chain.ratio lower, Chain.number s, Chain.number t), Checks.Chosen chosen) in
  ((if Q.sign lower > 0 then [ above; below ] else [ above ]), [ "attackers=all" ])

(* Kinds of claims: their keys by scope, with those that are optional. *)
let unrolled = List.map (fun scope -> (scope, [ "alpha"; "from"; "lower"; "to"; "upper" ])) [ "pair"; "relation" ]
let bounded = ("all-pairs", [ "alpha"; "width" ]) :: unrolled
let related more = ("all-pairs", more) :: List.map (fun scope -> (scope, more @ [ "from"; "to"; "value" ])) [ "pair"; "relation" ]
let profiled = [ ("pair", [ "from"; "of"; "to" ]); ("relation", [ "of" ]) ]

let kinds =
  [
    ("lv", (unrolled, of_delta));
    ("tv", (unrolled, of_delta));
    ("ld", (bounded, of_distance));
    ("lgd", (bounded, of_distance));
    ("bd", (bounded, of_distance));
    ("kernel", (related [ "alpha" ], of_kernel));
    ("bisimilarity", (related [], of_bisimilarity));
    ("profile", (profiled, of_curve));
  ]

let uncovered = [ ("observer", "unseen steps"); ("quotient", "quotients"); ("lost", "lost runs"); ("nature", "actions of nature") ]

(* The claim of a chain, or of a process. *)
let read_claim kind keys fields chain =
  let scope = text (get "scope" fields) in
  let own = match List.assoc_opt scope keys with Some own -> own | None -> reject "the scope of the claim is unknown" in
  let name = if field "corners" fields <> None then "corners" else "points" in
  record ([ "kind"; "scope" ] @ own @ if kind = "profile" then [ name ] else []) ~optional:(if List.mem "alpha" own then [ "epsilon" ] else []) fields;
  let alpha = match field "alpha" fields with Some a -> rational a | None -> Q.one in
  demand (Q.geq alpha Q.one) "alpha is below 1";
  let at name = Chain.position chain.Chain.names (text (get name fields)) in
  let from_to = if List.mem "from" own then Some (at "from", at "to") else None in
  (match from_to with
  | Some pair -> demand (scope = "pair" || List.mem pair chain.relation) "from and to are not related"
  | None -> ());
  let of_ = match field "of" fields with Some of_ -> text of_ | None -> kind in
  demand (kind <> "profile" || List.mem of_ [ "lv"; "tv" ]) "of is neither tv nor lv";
  let claim = { alpha; kind; both = List.mem of_ [ "tv"; "bd" ]; scope; from_to; fields; chain } in
  if List.mem "lower" own then demand (Q.leq (bound claim "lower") (bound claim "upper")) "lower > upper";
  claim

let of_system kind fields model evidence =
  let keys, of_chain = match List.assoc_opt kind kinds with Some found -> found | None -> raise (Not_covered ("claims of kind " ^ kind)) in
  List.iter (fun (key, about) -> if field key fields <> None then raise (Not_covered ("claims about " ^ about))) uncovered;
  if field "rounding" evidence <> None then raise (Not_covered "claims about real probabilities");
  let chain, rule =
    match field "type" model with
    | Some (Text "labelled-markov-chain") -> (Chain.read model, of_chain)
    | Some (Text "labelled-markov-decision-process") when List.mem kind [ "lv"; "tv" ] ->
        let process = Process.read model in
        (process.base, of_attackers process)
    | Some (Text "labelled-markov-decision-process") ->
        raise (Not_covered ("claims of kind " ^ kind ^ " about attackers who choose"))
    | _ -> raise (Not_covered "claims about this type of model")
  in
  let claim = read_claim kind keys fields chain in
  let parts, more = rule claim evidence in
  (parts, line claim more)

(* The line about a certificate that is accepted. *)
let verified data =
  let top = decode data in
  if (match top with Object _ -> field "claim" top = None | _ -> true) then reject "the file has no claim, so it is not a certificate";
  record [ "claim"; "evidence"; "format"; "model"; "version" ] top;
  constant (get "format" top) (Text "prover-certificate");
  constant (get "version" top) (Int 1);
  let fields = get "claim" top and model = get "model" top and evidence = get "evidence" top in
  let kind = text (get "kind" fields) in
  let of_model =
    match List.assoc_opt kind Privacy.kinds with
    | Some of_program when field "type" model = Some (Text "threshold-program") -> of_program
    | _ -> of_system kind
  in
  let parts, line = of_model fields model evidence in
  demand (Checks.check_all parts) "the proved check does not accept the evidence";
  Printf.sprintf "%s model=%s" line (Chain.identity model)

let contents path =
  let file = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in file) (fun () -> really_input_string file (in_channel_length file))

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
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
