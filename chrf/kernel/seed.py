"""The seed of the hash tables, so that no text can be built to collide in them."""

SEED = hash("chrf") & 2**64 - 1  # differs from process to process
