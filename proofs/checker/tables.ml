(* Tables of distances (Section 3.1): rows with their images, as evidence for proofs/Upper.v and proofs/Lower.v.
   What is computed here needs no trust: the proved check refuses what is wrong. *)
open Json
open Chain

type potential = Given of int * Q.t | From of int * int | To of int * int

type row = {
  pair : int * int;
  value : Z.t;
  couplings : (int * int * Q.t) list list; (* one for each direction; none in tables from below *)
  potentials : potential list;
  backward : bool;
  rank : int;
  rank_potentials : (int * Q.t) list;
}

type table = { unit : Z.t; rows : row list; detours : string list; splitters : int list list }

let none = { unit = Z.one; rows = []; detours = []; splitters = [] }

(* Reading. *)

let coupling chain value =
  let entry e =
    match items e with
    | [ i; j; w ] ->
        let i = state chain i and j = state chain j in
        demand (i <> j) "a state is coupled with itself";
        (i, j, positive w)
    | _ -> reject "an entry of a coupling has the wrong length"
  in
  let found = List.map entry (items value) in
  demand (ascending (List.map (fun (i, j, _) -> (i, j)) found)) "couples are out of order or repeated";
  found

let numbered chain value =
  let entry e = match items e with [ k; q ] -> (state chain k, positive q) | _ -> reject "an entry has the wrong length" in
  let found = List.map entry (items value) in
  demand (ascending (List.map fst found)) "states are out of order or repeated";
  found

let potential chain value =
  match items value with
  | [ k; q ] -> Given (state chain k, rational q)
  | [ k; Text "from"; i ] -> From (state chain k, state chain i)
  | [ k; Text "to"; j ] -> To (state chain k, state chain j)
  | _ -> reject "a potential is of an unknown kind"

let read_row chain ~both ~above ~below value =
  let couplings = if not above then [] else if both then [ "forward"; "backward" ] else [ "coupling" ] in
  let lower = if below then "potentials" :: (if both then [ "direction" ] else []) else [] in
  record ([ "pair"; "value" ] @ couplings @ lower) ~optional:(if below then [ "rank"; "rank_potentials" ] else []) value;
  let n = natural (get "value" value) and pair = alike_pair chain (get "pair" value) in
  demand ((not both) || fst pair < snd pair) "a pair is not increasing";
  let ranked = below && field "rank" value <> None in
  demand ((below && field "rank_potentials" value <> None) = ranked) "only one of rank and rank_potentials";
  let rank = if ranked then index (get "rank" value) else 0 in
  demand ((not ranked) || (rank > 0 && Z.sign n > 0)) "a rank is not positive, or that of a row of value 0";
  let direction = if below && both then text (get "direction" value) else "forward" in
  demand (List.mem direction [ "forward"; "backward" ]) "unknown direction";
  {
    pair;
    value = n;
    couplings = List.map (fun side -> coupling chain (get side value)) couplings;
    potentials = (if below then List.map (potential chain) (items (get "potentials" value)) else []);
    backward = direction = "backward";
    rank;
    rank_potentials = (if ranked then numbered chain (get "rank_potentials" value) else []);
  }

(* Images under a permutation. *)

let swap (i, j) = (j, i)

let image ~both permutation row =
  let at k = permutation.(k) in
  let i, j = (at (fst row.pair), at (snd row.pair)) in
  let turned = both && i > j in
  let coupling w = List.sort compare (List.map (fun (i, j, w) -> (at i, at j, w)) w) in
  let potential = function
    | Given (k, q) -> Given (at k, q)
    | From (k, i) -> From (at k, at i)
    | To (k, j) -> To (at k, at j)
  in
  let couplings = List.map coupling row.couplings in
  {
    row with
    pair = (if turned then (j, i) else (i, j));
    couplings = (if turned then List.rev couplings else couplings);
    potentials = List.map potential row.potentials;
    backward = row.backward <> turned;
    rank_potentials = List.map (fun (k, q) -> (at k, q)) row.rank_potentials;
  }

let with_images ~both permutations rows =
  let found = Hashtbl.create 64 in
  let rec from = function
    | [] -> []
    | row :: waiting ->
        let fresh =
          List.filter
            (fun r -> (not (Hashtbl.mem found r.pair)) && (Hashtbl.replace found r.pair (); true))
            (List.map (fun permutation -> image ~both permutation row) permutations)
        in
        row :: from (List.rev_append fresh waiting)
  in
  let orbit row =
    demand (not (Hashtbl.mem found row.pair)) "two rows are about the same orbit";
    Hashtbl.replace found row.pair ();
    from [ row ]
  in
  List.concat_map orbit rows

(* A permutation keeps all probabilities, and labels apart where they are apart. *)
let symmetry chain value =
  let images = Array.of_list (List.map (state chain) (items value)) in
  demand (Array.length images = size chain) "a symmetry has the wrong length";
  demand (ascending (List.sort compare (Array.to_list images))) "a symmetry is no permutation";
  let renamed = Hashtbl.create 8 in
  Array.iteri
    (fun s image ->
      let moved = List.sort compare (List.map (fun (t, p) -> (images.(t), p)) chain.next.(s)) in
      let same (t, p) (u, q) = t = u && Q.equal p q in
      demand (List.compare_lengths moved chain.next.(image) = 0 && List.for_all2 same moved chain.next.(image)) "a symmetry changes probabilities";
      let label = chain.labels.(image) in
      demand (Option.value (Hashtbl.find_opt renamed chain.labels.(s)) ~default:label = label) "a symmetry splits a label";
      Hashtbl.replace renamed chain.labels.(s) label)
    images;
  images

let read chain ~both ~above ~below symmetries value =
  record [ "denominator"; "rows" ] ~optional:(if below then [ "detours"; "splitters" ] else []) value;
  let unit = natural (get "denominator" value) in
  demand (Z.sign unit > 0) "the denominator is 0";
  let rows = List.map (read_row chain ~both ~above ~below) (items (get "rows" value)) in
  demand (ascending (List.map (fun r -> r.pair) rows)) "rows are out of order or repeated";
  List.iter (fun r -> demand (Z.leq r.value unit) "a value is above 1") rows;
  let list name = match field name value with Some l -> items l | None -> [] in
  let detours = List.map text (list "detours") in
  demand (ascending detours) "labels of detours are out of order or repeated";
  let occurs label = Array.mem (position chain.label_names label) chain.labels in
  demand (List.for_all occurs detours) "a label of detours is no label of the model";
  let splitter l = 
    let states = List.map (state chain) (items l) in
    demand (states <> [] && ascending states) "a splitter is empty or out of order";
    states
  in
  { unit; rows = with_images ~both symmetries rows; detours; splitters = List.map splitter (list "splitters") }

(* From above: rows of ld, for bd two for each. *)

let moves unit = List.map (fun (i, j, w) -> ((key i, key j), over unit w))

let upper_row chain value (s, t) coupling =
  let m = denominator chain s and n = denominator chain t in
  let scale = Z.lcm (Z.lcm m n) (common (List.map (fun (_, _, w) -> w) coupling)) in
  { Checks.us = key s; ut = key t; uval = value; scale; ks = Z.divexact scale m; kt = Z.divexact scale n; moves = moves scale coupling }

let upper chain table =
  let rows r = List.map2 (upper_row chain r.value) (if List.length r.couplings = 2 then [ r.pair; swap r.pair ] else [ r.pair ]) r.couplings in
  { Checks.unit_above = table.unit; couples = List.concat_map rows table.rows }

(* From below. *)

type distances = {
  chain : Chain.t;
  alpha : Q.t;
  unit : Z.t;
  peers : int list array;
  rows : (int, Z.t) Hashtbl.t array; (* of each state i, by j; those above 0 *)
  before : (int * Z.t) list array; (* of each state j the states i with d(i,j) > 0, by increasing d *)
}

let value d i j = match Hashtbl.find d.rows.(i) j with x -> x | exception Not_found -> Z.zero
let distance d i j = Q.make (value d i j) d.unit

let distances chain alpha ~both (table : table) =
  let n = size chain in
  let values = Array.init n (fun _ -> Hashtbl.create 4) in
  let before = Array.make n [] in
  let add value (i, j) =
    Hashtbl.replace values.(i) j value;
    before.(j) <- (i, value) :: before.(j)
  in
  List.iter (fun r -> if Z.sign r.value > 0 then List.iter (add r.value) (if both then [ r.pair; swap r.pair ] else [ r.pair ])) table.rows;
  let before = Array.map (List.stable_sort (fun (_, x) (_, y) -> Z.compare x y)) before in
  { chain; alpha; unit = table.unit; peers = peers chain; rows = values; before }

(* The potentials of a row, and 0 for the other states with b < 0: integers f, over the table's unit times e. While
   they are found, they are over c p^u q^v with u and v of their own, for alpha = p/q. *)
let potentials d (s, t) entries =
  let p = Q.num d.alpha and q = Q.den d.alpha in
  let from_s = Hashtbl.create 16 in
  List.iter (fun (k, x) -> Hashtbl.replace from_s k x) d.chain.next.(s);
  let falls (k, y) = Q.lt (Option.value (Hashtbl.find_opt from_s k) ~default:Q.zero) (Q.mul d.alpha y) in
  let behind = List.map fst (List.filter falls d.chain.next.(t)) in
  let own = Hashtbl.create 16 in
  List.iter (function Given (k, _) | From (k, _) | To (k, _) -> Hashtbl.replace own k ()) entries;
  let c = common (List.filter_map (function Given (_, x) -> Some x | _ -> None) entries) in
  let scale u v = Z.mul c (Z.mul (Z.pow p u) (Z.pow q v)) in
  let f = Hashtbl.create 16 in
  let add k (n, u, v) =
    demand (not (Hashtbl.mem f k)) "a potential occurs twice";
    demand (Z.sign n >= 0 && Z.leq n (Z.mul d.unit (scale u v))) "a potential is not between 0 and 1";
    Hashtbl.replace f k (n, u, v)
  in
  let earlier i k =
    demand (alike d.chain i k) "a potential is not of a pair of equal label";
    match Hashtbl.find_opt f i with Some x -> x | None -> reject "a potential has no earlier entry"
  in
  List.iter (fun k -> if not (Hashtbl.mem own k) then add k (Z.zero, 0, 0)) behind;
  List.iter
    (function
      | Given (k, x) -> add k (Z.mul d.unit (over c x), 0, 0)
      | From (k, i) ->
          demand (Hashtbl.mem own i) "a potential has no earlier entry";
          let n, u, v = earlier i k in
          let rest = Z.sub n (Z.mul (value d i k) (scale u v)) in
          add k (if v > 0 then (rest, u + 1, v - 1) else (Z.mul rest q, u + 1, 0))
      | To (k, j) ->
          let n, u, v = earlier j k in
          let n, u = if u > 0 then (n, u - 1) else (Z.mul n p, 0) in
          add k (Z.add n (Z.mul (value d k j) (scale u (v + 1))), u, v + 1))
    entries;
  let most_u, most_v = Hashtbl.fold (fun _ (_, u, v) (a, b) -> (max a u, max b v)) f (0, 0) in
  let whole = Hashtbl.create 16 in
  Hashtbl.iter (fun k (n, u, v) -> Hashtbl.replace whole k (Z.mul n (Z.mul (Z.pow p (most_u - u)) (Z.pow q (most_v - v))))) f;
  (whole, scale most_u most_v)

(* The least potentials above 0 that those of some labels force on their other states, along detours; all of them
   over a unit with a power of p more. *)
let extended d labels (f, e) =
  let p = Q.num d.alpha and q = Q.den d.alpha in
  let labels = List.map (position d.chain.label_names) labels in
  let waiting = Queue.create () and forced = Hashtbl.create 16 in
  Hashtbl.iter (fun k n -> if List.mem d.chain.labels.(k) labels && Z.sign n > 0 then Queue.add k waiting) f;
  let potential i = match Hashtbl.find_opt forced i with Some x -> x | None -> (Hashtbl.find f i, 0) in
  let over r = Z.mul e (Z.pow p r) in
  let exceeds (n, r) (m, s) = Z.gt (Z.mul n (Z.pow p s)) (Z.mul m (Z.pow p r)) in
  while not (Queue.is_empty waiting) do
    let i = Queue.pop waiting in
    let n, r = potential i in
    let unit = over r in
    let limit = Z.cdiv n unit in
    List.iter
      (fun u ->
        let far = value d i u in
        if Z.lt far limit && not (Hashtbl.mem f u) then
          let least = (Z.mul (Z.sub n (Z.mul far unit)) q, r + 1) in
          if match Hashtbl.find_opt forced u with Some old -> exceeds least old | None -> true then (
            Hashtbl.replace forced u least;
            Queue.add u waiting))
      d.peers.(d.chain.labels.(i))
  done;
  let most = Hashtbl.fold (fun _ (_, r) a -> max a r) forced 0 in
  let whole = Hashtbl.create 16 in
  Hashtbl.iter (fun k n -> Hashtbl.replace whole k (Z.mul n (Z.pow p most))) f;
  Hashtbl.iter (fun k (n, r) -> Hashtbl.replace whole k (Z.mul n (Z.pow p (most - r)))) forced;
  (whole, over most)

(* One number for all free states of a label: the largest that no other potential forbids, if it is below 1; over
   the table's unit times e q, with alpha = p/q. *)
let free d (f, e) =
  let p = Q.num d.alpha and e = Z.mul e (Q.den d.alpha) in
  let top = Z.mul d.unit e and counts = Hashtbl.create 8 and least = Hashtbl.create 8 in
  let at table label ~default = Option.value (Hashtbl.find_opt table label) ~default in
  Hashtbl.iter (fun k _ -> let a = d.chain.labels.(k) in Hashtbl.replace counts a (1 + at counts a ~default:0)) f;
  let bound k n =
    let label = d.chain.labels.(k) in
    let outside = List.length d.peers.(label) - Hashtbl.find counts label in
    let own = Z.mul p n in
    if outside > 0 && Z.lt own top then (
      let others = List.filter (fun (u, _) -> not (Hashtbl.mem f u)) d.before.(k) in
      let nearest = if List.compare_length_with others outside < 0 then Z.zero else snd (List.hd others) in
      let most = Z.add (Z.mul nearest e) own in
      if Z.lt most (at least label ~default:top) then Hashtbl.replace least label most)
  in
  Hashtbl.iter bound f;
  least

let sorted table = List.sort (fun (a, _) (b, _) -> compare a b) (Hashtbl.fold (fun k x l -> (k, x) :: l) table [])

(* What the potentials gain beyond the value, times a positive number, as the specification counts it: free states
   gain nothing there, and more than nothing in proofs/Lower.v. *)
let surplus d (s, t) (f, e) value =
  let m = denominator d.chain s and n = denominator d.chain t in
  let gain unit = List.fold_left (fun a (k, x) -> match Hashtbl.find_opt f k with Some y -> Z.add a (Z.mul (over unit x) y) | None -> a) Z.zero in
  let p = Q.num d.alpha and q = Q.den d.alpha in
  let ahead = Z.mul (Z.mul q n) (gain m d.chain.next.(s)) and behind = Z.mul (Z.mul p m) (gain n d.chain.next.(t)) in
  Z.sub (Z.sub ahead behind) (Z.mul (Z.mul value e) (Z.mul q (Z.mul m n)))

let lower_row d (table : table) apart row =
  let pair = if row.backward then swap row.pair else row.pair in
  let own = potentials d pair row.potentials in
  let more = surplus d pair own row.value in
  demand (Z.sign more >= 0) "potentials gain less than the value";
  let strict = row.rank = 0 && not (Z.equal row.value d.unit && apart pair) in
  demand (Z.sign more > 0 || not strict) "potentials gain just the value, and there is no rank";
  let f, e = extended d table.detours own in
  let q = Q.den d.alpha in
  let listed change table = List.map (fun (k, n) -> (key k, change n)) (sorted table) in
  let whole = common (List.map snd row.rank_potentials) in
  let m = denominator d.chain (fst pair) and n = denominator d.chain (snd pair) in
  let scale = Z.lcm m n in
  {
    Checks.ls = key (fst pair);
    lt = key (snd pair);
    lval = row.value;
    lscale = scale;
    lks = Z.divexact scale m;
    lkt = Z.divexact scale n;
    pe = Z.mul e q;
    pots = listed (Z.mul q) f;
    free = listed Fun.id (free d (f, e));
    lrank = Z.of_int row.rank;
    ranks = List.map (fun (k, q) -> (key k, over whole q)) row.rank_potentials;
    mirror = false;
  }

(* A row of bd has evidence for one direction; the other one has no evidence of its own. *)
let mirror row = { row with Checks.ls = row.Checks.lt; lt = row.ls; pots = []; free = []; ranks = []; mirror = true }

(* The last classes that splitters make: of each state the first one of its class. *)
let split chain splitters =
  let coq = Chain.coq chain in
  let prepared = Checks.prepare coq in
  let split partition splitter =
    let set = Checks.set_of splitter in
    demand (Checks.united coq set partition) "a splitter is no union of classes";
    Checks.split coq prepared set partition
  in
  let parts = List.fold_left split (Checks.by_label coq) splitters in
  fun s -> Checks.first parts (number s)

(* A row of value 0 proves nothing, and nothing about it is proved: its potentials must be none. *)
let lower chain alpha ~both (table : table) =
  let d = distances chain alpha ~both table in
  let splitters = List.map (List.map number) table.splitters in
  let first = split chain splitters in
  let apart (s, t) = not (Z.equal (first s) (first t)) in
  let proves row = Z.sign row.value > 0 || (demand (row.potentials = []) "a row of value 0 has potentials"; false) in
  let rows = List.map (lower_row d table apart) (List.filter proves table.rows) in
  { Checks.unit_below = table.unit; bounds = rows @ (if both then List.map mirror rows else []); splitters }
