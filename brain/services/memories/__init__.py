"""Whether a memory is there already: what two texts have in common, and what follows from it."""
