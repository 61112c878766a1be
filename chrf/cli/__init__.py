"""The command lines: one module for each, and what they share (``command``)."""
