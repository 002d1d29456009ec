"""Programs whose outputs do not tell runs apart: what an observer of the outputs learns."""
