"""Operations that change the brain."""
