"""Answers for people: tables, plots and pages."""
