"""The graph of the notes: edges around a note, names mentioned without a link, facts, and the whole at once."""
