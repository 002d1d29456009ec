(* The exits of unseen states (Section 3.6) as evidence for proofs/Collapsed.v. What is computed here needs no trust: the
   proved check refuses what is wrong. *)
open Json
open Chain
open Seen

module Row = Map.Make (Int)

let add t p = Row.update t (fun old -> Some (Q.add p (Option.value old ~default:Q.zero)))
let mixed entries = List.fold_left (fun sum (p, row) -> Row.fold (fun v q -> add v (Q.mul p q)) row sum) Row.empty entries

let read_exits (chain : Chain.t) value =
  let exits e =
    record [ "denominator"; "exits"; "state" ] e;
    let below = natural (get "denominator" e) in
    let entry e = match items e with [ v; n ] -> (state chain v, natural n) | _ -> reject "an exit is no pair" in
    let listed = List.map entry (items (get "exits" e)) in
    demand (listed <> [] && ascending (List.map fst listed)) "there are no exits, or they are out of order or repeated";
    demand (Z.sign below > 0 && List.for_all (fun (_, n) -> Z.sign n > 0) listed) "a number is not positive";
    demand (Z.leq (List.fold_left (fun a (_, n) -> Z.add a n) Z.zero listed) below) "the exits have a probability above 1";
    (state chain (get "state" e), Row.of_seq (List.to_seq (List.map (fun (v, n) -> (v, Q.make n below)) listed)))
  in
  let rows = List.map exits (items value) in
  demand (ascending (List.map fst rows)) "states with exits are out of order or repeated";
  Row.of_seq (List.to_seq rows)

(* The state that the next seen transition enters; [stuck] has the states found that have no exits. *)
type skipping = { row : int -> Q.t Row.t; is_seen : int -> int -> bool; exits : Q.t Row.t Row.t; stuck : (int, unit) Hashtbl.t; known : (int, Q.t Row.t) Hashtbl.t }

let skipping row is_seen exits = { row; is_seen; exits; stuck = Hashtbl.create 16; known = Hashtbl.create 16 }

let unseen skip t =
  match Row.find_opt t skip.exits with Some row -> row | None -> Hashtbl.replace skip.stuck t (); Row.empty

let next skip s =
  match Hashtbl.find_opt skip.known s with
  | Some row -> row
  | None ->
      let part (t, p) = (p, if skip.is_seen s t then Row.singleton t Q.one else unseen skip t) in
      let row = mixed (List.map part (Row.bindings (skip.row s))) in
      Hashtbl.replace skip.known s row;
      row

(* The exits obey their equations, a way leads out of every state that has exits, and none out of those that have none. *)
let right skip =
  Row.iter (fun u row -> demand (Row.equal Q.equal (next skip u) row) "the exits of a state differ from those of the next states") skip.exits;
  let waiting = Queue.create () in
  Hashtbl.iter (fun s () -> Queue.add s waiting) skip.stuck;
  while not (Queue.is_empty waiting) do
    let s = Queue.pop waiting in
    let follow t _ =
      demand (not (Row.mem t skip.exits || skip.is_seen s t)) "a way leads out of a state that has no exits";
      if not (Hashtbl.mem skip.stuck t) then (Hashtbl.replace skip.stuck t (); Queue.add t waiting)
    in
    Row.iter follow (skip.row s)
  done;
  let before = Hashtbl.create 16 and found = Hashtbl.create 16 in
  let reach u = if not (Hashtbl.mem found u) then (Hashtbl.replace found u (); Queue.add u waiting) in
  let look u _ =
    let step t _ = if skip.is_seen u t then reach u else if Row.mem t skip.exits then Hashtbl.add before t u in
    Row.iter step (skip.row u)
  in
  Row.iter look skip.exits;
  while not (Queue.is_empty waiting) do List.iter reach (Hashtbl.find_all before (Queue.pop waiting)) done;
  demand (Hashtbl.length found = Row.cardinal skip.exits) "a state has exits, but no way leads out of it"

(* The rules of the rows of the small chain. *)
let rules seen erasing merging =
  let { chain; small; changes; _ } = seen in
  let is_visible s = not (List.mem chain.labels.(s) seen.silent) in
  let place = Row.of_seq (List.to_seq (List.map (fun (c, s) -> (s, c)) seen.entered)) in
  let ends = if seen.start = None then [] else List.map (fun (s, c) -> (c, s)) seen.begins in
  let absorbing c = match small.next.(c) with [ (d, _) ] -> c = d | _ -> false in
  let row c _ =
    let follows shown =
      let goes v p =
        match Row.find_opt v place with
        | Some d -> demand (Option.equal Q.equal (List.assoc_opt d small.next.(c)) (Some p)) "the probability of a state that is seen next is wrong"
        | None -> reject "a state is seen next, but the row does not lead there"
      in
      Row.iter goes shown;
      let label = if changes then Some small.labels.(c) else seen.silence in
      let lasts (d, _) = Row.exists (fun v _ -> Row.find_opt v place = Some d) shown || (Some small.labels.(d) = label && absorbing d) in
      demand (List.for_all lasts small.next.(c)) "a row leads to a state that is neither seen next nor an end"
    in
    match (List.assoc_opt c ends, List.assoc_opt c seen.entered) with
    | Some s, _ -> follows (if is_visible s then Row.singleton s Q.one else unseen erasing s)
    | None, Some s -> follows (next (if changes then merging else erasing) s)
    | None, None -> demand (absorbing c) "a state is neither a beginning nor entered nor absorbing"
  in
  Array.iteri row small.next;
  right merging;
  right erasing

(* The labels in front of all that is seen, and after it. *)
let before_label seen = Option.value seen.start ~default:(Array.length seen.chain.label_names)
let silence_label seen = Option.value seen.silence ~default:(Array.length seen.chain.label_names + 1)

(* The states that the next step that is seen enters, from an unseen state, by the label that was seen last. *)
let next_seen seen erased merged is_unseen (last, s) =
  let own exits t = Option.value (Row.find_opt t exits) ~default:Row.empty in
  if not (List.mem seen.chain.labels.(s) seen.silent) then own merged s
  else
    let part (v, p) = (p, if is_unseen (last, v) then own merged v else Row.singleton v Q.one) in
    mixed (List.map part (Row.bindings (own erased s)))

(* The absorbing states by their labels: where there are several, one that stands for no state and that others lead to. *)
let lasting seen =
  let { small; _ } = seen and found = Hashtbl.create 8 and entered = Hashtbl.create 64 in
  let stands c = List.mem_assoc c seen.entered || List.exists (fun (_, d) -> c = d) seen.begins in
  Array.iteri (fun c next -> List.iter (fun (d, _) -> if c <> d then Hashtbl.replace entered d ()) next) small.next;
  let rank c = if stands c then 0 else if Hashtbl.mem entered c then 2 else 1 in
  let add own c next = match next with [ (d, _) ] when c = d && rank c = own -> Hashtbl.replace found small.labels.(c) c | _ -> () in
  List.iter (fun own -> Array.iteri (add own) small.next) [ 0; 1; 2 ];
  fun label -> match Hashtbl.find_opt found label with Some c -> c | None -> reject "there is no end of a label"

let evidence seen erased merged : Checks.collapse =
  let { chain; small; changes; _ } = seen in
  let is_unseen (last, s) = List.mem chain.labels.(s) seen.silent || (changes && Some chain.labels.(s) = last) in
  let following ((last, s) as place) =
    let after = if is_unseen place then last else Some chain.labels.(s) in
    List.map (fun (t, p) -> ((after, t), p)) chain.next.(s)
  in
  let found = Hashtbl.create 64 and waiting = Queue.create () and places = ref [] in
  let reach place = if not (Hashtbl.mem found place) then (Hashtbl.replace found place (); Queue.add place waiting) in
  List.iter (fun (s, _) -> reach (None, s)) seen.begins;
  List.iter (fun (_, s) -> List.iter (fun (t, _) -> reach (Some chain.labels.(s), t)) chain.next.(s)) seen.entered;
  while not (Queue.is_empty waiting) do
    let place = Queue.pop waiting in
    if is_unseen place then places := place :: !places;
    List.iter (fun (after, _) -> reach after) (following place)
  done;
  let places = List.rev !places and lasting = lasting seen in
  let entered = List.map (fun (c, s) -> (s, c)) seen.entered in
  let ends place =
    let ahead = next_seen seen erased merged is_unseen place in
    let enter v p sum = match List.assoc_opt v entered with Some c -> add c p sum | None -> reject "a state is seen next, but not entered" in
    let row = Row.fold enter ahead Row.empty in
    let rest = Row.fold (fun _ p a -> Q.sub a p) row Q.one in
    let last = if changes then Option.value (fst place) ~default:(before_label seen) else silence_label seen in
    (place, Row.is_empty ahead, if Q.sign rest = 0 then row else add (lasting last) rest row)
  in
  let rows = List.map ends places in
  let unit = common (List.concat_map (fun (_, _, row) -> List.map snd (Row.bindings row)) rows) in
  let leaving = List.filter_map (fun (place, ended, _) -> if ended then None else Some place) rows in
  let number_of = Hashtbl.create 64 in
  List.iteri (fun i place -> Hashtbl.replace number_of place i) leaving;
  let count = List.length leaving in
  let link (place, p) = (Option.value (Hashtbl.find_opt number_of place) ~default:count, p) in
  let links = Array.of_list (List.map (fun place -> List.map link (following place)) leaving @ [ [] ]) in
  let falls, tall = Nodes.heights links (Array.make (count + 1) Z.one) (Array.make (count + 1) Q.zero) in
  let exit ((last, s), _, row) =
    let tall = match Hashtbl.find_opt number_of (last, s) with Some i -> tall.(i) | None -> Q.zero in
    (last, (key s, { Checks.ends = List.map (fun (c, p) -> (key c, over unit p)) (Row.bindings row); tall = ratio tall }))
  in
  let exits = List.map exit rows in
  let lasts = List.sort_uniq compare (List.map fst exits) in
  let own last = List.filter_map (fun (l, e) -> if l = last then Some e else None) exits in
  let mem = function None -> Z.one | Some a -> Z.of_int (a + 2) in
  {
    shown_chain = coq small;
    share = unit;
    entered = List.map (fun (s, c) -> (key s, key c)) entered;
    exits = List.map (fun last -> (mem last, own last)) lasts;
    highest = ratio (Array.fold_left Q.max Q.zero tall);
    falls = ratio falls;
    opening = number (before_label seen);
    silence = number (silence_label seen);
    begun = seen.start <> None;
    begins = List.map (fun (s, c) -> (key s, number c)) seen.begins;
  }

let read seen value =
  let { chain; changes; _ } = seen in
  let erased = read_exits chain (get "erased" value) and merged = read_exits chain (get "merged" value) in
  demand (changes || Row.is_empty merged) "the observer sees all labels, but merged is not empty";
  let step s = Row.of_seq (List.to_seq chain.next.(s)) in
  let erasing = skipping step (fun _ t -> not (List.mem chain.labels.(t) seen.silent)) erased in
  let merging = skipping (next erasing) (fun s t -> chain.labels.(s) <> chain.labels.(t)) merged in
  rules seen erasing merging;
  evidence seen erased merged
