"""Claims in files, checked from the command line."""
