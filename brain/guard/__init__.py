"""What may be written, where and by whom. Pure: decisions only, nothing is touched."""
