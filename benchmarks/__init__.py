"""The product beside the least that could do the same work, on one machine, in one run."""
