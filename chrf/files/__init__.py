"""Bytes -> rows of text, and result files that appear whole or not at all.

    names         what files are called, and the error that names them
      kinds         the first bytes of a file -> what it is, if it is no text
      compression   a path -> a stream of bytes, unpacked; what goes wrong in reading
        lines         a stream -> chunks of whole lines; UTF-8, byte-order marks
          table         lines -> the columns of a tab-separated file   } each makes a `rows.Source`:
            quoted      the same with CSV quoting: records over several lines
          aligned       lines of several files -> columns side by side } columns, chunks, a parser
    splitting     where each field begins and ends in a chunk; which are blank (compiled)
    quoting       the same of CSV quoting, with its quotes undone (compiled)
    marks         fields that are blank, or look as if CSV had quoted them
    output        text -> a file that takes its place only when it is whole

A reader of another format is a module beside ``table`` that returns a `rows.Source`.
"""
