"""Mechanisms of public libraries, what these declare, and what is proved of them (docs/gallery.md)."""
