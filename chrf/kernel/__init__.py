"""Text -> counts, and nothing else: the compiled kernel and its plain-Python twin.

Everything here takes text and returns integers; nothing here knows what a score is, and nothing
here imports another part of the package. Private: the functions of `chrf` check what comes in.

::

    count.pyx      lists of strings, blocks of UTF-8     |                  > simd/, short texts
    prepared.pyx   fixed references (a scorer's)         |> segment.pxd     > match/, all others
    columns.pyx    text in Arrow's memory                |
    pairs.pyx      every hypothesis with every reference  >  match/table.pxd
    reference.py   the twin: the same functions and integers, written to be read
    text.py        whitespace, punctuation, words, lower case (in C: unicode.pxd)
    unbuilt.py     why compiled modules cannot be imported
    seed.py        what keeps hash tables from being attacked

`count` owns the job that threads share (``count.pxd``, ``threads.pxd``); `prepared` and `columns`
hand it other texts. ``segment.pxd`` counts one segment and chooses among the ways of
``simd/`` and ``match/``.
"""
