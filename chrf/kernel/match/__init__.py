"""The ways of finding out which n-grams two texts share; ``chrf/kernel/segment.pxd`` chooses.

They have a folder of their own because they are replaced as a whole when a faster way is found,
while what is around them (text in, threads, sums out) stays. C headers only: nothing to import.

::

    chains.pxd    short segments of few symbols: positions of the reference, chained
    windows.pxd   long, repetitive or many-symbol segments: windows, sorted
    orders.pxd    everything else: one hash table, order by order
    prepare.pxd   what is made of a reference before a hypothesis is seen
    words.pxd     word tokens as numbers
    codes.pxd, numbers.pxd, table.pxd
                  symbols as bytes; symbols as numbers; the hash table
"""
