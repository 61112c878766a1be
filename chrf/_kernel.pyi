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
def count_fields(
    block: bytes,
    hypotheses: array[int],
    references: array[int],
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> array[int]: ...
def add_up(counts: array[int], orders: int) -> tuple[list[int], list[int], int]: ...
