"""What the person vouches for and says yes to: attestations, confirm tokens."""
