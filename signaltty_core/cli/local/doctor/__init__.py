"""`doctor`: what it looks at, part by part."""
