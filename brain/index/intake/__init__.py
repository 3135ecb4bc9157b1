"""From files to rows: what the index keeps of a note, what of the tree it does not know yet, and how it is written."""
