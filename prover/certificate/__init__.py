"""The evidence for an answer: the writer of certificates, and the checker that shares nothing with it."""
