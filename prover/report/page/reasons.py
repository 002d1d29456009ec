"""Why a program is not private, for a colleague: two sentences for each structure that leaks."""

from __future__ import annotations

from collections.abc import Mapping

from prover.program.decision.facts import (
    DISCLOSING_CYCLE,
    LEAKING_CYCLE,
    LEAKING_PAIR,
    VANISHING_RUN,
    VIOLATING_PATH,
)

EXPLAINED: Mapping[str, str] = {
    LEAKING_CYCLE: (
        "The marked cycle stores a noisy number and compares others with it, and it can do both again and "
        "again. The noise of what is stored hides a difference of inputs once; here every turn costs "
        "privacy anew, and there is no limit to the number of turns."
    ),
    LEAKING_PAIR: (
        "A cycle finds again and again that inputs are on one side of what is stored, and later another "
        "one finds that they are on the other side. Noise in what is stored can hide a difference of "
        "inputs in one direction only, so the turns of one of the cycles cost privacy, and there is no "
        "limit to their number."
    ),
    DISCLOSING_CYCLE: (
        "Every turn of the marked cycle reads an input and puts out a number that is this input with "
        "noise. Each turn discloses a little more, and there is no limit to the number of turns."
    ),
    VIOLATING_PATH: (
        "A cycle compares inputs with what is stored, and beside it the marked path puts out that number, "
        "or one that was compared with it, or draws such a number without noise on one side. That number "
        "hides no difference of inputs in the cycle any more, so its turns cost privacy, and there is no "
        "limit to their number."
    ),
    VANISHING_RUN: (
        "On the marked run noise is missing on one side, so it is possible on some input and impossible "
        "on a neighbour of that. Whoever sees its output knows for certain which of the two it was."
    ),
}
"""By the names of the reasons."""

NAMELESS = (
    "Every turn of the marked cycle costs privacy, in whatever way noise makes up for the difference "
    "of inputs. There is no limit to the number of turns."
)
"""Of a cycle that has no name."""
