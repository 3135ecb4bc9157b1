"""The record of what happened: append-only, each row chained to the one before, in a database of its own."""
