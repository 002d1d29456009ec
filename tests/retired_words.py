"""Words and phrases that nothing people read may contain, each with what to write instead.

In a pattern a blank stands for any white space, so that a phrase is found across lines. The patterns of WORDS
begin and end at the edges of words and ignore case.
"""

from __future__ import annotations

WORDS = {
    # Answers, pages and help.
    r"(says?|said) so": "name the reason, or the place where it stands",
    r"who does this": "Attack: follow this tree and guess s where marked.",
    r"whatever is (observed|seen)": "For every event E: P[E | s] …",
    r"P\[ ?it": "P[E | s], after `For every event E`",
    r"the labels seen begin with|or certain longer ones": "… if the output begins with:",
    r"why not more": "Why δ cannot be larger:",
    r"accounted for": "every possible output was explored; or: explored, counted, bounded",
    r"how far probabilities may exceed": "δ: the largest P[E | s] − α·P[E | t] over all events E",
    r"(sticks?|sticking|stuck) out": "δ is the largest P[E | s] − α·P[E | t]; of a picture: the part above",
    r"(nobody|no one) counts steps": "The observer sees the sequence of different labels, not how long …",
    r"again and again": "repeatedly, unboundedly often, at every step",
    r"what runs lose|from above only": "The loss of single runs is only an upper bound for …",
    r"no smaller multiple(?! holds)": "exactly (5/4)·ε (no smaller multiple holds)",
    r"ε·\d+(/\d+)?(?! ?[·*])": "(5/4)·ε, 2·ε, ε",
    r"asks? cleverly": "an adaptive attacker",
    r"promises?": "is proved, bounds; No bound below 1 is proved yet. / This bound is trivial: …",
    r"(told|tells?) ((it|\w) )?from|(tells?|told) (\w+ )*apart": "distinguish s from t",
    r"belongs? here": "… is expected, not …",
    r"at best": "at most, at least, or: the largest",
    r"what there is": "name the thing",
    r"as it stands": "leave it out; or: unchanged",
    r"twins?": "pair of equal label",
    r"situations?": "belief pair",
    r"dear(er|est)": "costly, costlier, costliest",
    r"without ends?": "unbounded, unboundedly",
    # Who acts.
    r"somebody|nobody|anybody": "an observer, an attacker, you; or: no observer",
    r"he|his|him": "the attacker, they",
    r"we|our": "say who acts, or leave it out",
    # British spelling.
    r"(un)?label(ed|ing)|model(ed|ing)|cancel(ed|ing)": "labelled, modelled, cancelled",
    r"behaviors?|neighbor\w*|colors?(?!=)|favor\w*|honor\w*": "behaviour, neighbour, colour",
    r"analyz\w+|(?<!\.)(?!\w*(size|prize|seize))\w+iz(e|es|ed|ing|ations?)": "analyse, -ise",
}

SENTENCES = {
    r"\b(Seen|Known|Drawn|Asked|Given|Tried|Added|Counted)\s+(are|is|was|were)\b": "subject before verb",
    r"(?:^[ \t>*]*|(?<=[.!?] ))(?:Who|Whoever|Whatever|What) "
    r"(?:[^.?!|\n]|\.(?!\s|$)|\n(?!\s*\n))*[.!](?=\s|$)": "begin with who acts, or with the thing: "
    "`The observer …`, `The largest …`",
}
"""Here case counts, and a line may begin a sentence; questions may begin with Who and What."""

NAMES = r"(.*_)?(twins?|situations?|dear(er|est)?|glances?|sooner)(_.*)?"
"""The names that nothing has in `prover/`."""
