"""The site: settings, processes and the command line."""
