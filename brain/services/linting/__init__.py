"""Rules that look at the whole brain: one module for each family, all of them in `table`."""
