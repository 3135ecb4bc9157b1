"""What each page shows: frozen values, prepared from the brain, that a template only has to lay out."""
