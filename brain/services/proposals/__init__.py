"""What agents ask for and the person decides: kept word for word, shown, then written or refused."""
