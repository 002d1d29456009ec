(* Closed tables (Sections 4.3 and 4.4), as evidence for proofs/programs/Parts.v. The proved check decides the bound;
   what the specification demands beyond it, such as the choices in [by], is demanded here. *)
open Json
open Program
open Orders

let loss value =
  let q = rational value in
  demand (Q.sign q >= 0) "a number is negative";
  q

let loss_or_inf = function Text "inf" -> None | value -> Some (loss value)
let no_more x y = match (x, y) with _, None -> true | None, _ -> false | Some x, Some y -> Q.leq x y
let by_way adjacency value =
  if adjacency <> "monotonic" then [ (adjacency, value) ]
  else (record [ "decreasing"; "increasing" ] value; members value)

let by_mode adjacency value =
  if adjacency <> "one-differ" then [ ("", value) ] else (record [ "unused"; "used" ] value; members value)

(* Finite at these shifts of some variables, whatever the others are; infinite elsewhere. *)
type func = { names : string list; points : (Q.t list * Q.t) list }
let zero = { names = []; points = [ ([], Q.zero) ] }
type listed = { node : node; functions : (string * func list) list (* by mode *) }
type part = { variables : string list; upper : Q.t option; nodes : (string * listed array) list (* by adjacency *) }

let allowed bounds x own = List.for_all (fun (v, r) -> match r with "<" -> Q.leq own (x v) | ">=" -> Q.geq own (x v) | _ -> Q.equal own (x v)) bounds

(* One variable: a table. *)
let read_table (program : Program.t) adjacency value =
  let shifts = shifts program in
  let entry (name, value) =
    demand (Hashtbl.mem program.own name) "functions of a name that is not a state";
    let read value =
      let numbers = List.map loss_or_inf (items value) in
      demand (List.length numbers = List.length shifts) "a list has the wrong length";
      numbers
    in
    let compare_losses x y = match (x, y) with None, None -> 0 | None, _ -> 1 | _, None -> -1 | Some x, Some y -> Q.compare x y in
    let rec rising = function a :: (b :: _ as l) -> List.compare compare_losses a b < 0 && rising l | _ -> true in
    let functions value =
      let found = List.map read (items value) in
      demand (rising found) "functions are out of order or repeated";
      found
    in
    (name, List.map (fun (mode, value) -> (mode, functions value)) (by_mode adjacency value))
  in
  let table = List.map entry (members value) in
  let listed state = match find state table with Some lists -> lists | None -> List.map (fun mode -> (mode, [])) (modes adjacency) in
  (shifts, listed)

let check_table (program : Program.t) adjacency upper (shifts, listed) =
  let of_ state mode = Option.get (find mode (listed state)) @ [ List.map (fun _ -> Some Q.zero) shifts ] in
  let least f = List.fold_left (fun a x -> if no_more x a then x else a) None f in
  let check t (delta, mode, after) =
    let before = of_ t.source mode in
    let earlier later x =
      let step own value =
        if (t.pinned && Q.sign own <> 0) || not (allowed t.bounds (fun _ -> x) own) then None
        else
          match (cost t delta own, if t.stored <> [] then value else List.assoc x (List.combine shifts later)) with
          | Some a, Some b -> Some (Q.add (Q.add a (prime_cost t delta)) b)
          | _ -> None
      in
      least (List.map2 step shifts later)
    in
    let below later = let found = List.map (earlier later) shifts in List.exists (List.for_all2 no_more found) before in
    demand (List.for_all below (of_ t.target after)) (Printf.sprintf "not closed under transition %d with delta %d" t.number delta)
  in
  Array.iter (fun t -> if is_reached program t then List.iter (check t) (moves adjacency t)) program.transitions;
  let worst = List.for_all (fun f -> no_more (least f) upper) (of_ program.initial (List.hd (modes adjacency))) in
  demand worst "the table does not prove upper"

(* The nodes of a table: one for each state that is reached. *)
let nodes_of_table (program : Program.t) (shifts, listed) =
  let v = List.hd program.variables in
  let targets = List.concat_map (fun t -> if is_reached program t then [ t.target ] else []) (Array.to_list program.transitions) in
  let others = List.filter (fun s -> s <> program.initial) (List.sort_uniq compare targets) in
  let states = program.initial :: others in
  let place = List.mapi (fun i s -> (s, i)) states in
  let func f =
    let points = List.filter_map (fun (x, value) -> Option.map (fun value -> ([ x ], value)) value) (List.combine shifts f) in
    { names = [ v ]; points }
  in
  let node state =
    let targets = List.map (fun t -> find t.target place) (leaving program state) in
    { node = { state; order = []; targets }; functions = List.map (fun (mode, l) -> (mode, List.map func l)) (listed state) }
  in
  Array.of_list (List.map node states)

(* Several variables: nodes. *)
let read_function value =
  record [ "names"; "points" ] value;
  let names = List.map text (items (get "names" value)) in
  demand (ascending names) "names are out of order or repeated";
  let shift = function Int k when abs k <= 1 -> k | _ -> reject "a shift is not one that counts" in
  let point value =
    match items value with
    | [ x; value ] ->
        let x = List.map shift (items x) in
        demand (List.length x = List.length names) "a list has the wrong length";
        (x, loss value)
    | _ -> reject "a list has the wrong length"
  in
  let points = List.map point (items (get "points" value)) in
  demand (ascending (List.map fst points)) "points are out of order or repeated";
  { names; points = List.map (fun (x, value) -> (List.map Q.of_int x, value)) points }

let counted = List.map Q.of_int [ -1; 0; 1 ]

(* Whether psi is at least what the transition costs, and phi after it, for all shifts within the order. *)
let dominates order t delta psi phi =
  let needed = List.filter (fun v -> not (List.mem v t.stored)) phi.names @ List.map fst t.bounds in
  let more = List.sort_uniq compare (List.filter (fun v -> not (List.mem v psi.names)) needed) in
  let costs = List.filter_map (fun own -> Option.map (fun c -> (own, Q.add c (prime_cost t delta))) (cost t delta own)) in
  let costs = costs (if t.pinned then [ Q.zero ] else counted) in
  let places = Hashtbl.create 16 in
  let name x = List.map Q.to_string x in
  List.iter (fun (x, value) -> Hashtbl.replace places (name x) value) phi.points;
  let holds value x =
    let at v = List.assoc v x in
    let serves (own, c) =
      allowed t.bounds at own
      &&
      match Hashtbl.find_opt places (name (List.map (fun v -> if List.mem v t.stored then own else at v) phi.names)) with
      | Some later -> Q.leq (Q.add c later) value
      | None -> false
    in
    List.exists serves costs
  in
  let respects x = List.for_all (fun (a, b) -> match (find a x, find b x) with Some p, Some q -> Q.leq p q | _ -> true) order in
  let rec everywhere value more x =
    (not (respects x)) || match more with [] -> holds value x | v :: more -> List.for_all (fun own -> everywhere value more ((v, own) :: x)) counted
  in
  List.for_all (fun (x, value) -> everywhere value more (List.combine psi.names x)) psi.points

(* With [last], of each node some transitions are no last steps, and there are further last steps. *)
let read_listed ?last (program : Program.t) adjacency upper value =
  let entries = items value in
  List.iter (record [ "by"; "functions"; "order"; "state"; "targets" ]) entries;
  let nodes = read_nodes program entries in
  defined program;
  let ends = match last with Some read -> read nodes | None -> fun _ -> ([], []) in
  let least = if Option.is_none last then -1 else 0 in
  let functions entry = List.map (fun (mode, l) -> (mode, List.map read_function (items l))) (by_mode adjacency (get "functions" entry)) in
  let listed = Array.of_list (List.mapi (fun i entry -> { node = nodes.(i); functions = functions entry }) entries) in
  let check i { node; functions } entry =
    let chosen = ref (List.map (function Int k -> k | _ -> reject "a number of a function is no integer") (items (get "by" entry))) in
    let next () = match !chosen with k :: l -> chosen := l; k | [] -> reject "by has the wrong length" in
    let going, further = ends i in
    let step t later (delta, mode, after) =
      let own = Array.of_list (Option.get (find mode functions)) in
      let below phi =
        let k = next () in
        demand (least <= k && k < Array.length own) "by names a function that does not exist";
        let psi = if k = -1 then zero else own.(k) in
        demand (dominates node.order t delta psi phi) (Printf.sprintf "not closed under transition %d with delta %d" t.number delta)
      in
      List.iter below (later after)
    in
    let way t target =
      let later after = Option.get (find after listed.(target).functions) @ if List.memq t going then [] else [ zero ] in
      List.iter (step t later) (moves adjacency t)
    in
    List.iter2 (fun t -> Option.iter (way t)) (leaving program node.state) node.targets;
    List.iter (fun t -> List.iter (step t (fun _ -> [ zero ])) (moves adjacency t)) further;
    demand (!chosen = []) "by has more numbers than there are functions"
  in
  Array.iteri (fun i l -> check i l (List.nth entries i)) listed;
  let claim f =
    demand (f.points <> []) "a function of node 0 has no point";
    demand (List.exists (fun (_, value) -> no_more (Some value) upper) f.points) "the functions do not prove upper"
  in
  List.iter claim (Option.get (find (List.hd (modes adjacency)) listed.(0).functions));
  listed

(* Parts: the transitions of the others test and store nothing, and output a letter. *)
let erased t = { t with tests = []; bounds = []; stored = []; numbers = []; pinned = false; primed = false }
let named t = List.map fst t.bounds @ t.stored

let projection (program : Program.t) keeps =
  let project t = if keeps t then t else erased t in
  let own = Hashtbl.create 64 in
  Hashtbl.iter (fun state ways -> Hashtbl.replace own state (List.map project ways)) program.own;
  let transitions = Array.map project program.transitions in
  let variables = List.concat_map (fun t -> if is_reached program t then named t else []) (Array.to_list transitions) in
  { program with own; transitions; variables = List.sort_uniq compare variables }

let read_parts (program : Program.t) adjacency upper value =
  let entries = items value in
  demand (entries <> []) "there are no parts";
  let read entry =
    record [ "nodes"; "upper"; "variables" ] entry;
    let variables = List.map text (items (get "variables" entry)) in
    demand (ascending variables) "variables are out of order or repeated";
    (variables, rational (get "upper" entry), get "nodes" entry)
  in
  let parts = List.map read entries in
  let all = List.concat_map (fun (variables, _, _) -> variables) parts in
  demand (distinct all) "a variable is in two parts";
  (* A transition without variables belongs to the first part. *)
  let home number variables t =
    match named t with
    | [] -> number = 0
    | l ->
        let own = List.filter (fun v -> List.mem v variables) l in
        demand (List.for_all (fun v -> List.mem v all) l && (own = [] || own = l)) "the variables of a transition are not in one part";
        own <> []
  in
  let bounds = List.map (fun (_, bound, _) -> bound) parts in
  let total = if adjacency = "one-differ" then List.fold_left Q.max (List.hd bounds) bounds else List.fold_left Q.add Q.zero bounds in
  demand (no_more (Some total) upper) "the parts do not prove upper";
  let part number (variables, bound, nodes) =
    demand (Q.sign bound >= 0) "the bound of a part is negative";
    let own = projection program (home number variables) in
    { variables; upper = Some bound; nodes = [ (adjacency, read_listed own adjacency (Some bound) nodes) ] }
  in
  List.mapi part parts

(* The evidence for the proved check. Of parts that differ between increasing and decreasing inputs the larger bounds count. *)
let read (program : Program.t) adjacency upper evidence =
  let all = Array.to_list program.all_variables in
  let whole nodes = [ { variables = all; upper; nodes } ] in
  match (field "table" evidence, field "nodes" evidence, field "parts" evidence) with
  | Some table, None, None ->
      let own (way, value) =
        let found = read_table program way value in
        check_table program way upper found;
        (way, nodes_of_table program found)
      in
      whole (List.map own (by_way adjacency table))
  | None, Some nodes, None -> whole (List.map (fun (way, value) -> (way, read_listed program way upper value)) (by_way adjacency nodes))
  | None, None, Some parts -> (
      match List.map (fun (way, value) -> read_parts program way upper value) (by_way adjacency parts) with
      | [ found ] -> found
      | [ down; up ] when List.map (fun p -> p.variables) down = List.map (fun p -> p.variables) up ->
          let larger p q = if no_more p.upper q.upper then q.upper else p.upper in
          List.map2 (fun p q -> { p with upper = larger p q; nodes = p.nodes @ q.nodes }) down up
      | _ -> raise (Not_covered "parts that differ between increasing and decreasing inputs"))
  | None, None, None -> demand (upper = None) "upper is finite, and the evidence has no bound from above"; []
  | _ -> reject "two kinds of evidence from above"

(* As proofs/programs/Table.v and Parts.v have it. *)
let mode_of = function
  | "all-differ" -> Checks.Free | "one-differ" -> Checks.Unused | "increasing" -> Checks.Up | _ -> Checks.Down

let numbers_of_nodes nodes =
  let of_function f = List.map snd f.points and of_node l = List.concat_map snd l.functions in
  List.concat_map of_function (List.concat_map of_node (Array.to_list nodes))

let numbers parts =
  let of_part p = Option.to_list p.upper @ List.concat_map (fun (_, nodes) -> numbers_of_nodes nodes) p.nodes in
  List.concat_map of_part parts

let coq_node (program : Program.t) scale upper i { node; functions } =
  let variable = variable_number program and state = state_number program in
  let func first f =
    (* At the first node nothing is stored yet: there a function may be as good as its least number. *)
    let at_start = List.exists (fun (x, value) -> List.for_all (fun s -> Q.sign s = 0) x && no_more (Some value) upper) f.points in
    let least = List.fold_left (fun a (_, value) -> Q.min a value) Q.inf f.points in
    let f = if first && not at_start && f.points <> [] then { names = []; points = [ ([], least) ] } else f in
    let point (x, value) = (List.map (steps program scale) x, scaled scale value) in
    { Checks.names = List.map variable f.names; points = List.map point f.points }
  in
  let lists = List.map (fun (_, l) -> List.map (func (i = 0)) l) functions in
  {
    Checks.place0 = state node.state;
    known0 = List.map (fun (a, b) -> (variable a, variable b)) node.order;
    nexts = List.map (fun target -> Z.of_int (Option.value target ~default:0)) node.targets;
    before = List.hd lists;
    afterwards = (match lists with [ _; used ] -> used | _ -> []);
  }

let coq (program : Program.t) scale parts =
  let part p =
    let tables = List.map (fun (way, nodes) -> (mode_of way, List.mapi (coq_node program scale p.upper) (Array.to_list nodes))) p.nodes in
    let table mode = Option.value (find mode tables) ~default:[] in
    { Checks.variables = List.map (variable_number program) p.variables; bound = scaled scale (Option.get p.upper); tables = table }
  in
  Checks.Tabled (List.map (steps program scale) (shifts program), List.map part parts)
