"""The only room that touches Git and the working tree."""
