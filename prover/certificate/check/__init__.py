"""The checker of certificates, written from docs/certificates.md, which says why the rules suffice.

    python -I -S prover/certificate/check [--model MODEL.json] [--at-most D] ... FILE...

prints `VERIFIED <claim>` or `REJECTED <reason>` for every file and ends with 0 (all verified), 1 (one was
rejected) or 2 (one could not be read). It imports the standard library and itself, and nothing of the prover.
It runs as this folder, as a package, and as the one file that `make checker` packs it into.

`verdict` reads the whole file and finds the rules for its claim. It lists all kinds of claims; `kinds/` has
their rules, and only the file that a claim needs is loaded. `reading` decides which JSON is well formed.
`chains` and `programs` hold the models. The rules are in `distances` (ld, lgd, bd, with their `tables`),
`relations` (skewed and plain bisimilarity) and `unrollings` (lv, tv), and for threshold programs in
`programs` (bounded loss), `runs` and `losses`. `collapsing` is about chains whose observer does not see every
step. `demands` is about options that demand something of a claim, such as its model.

How numbers are held: a rational of the file is a pair (numerator, denominator); α = p/q throughout; a table's
values are integers N over its one denominator D. These may have thousands of digits, so they are only added,
compared and multiplied by short numbers: b_k = μ_s(k) − α μ_t(k) is kept as b[k] / (q m), couplings as
w[i,j] / c, potentials as f[k] / (D e), with short m, c and e, and every rule is multiplied out. The vectors
of a node of an unrolling are integers times one factor, and the values of nodes are rationals.
"""

from .command import Said, decided, judged, main, printed, verdicts
from .demands import Demands, NotDemanded, observer_of, secrets_of
from .reading import (
    MAX_BYTES,
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    NotCanonical,
    Rejected,
    RuleBroken,
    TooLarge,
)
from .verdict import check

__all__ = [
    "MAX_BYTES",
    "BadClaim",
    "BadEvidence",
    "BadModel",
    "ClaimOpen",
    "Demands",
    "Malformed",
    "NotCanonical",
    "NotDemanded",
    "Rejected",
    "RuleBroken",
    "Said",
    "TooLarge",
    "check",
    "decided",
    "judged",
    "main",
    "observer_of",
    "printed",
    "secrets_of",
    "verdicts",
]
