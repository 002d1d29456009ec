"""Code as text, turned into small steps; nothing is executed."""
