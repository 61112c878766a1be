"""The seed of the hash tables, so that no text can be built to collide in them."""

import os

SEED = int.from_bytes(os.urandom(8), "little")  # of this process; no count depends on it
