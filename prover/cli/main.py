"""The program ``prover`` begins here. So that it can be interrupted from the first moment, little is loaded
before somebody is there to say so.
"""

from __future__ import annotations

import sys


def entry() -> None:
    """The program ``prover``."""
    try:
        status = _run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("prover: interrupted\n")
        status = 3  # Status.UNDECIDED, which may not be loaded yet
    sys.exit(status)


class _Interrupted(KeyboardInterrupt):
    """An interruption that leaves the exit status to this program.

    Python ends itself by SIGINT if a bare KeyboardInterrupt has left a call of ``exec``, as dataclasses make
    while they are loaded, even if it was caught afterwards.
    """


def interrupt_once(*_: object) -> None:
    """Who ends us still gets what is proved, and the signals that follow do not prevent it."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    raise _Interrupted


def _run() -> int:
    import signal

    from prover.garbage import collect_no_more, collect_seldom

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt_once)
    collect_seldom()
    from prover.cli.commands import run_command
    from prover.cli.output import prepare_streams

    prepare_streams()
    try:
        return run_command(sys.argv[1:])
    finally:
        collect_no_more()
