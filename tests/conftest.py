"""Hypothesis profiles: the same examples on every run unless the long profile is asked for."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("repeatable")
