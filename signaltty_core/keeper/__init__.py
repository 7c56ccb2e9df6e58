"""The small fork server that outlives the server and keeps every pane's child."""
