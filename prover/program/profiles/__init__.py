"""δ of threshold programs for all neighbouring inputs: closed profile tables (docs/theory_profiles.md)."""
