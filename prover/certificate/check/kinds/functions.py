"""The loss of a program as a function: of an open parameter, of real rates, of a count."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..budget import Budget
from ..counted import loss_of_counts
from ..describing import describe
from ..opened import open_loss
from ..reading import Json
from ..real_losses import real_loss


def about_open_program(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = open_loss(fields, model, evidence, budget)
    return describe(fields, 0, None) + words


def about_real_program(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = real_loss(fields, model, evidence, budget)
    numbers = ("lower", "upper")
    return describe({key: value for key, value in fields.items() if key not in numbers}, 0, None) + words


def about_counts(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    words = loss_of_counts(fields, model, evidence, budget)
    return describe(fields, 0, None) + words


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "epsilon-function": about_open_program,
    "real-epsilon": about_real_program,
    "counted-epsilon": about_counts,
}
