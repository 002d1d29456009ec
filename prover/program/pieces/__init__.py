"""The exact ε of a program whose rates depend on one parameter, piece by piece."""
