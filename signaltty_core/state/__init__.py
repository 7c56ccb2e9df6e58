"""What is true, and what may follow."""
