"""Tasks: one objective, one worker, one worktree; from their start to what is left of them."""
