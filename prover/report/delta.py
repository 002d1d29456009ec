"""Answers about δ as text for people and as JSON objects for machines."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from prover.chain.answer import (
    readable,
    readable_interval,
    rounded_up,
)
from prover.chain.delta import Bounds, Delta
from prover.chain.unrolling.attack import Attack, Word
from prover.errors import abbreviated, shown
from prover.exact.rational import decimal_text, format_rational, rational_or_null
from prover.report.reply import Reply

_LONGEST_WORD = 12
"""Labels that a word for people has; of longer ones the middle is left out."""


def reply_of(answer: Delta, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of ``prover delta``, with its certificates if they are wanted."""
    holds = None if at_most is None else answer.is_at_most(at_most)
    text = delta_text(answer)
    if at_most is not None:
        verdict = {True: "yes", False: "no", None: "undecided"}[holds]
        text = f"at most {format_rational(at_most)}: {verdict}\n{text}"
    return Reply(
        text,
        delta_json(answer),
        answer.certificate.data if certified else None,
        answer.met,
        refuted=holds is False,
        obstacle="the unrolling has reached its limits, and the interval is still too wide",
        lower_certificate=answer.lower_certificate.data if certified and answer.alpha is None else None,
    )


def narrowing(
    leave: Callable[[Reply], None], make: Callable[..., Reply], **options: Any
) -> Callable[[Delta], None]:
    """Where to leave one answer after the other: those narrower than all before are passed on.

    ``make`` makes the reply, with the given options.
    """
    narrowest: Fraction | None = None

    def take(answer: Delta) -> None:
        nonlocal narrowest
        width = answer.upper - answer.lower
        if narrowest is None or width < narrowest:
            narrowest = width
            leave(make(answer, **options))

    return take


def nothing_proved(alpha: Fraction | None, source: str | None, target: str | None) -> Reply:
    """The reply of a command that was ended before it proved anything: δ is in [0, 1]."""
    head = {"kind": "delta", "alpha": rational_or_null(alpha), "from": source, "to": target}
    bounds: dict[str, Any] = {"lower": "0", "upper": "1", "value": None, "directions": {}, "attack": None}
    text = "Nothing is proved yet: 0 <= delta <= 1"
    return Reply(text, head | bounds | {"engine": "unrolling"}, None, exact=False)


def distance_reply(answer: Delta, *, certified: bool) -> Reply:
    """The reply of ``prover distance``, which says less."""
    found = delta_json(answer)
    keys = ("alpha", "from", "to", "lower", "upper", "value", "engine")
    proof = answer.certificate.data if certified else None
    text = f"{shown(str(answer))}\n{_promise(answer)}"
    return Reply(text, {"kind": answer.kind} | {key: found[key] for key in keys}, proof, answer.met)


def delta_json(answer: Delta) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    found = {
        "kind": "delta" if answer.kind == "tv" else answer.kind,
        "alpha": rational_or_null(answer.alpha),
        "from": answer.source,
        "to": answer.target,
        "lower": format_rational(answer.lower),
        "upper": format_rational(answer.upper),
        "value": rational_or_null(answer.value),
        "directions": {
            name: [format_rational(bound) for bound in bounds] for name, bounds in answer.directions.items()
        },
        "attack": None if answer.attack is None else _attack_json(answer.attack),
        "upper_from": answer.origin.kind,
        "depth": answer.origin.depth,
        "nodes": answer.origin.nodes,
        "engine": "unrolling",
    }
    if answer.alpha is None:
        found["epsilon"] = rational_or_null(answer.epsilon)
        found["alpha_upper"] = format_rational(answer.alpha_upper)
        found["alpha_lower"] = format_rational(answer.alpha_lower)
    return found


def _attack_json(attack: Attack) -> dict[str, Any]:
    return {
        "from": attack.source,
        "to": attack.target,
        "words": [{"labels": list(word.labels), **_probabilities(word)} for word in attack.words],
        "complete": attack.complete,
        **_probabilities(attack),
    }


def _probabilities(event: Attack | Word) -> dict[str, str]:
    return {
        "from_probability": format_rational(event.from_probability),
        "to_probability": format_rational(event.to_probability),
    }


def delta_text(answer: Delta) -> str:
    """The answer, what it means, both directions, an attack, and why δ is not larger."""
    lines = [shown(str(answer)), _promise(answer)]
    if len(answer.directions) > 1:
        s, t = _name(answer.source), _name(answer.target)
        lines.append(f"From {s} to {t}: {_between(answer.directions['forward'])}")
        lines.append(f"From {t} to {s}: {_between(answer.directions['backward'])}")
    if answer.attack is None:
        lines.append("No attack was found: no word is more likely from one secret by more than the factor.")
    else:
        lines += _attack_text(answer.attack)
    return "\n".join([*lines, _origin_text(answer)])


def _promise(answer: Delta) -> str:
    """What an upper bound d on δ says."""
    if answer.upper >= 1:
        if answer.lower < 1:
            return "So far this promises nothing."
        return "This promises nothing: something that is observed tells the two apart for certain."
    rest = "" if answer.upper == 0 else f"  +  {_rounded(answer.upper, up=True)}"
    pair = ("s", "t") if answer.over_relation else (_name(answer.source), _name(answer.target))
    which = ", for all related s and t" if answer.over_relation else ""
    swapped = ", and with the two swapped" if answer.kind == "tv" and not answer.over_relation else ""
    bound = f"P[it | {pair[0]}]  <=  {answer.factor} * P[it | {pair[1]}]{rest}"
    return f"Whatever is observed{which}:  {bound}{swapped}"


def _between(bounds: Bounds) -> str:
    if bounds[0] == bounds[1]:
        return readable(bounds[0])
    lower, upper = readable_interval(*bounds)
    return f"between {lower} and {upper}"


def _attack_text(attack: Attack) -> list[str]:
    s, t = _name(attack.source), _name(attack.target)
    rows = [(_word(word), word) for word in attack.words]
    several = len(rows) > 1 or not attack.complete
    begin = " one of these words" * (several and bool(rows))
    if not attack.complete:
        begin += ", or certain longer ones" if rows else " one of certain long words"
    total: list[tuple[str, Attack | Word]] = [("all of them", attack)] if several else []
    everything = [*rows, *total]
    width = max(len(text) for text, _ in everything)
    return [
        f"An attack tells {s} from {t}. The event: the labels seen begin with{begin}:",
        *(
            f"  {text:{width}}   P = {_rounded(event.from_probability, up=False)} from {s},"
            f" {_rounded(event.to_probability, up=True)} from {t}"
            for text, event in everything
        ),
    ]


def _word(word: Word) -> str:
    labels = [_name(label) for label in word.labels]
    if len(labels) > _LONGEST_WORD:
        kept = _LONGEST_WORD // 2
        labels = [*labels[:kept], f"({len(labels) - 2 * kept} more)", *labels[-kept:]]
    return ", ".join(labels)


def _origin_text(answer: Delta) -> str:
    origin = answer.origin
    graph = f"{origin.nodes} node{'s' * (origin.nodes != 1)}, to depth {origin.depth}"
    return {
        "labels": "The labels of the states alone say this.",
        "exact": f"Why not more: all words are accounted for ({graph}).",
        "ld": "Why not more: ld says so.",
        "unrolling": f"Why not more: unrolling ({graph}), and what ld says of the rest.",
    }[origin.kind]


def _rounded(q: Fraction, *, up: bool) -> str:
    """A probability in full where it is short, else decimals, rounded as it is safe."""
    text = format_rational(q)
    if len(text) <= 20:
        return text
    digits = 6
    while q * 10**digits < 100 and digits < 30:
        digits += 1
    if up:
        return decimal_text(rounded_up(q, digits), digits)
    return decimal_text(-rounded_up(-q, digits), digits)


def _name(name: str) -> str:
    return shown(abbreviated(name))
