"""Hypothesis profiles: the same examples on every run, unless the long one is asked for; Ctrl-C in tests."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How long examples take to make is no reason to fail: that depends on the machine.
SLOW = [HealthCheck.too_slow]
settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile(
    "long", deadline=None, max_examples=2_000, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile("repeatable")


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
