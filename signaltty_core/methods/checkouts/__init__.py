"""Checkouts of a repository: worktrees, diffs, baselines of turns, merges, and intents that outlive a crash."""
