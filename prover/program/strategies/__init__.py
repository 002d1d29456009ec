"""Proofs of privacy by particular coupling strategies, beside the optimum."""
