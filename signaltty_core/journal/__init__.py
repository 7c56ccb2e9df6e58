"""The pure half of persistence: lines, roll-forward, snapshot, numbers, retention. No files."""
