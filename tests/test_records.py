"""Dataclasses whose methods are written late, compared with those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, Generic, TypeVar

import pytest

from prover.records import dataclass

T = TypeVar("T")
Decorator = Callable[..., Callable[[type], type]]
BOTH: tuple[Any, Any] = (dataclass, dataclasses.dataclass)
NAMES = ("frozen", "slots", "repr", "eq")
OPTIONS = [dict(zip(NAMES, chosen, strict=True)) for chosen in product((False, True), repeat=len(NAMES))]
OPTIONS += [{"frozen": True, "slots": slots, "order": True} for slots in (False, True)]


def of_fields(decorator: Any, **options: bool) -> type:
    """A class with fields of every kind, which another class extends."""

    class Base(Generic[T]):
        """Fields with and without defaults, in the order of calls or by name only."""

        first: T
        second: int = 2
        named: str = dataclasses.field(kw_only=True)
        made: list[int] = dataclasses.field(default_factory=list)
        unseen: object = dataclasses.field(default=None, repr=False, compare=False)
        counted: int = dataclasses.field(init=False, default=7)
        own: dict[str, int] = dataclasses.field(init=False, default_factory=dict)
        later: int = dataclasses.field(init=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", self.second + 1)

    class Extended(decorator(**options)(Base)):  # type: ignore[misc]
        """One more field, and one with another default."""

        second: int = 5
        last: tuple[int, ...] = ()

    made: type = decorator(**options)(Extended)
    return made


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_they_are_what_the_standard_library_makes(options: dict[str, bool]) -> None:
    ours, theirs = (of_fields(decorator, **options) for decorator in BOTH)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__  # type: ignore[misc]
    assert [one.name for one in dataclasses.fields(ours)] == [one.name for one in dataclasses.fields(theirs)]
    assert ours.__match_args__ == theirs.__match_args__  # type: ignore[attr-defined]
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((1,), {"named": "a"}),
        ((1, 2), {"named": "a", "made": [3], "last": (4,)}),
        ((0,), {"named": "b", "unseen": 1}),
        ((), {"named": "b"}),
        ((1, 2, [3], None, (4,), 5), {}),
    ]
    made = [[ending(partial(cls, *args, **named)) for args, named in calls] for cls in (ours, theirs)]
    for our, their in zip(*made, strict=True):
        assert isinstance(our, TypeError) == isinstance(their, TypeError)
        if not isinstance(our, TypeError):
            assert same(our) == same(their)
    for k, our in enumerate(made[0]):
        for n, other in enumerate(made[0]):
            assert (our == other) == (made[1][k] == made[1][n])
            if "order" in options and not isinstance(our, TypeError) and not isinstance(other, TypeError):
                assert (our < other, our >= other) == (made[1][k] < made[1][n], made[1][k] >= made[1][n])


def ending(work: Callable[[], Any]) -> Any:
    """The result, or the error of wrong arguments."""
    try:
        return work()
    except TypeError as error:
        return error


def same(one: Any) -> tuple[Any, ...]:
    """All that can be seen of an instance, in words."""
    cls: Any = type(one)
    values = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    changed = dataclasses.replace(one, second=10)
    copied = copy.copy(one)
    assert cls.__eq__ is object.__eq__ or copied == one
    shown = "" if cls.__repr__ is object.__repr__ else repr(one)
    errors = []
    for work in (partial(setattr, copied, "second", 3), partial(delattr, copied, "second")):
        try:
            work()
        except dataclasses.FrozenInstanceError as error:
            errors.append(str(error))
    return values, changed.second, changed.later, hasattr(one, "__dict__"), errors, shown


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent to other processes."""

    name: str
    found: tuple[int, ...] = ()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_they_can_be_pickled(protocol: int) -> None:
    one = Sent("a", (1, 2))
    assert pickle.loads(pickle.dumps(one, protocol)) == one  # noqa: S301


def test_what_a_class_defines_itself_is_kept() -> None:
    @dataclass(frozen=True, slots=True)
    class Named:
        """Equal to all of its kind, and hashed by its field."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named)

        def __repr__(self) -> str:
            return "it"

    assert Named("a") == Named("b") != "a"
    assert repr(Named("a")) == "it"
    assert len({hash(Named("a")), hash(Named("a"))}) == 1


def test_methods_are_written_when_they_are_first_used() -> None:
    @dataclass(frozen=True, slots=True)
    class Seldom:
        """Nobody compares or prints it."""

        name: str

    written = {name for name in ("__init__", "__eq__", "__hash__", "__repr__") if made(Seldom, name)}
    assert written == set()
    one = Seldom("a")
    assert made(Seldom, "__init__")
    assert not made(Seldom, "__eq__")
    assert one == Seldom("a")
    assert made(Seldom, "__eq__")


def made(cls: type, name: str) -> bool:
    """Whether a method of the class is a function by now."""
    return inspect.isfunction(vars(cls)[name])
