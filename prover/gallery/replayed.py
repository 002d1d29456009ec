"""What installed libraries said and showed, for people and machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import readable
from prover.gallery.index import GalleryEntry
from prover.gallery.replaying import CountedOutput, Ran
from prover.report.tables import aligned

_DECIMALS = 6


def asked_line(entry: GalleryEntry, ran: Ran) -> str:
    """What the library declares itself, in a line."""
    asked = ran.asked
    name = "" if entry.library is None else entry.library.name
    number = f"ε = {asked.epsilon}" + ("" if entry.alpha is None else f" and δ = {asked.delta}")
    verdict = "as listed, up to 10^-9" if asked.agrees else "NOT as listed"
    return f"declared by {name} {asked.version} as installed: {number}, {verdict}"


def ran_lines(entry: GalleryEntry, ran: Ran) -> list[str]:
    """What the library declares, and all counts of a replay beside the exact probabilities."""
    said = asked_line(entry, ran)
    lines = [f"{said[0].upper()}{said[1:]}."]
    if ran.replay is None:
        return lines
    verdict = "All counts agree with the model." if ran.replay.agrees else "Some counts are not the model's."
    return [
        *lines,
        f"Runs of the library, {ran.replay.runs} on each input; each interval (Clopper and Pearson) misses "
        "with probability 10^-9 at most:",
        *counted_lines(ran.replay.outputs),
        verdict,
    ]


def counted_lines(outputs: Sequence[CountedOutput]) -> list[str]:
    """A table of counts beside exact probabilities."""
    heading = ("input", "output", "exact probability", "count", "interval", "")
    cells = [
        (
            one.side,
            ", ".join(one.outputs) or "nothing",
            _exact(one),
            str(one.count),
            _interval(one),
            "agrees" if one.agrees else "DISAGREES",
        )
        for one in outputs
    ]
    return aligned([heading, *cells])


def ran_json(ran: Ran | None) -> dict[str, Any]:
    """The same for machines; null where no library was asked or run."""
    if ran is None:
        return {"installed": None, "replay": None}
    asked, replay = ran.asked, ran.replay
    return {
        "installed": {
            "version": asked.version,
            "epsilon": asked.epsilon,
            "delta": asked.delta,
            "agrees": asked.agrees,
        },
        "replay": None
        if replay is None
        else {
            "runs": replay.runs,
            "agrees": replay.agrees,
            "outputs": [
                {
                    "input": one.side,
                    "outputs": list(one.outputs),
                    "probability": [format_rational(end) for end in one.exact],
                    "count": one.count,
                    "interval": [format_rational(end) for end in one.interval],
                    "agrees": one.agrees,
                }
                for one in replay.outputs
            ],
        },
    }


def _exact(one: CountedOutput) -> str:
    low, high = one.exact
    return readable(low) if low == high else decimal_text(low, _DECIMALS)


def _interval(one: CountedOutput) -> str:
    low, high = (decimal_text(end, _DECIMALS) for end in one.interval)
    return f"{low} to {high}"
