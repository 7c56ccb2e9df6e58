"""The scripts with which three shells complete our command lines."""
