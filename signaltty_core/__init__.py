"""signaltty: one server that owns the terminals of coding agents and knows what each of them is doing."""
