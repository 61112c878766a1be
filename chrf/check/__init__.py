"""What spoils a score without anyone noticing, found in the texts before they are scored.

Scores never depend on it. One record a rule, one family of rules a file::

    block.py       every rule over a block of rows: what the command line calls
    characters.py  rules about the characters of one column
    sides.py       rules about a hypothesis beside its references
    rule.py        what a rule is, and what it finds
    properties.py  classes of characters from the Unicode data (generated)
"""
