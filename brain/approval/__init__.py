"""What the person vouches for: attestations now, tokens and proposals later."""
