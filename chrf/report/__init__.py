"""Scores -> what people and programs read: tables, JSON, TSV, LaTeX."""
