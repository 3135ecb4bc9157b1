"""What each operation takes and gives back: Pydantic models, free of any framework."""
