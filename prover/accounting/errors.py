"""What can be wrong with distributions, mechanisms, and the size of compositions."""

from __future__ import annotations

from prover.errors import BadInput


class BadDistribution(BadInput):
    """Masses are negative, or do not sum up to 1."""


class BadMechanism(BadInput):
    """A known mechanism is asked for by another name, or with parameters out of their ranges."""


class BadTimes(BadInput):
    """A number of runs is not an integer from 1 to the limit."""


class BadQuestion(BadInput):
    """A value of α or δ that a distribution is asked about is no rational, or out of its range."""


class TooManyAtoms(BadInput):
    """An exact composition has more atoms, or longer numbers, than the limits."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the exact composition has more than {what}; enclose it on a grid instead")


class BadGrid(BadInput):
    """A grid has parameters out of their ranges, or too many cells."""


class TooManyChoices(BadInput):
    """The relations of several mechanisms have too many combinations of pairs."""

    def __init__(self, number: int, most: int) -> None:
        super().__init__(
            f"pairs of secrets have {number:,} different combinations, more than {most:,}; name from and to"
        )


class OnlyEnclosed(BadInput):
    """Something is asked for that takes exact distributions, and one is only known between two others."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"there is no {what} here: of one of the chains, delta is known as a function of alpha only "
            "between bounds, not exactly"
        )


class OneWayOnly(BadInput):
    """Many runs are asked about one way round."""

    def __init__(self) -> None:
        super().__init__("many runs are accounted for both ways round: leave --kind lv out")


class NoDpAccounting(BadInput):
    """A distribution is exported for a package that is not installed."""

    def __init__(self) -> None:
        super().__init__("this needs dp-accounting: install the extra, privacy-prover[accounting]")
