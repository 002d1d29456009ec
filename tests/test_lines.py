"""Lines between processes: messages of any length arrive whole, in order, and the end of them is heard of."""

from __future__ import annotations

import os

import pytest

from prover.lines import Line, new_line, ready
from prover.parallel import Child
from tests.commands import FORKS

pytestmark = pytest.mark.filterwarnings(FORKS)

LONG = bytes(range(256)) * 2_000  # more than a pipe holds


def test_messages_arrive_whole_and_in_order() -> None:
    here, there = new_line()
    sent = ["a", {"b": (1, 2)}, b"", None]
    for item in sent:
        here.send(item)
    assert [there.recv() for _ in sent] == sent
    there.send(sent)
    assert here.recv() == sent


def test_long_messages_go_both_ways() -> None:
    def twice(line: Line) -> None:
        line.send(line.recv() * 2)

    child = Child(twice)
    child.line.send(LONG)
    assert child.line.recv() == LONG * 2
    assert child.end() in (0, -9)


def test_the_end_is_heard_of() -> None:
    here, there = new_line()
    there.send("last")
    there.close()
    there.close()  # which is nothing
    assert here.poll(0)
    assert here.recv() == "last"
    assert here.poll(0)
    with pytest.raises(EOFError):
        here.recv()
    with pytest.raises(BrokenPipeError):
        here.send("nobody receives it")


def test_half_a_message_is_none() -> None:
    (read, write), (_, other) = os.pipe(), os.pipe()
    line = Line(read, other)
    os.write(write, (10).to_bytes(8, "big") + b"half")
    os.close(write)
    with pytest.raises(EOFError):
        line.recv()


def test_lines_with_something_to_receive_are_known() -> None:
    lines = [new_line() for _ in range(3)]
    heres = [here for here, _ in lines]
    assert ready(heres, 0) == []
    assert not heres[0].poll(0)
    lines[1][1].send("a")
    assert ready(heres) == [heres[1]]
    lines[2][1].close()
    assert ready(heres, 0) == heres[1:]
