"""A note's page: its text, and all that stands around it."""
