"""Chains as model checkers write them: numbered states, atomic propositions, variables, initial states."""
