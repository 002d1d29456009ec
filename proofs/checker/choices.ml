(* Unrollings of processes, against attackers (Sections 3.5 and 3.10), as evidence for proofs/Attackers.v. What is
   computed here needs no trust: the proved check refuses what is wrong. *)
open Json
open Chain

type choice = { node : Nodes.node; actions : (int * Q.t) list list; taken : int option }

let blank x y label = { Nodes.x; y; scale = Q.one; label; shape = Inner; low = Q.zero; up = Q.zero; entries = [] }

let entry own count e =
  match items e with
  | [ a; p ] ->
      let p = index p in
      demand (p < count) "an entry leads to no node";
      (position own.label_names (text a), p)
  | _ -> reject "an entry has the wrong length"

(* The nodes of the certificate; and after them one for each vector that only y leads to. *)
let expanded (process : Process.t) alpha roots given =
  let own = process.base and count = List.length given in
  demand (List.length roots <= count) "there are more roots than nodes";
  let most = Array.fold_left (fun m menu -> max m (List.length menu)) 1 process.menus in
  let acting = Array.init most (Process.acting process) in
  let rays = Array.make count None in
  let single k = Nodes.States.singleton k Z.one in
  List.iteri (fun q (s, t) -> rays.(q) <- Some (single s, single t)) roots;
  let ends = Hashtbl.create 8 and extra = ref [] in
  let ending y label =
    let name = List.map (fun (k, n) -> (k, Z.to_string n)) (Nodes.States.bindings y) in
    match Hashtbl.find_opt ends name with
    | Some p -> p
    | None ->
        let p = count + List.length !extra in
        Hashtbl.replace ends name p;
        extra := { node = { (blank Nodes.States.empty y label) with shape = Leaf [] }; actions = []; taken = None } :: !extra;
        p
  in
  let make q shape =
    let x, y = match rays.(q) with Some ray -> ray | None -> reject "no entry of an earlier node defines a node" in
    let label = own.labels.(fst (Nodes.States.min_binding x)) in
    let node = blank x y label in
    if members shape = [] then
      let gain = Nodes.gap alpha node in
      let behind k = match Nodes.States.find_opt k y with Some n -> Q.mul alpha (Q.of_bigint n) | None -> Q.zero in
      let most = Nodes.States.fold (fun k n a -> Q.add a (Q.max Q.zero (Q.sub (Q.of_bigint n) (behind k)))) x Q.zero in
      { node = { node with shape = Leaf []; low = gain; up = most }; actions = []; taken = None }
    else (
      record [ "actions"; "lower"; "upper" ] ~optional:[ "taken" ] shape;
      let value name =
        let v = rational (get name shape) in
        demand (Q.sign v >= 0) "a value is negative";
        v
      in
      let menu = process.menus.(label) and actions = members (get "actions" shape) in
      demand (List.map fst actions = menu) "the actions are not exactly those of the menu";
      let action a (_, listed) =
        let after z = Nodes.following acting.(a) z in
        let x = after x and y = after y in
        let listed = List.map (entry own count) (items listed) in
        demand (List.map fst listed = Nodes.labels_of own x) "the labels are not exactly the possible ones";
        let only = Nodes.of_label own in
        let step (label, p) =
          let found = Nodes.normal (only label x) (only label y) in
          if rays.(p) = None then rays.(p) <- Some (found.xs, found.ys);
          (p, found.factor)
        in
        let links = List.map step listed in
        let rest = List.filter (fun label -> not (List.mem_assoc label listed)) (Nodes.labels_of own y) in
        let other label = let z = Nodes.normal Nodes.States.empty (only label y) in (ending z.ys label, z.factor) in
        links @ List.map other rest
      in
      let place action =
        let rec from n = function [] -> reject "the taken action is not in the menu" | b :: l -> if action = b then n else from (n + 1) l in
        from 0 menu
      in
      let taken = Option.map (fun action -> place (text action)) (field "taken" shape) in
      { node = { node with low = value "lower"; up = value "upper" }; actions = List.mapi action actions; taken })
  in
  let made = List.mapi make given in
  (acting, Array.of_list (made @ List.rev !extra))

let rec nat n = if n = 0 then Checks.O else Checks.S (nat (n - 1))

let read (process : Process.t) alpha value =
  record [ "unrolling" ] ~optional:[ "classes" ] value;
  let classes = Option.map (Relations.read_blocks process.base) (field "classes" value) in
  let process, place = match classes with Some blocks -> let base, place = Process.quotient process blocks in (base, Some place) | None -> (process, None) in
  let shape = get "unrolling" value in
  record [ "nodes"; "roots" ] shape;
  let roots = List.map (alike_pair process.base) (items (get "roots" shape)) in
  demand (List.length (List.sort_uniq compare roots) = List.length roots) "a root is repeated";
  let acting, nodes = expanded process alpha roots (items (get "nodes" shape)) in
  let links = Array.map (fun c -> match c.taken with Some a -> List.nth c.actions a | None -> []) nodes in
  let mass = Array.map (fun c -> Nodes.sum c.node.x) nodes and low = Array.map (fun c -> c.node.low) nodes in
  let fall, height = Nodes.heights links mass low in
  let choice q c =
    let steps = List.mapi (fun a links -> Nodes.coq_steps acting.(a) c.node links) c.actions in
    let sort =
      match c.taken with
      | Some a -> Checks.Inner (List.nth steps a, ratio height.(q))
      | None -> Checks.Stop (Z.one, [])
    in
    (key q, (Nodes.coq_parts c.node sort, (steps, nat (Option.value c.taken ~default:0))))
  in
  let evidence =
    {
      Checks.fell = ratio fall;
      choices = List.mapi choice (Array.to_list nodes);
      starts = List.mapi (fun q (s, t) -> ((number s, number t), key q)) roots;
    }
  in
  let chosen =
    match place with
    | Some place -> Checks.Merged (Process.coq process, Array.to_list (Array.map number place), evidence)
    | None -> Checks.Chosen evidence
  in
  (chosen, Nodes.lower_of process.base place roots (fun q -> nodes.(q).node.low))
