"""What the page of facts shows: lanes of facts on one axis of time."""
