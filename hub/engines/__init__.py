"""What stands between a turn and an engine: a line that the hub owns, and deadlines."""
