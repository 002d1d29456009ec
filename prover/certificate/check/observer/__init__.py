"""Programs whose outputs do not distinguish runs: the loss of an observer of the outputs."""
