"""Short texts: their symbols and words are numbered, then matched by bits in vectors of any width.

::

    short.pyx         a segment of short texts; which width is in use
      vocabulary.pxd  numbers for words
      widths.h        the widths that there are; two texts of numbers -> matches
        bits.h        the matcher, written once and included once for each width
        processor.h   which widths the processor has
"""
