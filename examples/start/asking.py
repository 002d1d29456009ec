"""A system in which an attacker chooses what to ask: copy this file and change it.

prover delta examples/start/asking.py:help_desk --alpha 2 --html help_desk.html
"""

import prover
from prover.language import ask, flip, see


@prover.protocol
def help_desk(customer: bool, calls=2):
    """A caller asks for a password or an invoice; for invoices the delay depends on who the caller is."""
    for _ in range(calls):
        about = ask("password", "invoice")
        if about == "password":
            see("quick" if flip("1/2") else "slow")
        else:
            see("quick" if flip("9/10" if customer else "1/5") else "slow")
