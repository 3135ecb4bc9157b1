"""Outside sources: their text, what they say of themselves, and the plan of what to do with them."""
