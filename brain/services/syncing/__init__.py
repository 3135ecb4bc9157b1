"""Syncing with the remote: what is taken in, how texts of two machines become one, and how a sync runs."""
