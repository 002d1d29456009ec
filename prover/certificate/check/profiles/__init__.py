"""Closed profile tables: δ of a threshold program at one α, for all neighbouring inputs of any length."""
