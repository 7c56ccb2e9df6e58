"""The RPC surface: one file per noun, one function per method."""
