"""Answers about δ as text for people and as JSON objects for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol

from prover.chain.arguments import Slope
from prover.chain.delta import Bounds, Delta
from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.event import Event, Word
from prover.errors import short_name, shown
from prover.exact.rational import format_rational
from prover.exact.readable import lower_text, readable, readable_interval, upper_text
from prover.report.distance import bounds_json, slope_json
from prover.report.names import with_letters
from prover.report.promise import promise
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.verdict import is_at_most, with_verdict

_STEPS = "seen without repetitions these words are no attack; if nobody counts steps, ask with --untimed"

_LONGEST_WORD = 12
"""Labels that a word for people has; of longer ones the middle is left out."""


def reply_of(answer: Delta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta``, with its certificates if they are wanted."""
    reply = Reply(
        delta_text(answer),
        delta_json(answer),
        answer.certificate.data if certified else None,
        answer.met,
        obstacle="the unrolling has reached its limits, and the interval is still too wide",
        lower_certificate=_lower_proof(answer) if certified else None,
        notes=(_STEPS,) if answer.met and answer.only_counts_steps else (),
        so_far=so_far("delta", answer.lower, answer.upper),
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def _lower_proof(answer: Delta) -> bytes | None:
    """The proof of the lower end, if it is another one than that of the upper end."""
    return answer.lower_certificate.data if answer.alpha is None else None


def nothing_proved(
    slope: Slope, source: str | None, target: str | None, at_most: Fraction | None = None
) -> Reply:
    """The reply of a command that was ended before it proved anything: δ is in [0, 1]."""
    head = {"kind": "delta", **slope_json(slope, both=True), "from": source, "to": target}
    bounds: dict[str, Any] = {"lower": "0", "upper": "1", "value": None, "directions": {}, "attack": None}
    origin: dict[str, Any] = {"upper_from": "labels", "depth": 0, "nodes": 0, "engine": "unrolling"}
    reply = Reply("Nothing is proved yet: 0 <= delta <= 1", head | bounds | origin, None, exact=False)
    return with_verdict(reply, at_most, is_at_most(Fraction(0), Fraction(1), at_most))


def distance_reply(answer: Delta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover distance``, which says less."""
    named, about = with_letters(answer)
    reply = Reply(
        "\n".join([shown(str(named)), *about, promise_of(named)]),
        {"kind": answer.kind, **bounds_json(answer), "engine": "unrolling"},
        answer.certificate.data if certified else None,
        answer.met,
        lower_certificate=_lower_proof(answer) if certified else None,
        notes=(_STEPS,) if answer.met and answer.only_counts_steps else (),
        so_far=so_far(answer.kind, answer.lower, answer.upper),
    )
    return with_verdict(reply, at_most, is_at_most(answer.lower, answer.upper, at_most))


def delta_json(answer: Delta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    return {
        "kind": "delta" if answer.kind == "tv" else answer.kind,
        **bounds_json(answer),
        "directions": {
            name: [format_rational(bound) for bound in bounds] for name, bounds in answer.directions.items()
        },
        "attack": None if answer.attack is None else _attack_json(answer.attack),
        "upper_from": answer.origin.kind,
        "depth": answer.origin.depth,
        "nodes": answer.origin.nodes,
        "engine": "unrolling",
    }


def _attack_json(attack: Attack) -> dict[str, Any]:
    return {
        "from": attack.source,
        "to": attack.target,
        "words": _words_json(attack.words),
        "complete": attack.complete,
        **_probabilities(attack),
        "event": {
            **rule_json(attack.event),
            "words": _words_json(attack.event.words() if attack.event.is_listed else attack.words),
            "complete": attack.event.is_listed,
        },
    }


def rule_json(event: Event) -> dict[str, Any]:
    """The automaton that decides about every word, and how many words the event has."""
    arrows = [[node, step.label, step.target] for node, steps in enumerate(event.steps) for step in steps]
    return {
        **({"actions": list(event.actions)} if event.actions else {}),
        "nodes": len(event.steps),
        "labels": sorted({label for _, label, _ in arrows}),
        "transitions": arrows,
        "first": 0,
        "accepting": len(event.steps) - 1,
        "count": event.count,
    }


def _words_json(words: Iterable[Word]) -> list[dict[str, Any]]:
    return [{"labels": list(word.labels), **_probabilities(word)} for word in words]


def _probabilities(event: Attack | Word) -> dict[str, str]:
    return {
        "from_probability": format_rational(event.from_probability),
        "to_probability": format_rational(event.to_probability),
    }


def delta_text(answer: Delta) -> str:
    """The answer, what it means, both directions, an attack, and why δ is not larger."""
    answer, about = with_letters(answer)
    lines = [shown(str(answer)), *about, promise_of(answer)]
    if len(answer.directions) > 1:
        s, t = short_name(answer.source), short_name(answer.target)
        lines.append(f"From {s} to {t}: {between(answer.directions['forward'])}")
        lines.append(f"From {t} to {s}: {between(answer.directions['backward'])}")
    if answer.attack is None:
        lines.append(no_attack_text(answer))
    else:
        lines += _attack_text(answer.attack)
    lines.append(origin_text(answer))
    return "\n".join([*lines, *only_asked(answer)])


def only_asked(answer: Delta) -> list[str]:
    """Why an interval is left as it is, where it was to be compared with a number only."""
    if answer.at_most is None or not answer.met or answer.value is not None:
        return []
    return [f"It was only asked whether delta is at most {upper_text(answer.at_most)}."]


def promise_of(answer: Delta, *, typeset: bool = False) -> str:
    """What an upper bound d on δ says."""
    if answer.upper >= 1:
        if answer.lower < 1:
            return "So far this promises nothing."
        return "This promises nothing: something that is observed tells the two apart for certain."
    pair = None if answer.over_relation else (answer.source, answer.target)
    rest = upper_text(answer.upper)
    return promise(pair, answer.factor, rest, both_ways=answer.kind == "tv", typeset=typeset)


def between(bounds: Bounds) -> str:
    """A number, or the ends of an interval."""
    if bounds[0] == bounds[1]:
        return readable(bounds[0])
    lower, upper = readable_interval(*bounds)
    return f"between {lower} and {upper}"


def no_attack_text(answer: Delta) -> str:
    """What is known where no event was found."""
    if answer.upper == 0:
        return "There is no attack: no event is more likely from one secret by more than the factor."
    looked = answer.looked
    words = f"{looked.nodes} node{'s' * (looked.nodes != 1)}, words of up to {looked.depth + 1} labels"
    return f"No attack was found so far ({words}): this does not say that there is none."


def _attack_text(attack: Attack) -> list[str]:
    s, t = short_name(attack.source), short_name(attack.target)
    rows = [(word_text(word.labels), word) for word in attack.words]
    together: list[tuple[str, Attack | Word]] = []
    if not attack.complete:
        together.append(("those shown", sum_of(attack.words)))
    if has_several_words(attack):
        together.append(("all of them", attack))
    table = []
    for text, event in [*rows, *together]:
        more, less = lower_text(event.from_probability), upper_text(event.to_probability)
        table.append((f"  {text}", f" P = {more} from {s}, {less} from {t}"))
    several = f" one of {attack.event.extent}" * has_several_words(attack)
    some = "" if attack.complete else f" ({shown_text(len(attack.words), attack.event)})"
    return [f"{event_text(s, t)}{several}{some}:", *aligned(table)]


def has_several_words(attack: Attack) -> bool:
    """Whether the event has more than one word."""
    return attack.event.count != 1


def event_text(s: str, t: str) -> str:
    """That s is told from t by which event; what its words are comes behind."""
    return f"An attack tells {s} from {t}. The event: the labels seen begin with"


def shown_text(count: int, event: Event) -> str:
    """That so many words of the event are shown, and of how many, where that is known."""
    return f"{count:,} shown" if event.count is None else f"{count:,} of {event.count:,} shown"


class Likely(Protocol):
    """What is seen with one probability from either secret."""

    @property
    def from_probability(self) -> Fraction: ...
    @property
    def to_probability(self) -> Fraction: ...


def sum_of(words: Iterable[Likely]) -> Word:
    """What words have together, of which none is the beginning of another one."""
    there, here = Fraction(0), Fraction(0)
    for word in words:
        there, here = there + word.from_probability, here + word.to_probability
    return Word((), there, here)


def word_text(seen: Sequence[str]) -> str:
    """Labels one after the other, of many the first and the last ones."""
    labels = [short_name(label) for label in seen]
    if len(labels) > _LONGEST_WORD:
        kept = _LONGEST_WORD // 2
        labels = [*labels[:kept], f"({len(labels) - 2 * kept} more)", *labels[-kept:]]
    return ", ".join(labels)


def origin_text(answer: Delta) -> str:
    """Why δ is not larger."""
    origin = answer.origin
    graph = f"{origin.nodes} node{'s' * (origin.nodes != 1)}, to depth {origin.depth}"
    return {
        "labels": "Why not more: the two states are bisimilar."
        if answer.upper == 0
        else "Their first labels differ.",
        "exact": f"Why not more: all words are accounted for ({graph}).",
        "ld": "Why not more: ld says so.",
        "unrolling": f"Why not more: unrolling ({graph}), and what ld says of the rest.",
    }[origin.kind]
