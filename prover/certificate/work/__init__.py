"""What it costs to check a certificate (docs/certificates.md, Section 6), counted before it is written.

The checker counts for itself; this is the writer's own count, and never below the checker's. Where that
depends on numbers that are computed on the way, such as the values of leaves, it bounds their length.
"""
