"""Dataclasses whose methods are written when they are first used.

The standard library writes six methods of a frozen dataclass and compiles them while the module of the class
is loaded. A program with some hundred classes spends a third of a short run on this, and most of the methods
are never called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

_ORDERED = ("__lt__", "__le__", "__gt__", "__ge__")


def _record(
    cls: type | None = None,
    /,
    *,
    repr: bool = True,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    slots: bool = False,
) -> Any:
    """What ``dataclasses.dataclass`` makes of a class by the same options; no field may be an ``InitVar``."""
    if cls is None:
        return partial(_record, repr=repr, eq=eq, order=order, frozen=frozen, slots=slots)
    own = {*vars(cls)}
    if "__eq__" in own and vars(cls)["__hash__"] is None:
        own.remove("__hash__")  # which Python has put there
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    late: dict[str, Callable[[type], Any]] = {"__init__": _filling}
    if repr:
        late["__repr__"] = _written("__repr__", repr=True)
    if eq:
        late["__eq__"] = _written("__eq__", eq=True)
    if eq and frozen:
        late["__hash__"] = _written("__hash__", unsafe_hash=True)
    if order:
        late |= {name: _written(name, eq=True, order=True) for name in _ORDERED}
    members: dict[str, Any] = {name: _Late(made, name, write) for name, write in late.items()}
    if eq and not frozen:
        members["__hash__"] = None
    if frozen:
        members |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if frozen and slots:
        members |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, member in members.items():
        if name not in own:
            setattr(made, name, member)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _record


class _Late:
    """Stands in a class for a method, which takes its place when it is first looked up."""

    def __init__(self, home: type, name: str, write: Callable[[type], Any]) -> None:
        self._home, self._name, self._write = home, name, write

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = self._write(self._home)
        setattr(self._home, self._name, method)
        return method.__get__(instance, owner)


def _written(name: str, **options: bool) -> Callable[[type], Any]:
    """What gives the method that the standard library writes for the fields of a class."""

    def write(home: Any) -> Any:
        fields = {one.name: one for one in dataclasses.fields(home)}
        body = fields | {
            "__annotations__": {name: one.type for name, one in fields.items()},
            "__doc__": home.__name__,  # or the standard library would write that, too
            "__module__": home.__module__,
            "__qualname__": home.__qualname__,
            **({"__post_init__": None} if hasattr(home, "__post_init__") else {}),
        }
        wanted = {"init": False, "repr": False, "eq": False} | options
        return vars(dataclasses.dataclass(**wanted)(type(home.__name__, (), body)))[name]

    return write


def _filling(home: Any) -> Any:
    """``__init__`` of a class: where it has slots, it fills them whether or not instances may be changed."""
    fields = sorted(dataclasses.fields(home), key=lambda one: bool(one.kw_only))
    names: dict[str, Any] = {"_put": object.__setattr__, "_made": _MADE}
    parameters, lines = ["self"], []
    for one in fields:
        name, value = one.name, one.name
        made = one.default_factory is not dataclasses.MISSING
        given = made or one.default is not dataclasses.MISSING
        names[f"_default_{name}"] = one.default_factory if made else one.default
        if one.init:
            if one.kw_only and "*" not in parameters:
                parameters.append("*")
            parameters.append(f"{name}=_made" if made else f"{name}=_default_{name}" if given else name)
            if made:
                value = f"_default_{name}() if {name} is _made else {name}"
        elif given:
            value = f"_default_{name}()" if made else f"_default_{name}"
        else:
            continue
        slot = getattr(home, name, None)
        if isinstance(slot, MemberDescriptorType):
            names[f"_fill_{name}"] = slot.__set__
            lines.append(f"_fill_{name}(self, {value})")
        else:
            lines.append(f"_put(self, {name!r}, {value})")
    if hasattr(home, "__post_init__"):
        lines.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"])
    exec(text, names)  # noqa: S102  of names of fields only
    init = names["__init__"]
    init.__qualname__, init.__module__ = f"{home.__qualname__}.__init__", home.__module__
    init.__annotations__ = {one.name: one.type for one in fields if one.init} | {"return": None}
    return init


class _Made:
    """Stands in signatures for what is made for each call."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _refuse_to_set(self: object, name: str, value: object) -> None:
    del self, value
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    del self
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
