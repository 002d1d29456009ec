"""Files that say which mechanisms are composed, and what is asked of them, for ``prover account``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from prover.accounting.account import Questions
from prover.accounting.errors import BadGrid
from prover.accounting.mechanism import DEFAULT_GAP, Mechanism
from prover.chain.arguments import given_slope
from prover.errors import BadDocument, BeyondLimit, NotSupported, in_file
from prover.exact.given import given_rational
from prover.formats.mechanism_table import MechanismTable, read_mechanism
from prover.formats.strict_json import JsonObject, as_list, as_object, as_text
from prover.formats.toml import at, scalar, toml_in
from prover.progress import Progress, silent

_ASKED = ("delta", "epsilon", "alpha", "gap", "curve", "plot", "points")


@dataclass(frozen=True, slots=True)
class AccountFile:
    """What the file ``name`` says. If a mechanism runs as often as fits, the questions are the budget.
    ``curve`` and ``plot`` are paths of files to write, ``points`` the ε of the curve."""

    name: str
    parts: tuple[MechanismTable, ...]
    questions: Questions
    gap: Fraction
    curve: str | None
    plot: str | None
    points: tuple[Fraction, ...] | None

    def demand_certifiable(self, orders: Sequence[Fraction | None]) -> None:
        """Refuse what no certificate of divergences of these orders is about, as far as the file says that.

        Raises NotSupported.
        """
        from prover.accounting.certificates import NO_FIXED_SIZE, NO_FRACTIONS

        whole = all(order is None or order.denominator == 1 for order in orders)
        for part in self.parts:
            why = NO_FIXED_SIZE if part.known == "discrete-gaussian" and part.fixed else None
            if part.known in ("gaussian", "discrete-gaussian") and part.rate is not None and not part.fixed:
                with in_file(self.name), at(part.path):
                    rate = given_rational(part.rate, "rate", "bad-mechanism", more_than=0, at_most=1)
                why = None if whole or rate == 1 else NO_FRACTIONS
            if why is not None:
                message = f"{why}; without --certificate this is answered"
                raise NotSupported(message, file=self.name, path=part.path, code="no-certificate")

    @property
    def models(self) -> list[str]:
        """The files that mechanisms are read from."""
        files = (own.model or own.losses for part in self.parts for own in (part, *part.options))
        return [file for file in files if file is not None]

    def mechanisms(
        self, progress: Progress = silent, on_coarse: Callable[[list[Mechanism]], None] | None = None
    ) -> tuple[list[Mechanism], list[str]]:
        """The mechanisms themselves, and what has to be said about the reading of their models. ``on_coarse``
        may be called before with all of them, the last one with wider bounds; limits that it exceeds then are
        of no account, as later bounds may keep them.
        """
        notes, found = list[str](), list[Mechanism]()

        def hear(coarse: Mechanism) -> None:
            if on_coarse is not None and len(found) == len(self.parts) - 1:
                with suppress(BadGrid, BeyondLimit):
                    on_coarse([*found, coarse])

        with in_file(self.name):
            gap, delta = self.gap / len(self.parts), next(filter(None, self.questions.deltas), None)
            for part in self.parts:
                found.append(part.mechanism(notes.append, progress, gap, delta, hear))
            return found, notes


def read_account(path: str | os.PathLike[str], *, asks: bool = True) -> AccountFile:
    """The file at a path; the paths in it are relative to its folder. ``asks`` says that it has to ask.

    Raises BadDocument, BadValue, and what reading its values raises; models are not read yet.
    """
    name = os.fspath(path)
    with in_file(name):
        document = as_object(toml_in(name), "$", (), ("mechanism", "ask"))
        folder = Path(name).parent
        listed = as_list(document.get("mechanism", []), "$.mechanism")
        if not listed:
            raise BadDocument(
                "names no mechanism; write a table [[mechanism]] for each",
                path="$.mechanism",
                code="nothing-asked",
            )
        parts = tuple(
            read_mechanism(item, f"$.mechanism[{index}]", folder) for index, item in enumerate(listed)
        )
        _demand_known(parts, beside=asks)
        return _asked(name, parts, as_object(document.get("ask", {}), "$.ask", (), _ASKED), folder, asks=asks)


def _demand_known(parts: Sequence[MechanismTable], *, beside: bool) -> None:
    """Noise that is only enclosed is not chosen, nor ``beside`` what is chosen, if that matters."""
    chosen = [option for part in parts for option in part.options]
    for part in (*(parts if beside and chosen else ()), *chosen):
        if part.has_two_ends:
            raise NotSupported(
                "mechanisms that are chosen (one_of), and those beside them, need distributions that are "
                "known exactly, and of this noise only bounds are",
                path=part.path,
                code="only-enclosed",
            )


def _asked(
    name: str, parts: tuple[MechanismTable, ...], ask: JsonObject, folder: Path, *, asks: bool
) -> AccountFile:
    slopes = []
    for key in ("alpha", "epsilon"):
        for place, text in _several(ask, key):
            with at(place):
                slopes.append(given_slope("delta", *((text, None) if key == "alpha" else (None, text))))
    deltas = []
    for place, text in _several(ask, "delta"):
        with at(place):
            deltas.append(given_rational(text, "delta", "bad-question", at_least=0, at_most=1))
    gap = DEFAULT_GAP
    if "gap" in ask:
        with at("$.ask.gap"):
            gap = given_rational(scalar(ask["gap"], "$.ask.gap"), "the gap", "bad-question", at_least=0)
    curve, plot = (
        str(folder / as_text(ask[key], f"$.ask.{key}")) if key in ask else None for key in ("curve", "plot")
    )
    if asks and not slopes and not deltas and curve is None and plot is None:
        raise BadDocument(
            "asks nothing; [ask] has delta, epsilon, alpha, curve or plot", path="$.ask", code="nothing-asked"
        )
    most = [part for part in parts if part.most]
    if asks and most and (len(most), len(slopes), len(deltas), curve, plot) != (1, 1, 1, None, None):
        raise BadDocument(
            'one mechanism may have times = "most", and [ask] then has one delta and one epsilon or alpha, '
            "and neither curve nor plot",
            path="$.ask",
            code="bad-question",
        )
    points = None
    if "points" in ask:
        from prover.chain.privacy_profile import written_grid

        with at("$.ask.points"):
            points = written_grid(as_text(ask["points"], "$.ask.points"), "epsilon")
    return AccountFile(name, parts, Questions(tuple(slopes), tuple(deltas)), gap, curve, plot, points)


def _several(ask: JsonObject, key: str) -> list[tuple[str, str]]:
    """A number or an array of numbers, each with its place."""
    value, path = ask.get(key, []), f"$.ask.{key}"
    if not isinstance(value, list):
        return [(path, scalar(value, path))]
    return [(f"{path}[{index}]", scalar(item, f"{path}[{index}]")) for index, item in enumerate(value)]
