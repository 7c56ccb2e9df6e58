"""One file per agent program: what its hooks mean."""
