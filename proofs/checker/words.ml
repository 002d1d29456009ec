(* The words about a claim (Section 5), and what they need. Nothing here is proved. *)
open Json

let text_of q = if Z.equal (Q.den q) Z.one then Z.to_string (Q.num q) else Q.to_string q

(* Section 5: a number of more than 60 characters is cut after 20 places. *)
let abbreviate ?(up = false) q =
  let number = text_of q in
  if String.length number <= 60 then number
  else
    let top = String.length (Z.to_string (Q.num q)) and digits = String.length (Z.to_string (Q.den q)) in
    let bottom = if Z.equal (Q.den q) Z.one then 0 else digits in
    let exponent = max 0 (top - bottom - 20) in
    let n = Z.mul (Q.num q) (Z.pow (Z.of_int 10) 20) and d = Z.mul (Q.den q) (Z.pow (Z.of_int 10) exponent) in
    let places = Z.to_string (if up then Z.cdiv n d else Z.fdiv n d) in
    let places = String.make (max 0 (21 - String.length places)) '0' ^ places in
    let whole = String.length places - 20 in
    Printf.sprintf "%s.%s...%s (exact number of %d digits%s)" (String.sub places 0 whole) (String.sub places whole 20)
      (if exponent > 0 then Printf.sprintf "e+%d" exponent else "")
      (top + bottom)
      (if up then ", rounded up" else "")

(* Whether alpha > e^x, by sums of x^k / k! rounded down and up, with more and more bits. *)
let exceeds_exponential alpha x =
  let rec with_bits bits =
    if bits > 1 lsl 14 then reject "alpha is too close to e^epsilon to decide which is larger";
    let unit = Z.shift_left Z.one bits in
    let scaled = Z.mul (Q.num alpha) unit in
    let rec from k below above low high =
      let ended = Z.geq (Z.mul (Z.of_int k) (Q.den x)) (Z.mul (Z.of_int 2) (Q.num x)) && Z.leq above Z.one in
      if Z.geq (Z.mul low (Q.den alpha)) scaled then false
      else if ended then Z.lt (Z.mul (Z.add high above) (Q.den alpha)) scaled || with_bits (2 * bits)
      else
        let d = Z.mul (Z.of_int (k + 1)) (Q.den x) in
        let below = Z.fdiv (Z.mul below (Q.num x)) d and above = Z.cdiv (Z.mul above (Q.num x)) d in
        from (k + 1) below above (Z.add low below) (Z.add high above)
    in
    from 0 unit unit unit unit
  in
  with_bits 128

let epsilon_words alpha value =
  record [ "alpha"; "value" ] value;
  let side = text (get "alpha" value) and x = positive (get "value" value) in
  demand (List.mem side [ "at-least"; "at-most" ]) "alpha is neither at-least nor at-most";
  demand (exceeds_exponential alpha x = (side = "at-least")) ("alpha is not " ^ side ^ " e^epsilon");
  Printf.sprintf "%sexp(%s)" (if side = "at-least" then ">=" else "<=") (abbreviate x)

(* The identity of the tables of all pairs (Section 5). *)
let identity ~both (below : Tables.table) (above : Tables.table) =
  let listed (table : Tables.table) default =
    let rows = List.concat_map (fun (r : Tables.row) -> (r.pair, r.value) :: (if both then [ (Tables.swap r.pair, r.value) ] else [])) table.rows in
    let g = List.fold_left (fun g (_, n) -> Z.gcd g n) table.unit rows in
    let hex n = Text (Z.format "%x" (Z.divexact n g)) in
    let kept = List.filter (fun (_, n) -> not (Z.equal n default)) (List.sort compare rows) in
    let row ((i, j), n) = List [ Int i; Int j; hex n ] in
    Object [ ("denominator", hex table.unit); ("rows", List (List.map row kept)) ]
  in
  Sha256.hex (encode (Object [ ("lower", listed below Z.zero); ("upper", listed above above.unit) ]))

(* One value, or two bounds that differ. *)
let bounds_words fields =
  let field key = field key fields in
  let number key value = if value = Text "inf" then "inf" else abbreviate ~up:(key = "upper" || key = "width") (rational value) in
  let word key = match field key with Some value -> [ key ^ "=" ^ number key value ] | None -> [] in
  let same = field "lower" <> None && field "lower" = field "upper" in
  if same then [ "value=" ^ number "lower" (Option.get (field "lower")) ] else word "value" @ word "lower" @ word "upper"

type claim = {
  alpha : Q.t;
  kind : string;
  both : bool; (* directions of a pair *)
  scope : string;
  from_to : (int * int) option;
  fields : Json.t;
  chain : Chain.t; (* of a process the one whose action is always the first *)
  seen : (Seen.t * Checks.collapse) option; (* the chain is that of what is seen *)
}

let observer_words observer =
  (("sees=" ^ text (get "sees" observer)) :: List.map (fun label -> "silent=" ^ encode label) (items (get "silent" observer)))

(* The line, with the number of pairs of equal label, and more words. *)
let line claim more =
  let number key value = abbreviate ~up:(key = "upper" || key = "width") (rational value) in
  let field key = field key claim.fields in
  let word key = match field key with Some value -> [ key ^ "=" ^ number key value ] | None -> [] in
  let epsilon = match field "epsilon" with Some e -> [ epsilon_words claim.alpha e ] | None -> [] in
  let quotient = match field "quotient" with Some q -> [ "quotient=" ^ text q ] | None -> [] in
  let observer = match field "observer" with Some o -> observer_words o | None -> [] in
  let alike = List.fold_left (fun n states -> let k = List.length states in n + (k * (k - 1))) 0 (Array.to_list (Chain.peers claim.chain)) in
  let last =
    if claim.scope = "all-pairs" then
      let exact = match field "width" with Some width -> width = Text "0" | None -> true in
      "all-pairs" :: (if exact then [ Printf.sprintf "exact: %d pairs" alike ] else word "width")
    else
      let end_ name = match field name with Some value -> [ name ^ "=" ^ encode value ] | None -> [] in
      (if claim.scope = "relation" then [ (if claim.from_to = None then "relation maximum" else "relation maximum at") ] else [])
      @ end_ "from" @ end_ "to"
      @ bounds_words claim.fields
  in
  String.concat " " ((claim.kind :: word "alpha") @ epsilon @ quotient @ observer @ last @ more)
