"""The demands of a user on a proved claim, and the models that users demand."""

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
