"""What may not get in: secrets, unsafe paths, actions that need the person's request. Pure: text in, verdicts out."""
