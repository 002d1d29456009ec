(* Related states (Section 3.3) and bisimilar ones (Section 3.4) as evidence for proofs/Related.v. What is computed
   here needs no trust: the proved check refuses what is wrong. *)
open Json
open Chain

let read_blocks chain value =
  let block value =
    let states = List.map (state chain) (items value) in
    demand (states <> [] && ascending states) "a class or splitter is empty or out of order";
    states
  in
  List.map block (items value)

(* Kernels: rows of related pairs, of unrelated ones with their ranks, and the images of both. *)

let row chain keys value =
  record keys value;
  let has key = List.mem key keys in
  {
    Tables.pair = alike_pair chain (get "pair" value);
    value = Z.zero;
    couplings = (if has "coupling" then [ Tables.coupling chain (get "coupling" value) ] else []);
    potentials = [];
    backward = false;
    rank = (if has "rank" then index (get "rank" value) else 0);
    rank_potentials = (if has "potentials" then Tables.numbered chain (get "potentials" value) else []);
  }

let rows chain keys value =
  let found = List.map (row chain keys) (items value) in
  demand (ascending (List.map (fun (r : Tables.row) -> r.pair) found)) "rows are out of order or repeated";
  found

type separator = { weights : (int, Q.t) Hashtbl.t; pairs : (int * int) list }

let coq_separator g =
  let entries = List.sort compare (Hashtbl.fold (fun k _ l -> k :: l) g.weights []) in
  let unit = common (List.map (Hashtbl.find g.weights) entries) in
  {
    Checks.weights = List.map (fun k -> (key k, over unit (Hashtbl.find g.weights k))) entries;
    parted_pairs = List.map (fun (i, j) -> (key i, key j)) g.pairs;
  }

let of_entries entries =
  let weights = Hashtbl.create 16 in
  List.iter (fun (k, x) -> Hashtbl.replace weights k x) entries;
  weights

(* The least numbers, at least those given, that fall by no more than alpha along pairs that are not apart. *)
let spread chain alpha apart entries =
  let peers = peers chain and g = of_entries entries and waiting = Queue.create () in
  List.iter (fun (k, _) -> Queue.add k waiting) entries;
  while not (Queue.is_empty waiting) do
    let k = Queue.pop waiting in
    let next = Q.div (Hashtbl.find g k) alpha in
    List.iter
      (fun u ->
        let own = Option.value (Hashtbl.find_opt g u) ~default:Q.zero in
        if u <> k && (not (Hashtbl.mem apart (k, u))) && Q.gt next own then (
          Hashtbl.replace g u next;
          Queue.add u waiting))
      peers.(chain.labels.(k))
  done;
  g

(* The pairs of equal label from which the weights gain. *)
let gaining chain alpha g =
  let weight t = Option.value (Hashtbl.find_opt g t) ~default:Q.zero in
  let mean row = List.fold_left (fun a (t, p) -> Q.add a (Q.mul p (weight t))) Q.zero row in
  let means = Array.map mean chain.next and peers = peers chain in
  let from s = List.filter (fun t -> Q.gt means.(s) (Q.mul alpha means.(t))) peers.(chain.labels.(s)) in
  List.concat (List.init (size chain) (fun s -> if Q.sign means.(s) > 0 then List.map (fun t -> (s, t)) (from s) else []))

(* Lists with their ranks, those of one rank together. *)
let rec by_rank = function
  | [] -> []
  | (rank, _) :: _ as l ->
      let own, rest = List.partition (fun (r, _) -> r = rank) l in
      List.map snd own :: by_rank rest

let images symmetries entries =
  let found = Hashtbl.create 8 and waiting = Queue.create () and listed = ref [] in
  let add g =
    let name = List.map (fun (k, x) -> (k, Q.to_string x)) g in
    if not (Hashtbl.mem found name) then (
      Hashtbl.replace found name ();
      listed := g :: !listed;
      Queue.add g waiting)
  in
  add entries;
  while not (Queue.is_empty waiting) do
    let g = Queue.pop waiting in
    let image permutation = List.sort (fun (i, _) (j, _) -> compare i j) (List.map (fun (k, x) -> (permutation.(k), x)) g) in
    List.iter (fun permutation -> add (image permutation)) symmetries
  done;
  List.rev !listed

(* What is said about pairs: the couplings of related ones, the separators of others, and both sets of pairs. *)
let kernel chain alpha value =
  let separators = field "separators" value in
  record [ "related"; (if separators = None then "unrelated" else "separators") ] ~optional:[ "symmetries" ] value;
  let related = rows chain [ "coupling"; "pair" ] (get "related" value) in
  let unrelated = match field "unrelated" value with Some l -> rows chain [ "pair"; "potentials"; "rank" ] l | None -> [] in
  List.iter (fun (r : Tables.row) -> demand (r.rank > 0) "a rank is not positive") unrelated;
  let symmetries = match field "symmetries" value with Some l -> List.map (Tables.symmetry chain) (items l) | None -> [] in
  let all = Tables.with_images ~both:false symmetries (related @ unrelated) in
  let related, unrelated = List.partition (fun (r : Tables.row) -> r.rank = 0) all in
  let held = List.map (fun (r : Tables.row) -> r.pair) related in
  let coq = Chain.coq chain and an = Q.num alpha and ad = Q.den alpha in
  let prepared = Checks.prepare coq in
  let groups = Checks.groups coq prepared in
  let known = ref (Checks.of_list []) and apart = Hashtbl.create 64 in
  let one_rank separators =
    let coq = List.map coq_separator separators in
    List.iter (fun g -> demand (Checks.separates prepared groups an ad !known g) "the weights separate no pair") coq;
    List.iter
      (fun g ->
        List.iter
          (fun (i, j) ->
            Hashtbl.replace apart (i, j) ();
            known := Checks.put (key i) (key j) Z.one !known)
          g.pairs)
      separators;
    coq
  in
  let of_row (r : Tables.row) = (r.rank, { weights = of_entries r.rank_potentials; pairs = [ r.pair ] }) in
  let ranked l = by_rank (List.stable_sort (fun (a, _) (b, _) -> compare a b) l) in
  let given =
    match separators with
    | None -> List.concat_map one_rank (ranked (List.map of_row unrelated))
    | Some l ->
        let read value =
          record [ "potentials"; "rank" ] value;
          let rank = index (get "rank" value) in
          demand (rank > 0) "a rank is not positive";
          (rank, Tables.numbered chain (get "potentials" value))
        in
        let read = List.map read (items l) in
        let ranks = List.map fst read in
        demand (List.sort compare ranks = ranks) "the ranks fall";
        (* Of one rank, too, the first separator of a pair is enough. *)
        let rank entries =
          let own = Hashtbl.create 64 in
          let fresh pair = not (Hashtbl.mem apart pair || Hashtbl.mem own pair) in
          let separator entries =
            let weights = spread chain alpha apart entries in
            let pairs = List.filter fresh (gaining chain alpha weights) in
            List.iter (fun pair -> Hashtbl.replace own pair ()) pairs;
            { weights; pairs }
          in
          let found = List.map separator (List.concat_map (images symmetries) entries) in
          one_rank (List.filter (fun g -> g.pairs <> []) found)
        in
        List.concat_map rank (by_rank read)
  in
  demand (not (List.exists (Hashtbl.mem apart) held)) "a pair is both related and apart";
  (Tables.upper chain { Tables.none with rows = related }, given, held, apart)

(* Bisimilarity: the quotient by the classes. *)

let classes chain blocks =
  let base, place = quotient chain blocks in
  ((coq base, Array.to_list (Array.map number place)), place)
