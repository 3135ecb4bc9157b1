"""The derived, deletable index of the working tree."""
