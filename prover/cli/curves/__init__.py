"""Privacy profiles: δ as a function of ε."""
