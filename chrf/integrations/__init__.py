"""One module for each library, named as the library: an adapter that moves text in and scores out.

None imports its library before it is used, except `torchmetrics`: its class derives from the
library's.
"""
