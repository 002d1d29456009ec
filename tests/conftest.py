"""Which examples are tried, how rarely garbage is sought, and Ctrl-C in tests."""

import gc
import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.profiles import everything, register_profiles

register_profiles()
FAMILIES = ("block", "seed")
"""Parameters that number random models: five of six are left to `make test-long`."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is loaded and collected stays to the end: looking through it for garbage, again and again and in
    every fork, is a third of the time of collection, and a tenth of that of the tests.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if everything() or any("[" in argument for argument in config.args):
        return
    first: dict[tuple[str, str], int] = {}
    cases = Counter[str]()
    left = [item for item in items if _is_left_out(item, first) or _is_two_of_three(item, cases)]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]


def _is_left_out(item: pytest.Item, first: dict[tuple[str, str], int]) -> bool:
    """Whether its random model is not the first of its test, the seventh, and so on."""
    parameters = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    test = item.nodeid.partition("[")[0]
    numbers = ((name, parameters.get(name)) for name in FAMILIES)
    return any(
        isinstance(number, int) and (number - first.setdefault((test, name), number)) % 6
        for name, number in numbers
    )


def _is_two_of_three(item: pytest.Item, cases: Counter[str]) -> bool:
    """Whether it is a case of a family, and not the first, the fourth, and so on."""
    if item.get_closest_marker("family") is None:
        return False
    cases[item.nodeid.partition("[")[0]] += 1
    return cases[item.nodeid.partition("[")[0]] % 3 != 1


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> Iterator[None]:
    """Tests of signals work even where they run in the background, which shells start deaf to some."""
    wanted: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGQUIT: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
