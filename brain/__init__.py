"""Cabeção: a long-term memory in Markdown notes, kept in Git."""

__version__ = "0.1.0"
