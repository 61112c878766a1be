"""Bytes -> rows of text, and result files that appear whole or not at all."""
