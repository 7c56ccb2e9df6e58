"""Bytes to checked values and back; no sockets."""
