"""Threshold programs of several variables: nodes with orders, functions of shifts, tokens."""
