#!/usr/bin/env bash
# The main job from start to end: model, distance, certificate, verification. Run by `make demo`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A PIN checker: does its behaviour give away which of two PINs is the right one?"
printf '$ prover zoo pin-checker > pin.json\n'
prover zoo pin-checker > pin.json
run prover distance pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
say "The number is exact. Its proof is in pin.cert; a small program that trusts nothing checks it:"
run prover verify pin.cert

say "2. Randomised response: people answer truthfully with probability 2/3."
printf '$ prover zoo randomised-response > survey.json\n'
prover zoo randomised-response > survey.json
run prover distance survey.json --alpha 6/5 --certificate survey.cert
run prover verify survey.cert
say "So with epsilon = ln(6/5) the survey is (epsilon, 4/15)-differentially private."

say "3. The same person answers two questions: what is lost?"
printf '$ prover zoo randomised-response answers=2 > twice.json\n'
prover zoo randomised-response answers=2 > twice.json
run prover distance twice.json --alpha 36/25 --certificate twice.cert
run prover verify twice.cert
say "Adding up twice the loss of one answer would give 8/15; the distance proves 103/225."

say "4. That was a bound. What is the true delta, and which answers give the respondent away?"
run prover delta twice.json --alpha 36/25 --certificate twice.delta
run prover verify twice.delta

say "5. A threshold program, the sparse vector technique: at which multiple of epsilon is it private, exactly?"
printf '$ prover zoo svt > svt.json\n'
prover zoo svt > svt.json
run prover privacy svt.json --certificate svt.cert
run prover verify svt.cert

say "6. No smaller multiple will do: two neighbouring inputs, and what somebody who sees the run learns."
run prover privacy svt.json --witness
