"""Full text search, one module per database."""
