(* prover-checked CERTIFICATE: prints VERIFIED and the claim in words if the proved check of proofs/Checked.v
   accepts it (exit status 0), or REJECTED and a reason (1). Status 2: the file cannot be read, or this
   program covers no claims of its kind. What is here is not proved: how a certificate is read as a claim. *)
open Json

(* The line about a certificate that is accepted. *)
let verified data =
  let top = decode data in
  if (match top with Object _ -> field "claim" top = None | _ -> true) then reject "the file has no claim, so it is not a certificate";
  record [ "claim"; "evidence"; "format"; "model"; "version" ] top;
  constant (get "format" top) (Text "prover-certificate");
  constant (get "version" top) (Int 1);
  let fields = get "claim" top and model = get "model" top and evidence = get "evidence" top in
  let kind = text (get "kind" fields) in
  let of_model =
    match List.assoc_opt kind Privacy.kinds with
    | Some of_program when field "type" model = Some (Text "threshold-program") -> of_program
    | _ when kind = "composition" -> Composition.of_composition
    | _ -> Systems.of_system kind
  in
  let parts, line = of_model fields model evidence in
  demand (Checks.check_all parts) "the proved check does not accept the evidence";
  Printf.sprintf "%s model=%s" line (Chain.identity model)

let contents path =
  let file = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in file) (fun () -> really_input_string file (in_channel_length file))

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
  let status, line =
    match Sys.argv with
    | [| _; path |] -> (
        try (0, "VERIFIED " ^ verified (contents path)) with
        | Rejected reason -> (1, "REJECTED " ^ reason)
        | Not_covered what -> (2, "the proved program does not cover " ^ what)
        | Sys_error reason -> (2, reason)
        | Stack_overflow | Out_of_memory -> (2, "there is not enough memory"))
    | _ -> (2, "usage: prover-checked CERTIFICATE")
  in
  (if status < 2 then print_endline else prerr_endline) line;
  exit status
