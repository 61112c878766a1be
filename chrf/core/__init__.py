"""What the library is made of: options, counting over a corpus, exact scores, streaming, pairs."""
