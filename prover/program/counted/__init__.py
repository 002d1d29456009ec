"""Programs with a count that is left open: a block is repeated, and the loss is a formula in the count."""
