"""Runs methods against the World; holds no descriptor."""
