"""What proves compositions: laws of chains, and how much work it is to check the rest."""
