"""One module per operation, and the one write path."""
