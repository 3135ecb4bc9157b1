"""What waits for the person, as the pages show it."""
