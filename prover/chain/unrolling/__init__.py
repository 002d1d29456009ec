"""delta itself: a chain unrolled from pairs of states, enclosed from both sides, and the attack."""
