"""Who sends a message that walks from member to member, some of whom are spies?

prover epsilon examples/gallery/walks.py:crowds --delta 0
"""

import prover
from prover.language import choose, flip, see


@prover.protocol
def crowds(first: bool, members=200, spies=56, forward="7/10"):
    """Crowds: the sender gives its message to a random member, and each member forwards it or delivers it.

    The first spy on the way sees who gave it the message: one of two members, either of whom is the sender,
    or one of the others, among whom nothing distinguishes the two.
    """
    holder = "first" if first else "second"
    while True:
        to = choose(("first", "second", "other", "spy"), (1, 1, members - spies - 2, spies))
        if to == "spy":
            see(holder)
            return
        holder = to
        if not flip(forward):
            see("delivered")
            return
