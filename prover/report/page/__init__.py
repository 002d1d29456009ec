"""Pages of answers: one HTML file each, which loads nothing from anywhere."""
