"""Several systems with which an attacker interacts at the same time."""
