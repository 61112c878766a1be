from array import array

def count(
    hypotheses: list[str],
    references: list[str],
    start: int,
    stop: int,
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> array[int]: ...
