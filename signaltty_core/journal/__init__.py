"""The pure half of persistence: lines, snapshots, numbers."""
