"""What libraries offer of the models that they have built, without the libraries."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A transition."""

    column: int
    value: Any

    def __str__(self) -> str:
        return f"({self.column}, {self.value})"


@dataclass(frozen=True)
class Named:
    """A variable."""

    name: str


@dataclass
class SparseModel:
    """A chain as stormpy has it, a row for each state; rows of an exact model are there as texts only.

    A process has ``choices``, the names of its rows by state, "" for none.
    """

    rows: list[list[Entry]]
    labels: Sequence[Set[str]]
    valuations: Sequence[dict[str, Any]] = ()
    model_type: str = "ModelType.DTMC"
    is_exact: bool = False
    choices: Sequence[Sequence[str]] = ()
    has_choice_labeling: bool = True

    @property
    def nr_states(self) -> int:
        return len(self.labels)

    @property
    def transition_matrix(self) -> Any:
        starts = [sum(map(len, self.choices[:state])) for state in range(len(self.choices) + 1)]
        return SimpleNamespace(
            nr_rows=len(self.rows),
            get_row=None if self.is_exact else self.rows.__getitem__,
            print_row=lambda place: "".join(f"{entry}, " for entry in self.rows[place]),
            get_row_group_start=starts.__getitem__,
            get_row_group_end=lambda state: starts[state + 1],
        )

    @property
    def labeling(self) -> Any:
        return _labelling("get_states", self.labels)

    @property
    def choice_labeling(self) -> Any:
        return _labelling("get_choices", [{name} - {""} for names in self.choices for name in names])

    @property
    def initial_states(self) -> list[int]:
        return [state for state, labels in enumerate(self.labels) if "init" in labels]

    @property
    def has_state_valuations(self) -> bool:
        return bool(self.valuations)

    @property
    def state_valuations(self) -> Any:
        return SimpleNamespace(
            get_all_variables=lambda: {Named(name) for name in self.valuations[0]},
            get_values_states=lambda variable: [values[variable.name] for values in self.valuations],
        )


def _labelling(called: str, holding: Sequence[Set[str]]) -> Any:
    def places(label: str) -> list[int]:
        return [place for place, labels in enumerate(holding) if label in labels]

    return SimpleNamespace(**{"get_labels": lambda: set[str]().union(*holding), called: places})
