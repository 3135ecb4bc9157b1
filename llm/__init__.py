"""Language models that answer: which are turned on here, what each is asked, and how often. Knows nothing of brains."""
