"""The pages, one module each: they ask for what a page shows and render it."""
