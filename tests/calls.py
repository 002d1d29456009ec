"""How many functions written in Python are called: work that is the same on every machine."""

import sys
from collections.abc import Callable


def calls_of(run: Callable[[], object]) -> int:
    """How many calls ``run`` makes, each of its comprehensions counted as one."""
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
