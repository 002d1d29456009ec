"""Programs of several variables: what is known of their order, bounded or not, the exact optimum, evidence."""
