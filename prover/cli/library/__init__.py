"""The commands about what comes with the prover: models of the papers, and mechanisms of public libraries."""
