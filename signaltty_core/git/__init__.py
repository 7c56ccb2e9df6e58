"""Git as requests and parsers; nothing is run here."""
