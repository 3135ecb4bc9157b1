"""What the pages of answers show."""
