"""Which examples are tried, and Ctrl-C in tests."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.profiles import everything, register_profiles

register_profiles()
FAMILIES = ("block", "seed")
"""Parameters that number random models: half of them are left to `make test-long`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if everything() or any("[" in argument for argument in config.args):
        return
    left = [item for item in items if _is_odd(item)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not _is_odd(item)]


def _is_odd(item: pytest.Item) -> bool:
    """Whether the number of its random model is odd."""
    parameters = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    numbers = (parameters.get(name, 0) for name in FAMILIES)
    return any(isinstance(number, int) and number % 2 for number in numbers)


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
