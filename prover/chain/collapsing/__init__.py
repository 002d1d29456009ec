"""Time that nobody sees: chains as they look to an observer of the changes of labels."""
