"""What an observer learns of a program whose outputs do not tell its runs apart."""
