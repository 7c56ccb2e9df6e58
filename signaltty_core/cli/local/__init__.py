"""Commands that work without a server, or that are more than one call."""
