"""Jobs and their timetable as the page shows them."""
