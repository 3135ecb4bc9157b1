"""The pages on which the person writes."""
