(* Compositions (Section 3.8) as evidence for proofs/Replaced.v: the exponents of the ratios of all laws, the graphs of
   chains, and for a bound from below one law of each part. *)
open Json

let most_choices = 1000

(* The laws of a part, one way round, and for each its evidence; the evidence for all of them; what else is checked. *)
type part = { laws : (Checks.prepared * Checks.trace) list; trace : Checks.trace; more : (Checks.trial * (Checks.trace * Checks.prepared list)) list }

let read_basis value =
  let basis = List.map natural (items value) in
  demand (List.for_all (fun b -> Z.gt b Z.one) basis) "a number of the basis is less than 2";
  basis

(* A ratio as a product of powers of the numbers. *)
let exponents basis ratio =
  let rec power b n k = if Z.divisible n b then power b (Z.divexact n b) (k + 1) else (n, k) in
  let step (top, bottom) b =
    let top, more = power b top 0 in
    let bottom, less = power b bottom 0 in
    ((top, bottom), Z.of_int (more - less))
  in
  let rest, key = List.fold_left_map step (Q.num ratio, Q.den ratio) basis in
  demand (Z.equal (fst rest) Z.one && Z.equal (snd rest) Z.one) "a ratio is not a product of powers of the basis";
  key

let prepared basis law =
  let unit = Chain.common (List.concat_map (fun (p, q) -> [ p; q ]) law) in
  let key (p, q) = if Q.sign p > 0 && Q.sign q > 0 then exponents basis (Q.div p q) else [] in
  { Checks.unit_of = unit; outcomes = List.map (fun (p, q) -> ((Chain.over unit p, Chain.over unit q), key (p, q))) law }

let none = { Checks.classed_by = None; graphs = [] }

(* A mechanism, whose laws follow from the model. *)
let drawn basis law proof =
  record [] proof;
  { laws = [ (prepared basis law, none) ]; trace = none; more = [] }

(* Chains: how often runs come to the nodes of a graph, and its law. *)

let of_graph (found : Curve.graphs) number =
  let nodes = found.nodes and count = Array.length found.shapes in
  let own q = q < count && fst found.shapes.(q) = number in
  let visits = Array.map (fun _ -> Q.zero) nodes in
  let given q = Q.mul (rational (get "visits" (snd found.shapes.(q)))) nodes.(q).Nodes.scale in
  Array.iteri (fun q _ -> if own q then visits.(q) <- given q) nodes;
  let later q (p, c) = if p >= count then visits.(p) <- Q.add visits.(p) (Q.mul c visits.(q)) in
  Array.iteri (fun q (node : Nodes.node) -> if own q && node.shape = Inner then List.iter (later q) node.entries) nodes;
  let places = List.filter (fun q -> own q || q >= count) (List.init (Array.length nodes) Fun.id) in
  let inner, ends = List.partition (fun q -> nodes.(q).shape = Inner) places in
  let whole q = (Nodes.coq_steps found.base nodes.(q) nodes.(q).entries).Checks.whole in
  let walks = List.map (fun q -> (q, Q.div visits.(q) (Q.of_bigint (whole q)))) inner in
  let ends = List.filter_map (fun q -> if Q.sign visits.(q) > 0 then Some (q, visits.(q)) else None) ends in
  let runs = Chain.common (List.map snd walks @ List.map snd ends) in
  let keyed = List.map (fun (q, n) -> (Chain.key q, Chain.over runs n)) in
  let sums q = (Nodes.sum nodes.(q).x, Nodes.sum nodes.(q).y) in
  let arrive found ((q, _) as end_) =
    let x, y = sums q in
    Curve.Masses.update (Q.make x (Z.add x y)) (fun l -> Some (end_ :: Option.value l ~default:[])) found
  in
  let arrivals = List.map snd (Curve.Masses.bindings (List.fold_left arrive Curve.Masses.empty ends)) in
  let law ends =
    let total side = List.fold_left (fun a (q, n) -> Q.add a (Q.mul n (Q.of_bigint (side (sums q))))) Q.zero ends in
    (total fst, total snd)
  in
  let graph =
    {
      Checks.spots = List.map (fun q -> Nodes.coq_node found.base q nodes.(q) Q.one) places;
      origin = Chain.key number;
      runs_of = runs;
      walks = keyed walks;
      arrivals = List.map keyed arrivals;
    }
  in
  (graph, List.map law arrivals)

(* Equal states, or states of one class: runs never tell them apart. *)
let equal base s =
  let x = Nodes.States.singleton s Z.one in
  let node = { Nodes.x; y = x; scale = Q.one; label = base.Chain.labels.(s); shape = Leaf []; low = Q.zero; up = Q.zero; entries = [] } in
  let root = Chain.key 0 in
  let graph = { Checks.spots = [ Nodes.coq_node base 0 node Q.one ]; origin = root; runs_of = Z.one; walks = []; arrivals = [ [ (root, Z.one) ] ] } in
  (graph, [ (Q.one, Q.one) ])

(* Graphs of pairs of classes that are not meant, as what is true of all: events gain at most 1. *)
let unused chain only of_pair (found : Curve.graphs) pairs =
  let state class_ = match found.place with
    | None -> class_
    | Some place -> List.find (fun s -> place.(s) = class_) (List.init (Array.length place) Fun.id)
  in
  let listed = List.map of_pair pairs and number class_ = Chain.number (state class_) in
  (Checks.Run (Chain.coq chain, List.map (fun (s, t) -> (number s, number t)) pairs), (only (List.map snd listed), List.map fst listed))

(* A chain, of which any of some pairs is meant. Graphs of other pairs have to be right, too. *)
let run basis chain pairs proof =
  let found = Curve.read_graphs chain proof in
  demand (Curve.closed found) "laws that are only enclosed are allowed only with a grid";
  let placed = List.sort_uniq compare (List.map (Curve.placed found) pairs) in
  let told_apart (s, t) = found.base.labels.(s) <> found.base.labels.(t) in
  let apart, alike = List.partition told_apart placed in
  List.iter (fun (s, t) -> if s <> t then ignore (Curve.graph_of found (t, s))) alike;
  let numbered (s, t) = (Chain.number s, Chain.number t) in
  let classed_by = Option.map (fun place -> (Chain.coq found.base, Array.to_list (Array.map Chain.number place))) found.place in
  let of_pair pair =
    let graph, law = if fst pair = snd pair then equal found.base (fst pair) else of_graph found (Curve.graph_of found pair) in
    (prepared basis law, (numbered pair, graph))
  in
  let only graphs = { Checks.classed_by; graphs } in
  let listed = List.map of_pair alike in
  let others = List.filter (fun pair -> not (List.mem pair placed)) found.own in
  let add laws (law, graph) = if List.mem_assoc law laws then laws else laws @ [ (law, only [ graph ]) ] in
  let first = if apart = [] then [] else [ (prepared basis [ (Q.one, Q.zero); (Q.zero, Q.one) ], only []) ] in
  let laws = List.fold_left add first listed in
  let more = if others = [] then [] else [ unused chain only of_pair found others ] in
  { laws; trace = only (List.map snd listed); more }

(* All ways to choose one of each. *)
let rec rows = function [] -> [ [] ] | l :: rest -> List.concat_map (fun x -> List.map (fun row -> x :: row) (rows rest)) l

let numbers basis = List.map (fun b -> Chain.ratio (Q.of_bigint b)) basis
let at_most basis parts = Checks.Multiplied (numbers basis, List.map (fun part -> (part.trace, List.map fst part.laws)) parts)

(* What has to be right beside the claim. *)
let others basis parts =
  let one = Chain.ratio Q.one in
  let claim (trial, evidence) = (Checks.GainsAtMost ([ (trial, Z.one) ], one, one), Checks.Multiplied (numbers basis, [ evidence ])) in
  List.concat_map (fun part -> List.map claim part.more) parts

(* A secret, and a law of each part, with which some events gain [lower]. *)
let at_least basis parts times alpha lower =
  let numbers = numbers basis in
  let gains row secret =
    let sum = Checks.summed secret (List.map2 (fun (law, _) n -> (law, n)) row times) in
    let gained = Checks.gained numbers (Chain.ratio alpha) sum in
    Z.leq (Z.mul (Z.mul (Q.num lower) sum.Checks.scale_of) (Q.den alpha)) (Z.mul gained (Q.den lower))
  in
  let ways = List.concat_map (fun row -> [ (row, Checks.First); (row, Checks.Second) ]) (rows (List.map (fun part -> part.laws) parts)) in
  match List.find_opt (fun (row, secret) -> gains row secret) ways with
  | Some (row, secret) -> (secret, Checks.Multiplied (numbers, List.map (fun (law, trace) -> (trace, [ law ])) row))
  | None -> reject "the evidence does not prove lower"
