"""Programs of several variables: what is known of their order, boundedness, the exact optimum, evidence."""
