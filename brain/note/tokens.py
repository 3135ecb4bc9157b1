"""Approximate tokens: the one measure of the resident cap, of blocks and of reading budgets."""

from __future__ import annotations

# 3.6 bytes of UTF-8 a token, kept as a fraction so that the figure is exact.
_BYTES: int = 18
_TOKENS: int = 5


def count(text: str) -> int:
    """Return the approximate number of tokens of a text: its UTF-8 bytes over 3.6, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size * _TOKENS // _BYTES)


def bytes_in(tokens: int) -> int:
    """Return how many bytes of text that many tokens hold at most."""
    return tokens * _BYTES // _TOKENS
