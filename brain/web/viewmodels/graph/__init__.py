"""What the page of the graph shows: a picture, and the same notes and links as a list."""
