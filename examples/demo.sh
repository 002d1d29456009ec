#!/usr/bin/env bash
# Five examples from start to end: system, answer, certificate, check, page. Run by `make demo`.
# All files are left in a new folder below the current one: build/demo, or build/demo-2 if that exists.
set -euo pipefail

examples=$(cd "$(dirname "$0")" && pwd)
folder=build/demo
number=1
while [ -e "$folder" ]; do
    number=$((number + 1))
    folder=build/demo-$number
done
mkdir -p "$folder"
place=$PWD/$folder
cd "$place"
cp "$examples/mechanisms/protocols.py" "$examples/mechanisms/sparse_vector.py" .

say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A survey. Each person says the truth with probability 2/3. How much does one answer reveal?"
run prover delta protocols.py:survey --alpha 6/5 --certificate survey.cert --html survey.html
say "The number is exact. The file survey.cert holds the proof, and a small independent program checks it:"
run prover verify survey.cert
say "So for epsilon = ln(6/5) the survey is (epsilon, 4/15)-differentially private, and no smaller delta holds."

say "2. The same person answers twice. How much do both answers reveal together?"
printf '$ prover compose protocols.py:survey --times 2 > twice.json\n'
prover compose protocols.py:survey --times 2 > twice.json
run prover delta twice.json --alpha 36/25 --certificate twice.cert
run prover verify twice.cert
say "Twice the delta of one answer would be 8/15. The true number is 64/225."

say "3. A PIN checker that can run for any number of steps. A distance between two states bounds delta:"
printf '$ prover zoo pin-checker > pin.json\n'
prover zoo pin-checker > pin.json
run prover distance pin.json --from 0 --to 1 --alpha 11/10 --certificate pin.cert
run prover verify pin.cert

say "4. The sparse vector technique compares noisy numbers. For which multiple of epsilon is it private?"
run prover privacy sparse_vector.py:above_threshold --certificate sparse.cert --html sparse.html --witness
say "The table shows two neighbouring inputs and a run whose privacy loss comes close to the bound."
say "The certificate proves the bound, and that no smaller multiple holds:"
run prover verify sparse.cert

say "5. The answers of 1 and 4 as pages, to open in a browser or to send by mail:"
printf '%s\n' "$place/survey.html" "$place/sparse.html"
say "The code, models and certificates of this demo are beside them, in $folder."
say "Next: README.md, 'Your own system in ten minutes'. Before that: export PATH=\"\$PWD/.venv/bin:\$PATH\""
