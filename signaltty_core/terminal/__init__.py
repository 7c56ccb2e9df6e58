"""What a pane's bytes look like to a person: emulation, rendered history, snapshots, and the signs programs send."""
