"""Systems that an attacker interacts with: labelled Markov decision processes, and δ of the best attacker."""
