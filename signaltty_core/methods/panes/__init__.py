"""Panes and what they are arranged in: started, read, typed into, looked at, closed."""
