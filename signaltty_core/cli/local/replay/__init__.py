"""Test vectors played against the reducers the server itself uses."""
