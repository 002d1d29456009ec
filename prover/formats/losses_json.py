"""Files with a privacy loss distribution of ``dp_accounting``: the arguments of its
``PrivacyLossDistribution.create_from_rounded_probability``.
"""

from __future__ import annotations

import re

from prover.accounting.rounded import RoundedLosses
from prover.errors import BadDocument, in_file
from prover.formats.files import content_of
from prover.formats.strict_json import as_members, as_object, as_rational, as_truth, read_json

_MASSES, _INFINITE = "rounded_probability_mass_function", "infinity_mass"
_INTERVAL, _PESSIMISTIC = "value_discretization_interval", "pessimistic_estimate"
_MULTIPLE = re.compile(r"-?(0|[1-9][0-9]{0,8})")


def read_losses(path: str) -> RoundedLosses:
    """The distribution in a file. Raises BadDocument, BadValue, BeyondLimit."""
    with in_file(path):
        fields = as_object(read_json(content_of(path)), "$", (_MASSES, _INFINITE, _INTERVAL, _PESSIMISTIC))
        masses = {}
        for key, value in as_members(fields[_MASSES], f"$.{_MASSES}").items():
            if not _MULTIPLE.fullmatch(key):
                raise BadDocument(
                    "keys are multiples of the interval, integers of at most 9 digits",
                    path=f"$.{_MASSES}",
                    code="bad-distribution",
                )
            masses[int(key)] = as_rational(value, f"$.{_MASSES}.{key}")
        infinite, interval = (as_rational(fields[key], f"$.{key}") for key in (_INFINITE, _INTERVAL))
        pessimistic = as_truth(fields[_PESSIMISTIC], f"$.{_PESSIMISTIC}")
        return RoundedLosses(masses, infinite, interval, pessimistic)
