"""What agents and their hooks report: events, sessions, questions and the answers to them."""
