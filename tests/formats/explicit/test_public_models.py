"""Protocols of public suites in our own words: small, with the commands that such models have.

Two commands of one name are enabled together in zeroconf and firewire, commands of wlan have no names, and
states that look alike offer different actions. Every value is computed by hand.
"""

from pathlib import Path
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.formats.load import load
from prover.questions import delta
from tests.formats.explicit.test_processes import with_storm

ZEROCONF = """mdp
module host
  used : [0..1]; message : [0..1]; probes : [0..2]; l : [0..2] init 1;
  [send] l=1 & message=0 & probes<2 -> 3/4 : (probes'=probes+1)&(message'=used) + 1/4 : (probes'=probes+1);
  [send] l=1 & message=0 & probes=2 -> (l'=2);
  [rec] message=1 -> (message'=0)&(l'=0);
  [rec] message=1 -> (message'=0);
endmodule
"""
"""A host asks twice whether its address is used; each question is lost with probability 1/4, or its answer is
received, after which no question can be sent, or is ignored. The observer sees that a question is refused:
1 - (1/4)^2 = 15/16.
"""

FIREWIRE = """mdp
const double slow = 2/3;
module contention
  a : [0..1]; b : [0..2] init 2; again : [0..1]; root : [0..3];
  [draw] root=0 & b=2 -> slow : (b'=1) + 1-slow : (b'=0);
  [end] root=0 & b<2 & a!=b -> (root'=a>b?1:2);
  [round] root=0 & a=b & again=0 -> slow : (a'=1)&(again'=1) + 1-slow : (a'=0)&(again'=1);
  [round] root=0 & a=b & again=0 -> slow : (b'=1)&(again'=1) + 1-slow : (b'=0)&(again'=1);
  [end] root=0 & a=b & again=1 -> (root'=3);
endmodule
"""
"""Two nodes are fast or slow; the slower one becomes the root. If they are equal, one of them, chosen by the
attacker, draws once again. Where the first node was fast, the second is slow with probability 2/3, or
else the new draw differs with 2/3: 2/3 + 2/9, and none of this happens where the first was slow.
"""

CSMA = """mdp
module station
  cd : [0..1]; bc : [0..4] init 4; b : [0..2];
  [] bc=4 & cd=0 -> 1/2 : (bc'=0) + 1/2 : (bc'=1);
  [] bc=4 & cd=1 -> 1/4 : (bc'=0) + 1/4 : (bc'=1) + 1/4 : (bc'=2) + 1/4 : (bc'=3);
  [time] b=0 & bc>0 & bc<4 -> (bc'=bc-1);
  [jam] b=0 & bc>0 & bc<4 -> (bc'=bc-1);
  [time] b=0 & bc=0 -> (b'=1);
  [jam] b=0 & bc=0 -> (b'=2)&(cd'=1)&(bc'=4);
  [time] b=1 -> true;
  [] b=2 & bc<4 -> (b'=0);
endmodule
"""
"""After one more collision a station waits for one of four slots, not of two: 2/4 of them give it away. The
attacker may jam the first attempt; then the secret is forgotten.
"""

WLAN = """mdp
module station
  bc : [0..1]; slot : [0..3] init 3; c : [0..2];
  [] slot=3 & bc=0 -> 1/2 : (slot'=0) + 1/2 : (slot'=1);
  [] slot=3 & bc=1 -> 1/3 : (slot'=0) + 1/3 : (slot'=1) + 1/3 : (slot'=2);
  [] slot>0 & slot<3 & c=0 -> (slot'=slot-1);
  [] slot>0 & slot<3 & c=0 -> true;
  [] slot=0 & c=0 -> 9/10 : (c'=1) + 1/10 : (c'=2);
endmodule
"""
"""The backoff is below 2 or below 3, so it differs with probability 1/3. The medium may stay busy for a slot;
an observer who asks for this sees whether the station waits.
"""

LOGIN = """mdp
module check
  h : [0..1]; guess : [0..2] init 2; left : [0..2]; c : [0..2]; done : bool;
  [zero] guess=2 -> (guess'=0)&(left'=h=0?2:1);
  [one] guess=2 -> (guess'=1)&(left'=h=1?2:1);
  [] guess<2 & left>0 -> 1/2 : (left'=left-1)&(c'=c+1) + 1/2 : (left'=left-1);
  [] guess<2 & left=0 & !done -> (done'=true);
  [] done -> true;
endmodule
"""
"""The attacker guesses a bit and sees only a clock: it ticks with probability 1/2 in each of two steps if the
guess is right, in one if it is wrong. Two ticks have probability 1/4 or 0.
"""


@with_storm
@pytest.mark.parametrize(
    ("program", "options", "expected"),
    [
        (ZEROCONF, {"secret": {"used": [0, 1]}, "observe": "l", "refuse": True}, "15/16"),
        (FIREWIRE, {"secret": {"a": [0, 1]}, "observe": "root", "refuse": True}, "8/9"),
        (CSMA, {"secret": {"cd": [0, 1]}, "observe": "b", "refuse": True}, "1/2"),
        (WLAN, {"secret": {"bc": [0, 1]}, "observe": "c", "refuse": True}, "1/3"),
        (LOGIN, {"secret": {"h": [0, 1]}, "observe": "guess,c,done", "untimed": True}, "1/4"),
    ],
    ids=["zeroconf", "firewire", "csma", "wlan", "password"],
)
def test_their_delta(tmp_path: Path, program: str, options: dict[str, Any], expected: str) -> None:
    path = tmp_path / "program.nm"
    path.write_text(program)
    system: Any = load(path, on_note=lambda _: None, **options)
    answer = delta(system, alpha=1)
    assert str(answer.value) == expected
    assert "attackers=all" in verify(answer.certificate)
