"""The other end of the socket."""
