"""Steps of systems that nobody sees, where an attacker chooses in others."""
