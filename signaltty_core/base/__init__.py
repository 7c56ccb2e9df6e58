"""Words everyone shares: errors, ids, paths, limits, text, time. No I/O."""
