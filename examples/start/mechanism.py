"""A mechanism to begin with: copy this file and change it.

prover privacy examples/start/mechanism.py:alarm --html alarm.html
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def alarm(queries):
    """Every week a noisy count is compared with a noisy limit of about 50, until it is above the limit."""
    limit = laplace(50, rate="1/2")
    for count in queries:
        if laplace(count, rate="1/4") >= limit:
            see("alarm")
            return
        see("all is well")


@prover.mechanism
def fixed_alarm(queries):
    """The same with a limit without noise: a mistake."""
    for count in queries:
        if laplace(count, rate="1/4") >= 50:
            see("alarm")
            return
        see("all is well")
