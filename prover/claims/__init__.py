"""Claims about the privacy of models, in a file: which of them hold, which are refuted."""
