"""The commands, a module for each first word; table.py knows which."""
