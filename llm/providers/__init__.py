"""The providers, one module per protocol."""
