"""Assembly: the only room that imports engine and host together."""
