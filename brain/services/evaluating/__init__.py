"""Measuring, with the person's own questions, what the brain answers."""
