"""The record of what happened: append-only, hash-chained, in a database of its own."""
