"""The command line: related commands together, their options, how they end, and work with a deadline."""
