"""What the pages show on which the person writes."""
