"""Mechanisms interpreted, and the threshold programs that they are."""
