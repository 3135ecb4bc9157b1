"""Git's own machinery beneath the repository: objects, configuration, locks, and commands that wait for their input."""
