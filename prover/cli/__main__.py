"""``python -m prover.cli``."""

from prover.cli.main import entry

entry()
