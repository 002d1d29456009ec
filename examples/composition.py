#!/usr/bin/env python3
"""What several answers of one respondent reveal together: composition theorems beside the exact numbers.

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

ABOVE = """# How to find δ and ε of several answers together

*For analysts of repeated runs: how to find δ and ε of several answers together.*

One respondent answers several times, or takes part in several surveys. A composition theorem bounds
what all answers reveal together. `prover compose` builds the model of all runs together, and
`prover delta` finds δ of this model without any composition theorem.

(`python examples/composition.py` prints this page, and checks a
[certificate](glossary.md#certificate) for every δ, every ld and every least ε in the tables.)

## Compose the runs

In randomised response a respondent says the truth with probability 2/3. One answer is
(ε, δ)-differentially private for ε = ln 2 and δ = 0. At ε = ln 6/5, that is at
[α](glossary.md#symbols) = e^ε = 6/5, it is so for δ = 4/15, and 4/15 is tight. This is δ of two
independent answers, at α = (6/5)² = 36/25:

```console
$ prover zoo randomised-response > survey.json
$ prover compose survey.json --times 2 > twice.json
$ prover delta twice.json --alpha 36/25
max delta_36/25 = delta_36/25((a,a), (b,b)) = 64/225 (0.284444…)
...
```

Both answers have the same truth, because `--times 2` runs one model twice from the same
[secret](glossary.md#secret). `prover compose A.json B.json` composes different models; `--related`
then says which pairs of secrets count. In Python:

```python
import prover
from prover.zoo import randomised_response

twice = prover.repeat(randomised_response(), 2)
assert str(prover.delta(twice, alpha="36/25").value) == "64/225"
```

## δ at ε = n · ln 6/5

This table compares δ of n answers with two upper bounds. *Basic composition* adds ε and δ: n
answers have δ ≤ n · 4/15 at ε = n · ln 6/5. The [distance](glossary.md#distance) ld is computed
twice: *in turn*, for the chain in which one answer follows the other
(`prover zoo randomised-response answers=n`, as the papers write it), and *together*, for the chain
in which the observer sees all answers at once. δ is the same for both chains. Decimals are rounded
up.

"""

BETWEEN = """
From four answers on, basic composition gives no bound below 1. ld of answers in turn gives a
smaller bound, but not the exact number: for each pair of states it uses one number, the distance at
α^n. After some answers the odds have changed, and another α would count. If the observer sees all
answers together, one step shows the whole output, and ld is exact.

## ε for δ = 1/100

Now the other direction: the least ε at which n answers have δ ≤ 1/100. *Pure composition* adds ε =
ln 2 at δ = 0. `prover epsilon` and `prover.epsilon_for` find the least ε. δ is a convex, piecewise
linear function of α here, so e^ε is a rational number, and the answer is exact. ε is rounded up.

"""

BELOW = """
## Systems in which an attacker chooses

`prover compose` and `prover.repeat` also take [systems in which an attacker
chooses](interactive.md). The attacker then also chooses which system goes on, and may ask one
system a question that depends on the answer of another. This is concurrent composition, and δ is
its exact value, [for all attackers](theory_interactive.md#several-systems-at-once).

```python
import prover
from prover.zoo.interactive import doors

assert str(prover.delta(doors(), alpha="6/5").value) == "9/20"
assert str(prover.delta(prover.repeat(doors(), 2), alpha="36/25").value) == "189/400"
```

Basic composition gives 9/10 instead of 189/400.

## Limits: many answers, and different mechanisms

The composed model grows with every run. `prover account` and `prover.LossDistribution` multiply the
distributions of likelihood ratios instead of models: a thousand answers take a second. Their claims
are about secrets that are fixed throughout.

* For *independent* runs δ is bounded from above and from below, exactly or between proved bounds.
* For *adaptive* use, the mechanism that answers next may depend on earlier answers. Then only the
  upper bound is claimed, and only if one pair of distributions dominates all mechanisms that may be
  chosen at a step. `known = "approximate"` does this for all mechanisms that are
  (ε,δ)-differentially private for the two secrets.
* No claim covers secrets, or numbers of runs, that depend on answers.

[Accounting](accounting.md) has the steps and the proofs.
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
