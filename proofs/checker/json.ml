(* Canonical JSON (docs/certificates.md, Section 1): reading, writing, exact shapes. Strings are kept in UTF-8,
   with unpaired surrogates written like other characters, so that comparing bytes compares code points. *)

exception Rejected of string
exception Not_covered of string

let reject reason = raise (Rejected reason)
let demand condition reason = if not condition then reject reason

type t = Null | Bool of bool | Int of int | Text of string | List of t list | Object of (string * t) list

let max_bytes = 256 * 1024 * 1024
let max_values = 10_000_000
let max_digits = 100_000

(* Writing. *)

let escaped out code =
  match Char.chr (code land 127) with
  | _ when code > 0xffff ->
      let c = code - 0x10000 in
      Printf.bprintf out "\\u%04x\\u%04x" (0xd800 + (c lsr 10)) (0xdc00 + (c land 1023))
  | _ when code > 126 || (code < 32 && not (List.mem code [ 8; 9; 10; 12; 13 ])) -> Printf.bprintf out "\\u%04x" code
  | '\b' -> Buffer.add_string out "\\b"
  | '\t' -> Buffer.add_string out "\\t"
  | '\n' -> Buffer.add_string out "\\n"
  | '\012' -> Buffer.add_string out "\\f"
  | '\r' -> Buffer.add_string out "\\r"
  | ('"' | '\\') as c -> Printf.bprintf out "\\%c" c
  | c -> Buffer.add_char out c

(* The code point at a place of a text, and the next place. *)
let code_at text i =
  let byte k = Char.code text.[i + k] land 63 in
  match Char.code text.[i] with
  | c when c < 0x80 -> (c, i + 1)
  | c when c < 0xe0 -> (((c land 31) lsl 6) lor byte 1, i + 2)
  | c when c < 0xf0 -> (((c land 15) lsl 12) lor (byte 1 lsl 6) lor byte 2, i + 3)
  | c -> (((c land 7) lsl 18) lor (byte 1 lsl 12) lor (byte 2 lsl 6) lor byte 3, i + 4)

let write_text out text =
  let rec from i =
    if i < String.length text then (
      let code, next = code_at text i in
      escaped out code;
      from next)
  in
  Buffer.add_char out '"';
  from 0;
  Buffer.add_char out '"'

let rec write out = function
  | Null -> Buffer.add_string out "null"
  | Bool b -> Buffer.add_string out (string_of_bool b)
  | Int n -> Buffer.add_string out (string_of_int n)
  | Text text -> write_text out text
  | List l -> sequence out '[' ']' (write out) l
  | Object l ->
      let member (key, value) = write_text out key; Buffer.add_char out ':'; write out value in
      sequence out '{' '}' member l

and sequence : 'a. Buffer.t -> char -> char -> ('a -> unit) -> 'a list -> unit =
 fun out first last each l ->
  Buffer.add_char out first;
  List.iteri (fun i x -> if i > 0 then Buffer.add_char out ','; each x) l;
  Buffer.add_char out last

let encode value =
  let out = Buffer.create 65536 in
  write out value;
  Buffer.contents out

(* Reading: what is read is written again, and must be the same; so it is enough that each value is read as
   what it is written as. *)

let add_utf8 out code =
  let add c = Buffer.add_char out (Char.chr c) in
  let tail k = add (0x80 lor ((code lsr k) land 63)) in
  if code < 0x80 then add code
  else if code < 0x800 then (add (0xc0 lor (code lsr 6)); tail 0)
  else if code < 0x10000 then (add (0xe0 lor (code lsr 12)); tail 6; tail 0)
  else (add (0xf0 lor (code lsr 18)); tail 12; tail 6; tail 0)

let decode data =
  demand (String.length data <= max_bytes) (Printf.sprintf "more than %d bytes" max_bytes);
  let values = ref 0 in
  String.iter (function ',' | '[' | '{' -> incr values | _ -> ()) data;
  demand (!values <= max_values) (Printf.sprintf "more than %d values" max_values);
  let fail () = reject "the file is not ASCII JSON in canonical form" in
  let at = ref 0 in
  let peek () = if !at < String.length data then data.[!at] else fail () in
  let next () = let c = peek () in incr at; c in
  let skip c = if next () <> c then fail () in
  let unit16 () =
    if !at + 4 > String.length data then fail ();
    let digits = String.sub data !at 4 in
    String.iter (function '0' .. '9' | 'a' .. 'f' -> () | _ -> fail ()) digits;
    at := !at + 4;
    int_of_string ("0x" ^ digits)
  in
  let text () =
    skip '"';
    let out = Buffer.create 16 in
    let rec go () =
      match next () with
      | '"' -> Buffer.contents out
      | '\\' -> (
          match next () with
          | ('"' | '\\') as c -> Buffer.add_char out c; go ()
          | 'b' -> Buffer.add_char out '\b'; go ()
          | 't' -> Buffer.add_char out '\t'; go ()
          | 'n' -> Buffer.add_char out '\n'; go ()
          | 'f' -> Buffer.add_char out '\012'; go ()
          | 'r' -> Buffer.add_char out '\r'; go ()
          | 'u' -> hexadecimal (unit16 ())
          | _ -> fail ())
      | ' ' .. '~' as c -> Buffer.add_char out c; go ()
      | _ -> fail ()
    and hexadecimal high =
      let pair = high land 0xfc00 = 0xd800 && !at + 6 <= String.length data && data.[!at] = '\\' && data.[!at + 1] = 'u' in
      if pair then (
        at := !at + 2;
        let low = unit16 () in
        if low land 0xfc00 = 0xdc00 then (
          add_utf8 out (0x10000 + ((high land 1023) lsl 10) + (low land 1023));
          go ())
        else (add_utf8 out high; hexadecimal low))
      else (add_utf8 out high; go ())
    in
    go ()
  in
  let several last item =
    if peek () = last then (incr at; [])
    else
      let rec more found =
        let found = item () :: found in
        match next () with ',' -> more found | c when c = last -> List.rev found | _ -> fail ()
      in
      more []
  in
  let word w value = String.iter skip w; value in
  let rec value () =
    match peek () with
    | '"' -> Text (text ())
    | '[' -> incr at; List (several ']' value)
    | '{' ->
        incr at;
        let members = several '}' (fun () -> let key = text () in skip ':'; (key, value ())) in
        let rec ascending = function (a, _) :: ((b, _) :: _ as l) -> a < b && ascending l | _ -> true in
        if not (ascending members) then fail ();
        Object members
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | '-' | '0' .. '9' ->
        let start = !at in
        incr at;
        while !at < String.length data && data.[!at] >= '0' && data.[!at] <= '9' do incr at done;
        let digits = String.sub data start (!at - start) in
        demand (String.length digits <= 18 && (digits.[0] <> '-' || digits = "-1")) "a JSON number is too long or negative";
        Int (int_of_string digits)
    | _ -> fail ()
  in
  let found = value () in
  if !at <> String.length data || encode found <> data then fail ();
  found

(* Shapes. *)

let members = function Object l -> l | _ -> reject "a value is not an object"
let items = function List l -> l | _ -> reject "a value is not a list"
let text = function Text s -> s | _ -> reject "a value is not a text"
let index = function Int n when n >= 0 -> n | _ -> reject "a value is not an index"
let field name value = List.assoc_opt name (members value)
let get name value = match field name value with Some v -> v | None -> reject ("an object lacks the key " ^ name)
let constant value expected = demand (value = expected) "a value is not the one expected"

(* An object with these keys, and no others but the optional ones. *)
let record ?(optional = []) required value =
  let keys = List.map fst (members value) in
  demand (List.for_all (fun key -> List.mem key keys) required) "an object lacks a key";
  demand (List.for_all (fun key -> List.mem key required || List.mem key optional) keys) "an object has an unknown key"

let rec ascending = function a :: (b :: _ as l) -> compare a b < 0 && ascending l | _ -> true

(* Rationals in lowest terms; Q.of_string of what the pattern allows. *)
let rational value =
  let s = text value in
  let digits s =
    s <> "" && String.for_all (fun c -> c >= '0' && c <= '9') s && (s = "0" || s.[0] <> '0')
    && (demand (String.length s <= max_digits) (Printf.sprintf "a number has more than %d digits" max_digits); true)
  in
  let bad () = reject "a number is not a rational in lowest terms" in
  let above, below = match String.split_on_char '/' s with [ a ] -> (a, None) | [ a; b ] -> (a, Some b) | _ -> bad () in
  let negative = above <> "" && above.[0] = '-' in
  let above = if negative then String.sub above 1 (String.length above - 1) else above in
  if not (digits above && match below with Some b -> digits b && b <> "0" && b <> "1" | None -> true) then bad ();
  let n = Z.of_string above and d = match below with Some b -> Z.of_string b | None -> Z.one in
  if not (Z.equal (Z.gcd n d) Z.one) && not (Z.equal d Z.one) then bad ();
  if negative && Z.sign n = 0 then bad ();
  Q.make (if negative then Z.neg n else n) d

let natural value =
  let q = rational value in
  demand (Z.equal (Q.den q) Z.one && Q.sign q >= 0) "a number is not a natural number";
  Q.num q

let positive value =
  let q = rational value in
  demand (Q.sign q > 0) "a number is not positive";
  q
