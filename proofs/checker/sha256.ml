(* SHA-256 of a text, in hexadecimal digits (FIPS 180-4). *)

let word = 0xffffffff

(* The first 32 bits of the fractional parts of roots of the first primes: of the square roots of 8, and of the
   cube roots of 64. [root k p] is the largest r with r^k <= p * 2^(32 k). *)
let primes =
  let rec from n found =
    if List.length found = 64 then List.rev found
    else from (n + 1) (if List.exists (fun p -> n mod p = 0) found then found else n :: found)
  in
  from 2 []

let root k p =
  let r = Z.root (Z.shift_left (Z.of_int p) (32 * k)) k in
  Z.to_int (Z.logand r (Z.of_int word))

let constants = Array.of_list (List.map (root 3) primes)
let start = Array.of_list (List.map (root 2) (List.filteri (fun i _ -> i < 8) primes))
let turn x n = (x lsr n) lor (x lsl (32 - n)) land word

let hex data =
  let length = String.length data in
  let padded = Bytes.make ((length + 9 + 63) / 64 * 64) '\000' in
  Bytes.blit_string data 0 padded 0 length;
  Bytes.set padded length '\128';
  Bytes.set_int64_be padded (Bytes.length padded - 8) (Int64.of_int (8 * length));
  let h = Array.copy start and w = Array.make 64 0 in
  for block = 0 to (Bytes.length padded / 64) - 1 do
    for i = 0 to 15 do
      w.(i) <- Int32.to_int (Bytes.get_int32_be padded ((64 * block) + (4 * i))) land word
    done;
    for i = 16 to 63 do
      let a = w.(i - 15) and b = w.(i - 2) in
      let a = turn a 7 lxor turn a 18 lxor (a lsr 3) and b = turn b 17 lxor turn b 19 lxor (b lsr 10) in
      w.(i) <- (w.(i - 16) + a + w.(i - 7) + b) land word
    done;
    let v = Array.copy h in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let s1 = turn e 6 lxor turn e 11 lxor turn e 25 and choice = e land v.(5) lxor (lnot e land v.(6)) in
      let t1 = v.(7) + s1 + choice + constants.(i) + w.(i) in
      let s0 = turn a 2 lxor turn a 13 lxor turn a 22 in
      let most = a land v.(1) lxor (a land v.(2)) lxor (v.(1) land v.(2)) in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t1) land word;
      v.(0) <- (t1 + s0 + most) land word
    done;
    Array.iteri (fun i x -> h.(i) <- (x + v.(i)) land word) h
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h))
