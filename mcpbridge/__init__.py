"""The MCP surface of the brain."""
