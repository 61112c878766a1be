"""One module for each library, named as the library: an adapter that moves text in and scores out.

None of them imports its library before it is used, but `torchmetrics`, whose class it derives from.
"""
