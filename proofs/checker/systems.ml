(* Claims about chains and processes: how they are read, and the parts that the proved check decides. Nothing here is
   proved. *)
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

(* That no event gains more, and that some events gain so much: events about the labels, or about what is seen. *)
let close claim chain alpha upper pairs unrolled =
  let alpha = Chain.ratio alpha and upper = Chain.ratio upper in
  match claim.seen with
  | None -> (Checks.Close (chain, alpha, upper, numbered pairs), Checks.Unrolled unrolled)
  | Some (seen, collapse) ->
      (Checks.CloseSeen (Chain.coq seen.chain, Seen.observer seen, alpha, upper, Seen.outer seen pairs), Checks.Observed (collapse, unrolled))

let needed claim chain alpha lower (s, t) unrolled =
  let alpha = Chain.ratio alpha and lower = Chain.ratio lower in
  match claim.seen with
  | None -> (Checks.Needed (chain, alpha, lower, Chain.number s, Chain.number t), Checks.Unrolled unrolled)
  | Some (seen, collapse) ->
      let s, t = List.hd (Seen.outer seen [ (s, t) ]) in
      (Checks.NeededSeen (Chain.coq seen.chain, Seen.observer seen, alpha, lower, s, t), Checks.Observed (collapse, unrolled))

(* Claims about delta, lv and tv. *)
let of_delta claim evidence =
  let chain = Chain.coq claim.chain in
  let unrolled, lower_of = Nodes.read claim.chain claim.alpha ~distance:true evidence in
  let lower = bound claim "lower" in
  let above = close claim chain claim.alpha (bound claim "upper") (own_pairs claim) unrolled in
  (above :: (if Q.sign lower > 0 then [ needed claim chain claim.alpha lower (best claim lower_of) unrolled ] else []), [])

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
        let s, t = best claim lower_of in
        [ (Checks.Needed (chain, ratio, Chain.ratio least, Chain.number s, Chain.number t), Checks.Unrolled evidence) ]
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

(* Bisimilarity, by functions that make the evidence: classes with the class of each state, and the classes that splitters
   make; and by the parts of a claim. *)
let by_classes ~classes ~split ~together ~distinct ~everywhere claim evidence =
  let own = claim.chain in
  record [] ~optional:[ "classes"; "splitters" ] evidence;
  demand (members evidence <> []) "there is no evidence";
  let blocks name = Option.map (Relations.read_blocks own) (field name evidence) in
  let given = Option.map classes (blocks "classes") and splitters = blocks "splitters" in
  let splitting = List.map (List.map Chain.number) (Option.value splitters ~default:[]) in
  let first = split splitting in
  let zero (s, t) = match given with Some (_, place) -> place.(s) = place.(t) | None -> s = t in
  let one (s, t) = splitters <> None && not (Z.equal (first s) (first t)) in
  let table () = Object [ ("classes", get "classes" evidence) ] in
  let found, more = settled claim zero one table in
  let alone () = classes (List.init (Chain.size own) (fun s -> [ s ])) in
  let quotient pairs = [ together (numbered pairs) (fst (match given with Some given -> given | None -> alone ())) ] in
  let parts =
    match (found, given) with
    | Everywhere values, Some (lumped, _) -> [ everywhere (ratios values) lumped splitting ]
    | Everywhere _, None -> reject "there are no classes"
    | One (s, t), _ -> distinct (Chain.number s) (Chain.number t) splitting :: quotient []
    | Zero pairs, _ -> quotient pairs
  in
  (parts, more)

let of_bisimilarity claim =
  let chain = Chain.coq claim.chain in
  by_classes claim
    ~classes:(Relations.classes claim.chain)
    ~split:(Tables.split claim.chain)
    ~together:(fun pairs lumped -> (Checks.Bisimilar (chain, pairs), Checks.Classes lumped))
    ~distinct:(fun s t l -> (Checks.Distinct (chain, s, t), Checks.Split l))
    ~everywhere:(fun values lumped l -> (Checks.Bisimilarity (chain, values), Checks.Met (lumped, l)))

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
    let unrolled, lower_of = found.evidence a in
    let best = List.fold_left (fun p q -> if Q.gt (lower_of q) (lower_of p) then q else p) (List.hd own) own in
    close claim chain a high own unrolled :: (if Q.sign low > 0 then [ needed claim chain a low best unrolled ] else [])
  in
  let count = Printf.sprintf "%s=%d" name (List.length (items (get name claim.fields))) in
  (List.concat_map parts rows, [ "of=" ^ text (get "of" claim.fields); count ])

(* Claims against attackers who choose actions: delta; distances from above; and bisimilarity under all actions. *)
let of_attackers process claim evidence =
  let chosen, lower_of = Choices.read process claim.alpha evidence in
  let coq = Process.coq process and alpha = Chain.ratio claim.alpha and lower = bound claim "lower" in
  let above = (Checks.CloseToAll (coq, alpha, Chain.ratio (bound claim "upper"), pairs claim), chosen) in
  let s, t = best claim lower_of in
  let below = (Checks.NeededBySome (coq, alpha, Chain.ratio lower, Chain.number s, Chain.number t), chosen) in
  ((if Q.sign lower > 0 then [ above; below ] else [ above ]), [ "attackers=all" ])

let of_actions process claim evidence =
  if claim.scope = "all-pairs" then raise (Not_covered "distances of all pairs of processes");
  if Q.sign (bound claim "lower") > 0 || List.map fst (members evidence) <> [ "upper" ] then raise (Not_covered "distances of processes from below");
  let tables = Actions.read_upper process ~both:claim.both (get "upper" evidence) and alpha = Chain.ratio claim.alpha in
  ([ (Checks.AtMostForAll (claim.both, Process.coq process, alpha, Chain.ratio (bound claim "upper"), pairs claim), tables) ], [ "attackers=all" ])

let of_classes process claim evidence =
  let coq = Process.coq process in
  let parts, more =
    by_classes claim evidence
      ~classes:(Actions.classes process)
      ~split:(Actions.split process)
      ~together:(fun pairs (base, place) -> (Checks.BisimilarForAll (coq, pairs), Checks.Lumped (base, place)))
      ~distinct:(fun s t l -> (Checks.DistinctForAll (coq, s, t), Checks.Split l))
      ~everywhere:(fun values (base, place) l -> (Checks.BisimilarityForAll (coq, values), Checks.LumpedMet (base, place, l)))
  in
  (parts, more @ [ "attackers=all" ])

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

let of_processes =
  [ ("lv", of_attackers); ("tv", of_attackers); ("ld", of_actions); ("bd", of_actions); ("bisimilarity", of_classes) ]

let uncovered = [ ("lost", "lost runs"); ("nature", "actions of nature") ]
let about_events = [ "lv"; "profile"; "tv" ]
let merging = [ "bd"; "ld"; "lgd" ]

(* The chain that a claim is about, the states that names stand for, the other evidence, and what is proved of this
   chain: that it shows what is seen, or has one state for each class of bisimilar states. *)
type subject = { own : Chain.t; place : int -> int; rest : Json.t; observed : (Seen.t * Checks.collapse) option; parts : (Checks.claim * Checks.evidence) list }

let without key value = Object (List.filter (fun (own, _) -> own <> key) (members value))
let relation_by place fields subject =
  let at (s, t) = (place s, place t) in
  if get "scope" fields = Text "relation" then List.sort_uniq compare (List.map at subject.own.relation) else []

let seen_by kind fields subject =
  match field "observer" fields with
  | None -> subject
  | Some observer ->
      let shape = get "collapsing" subject.rest in
      let seen = Seen.read subject.own observer shape in
      let collapse = Collapsing.read seen shape and place = Seen.begin_of seen in
      let shows = Checks.Shows (Chain.coq seen.chain, Seen.observer seen, Chain.coq seen.small, numbered seen.begins) in
      let parts = if List.mem kind about_events then [] else [ (shows, Checks.Collapsed collapse) ] in
      let own = { seen.small with relation = relation_by place fields subject } in
      { own; place; rest = without "collapsing" subject.rest; observed = Some (seen, collapse); parts }

let merged fields subject =
  match field "quotient" fields with
  | None -> subject
  | Some name ->
      constant name (Text "bisimilarity");
      let shape = get "quotient" subject.rest in
      record [ "classes"; "splitters" ] shape;
      let blocks key = Relations.read_blocks subject.own (get key shape) in
      let base, class_of = Chain.quotient subject.own (blocks "classes") in
      let splitters = List.map (List.map Chain.number) (blocks "splitters") in
      ignore (Tables.split subject.own splitters 0);
      let merges = Checks.Merges (Chain.coq subject.own, Chain.coq base, Array.to_list (Array.map Chain.number class_of)) in
      let own = { base with relation = relation_by (Array.get class_of) fields subject } in
      { subject with own; place = (fun s -> class_of.(subject.place s)); rest = without "quotient" subject.rest; parts = subject.parts @ [ (merges, Checks.Split splitters) ] }

(* The claim of a chain, or of a process. *)
let read_claim kind keys fields ~more names subject =
  let scope = text (get "scope" fields) in
  let own = match List.assoc_opt scope keys with Some own -> own | None -> reject "the scope of the claim is unknown" in
  let name = if field "corners" fields <> None then "corners" else "points" in
  record ([ "kind"; "scope" ] @ own @ if kind = "profile" then [ name ] else []) ~optional:(more @ if List.mem "alpha" own then [ "epsilon" ] else []) fields;
  let alpha = match field "alpha" fields with Some a -> rational a | None -> Q.one in
  demand (Q.geq alpha Q.one) "alpha is below 1";
  let at name = subject.place (Chain.position names (text (get name fields))) in
  let from_to = if List.mem "from" own then Some (at "from", at "to") else None in
  (match from_to with
  | Some pair -> demand (scope = "pair" || List.mem pair subject.own.relation) "from and to are not related"
  | None -> ());
  let of_ = match field "of" fields with Some of_ -> text of_ | None -> kind in
  demand (kind <> "profile" || List.mem of_ [ "lv"; "tv" ]) "of is neither tv nor lv";
  let claim = { alpha; kind; both = List.mem of_ [ "tv"; "bd" ]; scope; from_to; fields; chain = subject.own; seen = subject.observed } in
  if List.mem "lower" own then demand (Q.leq (bound claim "lower") (bound claim "upper")) "lower > upper";
  claim

let of_system kind fields model evidence =
  let keys, of_chain = match List.assoc_opt kind kinds with Some found -> found | None -> raise (Not_covered ("claims of kind " ^ kind)) in
  List.iter (fun (key, about) -> if field key fields <> None then raise (Not_covered ("claims about " ^ about))) uncovered;
  if field "rounding" evidence <> None then raise (Not_covered "claims about real probabilities");
  let plain own = { own; place = Fun.id; rest = evidence; observed = None; parts = [] } in
  let names, subject, more, rule =
    match field "type" model with
    | Some (Text "labelled-markov-chain") ->
        let chain = Chain.read model in
        let more = "observer" :: (if List.mem kind merging then [ "quotient" ] else []) in
        (chain.names, merged fields (seen_by kind fields (plain chain)), more, of_chain)
    | Some (Text "labelled-markov-decision-process") ->
        let of_process = match List.assoc_opt kind of_processes with Some rule -> rule | None -> raise (Not_covered ("claims of kind " ^ kind ^ " about attackers who choose")) in
        if field "quotient" fields <> None then raise (Not_covered "quotients of processes");
        let process = Process.read model in
        (process.base.names, plain process.base, [], of_process process)
    | _ -> raise (Not_covered "claims about this type of model")
  in
  let claim = read_claim kind keys fields ~more names subject in
  let parts, words = rule claim subject.rest in
  (subject.parts @ parts, line claim words)
