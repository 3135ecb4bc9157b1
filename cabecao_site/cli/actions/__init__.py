"""What each command does, one module for those that belong together."""
