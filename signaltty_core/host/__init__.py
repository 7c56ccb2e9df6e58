"""The operating system and nothing else."""
