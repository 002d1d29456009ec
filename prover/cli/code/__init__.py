"""What commands do with mechanisms and protocols in Python code."""
