"""Threshold programs: the model, and the engines that decide their privacy and compute what it costs."""
