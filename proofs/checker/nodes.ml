(* Unrollings (Section 3.5) as evidence for proofs/Delta.v: the vectors of all nodes, and heights of inner ones.
   What is computed here needs no trust: the proved check refuses what is wrong. *)
open Json
open Chain

module States = Map.Make (Int)

type shape = Leaf of (int * int * Q.t) list | Balanced | Inner

(* x and y are the vectors of the specification divided by [scale]: integers without a common factor. Entries
   lead to nodes with factors for these vectors; values are for them, too. *)
type node = {
  x : Z.t States.t;
  y : Z.t States.t;
  scale : Q.t;
  label : int;
  shape : shape;
  low : Q.t;
  up : Q.t;
  entries : (int * Q.t) list;
}

type vectors = { xs : Z.t States.t; ys : Z.t States.t; factor : Q.t }

let sum z = States.fold (fun _ n a -> Z.add n a) z Z.zero

let normal x y =
  let fold f z a = States.fold (fun _ q a -> f q a) z a in
  let below = fold (fun q -> Z.lcm (Q.den q)) x (fold (fun q -> Z.lcm (Q.den q)) y Z.one) in
  let x = States.map (over below) x and y = States.map (over below) y in
  let g = fold Z.gcd x (fold Z.gcd y Z.zero) in
  { xs = States.map (fun n -> Z.divexact n g) x; ys = States.map (fun n -> Z.divexact n g) y; factor = Q.make g below }

let following chain z =
  let add n after (k, p) =
    States.update k (fun old -> Some (Q.add (Q.mul (Q.of_bigint n) p) (Option.value old ~default:Q.zero))) after
  in
  States.fold (fun i n after -> List.fold_left (add n) after chain.next.(i)) z States.empty

let of_label chain a = States.filter (fun k _ -> chain.labels.(k) = a)
let labels_of chain z = List.sort_uniq compare (List.map (fun (k, _) -> chain.labels.(k)) (States.bindings z))

(* What an attacker gains who guesses at a node. *)
let gap alpha node = Q.max Q.zero (Q.sub (Q.of_bigint (sum node.x)) (Q.mul alpha (Q.of_bigint (sum node.y))))

let read_entries chain nodes value =
  let entry e =
    let place p = let p = index p in demand (p < nodes) "an entry leads to no node"; p in
    match items e with
    | [ a; p ] -> (text a, place p, None)
    | [ a; p; c ] -> (text a, place p, Some (positive c))
    | _ -> reject "an entry has the wrong length"
  in
  let found = List.map entry (items value) in
  demand (ascending (List.map (fun (a, _, _) -> a) found)) "labels are out of order or repeated";
  List.map (fun (a, p, c) -> (position chain.label_names a, p, c)) found

(* The nodes of the certificate; and after them one for each vector that only y leads to, where an event gains
   nothing: so the entries of every node say all that comes after. *)
let expanded chain alpha (cost : node -> Q.t) roots given =
  let count = List.length given in
  demand (List.length roots <= count) "there are more roots than nodes";
  let rays = Array.make count None in
  List.iteri (fun q (s, t) -> rays.(q) <- Some { xs = States.singleton s Z.one; ys = States.singleton t Z.one; factor = Q.one }) roots;
  let ends = Hashtbl.create 8 and extra = ref [] and extras = ref 0 in
  let ending only =
    let name = List.map (fun (k, n) -> (k, Z.to_string n)) (States.bindings only.ys) in
    match Hashtbl.find_opt ends name with
    | Some p -> p
    | None ->
        let p = count + !extras in
        Hashtbl.replace ends name p;
        incr extras;
        let label = List.hd (labels_of chain only.ys) in
        extra := { x = States.empty; y = only.ys; scale = Q.one; label; shape = Leaf []; low = Q.zero; up = Q.zero; entries = [] } :: !extra;
        p
  in
  let make q shape =
    let ray = match rays.(q) with Some r -> r | None -> reject "no entry of an earlier node defines a node" in
    let label = List.hd (labels_of chain ray.xs) in
    let blank = { x = ray.xs; y = ray.ys; scale = ray.factor; label; shape = Inner; low = Q.zero; up = Q.zero; entries = [] } in
    if field "coupling" shape <> None then (
      record [ "coupling" ] shape;
      let w = List.map (fun (i, j, w) -> (i, j, Q.div w ray.factor)) (Tables.coupling chain (get "coupling" shape)) in
      ({ blank with shape = Leaf w }, []))
    else
      let balanced = field "balanced" shape <> None in
      record (if balanced then [ "balanced" ] else [ "lower"; "next"; "upper" ]) shape;
      let value name =
        let v = rational (get name shape) in
        demand (Q.sign v >= 0) "a value is negative";
        Q.div v ray.factor
      in
      let entries = read_entries chain count (get (if balanced then "balanced" else "next") shape) in
      let x = following chain ray.xs and y = following chain ray.ys in
      demand (List.map (fun (a, _, _) -> a) entries = labels_of chain x) "the labels are not exactly the possible ones";
      let step (a, p, c) =
        (match c with
        | None ->
            demand (p > q && rays.(p) = None) "a node is defined already";
            let scaled z = States.map (Q.mul ray.factor) (of_label chain a z) in
            rays.(p) <- Some (normal (scaled x) (scaled y))
        | Some _ -> ());
        (p, Option.value c ~default:Q.one)
      in
      let links = List.map step entries in
      let only = of_label chain in
      let rest = List.filter (fun a -> not (List.exists (fun (b, _, _) -> a = b) entries)) (labels_of chain y) in
      let others = List.map (fun a -> let z = normal States.empty (only a y) in (ending z, z.factor)) rest in
      let node = { blank with shape = (if balanced then Balanced else Inner); entries = others } in
      ((if balanced then node else { node with low = value "lower"; up = value "upper" }), links)
  in
  let made = Array.of_list (List.mapi make given) in
  let own = Array.map (fun (node, links) ->
    let link (p, c) = (p, Q.div (Q.mul c (fst made.(p)).scale) node.scale) in
    { node with entries = node.entries @ List.map link links }) made in
  let whole = Array.append own (Array.of_list (List.rev !extra)) in
  let gap = gap alpha in
  Array.map
    (fun node ->
      match node.shape with
      | Balanced -> { node with low = gap node; up = gap node }
      | Leaf _ -> { node with low = gap node; up = Q.max (gap node) (cost node) }
      | Inner -> node)
    whole

(* The cost of a leaf's coupling: of the mass that moves, and of the mass that stays. *)
let cost chain alpha (table : Tables.table) =
  let values = Hashtbl.create 64 in
  List.iter (fun (r : Tables.row) -> Hashtbl.replace values r.pair (Q.make r.value table.unit)) table.rows;
  let u i j = if not (alike chain i j) then Q.one else Option.value (Hashtbl.find_opt values (i, j)) ~default:Q.one in
  fun node ->
    let left = Hashtbl.create 8 in
    let add k q = Hashtbl.replace left k (Q.add q (Option.value (Hashtbl.find_opt left k) ~default:Q.zero)) in
    States.iter (fun k n -> add k (Q.of_bigint n)) node.x;
    States.iter (fun k n -> add k (Q.neg (Q.mul alpha (Q.of_bigint n)))) node.y;
    let moved total (i, j, w) =
      add i (Q.neg w);
      add j (Q.mul alpha w);
      Q.add total (Q.mul w (u i j))
    in
    let moving = List.fold_left moved Q.zero (match node.shape with Leaf w -> w | _ -> []) in
    Hashtbl.fold (fun _ q total -> Q.add (Q.max Q.zero q) total) left moving

(* Heights: the expected numbers of steps to an end, times |x|, and a little more; and a factor below 1 by which
   they fall in the mean with each step. Steps are in multiples of 1 / [one]. *)
let one = 1 lsl 20
let sweeps = 2000

let heights links mass low =
  let inner = List.filter (fun q -> links.(q) <> [] && Z.sign mass.(q) > 0) (List.init (Array.length links) Fun.id) in
  let is_end = Array.make (Array.length links) true in
  List.iter (fun q -> is_end.(q) <- false) inner;
  let chance q (p, c) = (p, Q.mul c (Q.make mass.(p) mass.(q))) in
  let chances = List.rev_map (fun q -> (q, List.filter (fun (p, _) -> not is_end.(p)) (List.map (chance q) links.(q)))) inner in
  let steps = Array.make (Array.length links) Z.zero and big = Z.of_int one in
  let sweep () =
    let worst = ref Z.zero in
    List.iter
      (fun (q, entries) ->
        let mean = List.fold_left (fun a (p, w) -> Z.add a (Z.succ (Z.fdiv (Z.mul steps.(p) (Q.num w)) (Q.den w)))) Z.zero entries in
        let next = Z.add big mean in
        worst := Z.max !worst (Z.sub next steps.(q));
        steps.(q) <- Z.max steps.(q) next)
      chances;
    Z.leq (Z.mul (Z.of_int 2) !worst) big
  in
  let rec enough n = sweep () || (n > 1 && enough (n - 1)) in
  if not (enough sweeps) then raise (Not_covered "events whose length is not bounded");
  let weight q = Q.make (Z.mul mass.(q) steps.(q)) big in
  let factor = List.fold_left (fun a q -> Q.max a (Q.div low.(q) (weight q))) Q.one inner in
  let height = Array.init (Array.length links) (fun q -> Q.mul factor (weight q)) in
  let ahead q = List.fold_left (fun a (p, c) -> Q.add a (Q.mul c height.(p))) Q.zero links.(q) in
  let worst = List.fold_left (fun a q -> Q.max a (Q.div (ahead q) height.(q))) Q.zero inner in
  let rounds = Q.inv (Q.sub Q.one worst) in
  let short = Z.shift_left Z.one (Z.numbits (Z.cdiv (Q.num rounds) (Q.den rounds))) in
  (Q.sub Q.one (Q.make Z.one short), height)

(* The entries of a node, in multiples of 1 / unit. *)
let coq_steps chain node links =
  let own = List.map (fun (i, _) -> denominator chain i) (States.bindings node.x @ States.bindings node.y) in
  let unit = List.fold_left Z.lcm (common (List.map snd links)) own in
  { Checks.whole = unit; entries = List.map (fun (p, c) -> (key p, over unit c)) links }

let coq_parts node sort =
  let vector z = List.map (fun (k, n) -> (key k, n)) (States.bindings z) in
  { Checks.xs = vector node.x; ys = vector node.y; seen = number node.label; low = ratio node.low; up = ratio node.up; sort }

let coq_node chain q node height =
  let sort =
    match node.shape with
    | Leaf w ->
        let unit = common (List.map (fun (_, _, w) -> w) w) in
        Checks.Stop (unit, Tables.moves unit w)
    | Balanced -> Checks.Balanced (coq_steps chain node node.entries)
    | Inner -> Checks.Inner (coq_steps chain node node.entries, ratio height)
  in
  (key q, coq_parts node sort)

(* The chain of the classes that the evidence names, if it does, and the class of each state. *)
let read_classes chain value =
  match field "classes" value with
  | None -> (chain, None)
  | Some l ->
      let base, place = quotient chain (List.map (fun c -> List.map (state chain) (items c)) (items l)) in
      (base, Some place)

(* The bound from below for a pair that the labels prove, or the nodes that are its roots. *)
let lower_of (chain : Chain.t) place roots low (s, t) =
  let at k = match place with Some place -> place.(k) | None -> k in
  let s = at s and t = at t in
  if chain.labels.(s) <> chain.labels.(t) then Q.one
  else
    let rec find q = function [] -> Q.zero | pair :: _ when pair = (s, t) -> low q | _ :: l -> find (q + 1) l in
    find 0 roots

(* The evidence, and a function of pairs: the bound from below that its nodes or labels prove. The values of nodes may
   be left to be found by a function. *)
let read ?(settle = Fun.id) chain alpha ~distance value =
  record [ "unrolling" ] ~optional:("classes" :: (if distance then [ "distance" ] else [])) value;
  let base, place = read_classes chain value in
  let table =
    match field "distance" value with
    | Some t -> Tables.read base ~both:false ~above:true ~below:false [] t
    | None -> Tables.none
  in
  let shape = get "unrolling" value in
  record [ "nodes"; "roots" ] shape;
  let roots = List.map (alike_pair base) (items (get "roots" shape)) in
  demand (List.length (List.sort_uniq compare roots) = List.length roots) "a root is repeated";
  let above = Tables.upper base table in
  let nodes = settle (expanded base alpha (cost base alpha table) roots (items (get "nodes" shape))) in
  let links = Array.map (fun node -> if node.shape = Inner then node.entries else []) nodes in
  let fall, height = heights links (Array.map (fun node -> sum node.x) nodes) (Array.map (fun node -> node.low) nodes) in
  let evidence =
    {
      Checks.quotient = Option.map (fun place -> (coq base, Array.to_list (Array.map number place))) place;
      denominator = above.unit_above;
      couplings = above.couples;
      fall = ratio fall;
      unrolling = List.mapi (fun q node -> coq_node base q node height.(q)) (Array.to_list nodes);
      roots = List.mapi (fun q (s, t) -> ((number s, number t), key q)) roots;
    }
  in
  (evidence, lower_of base place roots (fun q -> nodes.(q).low))
