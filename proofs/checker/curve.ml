(* Curves of delta (Section 3.7): the graphs of their laws as unrollings whose values are found for one alpha, and the
   laws themselves. *)
open Json
open Chain

module Masses = Map.Make (Q)

let shape_of node =
  if field "open" node <> None then (record [ "open" ] node; `Open)
  else
    match (field "next" node, field "balanced" node) with
    | Some l, _ -> record [ "next"; "visits" ] node; `Next l
    | _, Some l -> record [ "balanced"; "visits" ] node; `Balanced l
    | _ -> record [ "visits" ] node; `End

(* All graphs as one unrolling: first the roots of all, then their other nodes. Its nodes are of the form that
   Nodes.read reads, with what the specification says of each: the number of visits, and the graph's number. *)
let joined graphs =
  let count = List.length graphs in
  let node places shape =
    let place p = let p = index p in demand (p < Array.length places) "an entry leads to no node"; Int places.(p) in
    let entry e = match items e with a :: p :: c -> List (a :: place p :: c) | _ -> reject "an entry has the wrong length" in
    match shape_of shape with
    | `Next l -> Object [ ("lower", Text "0"); ("next", List (List.map entry (items l))); ("upper", Text "0") ]
    | `Balanced l -> Object [ ("balanced", List (List.map entry (items l))) ]
    | `Open | `End -> Object [ ("coupling", List []) ]
  in
  let rec from number behind = function
    | [] -> ([], [])
    | graph :: rest ->
        record [ "nodes"; "pair" ] graph;
        let nodes = items (get "nodes" graph) in
        demand (nodes <> []) "a graph has no nodes";
        let places = Array.init (List.length nodes) (fun q -> if q = 0 then number else behind + q - 1) in
        let own = List.map (fun shape -> (node places shape, (number, shape))) nodes in
        let firsts, others = from (number + 1) (behind + List.length nodes - 1) rest in
        (List.hd own :: firsts, List.tl own @ others)
  in
  let firsts, others = from 0 count graphs in
  let nodes, shapes = List.split (firsts @ others) in
  (Object [ ("nodes", List nodes); ("roots", List (List.map (get "pair") graphs)) ], Array.of_list shapes)

(* Values of the inner nodes: each is the sum of what its entries lead to. Every node is solved for those before it,
   beginning with the last one. *)
let settle (nodes : Nodes.node array) =
  let module Row = Map.Make (Int) in
  let solved = Array.make (Array.length nodes) None in
  let scale c (row, low, up) = (Row.map (Q.mul c) row, Q.mul c low, Q.mul c up) in
  let plus (a, low, up) (b, low', up') = (Row.union (fun _ x y -> Some (Q.add x y)) a b, Q.add low low', Q.add up up') in
  for q = Array.length nodes - 1 downto 0 do
    let entry sum (p, c) =
      let of_p =
        match nodes.(p).Nodes.shape with
        | Inner -> (Row.singleton p Q.one, Q.zero, Q.zero)
        | _ -> (Row.empty, nodes.(p).low, nodes.(p).up)
      in
      plus sum (scale c of_p)
    in
    let rec reduced ((row, low, up) as sum) =
      match Row.max_binding_opt row with
      | Some (p, c) when p > q -> reduced (plus (Row.remove p row, low, up) (scale c (Option.get solved.(p))))
      | _ -> sum
    in
    if nodes.(q).shape = Inner then (
      let row, low, up = reduced (List.fold_left entry (Row.empty, Q.zero, Q.zero) nodes.(q).entries) in
      let own = Q.sub Q.one (Option.value (Row.find_opt q row) ~default:Q.zero) in
      demand (Q.sign own > 0) "from some node no path leads to an end";
      solved.(q) <- Some (scale (Q.inv own) (Row.remove q row, low, up)))
  done;
  let found = Array.copy nodes in
  Array.iteri
    (fun q node ->
      if node.Nodes.shape = Inner then
        let row, low, up = Option.get solved.(q) in
        let total side start = Row.fold (fun p c a -> Q.add a (Q.mul c (side found.(p)))) row start in
        found.(q) <- { node with low = total (fun n -> n.Nodes.low) low; up = total (fun n -> n.Nodes.up) up })
    nodes;
  found

(* The law of each graph from below and from above: masses by ratio. *)
let laws graphs shapes (nodes : Nodes.node array) =
  let sides = Array.init graphs (fun _ -> (ref Masses.empty, ref Masses.empty)) in
  let add side ratio mass =
    if Q.sign mass > 0 then side := Masses.update ratio (fun old -> Some (Q.add mass (Option.value old ~default:Q.zero))) !side
  in
  let alike (node : Nodes.node) =
    let sum = Nodes.sum in
    let even k n = Z.equal (Z.mul n (sum node.y)) (Z.mul (Option.value (Nodes.States.find_opt k node.y) ~default:Z.zero) (sum node.x)) in
    Z.sign (sum node.y) = 0 || Nodes.States.for_all even node.x && Nodes.States.cardinal node.x = Nodes.States.cardinal node.y
  in
  let arriving = Array.init (Array.length shapes) (fun q -> if q < graphs then Q.one else Q.zero) in
  let visits = Array.map (fun (_, shape) -> rational (get (if shape_of shape = `Open then "open" else "visits") shape)) shapes in
  Array.iteri
    (fun q (graph, shape) ->
      let node = nodes.(q) and below, above = sides.(graph) in
      let w = visits.(q) in
      demand (Q.sign w >= 0) "a number is negative";
      let weight = Q.mul w node.scale and x = Nodes.sum node.x and y = Nodes.sum node.y in
      let of_x n = Q.mul weight (Q.of_bigint n) in
      match shape_of shape with
      | `Next _ ->
          let visit (p, c) = if p < Array.length shapes then arriving.(p) <- Q.add arriving.(p) (Q.div (Q.mul (Q.mul c w) node.scale) nodes.(p).scale) in
          List.iter visit node.entries
      | `Balanced _ -> if Z.sign y > 0 then List.iter (fun side -> add side (Q.make x y) (of_x x)) [ below; above ]
      | `End ->
          demand (alike node) "x and y of an end are not multiples";
          if Z.sign y > 0 then List.iter (fun side -> add side (Q.make x y) (of_x x)) [ below; above ]
      | `Open ->
          if Z.sign y > 0 then (
            add below (Q.make x y) (of_x x);
            let each k n = Option.iter (fun m -> add above (Q.make n m) (of_x n)) (Nodes.States.find_opt k node.y) in
            Nodes.States.iter each node.x))
    shapes;
  Array.iteri (fun q w -> demand (Q.equal w arriving.(q)) "the rule of visits does not hold") visits;
  Array.map (fun (below, above) -> (!below, !above)) sides

let mass law = Masses.fold (fun _ p a -> Q.add a p) law Q.zero

(* Delta at alpha: all masses and gains rounded, where the claim is about points. *)
let delta ?(rounded = Fun.id) alpha law =
  let gain ratio p a = if Q.gt ratio alpha then Q.add a (rounded (Q.mul p (Q.sub Q.one (Q.div alpha ratio)))) else a in
  let rest = Masses.fold (fun _ p a -> Q.add a (rounded (Q.neg p))) law Q.one in
  Q.min Q.one (Q.max Q.zero (Masses.fold gain law rest))

let whole = Q.of_bigint (Z.shift_left Z.one 128)
let down q = let n = Q.mul q whole in Q.div (Q.of_bigint (Z.fdiv (Q.num n) (Q.den n))) whole
let up q = let n = Q.mul q whole in Q.div (Q.of_bigint (Z.cdiv (Q.num n) (Q.den n))) whole

(* The graphs of a chain, or of the quotient that the evidence names; each has the law of a pair of its states. *)
type graphs = {
  base : Chain.t;
  place : int array option;
  own : (int * int) list;
  unrolling : Json.t;
  shapes : (int * Json.t) array;
  nodes : Nodes.node array;
  laws_of : (Q.t Masses.t * Q.t Masses.t) array;
}

let read_graphs chain listed =
  record [ "graphs" ] ~optional:[ "classes" ] listed;
  let graphs = items (get "graphs" listed) in
  let base, place = Nodes.read_classes chain listed in
  let own = List.map (fun graph -> alike_pair base (get "pair" graph)) graphs in
  demand (ascending own) "graphs are out of order or repeated";
  let unrolling, shapes = joined graphs in
  let nodes = settle (Nodes.expanded base Q.one (Nodes.cost base Q.one Tables.none) own (items (get "nodes" unrolling))) in
  { base; place; own; unrolling; shapes; nodes; laws_of = laws (List.length graphs) shapes nodes }

let placed found (s, t) = match found.place with Some place -> (place.(s), place.(t)) | None -> (s, t)

(* The number of the graph of a pair. *)
let graph_of found pair =
  let rec find q = function [] -> reject "a pair has no graph" | own :: _ when own = pair -> q | _ :: l -> find (q + 1) l in
  find 0 found.own

let closed found = Array.for_all (fun (_, shape) -> shape_of shape <> `Open) found.shapes

type t = {
  evidence : Q.t -> Checks.unrolled * (int * int -> Q.t); (* for one alpha: as Nodes.read gives it *)
  laws : (Q.t Masses.t * Q.t Masses.t) list; (* of the pairs *)
  closed : bool; (* no node is open *)
}

let read chain pairs value =
  record [ "laws"; "work" ] value;
  ignore (index (get "work" value));
  let listed = get "laws" value in
  let found = read_graphs chain listed in
  let classes = match field "classes" listed with Some l -> [ ("classes", l) ] | None -> [] in
  let evidence alpha = Nodes.read ~settle chain alpha ~distance:false (Object (classes @ [ ("unrolling", found.unrolling) ])) in
  let law pair =
    let s, t = placed found pair in
    let same law = (law, law) in
    if s = t then same (Masses.singleton Q.one Q.one)
    else if found.base.labels.(s) <> found.base.labels.(t) then same Masses.empty
    else found.laws_of.(graph_of found (s, t))
  in
  { evidence; laws = List.map law pairs; closed = closed found }
