"""Pictures of models and curves: SVG of our own, laid out with networkx and scipy, without other programs."""
