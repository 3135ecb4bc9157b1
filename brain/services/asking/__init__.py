"""Answers from a language model: what may leave, what is asked, and which quotes are in the notes."""
