#!/usr/bin/env python3
"""What several answers of one respondent give away: composition theorems against the truth.

    python examples/composition.py > docs/composition.md

prints the page docs/composition.md. Every δ and ε in it comes with a certificate, which the script checks.
Six answers take half a minute, all of it for ld; --answers 4 takes a second.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from fractions import Fraction

import prover
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_above, decimal_text
from prover.zoo import randomised_response

ALPHA = Fraction(6, 5)
WANTED = Fraction(1, 100)
DIGITS = 6

ABOVE = """# Composition: several answers of one respondent

*For analysts of repeated runs: how to find δ and ε of several answers together.*

*`python examples/composition.py` prints this page, and checks a certificate for every number in
it.*

In randomised response with β = 2 a respondent answers truthfully with probability 2/3. One answer
is (ln 2, 0)-differentially private. At α = e^ε = 6/5 it is (ln 6/5, 4/15)-differentially private,
and 4/15 is exact. What if the same respondent gives n independent answers?
`prover.repeat(chain, n)` builds the chain of n answers that are seen together, and no composition
theorem is needed:

```python
import prover
from prover.zoo import randomised_response

twice = prover.repeat(randomised_response(), 2)
assert str(prover.delta(twice, alpha="36/25").value) == "64/225"
```

## δ at ε = n · ln 6/5

*Basic composition* adds up ε and δ: n answers are (n ln 6/5, n · 4/15)-differentially private. ld
is the skewed bisimilarity distance, once of the chain in which one answer follows the other
(`prover zoo randomised-response answers=n`, which is how the papers write it), and once of the
chain in which all are seen together. δ is the truth, the same for both. Decimals are rounded up.

"""

BETWEEN = """
Basic composition promises nothing from four answers on. ld of answers in turn promises more, but it
is not exact: of a pair of states it knows one number, the distance at α^n, although after some
answers the odds have changed and another α would count. Answers seen together are all told apart
after one step, and ld is exact.

## ε for δ = 1/100

The other way round: at which ε do n answers have δ ≤ 1/100? *Pure composition* adds up ε = ln 2 at
δ = 0. `prover.epsilon_for` finds the least ε that works. δ is a convex, piecewise linear function
of α here, so e^ε is a rational number, and the answer is exact. ε is rounded up.

"""

BELOW = """
## Systems in which an attacker chooses

`prover compose` and `prover.repeat` take [systems that answer an attacker](interactive.md), too.
Then he also chooses which of them goes on, and may ask one what the answer of another suggests:
this is concurrent composition, and δ is the truth about it, [for all
attackers](theory_interactive.md#several-systems-at-once).

```python
import prover
from prover.zoo.interactive import doors

assert str(prover.delta(doors(), alpha="6/5").value) == "9/20"
assert str(prover.delta(prover.repeat(doors(), 2), alpha="36/25").value) == "189/400"
```

Basic composition would promise 9/10.

## Many answers, and answers of different mechanisms

`prover account` and `prover.LossDistribution` multiply the laws of likelihood ratios in place of
chains: a thousand answers take a second. What is claimed there is about secrets that are fixed
throughout. For *independent* runs δ is the truth, from above and from below, exactly or between
proved bounds. For *adaptive* use, where which mechanism answers next may depend on earlier answers,
only the upper side is claimed, and only if one pair of laws dominates all mechanisms that may be
chosen at a step, as `known = "approximate"` does for all that are (ε,δ)-differentially private for
the two secrets. Nothing is claimed for secrets, or numbers of runs, that depend on answers.
[Accounting](accounting.md) has the proofs.
"""

HEADINGS = (
    "| answers n | α = (6/5)^n | basic composition | ld, in turn | ld, together | δ | δ, exactly |",
    "| answers n | pure composition, n · ln 2 | least ε | e^ε, exactly |",
)


def delta_rows(most: int) -> Iterator[str]:
    """A line of the first table for every number of answers."""
    yield HEADINGS[0]
    yield "|---" * 7 + "|"
    one = checked(prover.delta(randomised_response(), alpha=ALPHA)).upper
    for n in range(1, most + 1):
        alpha = ALPHA**n
        in_turn, together = randomised_response(answers=n), prover.repeat(randomised_response(), n)
        pair = "a" * n, "b" * n
        following = prover.distance(in_turn, *pair, alpha)
        prover.verify(following.certificate)
        at_once = prover.distance(together, alpha=alpha)
        prover.verify(at_once.certificate)
        true = checked(prover.delta(together, alpha=alpha))
        if checked(prover.delta(in_turn, *pair, alpha)).value != true.value:
            raise prover.Fault("the two ways to write the answers down differ in δ")
        numbers = (alpha, n * one, following.upper, at_once.upper, true.upper)
        yield f"| {n} | {' | '.join(map(decimal, numbers))} | {true.value} |"


def epsilon_rows(most: int) -> Iterator[str]:
    """A line of the second table for every number of answers."""
    yield HEADINGS[1]
    yield "|---" * 4 + "|"
    for n in range(1, most + 1):
        least = prover.epsilon_for(prover.repeat(randomised_response(), n), delta=WANTED)
        if least.certificate is None or least.alpha is None or least.upper is None:
            raise prover.Fault("the least ε was not found")
        prover.verify(least.certificate)
        pure = enclosed_logarithm(Fraction(2) ** n, DIGITS)[1]
        yield f"| {n} | {decimal(pure)} | {decimal(least.upper)} | {least.alpha} |"


def checked(answer: prover.Delta) -> prover.Delta:
    """The answer, which is exact and whose certificate verifies."""
    prover.verify(answer.certificate)
    if answer.value is None:
        raise prover.Fault("δ is not exact")
    return answer


def decimal(number: Fraction) -> str:
    """A number rounded up to six digits."""
    return decimal_text(decimal_above(number, DIGITS), DIGITS)


def page(most: int) -> Iterator[str]:
    """The page, in pieces that end with a line."""
    yield ABOVE
    yield from (f"{row}\n" for row in delta_rows(most))
    yield BETWEEN
    yield from (f"{row}\n" for row in epsilon_rows(most))
    yield BELOW


def main() -> None:
    """Reads the option and prints the page."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--answers", type=int, default=6, choices=range(1, 9), help="at most so many")
    for piece in page(options.parse_args().answers):
        sys.stdout.write(piece)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
