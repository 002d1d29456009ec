(* The chain of a certificate: states are numbered in the order of their names (Section 2). *)
open Json

type t = {
  names : string array;
  labels : int array;
  label_names : string array; (* sorted *)
  next : (int * Q.t) list array; (* in the order of the states, without zeros *)
  relation : (int * int) list;
}

let size chain = Array.length chain.labels

let position names name =
  let rec between low high =
    if low >= high then reject "there is no state or label of this name"
    else
      let middle = (low + high) / 2 in
      match compare name names.(middle) with
      | 0 -> middle
      | c when c < 0 -> between low middle
      | _ -> between (middle + 1) high
  in
  between 0 (Array.length names)

let successors names value =
  let row = List.map (fun (t, p) -> (position names t, positive p)) (members value) in
  demand (Q.equal Q.one (List.fold_left (fun a (_, p) -> Q.add a p) Q.zero row)) "the probabilities do not sum to 1";
  row

(* The states, labels and relation of a model; its rows are read from each state by a function of all names. *)
let read_as kind rows model =
  record [ "states"; "type"; "version" ] ~optional:[ "relation" ] model;
  constant (get "type" model) (Text kind);
  constant (get "version" model) (Int 1);
  let states = members (get "states" model) in
  demand (states <> []) "there is no state";
  let names = Array.of_list (List.map fst states) in
  let own = List.map (fun (_, state) -> text (get "label" state)) states in
  let label_names = Array.of_list (List.sort_uniq compare own) in
  let pair entry =
    match items entry with
    | [ s; t ] -> (position names (text s), position names (text t))
    | _ -> reject "a pair of the relation is no pair"
  in
  let relation = match field "relation" model with Some l -> List.map pair (items l) | None -> [] in
  demand (ascending relation) "the pairs of the relation are out of order or repeated";
  demand (List.sort compare (List.map (fun (s, t) -> (t, s)) relation) = relation) "the relation is not symmetric";
  let next = Array.of_list (List.map (fun (_, state) -> rows names state) states) in
  ({ names; labels = Array.of_list (List.map (position label_names) own); label_names; next = [||]; relation }, next)

let read model =
  let row names state = record [ "label"; "next" ] state; successors names (get "next" state) in
  let chain, next = read_as "labelled-markov-chain" row model in
  { chain with next }

(* The identity of the model: without a relation that is empty. *)
let identity model =
  let kept = List.filter (fun member -> member <> ("relation", List [])) (members model) in
  Sha256.hex (encode (Object kept))

let state chain value =
  let k = index value in
  demand (k < size chain) "an index is that of no state";
  k

let alike chain i j = i <> j && chain.labels.(i) = chain.labels.(j)

let alike_pair chain value =
  match items value with
  | [ i; j ] ->
      let i = state chain i and j = state chain j in
      demand (alike chain i j) "a pair is not of equal label";
      (i, j)
  | _ -> reject "a pair is no pair"

(* The states of each label. *)
let peers chain =
  let found = Array.make (Array.length chain.label_names) [] in
  for s = size chain - 1 downto 0 do
    found.(chain.labels.(s)) <- s :: found.(chain.labels.(s))
  done;
  found

(* Common denominators of lists of numbers, and of rows as proofs/Rows.v has them. *)
let common = List.fold_left (fun m q -> Z.lcm m (Q.den q)) Z.one
let denominator chain s = common (List.map snd chain.next.(s))
let over unit q = Z.divexact (Z.mul (Q.num q) unit) (Q.den q)

(* The chain of the classes of a partition, and the class of each state. *)
let quotient chain classes =
  let place = Array.make (size chain) (-1) in
  List.iteri
    (fun c members ->
      demand (members <> [] && ascending members) "a class is empty or out of order";
      List.iter
        (fun s ->
          demand (place.(s) < 0) "a state is in two classes";
          place.(s) <- c)
        members)
    classes;
  demand (ascending (List.map List.hd classes)) "the classes are out of order";
  demand (Array.for_all (fun c -> c >= 0) place) "a state is in no class";
  let row members =
    let sums = Hashtbl.create 8 in
    let add (t, p) = Hashtbl.replace sums place.(t) (Q.add p (Option.value (Hashtbl.find_opt sums place.(t)) ~default:Q.zero)) in
    List.iter add chain.next.(List.hd members);
    List.sort compare (Hashtbl.fold (fun t p l -> (t, p) :: l) sums [])
  in
  let classes = Array.of_list classes in
  let labels = Array.map (fun members -> chain.labels.(List.hd members)) classes in
  ({ chain with labels; next = Array.map row classes; relation = [] }, place)

(* As proofs/Chain.v has it. *)
let number = Z.of_int
let key s = Z.of_int (s + 1)
let ratio q = { Checks.qnum = Q.num q; qden = Q.den q }

let coq_row = List.map (fun (t, p) -> (number t, ratio p))

let coq chain =
  let row s next = (number chain.labels.(s), coq_row next) in
  Array.to_list (Array.mapi row chain.next)
