"""The forms in which texts come: checked here, and read where they stand.

Each is a `chrf.core.source.PairSource`; its messages name the side and the position of what is
wrong. Imports go from left to right::

    columns (Arrow) | fields (rows of a file) > segments (lists of strings) > strangers (messages)

"""
