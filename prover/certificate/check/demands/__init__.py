"""What a user may demand of a claim that is proved, and how models are written that are demanded."""

from .claims import Demands, NoSecrets, NotDemanded, meet, observer_of, secrets_of
from .given import UnreadableModel, canonical_model, given_model, written_number

__all__ = [
    "Demands",
    "NoSecrets",
    "NotDemanded",
    "UnreadableModel",
    "canonical_model",
    "given_model",
    "meet",
    "observer_of",
    "secrets_of",
    "written_number",
]
