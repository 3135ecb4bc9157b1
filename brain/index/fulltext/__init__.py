"""Full-text search: what a question becomes, and the one room that knows which database answers it."""

from brain.index.fulltext.query import Query
from brain.index.fulltext.sqlite import Answer, Found, search

__all__ = ["Answer", "Found", "Query", "search"]
