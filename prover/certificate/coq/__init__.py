"""Certificates as Coq files: a model, evidence, and a theorem that `proofs/` proves from them."""
