"""Consolidation: material for the agent that reasons, and a commit that closes what it did."""
