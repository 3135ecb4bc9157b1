"""Work that goes on in the background, and how far it is."""
