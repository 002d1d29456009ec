"""What the command line does for the shell that it is typed in: completion, and the page for ``man``."""
