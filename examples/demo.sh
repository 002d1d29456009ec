#!/usr/bin/env bash
# The main job from start to end: model, answer, certificate, verification, page. Run by `make demo`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A survey: people answer truthfully with probability 2/3. How much does an answer give away?"
printf '$ prover zoo randomised-response > survey.json\n'
prover zoo randomised-response > survey.json
run prover delta survey.json --alpha 6/5 --certificate survey.cert
say "The number is exact. Its proof is in survey.cert; a small program that trusts nothing checks it:"
run prover verify survey.cert
say "So with epsilon = ln(6/5) the survey is (epsilon, 4/15)-differentially private, and no smaller delta will do."

say "2. The same person answers two questions: what is lost?"
printf '$ prover zoo randomised-response answers=2 > twice.json\n'
prover zoo randomised-response answers=2 > twice.json
run prover delta twice.json --alpha 36/25 --certificate twice.cert
run prover verify twice.cert
say "Adding up twice the loss of one answer would give 8/15; the truth is 64/225."

say "3. A PIN checker that may go on for ever. A bound of delta, from a distance between two states:"
printf '$ prover zoo pin-checker > pin.json\n'
prover zoo pin-checker > pin.json
run prover distance pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
run prover verify pin.cert

say "4. A threshold program, the sparse vector technique: at which multiple of epsilon is it private, exactly?"
printf '$ prover zoo svt > svt.json\n'
prover zoo svt > svt.json
run prover privacy svt.json --certificate svt.cert --witness
say "No smaller multiple will do: the table has two neighbouring inputs, and what somebody who sees the run learns."
run prover verify svt.cert

say "5. An answer as a page that can be sent to anybody:"
run prover delta survey.json --alpha 6/5 --html survey.html --at-most 4/15
run ls survey.html
say "Now your own system: README.md, 'Your own system in ten minutes'. Before that: export PATH=\"\$PWD/.venv/bin:\$PATH\""
