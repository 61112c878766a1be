"""What the library is made of: options, sources of texts, counts, exact scores, streaming, pairs.

Texts of any form become a `source.PairSource`, whose counts `counting` adds up, scores or returns;
everything above works on those integers alone. Imports go from left to right and from top to
bottom, never back; `doubles` and `summing` are compiled and import nothing::

    accumulator | scorer | mbr          callers hold these
      > pairwise > state > record | mean > score > resampling
      > counting                        totals, scores, counts: three functions over any source
      > source                          read_pairs(hypotheses, references) -> PairSource
      > forms                           lists of strings, Arrow columns, rows of a file
      > best > blocks                   the best reference; counts, sums and the two rules
      > exact | threads | draws > options > checks

"""
