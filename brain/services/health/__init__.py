"""What is wrong with a brain, asked in one place by status, the page and the doctor, so that they never disagree."""
