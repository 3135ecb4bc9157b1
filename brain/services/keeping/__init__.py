"""What keeps a brain in order by itself: the index checked, the databases kept small, notes past their time found."""
