"""How a person's browser gets in: one-time launch links."""
