"""What the person's own hand does to a note: its whole text, its place, a version of it, and the links that follow."""
